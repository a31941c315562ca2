/* Prior information: linear equations in inputs or their logarithms, with
 * weights and groups. */
#ifndef CLI_PRIOR_H
#define CLI_PRIOR_H

#include "observations.h"

/* A coefficient of an input, or of its logarithm to base 10. */
typedef struct cli_prior_term {
  size_t input; /* counted from 0 */
  double coefficient;
  bool log;
} cli_prior_term;

/* Everything is owned. */
typedef struct cli_prior {
  size_t count;          /* 0: none */
  cli_observation *at;   /* count rows: name, value, weight, group */
  size_t *begin;         /* count + 1: where the terms of each row begin */
  cli_prior_term *terms; /* the terms in the user's inputs */
  char *text;            /* the rows as lines, for a journal */
  size_t *input; /* the terms in the solver's variables, see prior_rows */
  double *coefficient, *target, *weight;
  lrgd_prior rows;
} cli_prior;

/* The inputs that equations may contain. */
typedef struct cli_prior_inputs {
  size_t p;
  const char *names; /* a newline after each; NULL: x1, x2, ... */
  const double *log; /* numbers, counted from 1, of inputs under --log */
  size_t log_count;
} cli_prior_inputs;

/* Reads lines "name coefficient*input + ... = value weight group"; a
 * coefficient of 1, a weight of 1 and the group "prior" may be omitted, an
 * input may be log(input), # begins a comment.  Equations must be linear in the
 * solver's variables: refuses logarithms of inputs that are not under --log,
 * and inputs under --log without log(). */
LRGD_MUST_CHECK lrgd_status prior_read(cli_prior *prior, const char *path,
                                       const cli_prior_inputs *inputs,
                                       lrgd_error *error);
/* Reads the text that a journal has stored. */
LRGD_MUST_CHECK lrgd_status prior_recall(cli_prior *prior, const char *text,
                                         const cli_prior_inputs *inputs,
                                         lrgd_error *error);
void prior_free(cli_prior *prior);

/* The rows for a solver whose variables are x / scale, or log(x) / scale
 * (scale NULL: 1); borrowed.  NULL: there are none, or (*status) no memory. */
const lrgd_prior *prior_rows(cli_prior *prior, const double *scale,
                             lrgd_status *status);

/* sums[i] = the left side of row i at x. */
void prior_sums(const cli_prior *prior, const double *x, double *sums);

/* Half the sum of the squares of weight (left side - value). */
double prior_cost(const cli_prior *prior, const double *x);

#endif
