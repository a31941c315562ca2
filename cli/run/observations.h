/* What was measured: the values that a program is to reproduce, their weights
 * and groups. */
#ifndef CLI_OBSERVATIONS_H
#define CLI_OBSERVATIONS_H

#include "cli/base/cli.h"

#define OBSERVATION_NAME_SIZE 64
typedef struct cli_observation {
  char name[OBSERVATION_NAME_SIZE], group[OBSERVATION_NAME_SIZE];
  double value, weight;
  bool predicted; /* of weight 0, and its uncertainty is to be told */
} cli_observation;

/* Everything is owned.  The columns are those of `at`, as a journal keeps
 * them. */
typedef struct cli_observations {
  size_t count; /* 0: none */
  cli_observation *at;
  double *values, *weights;
  char *names, *groups; /* a newline after each */
  char *predictions;    /* their names as given, parted by commas; NULL: none */
} cli_observations;

/* Reads a line "name value weight group" each; weight and group may be left
 * out (1 and "all"), # begins a comment. */
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

/* Marks the predictions: names of observations or of groups, parted by commas.
 * Each must have weight 0. */
LRGD_MUST_CHECK lrgd_status observations_predict(cli_observations *observations,
                                                 const char *names,
                                                 lrgd_error *error);
void observations_free(cli_observations *observations);

#endif
