/* Shared by the files of the journal only. */
#ifndef LR_RUN_JOURNAL_PRIVATE_H
#define LR_RUN_JOURNAL_PRIVATE_H

#include "lock.h"
#include "process/pool.h"
#include "store.h"

enum { LR_POINTS, LR_DIRECTIONS, LR_STREAMS };

/* Decisions kept of a path, as many as a solver keeps. */
enum { LR_DECISIONS = 256 };

/* Rows and vectors that wait for the next commit, in order. */
typedef struct lr_pending {
  struct lr_pending *next;
  int stream; /* the stream of a vector; -1: it is a row */
  lr_coded coded;
  lr_row row;
  char *why; /* the reason of a failed row; owned */
  char data[];
} lr_pending;

/* A stored vector in memory while a run is replayed. */
typedef struct lr_cached {
  lr_coded coded;
  char *data; /* of coded; owned */
  uint64_t stamp;
} lr_cached;

/* A setting as it is stored. */
typedef struct lr_kept_setting {
  lrgd_setting view; /* points to the owned data below */
  char *key, *text;
  double *numbers;
} lr_kept_setting;

/* The last points of a replay that departed by rounding, as stored and as
 * requested: p numbers each. */
typedef struct lr_drift {
  size_t room, count, next;
  double *stored, *asked;
  double *shift; /* displacement of new evaluations; NULL: none yet */
} lr_drift;

/* The settings of the journal, and how they differ from the stored ones. */
typedef struct lr_journal_kept {
  lr_kept_setting *settings; /* settings as stored */
  size_t setting_count;
  char *is_log;         /* of each coordinate: the setting "log"; NULL: none */
  char difference[512]; /* names of settings that require a new path; or "" */
  lr_kept_setting
      *unconfirmed; /* changed settings: first those of the function itself, on
                       whose confirmation the others wait */
  size_t unconfirmed_count;
  double noise;        /* found by the run, not stored yet; NaN: none */
  double *multipliers; /* owned; as many, not stored yet; NULL: none */
  size_t multiplier_count;
} lr_journal_kept;

/* The problem that is evaluated where nothing is stored. */
typedef struct lr_journal_asked {
  int wrapped; /* inner has been set */
  lrgd_problem inner;
  lrgd_evaluator evaluator; /* answer NULL: inner's callbacks are called */
  lrgd_pool *pool;          /* the evaluator, where it is a pool */
} lr_journal_asked;

/* Numbers of evaluations. */
typedef struct lr_journal_count {
  uint64_t next_sequence; /* the next evaluation */
  uint64_t last_stored;   /* the last stored one: nothing to replay beyond */
  uint64_t replayed, unanswered;
  /* unanswered questions that were reported to the solver */
  uint64_t told_unanswered;
  /* evaluations that were repeated, in all sessions; and how many of these are
   * committed */
  uint64_t repeats, repeats_stored;
  uint64_t allowed; /* evaluations announced by the last commit */
} lr_journal_count;

/* The present session, and the progress of the run. */
typedef struct lr_journal_present {
  lr_journal_session session;
  lr_note note;
  int noted; /* progress was recorded since the last commit */
  /* Decisions of this session: how many, and how many of these are committed.
   * The last place is for the newest. */
  lrgd_phase decided[LR_DECISIONS];
  uint64_t decisions, decisions_stored;
  double opened_s;
} lr_journal_present;

/* Rows that are not committed yet. */
typedef struct lr_journal_writing {
  lr_codec *codecs[LR_STREAMS];
  uint64_t next_vector;
  lr_pending *first, **last;
} lr_journal_writing;

/* Rows that are read back, and whether they match the requests. */
typedef struct lr_journal_replayed {
  lr_cached *cache;
  size_t cache_size;
  uint64_t clock;
  double *decoded[LR_STREAMS]; /* the vector last compared, and its id */
  uint64_t decoded_id[LR_STREAMS];
  lr_kept_base base[LR_STREAMS];
  lr_drift drift;
  lrgd_departure departure;
} lr_journal_replayed;

/* Why the journal stopped, and where that is reported. */
typedef struct lr_journal_trouble {
  lrgd_status fatal;
  lrgd_error fatal_error;
  lrgd_fatal_fn on_fatal;
  void *on_fatal_user;
} lr_journal_trouble;

/* An evaluation that was started by itself and has no answer yet. */
typedef struct lr_journal_flying {
  uint64_t ticket;
  double *x;    /* owned; of the place in the pool: see lr_pool_place */
  int launched; /* the evaluator has been asked for it */
  int ended;    /* it has an answer: */
  double f;
} lr_journal_flying;

/* Evaluations that end in any order: their numbers are those of the order of
 * their answers, which a replay repeats. */
typedef struct lr_journal_flight {
  lr_journal_flying *list; /* in the order of their starts */
  size_t count, room;
  uint64_t *ended; /* tickets in the order of answers: `room`, of which
                      ended_count are not handed out */
  size_t ended_count;
} lr_journal_flight;

struct lrgd_journal {
  char *path;
  lr_lock lock;
  lr_store *store;
  lrgd_journal_options options;
  int readonly;
  int ended; /* read-only, and all its answers have been used */
  lr_run_facts facts;
  size_t p;
  lr_path *paths; /* the last one is the present path */
  size_t path_count;
  lr_journal_kept kept;
  lr_journal_asked asked;
  lr_journal_count count;
  lr_journal_present present;
  lr_journal_writing writing;
  lr_journal_replayed replay;
  lr_journal_trouble trouble;
  lr_journal_flight flight;
};

/* Stops the run; the first reason is kept. */
void lr_journal_fail(lrgd_journal *journal, const lrgd_error *error);
void lr_journal_fail_for_memory(lrgd_journal *journal);

/* The evaluations of one call. */
typedef struct lr_questions {
  lr_row_kind kind;
  size_t p, m;
  const double *x; /* value, residuals: p x m; else one point */
  const double *u; /* slope, complex: p x m */
  double *f;       /* m; gradient: 1 */
  double *d;       /* the other numbers, question after question: slope,
                      complex: 1; gradient: p; residuals: n; with derivatives
                      n (1 + p) or 2 n */
  size_t n;        /* residuals, of one question; else 0 */
} lr_questions;

/* How many numbers each of the answers has besides f. */
static inline size_t lr_numbers_of(const lr_questions *q)
{
  if (q->kind == LR_ROW_VALUE) return 0;
  if (lr_row_kind_has_residuals(q->kind))
    return q->n * lr_row_kind_per_residual(q->kind, q->p);
  return q->kind == LR_ROW_GRADIENT ? q->p : 1;
}

/* Whether each of the questions has a point of its own; else all have one. */
static inline int lr_has_points(const lr_questions *q)
{
  return q->kind == LR_ROW_VALUE || q->kind == LR_ROW_RESIDUALS;
}

/* Adds the answer of evaluation i to the next commit. */
void lr_journal_record(lrgd_journal *journal, const lr_questions *q, size_t i,
                       uint64_t sequence, double seconds, const char *why);
/* Commits all pending rows, with the number of evaluations that are about to
 * run.  0: failed, and the journal is stopped. */
int lr_journal_commit(lrgd_journal *journal, uint64_t in_flight);
void lr_journal_drop_pending(lrgd_journal *journal);

/* Answers evaluation i from the journal.  1: done; 0: it is not stored, or the
 * journal was stopped. */
int lr_journal_replay(lrgd_journal *journal, const lr_questions *q, size_t i,
                      uint64_t sequence);
void lr_journal_end_replay(lrgd_journal *journal);
/* Reads a vector through the cache; for lr_codec_decode. */
int lr_journal_get_vector(uint64_t id, lr_coded *coded, void *user);

/* The stored vector, borrowed until the next of that stream is; NULL: the
 * journal has been stopped. */
const double *lr_journal_decode(lrgd_journal *journal, int stream, uint64_t id);

/* The accuracy of a stored point, relative to its largest coordinate. */
double lr_journal_accuracy(const lrgd_journal *journal);

/* ---- departures by rounding ---- */

/* Whether the step to x, stored as the sequence-th point, equals the stored
 * step up to rounding; then x is remembered. */
int lr_drift_follows(lrgd_journal *journal, uint64_t sequence, const double *x,
                     const double *stored);
/* Displaces new points by the replay's displacement: q->x is replaced by a copy
 * to be freed.  1: done, *moved may be NULL; 0: out of memory. */
int lr_drift_move(lrgd_journal *journal, lr_questions *q, double **moved);
void lr_drift_free(lrgd_journal *journal);

/* Evaluates without recording.  0: out of memory. */
int lr_journal_ask_bare(lrgd_journal *journal, const lr_questions *q);
/* Confirms the changed settings; may stop the journal. */
void lr_journal_confirm_now(lrgd_journal *journal);

lrgd_status lr_journal_load_paths(lrgd_journal *journal, lrgd_error *error);
/* The present path. */
static inline const lr_path *lr_journal_path(const lrgd_journal *journal)
{
  return &journal->paths[journal->path_count - 1];
}
/* The number of the path of a row. */
uint64_t lr_journal_path_of(const lrgd_journal *journal, uint64_t sequence);
void lr_journal_label_now(char *text, size_t size);

/* Whether a new answer may be asked for and stored: confirms changed settings
 * first. */
int lr_journal_may_ask(lrgd_journal *journal);
/* Refuses evaluations where the settings are not those of the stored path. */
void lr_journal_check_path(lrgd_journal *journal);
/* A journal that is only read has no more answers: ends the run. */
void lr_journal_end_reading(lrgd_journal *journal);

/* The callbacks for evaluations that end in any order.  journal_flight.c */
void lr_journal_start(size_t p, const double *x, uint64_t ticket, void *user);
uint64_t lr_journal_finish(double *f, void *user);
void lr_journal_flight_free(lrgd_journal *journal);

/* The sequence number of the stored point that one of m points, side by side
 * in X, is nearest to; m: there is none, or it cannot be read. */
size_t lr_journal_find_point(lrgd_journal *journal, uint64_t sequence, size_t m,
                             const double *const *points);

/* Answers the evaluations of one call from the journal, and evaluates and
 * records the others. */
void lr_journal_ask(lrgd_journal *journal, const lr_questions *q);

/* The wrapped callbacks. */
void lr_journal_set_callbacks(const lrgd_problem *inner, lrgd_problem *wrapped);

lrgd_status lr_journal_load_settings(lrgd_journal *journal, lrgd_error *error);
void lr_journal_free_settings(lrgd_journal *journal);
/* From the setting "log"; p is known. */
lrgd_status lr_journal_find_logs(lrgd_journal *journal, lrgd_error *error);
/* Compares with the options; ERR_REFUSED names the keys that differ.  Where
 * they may differ, they are listed in journal->kept.difference. */
lrgd_status lr_journal_compare_settings(lrgd_journal *journal,
                                        lrgd_error *error);
/* Writes those of options.settings that are new or have changed; in a
 * transaction. */
lrgd_status lr_journal_put_settings(lrgd_journal *journal, lrgd_error *error);
/* Writes the settings "repeats", "noise found" and "multipliers found" where
 * they are new; in a transaction. */
lrgd_status lr_journal_put_own(lrgd_journal *journal, lrgd_error *error);
void lr_journal_free_unconfirmed(lrgd_journal *journal);

/* Counts one more evaluation than the run has requested; before it runs. */
void lr_journal_repeat(void *journal);

/* Turns a recorded answer that cannot be trusted into a failure. */
void lr_journal_retract(void *journal, uint64_t sequence, const char *why);

/* There is no journal, or nothing to fill. */
static inline lrgd_status lr_journal_none(lrgd_error *error)
{
  return lr_run_fail(error, LRGD_ERR_INVALID,
                     "the journal is NULL, or what is asked of it");
}

#endif
