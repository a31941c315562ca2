/* Chooses the width of a new run, or reads that of the journal's run. */
#include "width.h"

#include "problem_source.h"
#include "record.h"

#include <string.h>

static bool is_given(const cli_flags *flags)
{
  for (size_t i = 0; i < flags->given_count; i++) {
    int id = flags->given[i].id;
    if (id < FLAG_IDS) continue;
    const lrgd_option *option = lrgd_option_at((size_t)(id - FLAG_IDS));
    if (strcmp(option->name, "width") == 0) return true;
  }
  return false;
}

/* Reads the width that a journal records; journals of earlier versions record
 * none, and theirs is 1.  False: there is no such journal. */
static bool is_recorded(const char *path, int64_t *width)
{
  lrgd_journal *journal;
  lrgd_options recorded;
  if (path == NULL ||
      lrgd_journal_open_readonly(&journal, path, NULL) != LRGD_OK)
    return false;
  bool good = recorded_options(journal, &recorded, NULL) == LRGD_OK;
  if (good) *width = recorded.width;
  lrgd_journal_close(&journal);
  return good;
}

void width_choose(const cli_flags *flags, const char *journal,
                  lrgd_options *options)
{
  if (is_given(flags) || is_recorded(journal, &options->width)) return;
  options->width = source_evaluators(flags);
}
