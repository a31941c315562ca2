/* Handing a command over to a program of its own. */
#ifndef CLI_HAND_OVER_H
#define CLI_HAND_OVER_H

#include "cli.h"

/* Does `lrgd bench` with these arguments belong to lrgd-bench?  Everything
 * but the suite demo, which is ours, and a call for help. */
bool hands_over(int argc, char **argv);

/* Becomes lrgd-bench, found beside this program or where it was installed.
 * Returns only where it is not there, with the exit status. */
int hand_over(char **argv);

#endif
