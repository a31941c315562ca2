/* Between the files of the journal only. */
#ifndef LR_RUN_JOURNAL_PRIVATE_H
#define LR_RUN_JOURNAL_PRIVATE_H

#include "lock.h"
#include "pool.h"
#include "store.h"

enum { LR_POINTS, LR_DIRECTIONS, LR_STREAMS };

/* What waits for the next commit, in order. */
typedef struct lr_pending {
  struct lr_pending *next;
  int stream; /* of a vector; -1: a row */
  lr_coded coded;
  lr_row row;
  char *why; /* of a row; owned */
  char data[];
} lr_pending;

/* A stored vector kept at hand while a run is replayed. */
typedef struct lr_cached {
  lr_coded coded;
  char *data; /* of coded; owned */
  uint64_t stamp;
} lr_cached;

/* A setting as stored. */
typedef struct lr_kept_setting {
  lrgd_setting view; /* of what is owned below */
  char *key, *text;
  double *numbers;
} lr_kept_setting;

struct lrgd_journal {
  char *path;
  lr_lock lock;
  lr_store *store;
  lrgd_journal_options options;
  int readonly;
  int ended; /* only read, and all that is in it has been answered */
  lr_run_facts facts;
  size_t p;
  lr_kept_setting *settings; /* as stored */
  size_t setting_count;
  char *is_log; /* of each coordinate: the setting "log"; NULL: none */

  lrgd_problem inner;
  lrgd_answerer answerer; /* answer NULL: inner's callbacks are called */
  lrgd_pool *pool;        /* where it is one */

  uint64_t next_sequence; /* of the next question */
  uint64_t last_stored;   /* there is nothing to replay beyond it */
  uint64_t replayed, unanswered;
  uint64_t repeats, repeats_stored; /* of all sittings; so many are committed */
  lr_sitting sitting;
  lr_note note;
  int noted; /* since the last commit */
  double opened_s;
  uint64_t allowed; /* launches the last commit has announced */

  lr_codec *codecs[LR_STREAMS];
  uint64_t next_vector;
  lr_pending *first, **last;

  lr_cached *cache;
  size_t cache_size;
  uint64_t clock;
  double *decoded[LR_STREAMS]; /* the vector last compared, and its id */
  uint64_t decoded_id[LR_STREAMS];
  lr_kept_base base[LR_STREAMS];

  lrgd_status fatal;
  lrgd_error fatal_error;
  lrgd_fatal_fn on_fatal;
  void *on_fatal_user;
};

/* Stops the run for good: the first reason is kept. */
void lr_journal_fail(lrgd_journal *journal, const lrgd_error *error);
void lr_journal_fail_for_memory(lrgd_journal *journal);

/* Questions of one call, as rows. */
typedef struct lr_questions {
  lr_row_kind kind;
  size_t p, m;
  const double *x; /* value: p x m; else one point */
  const double *u; /* slope, complex: p x m */
  double *f;       /* m; gradient: 1 */
  double *d;       /* slope, complex: m; gradient: p */
} lr_questions;

/* Puts the answer of question i among what waits. */
void lr_journal_record(lrgd_journal *journal, const lr_questions *q, size_t i,
                       uint64_t sequence, double seconds, const char *why);
/* Commits what waits and that so many are about to run.  0: failed, and the
 * journal is stopped. */
int lr_journal_commit(lrgd_journal *journal, uint64_t in_flight);
void lr_journal_drop_pending(lrgd_journal *journal);

/* Answers question i from the journal.  1: done; 0: it is not there, or the
 * journal was stopped. */
int lr_journal_replay(lrgd_journal *journal, const lr_questions *q, size_t i,
                      uint64_t sequence);
void lr_journal_end_replay(lrgd_journal *journal);
/* Reads a vector through the cache; for lr_codec_decode. */
int lr_journal_get_vector(uint64_t id, lr_coded *coded, void *user);

/* The wrapped callbacks. */
void lr_journal_set_callbacks(const lrgd_problem *inner, lrgd_problem *wrapped);

lrgd_status lr_journal_load_settings(lrgd_journal *journal, lrgd_error *error);
void lr_journal_free_settings(lrgd_journal *journal);
/* From the setting "log"; p is known. */
lrgd_status lr_journal_find_logs(lrgd_journal *journal, lrgd_error *error);
/* Against options; ERR_REFUSED names the keys that differ. */
lrgd_status lr_journal_compare_settings(const lrgd_journal *journal,
                                        lrgd_error *error);
/* Writes those of options.settings that are new or have changed; in a
 * transaction. */
lrgd_status lr_journal_put_settings(lrgd_journal *journal, lrgd_error *error);
/* Writes the setting "repeats" where there are more now; in a transaction. */
lrgd_status lr_journal_put_repeats(lrgd_journal *journal, lrgd_error *error);

#endif
