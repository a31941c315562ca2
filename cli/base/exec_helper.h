/* Executing another program in place of this one. */
#ifndef CLI_HAND_OVER_H
#define CLI_HAND_OVER_H

#include "cli.h"

#include <limits.h>

/* Whether `lrgd bench` with these arguments is run by lrgd-bench: everything
 * but the suite demo and a call for help. */
bool hands_over(int argc, char **argv);

/* Finds that program, beside this one or where it was installed; false: it is
 * missing. */
bool helper_path(char path[PATH_MAX], const char *program);

/* Replaces this process by that program, found beside this one or where it was
 * installed.  Returns only where it is missing. */
void hand_over(const char *program, char **argv);

/* Runs lrgd-bench; returns its exit status. */
int hand_over_bench(char **argv);

/* Says that this command is not for ranks, which would each evaluate f and
 * write the same journal; returns the exit status. */
int refuse_ranks(const char *command);

#endif
