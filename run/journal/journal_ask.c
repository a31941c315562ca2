/* The wrapped callbacks: answer from the journal, otherwise evaluate and
 * record.  Every evaluation has a number, in the order of the solver's
 * requests; that number is the key, as points may repeat. */
#include "journal_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The evaluations of a call that are under way: index[j] is the index in the
 * call of the j-th; NULL: all of them. */
typedef struct asking {
  lrgd_journal *journal;
  const lr_questions *call;
  lr_questions asked;
  const size_t *index;
  uint64_t first; /* sequence number of the call's first */
  size_t answered;
} asking;

static void fill(double *to, size_t n, double value)
{
  for (size_t i = 0; to && i < n; i++) to[i] = value;
}

static void give_up(lrgd_journal *journal, const lr_questions *q)
{
  double none = lrgd_unanswered();
  journal->count.unanswered += q->m;
  fill(q->f, q->m, none);
  fill(q->d, q->m * lr_numbers_of(q), none);
}

static uint64_t sequence_of(const asking *a, size_t j)
{
  return a->first + (a->index ? a->index[j] : j);
}

/* ---- from an evaluator: each answer is kept as it comes ---- */

static void recorder_answered(void *user, size_t j, double seconds,
                              const char *why)
{
  asking *a = user;
  a->answered++;
  lr_journal_record(a->journal, &a->asked, j, sequence_of(a, j), seconds, why);
  lrgd_pool *pool = a->journal->asked.pool;
  if (pool) pool->retracting.settled_as = sequence_of(a, j);
}

/* Commits answers before anything new runs, and in the same commit how many
 * evaluations are about to run. */
static long recorder_flush(void *user, size_t wanted)
{
  asking *a = user;
  lrgd_journal *journal = a->journal;
  size_t running = a->asked.m - wanted - a->answered;
  size_t jobs = (size_t)journal->options.jobs;
  size_t room = jobs > running ? jobs - running : 0;
  size_t more = wanted < room ? wanted : room;
  if (journal->trouble.fatal) return -1;
  if (!journal->writing.first && journal->count.allowed >= running + more)
    return (long)more;
  /* also announces the first evaluation of the next call, after the last one of
   * this */
  uint64_t in_flight = running + more;
  if (in_flight == 0) in_flight = 1;
  return lr_journal_commit(journal, in_flight) ? (long)more : -1;
}

/* Commits before the evaluation is repeated: a kill cannot hide it from the
 * budget. */
static int recorder_repeat(void *user)
{
  asking *a = user;
  lrgd_journal *journal = a->journal;
  if (journal->trouble.fatal) return 0;
  journal->count.repeats++;
  return lr_journal_commit(journal, journal->present.session.in_flight);
}

void lr_journal_repeat(void *journal)
{
  (void)recorder_repeat(&(asking){.journal = journal});
}

static const lrgd_oracle oracles[LR_ROW_KINDS] = {
    LRGD_ORACLE_VALUE,         LRGD_ORACLE_SLOPE,     LRGD_ORACLE_GRADIENT,
    LRGD_ORACLE_VALUE,         LRGD_ORACLE_RESIDUALS, LRGD_ORACLE_JACOBIAN,
    LRGD_ORACLE_RESIDUAL_SLOPE};

static lrgd_batch batch_of(const lr_questions *q)
{
  return (lrgd_batch){.struct_size = sizeof(lrgd_batch),
                      .kind = oracles[q->kind],
                      .p = q->p,
                      .m = q->m,
                      .x = q->x,
                      .u = q->u,
                      .f = q->f,
                      .d = q->d,
                      .residual_count = q->n};
}

static void ask_evaluator(asking *a)
{
  const lr_questions *q = &a->asked;
  lrgd_batch batch = batch_of(q);
  lrgd_recorder recorder = {sizeof recorder, recorder_answered, recorder_flush,
                            recorder_repeat, a};
  a->journal->asked.evaluator.answer(&batch, &recorder,
                                     a->journal->asked.evaluator.user);
}

/* ---- from callbacks: a call's answers are kept when it returns ---- */

/* Evaluates complex points.  0: out of memory, and nothing was evaluated. */
static int call_complex(const lrgd_problem *inner, const lr_questions *q)
{
  lrgd_complex *z = malloc(q->p * sizeof *z);
  if (!z) return 0;
  for (size_t j = 0; j < q->m; j++) {
    for (size_t i = 0; i < q->p; i++)
      z[i] = (lrgd_complex){q->x[i], q->u[j * q->p + i]};
    lrgd_complex y = inner->complex_value(q->p, z, inner->user);
    q->f[j] = y.re;
    q->d[j] = y.im;
  }
  free(z);
  return 1;
}

/* Computes f: of outputs with limits the objective, else half the sum of
 * squares; NaN where a number is not finite. */
static double f_of(const lrgd_problem *inner, size_t n, const double *r)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(r[i])) return NAN;
    sum += r[i] * r[i];
  }
  return inner->limits ? r[inner->limits->objective] : 0.5 * sum;
}

/* Evaluates residuals.  Where one is not finite, f is the reason: a failure, or
 * an unanswered question. */
static void call_residuals(const lrgd_problem *inner, const lr_questions *q)
{
  for (size_t i = 0; i < q->m * q->n; i++) q->d[i] = NAN;
  if (q->m > 1 && inner->residual_batch)
    inner->residual_batch(q->p, q->m, q->x, q->n, q->d, inner->user);
  for (size_t j = 0; j < q->m; j++) {
    double *r = q->d + j * q->n;
    if (q->m == 1 || !inner->residual_batch)
      inner->residuals(q->p, q->x + j * q->p, q->n, r, inner->user);
    q->f[j] = lr_is_unanswered(r[0]) ? lrgd_unanswered() : f_of(inner, q->n, r);
  }
}

/* Evaluates residuals with derivatives.  0: out of memory, and nothing was
 * evaluated. */
static int call_derived(const lrgd_problem *inner, const lr_questions *q)
{
  size_t n = q->n, each = lr_numbers_of(q);
  int jacobian = q->kind == LR_ROW_JACOBIAN;
  double *D = jacobian ? q->d + n : malloc(n * q->m * sizeof *D);
  double *r = q->d;
  if (!D) return 0;
  fill(q->d, q->m * each, NAN);
  fill(D, jacobian ? 0 : n * q->m, NAN);
  if (jacobian)
    inner->residual_jacobian(q->p, q->x, n, r, D, inner->user);
  else
    inner->residual_slopes(q->p, q->x, q->m, q->u, n, r, D, inner->user);
  double f = lr_is_unanswered(r[0]) ? lrgd_unanswered() : f_of(inner, n, r);
  for (size_t j = q->m; !jacobian && j-- > 0;) {
    memcpy(q->d + j * each + n, D + j * n, n * sizeof *D);
    if (j > 0) memcpy(q->d + j * each, r, n * sizeof *r);
  }
  fill(q->f, q->m, f);
  if (!jacobian) free(D);
  return 1;
}

static int call_inner(const lrgd_problem *inner, const lr_questions *q)
{
  switch (q->kind) {
  case LR_ROW_GRADIENT:
    q->f[0] = inner->gradient(q->p, q->x, q->d, inner->user);
    break;
  case LR_ROW_SLOPE: {
    double f = inner->slopes(q->p, q->x, q->m, q->u, q->d, inner->user);
    fill(q->f, q->m, f);
    break;
  }
  case LR_ROW_COMPLEX: return call_complex(inner, q);
  case LR_ROW_RESIDUALS: call_residuals(inner, q); break;
  case LR_ROW_JACOBIAN:
  case LR_ROW_RESIDUAL_SLOPE: return call_derived(inner, q);
  default:
    if (inner->value && (q->m == 1 || !inner->values)) {
      for (size_t i = 0; i < q->m; i++)
        q->f[i] = inner->value(q->p, q->x + i * q->p, inner->user);
    } else {
      inner->values(q->p, q->m, q->x, q->f, inner->user);
    }
  }
  return 1;
}

static void ask_callbacks(asking *a)
{
  lrgd_journal *journal = a->journal;
  const lr_questions *q = &a->asked;
  if (journal->count.allowed < q->m && !lr_journal_commit(journal, q->m))
    return;
  double began_s = lr_now_s();
  if (!call_inner(&journal->asked.inner, q)) {
    lr_journal_fail_for_memory(journal);
    return;
  }
  double seconds = (lr_now_s() - began_s) / (double)q->m;
  for (size_t j = 0; j < q->m; j++)
    if (!lr_is_unanswered(q->f[j]))
      lr_journal_record(journal, q, j, sequence_of(a, j), seconds, NULL);
  (void)lr_journal_commit(journal, 1);
}

/* ---- a call ---- */

int lr_journal_ask_bare(lrgd_journal *journal, const lr_questions *q)
{
  const lrgd_evaluator *evaluator = &journal->asked.evaluator;
  if (!evaluator->answer || q->kind == LR_ROW_COMPLEX)
    return call_inner(&journal->asked.inner, q);
  lrgd_batch batch = batch_of(q);
  evaluator->answer(&batch, NULL, evaluator->user);
  return 1;
}

static void put_questions(asking *a)
{
  lrgd_journal *journal = a->journal;
  double *moved;
  if (!lr_drift_move(journal, &a->asked, &moved))
    lr_journal_fail_for_memory(journal);
  else if (journal->asked.evaluator.answer && a->asked.kind != LR_ROW_COMPLEX)
    ask_evaluator(a);
  else
    ask_callbacks(a);
  free(moved);
}

int lr_journal_may_ask(lrgd_journal *journal)
{
  lr_journal_confirm_now(journal);
  return !journal->trouble.fatal && !journal->kept.unconfirmed_count;
}

static void ask_for(asking *a)
{
  lrgd_journal *journal = a->journal;
  const lr_questions *q = &a->asked;
  fill(q->f, q->m, lrgd_unanswered());
  if (lr_journal_may_ask(journal)) put_questions(a);
  uint64_t answered =
      0; /* how many answers count against the budget, stored or not */
  for (size_t j = 0; j < q->m; j++) answered += !lr_is_unanswered(q->f[j]);
  if (journal->trouble.fatal || journal->kept.unconfirmed_count) {
    give_up(journal, q); /* an answer that may not be stored must not be used */
    journal->count.unanswered -= answered;
  } else {
    journal->count.unanswered += q->m - answered;
  }
}

/* Copies the wanted columns of `from` side by side. */
static double *gather(const double *from, size_t p, const size_t *index,
                      size_t n)
{
  double *to = malloc(n * p * sizeof *to);
  for (size_t j = 0; to && j < n; j++)
    memcpy(to + j * p, from + index[j] * p, p * sizeof *to);
  return to;
}

/* Evaluates those of a call that are not in the journal. */
static void ask_some(asking *a, const size_t *index, size_t n)
{
  const lr_questions *call = a->call;
  int points = lr_has_points(call);
  size_t each = lr_numbers_of(call);
  double *moved = gather(points ? call->x : call->u, call->p, index, n);
  double *f = malloc((1 + each) * n * sizeof *f);
  lr_questions left = {.kind = call->kind,
                       .p = call->p,
                       .m = n,
                       .x = call->x,
                       .u = call->u,
                       .f = f,
                       .d = f ? f + n : NULL,
                       .n = call->n};
  if (points)
    left.x = moved;
  else
    left.u = moved;
  a->asked = left;
  a->index = index;
  if (moved && f) {
    fill(f, (1 + each) * n, lrgd_unanswered());
    ask_for(a);
    for (size_t j = 0; j < n; j++) {
      call->f[index[j]] = f[j];
      if (call->d)
        memcpy(call->d + index[j] * each, f + n + j * each, each * sizeof *f);
    }
  } else {
    lr_journal_fail_for_memory(a->journal);
    give_up(a->journal, call);
  }
  free(moved);
  free(f);
}

/* Replays what is stored; lists the others, if not all are stored. */
static size_t replay(asking *a, size_t *index)
{
  size_t missing = 0;
  for (size_t i = 0; i < a->call->m; i++)
    if (!lr_journal_replay(a->journal, a->call, i, a->first + i))
      index[missing++] = i;
  return missing;
}

void lr_journal_end_reading(lrgd_journal *journal)
{
  if (!journal->ended && journal->trouble.on_fatal)
    journal->trouble.on_fatal(LRGD_OK, journal->trouble.on_fatal_user);
  journal->ended = 1;
}

void lr_journal_check_path(lrgd_journal *journal)
{
  if (!journal->kept.difference[0]) return;
  lrgd_error error;
  (void)lr_run_fail(&error, LRGD_ERR_REFUSED,
                    "%.120s is of another run, and no new path was begun: "
                    "%.300s",
                    journal->path, journal->kept.difference);
  lr_journal_fail(journal, &error);
}

/* Ends reading, with `missing` of the answers unknown. */
static void give_up_unread(lrgd_journal *journal, const lr_questions *q,
                           size_t missing)
{
  give_up(journal, q);
  journal->count.unanswered -= q->m - missing; /* the others were answered */
  lr_journal_end_reading(journal);
}

void lr_journal_ask(lrgd_journal *journal, const lr_questions *q)
{
  lr_journal_check_path(journal);
  asking a = {.journal = journal,
              .call = q,
              .asked = *q,
              .first = journal->count.next_sequence};
  size_t *index = NULL;
  size_t missing = q->m;
  journal->count.next_sequence += q->m;
  if (!journal->trouble.fatal && a.first <= journal->count.last_stored) {
    index = malloc(q->m * sizeof *index);
    if (index)
      missing = replay(&a, index);
    else /* a stored evaluation must not be made again */
      lr_journal_fail_for_memory(journal);
  } else if (journal->replay.cache) {
    lr_journal_end_replay(journal);
  }
  if (journal->trouble.fatal)
    give_up(journal, q);
  else if (missing > 0 && journal->readonly)
    give_up_unread(journal, q, missing);
  else if (missing == q->m)
    ask_for(&a);
  else if (missing > 0)
    ask_some(&a, index, missing);
  free(index);
}
