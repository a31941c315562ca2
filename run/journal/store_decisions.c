/* Decisions of the solver in the journal's file: words and numbers, no
 * sentences. */
#include "store_private.h"

#include <math.h>
#include <string.h>

enum { WORDS = 3, COUNTS = 6, REALS = 4 };

/* The columns of a row that its checksum covers. */
typedef struct decided {
  uint64_t id;
  const char *words[WORDS]; /* kind, cause, norm */
  uint64_t counts[COUNTS];  /* evaluations, iteration, rank, side, input,
                               count */
  double reals[REALS];      /* f, value, level, bound: NaN is stored as NULL */
} decided;

static uint64_t sum_of(const decided *d)
{
  uint64_t sum = lr_sum_u64(9, d->id);
  for (int i = 0; i < WORDS; i++)
    sum = lr_sum_bytes(sum, d->words[i], strlen(d->words[i]));
  for (int i = 0; i < COUNTS; i++) sum = lr_sum_u64(sum, d->counts[i]);
  for (int i = 0; i < REALS; i++) {
    char bytes[8];
    double x = d->reals[i] == 0 ? 0 : d->reals[i]; /* -0 is stored as 0 */
    if (isnan(x)) x = NAN;
    lr_put_doubles(bytes, &x, 1);
    sum = lr_sum_bytes(sum, bytes, sizeof bytes);
  }
  return sum;
}

static decided row_of(uint64_t id, const lrgd_phase *phase)
{
  const lrgd_decision *d = &phase->decision;
  return (decided){
      id,
      {lrgd_decision_kind_text(d->kind), lrgd_cause_text(d->cause),
        lrgd_norm_text(d->norm)                            },
      { phase->evaluations,                phase->iteration,               phase->rank,
        (uint64_t)(int64_t)d->side, d->input, d->count},
      {                  phase->f,                                d->value,                                                  d->level, d->limit}
  };
}

lrgd_status lr_store_put_decision(lr_store *store, uint64_t id,
                                  const lrgd_phase *phase, lrgd_error *error)
{
  sqlite3_stmt *put = lr_store_statement(store, LR_PUT_DECISION, error);
  if (!put) return LRGD_ERR_STORAGE;
  decided d = row_of(id, phase);
  int at = 1, code = sqlite3_bind_int64(put, at++, (int64_t)d.id);
  for (int i = 0; i < WORDS && !code; i++)
    code = sqlite3_bind_text(put, at++, d.words[i], -1, SQLITE_STATIC);
  for (int i = 0; i < COUNTS && !code; i++)
    code = sqlite3_bind_int64(put, at++, (int64_t)d.counts[i]);
  for (int i = 0; i < REALS && !code; i++)
    code = sqlite3_bind_double(put, at++, d.reals[i]); /* NaN becomes NULL */
  if (!code) code = sqlite3_bind_int64(put, at, (int64_t)sum_of(&d));
  return lr_store_finish(store, put, code, error);
}

lrgd_status lr_store_drop_decisions(lr_store *store, lrgd_error *error)
{
  sqlite3_stmt *drop = lr_store_statement(store, LR_DROP_DECISIONS, error);
  return drop ? lr_store_finish(store, drop, SQLITE_OK, error)
              : LRGD_ERR_STORAGE;
}

/* ---- reading ---- */

typedef const char *(*word_fn)(int i);

static const char *kind_word(int i)
{
  return lrgd_decision_kind_text((lrgd_decision_kind)i);
}

static const char *cause_word(int i)
{
  return lrgd_cause_text((lrgd_cause)i);
}

static const char *norm_word(int i)
{
  return lrgd_norm_text((lrgd_norm)i);
}

/* The enumerator of a word; 0 for a word of a later version. */
static int number_of(const char *word, word_fn words, int count)
{
  for (int i = 0; i < count; i++)
    if (!strcmp(word, words(i))) return i;
  return 0;
}

/* 0: the checksum does not match. */
static int read_decided(sqlite3_stmt *row, decided *d)
{
  int at = 0;
  d->id = (uint64_t)sqlite3_column_int64(row, at++);
  for (int i = 0; i < WORDS; i++) {
    const char *word = (const char *)sqlite3_column_text(row, at++);
    d->words[i] = word ? word : "";
  }
  for (int i = 0; i < COUNTS; i++)
    d->counts[i] = (uint64_t)sqlite3_column_int64(row, at++);
  for (int i = 0; i < REALS; i++, at++)
    d->reals[i] = sqlite3_column_type(row, at) == SQLITE_NULL
                      ? NAN
                      : sqlite3_column_double(row, at);
  return sum_of(d) == (uint64_t)sqlite3_column_int64(row, at);
}

static lrgd_phase phase_of(const decided *d)
{
  lrgd_phase phase = {
      .struct_size = sizeof phase,
      .evaluations = d->counts[0],
      .iteration = d->counts[1],
      .rank = (size_t)d->counts[2],
      .f = d->reals[0],
      .decision = {
                   .kind = (lrgd_decision_kind)number_of(d->words[0], kind_word,
                   LRGD_DECISION_KIND_COUNT),
                   .cause =
              (lrgd_cause)number_of(d->words[1], cause_word, LRGD_CAUSE_COUNT),
                   .norm = (lrgd_norm)number_of(d->words[2], norm_word, LRGD_NORM_COUNT),
                   .side = (int)(int64_t)d->counts[3],
                   .input = (size_t)d->counts[4],
                   .count = d->counts[5],
                   .value = d->reals[1],
                   .level = d->reals[2],
                   .limit = d->reals[3]}
  };
  (void)lrgd_decision_text(&phase.decision, NULL, phase.text,
                           sizeof phase.text);
  return phase;
}

lrgd_status lr_store_each_decision(lr_store *store, lrgd_phase_fn fn,
                                   void *user, lrgd_error *error)
{
  sqlite3_stmt *rows = NULL;
  lrgd_status status = LRGD_OK;
  if (store->version < 4) return LRGD_OK;
  int code = sqlite3_prepare_v2(
      store->db,
      "SELECT id, kind, cause, norm, evaluations, iteration, rank, side, "
      "input, count, f, value, level, bound, sum FROM decisions ORDER BY id",
      -1, &rows, NULL);
  while (!code && !status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    decided d;
    code = SQLITE_OK;
    if (!read_decided(rows, &d))
      status = lr_store_damaged(store, "decision", d.id, error);
    lrgd_phase phase = status ? (lrgd_phase){0} : phase_of(&d);
    /* the first row is a placeholder, and later versions have more kinds */
    if (phase.decision.kind != LRGD_DECISION_KIND_NONE && fn(&phase, user))
      break;
  }
  (void)sqlite3_finalize(rows);
  if (!status && code && code != SQLITE_DONE)
    status = lr_store_fail(store, code, "read", error);
  return status;
}
