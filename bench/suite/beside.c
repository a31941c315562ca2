/* Where this program lies, and what lies there with it. */
#include "bench.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool bench_beside(char *path, size_t room, const char *name)
{
  char own[PATH_MAX], *slash;
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length <= 0) return false;
  own[length] = '\0';
  slash = strrchr(own, '/');
  if (!slash) return false;
  *slash = '\0';
  length = snprintf(path, room, "%s/%s", own, name);
  return length > 0 && (size_t)length < room && access(path, R_OK) == 0;
}
