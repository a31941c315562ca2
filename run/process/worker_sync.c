/* Synchronisation with workers: one line in, one line out, and proof that a
 * line answers the last request.
 *
 * A stray line would be taken for the next answer, and every later answer would
 * be that of the request before.  So the line break of a request is held back
 * until the worker has read all before it.  A worker that has read it has
 * written everything it owed for earlier requests, and cannot have answered
 * this one: any output that is here then is stray.  The answer before it is
 * then in doubt (the stray line may have come first), and its evaluation is
 * repeated by a new process, in place of the request, which fails.
 *
 * The proof needs a worker that reads its requests itself, one at a time.
 * Behind a relay (ssh, srun) that reads ahead, only output that arrived before
 * a request is seen. */
#include "worker_sync.h"
#include "line.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

void lr_step_lost(lrgd_pool *pool, lr_slot *slot)
{
  char shown[100] = "";
  const lr_bytes *output = &slot->io.output;
  const char *end = memchr(output->data, '\n', output->size);
  size_t length = end ? (size_t)(end - output->data) : output->size;
  lr_show(shown, sizeof shown, output->data, length < 40 ? length : 40, 0);
  slot->last.doubt = slot->last.answered.size > 0;
  lr_slot_give_up(slot, SIGTERM, lr_now_s() + pool->options.grace_s,
                  slot->answers ? "out of step: it wrote what nobody asked "
                                  "for: '%s'"
                                : "it wrote before it was asked: '%s'; "
                                  "standard output is for answers only, and "
                                  "standard error for the rest",
                  shown);
}

/* Bytes of the request that the worker has not read yet. */
static int unread(const lr_slot *slot)
{
  int left = 0;
  return ioctl(slot->child.in, FIONREAD, &left) == 0 && left > 0;
}

void lr_step_complete(lrgd_pool *pool, lr_slot *slot)
{
  if (!lr_slot_is_held(slot) || unread(slot)) return;
  /* first the output, then the state: all that the worker wrote before it read
   * has arrived by then */
  lr_slot_receive(slot);
  if (slot->state != LR_SLOT_BUSY) return;
  if (slot->io.output.size > 0)
    lr_step_lost(pool, slot);
  else
    lr_slot_send_break(slot);
}

void lr_step_begin(lrgd_pool *pool, lr_slot *slot)
{
  const double moment_s = 2e-4;
  /* the first request: a worker may take long to start */
  if (slot->answers == 0) return;
  double until_s = lr_now_s() + moment_s;
  while (slot->state == LR_SLOT_BUSY && lr_slot_is_held(slot)) {
    lr_step_complete(pool, slot);
    if (lr_now_s() > until_s) return;
    (void)sched_yield();
  }
}

double lr_step_look_at_s(const lr_slot *slot, double now_s)
{
  if (slot->state != LR_SLOT_BUSY || !lr_slot_is_held(slot)) return INFINITY;
  return now_s + fmin(fmax(0.1 * (now_s - slot->started_s), 1e-3), 0.05);
}

/* ---- an answer in doubt ---- */

static void swap(lr_bytes *a, lr_bytes *b)
{
  lr_bytes kept = *a;
  *a = *b;
  *b = kept;
}

void lr_step_keep(lr_slot *slot, size_t length, uint64_t settled_as)
{
  swap(&slot->io.line, &slot->last.before);
  swap(&slot->io.output, &slot->last.answered);
  slot->last.answered.size = length;
  slot->last.answered_number = slot->number;
  slot->last.answered_as = settled_as;
}

int lr_step_ask_again(lrgd_pool *pool, lr_slot *slot)
{
  (void)snprintf(slot->last.lost, sizeof slot->last.lost, "%s", slot->why);
  slot->last.doubt = 0;
  slot->last.checking = 1;
  (void)snprintf(slot->why, sizeof slot->why, "the run is ending");
  if (pool->trouble.fatal || atomic_load(&pool->level)) return 0;
  slot->why[0] = 0;
  swap(&slot->io.line, &slot->last.before);
  slot->io.sent = slot->io.searched = slot->io.output.size = 0;
  slot->io.out_total = slot->io.err_total = 0;
  slot->last_signal = 0;
  slot->deadline_s = INFINITY;
  if (pool->options.timeout_s > 0)
    slot->deadline_s = lr_now_s() + pool->options.timeout_s;
  int failure = lr_pool_start(pool, slot, slot->number);
  if (failure) {
    (void)snprintf(slot->why, sizeof slot->why, "%s", strerror(failure));
    return 0;
  }
  slot->state = LR_SLOT_BUSY;
  lr_slot_send(slot);
  return 1;
}

void lr_step_checked(lrgd_pool *pool, lr_slot *slot, int agrees)
{
  unsigned long long number = slot->last.answered_number;
  char old[64] = "";
  lr_show(old, sizeof old, slot->last.answered.data,
          slot->last.answered.size < 24 ? slot->last.answered.size : 24, 0);
  if (!agrees && pool->retracting.retract && slot->last.answered_as)
    pool->retracting.retract(
        pool->retracting.user, slot->last.answered_as,
        "the worker was out of step, and asked again it answered "
        "otherwise");
  if (!agrees)
    lr_pool_fail(pool, LRGD_ERR_ORACLE,
                 "the worker wrote a line that is no answer, and the answer to "
                 "evaluation %llu ('%s') cannot be trusted: asked again, %s%s; "
                 "a worker must write one line for each it reads, and nothing "
                 "else, to standard output",
                 number, old,
                 slot->why[0] ? "it failed: " : "it answered otherwise",
                 slot->why);
  slot->last.checking = 0;
  (void)snprintf(slot->why, sizeof slot->why, "%s", slot->last.lost);
  lr_pool_settle(pool, slot, 0);
}

/* ---- the end ---- */

void lr_step_last_words(lrgd_pool *pool, lr_slot *slot)
{
  char why[256], shown[100] = "";
  long length = slot->program ? -1 : lr_slot_worker_line(slot);
  if (length < 0 || slot->last.answered.size == 0) return;
  if (!lr_line_read(slot->io.output.data, (size_t)length, slot->last.wanted,
                    pool->scratch.numbers, why, sizeof why))
    return; /* the last line of a worker that is ending */
  lr_show(shown, sizeof shown, slot->io.output.data,
          length < 40 ? (size_t)length : 40, 0);
  (void)snprintf(slot->why, sizeof slot->why,
                 "out of step: it wrote another answer after its last: '%s'",
                 shown);
  slot->last.doubt = 1;
}

lrgd_status lrgd_pool_finish(lrgd_pool *pool, lrgd_error *error)
{
  if (!pool) return lr_run_fail(error, LRGD_ERR_INVALID, "pool is NULL");
  (void)pthread_mutex_lock(&pool->one);
  lrgd_pool_tick_fn tick = pool->options.tick;
  lr_pool_end_all(pool);
  lr_pool_check_last(pool);
  lr_pool_end_all(pool);
  pool->options.tick = tick;
  (void)pthread_mutex_unlock(&pool->one);
  return lrgd_pool_status(pool, error);
}
