/* Observations: the measured values that a program is to reproduce, with their
 * weights and groups. */
#ifndef CLI_OBSERVATIONS_H
#define CLI_OBSERVATIONS_H

#include "cli/base/cli.h"

#define OBSERVATION_NAME_SIZE 64
typedef struct cli_observation {
  char name[OBSERVATION_NAME_SIZE], group[OBSERVATION_NAME_SIZE];
  double value, weight;
  bool predicted; /* its weight is 0, its uncertainty is to be reported */
} cli_observation;

/* Everything is owned.  The columns contain the data of `at`, in the form that
 * a journal stores. */
typedef struct cli_observations {
  size_t count; /* 0: none */
  cli_observation *at;
  double *values, *weights;
  char *names, *groups; /* a newline after each */
  /* names of predictions as given, separated by commas; NULL: none */
  char *predictions;
  int64_t loss; /* loss of the residuals, as in the options */
  double loss_scale;
} cli_observations;

/* Reads lines "name value weight group"; weight and group may be omitted (1 and
 * "all"), # begins a comment. */
LRGD_MUST_CHECK lrgd_status observations_read(cli_observations *observations,
                                              const char *path,
                                              lrgd_error *error);

/* Makes observations of columns.  false: the columns have different lengths, or
 * there is no memory. */
bool observations_recall(cli_observations *observations, size_t count,
                         const double *values, const double *weights,
                         const char *names, const char *groups);
/* Fills the columns from `at`; false: no memory. */
bool observations_list(cli_observations *observations);

/* Marks the predictions: names of observations or of groups, separated by
 * commas. Each must have weight 0. */
LRGD_MUST_CHECK lrgd_status observations_predict(cli_observations *observations,
                                                 const char *names,
                                                 lrgd_error *error);
void observations_free(cli_observations *observations);

#endif
