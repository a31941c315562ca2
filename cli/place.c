/* Looks at the place a file is to have.  Knows folders and permissions; does
 * not know what will be written. */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "." for "a", "/" for "/a", "a/b" for "a/b/c"; free() it. */
static char *folder_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static lrgd_status check_folder(const char *flag, const char *path,
                                lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  struct stat facts;
  char *folder = folder_of(path);
  if (folder == NULL) return fail_memory(error);
  if (stat(folder, &facts) != 0)
    status = fail(error, LRGD_ERR_STORAGE, "--%s %s: the folder %s: %s", flag,
                  path, folder, strerror(errno));
  else if (!S_ISDIR(facts.st_mode))
    status = fail(error, LRGD_ERR_STORAGE, "--%s %s: %s is no folder", flag,
                  path, folder);
  else if (access(folder, W_OK | X_OK) != 0)
    status = fail(error, LRGD_ERR_STORAGE,
                  "--%s %s: the folder %s cannot be written to: %s", flag, path,
                  folder, strerror(errno));
  free(folder);
  return status;
}

lrgd_status place_check(const char *flag, const char *path, place_way way,
                        lrgd_error *error)
{
  struct stat facts;
  size_t length = strlen(path);
  bool there = stat(path, &facts) == 0;
  if ((there && S_ISDIR(facts.st_mode)) ||
      (length > 0 && path[length - 1] == '/'))
    return fail(error, LRGD_ERR_STORAGE,
                "--%s %s: that is a folder, not a file", flag, path);
  if (!there || (way == PLACE_RENAMED && S_ISREG(facts.st_mode)))
    return check_folder(flag, path, error);
  if (access(path, W_OK) != 0)
    return fail(error, LRGD_ERR_STORAGE, "--%s %s: %s", flag, path,
                strerror(errno));
  return LRGD_OK;
}
