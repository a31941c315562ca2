/* Vectors in NumPy's .npy format: one dimension, little-endian <f8, <f4 or
 * <i8.  Anything else is refused. */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include "cli.h"

#include <stdio.h>

/* Whether the first byte is that of such a file; no text begins so.  Nothing
 * is consumed. */
bool npy_begins(FILE *file);

/* Reads the vector; *entries is owned by the caller.  Memory is taken only
 * once the header agrees with the length of the file. */
LRGD_MUST_CHECK lrgd_status npy_read(FILE *file, const char *path,
                                     double **entries, size_t *count,
                                     lrgd_error *error);

#endif
