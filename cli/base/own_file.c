/* Finds this program, and the files that lie beside it. */
#include "own_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

static const char *first_word = "";

void own_file_begin(const char *word)
{
  first_word = word != NULL ? word : "";
}

#if defined(__linux__)
static bool find_self(char path[PATH_MAX])
{
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}
#elif defined(__APPLE__)
static bool find_self(char path[PATH_MAX])
{
  char told[PATH_MAX];
  uint32_t room = sizeof told;
  return _NSGetExecutablePath(told, &room) == 0 && realpath(told, path) != NULL;
}
#else
/* The program as the shell has found it: by its path, or in a folder of PATH.
 */
static bool find_self(char path[PATH_MAX])
{
  const char *folder = getenv("PATH");
  char tried[PATH_MAX];
  if (strchr(first_word, '/') != NULL)
    return realpath(first_word, path) != NULL;
  while (folder != NULL && *first_word != '\0') {
    size_t length = strcspn(folder, ":");
    int room = snprintf(tried, sizeof tried, "%.*s%s%s", (int)length, folder,
                        length > 0 ? "/" : "", first_word);
    if (room > 0 && room < (int)sizeof tried && access(tried, X_OK) == 0)
      return realpath(tried, path) != NULL;
    folder = folder[length] != '\0' ? folder + length + 1 : NULL;
  }
  return false;
}
#endif

bool own_path(char path[PATH_MAX])
{
  return find_self(path);
}

bool own_file(char path[PATH_MAX], const char *below)
{
  char self[PATH_MAX];
  if (!find_self(self)) return false;
  char *slash = strrchr(self, '/');
  if (slash != NULL) slash[1] = '\0';
  int length = snprintf(path, PATH_MAX, "%s%s", self, below);
  return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

bool own_data(char path[PATH_MAX], const char *name, const char *installed)
{
  static const char *const places[] = {"share/lrgd/", "../share/lrgd/"};
  char below[256];
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(below, sizeof below, "%s%s", places[i], name);
    if (own_file(path, below)) return true;
  }
  int length = snprintf(path, PATH_MAX, "%s/%s", installed, name);
  return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}
