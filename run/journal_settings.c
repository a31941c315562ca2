/* What belongs to a run: kept, compared, and named where it differs. */
#include "journal_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_setting(lr_kept_setting *setting)
{
  free(setting->key);
  free(setting->text);
  free(setting->numbers);
}

void lr_journal_free_settings(lrgd_journal *journal)
{
  for (size_t i = 0; i < journal->setting_count; i++)
    free_setting(&journal->settings[i]);
  free(journal->settings);
  journal->settings = NULL;
  journal->setting_count = 0;
}

static int copy_setting(lr_kept_setting *to, const lrgd_setting *from)
{
  *to = (lr_kept_setting){.view = *from, .key = strdup(from->key)};
  if (from->text) to->text = strdup(from->text);
  if (from->numbers) to->numbers = malloc(from->count * sizeof(double) + 1);
  if (!to->key || !to->text != !from->text || !to->numbers != !from->numbers) {
    free_setting(to);
    return 0;
  }
  if (from->numbers)
    memcpy(to->numbers, from->numbers, from->count * sizeof(double));
  to->view.key = to->key;
  to->view.text = to->text;
  to->view.numbers = to->numbers;
  return 1;
}

static int append(const lrgd_setting *setting, void *user)
{
  lrgd_journal *journal = user;
  size_t n = journal->setting_count;
  lr_kept_setting *more = realloc(journal->settings, (n + 1) * sizeof *more);
  if (!more) return 1;
  journal->settings = more;
  if (!copy_setting(&more[n], setting)) return 1;
  journal->setting_count++;
  return 0;
}

lrgd_status lr_journal_load_settings(lrgd_journal *journal, lrgd_error *error)
{
  lr_journal_free_settings(journal);
  lrgd_status status =
      lr_store_each_setting(journal->store, append, journal, error);
  const lrgd_setting *kept =
      lrgd_journal_setting(journal, LRGD_SETTING_REPEATS);
  journal->repeats = kept && kept->text ? strtoull(kept->text, NULL, 10) : 0;
  journal->repeats_stored = journal->repeats;
  return status;
}

lrgd_status lr_journal_find_logs(lrgd_journal *journal, lrgd_error *error)
{
  const lrgd_setting *log = lrgd_journal_setting(journal, LRGD_SETTING_LOG);
  if (!log || !log->numbers || log->count == 0) return LRGD_OK;
  journal->is_log = calloc(journal->p, 1);
  if (!journal->is_log)
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  for (size_t i = 0; i < log->count; i++) {
    double number = log->numbers[i];
    if (!(number >= 1 && number <= (double)journal->p))
      return lr_run_fail(error, LRGD_ERR_REFUSED,
                         "%.200s: there is no coordinate %g to take the "
                         "logarithm of",
                         journal->path, number);
    journal->is_log[(size_t)number - 1] = 1;
  }
  return LRGD_OK;
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
  if (a->text && strcmp(a->text, b->text) != 0) return 0;
  if (!a->numbers) return 1;
  return a->count == b->count &&
         !memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers);
}

static const char *show(const lrgd_setting *setting)
{
  return setting->text ? setting->text : "other numbers";
}

/* The sentence of a refusal, which names every key that differs: those that
 * no longer fit are counted. */
typedef struct differences {
  lrgd_error *error;
  size_t found, unnamed;
} differences;

enum { ROOM_TO_COUNT = 24 }; /* "; and 1234 more keys" */

static void differ(differences *all, const char *key, const char *there,
                   const char *here)
{
  char shown[2][80] = {"", ""}, text[300];
  lr_show(shown[0], sizeof shown[0], there, strlen(there), 0);
  lr_show(shown[1], sizeof shown[1], here, strlen(here), 0);
  int n = snprintf(text, sizeof text, "%s%.60s is %s there, %s here",
                   all->found++ ? "; " : " ", key, shown[0], shown[1]);
  if (!all->error) return;
  size_t size = strlen(all->error->text);
  if (size + (size_t)n + ROOM_TO_COUNT < sizeof all->error->text)
    memcpy(all->error->text + size, text, (size_t)n + 1);
  else
    all->unnamed++;
}

static void compare_here(const lrgd_journal *journal, const lrgd_setting *here,
                         int same_size, differences *all)
{
  const lrgd_setting *there = lrgd_journal_setting(journal, here->key);
  if (here->may_change || (here->numbers && !same_size)) return;
  if (!there)
    differ(all, here->key, "not set", show(here));
  else if (!there->may_change && !is_same(there, here))
    differ(all, here->key, show(there), here->text ? here->text : "these");
}

lrgd_status lr_journal_compare_settings(const lrgd_journal *journal,
                                        lrgd_error *error)
{
  const lrgd_setting *settings = journal->options.settings;
  size_t count = journal->options.setting_count;
  size_t dimension = (size_t)journal->facts.dimension;
  int same_size = dimension == journal->p;
  differences all = {.error = error};
  (void)lr_run_fail(error, LRGD_ERR_REFUSED,
                    "%.120s is of another run:", journal->path);
  if (!same_size) {
    char there[24], here[24];
    (void)snprintf(there, sizeof there, "%zu", dimension);
    (void)snprintf(here, sizeof here, "%zu", journal->p);
    differ(&all, "dimension", there, here);
  }
  for (size_t i = 0; i < count; i++)
    compare_here(journal, &settings[i], same_size, &all);
  for (size_t i = 0; i < journal->setting_count; i++) {
    const lrgd_setting *there = &journal->settings[i].view;
    if (there->may_change || find(settings, count, there->key)) continue;
    differ(&all, there->key, show(there), "not set");
  }
  if (all.unnamed && error) {
    size_t size = strlen(error->text);
    (void)snprintf(error->text + size, sizeof error->text - size,
                   "; and %zu more keys", all.unnamed);
  }
  if (!all.found && error) *error = (lrgd_error){.status = LRGD_OK};
  return all.found ? LRGD_ERR_REFUSED : LRGD_OK;
}

static size_t place_of(const lrgd_journal *journal, const char *key)
{
  size_t i = 0;
  while (i < journal->setting_count &&
         strcmp(journal->settings[i].key, key) != 0)
    i++;
  return i;
}

lrgd_status lr_journal_put_settings(lrgd_journal *journal, lrgd_error *error)
{
  const lrgd_setting *settings = journal->options.settings;
  size_t count = journal->options.setting_count;
  size_t next = journal->setting_count;
  for (size_t i = 0; i < count; i++) {
    size_t at = place_of(journal, settings[i].key);
    if (at < journal->setting_count &&
        is_same(&journal->settings[at].view, &settings[i]))
      continue;
    if (at == journal->setting_count) at = next++;
    lrgd_status status =
        lr_store_put_setting(journal->store, at + 1, &settings[i], error);
    if (status) return status;
  }
  return LRGD_OK;
}

lrgd_status lr_journal_put_repeats(lrgd_journal *journal, lrgd_error *error)
{
  char text[24];
  if (journal->repeats == journal->repeats_stored) return LRGD_OK;
  (void)snprintf(text, sizeof text, "%llu",
                 (unsigned long long)journal->repeats);
  lrgd_setting setting = {
      .key = LRGD_SETTING_REPEATS, .text = text, .may_change = 1};
  return lr_store_put_setting(
      journal->store, place_of(journal, setting.key) + 1, &setting, error);
}

/* ---- for readers ---- */

size_t lrgd_journal_setting_count(const lrgd_journal *journal)
{
  return journal->setting_count;
}

const lrgd_setting *lrgd_journal_setting_at(const lrgd_journal *journal,
                                            size_t index)
{
  return index < journal->setting_count ? &journal->settings[index].view : NULL;
}

const lrgd_setting *lrgd_journal_setting(const lrgd_journal *journal,
                                         const char *key)
{
  return lrgd_journal_setting_at(journal, place_of(journal, key));
}
