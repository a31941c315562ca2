/* A PEST case as the inputs of a run, and as the command of a worker. */
#ifndef CLI_PEST_INPUTS_H
#define CLI_PEST_INPUTS_H

#include "cli/base/flags.h"
#include "control_file.h"
#include "inputs.h"

/* The user's flags with --worker and --dim added; given and texts are owned. */
typedef struct pest_flags {
  cli_flags flags;
  char *command;
  char dimension[24];
} pest_flags;

/* Fills start, bounds, logarithms, names, observations and prior
 * information. */
LRGD_MUST_CHECK lrgd_status pest_inputs(cli_inputs *inputs, const pest_case *of,
                                        const cli_flags *flags,
                                        lrgd_error *error);

/* The flags with the worker of the case; with several jobs each has a copy of
 * the folder. */
LRGD_MUST_CHECK lrgd_status pest_flags_make(pest_flags *made,
                                            const cli_flags *flags,
                                            const pest_case *of,
                                            lrgd_error *error);
void pest_flags_free(pest_flags *old);

/* Writes all parameters in PEST's format: name, value, scale, offset. */
LRGD_MUST_CHECK lrgd_status pest_write_parameters(const pest_case *of,
                                                  const double *x,
                                                  const char *path,
                                                  lrgd_error *error);

#endif
