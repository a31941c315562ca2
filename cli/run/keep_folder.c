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

lrgd_status keeper_read(cli_keeper *keeper, const cli_flags *flags,
                        lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_KEEP);
  const char *journal = flags_text(flags, FLAG_JOURNAL);
  *keeper = (struct cli_keeper){.best = NAN};
  if (text == NULL) return LRGD_OK;
  for (size_t i = 1; i < COUNT_OF(words); i++)
    if (strcmp(text, words[i]) == 0) keeper->keep = (enum simulator_keep)i;
  if (keeper->keep == KEEP_NONE)
    return fail(error, LRGD_ERR_INVALID,
                "--keep: \"%.40s\" is none of best, failed, all", text);
  size_t length = journal != NULL ? strlen(journal) : 0;
  if (length > 3 && strcmp(journal + length - 3, ".db") == 0) length -= 3;
  keeper->place = malloc(length + 16);
  if (keeper->place == NULL) return fail_memory(error);
  if (journal != NULL)
    (void)sprintf(keeper->place, "%.*s.kept", (int)length, journal);
  else
    (void)strcpy(keeper->place, "lrgd-kept");
  return LRGD_OK;
}

void keeper_free(cli_keeper *keeper)
{
  free(keeper->place);
  keeper->place = NULL;
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

static bool is_wanted(const cli_keeper *keeper, double f)
{
  if (keeper->keep == KEEP_ALL) return true;
  if (keeper->keep == KEEP_FAILED) return isnan(f);
  return keeper->keep == KEEP_BEST &&
         (isnan(keeper->best) || f < keeper->best) && !isnan(f);
}

void keeper_take(cli_keeper *keeper, const char *folder, uint64_t number,
                 double f)
{
  if (!is_wanted(keeper, f)) return;
  char *to = malloc(strlen(keeper->place) + 40);
  if (to == NULL) return;
  if (keeper->keep == KEEP_BEST)
    (void)sprintf(to, "%s/best", keeper->place);
  else
    (void)sprintf(to, "%s/evaluation-%llu", keeper->place,
                  (unsigned long long)number);
  (void)mkdir(keeper->place, 0777);
  if (move(folder, to))
    keeper->best = f;
  else if (!keeper->told) {
    say("--keep: evaluation %llu cannot be kept in %s: %s",
        (unsigned long long)number, keeper->place, strerror(errno));
    keeper->told = true;
  }
  free(to);
}
