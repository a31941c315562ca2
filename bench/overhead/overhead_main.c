/* What an iteration of LRGD costs beyond the user's own function.
 *
 * f(x) = 1/2 sum_i lambda_i (s_i - 1)^2, where s_i is the sum of every r-th
 * coordinate over the root of their number: rank r, and slopes along U cost
 * one pass over U.  The time between two iterations, less the time spent in
 * the callbacks, is the library's own; beside it a dgemv over the same p x r
 * numbers, which no method that moves in a subspace can do without.  The two
 * take turns, so that they meet the same machine, and time is that of this
 * thread: others on the machine hardly matter. */
#include "blas.h"
#include "passes.h"

#include <dlfcn.h>
#include <lrgd/lrgd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANK = 20, WANTED = 20, SKIPPED = 2, MOST = WANTED + SKIPPED };

typedef struct bench {
  size_t p;
  /* seconds spent in callbacks and in dgemv since the last iteration */
  double outside;
  double last;       /* the time at which the last iteration ended */
  size_t count;      /* number of iterations so far */
  double own[MOST];  /* seconds of the library, for each iteration */
  double gemv[MOST]; /* seconds of a dgemv, for each iteration */
  double *U, *y;     /* operands of dgemv */
  void (*dgemv)(int order, int trans, int m, int n, double alpha,
                const double *A, int lda, const double *x, int incx,
                /* from the BLAS that was found */
                double beta, double *y, int incy);
  double coordinates[RANK];
} bench;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The sums s_i of one point. */
static void sums(size_t p, const double *x, double *s)
{
  double scale = sqrt((double)RANK / (double)p);
  memset(s, 0, RANK * sizeof *s);
  for (size_t j = 0; j < p; j += RANK)
    for (size_t i = 0; i < RANK && j + i < p; i++) s[i] += x[j + i];
  for (size_t i = 0; i < RANK; i++) s[i] *= scale;
}

static double lambda(size_t i)
{
  return 1 + (double)i;
}

static double value_at(const double *s)
{
  double f = 0;
  for (size_t i = 0; i < RANK; i++)
    f += 0.5 * lambda(i) * (s[i] - 1) * (s[i] - 1);
  return f;
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  bench *b = user;
  double begin = now(), s[RANK], scale = sqrt((double)RANK / (double)p);
  sums(p, x, s);
  for (size_t j = 0; j < p; j++)
    g[j] = lambda(j % RANK) * (s[j % RANK] - 1) * scale;
  b->outside += now() - begin;
  return value_at(s);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  bench *b = user;
  double begin = now(), s[RANK], t[RANK];
  sums(p, x, s);
  for (size_t j = 0; j < k; j++) {
    sums(p, U + j * p, t);
    d[j] = 0;
    for (size_t i = 0; i < RANK; i++) d[j] += lambda(i) * (s[i] - 1) * t[i];
  }
  b->outside += now() - begin;
  return value_at(s);
}

/* The seconds that y = U c takes. */
static double time_dgemv(bench *b)
{
  int p = (int)b->p;
  double begin = now();
  b->dgemv(CblasColMajor, CblasNoTrans, p, RANK, 1, b->U, p, b->coordinates, 1,
           1, b->y, 1);
  return now() - begin;
}

static void progress(const lrgd_progress *at, void *user)
{
  bench *b = user;
  double arrived = now();
  if (at->event != LRGD_EVENT_ITERATION) return;
  if (at->iteration > 1 && b->count < MOST) {
    b->own[b->count] = arrived - b->last - b->outside;
    b->gemv[b->count++] = time_dgemv(b);
  }
  b->outside = 0;
  b->last = now();
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median time, without the first iterations, which warm the caches. */
static double median(double *times)
{
  qsort(times + SKIPPED, WANTED, sizeof *times, by_size);
  return (times[SKIPPED + WANTED / 2 - 1] + times[SKIPPED + WANTED / 2]) / 2;
}

static int run(bench *b, double *x)
{
  lrgd_problem problem = lrgd_problem_default(b->p);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  problem.gradient = gradient; /* used to identify the subspace */
  problem.slopes = slopes;
  problem.user = b;
  options.method = LRGD_METHOD_LRGD;
  options.rank = RANK;
  options.step = LRGD_STEP_FIXED;
  options.alpha = 0.2 / RANK;
  options.tol = 1e-300;
  options.max_iterations = MOST + 2;
  options.progress = progress;
  options.progress_user = b;
  if (lrgd_minimize(&problem, &options, x, &result, &error) != LRGD_OK) {
    fprintf(stderr, "lrgd-overhead: %s\n", error.text);
    return 1;
  }
  if (b->count == MOST) return 0;
  fprintf(stderr, "lrgd-overhead: %zu iterations of %d: %s\n", b->count, MOST,
          result.message);
  return 1;
}

/* The largest acceptable time of an iteration, in passes over a U that does not
 * fit into the cache. */
static const double limit = 1.3;

static int report(bench *b)
{
  double own = median(b->own), gemv = median(b->gemv);
  const char *threads = getenv("OPENBLAS_NUM_THREADS");
  printf("p = %zu, r = %d, slopes given; BLAS kernels %s, threads %s\n", b->p,
         RANK, lr_blas.kernels, threads ? threads : "as the BLAS chooses");
  printf("an iteration of LRGD, the callbacks apart  %8.3f ms\n", 1e3 * own);
  printf("a dgemv over U                             %8.3f ms\n", 1e3 * gemv);
  printf("ratio (median of %d each)                  %8.2f\n", WANTED,
         own / gemv);
  if (b->p < 1000000 || own <= limit * gemv) return 0;
  fprintf(stderr, "lrgd-overhead: above the limit of %.1f\n", limit);
  return 1;
}

/* Finds the dgemv of the same BLAS, with the same kernels, that networks
 * use. */
static int find_dgemv(bench *b)
{
  lrgd_error error = {.text = ""};
  if (lr_blas_need(&error) != LRGD_OK)
    return fprintf(stderr, "lrgd-overhead: %s\n", error.text);
  void *symbol = dlsym(lr_blas.library, "cblas_dgemv");
  memcpy(&b->dgemv, &symbol, sizeof symbol);
  if (symbol == NULL) fprintf(stderr, "lrgd-overhead: no cblas_dgemv\n");
  return symbol == NULL;
}

int main(int argc, char **argv)
{
  static bench b = {.p = 1000000};
  if (argc > 1) b.p = strtoul(argv[1], NULL, 10);
  if (argc > 2 || b.p < RANK || b.p > 100000000) {
    fprintf(stderr, "usage: lrgd-overhead [p], p from %d to 1e8\n", RANK);
    return 2;
  }
  if (find_dgemv(&b)) return 1;
  double *x = calloc(b.p, sizeof *x);
  b.U = malloc(b.p * RANK * sizeof *b.U);
  b.y = calloc(b.p, sizeof *b.y);
  int failed = !x || !b.U || !b.y;
  if (failed) fprintf(stderr, "lrgd-overhead: out of memory\n");
  for (size_t i = 0; !failed && i < b.p * RANK; i++) b.U[i] = 1e-3;
  for (size_t i = 0; i < RANK; i++) b.coordinates[i] = 1;
  failed = failed || run(&b, x) || report(&b);
  failed = measure_passes(argc > 1 ? b.p : 100000) || failed;
  free(x);
  free(b.U);
  free(b.y);
  return failed;
}
