/* Opening and closing of a journal, and its sessions. */
#include "journal_private.h"

#include "base/sized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Relative to the length of a step or difference: the error of a slope that is
 * measured along it.  It is far below the accuracy of a difference of values
 * (the square root of machine precision, 1.5e-8, at best for smooth f, and the
 * truncation error on top), and the rounding errors of thousands of steps stay
 * below it. */
#define LR_STEP_AGREEMENT 1e-6

void lrgd_journal_options_init(lrgd_journal_options *options, size_t size)
{
  lrgd_journal_options o = {.struct_size = sizeof o,
                            .tolerance = LR_STEP_AGREEMENT,
                            .storage_wait_s = 30,
                            .jobs = 1,
                            .noise = NAN};
  lr_sized_give(options, size, &o, sizeof o);
}

void lr_journal_fail(lrgd_journal *journal, const lrgd_error *error)
{
  if (journal->trouble.fatal) return;
  journal->trouble.fatal = error->status;
  journal->trouble.fatal_error = *error;
  if (journal->trouble.on_fatal)
    journal->trouble.on_fatal(error->status, journal->trouble.on_fatal_user);
}

void lrgd_journal_on_fatal(lrgd_journal *journal, lrgd_fatal_fn fn, void *user)
{
  if (!journal) return;
  journal->trouble.on_fatal = fn;
  journal->trouble.on_fatal_user = user;
}

lrgd_status lrgd_journal_status(const lrgd_journal *journal, lrgd_error *error)
{
  if (!journal) return lr_journal_none(error);
  if (error) *error = journal->trouble.fatal_error;
  return journal->trouble.fatal;
}

const char *lrgd_journal_run_id(const lrgd_journal *journal)
{
  return journal ? journal->facts.run_id : NULL;
}

/* ---- opening ---- */

static lrgd_journal *make_journal(const char *path)
{
  lrgd_journal *journal = calloc(1, sizeof *journal);
  if (!journal) return NULL;
  journal->lock = LR_NO_LOCK;
  journal->writing.last = &journal->writing.first;
  journal->count.next_sequence = 1;
  journal->writing.next_vector = 1;
  journal->present.opened_s = lr_now_s();
  journal->kept.noise = NAN;
  journal->path = lr_real_path(path);
  if (journal->path) return journal;
  free(journal);
  return NULL;
}

static void free_journal(lrgd_journal *journal)
{
  lr_journal_drop_pending(journal);
  lr_journal_end_replay(journal);
  for (int s = 0; s < LR_STREAMS; s++)
    lr_codec_destroy(&journal->writing.codecs[s]);
  lr_journal_free_settings(journal);
  lr_journal_free_unconfirmed(journal);
  lr_drift_free(journal);
  lr_journal_flight_free(journal);
  free(journal->paths);
  free(journal->kept.is_log);
  free(journal->kept.multipliers);
  lr_store_close(&journal->store);
  lr_lock_release(&journal->lock);
  free(journal->path);
  free(journal);
}

static lrgd_status check_call(const char *path,
                              const lrgd_journal_options *options,
                              lrgd_error *error)
{
  size_t dimension = options->dimension;
  if (!path || !path[0])
    return lr_run_fail(error, LRGD_ERR_INVALID, "the journal has no name");
  if (dimension < 1 || dimension > 100000000)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "a journal of dimension %zu: 1 to 1e8 are possible",
                       dimension);
  if (!(options->tolerance >= 0) || !(options->storage_wait_s >= 0) ||
      options->jobs < 1)
    return lr_run_fail(error, LRGD_ERR_INVALID, "bad options of a journal");
  return LRGD_OK;
}

/* Reads the whole file before it is opened for writing: a file that is refused
 * is not changed. */
static lrgd_status examine(lrgd_journal *journal, lrgd_error *error)
{
  lrgd_status status =
      lr_store_open_read(&journal->store, journal->path, 1, error);
  if (status) return status;
  if (!journal->store) {
    lr_run_id_draw(journal->facts.run_id);
    journal->facts.dimension = journal->p;
    if (!journal->options.must_exist) return LRGD_OK;
    return lr_store_say_missing(journal->path, error);
  }
  status = lr_store_verify(journal->store, error);
  if (!status) status = lr_store_facts(journal->store, &journal->facts, error);
  if (!status) status = lr_journal_load_settings(journal, error);
  if (!status) status = lr_journal_compare_settings(journal, error);
  lr_store_close(&journal->store);
  return status;
}

static int take_last_session(const lr_journal_session *session, void *user)
{
  *(lr_journal_session *)user = *session;
  return 0;
}

void lr_journal_label_now(char *text, size_t size)
{
  time_t now = time(NULL);
  struct tm utc;
  (void)gmtime_r(&now, &utc);
  (void)strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Runs in the transaction that lr_store_open_write has begun. */
static lrgd_status begin_session(lrgd_journal *journal, lrgd_error *error)
{
  lr_journal_session last = {0};
  uint64_t vector = 0;
  int full;
  lrgd_status status =
      lr_store_each_session(journal->store, take_last_session, &last, error);
  if (!status)
    status = lr_store_ends(journal->store, &journal->count.last_stored, &vector,
                           error);
  if (!status) status = lr_journal_put_settings(journal, error);
  if (status) return status;
  journal->writing.next_vector = vector + 1;
  journal->present.session.id = last.id + 1;
  journal->present.session.in_flight = journal->count.last_stored ? 0 : 1;
  journal->count.allowed = journal->present.session.in_flight;
  lr_journal_label_now(journal->present.session.started,
                       sizeof journal->present.session.started);
  status =
      lr_store_put_session(journal->store, &journal->present.session, error);
  if (!status) status = lr_store_commit(journal->store, &full, error);
  return status;
}

static int remember(const lr_coded *coded, void *user)
{
  /* if that fails, the file only becomes larger */
  (void)lr_codec_remember(user, coded);
  return 0;
}

static lrgd_status prepare_codecs(lrgd_journal *journal, lrgd_error *error)
{
  for (int s = 0; s < LR_STREAMS; s++) {
    journal->writing.codecs[s] =
        lr_codec_create(journal->p, s == LR_POINTS,
                        s == LR_POINTS ? journal->kept.is_log : NULL,
                        &journal->writing.next_vector);
    if (!journal->writing.codecs[s])
      return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
    lrgd_status status = lr_store_each_basis(
        journal->store, s, lr_codec_units(journal->writing.codecs[s]), remember,
        journal->writing.codecs[s], error);
    if (status) return status;
  }
  return LRGD_OK;
}

lrgd_status lrgd_journal_open(lrgd_journal **journal, const char *path,
                              const lrgd_journal_options *options,
                              lrgd_error *error)
{
  if (!journal || !options)
    return lr_run_fail(error, LRGD_ERR_INVALID, "journal or options is NULL");
  *journal = NULL;
  lrgd_journal_options o = lrgd_journal_options_default();
  if (!lr_sized_take(&o, sizeof o, options, "journal options", error))
    return LRGD_ERR_INVALID;
  lrgd_status status = check_call(path, &o, error);
  if (status) return status;
  lrgd_journal *made = make_journal(path);
  if (!made) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  made->options = o;
  made->p = o.dimension;
  status = lr_lock_take(&made->lock, made->path, error);
  if (!status) status = examine(made, error);
  if (!status)
    status = lr_store_open_write(&made->store, made->path, &made->facts, error);
  if (!status) status = begin_session(made, error);
  made->options.settings = NULL; /* not owned; what is stored is read back */
  made->options.advice = NULL;
  if (!status) status = lr_journal_load_paths(made, error);
  if (!status) status = lr_journal_load_settings(made, error);
  if (!status) status = lr_journal_find_logs(made, error);
  if (!status) status = prepare_codecs(made, error);
  if (status)
    free_journal(made);
  else
    *journal = made;
  return status;
}

lrgd_status lrgd_journal_open_readonly(lrgd_journal **journal, const char *path,
                                       lrgd_error *error)
{
  if (!journal || !path)
    return lr_run_fail(error, LRGD_ERR_INVALID, "journal or path is NULL");
  *journal = NULL;
  lrgd_journal *made = make_journal(path);
  if (!made) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  made->readonly = 1;
  made->options = lrgd_journal_options_default();
  lrgd_status status = lr_store_open_read(&made->store, made->path, 0, error);
  if (!status && !made->store) status = lr_store_say_missing(path, error);
  if (!status) status = lr_store_facts(made->store, &made->facts, error);
  if (!status) status = lr_journal_load_paths(made, error);
  if (!status) status = lr_journal_load_settings(made, error);
  made->p = (size_t)made->facts.dimension;
  if (!status) status = lr_journal_find_logs(made, error);
  if (status)
    free_journal(made);
  else
    *journal = made;
  return status;
}

/* Stores a decision with the next commit. */
static void keep_decision(lrgd_journal *journal, const lrgd_progress *progress)
{
  uint64_t n = journal->present.decisions++;
  journal->present.decided[n < LR_DECISIONS ? n : LR_DECISIONS - 1] =
      (lrgd_phase){.struct_size = sizeof(lrgd_phase),
                   .iteration = progress->iteration,
                   .evaluations = lrgd_counts_evaluations(progress->counts),
                   .rank = progress->rank,
                   .f = progress->f,
                   .decision = *progress->decision};
}

/* Whether the progress has a decision: a program compiled with an older header
 * has none. */
static int has_decision(const lrgd_progress *progress)
{
  size_t end = offsetof(lrgd_progress, decision) + sizeof progress->decision;
  return progress->struct_size >= end && progress->event == LRGD_EVENT_PHASE &&
         progress->decision;
}

void lrgd_journal_note(lrgd_journal *journal, const lrgd_progress *progress)
{
  if (!journal || !progress) return;
  if (has_decision(progress)) keep_decision(journal, progress);
  lr_note note = {.rank = progress->rank, .iteration = progress->iteration};
  (void)snprintf(note.phase, sizeof note.phase, "%s",
                 progress->phase ? progress->phase : "");
  if (note.rank == journal->present.note.rank &&
      note.iteration == journal->present.note.iteration &&
      !strcmp(note.phase, journal->present.note.phase))
    return;
  journal->present.note = note;
  journal->present.noted = 1;
}

/* ---- the end ---- */

lrgd_status lrgd_journal_finish(lrgd_journal *journal, const char *outcome,
                                lrgd_error *error)
{
  if (!journal) return lr_journal_none(error);
  if (journal->readonly)
    return lr_run_fail(error, LRGD_ERR_INVALID, "the journal is only read");
  (void)snprintf(journal->present.session.outcome,
                 sizeof journal->present.session.outcome, "%s",
                 outcome ? outcome : "");
  if (!journal->trouble.fatal) (void)lr_journal_commit(journal, 0);
  return lrgd_journal_status(journal, error);
}

/* A run that was refused, or that failed before its end, has added no
 * evaluations: its session is removed, and the one before it says how the run
 * ended. (Settings that may change have changed.  Where the file cannot be
 * written, it shows a session that was interrupted.) */
static void undo_session(lrgd_journal *journal)
{
  lrgd_error ignored;
  (void)lr_store_drop_session(journal->store, journal->present.session.id,
                              &ignored);
}

void lrgd_journal_close(lrgd_journal **journal)
{
  if (!journal || !*journal) return;
  lrgd_journal *gone = *journal;
  if (gone->asked.pool && gone->asked.pool->retracting.user == gone) {
    gone->asked.pool->retracting.retract = NULL;
    gone->asked.pool->retracting.again = NULL;
    gone->asked.pool->retracting.gone = NULL;
  }
  int ended = gone->readonly || gone->present.session.outcome[0] ||
              gone->present.session.id < 2;
  /* a regular end leaves no evaluation in flight */
  if (!gone->readonly && !gone->trouble.fatal &&
      (gone->present.session.in_flight || gone->writing.first))
    (void)lr_journal_commit(gone, 0);
  if (!ended || (!gone->readonly && gone->trouble.fatal == LRGD_ERR_REFUSED))
    undo_session(gone);
  free_journal(gone);
  *journal = NULL;
}
