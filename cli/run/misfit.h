/* How far simulated values are from observations: residuals for a solver, and
 * what is told of them. */
#ifndef CLI_MISFIT_H
#define CLI_MISFIT_H

#include "cli/base/json_output.h"
#include "observations.h"

typedef struct cli_misfit cli_misfit;

/* The weight that predictions have for the solver, whose Jacobian then has
 * their rows too: all rows are learnt alike, whatever their size.  Squares of
 * the order of 1e-120 change no sum that has another term. */
#define MISFIT_PREDICTION_WEIGHT 0x1p-200

/* Borrows observations until destroy. */
LRGD_MUST_CHECK lrgd_status misfit_create(cli_misfit **misfit,
                                          const cli_observations *observations,
                                          lrgd_error *error);
void misfit_destroy(cli_misfit **misfit);

/* problem, which answers simulated values, becomes one of the residuals
 * weight (simulated - observed). */
void misfit_wrap(cli_misfit *misfit, lrgd_problem *problem);

/* A run begins: what was simulated first and at the lowest f is forgotten. */
void misfit_forget(cli_misfit *misfit);

/* Residuals as the solver has them: those of weight 0 become 0. */
void misfit_clean(const cli_misfit *misfit, size_t m, double *r);

/* f of m simulated values; user: cli_observations.  For a pool. */
double misfit_cost(size_t m, const double *simulated, void *user);

/* What was simulated at the lowest f, in order; NULL: nothing. */
const double *misfit_simulated(const cli_misfit *misfit);

typedef struct misfit_group {
  const char *name; /* borrowed from the observations */
  size_t count;
  size_t worst; /* the observation with the largest residual */
  double f_start, f;
  double rms; /* of simulated - observed */
} misfit_group;

/* In the order of their names; free() it, NULL: no memory.  Where something was
 * simulated. */
misfit_group *misfit_groups(const cli_misfit *misfit, size_t *count);

/* By group and by observation; false: nothing was simulated. */
bool misfit_json(json_t **object, const cli_misfit *misfit);
/* A few lines, by group. */
void misfit_print(const cli_misfit *misfit);

#endif
