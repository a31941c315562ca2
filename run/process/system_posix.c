/* Systems other than Linux: macOS, the BSDs and others, by POSIX and flock.
 * Orphans that left their group cannot be found there, for lack of /proc. */
#include "child.h"
#include "system.h"

#include <lrgd/run.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) ||      \
    defined(__DragonFly__)
#include <sys/param.h>

#include <sys/mount.h>
#endif

/* A program that another thread starts between the two calls inherits the pipe:
 * these systems cannot create and mark it in one call. */
int lr_system_pipe(int ends[2])
{
  if (pipe(ends)) return errno;
  for (int i = 0; i < 2; i++) (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  return 0;
}

int lr_system_watch(pid_t pid)
{
  (void)pid;
  return -1;
}

#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
int lr_system_close_others(posix_spawn_file_actions_t *files, short *flags)
{
  (void)files;
  *flags = (short)(*flags | POSIX_SPAWN_CLOEXEC_DEFAULT);
  return 0;
}
#else
/* Closes those that are open now and not closed on exec. */
int lr_system_close_others(posix_spawn_file_actions_t *files, short *flags)
{
  const long many = 65536; /* checking each takes 10 ms in all */
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit < 0 || limit > many) limit = many;
  (void)flags;
  for (int fd = 3; fd < (int)limit; fd++) {
    int own = fcntl(fd, F_GETFD);
    if (own < 0 || own & FD_CLOEXEC) continue;
    int failure = posix_spawn_file_actions_addclose(files, fd);
    if (failure) return failure;
  }
  return 0;
}
#endif

const char *lr_system_signal(int number)
{
  static const struct {
    int number;
    const char *name;
  } signals[] = {
      {SIGABRT, "ABRT"},
      {SIGALRM, "ALRM"},
      {SIGBUS,  "BUS" },
      {SIGFPE,  "FPE" },
      {SIGHUP,  "HUP" },
      {SIGILL,  "ILL" },
      {SIGINT,  "INT" },
      {SIGKILL, "KILL"},
      {SIGPIPE, "PIPE"},
      {SIGQUIT, "QUIT"},
      {SIGSEGV, "SEGV"},
      {SIGSYS,  "SYS" },
      {SIGTERM, "TERM"},
      {SIGTRAP, "TRAP"},
      {SIGUSR1, "USR1"},
      {SIGUSR2, "USR2"},
      {SIGXCPU, "XCPU"},
      {SIGXFSZ, "XFSZ"}
  };
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signals[i].number == number) return signals[i].name;
  return NULL;
}

bool lr_system_random(void *memory, size_t size)
{
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, memory, size);
  (void)close(fd);
  return n == (ssize_t)size;
}

/* flock, too, belongs to the open file.  A query holds it for a moment (below):
 * one refusal is not final. */
int lr_system_lock(int fd)
{
  const int tries = 20;
  for (int i = 0;; i++) {
    if (!flock(fd, LOCK_EX | LOCK_NB)) return 0;
    if (errno != EWOULDBLOCK) return errno;
    if (i == tries) return EAGAIN;
    (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
}

int lr_system_is_locked(int fd, bool *locked)
{
  *locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
  if (*locked) return errno == EWOULDBLOCK ? 0 : errno;
  (void)flock(fd, LOCK_UN);
  return 0;
}

/* Whether it may be remote: unless the system reports it as local. */
bool lr_system_is_remote(const char *path)
{
#ifdef MNT_LOCAL
  struct statfs info;
  return statfs(path, &info) || !(info.f_flags & MNT_LOCAL);
#else
  (void)path;
  return true;
#endif
}

/* ---- orphans ---- */

lrgd_status lrgd_run_adopt_orphans(lrgd_error *error)
{
  (void)error;
  return LRGD_OK;
}

int lr_child_adopts(void)
{
  return 0;
}

void lr_child_reap_orphans(const char *run_id, uint64_t tag, const pid_t *ours,
                           size_t count)
{
  (void)run_id;
  (void)tag;
  (void)ours;
  (void)count;
}

size_t lr_child_sweep(const char *run_id)
{
  (void)run_id;
  return 0;
}

size_t lrgd_run_sweep(const char *run_id)
{
  return lr_child_sweep(run_id);
}
