/* Linux: descriptors for processes, locks of open files, kinds of file
 * systems. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int lr_system_pipe(int ends[2])
{
  return pipe2(ends, O_CLOEXEC) ? errno : 0;
}

int lr_system_watch(pid_t pid)
{
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, pid, 0);
#else
  (void)pid;
  return -1;
#endif
}

int lr_system_close_others(posix_spawn_file_actions_t *files, short *flags)
{
  (void)flags;
  return posix_spawn_file_actions_addclosefrom_np(files, 3);
}

const char *lr_system_signal(int number)
{
  return sigabbrev_np(number);
}

bool lr_system_random(void *memory, size_t size)
{
  return getrandom(memory, size, 0) == (ssize_t)size;
}

int lr_system_lock(int fd)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &whole) ? errno : 0;
}

int lr_system_is_locked(int fd, bool *locked)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_OFD_GETLK, &whole)) return errno;
  *locked = whole.l_type != F_UNLCK;
  return 0;
}

bool lr_system_is_remote(const char *path)
{
  static const unsigned long kinds[] = {
      0x6969,     /* NFS */
      0x517b,     /* SMB */
      0xff534d42, /* CIFS */
      0xfe534d42, /* SMB2 */
      0x0bd00bd0, /* Lustre */
      0x47504653, /* GPFS */
      0x65735546, /* FUSE: sshfs and the like */
      0x00c36400, /* Ceph */
      0x5346414f, /* AFS */
      0x01021997, /* 9P */
  };
  struct statfs info;
  if (statfs(path, &info)) return false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (((unsigned long)info.f_type & 0xffffffff) == kinds[i]) return true;
  return false;
}
