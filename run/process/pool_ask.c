/* One round of the evaluation loop: polls all descriptors, and settles what has
 * ended. */
#include "held_signal.h"
#include "line.h"
#include "worker_sync.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the end of an evaluation ---- */

void lr_pool_put_answer(lrgd_pool *pool, size_t i, double f, int partial)
{
  const lrgd_batch *batch = pool->asking.batch;
  batch->f[i] = f;
  if (batch->kind == LRGD_ORACLE_SLOPE)
    batch->d[i] = isfinite(f) ? pool->scratch.numbers[1] : f;
  size_t m = 0;
  if (lr_kind_has_residuals(batch->kind))
    m = batch->residual_count * lr_kind_per_residual(batch->kind, batch->p);
  if (lr_pool_async(pool)) lr_pool_note_end(pool, i);
  for (size_t j = 0; j < m; j++)
    batch->d[i * m + j] = isfinite(f) || partial ? pool->scratch.numbers[j] : f;
  if (batch->kind != LRGD_ORACLE_GRADIENT) return;
  for (size_t j = 0; j < batch->p; j++)
    batch->d[j] = isfinite(f) ? pool->scratch.numbers[j + 1] : f;
}

/* "evaluation 7: exit status 3" and, below, the last lines of stderr. */
static void describe_failure(lrgd_pool *pool, const lr_slot *slot)
{
  const size_t size = 512 + LR_SHOWN_SIZE(LR_TAIL_SIZE);
  int n = snprintf(pool->failure, size,
                   "evaluation %llu: ", (unsigned long long)slot->number);
  pool->cause = n > 0 ? (size_t)n : 0;
  n = snprintf(pool->failure + pool->cause, size - pool->cause, "%s%s",
               slot->why, slot->io.tail.total ? "\n" : "");
  if (n > 0) lr_tail_show(&slot->io.tail, pool->failure, size);
}

/* Records the end of the evaluation; returns its duration. */
static double note_time(lrgd_pool *pool, const lr_slot *slot)
{
  lr_pool_times *times = &pool->times;
  times->last_s = lr_now_s();
  if (times->first_s == 0) times->first_s = slot->started_s;
  times->first_s = fmin(times->first_s, slot->started_s);
  pool->counts.busy_s += times->last_s - slot->started_s;
  return times->last_s - slot->started_s;
}

void lr_pool_settle(lrgd_pool *pool, lr_slot *slot, int ok)
{
  size_t i = slot->question;
  double seconds = note_time(pool, slot);
  pool->asking.settled++;
  pool->retracting.settled_as = 0;
  if (slot->no_memory)
    lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for an answer");
  if (slot->unanswered) {
    pool->counts.unanswered++;
    lr_pool_put_answer(pool, i, lrgd_unanswered(), 0);
    return;
  }
  if (ok)
    pool->counts.answered++;
  else {
    pool->counts.failed++;
    describe_failure(pool, slot);
  }
  lr_pool_put_answer(pool, i, ok ? lr_pool_value(pool) : (double)NAN,
                     slot->partial);
  slot->partial = 0;
  /* without its number, which events and journals have as a field */
  const char *why = ok ? NULL : pool->failure + pool->cause;
  if (pool->options.event)
    pool->options.event(
        &(lrgd_pool_event){sizeof(lrgd_pool_event), slot->number, i,
                           pool->asking.batch->f[i], seconds, why},
        pool->options.event_user);
  if (!pool->asking.recorder) return;
  pool->asking.recorder->answered(pool->asking.recorder->user, i, seconds, why);
  pool->asking.unflushed = 1;
}

/* After the first line of a process: waits a moment for more output.  A worker
 * that always writes two lines would otherwise be one answer behind, which
 * nothing else would show. */
static void listen_longer(lr_slot *slot)
{
  struct pollfd out = {slot->child.out, POLLIN, 0};
  if (slot->answers++ == 0 && poll(&out, 1, 10) > 0) lr_slot_receive(slot);
}

/* Notes what the slot has answered: questions of one pool may differ in kind.
 */
static void note_question(const lrgd_pool *pool, lr_slot *slot)
{
  slot->last.kind = pool->asking.batch->kind;
  slot->last.p = pool->asking.batch->p;
  slot->last.wanted = pool->wanted;
}

/* A worker has written a line: it is the answer, unless more follows. */
static void settle_worker(lrgd_pool *pool, lr_slot *slot, size_t length)
{
  listen_longer(slot);
  if (slot->state != LR_SLOT_BUSY)
    return; /* too much output: it is being terminated */
  const char *line = slot->io.output.data;
  double until_s = lr_now_s() + pool->options.grace_s;
  if (length + 1 < slot->io.output.size) {
    lr_slot_give_up(slot, SIGTERM, until_s, "more than one line for an answer");
    return; /* the answer counts once the process has ended */
  }
  int repeated = slot->last.checking;
  size_t wanted = pool->wanted; /* another kind may have been asked before */
  if (repeated) pool->wanted = slot->last.wanted;
  int ok = lr_pool_read_answer(pool, slot, line, length);
  int told = ok || lr_line_tells_failure(line, length, pool->wanted);
  if (repeated) pool->wanted = wanted;
  if (!told) {
    lr_slot_give_up(slot, SIGTERM, until_s,
                    /* the process may have been one answer behind, so that its
                     * answers are in doubt */
                    NULL);
    return;
  }
  slot->state = LR_SLOT_FREE;
  uint64_t settled_as =
      slot->last.answered_as; /* the repeated evaluation has the same answer */
  if (slot->last.checking) {
    int agrees =
        ok && lr_line_agrees(slot->last.answered.data, slot->last.answered.size,
                             slot->last.wanted, pool->scratch.numbers,
                             !pool->options.residuals);
    lr_step_checked(pool, slot, agrees);
  } else {
    lr_pool_settle(pool, slot, ok);
    settled_as = pool->retracting.settled_as;
  }
  if (ok && !repeated) note_question(pool, slot);
  if (ok)
    lr_step_keep(slot, length, settled_as);
  else
    slot->last.answered.size = 0;
  slot->io.output.size = slot->io.searched = 0;
}

static void reap_orphans(lrgd_pool *pool, uint64_t tag)
{
  if (!lr_child_adopts()) return;
  size_t n = 0;
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].child.pid)
      pool->scratch.pids[n++] = pool->slots[i].child.pid;
  lr_child_reap_orphans(pool->run_id, tag, pool->scratch.pids, n);
}

/* Whether this process is being terminated: the signal itself interrupts the
 * wait.  A fifth of a second: a loaded machine needs more than 50 ms between
 * the two signals, and only a program killed by a signal is waited for. */
static int is_ending(lrgd_pool *pool)
{
  const double moment_s = 0.2;
  struct pollfd wake = {pool->wake[0], POLLIN, 0};
  double until_s = lr_now_s() + moment_s, left_s = moment_s;
  while (!atomic_load(&pool->level) && left_s > 0) {
    if (poll(&wake, 1, (int)ceil(1e3 * left_s)) > 0) return 1;
    left_s = until_s - lr_now_s();
  }
  return atomic_load(&pool->level) != 0;
}

/* Whether the process was killed together with this one: terminating a job
 * signals all of its processes, one after the other.  A program that dies of
 * that gives no answer, but has not failed.  A shell's exit status shows the
 * signal too. */
static int died_with_us(lrgd_pool *pool, const lr_slot *slot, int status)
{
  static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGKILL};
  if (status == -1 || slot->last_signal || slot->why[0]) return 0;
  int by = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (by == ends[i]) return is_ending(pool);
  return 0;
}

/* Settles the evaluation of a process that has ended; where the answer before
 * it is in doubt, that evaluation is repeated first. */
static void settle_after(lrgd_pool *pool, lr_slot *slot, int ok)
{
  if (slot->last.doubt && lr_step_ask_again(pool, slot)) return;
  if (slot->last.checking)
    lr_step_checked(pool, slot, 0);
  else
    lr_pool_settle(pool, slot, ok);
}

/* The process has ended, or cannot be killed. */
static void settle_ended(lrgd_pool *pool, lr_slot *slot, int status)
{
  const char *line = NULL;
  size_t length = 0;
  int idle = !pool->asking.batch;
  int with_us = !idle && died_with_us(pool, slot, status);
  lr_slot_receive(
      slot); /* the last output of the process is still in the pipes */
  if (!idle && lr_slot_is_unfinished(slot) && slot->io.output.size > 0 &&
      slot->state == LR_SLOT_BUSY)
    lr_step_lost(pool, slot);
  long worker_line = slot->program || idle ? -1 : lr_slot_worker_line(slot);
  int ok = 0;
  if (!idle && !slot->why[0] && worker_line >= 0)
    ok = lr_pool_read_answer(pool, slot, slot->io.output.data,
                             (size_t)worker_line);
  else if (!idle && lr_slot_judge(slot, status, &line, &length))
    ok = lr_pool_read_answer(pool, slot, line, length);
  if (idle) lr_step_last_words(pool, slot);
  uint64_t tag = slot->child.tag;
  if (!ok && with_us) slot->unanswered = 1;
  if (!idle) lr_pool_release(pool, slot, ok);
  lr_slot_clear(slot);
  reap_orphans(pool, tag);
  slot->io.output.size = slot->io.searched = 0;
  if (!idle) settle_after(pool, slot, ok);
}

/* ---- one round of polling ---- */

static int is_ready(const lrgd_pool *pool, const lr_slot *slot, int which)
{
  return slot->polled[which] >= 0 &&
         pool->scratch.fds[slot->polled[which]].revents != 0;
}

/* Reads and writes what is possible, and checks whether the process has ended.
 */
static void tend(lrgd_pool *pool, lr_slot *slot)
{
  int status;
  if (is_ready(pool, slot, LR_POLL_IN)) lr_slot_send(slot);
  if (is_ready(pool, slot, LR_POLL_OUT) || is_ready(pool, slot, LR_POLL_ERR))
    lr_slot_receive(slot);
  if (pool->asking.batch && slot->state == LR_SLOT_BUSY && !slot->program) {
    lr_step_complete(pool, slot);
    if (slot->state != LR_SLOT_BUSY) return;
    if (lr_slot_is_unfinished(slot) && slot->io.output.size > 0) {
      lr_step_lost(pool, slot);
      return;
    }
    long length = lr_slot_worker_line(slot);
    if (length >= 0) {
      settle_worker(pool, slot, (size_t)length);
      return;
    }
    if (slot->child.out <
        0) /* the process will not answer: its exit status says why */
      lr_slot_give_up(slot, 0, lr_now_s() + pool->options.grace_s, NULL);
  }
  if (slot->child.pidfd >= 0 && !is_ready(pool, slot, LR_POLL_END)) return;
  if (lr_child_ended(&slot->child, &status)) settle_ended(pool, slot, status);
}

/* Polls open descriptors only: poll refuses more entries than this process may
 * have descriptors. */
static void poll_fd(lrgd_pool *pool, lr_slot *slot, int which, int fd)
{
  slot->polled[which] = -1;
  if (fd < 0) return;
  slot->polled[which] = (int)pool->scratch.fd_count;
  short events = which == LR_POLL_IN ? POLLOUT : POLLIN;
  pool->scratch.fds[pool->scratch.fd_count++] = (struct pollfd){fd, events, 0};
}

static void set_fds(lrgd_pool *pool)
{
  pool->scratch.fds[0] = (struct pollfd){pool->wake[0], POLLIN, 0};
  pool->scratch.fd_count = 1;
  for (size_t i = 0; i < pool->count; i++) {
    lr_slot *slot = &pool->slots[i];
    int on = slot->state != LR_SLOT_FREE;
    int sending = on && lr_slot_sends(slot);
    poll_fd(pool, slot, LR_POLL_IN, sending ? slot->child.in : -1);
    poll_fd(pool, slot, LR_POLL_OUT, on ? slot->child.out : -1);
    poll_fd(pool, slot, LR_POLL_ERR, on ? slot->child.err : -1);
    poll_fd(pool, slot, LR_POLL_END, on ? slot->child.pidfd : -1);
  }
}

/* The next time at which something must be done without an event. */
static double next_deadline(const lrgd_pool *pool, double now)
{
  double until = pool->times.drain_at_s;
  if (pool->options.tick) until = fmin(until, pool->times.tick_at_s);
  if (pool->times.trouble_s > 0) until = fmin(until, pool->times.pause_s);
  for (size_t i = 0; i < pool->count; i++) {
    const lr_slot *slot = &pool->slots[i];
    if (slot->state == LR_SLOT_FREE) continue;
    until = fmin(until, slot->deadline_s);
    until = fmin(until, lr_step_look_at_s(slot, now));
    /* without pidfd_open the end of a process is not signalled: poll often */
    if (slot->child.pidfd < 0) until = fmin(until, now + 0.01);
  }
  return until;
}

/* Polls; when this process itself was stopped meanwhile, all deadlines move by
 * that time. */
static void wait_for_news(lrgd_pool *pool)
{
  double before = lr_now_s();
  double until = next_deadline(pool, before);
  double pause = fmax(0, until - before);
  int pause_ms = pause < 1e6 ? (int)ceil(1e3 * pause) : -1;
  set_fds(pool);
  if (poll(pool->scratch.fds, pool->scratch.fd_count, pause_ms) < 0) {
    /* a signal, or no memory: check everything, with a pause */
    if (errno != EINTR) (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
    for (size_t i = 0; i < pool->scratch.fd_count; i++)
      pool->scratch.fds[i].revents = pool->scratch.fds[i].events;
  }
  double late = lr_now_s() - until;
  if (!(late > 1)) return;
  pool->times.tick_at_s += late;
  pool->times.drain_at_s += late;
  for (size_t i = 0; i < pool->count; i++) pool->slots[i].deadline_s += late;
}

static void meet_deadlines(lrgd_pool *pool)
{
  double now = lr_now_s();
  for (size_t i = 0; i < pool->count; i++) {
    lr_slot *slot = &pool->slots[i];
    if (slot->state == LR_SLOT_FREE || slot->deadline_s > now) continue;
    if (slot->state == LR_SLOT_BUSY)
      lr_slot_give_up(slot, SIGTERM, now + pool->options.grace_s,
                      "no answer within %g s", pool->options.timeout_s);
    else if (!lr_slot_press(slot, now, pool->options.grace_s))
      settle_ended(pool, slot, -1);
  }
  if (pool->options.tick && now >= pool->times.tick_at_s) {
    lrgd_pool_counts counts = lrgd_pool_count(pool);
    pool->times.tick_at_s = now + pool->options.tick_s;
    pool->options.tick(&counts, pool->options.tick_user);
  }
}

static void give_up_all(lrgd_pool *pool)
{
  for (size_t i = 0; i < pool->count; i++) {
    lr_slot *slot = &pool->slots[i];
    if (slot->state == LR_SLOT_FREE || slot->last_signal == SIGKILL) continue;
    slot->unanswered = slot->state == LR_SLOT_BUSY;
    lr_slot_give_up(slot, SIGKILL, lr_now_s() + 10, "interrupted");
  }
}

static void heed_interrupt(lrgd_pool *pool)
{
  int level = atomic_load(&pool->level);
  char woken[64];
  if (level == 0) return;
  while (read(pool->wake[0], woken, sizeof woken) > 0) continue;
  double now = lr_now_s();
  if (!(pool->times.drain_at_s < INFINITY) && pool->options.drain_s > 0)
    pool->times.drain_at_s = now + pool->options.drain_s;
  if (level < LRGD_INTERRUPT_KILL && now < pool->times.drain_at_s) return;
  pool->times.drain_at_s = INFINITY;
  give_up_all(pool);
}

void lr_pool_round(lrgd_pool *pool)
{
  wait_for_news(pool);
  for (size_t i = 0; i < pool->count; i++)
    if (pool->slots[i].state != LR_SLOT_FREE) tend(pool, &pool->slots[i]);
  meet_deadlines(pool);
  heed_interrupt(pool);
}
