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

static char *make_in(const char *root)
{
  char here[PATH_MAX];
  const char *base = root;
  if (root[0] != '/') {
    if (!getcwd(here, sizeof here)) return NULL;
    size_t n = strlen(here);
    if (n + strlen(root) + 2 > sizeof here) return NULL;
    (void)snprintf(here + n, sizeof here - n, "/%s", root);
    base = here;
  }
  char *path = malloc(strlen(base) + 16);
  if (!path) return NULL;
  (void)sprintf(path, "%s/lrgd-XXXXXX", base);
  if (mkdtemp(path)) return path;
  free(path);
  return NULL;
}

char *lr_workdir_make(const char *root, lrgd_error *error)
{
  char *path = root && root[0] ? make_in(root) : NULL;
  if (!path) path = make_in("/tmp");
  if (!path) path = make_in(".");
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
