/* Starts evaluations: a process for each free slot, and the line it reads.  A
 * temporary lack of processes, descriptors or memory is waited out and is not
 * counted as a failure of the program. */
#include "line.h"
#include "workdir.h"
#include "worker_sync.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A program's own folder.  0, or errno. */
static int make_folder(lrgd_pool *pool, lr_slot *slot, uint64_t number)
{
  if (!slot->program || slot->directory) return 0;
  slot->directory = lr_workdir_make_inside(pool->program.work_dir, number);
  if (slot->directory) return 0;
  return errno ? errno : ENOMEM;
}

int lr_pool_start(lrgd_pool *pool, lr_slot *slot, uint64_t number)
{
  int failure = make_folder(pool, slot, number);
  if (failure) return failure;
  lr_launch launch = {pool->program.path,
                      pool->program.argv,
                      slot->directory,
                      pool->run_id,
                      number,
                      pool->program.origin};
  failure = lr_child_start(&slot->child, &launch);
  if (!failure) pool->counts.started++;
  return failure;
}

/* Writes a vector as the program expects it: each input at its places in the
 * line. */
static int write_vector(const lrgd_pool *pool, const double *x, lr_bytes *line)
{
  const lr_pool_scratch *scratch = &pool->scratch;
  size_t n = pool->options.place_count;
  if (!scratch->places) return lr_line_append(line, pool->asking.batch->p, x);
  for (size_t j = 0; j < n; j++) scratch->placed[j] = x[scratch->places[j]];
  return lr_line_append(line, n, scratch->placed);
}

/* Writes evaluation i into the slot's line.  0: out of memory. */
static int write_line(const lrgd_pool *pool, size_t i, lr_bytes *line)
{
  const lrgd_batch *batch = pool->asking.batch;
  const double *x = batch->x;
  if (lr_kind_has_points(batch->kind)) x += i * batch->p;
  if (!write_vector(pool, x, line)) return 0;
  if ((batch->kind == LRGD_ORACLE_SLOPE ||
       batch->kind == LRGD_ORACLE_RESIDUAL_SLOPE) &&
      !write_vector(pool, batch->u + i * batch->p, line))
    return 0;
  if (batch->kind == LRGD_ORACLE_JACOBIAN && pool->options.residuals_beside) {
    if (!lr_bytes_reserve(line, line->size + 3)) return 0;
    line->data[line->size++] = ' ';
    line->data[line->size++] = 'J';
  }
  line->data[line->size++] = '\n'; /* lr_line_append left room for it */
  return 1;
}

/* Handles a failure to start a process: waits, with fewer jobs if some run;
 * stops the pool when none has run for too long. */
static void meet_trouble(lrgd_pool *pool, int failure)
{
  double now = lr_now_s();
  int may_pass = lr_child_may_pass(failure) || failure == ENOSPC;
  int alone = 1;
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].state != LR_SLOT_FREE) alone = 0;
  if (pool->times.trouble_s > 0 && !alone) pool->times.trouble_s = now;
  if (pool->times.trouble_s == 0) {
    pool->times.trouble_s = now;
    pool->times.backoff_s = 1e-3;
  }
  if (may_pass && now - pool->times.trouble_s <= pool->options.spawn_wait_s) {
    pool->times.pause_s = now + pool->times.backoff_s;
    pool->times.backoff_s = fmin(2 * pool->times.backoff_s, 0.25);
    return;
  }
  lr_pool_fail(pool, failure == ENOSPC ? LRGD_ERR_STORAGE : LRGD_ERR_SPAWN,
               "cannot start '%.300s': %s%s", pool->program.path,
               strerror(failure),
               failure == ENOEXEC ? " (a script needs a #! line)" : "");
}

/* Checks an idle worker: whether it has died, or written without a request.  1:
 * it can be used (or there is none, and one must be started). */
static int worker_is_sane(lrgd_pool *pool, lr_slot *slot)
{
  int status;
  if (slot->child.pid == 0) return 1;
  lr_slot_receive(slot);
  /* its output has exceeded the limit */
  if (slot->state != LR_SLOT_BUSY) return 0;
  if (slot->io.output.size > 0) {
    lr_step_lost(pool, slot);
    return 0;
  }
  if (slot->child.out >= 0) return 1;
  lr_child_signal(&slot->child, SIGKILL);
  for (int i = 0; i < 1000 && !lr_child_ended(&slot->child, &status); i++)
    (void)nanosleep(&(struct timespec){0, 100000}, NULL);
  lr_slot_clear(slot);
  return 1;
}

/* Prepares the program's folder.  0: that failed, and so did the evaluation. */
static int prepare(lrgd_pool *pool, lr_slot *slot)
{
  if (!pool->options.prepare) return 1;
  lrgd_pool_folder folder = lr_pool_folder_of(pool, slot);
  if (pool->options.prepare(&folder, slot->why, sizeof slot->why,
                            pool->options.folder_user))
    return 1;
  pool->counts.asked++;
  lr_pool_release(pool, slot, 0);
  lr_slot_clear(slot);
  lr_pool_settle(pool, slot, 0);
  return 0;
}

/* Assigns evaluation i to the slot. errno where no process could be started. */
static int launch(lrgd_pool *pool, lr_slot *slot, size_t i)
{
  uint64_t number = (uint64_t)pool->options.before + pool->counts.asked + 1;
  lr_slot_begin(slot, i, number);
  if (!worker_is_sane(pool, slot)) {
    pool->counts.asked++;
    return 0;
  }
  slot->state = LR_SLOT_FREE;
  if (!write_line(pool, i, &slot->io.line)) return ENOMEM;
  int failed = make_folder(pool, slot, number);
  if (failed) return failed;
  if (!prepare(pool, slot)) return 0;
  for (int tries = 0; tries < 2; tries++) {
    int failure = slot->child.pid ? 0 : lr_pool_start(pool, slot, number);
    /* the folder is prepared again when a process can be started */
    if (failure) {
      if (pool->options.prepare) lr_slot_clear(slot);
      return failure;
    }
    slot->state = LR_SLOT_BUSY;
    lr_slot_send(slot);
    /* the worker had ended before it read a byte: start a new one */
    if (slot->program || slot->child.in >= 0 || slot->io.sent > 0) break;
    if (tries == 0 && worker_is_sane(pool, slot)) continue;
    break;
  }
  pool->counts.asked++;
  if (pool->options.timeout_s > 0)
    slot->deadline_s = slot->started_s + pool->options.timeout_s;
  lr_step_begin(pool, slot);
  return 0;
}

static lr_slot *free_slot(lrgd_pool *pool)
{
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].state == LR_SLOT_FREE) return &pool->slots[i];
  return NULL;
}

/* The recorder commits all answers before anything new starts. */
static void flush(lrgd_pool *pool)
{
  if (!pool->asking.recorder) return;
  size_t wanted = lr_pool_asked(pool) - pool->asking.next;
  if (!pool->asking.unflushed && (pool->asking.may_launch > 0 || wanted == 0))
    return;
  pool->asking.unflushed = 0;
  pool->asking.may_launch =
      pool->asking.recorder->flush(pool->asking.recorder->user, wanted);
}

void lr_pool_launch(lrgd_pool *pool)
{
  flush(pool);
  while (pool->asking.next < lr_pool_asked(pool)) {
    if (pool->trouble.fatal || atomic_load(&pool->level) ||
        pool->asking.may_launch <= 0)
      return;
    lr_slot *slot = free_slot(pool);
    if (!slot ||
        (pool->times.trouble_s > 0 && lr_now_s() < pool->times.pause_s))
      return;
    int failure = launch(pool, slot, lr_pool_next(pool));
    if (failure) {
      meet_trouble(pool, failure);
      return;
    }
    pool->times.trouble_s = 0;
    pool->asking.next++;
    if (pool->asking.recorder) pool->asking.may_launch--;
  }
}
