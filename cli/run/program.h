/* A function that is evaluated by a program: --worker and --program. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "problem_source.h"

/* Reads --dim into *dimension, 0 where it is not given. */
LRGD_MUST_CHECK lrgd_status read_dimension(const cli_flags *flags,
                                           size_t *dimension,
                                           lrgd_error *error);

/* Checks the flags and finds the dimension, without starting anything. */
LRGD_MUST_CHECK lrgd_status program_check(lrgd_problem *problem,
                                          const cli_flags *flags,
                                          cli_oracle oracle, lrgd_error *error);

/* Starts the pool; keeps the dimension and bounds of source's problem. */
LRGD_MUST_CHECK lrgd_status program_start(cli_source *source,
                                          const cli_flags *flags,
                                          const cli_listeners *listeners,
                                          lrgd_error *error);

#endif
