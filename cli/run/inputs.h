/* The inputs of a run: start, bounds, names, and the variables of the
 * solver. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "equations.h"
#include "observations.h"
#include "prior.h"

/* Everything is owned; NULL where it was not given. */
typedef struct cli_inputs {
  double *start; /* starts; p numbers each */
  double *lower, *upper;
  double *scale;
  double *log; /* numbers of coordinates, from 1, ascending */
  size_t log_count;
  double *basis; /* directions to move along, p numbers each */
  size_t basis_count;
  cli_equations equal;
  double *samples; /* points of Algorithm 1, p numbers each */
  size_t sample_count;
  char *names; /* p of them, a newline after each */
  cli_observations observations;
  cli_prior prior;
  double *coordinates; /* coordinate_count numbers each, input after input */
  size_t coordinate_count;
  double length; /* correlation length */
} cli_inputs;

/* Reads --start, --lower, --upper, --names, --scale, --log, --basis, --samples,
 * --observations, --prior, --correlated and --equal.  problem: its dimension
 * and own bounds; origin: where to start without --start (moved into the box),
 * NULL for 0. */
LRGD_MUST_CHECK lrgd_status inputs_read(cli_inputs *inputs,
                                        const cli_flags *flags,
                                        const lrgd_problem *problem,
                                        const double *origin,
                                        lrgd_error *error);
void inputs_free(cli_inputs *inputs);

/* Reads --start, --lower, --upper, --samples, --observations and --prior again,
 * where they are given. */
LRGD_MUST_CHECK lrgd_status inputs_change(cli_inputs *inputs,
                                          const cli_flags *flags, size_t p,
                                          lrgd_error *error);

/* Passes to the solver what is known about residuals and inputs: prior
 * information, in the solver's variables, and the correlation of inputs;
 * borrowed. */
LRGD_MUST_CHECK lrgd_status inputs_tell(cli_inputs *inputs,
                                        lrgd_problem *problem,
                                        lrgd_error *error);

/* The names of the inputs, for prior information; borrowed. */
cli_prior_inputs inputs_for_prior(const cli_inputs *inputs, size_t p);

/* Scales inputs by the widths of their boxes, where no variables are given and
 * lrgd_variables_widths says so.  *times: the ratio of the widths; 1 where
 * nothing is scaled. */
LRGD_MUST_CHECK lrgd_status inputs_scale_by_widths(cli_inputs *inputs,
                                                   const lrgd_problem *problem,
                                                   double *times,
                                                   lrgd_error *error);

/* The name of coordinate i (from 0), "x12" where there are no names. */
#define INPUT_NAME_SIZE 64
char *input_name(const cli_inputs *inputs, size_t i,
                 char name[INPUT_NAME_SIZE]);

/* The names of inputs in messages; borrows both while in use. names: a newline
 * after each; NULL: inputs have numbers only. */
typedef struct cli_naming {
  const char *names;
  char name[INPUT_NAME_SIZE];
} cli_naming;
lrgd_wording wording_by(const char *names, cli_naming *naming);
lrgd_wording inputs_wording(const cli_inputs *inputs, cli_naming *naming);

#endif
