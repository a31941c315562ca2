/* How far simulated values are from observations: residuals for a solver, and
 * what is told of them. */
#ifndef CLI_MISFIT_H
#define CLI_MISFIT_H

#include "cli/base/json_output.h"
#include "observations.h"
#include "prior.h"

typedef struct cli_misfit cli_misfit;

/* Borrows both until destroy; prior: told beside them, NULL: none. */
LRGD_MUST_CHECK lrgd_status misfit_create(cli_misfit **misfit,
                                          const cli_observations *observations,
                                          const cli_prior *prior,
                                          lrgd_error *error);
void misfit_destroy(cli_misfit **misfit);

/* problem, which answers simulated values, becomes one of the residuals
 * weight (simulated - observed). */
void misfit_wrap(cli_misfit *misfit, lrgd_problem *problem);

/* A run begins: what was simulated first and at the lowest f is forgotten. */
void misfit_forget(cli_misfit *misfit);

/* f of m simulated values; user: cli_observations.  For a pool. */
double misfit_cost(size_t m, const double *simulated, void *user);

/* What was simulated at the lowest f, in order, then the left sides of prior
 * equations; NULL: nothing. */
const double *misfit_simulated(const cli_misfit *misfit);
/* The observation, or prior equation, that a number of them belongs to. */
const cli_observation *misfit_item(const cli_misfit *misfit, size_t i);

typedef struct misfit_group {
  const char *name; /* borrowed from the observations, or the prior */
  size_t count;
  size_t worst; /* which has the largest residual: observations come first */
  double f_start, f;
  double rms; /* of simulated - observed */
} misfit_group;

/* Those of prior information too; in the order of their names; free() it, NULL:
 * no memory.  Where something was simulated. */
misfit_group *misfit_groups(const cli_misfit *misfit, size_t *count);

/* By group and by observation; false: nothing was simulated. */
bool misfit_json(json_t **object, const cli_misfit *misfit);
/* A few lines, by group. */
void misfit_print(const cli_misfit *misfit);

#endif
