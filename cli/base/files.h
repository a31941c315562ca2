/* Opening files that the user names. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* As fopen, for "r", "w" and "a"; closed on exec.  A named pipe with nobody at
 * its other end blocks a program for ever: it is given a moment, and then NULL
 * with errno ENXIO. */
FILE *file_open(const char *path, const char *mode);

/* What errno says after file_open, for people. */
const char *file_trouble(void);

bool file_ends_in(const char *path, const char *ending);

/* Whether it begins as every SQLite file does: a journal, most likely. */
bool file_is_database(const char *path);

#endif
