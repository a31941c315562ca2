/* What a fit says of its inputs and of predictions, with its uncertainty: the
 * library's linear estimates, in the user's names and units. */
#ifndef CLI_FIT_UNCERTAINTY_H
#define CLI_FIT_UNCERTAINTY_H

#include "cli/base/json_output.h"
#include "inputs.h"

#include <lrgd/analysis.h>

/* What it is computed from; everything is borrowed for the call that makes it,
 * inputs and observations as long as it lives. */
typedef struct uncertainty_source {
  const lrgd_solver *solver;   /* that fitted; for the call only */
  const cli_inputs *inputs;    /* NULL: nothing is known of them */
  const double *lower, *upper; /* in x; NULL: none */
  const double *x;             /* where the fit ended */
  const double *simulated;     /* in order; NULL: not known */
  double f;
  size_t p;
} uncertainty_source;

/* A prediction: its deviations before the data and with them, and with them
 * when a group of observations is all there is, is missing, is made twice. */
typedef struct fit_prediction {
  const cli_observation *of;
  double simulated, before, after;
  double *only, *without, *again; /* one for each group */
  size_t tightest;                /* the group that is missed most */
  size_t next;                    /* the one that is best made again */
} fit_prediction;

/* Inputs are told in x, or in log10 x where the solver works on a logarithm.
 * Everything is owned but what is said to be borrowed. */
typedef struct fit_uncertainty {
  uncertainty_source from;
  size_t p, k, m, counted; /* observations of a weight above 0 */
  lrgd_uncertainty *linear;
  lrgd_uncertainty_summary told;
  double *U, *J;       /* p x k and m x k, by the solver's variables */
  double *units;       /* p: d(x or log10 x) / d(solver's variable) */
  double *prior;       /* p: of the solver's variables; NULL: none */
  double *share;       /* p: identifiability */
  double *deviations;  /* p: with the data */
  signed char *sides;  /* p: -1, 0, 1: at a lower bound, at none, at an upper */
  double *values;      /* k: singular values */
  const char **groups; /* names, borrowed */
  size_t group_count;
  fit_prediction *predictions;
  double *worth; /* what each group of data is worth for each prediction */
  size_t prediction_count;
} fit_uncertainty;

/* *made stays NULL, and the status is LRGD_OK, where the solver has no
 * Jacobian. */
LRGD_MUST_CHECK lrgd_status uncertainty_create(fit_uncertainty **made,
                                               const uncertainty_source *from,
                                               lrgd_error *error);
void uncertainty_destroy(fit_uncertainty **u);

/* Whether the solver works on log x of input i. */
bool uncertainty_is_log(const fit_uncertainty *u, size_t i);
/* What was known of input i before, as a deviation of x or log10 x; NaN:
 * nothing. */
double uncertainty_prior(const fit_uncertainty *u, size_t i);
double uncertainty_deviation(const fit_uncertainty *u, size_t i);
/* The 95 % interval of input i, in x. */
void uncertainty_interval(const fit_uncertainty *u, size_t i, double *low,
                          double *high);

/* null for NULL. */
json_t *uncertainty_json(const fit_uncertainty *u);
void uncertainty_print(const fit_uncertainty *u);

/* Rows of numbers parted by blanks, after a comment with the names of the
 * columns: the p x p covariance of x (or log10 x), and the m x p derivatives of
 * the residuals by them. */
LRGD_MUST_CHECK lrgd_status uncertainty_write_covariance(
    const fit_uncertainty *u, const char *path, lrgd_error *error);
LRGD_MUST_CHECK lrgd_status uncertainty_write_jacobian(const fit_uncertainty *u,
                                                       const char *path,
                                                       lrgd_error *error);

#endif
