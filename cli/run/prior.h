/* Prior information: linear equations that inputs, or their logarithms, should
 * meet, with weights and groups. */
#ifndef CLI_PRIOR_H
#define CLI_PRIOR_H

#include "observations.h"

/* A coefficient of an input, or of its logarithm to base 10. */
typedef struct cli_prior_term {
  size_t input; /* from 0 */
  double coefficient;
  bool log;
} cli_prior_term;

/* Everything is owned. */
typedef struct cli_prior {
  size_t count;          /* 0: none */
  cli_observation *at;   /* count rows: name, value, weight, group */
  size_t *begin;         /* count + 1: where the terms of a row begin */
  cli_prior_term *terms; /* in the user's inputs */
  char *text;            /* the rows as lines, as a journal keeps them */
  size_t *input;         /* the terms for a solver, see prior_rows ... */
  double *coefficient, *target, *weight;
  lrgd_prior rows;
} cli_prior;

/* The inputs that equations are about. */
typedef struct cli_prior_inputs {
  size_t p;
  const char *names; /* a newline after each; NULL: x1, x2, ... */
  const double *log; /* those under --log, numbers from 1 */
  size_t log_count;
} cli_prior_inputs;

/* Reads a line "name coefficient*input + ... = value weight group" each; a
 * coefficient of 1, a weight of 1 and the group "prior" may be left out, an
 * input may be log(input), # begins a comment.  Refuses logarithms of inputs
 * that are not under --log, and others of those that are: an equation must be
 * linear in the variables of the solver. */
LRGD_MUST_CHECK lrgd_status prior_read(cli_prior *prior, const char *path,
                                       const cli_prior_inputs *inputs,
                                       lrgd_error *error);
/* Back from the text of a journal. */
LRGD_MUST_CHECK lrgd_status prior_recall(cli_prior *prior, const char *text,
                                         const cli_prior_inputs *inputs,
                                         lrgd_error *error);
void prior_free(cli_prior *prior);

/* The rows for a solver whose variables are x / scale, or log(x) / scale
 * (scale NULL: 1); borrowed.  NULL: there are none, or (*status) no memory. */
const lrgd_prior *prior_rows(cli_prior *prior, const double *scale,
                             lrgd_status *status);

/* What the left side of each row is at x, count numbers. */
void prior_sums(const cli_prior *prior, const double *x, double *sums);

/* Half the sum of the squares of weight (left side - value). */
double prior_cost(const cli_prior *prior, const double *x);

#endif
