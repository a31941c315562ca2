/* Preloaded into the driver or the command: a machine that is less kind than
 * ours.
 *
 * - SHIM_STATFS=1: every file system is NFS
 *
 * - SHIM_CLOCK=N: the time of day is N seconds off
 *
 * - SHIM_MALLOC=N: the N-th allocation fails; N+: and all after it
 *
 * - SHIM_WRITE=N: the process is killed just before its N-th write to a file
 *   (write, pwrite, fdatasync, ftruncate, unlink)
 *
 * N counts from main() on.  Programs that the driver starts are left alone. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

static atomic_long allocations, writes;
static long failing, killing, shift;
static int sticky, network;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);

static long setting(const char *name)
{
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
  const char *text = getenv("SHIM_MALLOC");
  if (strcmp(program_invocation_short_name, "run-driver") != 0 &&
      strcmp(program_invocation_short_name, "lrgd") != 0)
    return;
  failing = setting("SHIM_MALLOC");
  sticky = text && strchr(text, '+');
  killing = setting("SHIM_WRITE");
  shift = setting("SHIM_CLOCK");
  network = getenv("SHIM_STATFS") != NULL;
  atomic_store(&allocations, 0);
}

static int fails(void)
{
  if (!failing) return 0;
  long n = atomic_fetch_add(&allocations, 1) + 1;
  return n == failing || (sticky && n > failing);
}

void *malloc(size_t size)
{
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
  return fails() ? NULL : __libc_realloc(memory, size);
}

int statfs(const char *path, struct statfs *info)
{
  long code = syscall(SYS_statfs, path, info);
  if (network) info->f_type = 0x6969;
  return (int)code;
}

time_t time(time_t *to)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  time_t shifted = now.tv_sec + shift;
  if (to) *to = shifted;
  return shifted;
}

static void count_write(void)
{
  if (killing && atomic_fetch_add(&writes, 1) + 1 == killing)
    (void)kill(getpid(), SIGKILL);
}

ssize_t write(int fd, const void *data, size_t size)
{
  count_write();
  return syscall(SYS_write, fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
  count_write();
  return syscall(SYS_pwrite64, fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
  count_write();
  return syscall(SYS_pwrite64, fd, data, size, at);
}

int fdatasync(int fd)
{
  count_write();
  return (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t size)
{
  count_write();
  return (int)syscall(SYS_ftruncate, fd, size);
}

int unlink(const char *path)
{
  count_write();
  return (int)syscall(SYS_unlink, path);
}
