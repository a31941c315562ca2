/* Opening files that the user names. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* As fopen, for "r", "w" and "a"; closed on exec.  A named pipe without another
 * end would block for ever: after a moment NULL with errno ENXIO. */
FILE *file_open(const char *path, const char *mode);

/* The numbers or names of a flag that were written in place of a file, as
 * "1,2", with a line for each: no file is called that, errno being from
 * file_open. NULL: it has no comma, or there is a file. */
FILE *file_of_list(const char *text);

/* The error text for errno after file_open. */
const char *file_trouble(void);

bool file_ends_in(const char *path, const char *ending);

/* Whether it begins like an SQLite file: most likely a journal. */
bool file_is_database(const char *path);

#endif
