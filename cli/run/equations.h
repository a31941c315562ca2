/* Equations A x = b, from two files. */
#ifndef CLI_EQUATIONS_H
#define CLI_EQUATIONS_H

#include "cli/base/flags.h"

/* m rows of p numbers, and m numbers; owned, NULL where there are none. */
typedef struct cli_equations {
  double *A, *b;
  size_t count;
} cli_equations;

/* Reads the two files of --equal or --at-most A.txt b.txt: p numbers on each
 * line of A.txt, one on each of b.txt; or .npy files. */
LRGD_MUST_CHECK lrgd_status equations_read(cli_equations *equations,
                                           const cli_flags *flags, flag_id flag,
                                           size_t p, lrgd_error *error);
void equations_free(cli_equations *equations);

/* Passes the equations to a solver that works on x / scale (NULL: on x). */
LRGD_MUST_CHECK lrgd_status equations_set(const cli_equations *equations,
                                          size_t p, const double *scale,
                                          lrgd_solver *solver,
                                          lrgd_error *error);

#endif
