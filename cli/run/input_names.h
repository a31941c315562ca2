/* The names of the inputs of a run: p of them, a newline after each. */
#ifndef CLI_INPUT_NAMES_H
#define CLI_INPUT_NAMES_H

#include "cli/base/flags.h"
#include "cli/base/lines.h"

#include <string.h>

/* Opens the file that a flag names; the caller closes it. */
LRGD_MUST_CHECK lrgd_status input_lines_open(cli_lines *lines, flag_id id,
                                             const char *path,
                                             lrgd_error *error);

/* Reads --names or, without it, takes the names that the decks of --template
 * have.  *names is owned by the caller; NULL: inputs have no names. */
LRGD_MUST_CHECK lrgd_status input_names_read(char **names,
                                             const cli_flags *flags, size_t p,
                                             lrgd_error *error);

/* How many names --names has or, without it, the decks of --template; 0: there
 * are none. */
LRGD_MUST_CHECK lrgd_status input_names_count(const cli_flags *flags,
                                              size_t *count, lrgd_error *error);

static inline const char *input_names_next(const char *names)
{
  return names + strcspn(names, "\n") + 1;
}

#endif
