/* What systems do differently, behind one door: system_linux.c where this is
 * Linux, system_posix.c elsewhere, with what POSIX has and no more.  CMake
 * chooses; no other file of this library asks which system it is on. */
#ifndef LR_RUN_SYSTEM_H
#define LR_RUN_SYSTEM_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A pipe both of whose ends are closed on exec.  0, or errno. */
int lr_system_pipe(int ends[2]);

/* A descriptor that is readable once the process has ended, closed on exec;
 * -1 where the system has none, and one has to look now and then. */
int lr_system_watch(pid_t pid);

/* The started program will have none of our descriptors but 0, 1 and 2 as files
 * makes them.  Adds to *flags what posix_spawnattr_setflags is to be told.
 * 0, or errno. */
int lr_system_close_others(posix_spawn_file_actions_t *files, short *flags);

/* "KILL" for SIGKILL; NULL where it has no name. */
const char *lr_system_signal(int number);

/* Fills memory with bytes that nobody can guess; false: could not. */
bool lr_system_random(void *memory, size_t size);

/* A lock on the file that belongs to the open file, not to the process.
 * 0, or errno: EAGAIN or EACCES where another has it. */
int lr_system_lock(int fd);

/* Does another open file hold that lock?  It is not taken from anybody who
 * wants it.  0, or errno. */
int lr_system_is_locked(int fd, bool *locked);

/* Is the file where memory is not shared among all who open it? */
bool lr_system_is_remote(const char *path);

#endif
