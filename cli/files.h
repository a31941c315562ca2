/* Opening files that the user names. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdio.h>

/* As fopen, for "r", "w" and "a"; closed on exec.  A named pipe with nobody at
 * its other end blocks a program for ever: it is given a moment, and then NULL
 * with errno ENXIO. */
FILE *file_open(const char *path, const char *mode);

/* What errno says after file_open, for people. */
const char *file_trouble(void);

#endif
