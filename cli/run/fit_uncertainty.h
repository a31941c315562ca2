/* The uncertainty of a fit's inputs and predictions: the library's linear
 * estimates, in the user's names and units. */
#ifndef CLI_FIT_UNCERTAINTY_H
#define CLI_FIT_UNCERTAINTY_H

#include "cli/base/json_output.h"
#include "inputs.h"

#include <lrgd/analysis.h>

/* The data it is computed from, borrowed for the call that makes it; inputs and
 * observations as long as it lives. */
typedef struct uncertainty_source {
  const lrgd_solver *solver;   /* solver of the fit; for the call only */
  const cli_inputs *inputs;    /* NULL: the inputs have no names and bounds */
  const double *lower, *upper; /* in x; NULL: none */
  const double *x;             /* where the fit ended */
  const double *simulated;     /* simulated values, in order; NULL: not known */
  double f;
  size_t p;
} uncertainty_source;

/* A prediction: its standard deviation without the data and with them, and with
 * one group of observations alone, left out, or made twice. */
typedef struct fit_prediction {
  const cli_observation *of;
  double simulated, before, after;
  double *only, *without, *again; /* one for each group */
  size_t tightest; /* the group whose loss would raise the deviation most */
  size_t next;     /* the group whose repetition would lower it most */
} fit_prediction;

/* The uncertainty of inputs is that of x, or of log10 x where the solver works
 * on a logarithm. Everything is owned unless said to be borrowed. */
typedef struct fit_uncertainty {
  uncertainty_source from;
  size_t p, k, m, counted; /* counted: observations of a weight above 0 */
  lrgd_uncertainty *linear;
  lrgd_uncertainty_summary told;
  double *U, *J;      /* p x k and m x k, in the solver's variables */
  double *units;      /* p: d(x or log10 x) / d(solver's variable) */
  double *prior;      /* p: prior deviations in those variables; NULL: none */
  double *share;      /* p: identifiability */
  double *deviations; /* p: posterior deviations */
  /* p: -1 at a lower bound, 1 at an upper one, 0 elsewhere */
  signed char *sides;
  double *values;      /* k: singular values */
  const char **groups; /* names, borrowed */
  size_t group_count;
  fit_prediction *predictions;
  double *worth; /* the four deviations of each prediction by each group */
  size_t prediction_count;
} fit_uncertainty;

/* Computes it; made stays NULL, with LRGD_OK, where the solver has no
 * Jacobian. */
LRGD_MUST_CHECK lrgd_status uncertainty_create(fit_uncertainty **made,
                                               const uncertainty_source *from,
                                               lrgd_error *error);
void uncertainty_destroy(fit_uncertainty **u);

/* Whether the solver works on log x of input i. */
bool uncertainty_is_log(const fit_uncertainty *u, size_t i);
/* The prior deviation of input i, of x or log10 x; NaN: there is none. */
double uncertainty_prior(const fit_uncertainty *u, size_t i);
double uncertainty_deviation(const fit_uncertainty *u, size_t i);
/* The 95 % interval of input i, in x. */
void uncertainty_interval(const fit_uncertainty *u, size_t i, double *low,
                          double *high);

/* The uncertainty as JSON; null for NULL. */
json_t *uncertainty_json(const fit_uncertainty *u);
void uncertainty_print(const fit_uncertainty *u);

/* Writes rows of numbers separated by blanks, after a comment with the names of
 * the columns: the p x p covariance of x (or log10 x), and the m x p
 * derivatives of the residuals with respect to these. */
LRGD_MUST_CHECK lrgd_status uncertainty_write_covariance(
    const fit_uncertainty *u, const char *path, lrgd_error *error);
LRGD_MUST_CHECK lrgd_status uncertainty_write_jacobian(const fit_uncertainty *u,
                                                       const char *path,
                                                       lrgd_error *error);

#endif
