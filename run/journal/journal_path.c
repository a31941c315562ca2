/* Paths: several runs on one function in one file.  Also reads all evaluations
 * of that function as plain numbers. */
#include "journal_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append_path(const lr_path *path, void *user)
{
  lrgd_journal *journal = user;
  size_t n = journal->path_count;
  lr_path *more = realloc(journal->paths, (n + 1) * sizeof *more);
  if (!more) return 1;
  more[n] = *path;
  journal->paths = more;
  journal->path_count = n + 1;
  return 0;
}

static int pass_by(const lrgd_phase *phase, void *user)
{
  (void)phase, (void)user;
  return 0;
}

lrgd_status lr_journal_load_paths(lrgd_journal *journal, lrgd_error *error)
{
  journal->path_count = 0;
  lrgd_status status =
      lr_store_each_path(journal->store, append_path, journal, error);
  if (!status && journal->path_count == 0)
    status = lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  /* the file's last page then has data, so that a truncated file is noticed */
  if (!status)
    status = lr_store_each_decision(journal->store, pass_by, NULL, error);
  return status;
}

uint64_t lr_journal_path_of(const lrgd_journal *journal, uint64_t sequence)
{
  size_t i = journal->path_count;
  while (i > 1 && journal->paths[i - 1].after >= sequence) i--;
  return journal->paths[i - 1].id;
}

/* ---- beginning a new path ---- */

lrgd_departure lrgd_journal_departure(const lrgd_journal *journal)
{
  return journal ? journal->replay.departure : (lrgd_departure){0};
}

const char *lrgd_journal_difference(const lrgd_journal *journal)
{
  return journal ? journal->kept.difference : "";
}

static int is_same_numbers(const lrgd_setting *a, const lrgd_setting *b)
{
  size_t here = a && a->numbers ? a->count : 0;
  size_t there = b && b->numbers ? b->count : 0;
  return here == there &&
         (here == 0 || !memcmp(a->numbers, b->numbers, here * sizeof(double)));
}

static lrgd_status check_path(const lrgd_journal *journal,
                              const lrgd_setting *settings, size_t count,
                              lrgd_error *error)
{
  const lrgd_setting *log = NULL;
  if (journal->readonly)
    return lr_run_fail(error, LRGD_ERR_INVALID, "the journal is only read");
  if (journal->trouble.fatal && !journal->replay.departure.sequence)
    return lrgd_journal_status(journal, error);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(settings[i].key, LRGD_SETTING_LOG)) log = &settings[i];
  if (is_same_numbers(log, lrgd_journal_setting(journal, LRGD_SETTING_LOG)))
    return LRGD_OK;
  return lr_run_fail(error, LRGD_ERR_REFUSED,
                     "%.200s: a new path cannot search other coordinates in "
                     "logarithms than the journal's",
                     journal->path);
}

/* Settings that the journal writes itself belong to the file, not to a path. */
static lrgd_status put_all(lrgd_journal *journal, const lrgd_setting *settings,
                           size_t count, lrgd_error *error)
{
  static const char *const own[] = {LRGD_SETTING_REPEATS, LRGD_SETTING_NOISE};
  lrgd_status status = lr_store_clear_settings(journal->store, error);
  for (size_t i = 0; i < count && !status; i++)
    status = lr_store_put_setting(journal->store, &settings[i], error);
  for (size_t i = 0; i < sizeof own / sizeof *own && !status; i++) {
    const lrgd_setting *kept = lrgd_journal_setting(journal, own[i]);
    if (kept) status = lr_store_put_setting(journal->store, kept, error);
  }
  return status;
}

/* How f is computed from stored residuals; cost NULL: as stored. */
typedef struct valuing {
  lrgd_cost_fn cost;
  void *user;
} valuing;

static lrgd_status write_path(lrgd_journal *journal, const lr_path *path,
                              const lrgd_setting *settings, size_t count,
                              const valuing *value, lrgd_error *error)
{
  int full;
  lrgd_status status = lr_store_begin(journal->store, &full, error);
  if (!status && value->cost)
    status = lr_store_value_rows(journal->store, journal->p, value->cost,
                                 value->user, error);
  if (!status) status = lr_store_put_path(journal->store, path, error);
  if (!status) status = put_all(journal, settings, count, error);
  if (!status) status = lr_store_put_note(journal->store, &(lr_note){0}, error);
  if (!status) status = lr_store_drop_decisions(journal->store, error);
  if (!status) status = lr_store_commit(journal->store, &full, error);
  if (status) lr_store_abandon(journal->store);
  return status;
}

/* Resets the journal as if just opened, with nothing to replay. */
static void start_afresh(lrgd_journal *journal, const lr_path *path)
{
  journal->replay.departure = (lrgd_departure){0};
  journal->kept.difference[0] = 0;
  journal->trouble.fatal = LRGD_OK;
  journal->trouble.fatal_error = (lrgd_error){.status = LRGD_OK};
  journal->count.last_stored = path->after;
  journal->count.next_sequence = path->after + 1;
  journal->count.replayed = journal->count.unanswered =
      journal->count.told_unanswered = 0;
  journal->present.note = (lr_note){0};
  journal->present.noted = 0;
  journal->present.decisions = journal->present.decisions_stored = 0;
  lr_journal_end_replay(journal);
  lr_drift_free(journal);
}

lrgd_status lrgd_journal_begin_path(lrgd_journal *journal,
                                    const lrgd_setting *settings, size_t count,
                                    const char *why, lrgd_error *error)
{
  return lrgd_journal_begin_path_valued(journal, settings, count, why, NULL,
                                        NULL, error);
}

lrgd_status lrgd_journal_begin_path_valued(lrgd_journal *journal,
                                           const lrgd_setting *settings,
                                           size_t count, const char *why,
                                           lrgd_cost_fn cost, void *cost_user,
                                           lrgd_error *error)
{
  valuing value = {cost, cost_user};
  if (!journal || (count && !settings))
    return lr_run_fail(error, LRGD_ERR_INVALID, "journal or settings is NULL");
  lrgd_status status = check_path(journal, settings, count, error);
  lr_path path = {.id = lr_journal_path(journal)->id + 1};
  uint64_t vector;
  if (!status && journal->kept.unconfirmed_count)
    status = lrgd_journal_confirm(journal, error);
  if (!status && journal->kept.unconfirmed_count)
    status = lr_run_fail(error, LRGD_ERR_REFUSED,
                         "%.200s: nobody answered whether the function is "
                         "still the same",
                         journal->path);
  if (!status)
    status = lr_store_ends(journal->store, &path.after, &vector, error);
  if (status) return status;
  lr_journal_label_now(path.started, sizeof path.started);
  (void)snprintf(path.why, sizeof path.why, "%s", why ? why : "");
  status = write_path(journal, &path, settings, count, &value, error);
  if (!status) status = lr_journal_load_settings(journal, error);
  if (!status) status = lr_journal_load_paths(journal, error);
  if (!status) start_afresh(journal, &path);
  return status;
}

/* ---- known points of all paths ---- */

typedef struct walk {
  lrgd_journal *journal;
  uint64_t last;
  lrgd_stored_fn fn;
  void *user;
  double *d; /* scratch of `room` numbers */
  size_t room;
} walk;

/* Makes room for so many numbers, as residuals may be more than p.  0: out of
 * memory. */
static int hold(walk *w, size_t count)
{
  if (count <= w->room) return 1;
  double *more = realloc(w->d, count * sizeof *more);
  if (!more) return 0;
  w->d = more;
  w->room = count;
  return 1;
}

/* Reads the derivatives or residuals of an answer. */
static void read_numbers(const walk *w, const lr_row *row, lrgd_stored *given)
{
  size_t count = row->answer_size / 8;
  if (count < 2) return;
  lr_get_doubles(w->d, row->answer + 8, count - 1);
  if (lr_row_kind_has_residuals(row->kind)) {
    given->residual_count = lr_row_residuals(row, w->journal->p);
    given->residuals = w->d;
  } else if (count <= 1 + w->journal->p) {
    given->d = w->d;
  }
}

static int give(const lr_row *row, void *user)
{
  static const lrgd_kind kinds[LR_ROW_KINDS] = {
      LRGD_KIND_VALUES, LRGD_KIND_SLOPES, LRGD_KIND_GRADIENTS,
      LRGD_KIND_VALUES, LRGD_KIND_VALUES, LRGD_KIND_GRADIENTS,
      LRGD_KIND_SLOPES};
  walk *w = user;
  lrgd_journal *journal = w->journal;
  if (row->sequence > w->last) return 1;
  if (!hold(w, row->answer_size / 8)) {
    lr_journal_fail_for_memory(journal);
    return 1;
  }
  lrgd_stored given = {.sequence = row->sequence,
                       .path = lr_journal_path_of(journal, row->sequence),
                       .kind = kinds[row->kind],
                       .is_complex = row->kind == LR_ROW_COMPLEX,
                       .p = journal->p,
                       .f = NAN};
  if (row->answer_size >= 8) lr_get_doubles(&given.f, row->answer, 1);
  read_numbers(w, row, &given);
  given.x = lr_journal_decode(journal, LR_POINTS, row->x);
  if (given.x && row->u)
    given.u = lr_journal_decode(journal, LR_DIRECTIONS, row->u);
  if (!given.x || (row->u && !given.u)) return 1; /* not decoded: stop */
  return w->fn(&given, w->user);
}

lrgd_status lrgd_journal_each(lrgd_journal *journal, uint64_t first,
                              uint64_t last, lrgd_stored_fn fn, void *user,
                              lrgd_error *error)
{
  if (!journal || !fn)
    return lr_run_fail(error, LRGD_ERR_INVALID, "journal or fn is NULL");
  lrgd_status before = journal->trouble.fatal;
  walk w = {journal, last, fn, user, NULL, 0};
  lrgd_status status =
      lr_store_each_row(journal->store, first, give, &w, error);
  lr_journal_end_replay(journal);
  free(w.d);
  if (!status && !before) status = lrgd_journal_status(journal, error);
  return status;
}
