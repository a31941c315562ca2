/* The evaluation loop: starts, polls, settles; one batch at a time, with
 * answers in the order of the requests. */
#include "held_signal.h"
#include "line.h"
#include "worker_sync.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static size_t answer_count(const lrgd_batch *batch)
{
  if (batch->kind == LRGD_ORACLE_VALUE) return 1;
  if (lr_kind_has_residuals(batch->kind))
    return batch->residual_count * lr_kind_per_residual(batch->kind, batch->p);
  return batch->kind == LRGD_ORACLE_SLOPE ? 2 : batch->p + 1;
}

/* ---- a batch ---- */

static int is_running(const lrgd_pool *pool)
{
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].state != LR_SLOT_FREE) return 1;
  return 0;
}

static int may_go_on(const lrgd_pool *pool)
{
  return !pool->trouble.fatal && !atomic_load(&pool->level) &&
         pool->asking.may_launch > 0;
}

static void begin_batch(lrgd_pool *pool)
{
  pool->asking.next = pool->asking.settled = 0;
  pool->asking.may_launch = pool->asking.recorder ? 0 : 1;
  pool->asking.unflushed = 0;
  pool->times.trouble_s = 0;
  pool->times.drain_at_s = INFINITY;
  pool->times.tick_at_s = lr_now_s() + pool->options.tick_s;
}

/* Starts what can be started, and waits for an event.  0: nothing runs, and
 * nothing can be started. */
static int go_on(lrgd_pool *pool)
{
  lr_pool_launch(pool);
  int left = pool->asking.next < lr_pool_asked(pool) && may_go_on(pool);
  if (!left && !is_running(pool)) return 0;
  lr_pool_round(pool);
  return 1;
}

/* Answers the questions that were not put to a program: unanswered. */
static void give_up_rest(lrgd_pool *pool)
{
  for (; pool->asking.next < lr_pool_asked(pool); pool->asking.next++) {
    pool->counts.unanswered++;
    lr_pool_put_answer(pool, lr_pool_next(pool), lrgd_unanswered(), 0);
  }
}

static void run_batch(lrgd_pool *pool)
{
  begin_batch(pool);
  while (go_on(pool)) continue;
  give_up_rest(pool);
}

static int make_room(lrgd_pool *pool, const lrgd_batch *batch)
{
  size_t wanted = answer_count(batch);
  pool->wanted = wanted;
  size_t text = wanted * 32; /* the limit must allow any valid answer */
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].io.most < text) pool->slots[i].io.most = text;
  return lr_pool_hold_numbers(pool, wanted);
}

void lr_pool_ask(lrgd_pool *pool, const lrgd_batch *batch,
                 const lrgd_recorder *recorder)
{
  (void)pthread_mutex_lock(&pool->one);
  lr_held_signal held = lr_hold_signal(SIGPIPE);
  if (!make_room(pool, batch))
    lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for answers");
  pool->asking.batch = batch;
  pool->asking.recorder = recorder;
  if (!lr_pool_answer_early(pool)) run_batch(pool);
  pool->asking.batch = NULL;
  pool->asking.recorder = NULL;
  lr_release_signal(&held);
  (void)pthread_mutex_unlock(&pool->one);
}

int lr_pool_begin_batch(lrgd_pool *pool, const lrgd_batch *batch,
                        const lrgd_recorder *recorder)
{
  pool->asking.batch = batch;
  pool->asking.recorder = recorder;
  begin_batch(pool);
  return make_room(pool, batch);
}

void lr_pool_wait_one(lrgd_pool *pool)
{
  pool->asking.may_launch = LONG_MAX;
  while (pool->flight.ended_count == 0 && go_on(pool)) continue;
  if (pool->flight.ended_count == 0) give_up_rest(pool);
}

void lr_pool_end_all(lrgd_pool *pool)
{
  double until = lr_now_s() + pool->options.grace_s;
  pool->asking.batch = NULL;
  pool->times.drain_at_s = INFINITY;
  pool->times.trouble_s = 0;
  pool->options.tick = NULL;
  for (size_t i = 0; i < pool->count; i++) {
    lr_slot *slot = &pool->slots[i];
    if (slot->child.pid == 0) continue;
    slot->io.line.size = slot->io.sent = 0;
    lr_child_close_input(&slot->child);
    lr_slot_give_up(slot, 0, until, "the pool is closed");
  }
  while (is_running(pool)) lr_pool_round(pool);
}

/* Repeats one evaluation whose answer is in doubt; the result belongs to no
 * request of the batch. */
static void check_last(lrgd_pool *pool, lr_slot *slot)
{
  double f;
  pool->wanted = slot->last.wanted;
  double *d = calloc(pool->wanted + 1, sizeof *d);
  lrgd_batch none = {
      .struct_size = sizeof none, .kind = slot->last.kind, .m = 1};
  none.p = slot->last.p;
  none.residual_count =
      lr_kind_has_residuals(none.kind)
          ? pool->wanted / lr_kind_per_residual(none.kind, none.p)
          : 0;
  none.f = &f;
  none.d = d;
  if (!d) {
    lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for answers");
    return;
  }
  pool->asking.batch = &none;
  pool->asking.next = 1;
  pool->counts.asked++;
  if (pool->retracting.again) pool->retracting.again(pool->retracting.user);
  slot->question = 0;
  if (!lr_step_ask_again(pool, slot)) lr_step_checked(pool, slot, 0);
  while (is_running(pool)) lr_pool_round(pool);
  pool->asking.batch = NULL;
  slot->last.answered.size = 0; /* further output is ignored */
  free(d);
}

void lr_pool_check_last(lrgd_pool *pool)
{
  lr_held_signal held = lr_hold_signal(SIGPIPE);
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].last.doubt && pool->slots[i].last.answered.size > 0)
      check_last(pool, &pool->slots[i]);
  lr_release_signal(&held);
}
