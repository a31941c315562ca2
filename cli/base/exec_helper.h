/* Handing a command over to a program of its own. */
#ifndef CLI_HAND_OVER_H
#define CLI_HAND_OVER_H

#include "cli.h"

/* Does `lrgd bench` with these arguments belong to lrgd-bench?  Everything
 * but the suite demo, which is ours, and a call for help. */
bool hands_over(int argc, char **argv);

/* Becomes that program, found beside this one or where it was installed.
 * Returns only where it is not there. */
void hand_over(const char *program, char **argv);

/* The same for lrgd-bench; returns the exit status. */
int hand_over_bench(char **argv);

/* Says that diagnose is not for ranks, which would each write the same
 * journal; returns the exit status. */
int refuse_ranks(void);

#endif
