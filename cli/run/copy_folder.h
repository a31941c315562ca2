/* Copies of a model's folder, so that several models can run at once. */
#ifndef CLI_PEST_COPY_FOLDER_H
#define CLI_PEST_COPY_FOLDER_H

#include "cli/base/cli.h"

/* Copies the contents of the folder `from` into the folder `to`: files and
 * folders with their permissions, the targets of links; other things (pipes,
 * sockets) are skipped. */
LRGD_MUST_CHECK lrgd_status folder_copy(const char *from, const char *to,
                                        lrgd_error *error);

/* Copies a file, or a folder with its contents, into a folder.  false: the
 * reason is in why, of size letters. */
bool copy_into(const char *folder, const char *path, char *why, size_t size);

#endif
