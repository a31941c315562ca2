/* The misfit of simulated values and observations: residuals for a solver, and
 * statistics for the result. */
#ifndef CLI_MISFIT_H
#define CLI_MISFIT_H

#include "cli/base/json_output.h"
#include "observations.h"
#include "prior.h"

typedef struct cli_misfit cli_misfit;

/* The weight of predictions in the solver, whose Jacobian then contains their
 * rows: it measures all rows with the same relative accuracy, whatever their
 * size.  Squares of the order of 1e-120 are lost in any sum that has another
 * term. */
#define MISFIT_PREDICTION_WEIGHT 0x1p-200

/* Borrows both until destroy; prior: reported with them, NULL: none. */
LRGD_MUST_CHECK lrgd_status misfit_create(cli_misfit **misfit,
                                          const cli_observations *observations,
                                          const cli_prior *prior,
                                          lrgd_error *error);
void misfit_destroy(cli_misfit **misfit);

/* Wraps a problem that returns simulated values: it then returns the residuals
 * weight (simulated - observed). */
void misfit_wrap(cli_misfit *misfit, lrgd_problem *problem);

/* Begins a run: the first and the lowest simulated values are cleared. */
void misfit_forget(cli_misfit *misfit);

/* Makes residuals of simulated values that are known beforehand; where they are
 * the lowest, the run begins with them. */
void misfit_know(cli_misfit *misfit, const double *x, size_t m, double *r);

/* Sets residuals of weight 0 to 0. */
void misfit_clean(const cli_misfit *misfit, size_t m, double *r);

/* f of m simulated values, for a pool; user: cli_observations. */
double misfit_cost(size_t m, const double *simulated, void *user);

/* The simulated values at the lowest f, in order, then the left sides of prior
 * equations; NULL: there are none. */
const double *misfit_simulated(const cli_misfit *misfit);
/* The observation, or prior equation, of residual i. */
const cli_observation *misfit_item(const cli_misfit *misfit, size_t i);

typedef struct misfit_group {
  const char *name; /* borrowed from the observations, or the prior */
  size_t count;
  /* the one with the largest residual: observations, then equations */
  size_t worst;
  double f_start, f;
  double rms; /* root mean square of simulated - observed */
} misfit_group;

/* Statistics of the groups of observations and of prior information, sorted by
 * name, to be freed by free(); NULL: out of memory, or there are no simulated
 * values. */
misfit_group *misfit_groups(const cli_misfit *misfit, size_t *count);

/* f of each group wherever the total f has decreased, for the groups of
 * misfit_groups in their order. */
typedef struct misfit_history {
  size_t groups, count;
  double *evaluations; /* count numbers */
  double *f;           /* count for each group */
} misfit_history;

/* Begins to record a history; where memory is out, it ends early. */
void misfit_keep_history(cli_misfit *misfit);
/* The history, whose arrays the caller frees; NULL: there is none. */
misfit_history misfit_take_history(const cli_misfit *misfit);

/* Adds the misfit by group and by observation; false: there are no simulated
 * values. */
bool misfit_json(json_t **object, const cli_misfit *misfit);
/* Prints the misfit by group. */
void misfit_print(const cli_misfit *misfit);

#endif
