/* The master: rank 0 sends each question to a free rank and stores the answer
 * by the index of its question, so that the path of a run does not depend on
 * the number of ranks.
 * This file knows MPI, and that ranks fail or are late, but not what is
 * evaluated. */
#include "master.h"

#include "cli/terminal/signals.h"
#include "message.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A rank whose last PATIENCE answers were failures gets no question until REST
 * other answers have arrived; twice as many after each further failure. */
enum { PATIENCE = 2, REST = 8 };

/* A question is late after LATE times the median duration of the last TIMES
 * answers, of which there must be at least FEW. */
enum { LATE = 3, FEW = 3, TIMES = 32 };

typedef struct helper {
  bool present; /* the rank can answer */
  bool busy;
  bool stale;    /* another rank has answered its question already */
  size_t index;  /* the question it asks */
  double sent_s; /* when the question was sent */
  double took_s; /* duration of its last answer; 0: none yet */
  size_t failed; /* consecutive failures */
  size_t rest;   /* answers of other ranks before it gets a question again */
} helper;

struct spread {
  /* unanswered questions that were reported to the solver */
  uint64_t told_unanswered;
  int size;
  helper *helpers; /* one for each rank; that of rank 0 is not used */
  cli_ranks *ranks;
  cli_listeners listeners;
  lrgd_pool_counts counts;
  double *out, *in;    /* buffers of 2 p and p + 1 numbers */
  double times[TIMES]; /* durations of the last answers */
  size_t timed;

  /* the batch under evaluation */
  const lrgd_batch *batch;
  const lrgd_recorder *recorder;
  size_t next;  /* the next question that no rank has been asked */
  size_t *lost; /* questions whose rank did not evaluate them */
  size_t lost_count;
  long may_ask;
  bool unflushed;
};

/* ---- who is asked ---- */

/* The fastest of the free ranks that need not rest; if all free ranks rest and
 * no answer is due, the one whose rest ends first. 0: no rank is free. */
static int choose(const spread *s)
{
  int fastest = 0, tired = 0;
  bool awaited = false;
  for (int r = 1; r < s->size; r++) {
    const helper *h = &s->helpers[r];
    awaited = awaited || (h->busy && !h->stale);
    if (!h->present || h->busy) continue;
    if (h->rest == 0) {
      if (fastest == 0 || h->took_s < s->helpers[fastest].took_s) fastest = r;
    } else if (tired == 0 || h->rest < s->helpers[tired].rest) {
      tired = r;
    }
  }
  return fastest != 0 || awaited ? fastest : tired;
}

/* Another rank that evaluates the same question; 0: none. */
static int twin_of(const spread *s, int rank)
{
  for (int r = 1; r < s->size; r++) {
    const helper *h = &s->helpers[r];
    if (r != rank && h->busy && !h->stale && h->index == s->helpers[rank].index)
      return r;
  }
  return 0;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double usual_time(const spread *s)
{
  double sorted[TIMES];
  size_t n = s->timed < TIMES ? s->timed : TIMES;
  if (n < FEW) return INFINITY;
  memcpy(sorted, s->times, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, compare);
  return sorted[n / 2];
}

/* The rank that is late by most, and the only one on its question; 0: none. */
static int find_late(const spread *s)
{
  double before = message_now_s() - LATE * usual_time(s);
  int late = 0;
  for (int r = 1; r < s->size; r++) {
    const helper *h = &s->helpers[r];
    if (!h->busy || h->stale || !(h->sent_s < before) || twin_of(s, r) != 0)
      continue;
    if (late == 0 || h->sent_s < s->helpers[late].sent_s) late = r;
  }
  return late;
}

/* ---- asking ---- */

static void ask(spread *s, size_t i, int rank)
{
  const lrgd_batch *b = s->batch;
  helper *h = &s->helpers[rank];
  size_t n = b->p;
  int tag = MESSAGE_GRADIENT;
  memcpy(s->out, b->kind == LRGD_ORACLE_VALUE ? b->x + i * n : b->x,
         n * sizeof *s->out);
  if (b->kind == LRGD_ORACLE_VALUE) tag = MESSAGE_VALUE;
  if (b->kind == LRGD_ORACLE_SLOPE) {
    tag = MESSAGE_SLOPE;
    memcpy(s->out + n, b->u + i * n, n * sizeof *s->out);
    n *= 2;
  }
  (void)MPI_Send(s->out, (int)n, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD);
  h->busy = true;
  h->index = i;
  h->sent_s = message_now_s();
  s->counts.asked++;
}

static size_t unasked(const spread *s)
{
  return s->batch->m - s->next + s->lost_count;
}

/* Lets the recorder commit all answers before a new question is sent. */
static void flush(spread *s)
{
  if (s->recorder == NULL) return;
  if (!s->unflushed && (s->may_ask > 0 || unasked(s) == 0)) return;
  s->unflushed = false;
  s->may_ask = s->recorder->flush(s->recorder->user, unasked(s));
}

/* Whether new questions may be sent: after the first signal, only running
 * evaluations are finished. */
static bool may_go_on(const spread *s)
{
  if (signals_seen() != 0 || s->may_ask < 0) return false;
  for (int r = 1; r < s->size; r++)
    if (s->helpers[r].present) return true;
  return false;
}

static void ask_new(spread *s)
{
  int rank;
  while (unasked(s) > 0 && s->may_ask > 0 && (rank = choose(s)) != 0) {
    ask(s, s->lost_count > 0 ? s->lost[--s->lost_count] : s->next++, rank);
    if (s->recorder != NULL) s->may_ask--;
  }
}

/* When there is no new question left, sends those that are late to free ranks
 * too. */
static void ask_again(spread *s)
{
  int rank, late;
  while (s->ranks->reissue > 0 && unasked(s) == 0 && (rank = choose(s)) != 0 &&
         (late = find_late(s)) != 0) {
    if (s->recorder != NULL && s->recorder->repeat(s->recorder->user) == 0)
      return;
    s->ranks->reissue--;
    s->ranks->reissued++;
    ask(s, s->helpers[late].index, rank);
  }
}

/* ---- answers ---- */

static void judge(spread *s, int rank, bool fine)
{
  helper *h = &s->helpers[rank];
  for (int r = 1; r < s->size; r++)
    if (r != rank && s->helpers[r].rest > 0) s->helpers[r].rest--;
  h->failed = fine ? 0 : h->failed + 1;
  if (fine) h->rest = 0;
  if (h->failed < PATIENCE) return;
  size_t times = h->failed - PATIENCE;
  h->rest = (size_t)REST << (times < 10 ? times : 10);
  s->ranks->rested++;
}

/* Stores the answer in s->in as that of question i. */
static void settle(spread *s, size_t i, double seconds)
{
  const lrgd_batch *b = s->batch;
  double f = s->in[0];
  bool fine = !isnan(f);
  const char *why = !fine && s->ranks->failure[0] ? s->ranks->failure : NULL;
  b->f[i] = f;
  if (b->kind == LRGD_ORACLE_SLOPE) b->d[i] = fine ? s->in[1] : f;
  for (size_t j = 0; b->kind == LRGD_ORACLE_GRADIENT && j < b->p; j++)
    b->d[j] = fine ? s->in[j + 1] : f;
  if (fine) s->times[s->timed++ % TIMES] = seconds;
  *(fine ? &s->counts.answered : &s->counts.failed) += 1;
  events_pool(s->listeners.events,
              &(lrgd_pool_event){sizeof(lrgd_pool_event),
                                 s->counts.answered + s->counts.failed, i, f,
                                 seconds, why});
  if (s->recorder == NULL) return;
  s->recorder->answered(s->recorder->user, i, seconds, why);
  s->unflushed = true;
}

/* Records for how long the rank was busy with its question. */
static void note_time(spread *s, helper *h)
{
  cli_ranks *ranks = s->ranks;
  ranks->last_s = message_now_s();
  if (ranks->first_s == 0 || h->sent_s < ranks->first_s)
    ranks->first_s = h->sent_s;
  h->took_s = ranks->last_s - h->sent_s;
  ranks->busy_s += h->took_s;
}

/* Handles an answer.  If two ranks were asked the same question, the first
 * answer counts, and a failure only if both fail. */
static void hear(spread *s, int rank)
{
  helper *h = &s->helpers[rank];
  bool stale = h->stale, gone = message_is_unanswered(s->in[0]);
  int twin = twin_of(s, rank);
  h->busy = h->stale = false;
  note_time(s, h);
  if (gone) h->present = false; /* its program could not be started again */
  if (stale) return;
  if (gone && twin == 0) s->lost[s->lost_count++] = h->index;
  if (gone) return;
  judge(s, rank, isfinite(s->in[0]) != 0);
  if (twin != 0 && isnan(s->in[0])) return;
  if (twin != 0) s->helpers[twin].stale = true;
  settle(s, h->index, h->took_s);
}

/* Keeps the reason of a failed evaluation for the message; why: "" if it is not
 * known. */
static void keep_failure(cli_ranks *ranks, int rank, const char *why)
{
  ranks->failure[0] = '\0';
  if (why[0] != '\0')
    (void)snprintf(ranks->failure, sizeof ranks->failure, "rank %d: %.2000s",
                   rank, why);
}

static void receive(spread *s, const MPI_Status *status)
{
  int rank = status->MPI_SOURCE, count = 0;
  message_failure failure;
  if (status->MPI_TAG == MESSAGE_FAILURE) {
    (void)MPI_Recv(&failure, (int)sizeof failure, MPI_BYTE, rank,
                   MESSAGE_FAILURE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    s->in[0] = failure.f;
    if (s->ranks != NULL) keep_failure(s->ranks, rank, failure.why);
    return;
  }
  (void)MPI_Get_count(status, MPI_DOUBLE, &count);
  (void)MPI_Recv(s->in, count, MPI_DOUBLE, rank, MESSAGE_ANSWER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void beat(spread *s)
{
  double now = message_now_s();
  s->counts.running = 0;
  s->counts.longest_s = 0;
  for (int r = 1; r < s->size; r++) {
    if (!s->helpers[r].busy || s->helpers[r].stale) continue;
    s->counts.running++;
    s->counts.longest_s = fmax(s->counts.longest_s, now - s->helpers[r].sent_s);
  }
  if (s->listeners.progress != NULL)
    progress_beat(s->listeners.progress, &s->counts);
}

/* Handles all answers that have arrived; if there are none, waits a moment. */
static void hear_all(spread *s)
{
  MPI_Status status;
  for (double wait_s = 0.05; message_await(MPI_ANY_SOURCE, wait_s, &status);
       wait_s = 0) {
    receive(s, &status);
    hear(s, status.MPI_SOURCE);
  }
  beat(s);
}

/* ---- a batch ---- */

static bool is_awaited(const spread *s)
{
  for (int r = 1; r < s->size; r++)
    if (s->helpers[r].busy && !s->helpers[r].stale) return true;
  return false;
}

static void give_up(spread *s, size_t i)
{
  const lrgd_batch *b = s->batch;
  double none = lrgd_unanswered();
  b->f[i] = none;
  if (b->kind == LRGD_ORACLE_SLOPE) b->d[i] = none;
  for (size_t j = 0; b->kind == LRGD_ORACLE_GRADIENT && j < b->p; j++)
    b->d[j] = none;
  s->ranks->unanswered++;
}

static void answer(const lrgd_batch *batch, const lrgd_recorder *recorder,
                   void *user)
{
  spread *s = user;
  s->batch = batch;
  s->recorder = recorder;
  s->next = s->lost_count = 0;
  s->may_ask = recorder != NULL ? 0 : LONG_MAX;
  s->unflushed = false;
  for (;;) {
    flush(s);
    bool on = may_go_on(s);
    if (on) ask_new(s);
    if (on) ask_again(s);
    if (!is_awaited(s) && (!on || unasked(s) == 0)) break;
    hear_all(s);
  }
  while (s->lost_count > 0) give_up(s, s->lost[--s->lost_count]);
  while (s->next < batch->m) give_up(s, s->next++);
}

static double value(size_t p, const double *x, void *user)
{
  double f = NAN;
  answer(&(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_VALUE, p, 1, x, NULL, &f,
                       NULL, 0},
         NULL, user);
  return f;
}

static void values(size_t p, size_t m, const double *X, double *f, void *user)
{
  answer(&(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_VALUE, p, m, X, NULL, f,
                       NULL, 0},
         NULL, user);
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  double f = NAN;
  answer(&(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_GRADIENT, p, 1, x, NULL,
                       &f, g, 0},
         NULL, user);
  return f;
}

/* Slopes along k directions. Without directions (k = 0) one zero direction is
 * evaluated, as in the pool: that gives f alone. */
static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  size_t m = k ? k : 1;
  double none = 0, result = NAN;
  double *zero = k ? NULL : calloc(p, sizeof *zero);
  double *f = malloc(m * sizeof *f);
  if (f && (k || zero)) {
    answer(&(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_SLOPE, p, m, x,
                         k ? U : zero, f, k ? d : &none, 0},
           NULL, user);
    result = f[0];
    for (size_t i = 0; i < m && !isfinite(result); i++) result = f[i];
  }
  free(f);
  free(zero);
  return result;
}

/* Unanswered questions that have not been reported to the solver. */
static size_t unanswered(void *user)
{
  spread *s = user;
  uint64_t news = s->ranks->unanswered - s->told_unanswered;
  s->told_unanswered = s->ranks->unanswered;
  return (size_t)news;
}

/* ---- life ---- */

/* Waits until every rank has reported whether it is ready; returns how many
 * are.  error: the message of one that is not. */
static size_t hear_ready(spread *s, lrgd_error *error)
{
  size_t ready = 0;
  for (int r = 1; r < s->size; r++) {
    lrgd_error said;
    MPI_Status status;
    (void)message_await(r, INFINITY, &status);
    (void)MPI_Recv(&said, (int)sizeof said, MPI_BYTE, r, MESSAGE_READY,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    s->helpers[r].present = said.status == LRGD_OK;
    if (s->helpers[r].present)
      ready++;
    else
      *error = said;
  }
  return ready;
}

static lrgd_status furnish(spread *s, size_t p, lrgd_error *error)
{
  size_t size;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &s->size);
  size = (size_t)s->size;
  s->helpers = calloc(size, sizeof *s->helpers);
  s->lost = calloc(size, sizeof *s->lost);
  s->out = malloc(2 * p * sizeof *s->out);
  s->in = malloc((p + 1) * sizeof *s->in);
  return s->helpers && s->lost && s->out && s->in ? LRGD_OK
                                                  : fail_memory(error);
}

lrgd_status spread_begin(spread **out, cli_source *source,
                         const cli_listeners *listeners,
                         const spread_setup *setup, const char *flags,
                         lrgd_error *error)
{
  lrgd_problem *problem = &source->problem;
  spread *s = calloc(1, sizeof *s);
  *out = s;
  if (s == NULL) return fail_memory(error);
  if (furnish(s, problem->dimension, error) != LRGD_OK) return error->status;
  s->ranks = &source->ranks;
  s->listeners = *listeners;
  for (int r = 1; r < s->size; r++) {
    (void)MPI_Send(setup, (int)sizeof *setup, MPI_BYTE, r, MESSAGE_SETUP,
                   MPI_COMM_WORLD);
    (void)MPI_Send(flags, (int)setup->flags, MPI_BYTE, r, MESSAGE_FLAGS,
                   MPI_COMM_WORLD);
  }
  size_t ready = hear_ready(s, error);
  if (ready == 0) return error->status;
  s->ranks->evaluator =
      (lrgd_evaluator){sizeof(lrgd_evaluator), answer, s, ready};
  problem->slopes = setup->slopes ? slopes : NULL;
  problem->gradient = setup->gradients ? gradient : NULL;
  problem->value = setup->values ? value : NULL;
  problem->values = setup->values ? values : NULL;
  problem->complex_value = NULL;
  problem->unanswered = unanswered;
  problem->user = s;
  return LRGD_OK;
}

/* Waits for the answers of late ranks: no message may be in transit when MPI
 * ends. */
static void hear_the_late(spread *s)
{
  s->ranks = NULL; /* its source has gone */
  for (int r = 1; s->helpers != NULL && r < s->size; r++) {
    MPI_Status status;
    if (!s->helpers[r].busy) continue;
    (void)message_await(r, INFINITY, &status);
    receive(s, &status);
  }
}

void spread_end(spread **s)
{
  int size;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 1; r < size; r++)
    (void)MPI_Send(NULL, 0, MPI_BYTE, r, MESSAGE_HOME, MPI_COMM_WORLD);
  if (*s == NULL) return;
  hear_the_late(*s);
  free((*s)->helpers);
  free((*s)->lost);
  free((*s)->out);
  free((*s)->in);
  free(*s);
  *s = NULL;
}
