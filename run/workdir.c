/* Private directories.  No name in a shared folder is ever guessed: mkdtemp
 * makes the outer one, and only we can write into it. */
#include "workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- removing ---- */

enum { DEEPEST = 64 }; /* a simulator that nests deeper keeps its files */

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

/* Depth is bounded, so is the stack. */
static void remove_at(int parent, const char *name,
                      int depth) // NOLINT(misc-no-recursion)
{
  if (depth > DEEPEST) return;
  if (unlinkat(parent, name, 0) == 0) return;
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat(parent, name, flags);
  if (fd < 0 && errno == EACCES) { /* the simulator may have locked it */
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

/* ---- making ---- */

enum { MARK = 16 }; /* letters of a run's id that are in the name */

/* The place, absolute; 0: there is none. */
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

/* A run's id is drawn at random and known to nobody else, and the folder must
 * be ours: what carries its name was made by an earlier sitting. */
static void remove_left_over(const char *place, const char *run_id)
{
  char name[32];
  (void)snprintf(name, sizeof name, "lrgd-%.*s-", (int)MARK, run_id);
  DIR *directory = opendir(place);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    struct stat info;
    if (strncmp(entry->d_name, name, strlen(name)) != 0) continue;
    if (fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) ||
        !S_ISDIR(info.st_mode) || info.st_uid != getuid())
      continue;
    remove_at(dirfd(directory), entry->d_name, 0);
  }
  (void)closedir(directory);
}

static char *make_in(const char *root, const char *run_id)
{
  char place[PATH_MAX];
  if (!resolve(root, place, sizeof place)) return NULL;
  char *path = malloc(strlen(place) + MARK + 16);
  if (!path) return NULL;
  (void)sprintf(path, "%s/lrgd-%.*s-XXXXXX", place, (int)MARK, run_id);
  remove_left_over(place, run_id);
  if (mkdtemp(path)) return path;
  free(path);
  return NULL;
}

char *lr_workdir_make(const char *root, const char *run_id, lrgd_error *error)
{
  char *path = root && root[0] ? make_in(root, run_id) : NULL;
  if (!path) path = make_in("/tmp", run_id);
  if (!path) path = make_in(".", run_id);
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
