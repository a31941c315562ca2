/* The settings of a run: stored, compared, and named where they differ. */
#include "journal_private.h"

#include "base/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_setting(lr_kept_setting *setting)
{
  free(setting->key);
  free(setting->text);
  free(setting->numbers);
}

static void free_all(lr_kept_setting **settings, size_t *count)
{
  for (size_t i = 0; i < *count; i++) free_setting(&(*settings)[i]);
  free(*settings);
  *settings = NULL;
  *count = 0;
}

void lr_journal_free_settings(lrgd_journal *journal)
{
  free_all(&journal->kept.settings, &journal->kept.setting_count);
}

void lr_journal_free_unconfirmed(lrgd_journal *journal)
{
  free_all(&journal->kept.unconfirmed, &journal->kept.unconfirmed_count);
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

/* Appends a copy of a setting; 0: out of memory. */
static int append_to(lr_kept_setting **settings, size_t *count,
                     const lrgd_setting *setting)
{
  lr_kept_setting *more = realloc(*settings, (*count + 1) * sizeof *more);
  if (!more) return 0;
  *settings = more;
  if (!copy_setting(&more[*count], setting)) return 0;
  ++*count;
  return 1;
}

static int append(const lrgd_setting *setting, void *user)
{
  lrgd_journal *journal = user;
  return !append_to(&journal->kept.settings, &journal->kept.setting_count,
                    setting);
}

lrgd_status lr_journal_load_settings(lrgd_journal *journal, lrgd_error *error)
{
  lr_journal_free_settings(journal);
  lrgd_status status =
      lr_store_each_setting(journal->store, append, journal, error);
  const lrgd_setting *kept =
      lrgd_journal_setting(journal, LRGD_SETTING_REPEATS);
  journal->count.repeats =
      kept && kept->text ? strtoull(kept->text, NULL, 10) : 0;
  journal->count.repeats_stored = journal->count.repeats;
  return status;
}

lrgd_status lr_journal_find_logs(lrgd_journal *journal, lrgd_error *error)
{
  const lrgd_setting *log = lrgd_journal_setting(journal, LRGD_SETTING_LOG);
  if (!log || !log->numbers || log->count == 0) return LRGD_OK;
  journal->kept.is_log = calloc(journal->p, 1);
  if (!journal->kept.is_log)
    return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  for (size_t i = 0; i < log->count; i++) {
    double number = log->numbers[i];
    if (!(number >= 1 && number <= (double)journal->p))
      return lr_run_fail(error, LRGD_ERR_REFUSED,
                         "%.200s: there is no coordinate %g to take the "
                         "logarithm of",
                         journal->path, number);
    journal->kept.is_log[(size_t)number - 1] = 1;
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
  if (a->text &&
      strcmp(lr_present_name(a->text), lr_present_name(b->text)) != 0)
    return 0;
  if (!a->numbers) return 1;
  return a->count == b->count &&
         !memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers);
}

static const char *show(const lrgd_setting *setting)
{
  return setting->text ? setting->text : "other numbers";
}

/* The text of a refusal, which names every key that differs; those that do not
 * fit are counted. */
typedef struct differences {
  lrgd_error *error;
  size_t found, unnamed;
  size_t head; /* where in the text the first key begins */
} differences;

enum { ROOM_TO_COUNT = 24, ROOM_TO_ADVISE = 160 }; /* "; and 12 more keys" */

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
  if (size + (size_t)n + ROOM_TO_COUNT + ROOM_TO_ADVISE <
      sizeof all->error->text)
    memcpy(all->error->text + size, text, (size_t)n + 1);
  else
    all->unnamed++;
}

static void compare_here(const lrgd_journal *journal, const lrgd_setting *here,
                         int same_size, differences *all)
{
  const lrgd_setting *there = lrgd_journal_setting(journal, here->key);
  if ((here->may_change & LRGD_SETTING_MAY_CHANGE) ||
      (here->numbers && !same_size))
    return;
  if (!there && !(here->may_change & LRGD_SETTING_DEFAULT))
    differ(all, here->key, "not set", show(here));
  else if (there && !there->may_change && !is_same(there, here))
    differ(all, here->key, show(there), here->text ? here->text : "these");
}

static void add_text(lrgd_error *error, const char *text)
{
  size_t size = strlen(error->text);
  (void)snprintf(error->text + size, sizeof error->text - size, "%s", text);
}

/* Ends a comparison: names all differences, also where they are allowed. */
static lrgd_status end_comparison(lrgd_journal *journal, const differences *all,
                                  int allowed)
{
  lrgd_error *error = all->error;
  char more[32];
  (void)snprintf(more, sizeof more, "; and %zu more keys", all->unnamed);
  if (all->unnamed) add_text(error, more);
  if (all->found && !allowed) {
    /* evaluations of another number of inputs cannot be used by this run */
    int same_size = journal->facts.dimension == journal->p;
    const char *advice = same_size ? journal->options.advice : NULL;
    if (advice) add_text(error, advice);
    return LRGD_ERR_REFUSED;
  }
  if (all->found)
    (void)snprintf(journal->kept.difference, sizeof journal->kept.difference,
                   "%s", error->text + all->head);
  *error = (lrgd_error){.status = LRGD_OK};
  return LRGD_OK;
}

lrgd_status lr_journal_compare_settings(lrgd_journal *journal,
                                        lrgd_error *error)
{
  const lrgd_setting *settings = journal->options.settings;
  size_t count = journal->options.setting_count;
  size_t dimension = (size_t)journal->facts.dimension;
  int same_size = dimension == journal->p;
  lrgd_error unwanted;
  if (!error) error = &unwanted;
  differences all = {.error = error};
  (void)lr_run_fail(error, LRGD_ERR_REFUSED,
                    "%.120s is of another run:", journal->path);
  all.head = strlen(error->text) + 1; /* a space before each */
  if (!same_size) {
    char there[24], here[24];
    (void)snprintf(there, sizeof there, "%zu", dimension);
    (void)snprintf(here, sizeof here, "%zu", journal->p);
    differ(&all, "dimension", there, here);
  }
  for (size_t i = 0; i < count; i++)
    compare_here(journal, &settings[i], same_size, &all);
  for (size_t i = 0; i < journal->kept.setting_count; i++) {
    const lrgd_setting *there = &journal->kept.settings[i].view;
    if (there->may_change || find(settings, count, there->key)) continue;
    differ(&all, there->key, show(there), "not set");
  }
  return end_comparison(journal, &all,
                        same_size && journal->options.may_differ);
}

static size_t place_of(const lrgd_journal *journal, const char *key)
{
  size_t i = 0;
  while (i < journal->kept.setting_count &&
         strcmp(journal->kept.settings[i].key, key) != 0)
    i++;
  return i;
}

/* Whether a setting is new or has another value; a setting of the function
 * itself only where there are evaluations to compare with. */
static int has_changed(const lrgd_journal *journal, const lrgd_setting *setting,
                       int of_function)
{
  const lrgd_setting *stored = lrgd_journal_setting(journal, setting->key);
  int is_of_function = (setting->may_change & LRGD_SETTING_FUNCTION) != 0 &&
                       stored && journal->count.last_stored > 0;
  return is_of_function == of_function && !(stored && is_same(stored, setting));
}

/* Nothing is written before settings of the function itself are confirmed; a
 * new path gets its own settings. */
lrgd_status lr_journal_put_settings(lrgd_journal *journal, lrgd_error *error)
{
  const lrgd_setting *settings = journal->options.settings;
  for (int of_function = 1; of_function >= 0; of_function--)
    for (size_t i = 0; i < journal->options.setting_count; i++) {
      lrgd_status status = LRGD_OK;
      if (!has_changed(journal, &settings[i], of_function)) continue;
      if (of_function || journal->kept.unconfirmed_count)
        status = append_to(&journal->kept.unconfirmed,
                           &journal->kept.unconfirmed_count, &settings[i])
                     ? LRGD_OK
                     : lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
      else if (!journal->kept.difference[0])
        status = lr_store_put_setting(journal->store, &settings[i], error);
      if (status) return status;
    }
  return LRGD_OK;
}

static lrgd_status put_text(lrgd_journal *journal, const char *key,
                            const char *text, lrgd_error *error)
{
  lrgd_setting setting = {.key = key, .text = text, .may_change = 1};
  return lr_store_put_setting(journal->store, &setting, error);
}

lrgd_status lr_journal_put_own(lrgd_journal *journal, lrgd_error *error)
{
  char text[32];
  lrgd_status status = LRGD_OK;
  (void)snprintf(text, sizeof text, "%llu",
                 (unsigned long long)journal->count.repeats);
  if (journal->count.repeats != journal->count.repeats_stored)
    status = put_text(journal, LRGD_SETTING_REPEATS, text, error);
  (void)snprintf(text, sizeof text, "%.17g", journal->kept.noise);
  if (!status && !isnan(journal->kept.noise))
    status = put_text(journal, LRGD_SETTING_NOISE, text, error);
  lrgd_setting prices = {.key = LRGD_SETTING_MULTIPLIERS,
                         .numbers = journal->kept.multipliers,
                         .count = journal->kept.multiplier_count,
                         .may_change = 1};
  if (!status && prices.numbers)
    status = lr_store_put_setting(journal->store, &prices, error);
  return status;
}

/* ---- for readers ---- */

size_t lrgd_journal_setting_count(const lrgd_journal *journal)
{
  return journal ? journal->kept.setting_count : 0;
}

const lrgd_setting *lrgd_journal_setting_at(const lrgd_journal *journal,
                                            size_t index)
{
  return index < lrgd_journal_setting_count(journal)
             ? &journal->kept.settings[index].view
             : NULL;
}

const lrgd_setting *lrgd_journal_setting(const lrgd_journal *journal,
                                         const char *key)
{
  if (!journal || !key) return NULL;
  return lrgd_journal_setting_at(journal, place_of(journal, key));
}
