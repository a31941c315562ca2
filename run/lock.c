/* One writer at a time.  The file says who holds it, for people; the lock
 * itself is the kernel's and ends with its holder. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static lrgd_status say_holder(int fd, const char *journal, lrgd_error *error)
{
  char text[200], shown[300] = "";
  ssize_t n = pread(fd, text, sizeof text, 0);
  if (n > 0 && text[n - 1] == '\n') n--;
  if (n > 0) lr_show(shown, sizeof shown, text, (size_t)n, 0);
  return lr_run_fail(error, LRGD_ERR_LOCKED, "%.150s is in use by %s", journal,
                     shown[0] ? shown : "another process");
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
  /* only a note: a full disk must not stop a run here */
  if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) < 0) return;
}

/* Is the file we hold still the one of that name?  Its last holder may have
 * removed it between our open and our lock. */
static int is_current(int fd, const char *path)
{
  struct stat held, named;
  return fstat(fd, &held) == 0 && stat(path, &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

lrgd_status lr_lock_take(lr_lock *lock, const char *journal, lrgd_error *error)
{
  *lock = LR_NO_LOCK;
  char *path = malloc(strlen(journal) + 6);
  if (!path) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  (void)sprintf(path, "%s.lock", journal);
  lrgd_status status = LRGD_OK;
  for (;;) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) {
      status = lr_run_fail(error, LRGD_ERR_STORAGE, "cannot write %.300s: %s",
                           path, strerror(errno));
      break;
    }
    if (flock(fd, LOCK_EX | LOCK_NB)) {
      status = errno == EWOULDBLOCK ? say_holder(fd, journal, error)
                                    : lr_run_fail(error, LRGD_ERR_STORAGE,
                                                  "cannot lock %.300s: %s",
                                                  path, strerror(errno));
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
