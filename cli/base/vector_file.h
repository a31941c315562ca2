/* Vectors given on the command line: FILE (numbers with blanks, commas or line
 * ends between; # begins a comment, a first line of words is a header, a word
 * before a number its name; or .npy) or NUMBER (every entry the same). */
#ifndef CLI_VECTOR_H
#define CLI_VECTOR_H

#include "cli.h"

typedef struct cli_vector {
  size_t count;
  double *entries; /* owned; free() */
} cli_vector;

/* flag: the flag's name for messages. count: how many numbers are required, 0
 * for as many as the file has (a NUMBER is refused then). infinite: inf and
 * -inf are allowed. */
LRGD_MUST_CHECK lrgd_status vector_read(cli_vector *vector, const char *flag,
                                        const char *text, size_t count,
                                        bool infinite, lrgd_error *error);

/* As many numbers as the file has, separated by spaces or line ends, or .npy.
 */
LRGD_MUST_CHECK lrgd_status vector_read_table(cli_vector *vector,
                                              const char *flag,
                                              const char *path,
                                              lrgd_error *error);

/* One number per line, so that vector_read gives the same doubles back. */
LRGD_MUST_CHECK lrgd_status vector_write(const char *path, size_t count,
                                         const double *entries,
                                         lrgd_error *error);

#endif
