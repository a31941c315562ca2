/* The number of residuals is known only from a program's answer, and a solver
 * needs it before it begins.  So the start is evaluated first, and its answer
 * is kept until the run asks for it: evaluated once, counted once, and recorded
 * in the journal like every other answer. */
#include "pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void drop_first(lrgd_pool *pool)
{
  lr_early_answer *gone = pool->early.first;
  pool->early.first = gone->next;
  if (!gone->next) pool->early.last = &pool->early.first;
  free(gone->why);
  free(gone);
}

void lr_pool_early_free(lrgd_pool *pool)
{
  while (pool->early.first) drop_first(pool);
  free(pool->early.x);
  free(pool->early.numbers);
  pool->early.x = pool->early.numbers = NULL;
}

uint64_t lrgd_pool_unused(const lrgd_pool *pool)
{
  uint64_t count = 0;
  const lr_early_answer *at = pool ? pool->early.first : NULL;
  for (; at; at = at->next) count++;
  return count;
}

/* ---- evaluating the start ---- */

static double *copy(const double *from, size_t n)
{
  double *to = malloc(n * sizeof *to);
  if (to) memcpy(to, from, n * sizeof *to);
  return to;
}

/* Keeps the answer that has just come; 0: out of memory. */
static int keep(lrgd_pool *pool, double f, double seconds)
{
  lr_early_answer *made = calloc(1, sizeof *made);
  if (!made) return 0;
  made->number = (uint64_t)pool->options.before + pool->counts.asked;
  made->f = f;
  made->seconds = seconds;
  if (isnan(f))
    made->why = strdup(pool->failure);
  else
    pool->early.numbers = copy(pool->scratch.numbers, pool->wanted);
  *pool->early.last = made;
  pool->early.last = &made->next;
  return isnan(f) ? made->why != NULL : pool->early.numbers != NULL;
}

/* Evaluates the start; 1: it failed, and is to be evaluated once more. */
static int ask_once(lrgd_pool *pool, size_t p, const double *x,
                    lrgd_status *status, lrgd_error *error)
{
  double f = NAN, began_s = lr_now_s();
  uint64_t unanswered = pool->counts.unanswered;
  lr_pool_ask(pool,
              &(lrgd_batch){sizeof(lrgd_batch), pool->early.kind, p, 1, x,
                            pool->early.x + p, &f, NULL, 0},
              NULL);
  *status = lrgd_pool_status(pool, error);
  if (pool->counts.unanswered > unanswered) {
    /* the solver has not made this request, and must not learn that it stayed
     * unanswered */
    pool->told_unanswered += pool->counts.unanswered - unanswered;
    return 0;
  }
  if (!*status && !keep(pool, f, lr_now_s() - began_s))
    *status = lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  return !*status && isnan(f);
}

lrgd_status lrgd_pool_find_residuals(lrgd_pool *pool, size_t p, const double *x,
                                     size_t tries, size_t *count,
                                     lrgd_error *error)
{
  if (!pool || !x || !count)
    return lr_run_fail(error, LRGD_ERR_INVALID, "pool, x or count is NULL");
  lrgd_status status = LRGD_OK;
  if (!pool->options.residuals)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "the program of the pool answers f");
  if (!pool->residual_count) {
    lr_pool_early_free(pool);
    pool->early.x = calloc(2 * p, sizeof *pool->early.x);
    if (!pool->early.x)
      return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
    memcpy(pool->early.x, x, p * sizeof *x);
    pool->early.x[p] = 1;
    pool->early.kind = lr_pool_residual_kind(pool);
    while (tries-- > 0 && ask_once(pool, p, x, &status, error)) continue;
  }
  *count = pool->residual_count;
  return status;
}

/* ---- answering ---- */

/* Sets the journal's number of the worker's last evaluation, known only now:
 * that evaluation may have to be repeated. */
static void tell_slot(lrgd_pool *pool, uint64_t number)
{
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].last.answered_number == number)
      pool->slots[i].last.answered_as = pool->retracting.settled_as;
}

/* Whether u, p numbers, is a multiple of the first axis, along which a solver
 * asks first; NULL: no direction is asked for. */
static int is_along_first(const double *u, size_t p)
{
  for (size_t i = 1; u && i < p; i++)
    if (u[i] != 0) return 0;
  return 1;
}

static int is_asked_for(const lrgd_pool *pool)
{
  const lrgd_batch *batch = pool->asking.batch;
  return pool->early.first && batch->kind == pool->early.kind &&
         batch->m == 1 && batch->residual_count > 0 &&
         !memcmp(batch->x, pool->early.x, batch->p * sizeof *batch->x) &&
         is_along_first(batch->u, batch->p);
}

int lr_pool_answer_early(lrgd_pool *pool)
{
  const lrgd_batch *batch = pool->asking.batch;
  const lrgd_recorder *recorder = pool->asking.recorder;
  if (!is_asked_for(pool)) return 0;
  if (recorder && recorder->flush(recorder->user, 1) <= 0) return 0;
  lr_early_answer *answer = pool->early.first;
  size_t count =
      batch->residual_count * lr_kind_per_residual(batch->kind, batch->p);
  batch->f[0] = answer->f;
  for (size_t j = 0; j < count; j++) {
    int derived = batch->u && j >= batch->residual_count;
    double along = derived ? batch->u[0] : 1;
    batch->d[j] = answer->why ? (double)NAN : along * pool->early.numbers[j];
  }
  pool->retracting.settled_as = 0;
  if (recorder) {
    recorder->answered(recorder->user, 0, answer->seconds, answer->why);
    (void)recorder->flush(recorder->user, 0);
  }
  tell_slot(pool, answer->number);
  drop_first(pool);
  return 1;
}
