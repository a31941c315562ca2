/* Doubles over a pipe, which may take or give a part of them at a time. */
#include "pipe_numbers.h"

#include <errno.h>
#include <unistd.h>

bool pipe_put(int to, size_t count, const double *numbers)
{
  const char *at = (const char *)numbers;
  size_t left = count * sizeof *numbers;
  while (left > 0) {
    ssize_t done = write(to, at, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    left -= (size_t)done;
  }
  return true;
}

bool pipe_get(int from, size_t count, double *numbers)
{
  char *at = (char *)numbers;
  size_t left = count * sizeof *numbers;
  while (left > 0) {
    ssize_t done = read(from, at, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    left -= (size_t)done;
  }
  return true;
}
