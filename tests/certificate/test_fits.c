/* Are certificates of residual runs false as seldom as they say?
 *
 * F_i(x) = a_i'y + curl_i (b_i'y)^2 / 2 - t_i, y = x / size, of full or of low
 * rank, in few inputs or in more, of equal size or of sizes spread by 1e4, free
 * or in a box, exact or with noise of the residuals, by values or with the
 * Jacobian or slopes that the user gives.  A certificate is false where the
 * norm of the true gradient, without what bounds hold, is more than 1 % above
 * its bound.  A cell fails where its false ones have a one-sided binomial
 * p-value below 0.05 divided by the number of cells.
 *
 * SOAK=1: 200 runs a cell, each cell printed; COVERAGE_RUNS=n: n runs;
 * COVERAGE_SEED=k: other functions than k = 0. */
#include "check.h"

#include "base/random.h"

#include <lrgd/lrgd.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_P = 40, MOST_M = 60, FEW = 0, LOW_RANK, FULL_RANK, SHAPES };
enum { CELLS = SHAPES * 2 * 2 * 2 };

typedef struct cell {
  int shape;
  bool spread, boxed, noisy;
} cell;

typedef struct system {
  size_t p, m;
  double a[MOST_M * MOST_P], b[MOST_M * MOST_P], curl[MOST_M], t[MOST_M];
  double size[MOST_P], lower[MOST_P], upper[MOST_P], start[MOST_P];
  double noise;
  uint64_t seed, asked;
} system_t;

/* Rows of n vectors that span `rank` directions. */
static void draw_rows(system_t *S, double *rows, size_t rank, uint64_t stream)
{
  static double span[MOST_P * MOST_P];
  double mix[MOST_P];
  lr_gaussian(S->seed, 50, 0, rank * S->p, span);
  for (size_t i = 0; i < S->m; i++) {
    lr_gaussian(S->seed, stream, i * MOST_P, rank, mix);
    for (size_t j = 0; j < S->p; j++) {
      rows[i * S->p + j] = 0;
      for (size_t l = 0; l < rank; l++)
        rows[i * S->p + j] += mix[l] * span[l * S->p + j] / sqrt((double)S->p);
    }
  }
}

static void draw_system(system_t *S, const cell *c, uint64_t seed)
{
  double z[MOST_P];
  *S = (system_t){.p = c->shape == FEW ? 3 + seed % 6 : MOST_P, .seed = seed};
  S->m = S->p + S->p / 2;
  size_t rank = c->shape == LOW_RANK ? 5 : S->p;
  draw_rows(S, S->a, rank, 1);
  draw_rows(S, S->b, rank, 2);
  lr_gaussian(seed, 3, 0, S->m, S->curl);
  lr_gaussian(seed, 4, 0, S->m, S->t);
  lr_gaussian(seed, 5, 0, S->p, z);
  for (size_t i = 0; i < S->m; i++) S->curl[i] *= 0.05;
  for (size_t j = 0; j < S->p; j++) {
    S->size[j] =
        c->spread ? pow(10, 4 * (double)j / (double)(S->p - 1) - 2) : 1;
    S->start[j] = S->size[j] * z[j];
    S->lower[j] = S->start[j] - 0.3 * S->size[j];
    S->upper[j] = S->start[j] + 0.5 * S->size[j];
  }
  S->noise = c->noisy ? 1e-4 : 0;
}

static double value_at(const system_t *S, const double *x, size_t i,
                       double *along)
{
  double linear = -S->t[i], y = 0;
  for (size_t j = 0; j < S->p; j++) {
    linear += S->a[i * S->p + j] * x[j] / S->size[j];
    y += S->b[i * S->p + j] * x[j] / S->size[j];
  }
  *along = S->curl[i] * y;
  return linear + 0.5 * S->curl[i] * y * y;
}

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  system_t *S = user;
  double e[MOST_M], along;
  (void)p;
  lr_gaussian(S->seed, 7, MOST_M * S->asked++, m, e);
  for (size_t i = 0; i < m; i++)
    r[i] = value_at(S, x, i, &along) + S->noise * e[i];
}

/* Derivatives that the user gives: none, J alone or beside residuals, slopes
 * alone or beside them. */
typedef enum given {
  VALUES,
  JACOBIAN,
  WITH_JACOBIAN,
  SLOPES,
  WITH_SLOPES
} given;
static given told;

static double derivative(const system_t *S, size_t i, size_t j, double along)
{
  return (S->a[i * S->p + j] + along * S->b[i * S->p + j]) / S->size[j];
}

static void jacobian(size_t p, const double *x, size_t m, double *r, double *J,
                     void *user)
{
  const system_t *S = user;
  residuals(p, x, m, r, user);
  for (size_t i = 0; i < m; i++) {
    double along;
    (void)value_at(S, x, i, &along);
    for (size_t j = 0; j < p; j++) J[i * p + j] = derivative(S, i, j, along);
  }
}

static void slopes(size_t p, const double *x, size_t k, const double *U,
                   size_t m, double *r, double *D, void *user)
{
  static double J[MOST_M * MOST_P];
  jacobian(p, x, m, r, J, user);
  for (size_t l = 0; l < k; l++)
    for (size_t i = 0; i < m; i++) {
      D[l * m + i] = 0;
      for (size_t j = 0; j < p; j++)
        D[l * m + i] += J[i * p + j] * U[l * p + j];
    }
}

/* The norm of the true gradient, without what bounds hold. */
static double true_norm(const system_t *S, const double *x, bool boxed)
{
  double g[MOST_P] = {0}, sum = 0, along;
  for (size_t i = 0; i < S->m; i++) {
    double r = value_at(S, x, i, &along);
    for (size_t j = 0; j < S->p; j++) g[j] += r * derivative(S, i, j, along);
  }
  for (size_t j = 0; j < S->p; j++) {
    bool held = boxed && ((x[j] <= S->lower[j] && g[j] > 0) ||
                          (x[j] >= S->upper[j] && g[j] < 0));
    if (!held) sum += g[j] * g[j];
  }
  return sqrt(sum);
}

typedef struct tally {
  int runs, certified, wrong;
  int64_t evaluations;
} tally;

static void add_run(const cell *c, double confidence, uint64_t seed, tally *t)
{
  static system_t S;
  double x[MOST_P];
  lrgd_result r;
  draw_system(&S, c, seed);
  lrgd_problem problem = lrgd_problem_default(S.p);
  problem.user = &S;
  problem.residual_count = S.m;
  if (told == VALUES || told == WITH_JACOBIAN || told == WITH_SLOPES)
    problem.residuals = residuals;
  if (told == JACOBIAN || told == WITH_JACOBIAN)
    problem.residual_jacobian = jacobian;
  if (told == SLOPES || told == WITH_SLOPES) problem.residual_slopes = slopes;
  problem.lower = c->boxed ? S.lower : NULL;
  problem.upper = c->boxed ? S.upper : NULL;
  lrgd_options o = lrgd_options_default();
  o.seed = (int64_t)(seed % 1000);
  o.tol = (c->noisy ? 3e-2 : 1e-4) * true_norm(&S, S.start, false);
  o.max_evals = 600;
  o.confidence = confidence;
  memcpy(x, S.start, sizeof x);
  require(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "it runs");
  double bound = r.certificate.grad_norm_bound;
  bool wrong =
      r.certificate.valid && !(true_norm(&S, x, c->boxed) <= 1.01 * bound);
  t->runs++;
  t->certified += r.certificate.valid;
  t->wrong += wrong;
  t->evaluations += (int64_t)S.asked;
  /* a run that stalls measures all slopes that are given: confidence 1 */
  check(!r.certificate.valid || told >= SLOPES ||
            r.certificate.confidence <= confidence,
        "a confidence of %g, where %g was asked for", r.certificate.confidence,
        confidence);
}

/* P(X >= k) for X binomial, n times q. */
static double tail(int n, int k, double q)
{
  double sum = 0;
  for (int i = k; i <= n && k > 0; i++)
    sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) +
               i * log(q) + (n - i) * log1p(-q));
  return k > 0 ? sum : 1;
}

static bool printed(void)
{
  return getenv("SOAK") || getenv("COVERAGE_RUNS");
}

static int runs_of_a_cell(int few)
{
  const char *runs = getenv("COVERAGE_RUNS");
  return runs ? atoi(runs) : getenv("SOAK") ? 200 : CHECK_RUNS(few);
}

static uint64_t first_seed(void)
{
  const char *seed = getenv("COVERAGE_SEED");
  return seed ? 1000003 * strtoull(seed, NULL, 10) : 0;
}

/* One of `cells` cells: its runs that are certified. */
static int judge(int number, double confidence, int runs, int cells)
{
  static const char *const shapes[] = {"few inputs", "low rank", "full rank"};
  cell c = {number / 8, number / 4 % 2 == 1, number / 2 % 2 == 1,
            number % 2 == 1};
  tally t = {0};
  for (int i = 0; i < runs; i++)
    add_run(&c, confidence,
            first_seed() + 7919 * (uint64_t)i + (uint64_t)number, &t);
  double p = tail(t.certified, t.wrong, 1 - confidence);
  char who[90];
  (void)snprintf(who, sizeof who, "%s, %s, %s, %s", shapes[c.shape],
                 c.spread ? "sizes 1e4" : "equal sizes",
                 c.boxed ? "boxed" : "free", c.noisy ? "noise" : "exact");
  if (printed())
    printf("\n  %s: %d runs of %.0f values, %d certified, %d false, p %.3g",
           who, t.runs, (double)t.evaluations / t.runs, t.certified, t.wrong,
           p);
  check(p >= 0.05 / cells, "%s: %d of %d are false, p-value %.2g", who, t.wrong,
        t.certified, p);
  return t.certified;
}

TEST("certificates of fits are false no more often than they say")
{
  int each = runs_of_a_cell(6), certified = 0;
  for (int i = 0; i < CELLS; i++) certified += judge(i, 0.95, each, CELLS);
  check(10 * certified >= 5 * CELLS * each, "%d of %d runs are certified",
        certified, CELLS * each);
}

/* Few inputs, and many of full rank: free, exact and of equal sizes. */
static void judge_confidence(double confidence)
{
  static const int cells[] = {0, 16};
  int each = runs_of_a_cell(10), certified = 0;
  for (int i = 0; i < 2; i++) certified += judge(cells[i], confidence, each, 2);
  check(certified > each, "%d of %d runs are certified", certified, 2 * each);
}

TEST(
    "certificates of fits hold with the confidence asked for, 50 % or "
    "99.9 %")
{
  judge_confidence(0.5);
  judge_confidence(0.999);
}

TEST("noise counts as measured: few inputs, sizes spread by 1e4, at 99.9 %")
{
  int each = runs_of_a_cell(1500);
  int certified = judge(5, 0.999, each, 1);
  check(2 * certified > each, "%d of %d runs are certified", certified, each);
}

TEST(
    "certificates of fits with given derivatives are false no more often "
    "than they say")
{
  int each = runs_of_a_cell(4), certified = 0, all = 4 * CELLS;
  for (int what = JACOBIAN; what <= WITH_SLOPES; what++) {
    told = (given)what;
    for (int i = 0; i < CELLS; i++) certified += judge(i, 0.95, each, all);
  }
  told = VALUES;
  check(10 * certified >= 5 * all * each, "%d of %d runs are certified",
        certified, all * each);
}
