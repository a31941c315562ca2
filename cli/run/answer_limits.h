/* Outputs with limits, as given by the flags --answers, --objective,
 * --maximize, --constraint and --at-most. */
#ifndef CLI_ANSWER_LIMITS_H
#define CLI_ANSWER_LIMITS_H

#include "cli/base/flags.h"
#include "cli/base/json_output.h"

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct cli_outputs {
  size_t count;
  char **names;
  double *lower, *upper;
  char *list;    /* the names, a comma between them */
  double *A, *b; /* of --at-most */
  lrgd_limits limits;
} cli_outputs;

#define OUTPUT_FLAGS                                                           \
  FLAG_ANSWERS, FLAG_OBJECTIVE, FLAG_MAXIMIZE, FLAG_CONSTRAINT, FLAG_AT_MOST

/* Whether one of these flags is given. */
bool outputs_asked(const cli_flags *flags);
/* Reads these flags; outputs stays NULL where none is given. */
LRGD_MUST_CHECK lrgd_status outputs_read(cli_outputs **outputs,
                                         const cli_flags *flags, size_t p,
                                         lrgd_error *error);
/* The outputs recorded in a journal's settings, which are not trusted; NULL:
 * its run has no outputs.  lower and upper: `count` numbers; A, q x p, and b of
 * A x <= b. */
typedef struct outputs_text {
  const char *names, *objective;
  bool maximize;
  size_t count, rows, p;
  const double *lower, *upper, *A, *b;
} outputs_text;
LRGD_MUST_CHECK lrgd_status outputs_recall(cli_outputs **outputs,
                                           const outputs_text *from,
                                           lrgd_error *error);
void outputs_destroy(cli_outputs **outputs);

/* f of an answer, for a pool; user: cli_outputs. */
double outputs_f(size_t m, const double *y, void *user);

/* The outputs in a result: y, and m multipliers or NULL. */
void outputs_json(json_t **object, const cli_outputs *outputs, size_t m,
                  const double *y, const double *multipliers, double violation);
void outputs_print(const cli_outputs *outputs, size_t m, const double *y,
                   const double *multipliers, double violation);

/* Where a value is between its limits: "violated", "active" or "".  met: all
 * are, to their tolerance. */
const char *outputs_standing(double y, double lower, double upper, double price,
                             bool met);
/* Writes what relaxing an active limit would gain: "1 more allowed saves 0.13
 * of mass". */
enum { OUTPUTS_PRICE = 160 };
char *outputs_price(const cli_outputs *outputs, size_t i, double price,
                    char text[OUTPUTS_PRICE]);

#endif
