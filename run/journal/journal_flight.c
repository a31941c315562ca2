/* Evaluations that end in any order: their numbers are those of the order of
 * answers, so that a replay gives them back in the same order.
 *
 * What was under way when a session ended is asked again: the same points, as
 * the run starts them at the same places of its path. */
#include "journal_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- those under way ---- */

void lr_journal_flight_free(lrgd_journal *journal)
{
  lr_journal_flight *flight = &journal->flight;
  for (size_t i = 0; i < flight->count; i++) free(flight->list[i].x);
  free(flight->list);
  free(flight->ended);
  *flight = (lr_journal_flight){.room = 0};
}

/* 0: out of memory. */
static int make_room(lr_journal_flight *flight)
{
  if (flight->count < flight->room) return 1;
  size_t more = flight->room ? 2 * flight->room : 16;
  lr_journal_flying *list = realloc(flight->list, more * sizeof *list);
  if (list) flight->list = list;
  uint64_t *ended = realloc(flight->ended, more * sizeof *ended);
  if (ended) flight->ended = ended;
  if (list && ended) flight->room = more;
  return list && ended;
}

static size_t find(const lr_journal_flight *flight, uint64_t ticket)
{
  size_t i = 0;
  while (i < flight->count && flight->list[i].ticket != ticket) i++;
  return i;
}

static void drop(lr_journal_flight *flight, size_t i)
{
  free(flight->list[i].x);
  flight->count--;
  memmove(flight->list + i, flight->list + i + 1,
          (flight->count - i) * sizeof *flight->list);
}

void lr_journal_start(size_t p, const double *x, uint64_t ticket, void *user)
{
  lrgd_journal *journal = user;
  lr_journal_flight *flight = &journal->flight;
  double *kept = malloc(p * sizeof *kept);
  if (!kept || !make_room(flight)) {
    free(kept);
    lr_journal_fail_for_memory(journal);
    return;
  }
  memcpy(kept, x, p * sizeof *kept);
  flight->list[flight->count++] =
      (lr_journal_flying){.ticket = ticket, .x = kept, .f = NAN};
}

static lr_questions question(const lrgd_journal *journal, lr_journal_flying *e)
{
  return (lr_questions){
      .kind = LR_ROW_VALUE, .p = journal->p, .m = 1, .x = e->x, .f = &e->f};
}

/* ---- new answers ---- */

/* Records an answer under the next number. */
static void record(lrgd_journal *journal, lr_journal_flying *e, double f,
                   double seconds, const char *why)
{
  lr_journal_flight *flight = &journal->flight;
  e->f = f;
  e->ended = 1;
  flight->ended[flight->ended_count++] = e->ticket;
  lr_questions q = question(journal, e);
  lr_journal_record(journal, &q, 0, journal->count.next_sequence, seconds, why);
  if (journal->asked.pool)
    journal->asked.pool->retracting.settled_as = journal->count.next_sequence;
  journal->count.next_sequence++;
}

static void recorder_answered(void *user, size_t place, double seconds,
                              const char *why)
{
  lrgd_journal *journal = user;
  const lr_pool_flight *from = &journal->asked.pool->flight;
  size_t i = find(&journal->flight, from->places[place].ticket);
  if (i < journal->flight.count)
    record(journal, &journal->flight.list[i], from->batch.f[place], seconds,
           why);
}

/* How many evaluations have no answer yet. */
static size_t under_way(const lrgd_journal *journal)
{
  return journal->flight.count - journal->flight.ended_count;
}

static long recorder_flush(void *user, size_t wanted)
{
  lrgd_journal *journal = user;
  size_t n = under_way(journal);
  (void)wanted;
  return lr_journal_commit(journal, n > 0 ? n : 1) ? (long)n + 1 : -1;
}

static int recorder_repeat(void *user)
{
  lr_journal_repeat(user);
  return !((lrgd_journal *)user)->trouble.fatal;
}

/* Hands all that were started to the evaluator, after a commit that tells how
 * many are under way. */
static void launch(lrgd_journal *journal)
{
  lr_journal_flight *flight = &journal->flight;
  size_t n = 0;
  for (size_t i = 0; i < flight->count; i++) n += !flight->list[i].launched;
  if (n == 0) return;
  if (!lr_journal_may_ask(journal)) return;
  if (!lr_journal_commit(journal, under_way(journal))) return;
  for (size_t i = 0; i < flight->count; i++) {
    lr_journal_flying *e = &flight->list[i];
    lr_questions q = question(journal, e);
    double *moved = NULL;
    if (e->launched) continue;
    if (!lr_drift_move(journal, &q, &moved)) {
      lr_journal_fail_for_memory(journal);
      return;
    }
    if (moved) {
      free(e->x);
      e->x = moved;
    }
    e->launched = 1;
    if (journal->asked.pool)
      lr_pool_start_one(journal->asked.pool, journal->p, e->x, e->ticket);
    else
      journal->asked.inner.start(journal->p, e->x, e->ticket,
                                 journal->asked.inner.user);
  }
}

/* Nothing is recorded of an evaluation that was not made. */
static void miss(lrgd_journal *journal, lr_journal_flying *e, double f)
{
  e->f = f;
  e->ended = 1;
  journal->flight.ended[journal->flight.ended_count++] = e->ticket;
  journal->count.unanswered++;
}

static void wait_for_pool(lrgd_journal *journal)
{
  lrgd_recorder recorder = {sizeof recorder, recorder_answered, recorder_flush,
                            recorder_repeat, journal};
  lrgd_pool *pool = journal->asked.pool;
  uint64_t ticket;
  do { /* all that have come: the recorder has heard those with an answer */
    double f = NAN;
    ticket = lr_pool_finish_one(pool, &recorder, &f);
    size_t i = find(&journal->flight, ticket);
    if (i < journal->flight.count && !journal->flight.list[i].ended)
      miss(journal, &journal->flight.list[i], f);
  } while (ticket &&
           (!journal->flight.ended_count || pool->flight.ended_count > 0));
}

static void wait_for_callback(lrgd_journal *journal)
{
  double f = NAN, began_s = lr_now_s();
  uint64_t ticket = journal->asked.inner.finish(&f, journal->asked.inner.user);
  size_t i = find(&journal->flight, ticket);
  if (i == journal->flight.count) return;
  lr_journal_flying *e = &journal->flight.list[i];
  if (lr_is_unanswered(f))
    miss(journal, e, f);
  else
    record(journal, e, f, lr_now_s() - began_s, NULL);
}

/* Waits until one of those under way has ended, and commits its answer. */
static void wait_for_one(lrgd_journal *journal)
{
  launch(journal);
  if (journal->trouble.fatal || journal->kept.unconfirmed_count) return;
  if (journal->asked.pool)
    wait_for_pool(journal);
  else
    wait_for_callback(journal);
  size_t n = under_way(journal);
  if (journal->writing.first) (void)lr_journal_commit(journal, n > 0 ? n : 1);
}

/* ---- stored answers ---- */

/* Gives the next stored answer to the point that it belongs to. */
static void replay_one(lrgd_journal *journal)
{
  lr_journal_flight *flight = &journal->flight;
  uint64_t sequence = journal->count.next_sequence;
  const double **points = malloc(flight->count * sizeof *points);
  if (!points) {
    lr_journal_fail_for_memory(journal);
    return;
  }
  for (size_t i = 0; i < flight->count; i++) points[i] = flight->list[i].x;
  size_t i = lr_journal_find_point(journal, sequence, flight->count, points);
  free(points);
  if (i == flight->count) {
    lr_journal_fail_for_memory(journal);
    return;
  }
  lr_questions q = question(journal, &flight->list[i]);
  if (!lr_journal_replay(journal, &q, 0, sequence)) return;
  journal->count.next_sequence++;
  flight->list[i].ended = 1;
  flight->ended[flight->ended_count++] = flight->list[i].ticket;
}

/* ---- the next answer ---- */

static uint64_t hand_out(lrgd_journal *journal, double *f)
{
  lr_journal_flight *flight = &journal->flight;
  uint64_t ticket = flight->ended[0];
  size_t i = find(flight, ticket);
  *f = flight->list[i].f;
  flight->ended_count--;
  memmove(flight->ended, flight->ended + 1,
          flight->ended_count * sizeof *flight->ended);
  drop(flight, i);
  return ticket;
}

/* The first of those whose answer nobody gets.  One that has ended was counted
 * when it did: as made, though it could not be stored, or as not made. */
static uint64_t give_up(lrgd_journal *journal, double *f)
{
  lr_journal_flight *flight = &journal->flight;
  *f = lrgd_unanswered();
  if (flight->count == 0) return 0;
  uint64_t ticket = flight->list[0].ticket;
  if (!flight->list[0].ended) journal->count.unanswered++;
  drop(flight, 0);
  return ticket;
}

uint64_t lr_journal_finish(double *f, void *user)
{
  lrgd_journal *journal = user;
  lr_journal_flight *flight = &journal->flight;
  lr_journal_check_path(journal);
  if (flight->ended_count == 0 && flight->count > 0 &&
      !journal->trouble.fatal) {
    int stored = journal->count.next_sequence <= journal->count.last_stored;
    if (!stored && journal->replay.cache) lr_journal_end_replay(journal);
    if (stored)
      replay_one(journal);
    else if (journal->readonly)
      lr_journal_end_reading(journal);
    else
      wait_for_one(journal);
  }
  if (flight->ended_count > 0 && !journal->trouble.fatal)
    return hand_out(journal, f);
  flight->ended_count = 0;
  return give_up(journal, f);
}
