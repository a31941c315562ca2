/* Rows in and out of a journal: those that wait for a commit, and answers from
 * an earlier session. */
#include "journal_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- rows not yet committed ---- */

static lr_pending *make_pending(const char *data, size_t size)
{
  lr_pending *made = calloc(1, sizeof *made + size);
  if (made && data) memcpy(made->data, data, size);
  return made;
}

static void append(lrgd_journal *journal, lr_pending *pending)
{
  *journal->writing.last = pending;
  journal->writing.last = &pending->next;
}

void lr_journal_drop_pending(lrgd_journal *journal)
{
  while (journal->writing.first) {
    lr_pending *gone = journal->writing.first;
    journal->writing.first = gone->next;
    free(gone->why);
    free(gone);
  }
  journal->writing.last = &journal->writing.first;
}

typedef struct stream_of {
  lrgd_journal *journal;
  int stream;
} stream_of;

static int put_vector(const lr_coded *coded, void *user)
{
  const stream_of *to = user;
  lr_pending *made = make_pending(coded->data, coded->size);
  if (!made) return 0;
  made->stream = to->stream;
  made->coded = *coded;
  made->coded.data = made->data;
  append(to->journal, made);
  return 1;
}

static uint64_t encode(lrgd_journal *journal, int stream, const double *x)
{
  stream_of to = {journal, stream};
  return lr_codec_encode(journal->writing.codecs[stream], x, put_vector, &to);
}

void lr_journal_fail_for_memory(lrgd_journal *journal)
{
  lrgd_error error;
  (void)lr_run_fail(&error, LRGD_ERR_NOMEM, "out of memory for the journal");
  lr_journal_fail(journal, &error);
}

static const double *point_of(const lr_questions *q, size_t i)
{
  return lr_has_points(q) ? q->x + i * q->p : q->x;
}

/* The numbers of evaluation i besides f. */
static double *numbers_at(const lr_questions *q, size_t i)
{
  return q->d + i * lr_numbers_of(q);
}

/* Whether some of the residuals are there although f has no value. */
static int is_partial(const lr_questions *q, size_t i)
{
  int some = 0;
  for (size_t j = 0; q->kind == LR_ROW_RESIDUALS && j < q->n; j++)
    some |= isfinite(q->d[i * q->n + j]) != 0;
  return some;
}

void lr_journal_record(lrgd_journal *journal, const lr_questions *q, size_t i,
                       uint64_t sequence, double seconds, const char *why)
{
  if (journal->trouble.fatal) return;
  int failed = isnan(q->f[i]);
  size_t count = failed && !is_partial(q, i) ? 0 : 1 + lr_numbers_of(q);
  uint64_t x = encode(journal, LR_POINTS, point_of(q, i));
  uint64_t u = q->u ? encode(journal, LR_DIRECTIONS, q->u + i * q->p) : 0;
  lr_pending *made = make_pending(NULL, 8 * count);
  if (failed && !why) why = "the callback gave no number";
  char *kept = why ? strdup(why) : NULL;
  if (!made || !x || (q->u && !u) || (why && !kept)) {
    free(made);
    free(kept);
    lr_journal_fail_for_memory(journal);
    return;
  }
  if (count) lr_put_doubles(made->data, &q->f[i], 1);
  if (count > 1) lr_put_doubles(made->data + 8, numbers_at(q, i), count - 1);
  made->stream = -1;
  made->why = kept;
  made->row = (lr_row){.sequence = sequence,
                       .session = journal->present.session.id,
                       .kind = q->kind,
                       .x = x,
                       .u = u,
                       .seconds = seconds,
                       .answer = made->data,
                       .answer_size = 8 * count,
                       .why = kept};
  append(journal, made);
}

/* ---- commits ---- */

/* The decisions of the session before are removed once this one has made some.
 */
static lrgd_status put_decisions(lrgd_journal *journal, lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  if (journal->present.decisions == journal->present.decisions_stored)
    return status;
  if (journal->present.decisions_stored == 0)
    status = lr_store_drop_decisions(journal->store, error);
  uint64_t last = journal->present.decisions < LR_DECISIONS
                      ? journal->present.decisions
                      : LR_DECISIONS;
  uint64_t i = journal->present.decisions_stored < last
                   ? journal->present.decisions_stored
                   : last - 1;
  for (; i < last && !status; i++)
    status = lr_store_put_decision(journal->store, i + 1,
                                   &journal->present.decided[i], error);
  return status;
}

static lrgd_status put_all(lrgd_journal *journal, int *full, lrgd_error *error)
{
  lrgd_status status = lr_store_begin(journal->store, full, error);
  for (lr_pending *at = journal->writing.first; at && !status; at = at->next)
    status = at->stream < 0 ? lr_store_put_row(journal->store, &at->row, error)
                            : lr_store_put_vector(journal->store, at->stream,
                                                  &at->coded, error);
  if (!status)
    status =
        lr_store_put_session(journal->store, &journal->present.session, error);
  if (!status) status = lr_journal_put_own(journal, error);
  if (!status && journal->present.noted)
    status = lr_store_put_note(journal->store, &journal->present.note, error);
  if (!status) status = put_decisions(journal, error);
  *full = status && lr_store_is_full(journal->store);
  if (!status) status = lr_store_commit(journal->store, full, error);
  if (status) lr_store_abandon(journal->store);
  return status;
}

int lr_journal_commit(lrgd_journal *journal, uint64_t in_flight)
{
  lrgd_error error;
  double began_s = lr_now_s();
  struct timespec pause = {0, 20000000};
  if (journal->trouble.fatal) return 0;
  journal->present.session.in_flight = in_flight;
  for (;;) {
    int full = 0;
    journal->present.session.seconds = lr_now_s() - journal->present.opened_s;
    if (!put_all(journal, &full, &error)) break;
    int hurry =
        journal->asked.pool && atomic_load(&journal->asked.pool->level) > 1;
    if (!full || hurry ||
        lr_now_s() - began_s > journal->options.storage_wait_s) {
      lr_journal_fail(journal, &error);
      return 0;
    }
    (void)nanosleep(&pause, NULL); /* the disk is full: space may be freed */
    if (pause.tv_nsec < 500000000) pause.tv_nsec *= 2;
  }
  lr_journal_drop_pending(journal);
  journal->present.noted = 0;
  journal->present.decisions_stored = journal->present.decisions;
  journal->count.repeats_stored = journal->count.repeats;
  journal->kept.noise = NAN;
  lrgd_journal_keep_multipliers(journal, 0, NULL);
  journal->count.allowed = in_flight;
  return 1;
}

void lr_journal_retract(void *user, uint64_t sequence, const char *why)
{
  lrgd_journal *journal = user;
  lrgd_error error;
  int full;
  if (!lr_journal_commit(journal, journal->present.session.in_flight)) return;
  lrgd_status status = lr_store_begin(journal->store, &full, &error);
  if (!status)
    status = lr_store_retract_row(journal->store, sequence, why, &error);
  if (!status) status = lr_store_commit(journal->store, &full, &error);
  if (!status) return;
  lr_store_abandon(journal->store);
  lr_journal_fail(journal, &error);
}

/* ---- replay ---- */

static lr_cached *cache_place(lrgd_journal *journal)
{
  if (!journal->replay.cache) {
    size_t size = ((size_t)192 << 20) / sizeof(double) / journal->p;
    journal->replay.cache_size = size < 4 ? 4 : size > 128 ? 128 : size;
    journal->replay.cache =
        calloc(journal->replay.cache_size, sizeof *journal->replay.cache);
    if (!journal->replay.cache) return NULL;
  }
  lr_cached *place = journal->replay.cache;
  for (size_t i = 0; i < journal->replay.cache_size; i++)
    if (journal->replay.cache[i].stamp < place->stamp)
      place = &journal->replay.cache[i];
  return place;
}

static int find_cached(lrgd_journal *journal, uint64_t id, lr_coded *coded)
{
  for (size_t i = 0; journal->replay.cache && i < journal->replay.cache_size;
       i++) {
    if (journal->replay.cache[i].coded.id != id) continue;
    journal->replay.cache[i].stamp = ++journal->replay.clock;
    *coded = journal->replay.cache[i].coded;
    return 1;
  }
  return 0;
}

int lr_journal_get_vector(uint64_t id, lr_coded *coded, void *user)
{
  lrgd_journal *journal = user;
  lrgd_error error;
  if (id == 0) return 0;
  if (find_cached(journal, id, coded)) return 1;
  if (lr_store_get_vector(journal->store, id, coded, &error)) {
    lr_journal_fail(journal, &error);
    return 0;
  }
  if (coded->kind != LR_DENSE && coded->kind != LR_UNIT) return 1;
  lr_cached *place = cache_place(journal);
  char *copy = place ? malloc(coded->size + 1) : NULL;
  if (!copy) return 1; /* without the copy reading is only slower */
  if (coded->size) memcpy(copy, coded->data, coded->size);
  free(place->data);
  place->coded = *coded;
  place->coded.data = place->data = copy;
  place->stamp = ++journal->replay.clock;
  return 1;
}

void lr_journal_end_replay(lrgd_journal *journal)
{
  for (size_t i = 0; journal->replay.cache && i < journal->replay.cache_size;
       i++)
    free(journal->replay.cache[i].data);
  free(journal->replay.cache);
  journal->replay.cache = NULL;
  for (int s = 0; s < LR_STREAMS; s++) {
    free(journal->replay.decoded[s]);
    journal->replay.decoded[s] = NULL;
    journal->replay.decoded_id[s] = 0;
    free(journal->replay.base[s].x);
    journal->replay.base[s] = (lr_kept_base){NULL, 0};
  }
}

const double *lr_journal_decode(lrgd_journal *journal, int stream, uint64_t id)
{
  lrgd_error error;
  double **x = &journal->replay.decoded[stream];
  if (*x && journal->replay.decoded_id[stream] == id) return *x;
  if (!*x) *x = malloc(journal->p * sizeof **x);
  int done = -1;
  if (*x)
    done = lr_codec_decode_next(journal->p, journal->kept.is_log, id, *x,
                                &journal->replay.base[stream],
                                lr_journal_get_vector, journal);
  journal->replay.decoded_id[stream] = id;
  if (done > 0) return *x;
  if (done < 0) {
    lr_journal_fail_for_memory(journal);
    return NULL;
  }
  (void)lr_run_fail(&error, LRGD_ERR_REFUSED, "%.300s is damaged: vector %llu",
                    journal->path, (unsigned long long)id);
  lr_journal_fail(journal, &error);
  return NULL;
}

double lr_journal_accuracy(const lrgd_journal *journal)
{
  /* the error of a logarithm is multiplied by |log x| < 746 in the coordinate
   */
  return (journal->kept.is_log ? 4 * 746 : 4) * LR_CODEC_ACCURACY;
}

/* The coordinate in which they differ most; p: they are equal to the accuracy
 * of stored points. */
static size_t largest_difference(const lrgd_journal *journal, const double *x,
                                 const double *stored)
{
  double scale = 0, most = 0;
  size_t worst = journal->p;
  for (size_t i = 0; i < journal->p; i++)
    scale = fmax(scale, fmax(fabs(x[i]), fabs(stored[i])));
  double least = lr_journal_accuracy(journal) * scale;
  for (size_t i = 0; i < journal->p; i++) {
    double off = fabs(x[i] - stored[i]);
    if (off <= least || off <= most) continue;
    most = off;
    worst = i;
  }
  return worst;
}

/* Equality up to rounding: of a direction relative to its length, of a point
 * relative to the step that led to it. */
static int is_same_vector(lrgd_journal *journal, int stream, uint64_t sequence,
                          const double *x, const double *stored)
{
  double off = 0, length = 0;
  if (stream == LR_POINTS)
    return lr_drift_follows(journal, sequence, x, stored);
  for (size_t i = 0; i < journal->p; i++) {
    off += (x[i] - stored[i]) * (x[i] - stored[i]);
    length += stored[i] * stored[i];
  }
  return sqrt(off) <= journal->options.tolerance * sqrt(length);
}

static void depart(lrgd_journal *journal, uint64_t sequence, const char *what)
{
  lrgd_error error;
  journal->replay.departure.sequence = sequence;
  (void)lr_run_fail(&error, LRGD_ERR_REFUSED,
                    "%.200s does not fit this run: evaluation %llu %s%s",
                    journal->path, (unsigned long long)sequence, what,
                    journal->replay.departure.how);
  lr_journal_fail(journal, &error);
}

static int check_vector(lrgd_journal *journal, int stream, uint64_t id,
                        const double *x, uint64_t sequence)
{
  lr_coded coded;
  const double *stored = lr_journal_decode(journal, stream, id);
  if (!stored) return 0;
  size_t i = largest_difference(journal, x, stored);
  double here = i < journal->p ? x[i] : 0,
         there = i < journal->p ? stored[i] : 0;
  int same =
      i == journal->p && (stream != LR_POINTS || !journal->replay.drift.room);
  if (same || is_same_vector(journal, stream, sequence, x, stored)) {
    stored = lr_journal_decode(journal, stream, id);
    if (!journal->readonly && stored &&
        lr_journal_get_vector(id, &coded, journal))
      lr_codec_meet(journal->writing.codecs[stream], same ? x : stored, id,
                    coded.kind != LR_SPARSE);
    return stored != NULL;
  }
  if (journal->trouble.fatal) return 0;
  (void)snprintf(
      journal->replay.departure.how, sizeof journal->replay.departure.how,
      "coordinate %zu is %.17g there, %.17g here", i + 1, there, here);
  depart(journal, sequence,
         stream == LR_POINTS ? "was made at another point: "
                             : "was made at another direction: ");
  return 0;
}

static int check_shape(lrgd_journal *journal, const lr_questions *q,
                       const lr_row *row)
{
  static const char *const names[LR_ROW_KINDS] = {"value",
                                                  "slope",
                                                  "gradient",
                                                  "complex value",
                                                  "vector of residuals",
                                                  "Jacobian of residuals",
                                                  "slope of residuals"};
  size_t whole = 8 * (1 + lr_numbers_of(q));
  if (row->kind == q->kind && !row->u == !q->u &&
      (row->answer_size == whole || row->answer_size == 0))
    return 1;
  (void)snprintf(journal->replay.departure.how,
                 sizeof journal->replay.departure.how, "a %s there, a %s here",
                 names[row->kind], names[q->kind]);
  if (row->kind == q->kind && lr_row_kind_has_residuals(row->kind))
    (void)snprintf(journal->replay.departure.how,
                   sizeof journal->replay.departure.how,
                   "of %zu residuals there, of %zu here",
                   lr_row_residuals(row, q->p), q->n);
  depart(journal, row->sequence, "is ");
  return 0;
}

static void read_answer(const lr_questions *q, size_t i, const lr_row *row)
{
  q->f[i] = NAN;
  for (size_t j = 0; j < lr_numbers_of(q); j++) numbers_at(q, i)[j] = NAN;
  if (!row->answer_size) return;
  lr_get_doubles(&q->f[i], row->answer, 1);
  if (lr_numbers_of(q))
    lr_get_doubles(numbers_at(q, i), row->answer + 8, lr_numbers_of(q));
}

int lr_journal_replay(lrgd_journal *journal, const lr_questions *q, size_t i,
                      uint64_t sequence)
{
  lr_row row;
  lrgd_error error;
  int found;
  if (sequence > journal->count.last_stored || journal->trouble.fatal) return 0;
  if (lr_store_get_row(journal->store, sequence, &row, &found, &error)) {
    lr_journal_fail(journal, &error);
    return 0;
  }
  if (!found || !check_shape(journal, q, &row)) return 0;
  uint64_t x = row.x, u = row.u;
  /* to be read at once, as further reads overwrite the row */
  read_answer(q, i, &row);
  if (!check_vector(journal, LR_POINTS, x, point_of(q, i), sequence)) return 0;
  if (q->u &&
      !check_vector(journal, LR_DIRECTIONS, u, q->u + i * q->p, sequence))
    return 0;
  journal->count.replayed++;
  return 1;
}

/* The largest difference of a coordinate. */
static double distance(size_t p, const double *x, const double *y)
{
  double most = 0;
  for (size_t i = 0; i < p; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

size_t lr_journal_find_point(lrgd_journal *journal, uint64_t sequence, size_t m,
                             const double *const *points)
{
  lr_row row;
  lrgd_error error;
  int found;
  if (lr_store_get_row(journal->store, sequence, &row, &found, &error)) {
    lr_journal_fail(journal, &error);
    return m;
  }
  const double *stored =
      found ? lr_journal_decode(journal, LR_POINTS, row.x) : NULL;
  size_t best = m;
  double least = INFINITY;
  for (size_t i = 0; stored && i < m; i++) {
    double off = distance(journal->p, points[i], stored);
    if (best < m && !(off < least)) continue;
    best = i;
    least = off;
  }
  return best;
}
