/* Questions go to whoever is free and answers are put where their index says,
 * so that the path of a run does not depend on how many ranks there are.
 * Known here: MPI, and that a rank may fail.  Not known: what is evaluated.
 *
 * Nobody waits inside MPI, which would burn the processor that a program of
 * another rank may need: all look, and sleep a little in between. */
#include "spread.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum tag { SETUP = 1, HOME, READY, VALUE, GRADIENT, SLOPE, ANSWER } tag;

/* A rank that failed so often in a row is given nothing until so many other
 * answers have come; twice as many each time it fails again at once. */
enum { PATIENCE = 2, REST = 8 };

typedef struct helper {
  bool present; /* can answer at all */
  bool busy;
  size_t index;  /* of its question */
  size_t failed; /* in a row */
  size_t rest;   /* answers of others that it sits out */
} helper;

struct spread {
  int size;
  helper *helpers; /* one a rank; rank 0 is none */
  size_t rests;
  double *out, *in; /* 1 + 2 p, 2 + p numbers */
};

/* One kind of questions; as the pool's batches. */
typedef struct batch {
  tag kind;
  size_t p, m;
  const double *x, *u;
  double *f, *d;
} batch;

static void pause_for(long *microseconds)
{
  struct timespec t = {0, *microseconds * 1000};
  (void)nanosleep(&t, NULL);
  if (*microseconds < 2000) *microseconds *= 2;
}

/* The next message, of any rank where from is MPI_ANY_SOURCE. */
static MPI_Status await_message(int from)
{
  MPI_Status status;
  int here = 0;
  long wait = 20;
  for (;;) {
    (void)MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &here, &status);
    if (here) return status;
    pause_for(&wait);
  }
}

/* ---- rank 0 ---- */

static void ask(spread *s, const batch *b, size_t i, int rank)
{
  size_t n = b->p;
  const double *x = b->kind == VALUE ? b->x + i * b->p : b->x;
  memcpy(s->out, x, b->p * sizeof *x);
  if (b->kind == SLOPE) {
    memcpy(s->out + n, b->u + i * b->p, b->p * sizeof *x);
    n += b->p;
  }
  (void)MPI_Send(s->out, (int)n, MPI_DOUBLE, rank, (int)b->kind,
                 MPI_COMM_WORLD);
  s->helpers[rank].busy = true;
  s->helpers[rank].index = i;
}

/* Somebody free who need not rest; where all who are free rest and nobody is
 * busy, the one with the least left of it.  0: nobody. */
static int choose(const spread *s)
{
  int tired = 0;
  bool any_busy = false;
  for (int r = 1; r < s->size; r++) {
    const helper *h = &s->helpers[r];
    any_busy = any_busy || h->busy;
    if (!h->present || h->busy) continue;
    if (h->rest == 0) return r;
    if (tired == 0 || h->rest < s->helpers[tired].rest) tired = r;
  }
  return any_busy ? 0 : tired;
}

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
  s->rests++;
}

static void take_answer(spread *s, const batch *b)
{
  MPI_Status status = await_message(MPI_ANY_SOURCE);
  int rank = status.MPI_SOURCE, count = 0;
  (void)MPI_Get_count(&status, MPI_DOUBLE, &count);
  (void)MPI_Recv(s->in, count, MPI_DOUBLE, rank, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  size_t i = s->helpers[rank].index;
  s->helpers[rank].busy = false;
  b->f[i] = s->in[0];
  if (b->kind == SLOPE) b->d[i] = s->in[1];
  if (b->kind == GRADIENT) memcpy(b->d, s->in + 1, b->p * sizeof *b->d);
  judge(s, rank, isfinite(s->in[0]) != 0);
}

static void ask_all(spread *s, const batch *b)
{
  size_t next = 0;
  for (size_t settled = 0; settled < b->m; settled++) {
    for (int rank; next < b->m && (rank = choose(s)) != 0; next++)
      ask(s, b, next, rank);
    take_answer(s, b);
  }
}

static double value(size_t p, const double *x, void *user)
{
  double f = NAN;
  ask_all(user, &(batch){VALUE, p, 1, x, NULL, &f, NULL});
  return f;
}

static void values(size_t p, size_t m, const double *X, double *f, void *user)
{
  ask_all(user, &(batch){VALUE, p, m, X, NULL, f, NULL});
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  double f = NAN;
  ask_all(user, &(batch){GRADIENT, p, 1, x, NULL, &f, g});
  return f;
}

/* As the pool's: without directions f is asked along zero. */
static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  size_t m = k ? k : 1;
  double none = 0, result = NAN;
  double *zero = k ? NULL : calloc(p, sizeof *zero);
  double *f = malloc(m * sizeof *f);
  if (f && (k || zero)) {
    ask_all(user, &(batch){SLOPE, p, m, x, k ? U : zero, f, k ? d : &none});
    result = f[0];
    for (size_t i = 0; i < m && !isfinite(result); i++) result = f[i];
  }
  free(f);
  free(zero);
  return result;
}

/* Who is ready; the sentence of one who is not. */
static int hear_ready(spread *s, lrgd_error *error)
{
  int ready = 0;
  for (int r = 1; r < s->size; r++) {
    lrgd_error said;
    (void)await_message(r);
    (void)MPI_Recv(&said, (int)sizeof said, MPI_BYTE, r, READY, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    s->helpers[r].present = said.status == LRGD_OK;
    if (s->helpers[r].present)
      ready++;
    else
      *error = said;
  }
  return ready;
}

lrgd_status spread_begin(spread **out, lrgd_problem *problem,
                         const spread_setup *setup, lrgd_error *error)
{
  size_t p = (size_t)setup->dimension;
  spread *s = calloc(1, sizeof *s);
  *out = s;
  if (s == NULL) return fail_memory(error);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &s->size);
  s->helpers = calloc((size_t)s->size, sizeof *s->helpers);
  s->out = malloc((2 * p + 1) * sizeof *s->out);
  s->in = malloc((p + 2) * sizeof *s->in);
  if (s->helpers == NULL || s->out == NULL || s->in == NULL)
    return fail_memory(error);
  for (int r = 1; r < s->size; r++)
    (void)MPI_Send(setup, (int)sizeof *setup, MPI_BYTE, r, SETUP,
                   MPI_COMM_WORLD);
  if (hear_ready(s, error) == 0) return error->status;
  problem->slopes = setup->slopes ? slopes : NULL;
  problem->gradient = setup->gradients ? gradient : NULL;
  problem->value = setup->values ? value : NULL;
  problem->values = setup->values ? values : NULL;
  problem->complex_value = NULL;
  problem->user = s;
  return LRGD_OK;
}

size_t spread_rests(const spread *s)
{
  return s != NULL ? s->rests : 0;
}

void spread_end(spread **s)
{
  int size;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 1; r < size; r++)
    (void)MPI_Send(NULL, 0, MPI_BYTE, r, HOME, MPI_COMM_WORLD);
  if (*s == NULL) return;
  free((*s)->helpers);
  free((*s)->out);
  free((*s)->in);
  free(*s);
  *s = NULL;
}

/* ---- the others ---- */

bool spread_await(spread_setup *setup)
{
  MPI_Status status = await_message(0);
  bool go = status.MPI_TAG == SETUP;
  (void)MPI_Recv(setup, go ? (int)sizeof *setup : 0, MPI_BYTE, 0,
                 status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return go;
}

/* f, and what comes with it, into out; returns how many numbers that is. */
static size_t answer(const lrgd_problem *problem, int kind, double *x,
                     double *out)
{
  size_t p = problem->dimension;
  if (kind == GRADIENT) {
    out[0] = problem->gradient(p, x, out + 1, problem->user);
    return p + 1;
  }
  if (kind == SLOPE) {
    out[1] = NAN;
    out[0] = problem->slopes(p, x, 1, x + p, out + 1, problem->user);
    return 2;
  }
  if (problem->value != NULL)
    out[0] = problem->value(p, x, problem->user);
  else
    problem->values(p, 1, x, out, problem->user);
  return 1;
}

static void answer_all(const lrgd_problem *problem, double *x, double *out)
{
  for (;;) {
    MPI_Status status = await_message(0);
    int count = 0;
    (void)MPI_Get_count(&status, MPI_DOUBLE, &count);
    if (status.MPI_TAG == HOME) count = 0;
    (void)MPI_Recv(x, count, MPI_DOUBLE, 0, status.MPI_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    if (status.MPI_TAG == HOME) return;
    size_t n = answer(problem, status.MPI_TAG, x, out);
    (void)MPI_Send(out, (int)n, MPI_DOUBLE, 0, ANSWER, MPI_COMM_WORLD);
  }
}

void spread_serve(const lrgd_problem *problem, const lrgd_error *error)
{
  lrgd_error said = *error;
  size_t p = problem->dimension;
  double *x = malloc(2 * p * sizeof *x), *out = malloc((p + 1) * sizeof *out);
  if (said.status == LRGD_OK && (x == NULL || out == NULL))
    (void)fail_memory(&said);
  (void)MPI_Send(&said, (int)sizeof said, MPI_BYTE, 0, READY, MPI_COMM_WORLD);
  double nothing[1];
  if (said.status == LRGD_OK)
    answer_all(problem, x, out);
  else
    answer_all(problem, nothing, nothing); /* nothing but home will come */
  free(x);
  free(out);
}
