/* Loads a function from a shared library (see lrgd/plugin.h). */
#ifndef CLI_PLUGIN_H
#define CLI_PLUGIN_H

#include "cli/base/cli.h"

/* Fills problem, whose dimension is that of --dim or 0.  *library must be
 * passed to plugin_close after the last callback. */
LRGD_MUST_CHECK lrgd_status plugin_open(void **library, lrgd_problem *problem,
                                        const char *path, const char *text,
                                        lrgd_error *error);
void plugin_close(void **library);

#endif
