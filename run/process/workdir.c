/* Private directories.  No name in a shared folder is predictable: mkdtemp
 * makes the outer one, and only this user can write into it. */
#include "workdir.h"

#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- removing ---- */

enum { DEEPEST = 64 }; /* files nested deeper are not removed */

static void remove_at(int parent, const char *name, int depth);

static void empty(int fd, int depth)
{
  DIR *directory = fdopendir(fd);
  if (!directory) {
    (void)close(fd);
    return;
  }
  for (struct dirent *entry; (entry = readdir(directory));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      remove_at(dirfd(directory), entry->d_name, depth + 1);
  (void)closedir(directory);
}

/* The depth of recursion is bounded, and so is the stack. */
static void remove_at(int parent, const char *name,
                      int depth) // NOLINT(misc-no-recursion)
{
  if (depth > DEEPEST) return;
  if (unlinkat(parent, name, 0) == 0) return;
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat(parent, name, flags);
  if (fd < 0 &&
      errno == EACCES) { /* the simulator may have removed its permissions */
    (void)fchmodat(parent, name, 0700, 0);
    fd = openat(parent, name, flags);
  }
  if (fd >= 0) {
    (void)fchmod(fd, 0700);
    empty(fd, depth);
  }
  (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void lr_workdir_remove(const char *path)
{
  remove_at(AT_FDCWD, path, 0);
}

/* ---- removing folders of killed processes ---- */

/* A folder is called lrgd-HOST-RUN-XXXXXX.  Its process holds a lock on it
 * until it ends, however it ends: a folder of this machine that is not locked
 * was left behind.  (On some shared file systems a lock is visible on its own
 * machine only.) */
enum { HOST = 8, MARK = 16, DRAWN = 6 }; /* letters of each part */

/* The machine, in HOST letters: FNV-1a of its name. */
static uint32_t this_host(void)
{
  char name[256] = "";
  uint32_t hash = 2166136261u;
  (void)gethostname(name, sizeof name - 1);
  for (const char *c = name; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 16777619u;
  return hash;
}

/* Whether a name is that of a folder of this machine, or of this run. */
static int is_ours(const char *name, const char *host, const char *run_id,
                   int *this_run)
{
  static const char start[] = "lrgd-", hex[] = "0123456789abcdef";
  size_t length = sizeof start - 1;
  if (strlen(name) != length + HOST + 1 + MARK + 1 + DRAWN ||
      strncmp(name, start, length) != 0)
    return 0;
  const char *machine = name + length, *run = machine + HOST + 1;
  if (strspn(machine, hex) != HOST || machine[HOST] != '-' ||
      strspn(run, hex) != MARK || run[MARK] != '-')
    return 0;
  *this_run = strncmp(run, run_id, MARK) == 0;
  return *this_run || strncmp(machine, host, HOST) == 0;
}

/* Ends the processes that the run of a folder left behind: the folder's name
 * contains the first letters of the run's id. */
static void end_processes(const char *name)
{
  char run[MARK + 1];
  (void)snprintf(run, sizeof run, "%s", name + strlen("lrgd-") + HOST + 1);
  (void)lr_child_sweep(run);
}

static void sweep(DIR *place, const char *name, int this_run)
{
  struct stat info;
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat(dirfd(place), name, flags);
  if (fd < 0) return;
  /* no other run has this id, and only one of its sessions runs at a time */
  bool left = fstat(fd, &info) == 0 && info.st_uid == getuid() &&
              (this_run || flock(fd, LOCK_EX | LOCK_NB) == 0);
  if (left && !this_run) end_processes(name);
  if (left) remove_at(dirfd(place), name, 0);
  (void)close(fd);
}

/* Removes the folders that killed processes left in `place`, and ends the
 * processes that these left running. */
static void sweep_all(const char *place, const char *run_id)
{
  char host[HOST + 1];
  (void)snprintf(host, sizeof host, "%08x", (unsigned)this_host());
  DIR *directory = opendir(place);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    int this_run;
    if (is_ours(entry->d_name, host, run_id, &this_run))
      sweep(directory, entry->d_name, this_run);
  }
  (void)closedir(directory);
}

/* ---- creating a folder ---- */

/* The absolute path of the place; 0: there is none. */
static int resolve(const char *root, char *place, size_t size)
{
  size_t n = 0;
  if (root[0] != '/') {
    if (!getcwd(place, size)) return 0;
    n = strlen(place);
  }
  int wrote = snprintf(place + n, size - n, "%s%s", n ? "/" : "", root);
  return wrote > 0 && (size_t)wrote < size - n;
}

/* Takes the lock of a folder.  0: another process removed the folder before. */
static int hold_on(const char *path, int *hold)
{
  struct stat held, named;
  *hold = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*hold < 0) return errno != ENOENT; /* without the file there is no lock */
  int locked = flock(*hold, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (locked && fstat(*hold, &held) == 0 && stat(path, &named) == 0 &&
      held.st_ino == named.st_ino)
    return 1;
  (void)close(*hold);
  return 0;
}

static char *make_in(const char *root, const char *run_id, int *hold)
{
  enum { TRIES = 10 };
  char place[PATH_MAX];
  if (!resolve(root, place, sizeof place)) return NULL;
  char *path = malloc(strlen(place) + HOST + MARK + DRAWN + 16);
  if (!path) return NULL;
  sweep_all(place, run_id);
  for (int i = 0; i < TRIES; i++) {
    (void)sprintf(path, "%s/lrgd-%08x-%.*s-XXXXXX", place,
                  (unsigned)this_host(), (int)MARK, run_id);
    if (!mkdtemp(path)) break;
    if (hold_on(path, hold)) return path;
  }
  free(path);
  return NULL;
}

char *lr_workdir_make(const char *root, const char *run_id, int *hold,
                      lrgd_error *error)
{
  const char *places[] = {root, getenv("TMPDIR"), "/tmp", "."};
  char *path = NULL;
  *hold = -1;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && !path; i++)
    if (places[i] && places[i][0]) path = make_in(places[i], run_id, hold);
  if (!path)
    (void)lr_run_fail(error, LRGD_ERR_STORAGE,
                      "cannot make a work directory: %s", strerror(errno));
  return path;
}

char *lr_workdir_make_inside(const char *parent, uint64_t number)
{
  char *path = malloc(strlen(parent) + 32);
  if (!path) return NULL;
  (void)sprintf(path, "%s/e%llu", parent, (unsigned long long)number);
  if (mkdir(path, 0700) == 0) return path;
  int reason = errno;
  free(path);
  errno = reason;
  return NULL;
}
