/* The pool, shared by its own files and the journal. */
#ifndef LR_RUN_POOL_H
#define LR_RUN_POOL_H

#include <lrgd/run.h>

#include "slot.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

/* The program that is started. */
typedef struct lr_pool_program {
  char **words;   /* words of the command, in one block of memory */
  char **argv;    /* words, some made absolute; one block */
  char *path;     /* absolute path of the program */
  char *work_dir; /* working directory of the pool's programs; NULL: none */
  int work_hold;  /* lock that keeps others from removing work_dir; -1: none */
  char *origin;   /* directory of the host when the pool was made; NULL: none */
} lr_pool_program;

typedef struct lr_pool_scratch {
  pid_t *pids;        /* process ids of all our children */
  struct pollfd *fds; /* the wake pipe, and up to 4 descriptors per slot */
  size_t fd_count;
  double *numbers; /* one answer */
  size_t numbers_size;
  size_t *places; /* copy of options.places */
  /* the numbers that a program gets, in the order of the places */
  double *placed;
} lr_pool_scratch;

/* Why the pool stopped, and where that is reported. */
typedef struct lr_pool_trouble {
  lrgd_status fatal;
  lrgd_error fatal_error;
  lrgd_fatal_fn on_fatal;
  void *on_fatal_user;
} lr_pool_trouble;

/* An evaluation that was started by itself and not handed out yet. */
typedef struct lr_pool_flying {
  uint64_t ticket; /* 0: the place is free */
  int ended;
} lr_pool_flying;

/* Evaluations that end in any order: a batch of as many questions as there are
 * places, of which `queued` have been put into the queue. */
typedef struct lr_pool_flight {
  lrgd_batch batch; /* its x and f are owned */
  lr_pool_flying *places;
  size_t room, under_way; /* places, and those that are taken */
  size_t *queue; /* a queue of places: started from `asking.next` on, modulo */
  size_t queued; /* room; how many were queued so far */
  size_t *ended; /* places in the order of their answers, */
  size_t first_ended, ended_count; /* a ring, too */
} lr_pool_flight;

/* Whether the answers of a kind begin with residuals. */
static inline int lr_kind_has_residuals(lrgd_oracle kind)
{
  return kind >= LRGD_ORACLE_RESIDUALS;
}
/* Whether each question of a kind has a point of its own. */
static inline int lr_kind_has_points(lrgd_oracle kind)
{
  return kind == LRGD_ORACLE_VALUE || kind == LRGD_ORACLE_RESIDUALS;
}
/* How many numbers an answer with m residuals has for each of these. */
static inline size_t lr_kind_per_residual(lrgd_oracle kind, size_t p)
{
  if (kind == LRGD_ORACLE_JACOBIAN) return 1 + p;
  return kind == LRGD_ORACLE_RESIDUAL_SLOPE ? 2 : 1;
}

/* The batch that is being evaluated. */
typedef struct lr_pool_asking {
  const lrgd_batch *batch;
  const lrgd_recorder *recorder;
  size_t next;    /* the next evaluation to start */
  size_t settled; /* questions that have an answer or have failed */
  long may_launch;
  int unflushed; /* answers that the recorder has not committed yet */
} lr_pool_asking;

typedef struct lr_pool_times {
  double pause_s;   /* no process is started before this time */
  double trouble_s; /* since when none can be started; 0: they can be */
  double backoff_s;
  double drain_at_s; /* when to stop waiting for running evaluations; INFINITY:
                        never */
  double tick_at_s;
  /* start of the first evaluation, end of the last one; 0: none */
  double first_s, last_s;
} lr_pool_times;

/* An answer that came before the run asked for it. */
typedef struct lr_early_answer {
  struct lr_early_answer *next;
  uint64_t number; /* number of the evaluation */
  double seconds, f;
  char *why; /* why the evaluation failed; owned; NULL: it did not */
} lr_early_answer;

/* Answers at the start, which show how many residuals there are. */
typedef struct lr_pool_early {
  double *x;        /* p numbers, then the first axis; NULL: none */
  double *numbers;  /* numbers of the last answer that did not fail */
  lrgd_oracle kind; /* what that evaluation was asked for */
  lr_early_answer *first, **last;
} lr_pool_early;

/* Lets the pool withdraw answers that a journal has recorded, and count
 * repeated evaluations there. */
typedef struct lr_pool_retracting {
  void (*retract)(void *user, uint64_t sequence, const char *why);
  void (*again)(void *user);
  void (*gone)(void *user); /* called when the pool ends before the journal */
  void *user;
  uint64_t settled_as; /* the journal's number of the last answer; 0: none is
                          recorded */
} lr_pool_retracting;

/* Over 20 members: each struct above has one owner among the files of the pool.
 */
struct lrgd_pool {
  lrgd_pool_options options; /* its texts are NULL here: the copies are below */
  char run_id[33];
  lr_pool_program program;
  lr_slot *slots; /* one for each process that may run: options.jobs */
  size_t count;
  lr_pool_scratch scratch;
  int wake[2];         /* a pipe, written by lrgd_pool_interrupt */
  atomic_int level;    /* the level of the last interrupt */
  pthread_mutex_t one; /* one batch at a time */
  lrgd_pool_counts counts;
  /* unanswered questions that were reported to the solver */
  uint64_t told_unanswered;
  size_t wanted;         /* how many numbers an answer has */
  size_t residual_count; /* 0: it answers f, or it is not known yet */
  lr_pool_early early;
  char *failure; /* text of the last failure */
  /* offset in `failure` after the number of the evaluation */
  size_t cause;
  lr_pool_trouble trouble;
  lr_pool_asking asking;
  lr_pool_flight flight;
  lr_pool_times times;
  lr_pool_retracting retracting;
};

/* Whether f is lrgd_unanswered(), a NaN with a mark in its payload: the journal
 * does not record it as a failed evaluation. */
int lr_is_unanswered(double f);

/* Evaluates the whole batch; recorder: the journal's recorder, or NULL. */
void lr_pool_ask(lrgd_pool *pool, const lrgd_batch *batch,
                 const lrgd_recorder *recorder);
int lr_pool_owns(const lrgd_pool *pool, const lrgd_problem *problem);

/* Evaluations that end in any order.  start: queues f at x.  finish: waits for
 * the next answer, which the recorder (or NULL) was told of, with the number of
 * its place; returns its ticket, 0 where none is under way.  pool_flight.c */
void lr_pool_start_one(lrgd_pool *pool, size_t p, const double *x,
                       uint64_t ticket);
uint64_t lr_pool_finish_one(lrgd_pool *pool, const lrgd_recorder *recorder,
                            double *f);
/* The point of a place. */
const double *lr_pool_place(const lrgd_pool *pool, size_t place);
/* How many residuals the answer has that is being read. */
size_t lr_pool_residuals(const lrgd_pool *pool);
/* What the pool asks where it is asked for residuals: derivatives too, unless
 * they are asked for by themselves. */
lrgd_oracle lr_pool_residual_kind(const lrgd_pool *pool);
/* f of an answer of residuals. */
double lr_pool_cost(const lrgd_pool *pool, const double *r);

/* Shared by the files of the pool only. */

void lr_pool_fail(lrgd_pool *pool, lrgd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the answer f, with the numbers in the scratch where it is finite, to
 * question i of the batch; partial: f has no value, but some residuals have. */
void lr_pool_put_answer(lrgd_pool *pool, size_t i, double f, int partial);

/* Starts the slot's process.  0, or errno. */
int lr_pool_start(lrgd_pool *pool, lr_slot *slot, uint64_t number);

/* Whether the questions of the batch come one by one, from a queue. */
static inline int lr_pool_async(const lrgd_pool *pool)
{
  return pool->asking.batch == &pool->flight.batch;
}
/* An answer, or none, is there for a place. */
void lr_pool_note_end(lrgd_pool *pool, size_t place);
/* Begins a batch.  0: out of memory. */
int lr_pool_begin_batch(lrgd_pool *pool, const lrgd_batch *batch,
                        const lrgd_recorder *recorder);
/* Goes on until an answer has come, or none will. */
void lr_pool_wait_one(lrgd_pool *pool);
void lr_pool_flight_free(lrgd_pool *pool);

/* How many questions of the batch have been put, and the index of the next. */
static inline size_t lr_pool_asked(const lrgd_pool *pool)
{
  return lr_pool_async(pool) ? pool->flight.queued : pool->asking.batch->m;
}
static inline size_t lr_pool_next(const lrgd_pool *pool)
{
  const lr_pool_flight *flight = &pool->flight;
  size_t next = pool->asking.next;
  return lr_pool_async(pool) ? flight->queue[next % flight->room] : next;
}

/* Starts as many evaluations as is possible now. */
void lr_pool_launch(lrgd_pool *pool);

/* Waits for an event and handles it. */
void lr_pool_round(lrgd_pool *pool);

/* Room in the scratch for an answer.  0: out of memory. */
int lr_pool_hold_numbers(lrgd_pool *pool, size_t wanted);

/* Reads a line into pool->scratch.numbers.  0: it is no answer, and why is in
 * the slot. */
int lr_pool_read_answer(lrgd_pool *pool, lr_slot *slot, const char *line,
                        size_t length);
/* The folder of a busy slot. */
lrgd_pool_folder lr_pool_folder_of(const lrgd_pool *pool, const lr_slot *slot);
/* Notifies the owner of working folders that the evaluation has ended; ok: with
 * an answer. */
void lr_pool_release(const lrgd_pool *pool, const lr_slot *slot, int ok);
/* f of the answer in the scratch. */
double lr_pool_value(const lrgd_pool *pool);

/* Ends the evaluation of a busy slot; ok: its answer is in
 * pool->scratch.numbers. */
void lr_pool_settle(lrgd_pool *pool, lr_slot *slot, int ok);

/* Ends all processes: input closed, TERM, KILL, each with its grace. */
void lr_pool_end_all(lrgd_pool *pool);

/* Answers a batch of one question by an early answer.  0: there is none. */
int lr_pool_answer_early(lrgd_pool *pool);
void lr_pool_early_free(lrgd_pool *pool);

/* After that: asks again for last answers that are in doubt, as their workers
 * wrote one more. */
void lr_pool_check_last(lrgd_pool *pool);

#endif
