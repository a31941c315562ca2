/* Child processes: all spawning, signalling and reaping is done here.  Never by
 * fork(), which is unsafe in a process with threads of a BLAS. */
#ifndef LR_RUN_CHILD_H
#define LR_RUN_CHILD_H

#include "text.h"

#include <sys/types.h>

/* One child, in a process group of its own, and our ends of its pipes. */
typedef struct lr_child {
  pid_t pid; /* 0: none */
  int pidfd; /* readable when the process has ended; -1 where the kernel has
                none */
  int in;    /* to its stdin; -1: closed */
  int out;   /* from its stdout; -1: closed */
  int err;   /* from its stderr; -1: closed */
  uint64_t tag;
} lr_child;

#define LR_NO_CHILD ((lr_child){0, -1, -1, -1, -1, 0})

/* What to start.  All borrowed. */
typedef struct lr_launch {
  const char *path;
  char *const *words;
  const char *directory; /* NULL: the present directory */
  const char *run_id;
  uint64_t tag;       /* LRGD_EVALUATION in its environment */
  const char *origin; /* LRGD_ORIGIN: where the host was; NULL: not known */
} lr_launch;

/* 0, or errno.  Our ends of the pipes do not block. */
int lr_child_start(lr_child *child, const lr_launch *launch);

/* Whether an errno of lr_child_start is temporary. */
int lr_child_may_pass(int failure);

void lr_child_close_input(lr_child *child);

/* Signals the whole group. */
void lr_child_signal(const lr_child *child, int signal);

/* 1 when the process has ended: kills the rest of its group, reaps it, and
 * gives the status as waitpid does (-1: it was reaped elsewhere). */
int lr_child_ended(lr_child *child, int *status);

/* Closes our descriptors and clears the struct. */
void lr_child_forget(lr_child *child);

/* The path of a command: the file itself if it has a '/', otherwise from PATH.
 * Absolute; to be freed.  NULL: error is set. */
char *lr_child_find(const char *name, lrgd_error *error);

/* Kills and reaps orphans of evaluation `tag` that became our children; only
 * after lrgd_run_adopt_orphans. */
void lr_child_reap_orphans(const char *run_id, uint64_t tag, const pid_t *ours,
                           size_t count);
int lr_child_adopts(void);

/* Kills this user's processes, other than this one, whose run's id begins so.
 * Returns how many. */
size_t lr_child_sweep(const char *run_id);

/* A random id: 32 hex digits and a 0. */
void lr_run_id_draw(char *run_id);
int lr_run_id_valid(const char *run_id);

#endif
