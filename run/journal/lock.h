/* One writer at a time: a lock file beside the journal, held by the kernel, so
 * that it is free again when its holder dies. */
#ifndef LR_RUN_LOCK_H
#define LR_RUN_LOCK_H

#include "process/text.h"

#include <lrgd/run.h>

typedef struct lr_lock {
  int fd;
  char *path;
} lr_lock;

enum { LR_HOLDER_SIZE = sizeof((lrgd_holder *)0)->who };

#define LR_NO_LOCK ((lr_lock){-1, NULL})

/* The file that a name refers to: the target of symbolic links, which need not
 * exist; the files beside a journal belong to the target.  Any other name is
 * copied. free() it; NULL: out of memory. */
char *lr_real_path(const char *path);

/* ERR_LOCKED names the holder. */
LRGD_MUST_CHECK lrgd_status lr_lock_take(lr_lock *lock, const char *journal,
                                         lrgd_error *error);
void lr_lock_release(lr_lock *lock);

#endif
