/* Private directories: one for a pool, in it one for each evaluation. */
#ifndef LR_RUN_WORKDIR_H
#define LR_RUN_WORKDIR_H

#include "text.h"

/* Makes a directory that only this user can enter, in root, else in $TMPDIR,
 * else in /tmp, else in the present one, and removes what killed processes left
 * there, with what they left running.  Absolute; to be freed.  *hold is a
 * descriptor to be closed once it is removed, or -1: as long as it is open no
 * other process removes it.  NULL: error is set. */
char *lr_workdir_make(const char *root, const char *run_id, int *hold,
                      lrgd_error *error);

/* Makes parent/eN; to be freed.  NULL: errno. */
char *lr_workdir_make_inside(const char *parent, uint64_t number);

/* Removes it and all in it, following no link. */
void lr_workdir_remove(const char *path);

#endif
