/* The width of a run: how many evaluations it asks for at the same time. */
#ifndef CLI_WIDTH_H
#define CLI_WIDTH_H

#include "cli/base/flags.h"

/* Sets options->width, unless --width was given: to that of the journal, where
 * it exists, so that --jobs may change between sessions; else to the number of
 * evaluations that can be made at once. */
void width_choose(const cli_flags *flags, const char *journal,
                  lrgd_options *options);

#endif
