/* One writer at a time.  The file names its holder for people; the lock itself
 * is the kernel's and ends with the holder's process.  It belongs to the open
 * file, not to the process: nothing else in the process can release it, and it
 * can be queried without being taken, so that readers never block a writer. */
#include "lock.h"

#include "base/sized.h"
#include "process/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The holder's name in the file, made safe to print. */
static void read_holder(int fd, char *shown, size_t size)
{
  char text[200];
  ssize_t n = pread(fd, text, sizeof text, 0);
  if (n > 0 && text[n - 1] == '\n') n--;
  shown[0] = 0;
  if (n > 0) lr_show(shown, size, text, (size_t)n, 0);
  if (!shown[0]) (void)snprintf(shown, size, "another process");
}

static lrgd_status say_holder(int fd, const char *journal, lrgd_error *error)
{
  char shown[LR_HOLDER_SIZE];
  read_holder(fd, shown, sizeof shown);
  return lr_run_fail(error, LRGD_ERR_LOCKED, "%.150s is in use by %s", journal,
                     shown);
}

static void write_holder(int fd)
{
  char host[128] = "?", text[256], when[32];
  time_t now = time(NULL);
  struct tm utc;
  (void)gethostname(host, sizeof host - 1);
  (void)gmtime_r(&now, &utc);
  (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
  int n = snprintf(text, sizeof text, "process %ld on %s since %s\n",
                   (long)getpid(), host, when);
  /* the holder's name is only a note: a full disk must not stop the run */
  if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) < 0) return;
}

/* Whether the locked file is still the one of that name: its last holder may
 * have removed it between our open and our lock. */
static int is_current(int fd, const char *path)
{
  struct stat held, named;
  return fstat(fd, &held) == 0 && stat(path, &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* The target of a symbolic link, relative to the folder of path. */
static char *follow(const char *path)
{
  char target[PATH_MAX];
  ssize_t n = readlink(path, target, sizeof target - 1);
  if (n < 0) return NULL;
  target[n] = 0;
  const char *slash = strrchr(path, '/');
  size_t folder = slash && target[0] != '/' ? (size_t)(slash - path) + 1 : 0;
  char *to = malloc(folder + (size_t)n + 1);
  if (!to) return NULL;
  memcpy(to, path, folder);
  memcpy(to + folder, target, (size_t)n + 1);
  return to;
}

char *lr_real_path(const char *path)
{
  enum { MOST_LINKS = 40 }; /* the kernel's limit, which also ends a cycle */
  char *real = strdup(path);
  struct stat file;
  for (int i = 0; i < MOST_LINKS && real; i++) {
    if (lstat(real, &file) || !S_ISLNK(file.st_mode)) break;
    char *next = follow(real);
    free(real);
    real = next;
  }
  return real;
}

static char *path_of(const char *journal)
{
  char *path = malloc(strlen(journal) + 6);
  if (path) (void)sprintf(path, "%s.lock", journal);
  return path;
}

lrgd_status lr_lock_take(lr_lock *lock, const char *journal, lrgd_error *error)
{
  *lock = LR_NO_LOCK;
  char *path = path_of(journal);
  if (!path) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  lrgd_status status = LRGD_OK;
  for (;;) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) {
      status = lr_run_fail(error, LRGD_ERR_STORAGE, "cannot write %.300s: %s",
                           path, strerror(errno));
      break;
    }
    int failure = lr_system_lock(fd);
    if (failure) {
      status =
          failure == EAGAIN || failure == EACCES
              ? say_holder(fd, journal, error)
              : lr_run_fail(error, LRGD_ERR_STORAGE, "cannot lock %.300s: %s",
                            path, strerror(failure));
      (void)close(fd);
      break;
    }
    if (is_current(fd, path)) {
      write_holder(fd);
      *lock = (lr_lock){fd, path};
      return LRGD_OK;
    }
    (void)close(fd);
  }
  free(path);
  return status;
}

void lr_lock_release(lr_lock *lock)
{
  if (lock->fd >= 0) {
    (void)unlink(lock->path);
    (void)close(lock->fd);
  }
  free(lock->path);
  *lock = LR_NO_LOCK;
}

static lrgd_status find_holder(const char *path, lrgd_holder *holder,
                               lrgd_error *error)
{
  char *real = lr_real_path(path);
  char *name = real ? path_of(real) : NULL;
  free(real);
  if (!name) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  lrgd_status status = LRGD_OK;
  if (fd < 0 && errno != ENOENT)
    status = lr_run_fail(error, LRGD_ERR_STORAGE, "cannot read %.300s: %s",
                         name, strerror(errno));
  bool locked = false;
  int failure = fd >= 0 ? lr_system_is_locked(fd, &locked) : 0;
  if (failure)
    status =
        lr_run_fail(error, LRGD_ERR_STORAGE, "cannot ask who holds %.300s: %s",
                    name, strerror(failure));
  else if (locked) {
    holder->in_use = 1;
    read_holder(fd, holder->who, sizeof holder->who);
  }
  if (fd >= 0) (void)close(fd);
  free(name);
  return status;
}

lrgd_status lrgd_journal_find_holder_sized(const char *path,
                                           lrgd_holder *holder, size_t size,
                                           lrgd_error *error)
{
  if (!path || !holder)
    return lr_run_fail(error, LRGD_ERR_INVALID, "path or holder is NULL");
  lrgd_holder own = {.struct_size = sizeof own};
  lrgd_status status = find_holder(path, &own, error);
  lr_sized_give(holder, size, &own, sizeof own);
  return status;
}
