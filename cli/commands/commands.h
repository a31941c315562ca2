/* The list of commands, and the meaning of exit statuses: for the program
 * itself, and for its manual. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/base/cli.h"

size_t commands_count(void);
const cli_command *commands_at(size_t index);
/* NULL where no command has the name. */
const cli_command *commands_find(const char *name);

/* The whole program, once signals are prepared; returns the exit status. */
int cli_main(int argc, char **argv);

typedef struct exit_meaning {
  const char *number, *meaning;
} exit_meaning;
size_t exit_meanings(const exit_meaning **meanings);

/* What lrgd is, in one line. */
#define LRGD_SUMMARY                                                           \
  "minimises expensive functions that vary along few directions"

#endif
