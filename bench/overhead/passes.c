/* The overhead of auto on a quadratic of rank 10 known by values only: the time
 * of a run minus the time in the callback.  Its unit is a pass, that is one
 * copy of a vector of p numbers, timed in the same callback, so that both are
 * measured under the same load.  The copies cycle through about as many vectors
 * as the method has, since the method's own vectors are not in the nearest
 * cache either.  Time is processor time of this thread.  Reported are medians
 * over the copies of a run and over runs. */
#include "passes.h"

#include <lrgd/lrgd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANK = 10, RUNS = 9, COPIES = 1000, RING = 24 };

/* The largest acceptable time of an evaluation, in passes, for vectors of at
 * least that length. */
static const double limit = 5;
static const size_t long_enough = 100000;

typedef struct watch {
  double inside;         /* seconds in the callback */
  double *ring;          /* RING vectors */
  double copies[COPIES]; /* seconds that each of the first copies took */
  size_t count;
} watch;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* f = 1/2 sum lambda_i (s_i - 1)^2, s_i the sum of every RANK-th coordinate
 * over the root of their number, lambda from 1 to 100. */
static double quadratic(size_t p, const double *x)
{
  double s[RANK] = {0}, f = 0, scale = sqrt((double)RANK / (double)p);
  for (size_t j = 0; j + RANK <= p; j += RANK)
    for (size_t i = 0; i < RANK; i++) s[i] += x[j + i];
  for (size_t i = 0; i < RANK; i++) {
    double off = scale * s[i] - 1;
    f += 0.5 * pow(100, (double)i / (RANK - 1)) * off * off;
  }
  return f;
}

static double value(size_t p, const double *x, void *user)
{
  watch *w = user;
  double begin = now(), copied, f = quadratic(p, x);
  const double *from = w->ring + (w->count + RING / 2) % RING * p;
  double *to = w->ring + w->count % RING * p;
  copied = now();
  memcpy(to, from, p * sizeof *to);
  if (w->count < COPIES) w->copies[w->count] = now() - copied;
  w->count++;
  w->inside += now() - begin;
  return f;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(size_t n, double *numbers)
{
  qsort(numbers, n, sizeof *numbers, by_size);
  return numbers[n / 2];
}

typedef struct cost {
  /* seconds of the library for one evaluation, and of a copy */
  double own, pass;
} cost;

static int run(size_t p, watch *w, double *x, int64_t seed, cost *found)
{
  lrgd_problem problem = lrgd_problem_default(p);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  double begin;
  problem.value = value;
  problem.user = w;
  options.method = LRGD_METHOD_AUTO;
  options.seed = seed;
  memset(x, 0, p * sizeof *x);
  w->inside = 0;
  w->count = 0;
  begin = now();
  if (lrgd_minimize(&problem, &options, x, &result, &error) != LRGD_OK) {
    fprintf(stderr, "lrgd-overhead: %s\n", error.text);
    return 1;
  }
  found->own = (now() - begin - w->inside) / (double)w->count;
  found->pass = median(w->count < COPIES ? w->count : COPIES, w->copies);
  return 0;
}

static int report(size_t p, const cost *runs)
{
  double own[RUNS], pass[RUNS], passes[RUNS], middle;
  for (size_t i = 0; i < RUNS; i++) {
    own[i] = runs[i].own;
    pass[i] = runs[i].pass;
    passes[i] = own[i] / pass[i];
  }
  middle = median(RUNS, passes);
  printf("p = %zu, r = %d, values only\n", p, RANK);
  printf("an evaluation of auto, the callback apart  %8.3f ms\n",
         1e3 * median(RUNS, own));
  printf("a pass (a copy of p numbers)               %8.3f ms\n",
         1e3 * median(RUNS, pass));
  printf("passes (median of %d runs)                  %8.2f\n", RUNS, middle);
  if (p < long_enough || middle <= limit) return 0;
  fprintf(stderr, "lrgd-overhead: above the limit of %.1f passes\n", limit);
  return 1;
}

int measure_passes(size_t p)
{
  static watch w;
  cost runs[RUNS];
  double *x = malloc(p * sizeof *x);
  w.ring = malloc(RING * p * sizeof *w.ring);
  int failed = !x || !w.ring;
  if (failed) fprintf(stderr, "lrgd-overhead: out of memory\n");
  for (size_t i = 0; !failed && i < RING * p; i++) w.ring[i] = 1;
  for (int64_t i = 0; !failed && i < RUNS; i++)
    failed = run(p, &w, x, i + 1, &runs[i]);
  if (!failed) failed = report(p, runs);
  free(x);
  free(w.ring);
  return failed;
}
