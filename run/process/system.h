/* What differs between systems: system_linux.c on Linux, system_posix.c
 * elsewhere, with POSIX only.  CMake chooses; no other file of this library
 * depends on the system. */
#ifndef LR_RUN_SYSTEM_H
#define LR_RUN_SYSTEM_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A pipe both of whose ends are closed on exec.  0, or errno. */
int lr_system_pipe(int ends[2]);

/* A descriptor that is readable once the process has ended, closed on exec; -1
 * where the system has none, and polling is needed. */
int lr_system_watch(pid_t pid);

/* The started program will inherit none of our descriptors but 0, 1 and 2 as
 * set up by files.  Adds to *flags what posix_spawnattr_setflags needs.  0, or
 * errno. */
int lr_system_close_others(posix_spawn_file_actions_t *files, short *flags);

/* "KILL" for SIGKILL; NULL where it has no name. */
const char *lr_system_signal(int number);

/* Fills memory with unpredictable random bytes; false: failed. */
bool lr_system_random(void *memory, size_t size);

/* A lock on the file that belongs to the open file, not to the process.
 * 0, or errno: EAGAIN or EACCES where another has it. */
int lr_system_lock(int fd);

/* Whether another open file holds that lock, without taking it.  0, or errno.
 */
int lr_system_is_locked(int fd, bool *locked);

/* Whether the file is on a network file system, where memory is not shared. */
bool lr_system_is_remote(const char *path);

#endif
