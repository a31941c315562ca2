/* Numbers picked from the output files of a simulator. */
#ifndef CLI_OUTPUT_NUMBER_H
#define CLI_OUTPUT_NUMBER_H

#include "cli/base/cli.h"

#include <regex.h>

/* A flag --read: NAME=FILE:/REGEX/ or NAME=FILE:column N[,row M]. */
typedef struct cli_pick {
  char *name; /* owned, as are the others */
  char *file; /* file name in the folder of the evaluation */
  bool by_regex;
  regex_t regex;
  size_t column; /* from 1 */
  size_t row;    /* row of the file, from 1; 0: the last one */
} cli_pick;

LRGD_MUST_CHECK lrgd_status pick_read(cli_pick *pick, const char *text,
                                      lrgd_error *error);
void pick_free(cli_pick *pick);

/* Reads the number from the file in the folder: with a regular expression, the
 * first group of its last match.  false: the reason is in why, of size
 * letters. */
bool pick_number(const cli_pick *pick, const char *folder, double *number,
                 char *why, size_t size);

#endif
