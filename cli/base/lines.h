/* Text files read line by line, with bounded memory. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "cli.h"

#include <stdio.h>

/* Longer than any number or name anyone writes. */
enum { LINE_SIZE = 512 };

typedef struct cli_lines {
  FILE *file; /* borrowed */
  const char *path;
  size_t number; /* number of the line last read, from 1 */
} cli_lines;

/* The line without blanks at its ends; NULL at the end of the file.  *bad says
 * that the line holds a zero byte or is too long. */
char *lines_next(cli_lines *lines, char line[LINE_SIZE], bool *bad);

#endif
