/* Queries of a journal: summary, rows, points.  Also the wrapping of a problem,
 * which starts a replay from the first row. */
#include "journal_private.h"

#include "base/sized.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lrgd_status lrgd_journal_wrap_evaluator_sized(lrgd_journal *journal,
                                              const lrgd_problem *inner,
                                              const lrgd_evaluator *evaluator,
                                              lrgd_problem *wrapped,
                                              size_t size, lrgd_error *error)
{
  if (!journal || !inner || !wrapped)
    return lr_run_fail(error, LRGD_ERR_INVALID, "journal or problem is NULL");
  if (!evaluator)
    return lr_run_fail(error, LRGD_ERR_INVALID, "evaluator is NULL");
  lrgd_problem asked = lrgd_problem_default(0);
  lrgd_evaluator who = lrgd_evaluator_default();
  if (!lr_sized_take(&asked, sizeof asked, inner, "problem", error) ||
      !lr_sized_take(&who, sizeof who, evaluator, "evaluator", error))
    return LRGD_ERR_INVALID;
  if (asked.dimension != journal->p)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "the problem has dimension %zu, the journal %zu",
                       asked.dimension, journal->p);
  if (journal->readonly) {
    uint64_t vector;
    lrgd_status status = lr_store_ends(
        journal->store, &journal->count.last_stored, &vector, error);
    if (status) return status;
  }
  journal->asked.inner = asked;
  journal->asked.evaluator = who;
  if (who.answer) journal->options.jobs = (int64_t)who.jobs;
  journal->asked.wrapped = 1;
  journal->count.next_sequence = lr_journal_path(journal)->after + 1;
  lr_drift_free(journal);
  lrgd_problem made = asked;
  lr_journal_set_callbacks(&asked, &made);
  made.user = journal;
  lr_sized_give(wrapped, size, &made, sizeof made);
  return LRGD_OK;
}

static void ask_pool(const lrgd_batch *batch, const lrgd_recorder *recorder,
                     void *user)
{
  lr_pool_ask(user, batch, recorder);
}

static void forget_pool(void *user)
{
  ((lrgd_journal *)user)->asked.pool = NULL;
}

lrgd_status lrgd_journal_wrap_sized(lrgd_journal *journal,
                                    const lrgd_problem *inner, lrgd_pool *pool,
                                    lrgd_problem *wrapped, size_t size,
                                    lrgd_error *error)
{
  lrgd_evaluator evaluator = lrgd_evaluator_default();
  if (pool) {
    evaluator.answer = ask_pool;
    evaluator.user = pool;
    evaluator.jobs = pool->count;
  }
  lrgd_problem asked = lrgd_problem_default(0);
  if (inner && !lr_sized_take(&asked, sizeof asked, inner, "problem", error))
    return LRGD_ERR_INVALID;
  if (pool && inner && !lr_pool_owns(pool, &asked))
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "the problem does not come from that pool");
  lrgd_status status = lrgd_journal_wrap_evaluator_sized(
      journal, inner, &evaluator, wrapped, size, error);
  if (status) return status;
  journal->asked.pool = pool;
  if (!pool) return LRGD_OK;
  pool->retracting.gone = forget_pool;
  pool->retracting.user = journal;
  if (!journal->readonly) {
    pool->retracting.retract = lr_journal_retract;
    pool->retracting.again = lr_journal_repeat;
  }
  return LRGD_OK;
}

typedef struct counting {
  size_t p, count;
} counting;

static int take_count(const lr_row *row, void *user)
{
  counting *found = user;
  found->count = lr_row_residuals(row, found->p);
  return found->count > 0;
}

lrgd_status lrgd_journal_find_residuals(lrgd_journal *journal, lrgd_pool *pool,
                                        const double *x, size_t tries,
                                        size_t *count, lrgd_error *error)
{
  if (!journal || !pool || !x || !count) return lr_journal_none(error);
  *count = pool->residual_count;
  if (*count || !pool->options.residuals)
    return lrgd_pool_find_residuals(pool, journal->p, x, tries, count, error);
  counting found = {journal->p, 0};
  lrgd_status status =
      lr_store_each_row(journal->store, 1, take_count, &found, error);
  if (status) return status;
  pool->residual_count = *count = found.count;
  if (*count) return LRGD_OK;
  if (!journal->readonly && !lr_journal_commit(journal, 1))
    return lrgd_journal_status(journal, error);
  return lrgd_pool_find_residuals(pool, journal->p, x, tries, count, error);
}

/* ---- summary ---- */

typedef struct sessions {
  lrgd_journal_summary *summary;
  uint64_t writing; /* the session that is being written; 0: none */
} sessions;

static int add_session(const lr_journal_session *session, void *user)
{
  const sessions *all = user;
  lrgd_journal_summary *summary = all->summary;
  if (summary->sessions++ == 0)
    memcpy(summary->started, session->started, sizeof summary->started);
  if (session->id != all->writing) summary->seconds += session->seconds;
  summary->last_seconds = session->seconds;
  summary->in_flight += session->in_flight;
  memcpy(summary->outcome, session->outcome, sizeof summary->outcome);
  return 0;
}

static int keep_last(const lrgd_phase *phase, void *user)
{
  lrgd_journal_summary *summary = user;
  summary->decision = phase->decision;
  summary->decisions++;
  return 0;
}

lrgd_status lrgd_journal_decisions(lrgd_journal *journal, lrgd_phase_fn fn,
                                   void *user, lrgd_error *error)
{
  if (!journal || !fn)
    return lr_run_fail(error, LRGD_ERR_INVALID, "journal or fn is NULL");
  return lr_store_each_decision(journal->store, fn, user, error);
}

static lrgd_status summarize(lrgd_journal *journal,
                             lrgd_journal_summary *summary, lrgd_error *error)
{
  *summary = (lrgd_journal_summary){.struct_size = sizeof *summary,
                                    .dimension = journal->p,
                                    .replayed = journal->count.replayed,
                                    .unanswered = journal->count.unanswered,
                                    .repeats = journal->count.repeats,
                                    .bytes = lr_store_bytes(journal->store)};
  memcpy(summary->run_id, journal->facts.run_id, sizeof summary->run_id);
  const lr_path *path = lr_journal_path(journal);
  summary->paths = path->id;
  summary->path_first = path->after + 1;
  memcpy(summary->path_why, path->why, sizeof summary->path_why);
  sessions all = {summary, journal->present.session.id};
  lr_note note;
  lrgd_status status = lr_store_tally(journal->store, summary, error);
  if (!status) status = lr_store_get_note(journal->store, &note, error);
  if (!status)
    status = lr_store_count_checks(journal->store, &summary->checks, error);
  if (status) return status;
  summary->rank = note.rank;
  summary->iteration = note.iteration;
  memcpy(summary->phase, note.phase, sizeof summary->phase);
  status = lr_store_each_decision(journal->store, keep_last, summary, error);
  if (status) return status;
  return lr_store_each_session(journal->store, add_session, &all, error);
}

lrgd_status lrgd_journal_summarize_sized(lrgd_journal *journal,
                                         lrgd_journal_summary *summary,
                                         size_t size, lrgd_error *error)
{
  lrgd_journal_summary own = {.struct_size = sizeof own};
  lrgd_status status =
      journal ? summarize(journal, &own, error) : lr_journal_none(error);
  lr_sized_give(summary, size, &own, sizeof own);
  return status;
}

/* ---- rows and points ---- */

typedef struct visit {
  const lrgd_journal *journal;
  lrgd_journal_row_fn fn;
  void *user;
} visit;

static int give_row(const lr_row *row, void *user)
{
  static const lrgd_kind kinds[LR_ROW_KINDS] = {
      LRGD_KIND_VALUES, LRGD_KIND_SLOPES, LRGD_KIND_GRADIENTS,
      LRGD_KIND_VALUES, LRGD_KIND_VALUES, LRGD_KIND_GRADIENTS,
      LRGD_KIND_SLOPES};
  const visit *to = user;
  lrgd_journal_row given = {.struct_size = sizeof given,
                            .sequence = row->sequence,
                            .session = row->session,
                            .kind = kinds[row->kind],
                            .f = NAN,
                            .slope = NAN,
                            .seconds = row->seconds,
                            .why = row->why,
                            .path =
                                lr_journal_path_of(to->journal, row->sequence)};
  if (row->answer_size >= 8) lr_get_doubles(&given.f, row->answer, 1);
  if (row->kind == LR_ROW_SLOPE && row->answer_size == 16)
    lr_get_doubles(&given.slope, row->answer + 8, 1);
  return to->fn(&given, to->user);
}

lrgd_status lrgd_journal_rows(lrgd_journal *journal, uint64_t first,
                              lrgd_journal_row_fn fn, void *user,
                              lrgd_error *error)
{
  visit to = {journal, fn, user};
  if (!journal || !fn) return lr_journal_none(error);
  return lr_store_each_row(journal->store, first, give_row, &to, error);
}

typedef struct getting {
  lrgd_journal *journal;
  lrgd_status status;
  lrgd_error *error;
} getting;

static int get_vector(uint64_t id, lr_coded *coded, void *user)
{
  getting *from = user;
  from->status =
      lr_store_get_vector(from->journal->store, id, coded, from->error);
  return from->status == LRGD_OK;
}

lrgd_status lrgd_journal_point(lrgd_journal *journal, uint64_t sequence,
                               double *x, lrgd_error *error)
{
  lr_row row;
  int found;
  if (!journal || !x) return lr_journal_none(error);
  lrgd_status status =
      lr_store_get_row(journal->store, sequence, &row, &found, error);
  if (status) return status;
  if (!found)
    return lr_run_fail(error, LRGD_ERR_INVALID, "there is no evaluation %llu",
                       (unsigned long long)sequence);
  getting from = {journal, LRGD_OK, error};
  int done = lr_codec_decode(journal->p, journal->kept.is_log, row.x, x,
                             get_vector, &from);
  if (done > 0) return LRGD_OK;
  if (done < 0) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  if (from.status) return from.status;
  return lr_run_fail(error, LRGD_ERR_REFUSED, "%.300s is damaged: vector %llu",
                     journal->path, (unsigned long long)row.x);
}
