/* Opens files that the user names; the only place that does. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The time to wait for the other end of a named pipe, which a program started
 * at the same time opens within milliseconds; and the interval between
 * attempts. */
enum { PATIENCE_MS = 1000, LOOK_MS = 10 };

/* Whether a pipe opened for reading has, or had, a writer.  *first: the byte
 * read to find out; EOF: none was available. */
static bool has_writer(int fd, int *first)
{
  struct pollfd pipe = {.fd = fd, .events = POLLIN};
  unsigned char byte;
  if (poll(&pipe, 1, PATIENCE_MS) != 0) return true;
  /* nothing was read: at end of file there is no writer, otherwise not yet */
  ssize_t got = read(fd, &byte, 1);
  if (got == 1) *first = byte;
  return got != 0;
}

static bool is_pipe(int fd)
{
  struct stat facts;
  return fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

static int open_to_read(const char *path, int *first)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || !is_pipe(fd) || has_writer(fd, first)) return fd;
  (void)close(fd);
  errno = ENXIO;
  return -1;
}

/* Opens without blocking: a pipe without a reader is refused with ENXIO. */
static int open_to_write(const char *path, int how)
{
  const struct timespec look = {0, LOOK_MS * 1000000L};
  struct stat facts;
  for (int waited_ms = 0;; waited_ms += LOOK_MS) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | how, 0666);
    if (fd >= 0 || errno != ENXIO || waited_ms >= PATIENCE_MS) return fd;
    bool pipe = stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode);
    errno = ENXIO;
    if (!pipe) return -1;
    (void)nanosleep(&look, NULL);
  }
}

FILE *file_open(const char *path, const char *mode)
{
  int end = *mode == 'a' ? O_APPEND : O_TRUNC, first = EOF;
  int fd = *mode == 'r' ? open_to_read(path, &first)
                        : open_to_write(path, O_CREAT | end);
  if (fd < 0) return NULL;
  int flags = fcntl(fd, F_GETFL);
  FILE *file = NULL;
  if (flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0)
    file = fdopen(fd, mode);
  if (file == NULL) (void)close(fd);
  if (file != NULL && first != EOF) (void)ungetc(first, file);
  return file;
}

FILE *file_of_list(const char *text)
{
  if (errno != ENOENT || strchr(text, ',') == NULL) return NULL;
  FILE *file = fmemopen(NULL, strlen(text) + 2, "w+");
  if (file == NULL) return NULL;
  for (const char *c = text; *c != '\0'; c++)
    (void)putc(*c == ',' ? '\n' : *c, file);
  (void)putc('\n', file);
  rewind(file);
  return file;
}

const char *file_trouble(void)
{
  return errno == ENXIO ? "it is a pipe or a device, and nobody is at its "
                          "other end"
                        : strerror(errno);
}

bool file_is_database(const char *path)
{
  static const char magic[16] = "SQLite format 3";
  char head[sizeof magic];
  struct stat facts;
  if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  FILE *file = file_open(path, "r");
  if (file == NULL) return false;
  bool is = fread(head, 1, sizeof head, file) == sizeof head &&
            memcmp(head, magic, sizeof magic) == 0;
  fclose(file);
  return is;
}

bool file_ends_in(const char *path, const char *ending)
{
  size_t length = strlen(path), wanted = strlen(ending);
  return length > wanted && strcmp(path + length - wanted, ending) == 0;
}
