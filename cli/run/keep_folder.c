/* Moves folders of evaluations to where they are kept. */
#include "keep_folder.h"

#include "copy_folder.h"
#include "run/process/workdir.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const words[] = {"", "best", "failed", "all"};

lrgd_status kept_folders_read(cli_kept_folders *kept, const cli_flags *flags,
                              lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_KEEP);
  const char *journal = flags_text(flags, FLAG_JOURNAL);
  *kept = (struct cli_kept_folders){.best = NAN};
  if (text == NULL) return LRGD_OK;
  for (size_t i = 1; i < COUNT_OF(words); i++)
    if (strcmp(text, words[i]) == 0) kept->keep = (enum simulator_keep)i;
  if (kept->keep == KEEP_NONE)
    return fail(error, LRGD_ERR_INVALID,
                "--keep: \"%.40s\" is none of best, failed, all", text);
  size_t length = journal != NULL ? strlen(journal) : 0;
  if (length > 3 && strcmp(journal + length - 3, ".db") == 0) length -= 3;
  kept->place = malloc(length + 16);
  if (kept->place == NULL) return fail_memory(error);
  if (journal != NULL)
    (void)sprintf(kept->place, "%.*s.kept", (int)length, journal);
  else
    (void)strcpy(kept->place, "lrgd-kept");
  return LRGD_OK;
}

void kept_folders_free(cli_kept_folders *kept)
{
  free(kept->place);
  kept->place = NULL;
}

/* Moves a folder; to another file system it is copied, and its owner removes
 * the original. */
static bool move(const char *from, const char *to)
{
  lr_workdir_remove(to);
  if (rename(from, to) == 0) return true;
  if (errno != EXDEV || mkdir(to, 0700) != 0) return false;
  return folder_copy(from, to, NULL) == LRGD_OK;
}

static bool is_wanted(const cli_kept_folders *kept, double f)
{
  if (kept->keep == KEEP_ALL) return true;
  if (kept->keep == KEEP_FAILED) return isnan(f);
  return kept->keep == KEEP_BEST && (isnan(kept->best) || f < kept->best) &&
         !isnan(f);
}

void kept_folders_take(cli_kept_folders *kept, const char *folder,
                       uint64_t number, double f)
{
  if (!is_wanted(kept, f)) return;
  char *to = malloc(strlen(kept->place) + 40);
  if (to == NULL) return;
  if (kept->keep == KEEP_BEST)
    (void)sprintf(to, "%s/best", kept->place);
  else
    (void)sprintf(to, "%s/evaluation-%llu", kept->place,
                  (unsigned long long)number);
  (void)mkdir(kept->place, 0777);
  if (move(folder, to))
    kept->best = f;
  else if (!kept->told) {
    say("--keep: evaluation %llu cannot be kept in %s: %s",
        (unsigned long long)number, kept->place, strerror(errno));
    kept->told = true;
  }
  free(to);
}
