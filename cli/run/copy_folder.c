/* Copies a folder with its contents. */
#include "copy_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 64, PIECE = 1 << 16 };

static bool copy_bytes(int from, int to)
{
  char *piece = malloc(PIECE);
  ssize_t got = piece != NULL ? 1 : -1;
  while (got > 0 && (got = read(from, piece, PIECE)) > 0)
    for (ssize_t put = 0, n; put < got; put += n)
      if ((n = write(to, piece + put, (size_t)(got - put))) < 0) {
        free(piece);
        return false;
      }
  free(piece);
  return got == 0;
}

static bool copy_file(int from, int to_folder, const char *name, mode_t mode)
{
  int to = openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  (mode & 0777) | 0600);
  if (to < 0) return false;
  bool good = copy_bytes(from, to);
  return close(to) == 0 && good;
}

static bool copy_all(int from, int to, int depth);

/* Copies one entry.  false: errno is set. */
static bool copy_one(int from, int to, const char *name,
                     int depth) // NOLINT(misc-no-recursion)
{
  struct stat info;
  if (fstatat(from, name, &info, 0) != 0) return errno == ENOENT;
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return true;
  int fd = openat(from, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool good;
  if (S_ISREG(info.st_mode)) {
    good = copy_file(fd, to, name, info.st_mode);
  } else {
    int inside = -1;
    good = mkdirat(to, name, 0700) == 0 &&
           (inside = openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0;
    good = good && copy_all(fd, inside, depth + 1);
    if (inside >= 0) (void)close(inside);
  }
  int reason = errno;
  (void)close(fd);
  errno = reason;
  return good;
}

/* The depth of recursion is bounded. */
static bool copy_all(int from, int to, int depth) // NOLINT(misc-no-recursion)
{
  if (depth > DEEPEST) {
    errno = ELOOP;
    return false;
  }
  int own = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = own >= 0 ? fdopendir(own) : NULL;
  bool good = folder != NULL;
  for (struct dirent *entry; good && (entry = readdir(folder)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      good = copy_one(from, to, entry->d_name, depth);
  int reason = errno;
  if (folder != NULL) (void)closedir(folder);
  errno = reason;
  return good;
}

lrgd_status folder_copy(const char *from, const char *to, lrgd_error *error)
{
  int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int target = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = source >= 0 && target >= 0 && copy_all(source, target, 0);
  const char *why = strerror(errno);
  if (source >= 0) (void)close(source);
  if (target >= 0) (void)close(target);
  if (good) return LRGD_OK;
  return fail(error, LRGD_ERR_STORAGE, "the folder \"%s\" cannot be copied: %s",
              from, why);
}

bool copy_into(const char *folder, const char *path, char *why, size_t size)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *parent = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
  const char *where = parent != NULL && *parent != '\0' ? parent : ".";
  int from = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int to = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = parent != NULL && from >= 0 && to >= 0 &&
              faccessat(from, name, R_OK, 0) == 0 &&
              copy_one(from, to, name, 0);
  if (!good)
    (void)snprintf(why, size, "\"%.100s\" cannot be copied: %s", name,
                   strerror(errno));
  if (from >= 0) (void)close(from);
  if (to >= 0) (void)close(to);
  free(parent);
  return good;
}
