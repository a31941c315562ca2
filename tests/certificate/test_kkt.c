/* Are certificates of runs with limits false as seldom as they say?
 *
 * f = sum of (q_i'(x - c))^2, and where `bent` exp of it; outputs
 * a_k'x + (b_k'x)^2 / 4 with limits, some of them equations; rows A x <= b; all
 * around a point that meets them, with or without a box around it, in few
 * inputs or along 5 directions of 40.  The witness has the gradients by
 * formula: the least norm of grad f + sum mu_j grad c_j over multipliers
 * mu >= 0 (of equations: any) of what is active at the final point.  A
 * certificate is false where that is more than 1 % above its bound.  A cell
 * fails where its false ones have a one-sided binomial p-value below 0.05
 * divided by the number of cells.
 *
 * COVERAGE_RUNS=n: n runs a cell; COVERAGE_SEED=k: other functions than k = 0.
 */
#include "check.h"

#include "base/random.h"

#include <lrgd/lrgd.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_P = 40, MOST_M = 4, MOST_Q = 12, CELLS = 6 };
enum { MOST_ACTIVE = 2 * MOST_M + MOST_Q + 2 * MOST_P };

typedef struct cell {
  bool low_rank, boxed, bent;
} cell;

typedef struct problem {
  size_t p, m, q; /* inputs, outputs, rows */
  bool bent, boxed;
  double Q[MOST_P * MOST_P], c[MOST_P];
  double a[MOST_M * MOST_P], b[MOST_M * MOST_P];
  double low[MOST_M], high[MOST_M], scale[MOST_M];
  double A[MOST_Q * MOST_P], most[MOST_Q];
  double lower[MOST_P], upper[MOST_P], start[MOST_P];
  size_t asked, outside;
} problem;

static double dot(size_t n, const double *a, const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* All outputs, and their gradients where G is not NULL. */
static void answer(const problem *P, const double *x, double *y, double *G)
{
  size_t p = P->p;
  double d[MOST_P];
  for (size_t i = 0; i < p; i++) d[i] = x[i] - P->c[i];
  if (G) memset(G, 0, P->m * p * sizeof *G);
  y[0] = 0;
  for (size_t r = 0; r < p; r++) {
    double t = dot(p, P->Q + r * p, d);
    y[0] += t * t;
    for (size_t i = 0; G && i < p; i++) G[i] += 2 * t * P->Q[r * p + i];
  }
  if (P->bent) {
    y[0] = exp(0.05 * y[0]);
    for (size_t i = 0; G && i < p; i++) G[i] *= 0.05 * y[0];
  }
  for (size_t k = 1; k < P->m; k++) {
    const double *a = P->a + k * p, *b = P->b + k * p;
    double t = dot(p, b, x);
    y[k] = dot(p, a, x) + 0.25 * t * t;
    for (size_t i = 0; G && i < p; i++) G[k * p + i] = a[i] + 0.5 * t * b[i];
  }
}

static void ask(size_t p, const double *x, size_t m, double *y, void *user)
{
  problem *P = user;
  (void)m;
  P->asked++;
  for (size_t r = 0; r < P->q; r++)
    P->outside += dot(p, P->A + r * p, x) > P->most[r] + 1e-13;
  for (size_t i = 0; P->boxed && i < p; i++)
    P->outside += x[i] < P->lower[i] || x[i] > P->upper[i];
  answer(P, x, y, NULL);
}

/* n vectors of p numbers, in the span of 5 where the rank is low. */
static void draw(const cell *c, uint64_t seed, uint64_t stream, size_t n,
                 size_t p, double *rows)
{
  static double span[5 * MOST_P];
  lr_gaussian(seed, stream, 0, n * p, rows);
  if (!c->low_rank) return;
  lr_gaussian(seed, 99, 0, 5 * p, span);
  for (size_t i = 0; i < n; i++) {
    double mix[5];
    memcpy(mix, rows + i * p, sizeof mix);
    for (size_t j = 0; j < p; j++) {
      rows[i * p + j] = 0;
      for (size_t l = 0; l < 5; l++)
        rows[i * p + j] += mix[l] * span[l * p + j] / sqrt((double)p);
    }
  }
}

static void draw_problem(problem *P, const cell *c, uint64_t seed)
{
  double inside[MOST_P], more[MOST_P + MOST_M + MOST_Q];
  static double y[MOST_M];
  *P = (problem){.bent = c->bent, .boxed = c->boxed};
  size_t p = P->p = c->low_rank ? MOST_P : 2 + seed % 7;
  P->m = 1 + seed % MOST_M;
  P->q = c->low_rank ? 0 : seed / 3 % (p + 3);
  draw(c, seed, 1, p, p, P->Q);
  draw(c, seed, 2, P->m, p, P->a);
  draw(c, seed, 3, P->m, p, P->b);
  lr_gaussian(seed, 4, 0, p, P->c);
  lr_gaussian(seed, 5, 0, p, inside);
  lr_gaussian(seed, 6, 0, p, P->start);
  lr_gaussian(seed, 7, 0, p + P->m + P->q, more);
  lr_gaussian(seed, 8, 0, P->q * p, P->A);
  for (size_t i = 0; i < p; i++) {
    inside[i] *= 0.3;
    P->lower[i] = inside[i] - fabs(more[i]);
    P->upper[i] = inside[i] + fabs(more[i]);
  }
  answer(P, inside, y, NULL);
  for (size_t k = 0; k < P->m; k++) {
    P->high[k] = k > 0 ? y[k] + 0.5 * fabs(more[p + k]) : INFINITY;
    P->low[k] = k > 0 && more[p + k] > 1 ? P->high[k] : -INFINITY;
    P->scale[k] = fabs(P->high[k]);
  }
  for (size_t r = 0; r < P->q; r++)
    P->most[r] = dot(p, P->A + r * p, inside) + 0.5 * fabs(more[p + P->m + r]);
}

/* Normals of what is active at x, outwards; how many of them are equations,
 * which come first. */
static size_t list_active(const problem *P, const double *x, const double *y,
                          const double *G, double *N, size_t *equations)
{
  size_t p = P->p, n = 0;
  for (size_t k = 1; k < P->m; k++)
    if (P->low[k] == P->high[k]) memcpy(N + n++ * p, G + k * p, p * sizeof *N);
  *equations = n;
  for (size_t k = 1; k < P->m; k++)
    if (P->low[k] != P->high[k] && y[k] >= P->high[k] - 2e-6 * P->scale[k])
      memcpy(N + n++ * p, G + k * p, p * sizeof *N);
  for (size_t r = 0; r < P->q; r++)
    if (dot(p, P->A + r * p, x) >= P->most[r] - 1e-4)
      memcpy(N + n++ * p, P->A + r * p, p * sizeof *N);
  for (size_t i = 0; P->boxed && i < p; i++) {
    bool low = x[i] <= P->lower[i] + 1e-5, high = x[i] >= P->upper[i] - 1e-5;
    if (!low && !high) continue;
    memset(N + n * p, 0, p * sizeof *N);
    N[n++ * p + i] = low ? -1 : 1;
  }
  return n;
}

/* The least |g + N mu|, by cyclic minimisation over one mu after the other. */
static double least_norm(size_t p, size_t n, size_t equations, const double *N,
                         double *g)
{
  double mu[MOST_ACTIVE] = {0};
  for (int round = 0; round < 3000; round++)
    for (size_t j = 0; j < n; j++) {
      const double *v = N + j * p;
      double to = mu[j] - dot(p, v, g) / dot(p, v, v);
      if (j >= equations) to = fmax(to, 0);
      for (size_t i = 0; i < p; i++) g[i] += (to - mu[j]) * v[i];
      mu[j] = to;
    }
  return sqrt(dot(p, g, g));
}

/* Whether the certificate of the run is true; *certified: there is one. */
static bool holds(problem *P, bool *certified)
{
  static double G[MOST_M * MOST_P], N[MOST_ACTIVE * MOST_P];
  double x[MOST_P], y[MOST_M];
  size_t equations;
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_problem told = lrgd_problem_default(P->p);
  lrgd_options options = lrgd_options_default();
  lrgd_limits limits = {.lower = P->low,
                        .upper = P->high,
                        .linear_count = P->q,
                        .linear = P->A,
                        .linear_most = P->most};
  told.residuals = ask, told.residual_count = P->m;
  told.user = P, told.limits = &limits;
  if (P->boxed) told.lower = P->lower, told.upper = P->upper;
  options.max_evals = 300;
  check_int(lrgd_solver_create(&solver, &told, &options, NULL), LRGD_OK,
            "create");
  check_int(lrgd_solver_solve(solver, P->start, x, &result, NULL), LRGD_OK,
            "solve");
  *certified = result.certificate.valid;
  if (*certified)
    check(lrgd_solver_violation(solver) <= LRGD_FEASIBLE, "within the limits");
  (void)lrgd_solver_destroy(&solver);
  check_int((long long)P->outside, 0, "points outside bounds and rows");
  answer(P, x, y, G);
  size_t n = list_active(P, x, y, G, N, &equations);
  double norm = least_norm(P->p, n, equations, N, G);
  return norm <= 1.01 * result.certificate.grad_norm_bound;
}

/* The probability of so many successes and more in n trials. */
static double tail(size_t n, size_t successes, double share)
{
  double sum = 0;
  for (size_t k = successes; k <= n; k++)
    sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
               lgamma((double)(n - k) + 1) + (double)k * log(share) +
               (double)(n - k) * log1p(-share));
  return sum;
}

static size_t number(const char *name, size_t otherwise)
{
  const char *text = getenv(name);
  return text ? (size_t)strtoul(text, NULL, 10) : otherwise;
}

TEST(
    "certificates of runs with limits are false no more often than they "
    "say")
{
  static const cell cells[CELLS] = {
      {false, false, false},
      {false, true,  false},
      {false, false, true },
      {false, true,  true },
      {true,  false, false},
      {true,  true,  false}
  };
  static problem P;
  size_t runs = number("COVERAGE_RUNS", CHECK_RUNS(24));
  for (size_t c = 0; c < CELLS; c++) {
    size_t certified = 0, wrong = 0;
    for (size_t i = 0; i < runs; i++) {
      bool has;
      draw_problem(&P, cells + c, 1000 * number("COVERAGE_SEED", 0) + i + 1);
      bool right = holds(&P, &has);
      certified += has;
      wrong += has && !right;
      if (has && !right && getenv("COVERAGE_RUNS"))
        printf("  cell %zu, run %zu: false\n", c, i);
    }
    if (getenv("COVERAGE_RUNS"))
      printf("cell %zu: %zu of %zu false\n", c, wrong, certified);
    check(wrong == 0 || tail(certified, wrong, 0.05) >= 0.05 / CELLS,
          "cell %zu: %zu of %zu certificates are false", c, wrong, certified);
    check(certified >= runs / 2 || cells[c].low_rank,
          "cell %zu: %zu of %zu runs are certified", c, certified, runs);
  }
}
