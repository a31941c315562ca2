/* A PEST case as the inputs of a run, and its command as a worker's. */
#ifndef CLI_PEST_INPUTS_H
#define CLI_PEST_INPUTS_H

#include "cli/base/flags.h"
#include "cli/run/inputs.h"
#include "control_file.h"

/* Flags to which --worker and --dim were added; given and texts are owned. */
typedef struct pest_flags {
  cli_flags flags;
  char *command;
  char dimension[24];
} pest_flags;

/* Start, bounds, logarithms, names, observations and prior information. */
LRGD_MUST_CHECK lrgd_status pest_inputs(cli_inputs *inputs, const pest_case *of,
                                        const cli_flags *flags,
                                        lrgd_error *error);

/* The flags with the worker of the case: of several jobs each has a copy of the
 * folder. */
LRGD_MUST_CHECK lrgd_status pest_flags_make(pest_flags *made,
                                            const cli_flags *flags,
                                            const pest_case *of,
                                            lrgd_error *error);
void pest_flags_free(pest_flags *old);

/* Writes all parameters as PEST does: name, value, scale, offset. */
LRGD_MUST_CHECK lrgd_status pest_write_parameters(const pest_case *of,
                                                  const double *x,
                                                  const char *path,
                                                  lrgd_error *error);

#endif
