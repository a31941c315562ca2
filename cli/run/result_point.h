/* The point of a result, as lines of text. */
#ifndef CLI_RESULT_POINT_H
#define CLI_RESULT_POINT_H

#include "solve.h"

/* The first coordinates. */
void result_print_point(const cli_run *run);

/* The coordinates that moved furthest, by name where they have names; for
 * points that are too long to be shown. */
void result_print_moves(const cli_run *run, const cli_inputs *inputs);

#endif
