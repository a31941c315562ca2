/* What belongs to a run: kept, compared, and named where it differs. */
#include "journal_private.h"

#include <stdlib.h>
#include <string.h>

static void free_setting(lrgd_setting *setting)
{
  free((void *)(uintptr_t)setting->key);
  free((void *)(uintptr_t)setting->text);
  free((void *)(uintptr_t)setting->numbers);
}

void lr_journal_free_settings(lrgd_journal *journal)
{
  for (size_t i = 0; i < journal->setting_count; i++)
    free_setting(&journal->settings[i]);
  free(journal->settings);
  journal->settings = NULL;
  journal->setting_count = 0;
}

static int copy_setting(lrgd_setting *to, const lrgd_setting *from)
{
  double *numbers = NULL;
  *to = *from;
  to->key = strdup(from->key);
  to->text = from->text ? strdup(from->text) : NULL;
  if (from->numbers) {
    numbers = malloc(from->count * sizeof *numbers + 1);
    if (numbers) memcpy(numbers, from->numbers, from->count * sizeof *numbers);
  }
  to->numbers = numbers;
  if (to->key && (to->text || !from->text) && (numbers || !from->numbers))
    return 1;
  free_setting(to);
  return 0;
}

static int append(const lrgd_setting *setting, void *user)
{
  lrgd_journal *journal = user;
  size_t n = journal->setting_count;
  lrgd_setting *more = realloc(journal->settings, (n + 1) * sizeof *more);
  if (!more) return 1;
  journal->settings = more;
  if (!copy_setting(&more[n], setting)) return 1;
  journal->setting_count++;
  return 0;
}

lrgd_status lr_journal_load_settings(lrgd_journal *journal, lrgd_error *error)
{
  lr_journal_free_settings(journal);
  return lr_store_each_setting(journal->store, append, journal, error);
}

/* ---- comparing ---- */

static const lrgd_setting *find(const lrgd_setting *settings, size_t count,
                                const char *key)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(settings[i].key, key)) return &settings[i];
  return NULL;
}

static int is_same(const lrgd_setting *a, const lrgd_setting *b)
{
  if (!a->text != !b->text || !a->numbers != !b->numbers) return 0;
  if (a->text && strcmp(a->text, b->text)) return 0;
  if (!a->numbers) return 1;
  return a->count == b->count &&
         !memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers);
}

static const char *show(const lrgd_setting *setting)
{
  return setting->text ? setting->text : "other numbers";
}

static lrgd_status refuse(const lrgd_journal *journal, const char *key,
                          const char *there, const char *here,
                          lrgd_error *error)
{
  char shown[2][120] = {"", ""};
  lr_show(shown[0], sizeof shown[0], there, strlen(there), 0);
  lr_show(shown[1], sizeof shown[1], here, strlen(here), 0);
  return lr_run_fail(error, LRGD_ERR_REFUSED,
                     "%.120s is of another run: %.60s is %s there, %s here",
                     journal->path, key, shown[0], shown[1]);
}

lrgd_status lr_journal_compare_settings(const lrgd_journal *journal,
                                        lrgd_error *error)
{
  const lrgd_setting *settings = journal->options.settings;
  size_t count = journal->options.setting_count;
  for (size_t i = 0; i < count; i++) {
    const lrgd_setting *here = &settings[i];
    if (here->may_change) continue;
    const lrgd_setting *there =
        find(journal->settings, journal->setting_count, here->key);
    if (!there) return refuse(journal, here->key, "not set", show(here), error);
    if (there->may_change || is_same(there, here)) continue;
    return refuse(journal, here->key, show(there),
                  here->text ? here->text : "these", error);
  }
  for (size_t i = 0; i < journal->setting_count; i++) {
    const lrgd_setting *there = &journal->settings[i];
    if (!there->may_change && !find(settings, count, there->key))
      return refuse(journal, there->key, show(there), "not set", error);
  }
  return LRGD_OK;
}

lrgd_status lr_journal_put_settings(lrgd_journal *journal, lrgd_error *error)
{
  const lrgd_setting *settings = journal->options.settings;
  size_t count = journal->options.setting_count;
  size_t next = journal->setting_count;
  for (size_t i = 0; i < count; i++) {
    const lrgd_setting *there =
        find(journal->settings, journal->setting_count, settings[i].key);
    if (there && is_same(there, &settings[i])) continue;
    size_t ordinal = there ? (size_t)(there - journal->settings) : next++;
    lrgd_status status =
        lr_store_put_setting(journal->store, ordinal + 1, &settings[i], error);
    if (status) return status;
  }
  return LRGD_OK;
}

/* ---- for readers ---- */

size_t lrgd_journal_setting_count(const lrgd_journal *journal)
{
  return journal->setting_count;
}

const lrgd_setting *lrgd_journal_setting_at(const lrgd_journal *journal,
                                            size_t index)
{
  return index < journal->setting_count ? &journal->settings[index] : NULL;
}

const lrgd_setting *lrgd_journal_setting(const lrgd_journal *journal,
                                         const char *key)
{
  return find(journal->settings, journal->setting_count, key);
}
