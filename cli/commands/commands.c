/* The list of commands, and the meaning of exit statuses. */
#include "commands.h"

#include <string.h>

static const cli_command *const commands[] = {
    &minimize_command,     &fit_command,       &pest_command,
    &resume_command,       &status_command,    &report_command,
    &diagnose_command,     &check_command,     &compare_command,
    &propositions_command, &reproduce_command, &bench_command,
    &problems_command,
};

static const exit_meaning meanings[] = {
    {"0",     "converged, or the target was reached"                      },
    {"1",     "an internal error, or no memory"                           },
    {"2",     "a wrong call, or a program that cannot be started"         },
    {"3",     "budget spent, stalled or stopped; the best so far is given"},
    {"4",     "the problem failed"                                        },
    {"5",     "f is unbounded below"                                      },
    {"6",     "a file or standard output cannot be written"               },
    {"7",     "the journal was refused"                                   },
    {"8",     "the journal is in use"                                     },
    {"128+N", "stopped by signal N; the best so far is given"             },
};

size_t commands_count(void)
{
  return COUNT_OF(commands);
}

const cli_command *commands_at(size_t index)
{
  return commands[index];
}

const cli_command *commands_find(const char *name)
{
  for (size_t i = 0; i < COUNT_OF(commands); i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

size_t exit_meanings(const exit_meaning **rows)
{
  *rows = meanings;
  return COUNT_OF(meanings);
}
