/* The convergence plot: the gap to the minimum against evaluations. */
#ifndef CLI_CONVERGENCE_H
#define CLI_CONVERGENCE_H

#include "cli/base/flags.h"
#include "cli/run/trace.h"

typedef struct cli_curve {
  const char *label; /* NULL: no legend */
  const cli_trace *trace;
} cli_curve;

typedef enum against { AGAINST_EVALUATIONS, AGAINST_ORACLE_CALLS } against;

enum { CURVES_MOST = 16 };

typedef struct cli_convergence {
  const char *title, *note; /* NULL: none */
  double minimum;           /* NaN: unknown, the lowest value found is used */
  const cli_curve *curves;
  size_t count;
  against against;
  bool log_x;
} cli_convergence;

/* Draws into every --plot; does nothing without one. */
LRGD_MUST_CHECK lrgd_status convergence_draw(const cli_convergence *picture,
                                             const cli_flags *flags,
                                             lrgd_error *error);

#endif
