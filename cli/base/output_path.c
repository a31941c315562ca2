/* Checks the path of an output file.  This file knows folders and permissions,
 * not what will be written. */
#include "output_path.h"

#include "cli/base/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a path: "." for "a", "/" for "/a", "a/b" for "a/b/c".  The
 * caller frees it. */
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

/* ---- journals ---- */

/* Follows a chain of symbolic links to its end, which need not exist.  The
 * caller frees the path. */
static char *follow(const char *path)
{
  enum { MOST_LINKS = 40, TARGET_SIZE = 4096 };
  char target[TARGET_SIZE], *at = strdup(path);
  for (int i = 0; i < MOST_LINKS && at != NULL; i++) {
    ssize_t length = readlink(at, target, sizeof target - 1);
    if (length < 0) break;
    target[length] = '\0';
    const char *slash = strrchr(at, '/');
    size_t folder =
        slash != NULL && *target != '/' ? (size_t)(slash - at) + 1 : 0;
    char *next = malloc(folder + (size_t)length + 1);
    if (next != NULL) {
      memcpy(next, at, folder);
      memcpy(next + folder, target, (size_t)length + 1);
    }
    free(at);
    at = next;
  }
  return at;
}

static bool is_same_file(const char *a, const char *b)
{
  struct stat one, two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Whether two paths name one file, or, where there is none, one name in one
 * folder. */
static bool is_same_place(const char *a, const char *b)
{
  char *one = follow(a), *two = follow(b);
  char *folder_1 = one != NULL ? folder_of(one) : NULL;
  char *folder_2 = two != NULL ? folder_of(two) : NULL;
  bool same = is_same_file(a, b) || (folder_1 != NULL && folder_2 != NULL &&
                                     strcmp(name_of(one), name_of(two)) == 0 &&
                                     is_same_file(folder_1, folder_2));
  free(one);
  free(two);
  free(folder_1);
  free(folder_2);
  return same;
}

static bool is_journal(const cli_flags *flags, const char *path)
{
  const char *journal = flags_text(flags, FLAG_JOURNAL);
  return file_is_database(path) ||
         (journal != NULL && is_same_place(path, journal));
}

/* Whether a path is that of a journal, of its write-ahead log, of the log's
 * index, or of its lock. */
static bool belongs_to_journal(const cli_flags *flags, const char *path)
{
  static const char *const endings[] = {"-wal", "-shm", "-journal", ".lock"};
  char *real = follow(path);
  bool belongs = is_journal(flags, path);
  size_t length = real != NULL ? strlen(real) : 0;
  for (size_t i = 0; i < COUNT_OF(endings) && !belongs; i++) {
    size_t end = strlen(endings[i]);
    if (length <= end || strcmp(real + length - end, endings[i]) != 0) continue;
    real[length - end] = '\0';
    belongs = is_journal(flags, real);
    real[length - end] = *endings[i];
  }
  free(real);
  return belongs;
}

lrgd_status place_check(const cli_flags *flags, flag_id id, const char *path,
                        place_way way, lrgd_error *error)
{
  struct stat facts;
  size_t length = strlen(path);
  const char *flag = flags_name(id);
  bool there = stat(path, &facts) == 0;
  if ((there && S_ISDIR(facts.st_mode)) ||
      (length > 0 && path[length - 1] == '/'))
    return fail(error, LRGD_ERR_STORAGE,
                "--%s %s: that is a folder, not a file", flag, path);
  if (belongs_to_journal(flags, path))
    return fail(error, LRGD_ERR_INVALID,
                "--%s %s: that is a journal or belongs to one, and what it "
                "holds was paid for; give another name",
                flag, path);
  if (!there || (way == PLACE_RENAMED && S_ISREG(facts.st_mode)))
    return check_folder(flag, path, error);
  if (access(path, W_OK) != 0)
    return fail(error, LRGD_ERR_STORAGE, "--%s %s: %s", flag, path,
                strerror(errno));
  return LRGD_OK;
}
