/* Evaluations that are started one by one and end in any order: the loop of
 * batch.c, over a batch that grows with each of them, and a queue of places in
 * place of the order of the batch. */
#include "held_signal.h"
#include "pool.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

/* *array of `size` bytes for each of `room` places, its contents kept.  0: out
 * of memory. */
static int grow(void *array, size_t room, size_t size)
{
  void *made, *had;
  memcpy(&had, array, sizeof had);
  made = realloc(had, room * size);
  if (!made) return 0;
  memcpy(array, &made, sizeof made);
  return 1;
}

/* Copies the entries `first` to `end` of a ring buffer from their positions
 * modulo `room` to those modulo `more`. */
static void unroll(size_t *ring, size_t room, size_t more, size_t first,
                   size_t end)
{
  size_t *kept = ring + more; /* scratch behind the ring */
  memcpy(kept, ring, room * sizeof *ring);
  for (size_t i = first; i < end; i++) ring[i % more] = kept[i % room];
}

/* Room for twice as many.  0: out of memory. */
static int make_room(lrgd_pool *pool, size_t p)
{
  lr_pool_flight *flight = &pool->flight;
  size_t room = flight->room, more = room ? 2 * room : 16;
  if (!grow(&flight->places, more, sizeof *flight->places) ||
      !grow(&flight->batch.x, more, p * sizeof(double)) ||
      !grow(&flight->batch.f, more, sizeof(double)) ||
      !grow(&flight->queue, more + room, sizeof *flight->queue) ||
      !grow(&flight->ended, more + room, sizeof *flight->ended))
    return 0;
  for (size_t i = room; i < more; i++)
    flight->places[i] = (lr_pool_flying){0, 0};
  if (room) {
    unroll(flight->queue, room, more, pool->asking.next, flight->queued);
    unroll(flight->ended, room, more, flight->first_ended,
           flight->first_ended + flight->ended_count);
  }
  flight->room = more;
  return 1;
}

void lr_pool_flight_free(lrgd_pool *pool)
{
  lr_pool_flight *flight = &pool->flight;
  free(flight->places);
  free((void *)flight->batch.x);
  free(flight->batch.f);
  free(flight->queue);
  free(flight->ended);
  *flight = (lr_pool_flight){.room = 0};
}

const double *lr_pool_place(const lrgd_pool *pool, size_t place)
{
  return pool->flight.batch.x + place * pool->flight.batch.p;
}

/* ---- start ---- */

/* The first of those under way begins the batch.  Its points may be longer than
 * those of an earlier run.  0: out of memory. */
static int begin(lrgd_pool *pool, size_t p)
{
  lr_pool_flight *flight = &pool->flight;
  if (p > flight->batch.p &&
      !grow(&flight->batch.x, flight->room, p * sizeof(double)))
    return 0;
  flight->batch.struct_size = sizeof flight->batch;
  flight->batch.kind = LRGD_ORACLE_VALUE;
  flight->batch.p = p;
  flight->batch.m = 1;
  flight->queued = flight->first_ended = flight->ended_count = 0;
  return lr_pool_begin_batch(pool, &flight->batch, NULL);
}

void lr_pool_start_one(lrgd_pool *pool, size_t p, const double *x,
                       uint64_t ticket)
{
  lr_pool_flight *flight = &pool->flight;
  size_t at = 0;
  (void)pthread_mutex_lock(&pool->one);
  int good = flight->under_way < flight->room || make_room(pool, p);
  if (good && flight->under_way == 0) good = begin(pool, p);
  if (!good) lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for answers");
  if (good) {
    while (flight->places[at].ticket) at++;
    flight->places[at] = (lr_pool_flying){ticket, 0};
    flight->under_way++;
    memcpy((double *)flight->batch.x + at * p, x, p * sizeof *x);
    flight->queue[flight->queued++ % flight->room] = at;
  }
  (void)pthread_mutex_unlock(&pool->one);
}

/* ---- finish ---- */

void lr_pool_note_end(lrgd_pool *pool, size_t place)
{
  lr_pool_flight *flight = &pool->flight;
  if (flight->places[place].ended) return;
  flight->places[place].ended = 1;
  size_t i = flight->first_ended + flight->ended_count++;
  flight->ended[i % flight->room] = place;
}

uint64_t lr_pool_finish_one(lrgd_pool *pool, const lrgd_recorder *recorder,
                            double *f)
{
  lr_pool_flight *flight = &pool->flight;
  uint64_t ticket = 0;
  (void)pthread_mutex_lock(&pool->one);
  lr_held_signal held = lr_hold_signal(SIGPIPE);
  pool->asking.recorder = recorder;
  if (flight->under_way > 0) lr_pool_wait_one(pool);
  if (flight->ended_count > 0) {
    size_t at = flight->ended[flight->first_ended++ % flight->room];
    flight->ended_count--;
    flight->under_way--;
    ticket = flight->places[at].ticket;
    flight->places[at].ticket = 0;
    *f = flight->batch.f[at];
  }
  pool->asking.recorder = NULL;
  if (flight->under_way == 0) pool->asking.batch = NULL;
  lr_release_signal(&held);
  (void)pthread_mutex_unlock(&pool->one);
  return ticket;
}
