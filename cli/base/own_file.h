/* Files that come with this program: they lie beside it where it was built, and
 * at fixed places from there where it was installed.  No path of the tree it
 * was built in is in it. */
#ifndef CLI_OWN_FILE_H
#define CLI_OWN_FILE_H

#include <limits.h>
#include <stdbool.h>

/* Stores argv[0] (borrowed), from which the path of this program is derived on
 * systems that do not report it. */
void own_file_begin(const char *word);

/* The path of this program; false: it is not known. */
bool own_path(char path[PATH_MAX]);

/* Writes the path of what lies at `below` from the folder of this program;
 * false where there is nothing that can be read. */
bool own_file(char path[PATH_MAX], const char *below);

/* Writes the path of a data file: in share/lrgd in a build, ../share/lrgd or
 * `installed` elsewhere. */
bool own_data(char path[PATH_MAX], const char *name, const char *installed);

#endif
