/* The statements of docs/residual-theory.md, tried on functions. */
#include "make_problem.h"

/* Orthonormal columns spanning what G's m columns span; returns how many, with
 * norms (of columns of norm one at most) below 1e-9 taken for none. */
static size_t span_of(size_t p, size_t m, double *G)
{
  size_t rank = 0;
  for (size_t j = 0; j < m; j++) {
    double *g = G + j * p, size = norm(p, g);
    if (!(size > 0)) continue;
    lr_scale(p, 1 / size, g);
    for (int pass = 0; pass < 2; pass++)
      for (size_t i = 0; i < rank; i++)
        lr_axpy(p, -dot(p, g, G + i * p), G + i * p, g);
    if (norm(p, g) < 1e-9) continue;
    lr_scale(p, 1 / norm(p, g), g);
    if (g != G + rank * p) memcpy(G + rank * p, g, p * sizeof *g);
    rank++;
  }
  return rank;
}

/* The rank of f, from gradients at points around the start; and that of F, from
 * rows of Jacobians. */
static size_t rank_of_f(const lr_problem *problem, size_t points)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension, rank;
  double *G = numbers(p * points), *x = numbers(p);
  for (size_t i = 0; i < points; i++) {
    draw_point(problem, x);
    c->gradient(p, x, G + i * p, c->user);
  }
  rank = span_of(p, points, G);
  free(G);
  free(x);
  return rank;
}

static size_t rank_of_F(const lr_problem *problem, size_t points)
{
  size_t p = lr_problem_callbacks(problem)->dimension, rank;
  size_t m = lr_problem_residual_count(problem);
  double *R = numbers(p * m * points), *J = numbers(m * p), *x = numbers(p);
  for (size_t i = 0; i < points; i++) {
    draw_point(problem, x);
    lr_problem_jacobian(problem, x, J);
    for (size_t k = 0; k < m; k++)
      for (size_t j = 0; j < p; j++) R[(i * m + k) * p + j] = J[j * m + k];
  }
  rank = span_of(p, m * points, R);
  free(R);
  free(J);
  free(x);
  return rank;
}

TEST("statement 1: gradients lie in the span of the rows of Jacobians")
{
  static const struct {
    const char *line;
    size_t F, f;
  } known[] = {
      {"linear-residuals p=30 m=20 rank=4",                           4, 4},
      {"linear-residuals p=30 m=12 rank=3 misfit=1",                  3, 3},
      {"more-garbow-hillstrom function=helical-valley p=20",          3, 3},
      {"more-garbow-hillstrom function=extended-rosenbrock n=6 p=20", 6, 6},
      {"more-garbow-hillstrom function=broyden-tridiagonal n=8 p=30", 8, 8},
      {"more-garbow-hillstrom function=linear-rank-1 n=6 p=20",       1, 1},
      {"nist set=DanWood p=12",                                       2, 2},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    lr_problem *problem;
    require(make(&problem, known[i].line, NULL) == LRGD_OK, "%s",
            known[i].line);
    state = 3 + i;
    check_int(rank_of_F(problem, 5), known[i].F, "%s: of F", known[i].line);
    check_int(rank_of_f(problem, 20), known[i].f, "%s: of f", known[i].line);
    lr_problem_destroy(&problem);
  }
}

/* Coefficients of the columns of B (m x k) that bring F nearest to zero: what
 * remains is |F - Q Q'F|^2 / 2, Q spanning the columns. */
static double least(size_t m, size_t k, double *B, const double *F)
{
  double *rest = numbers(m), f;
  size_t rank = span_of(m, k, B);
  memcpy(rest, F, m * sizeof *rest);
  for (int pass = 0; pass < 2; pass++)
    for (size_t j = 0; j < rank; j++)
      lr_axpy(m, -dot(m, rest, B + j * m), B + j * m, rest);
  f = 0.5 * dot(m, rest, rest);
  free(rest);
  return f;
}

/* The minimum of f over x0 + span of k random directions, by k + 1 values. */
static double least_along(const lr_problem *problem, size_t k)
{
  size_t p = lr_problem_callbacks(problem)->dimension;
  size_t m = lr_problem_residual_count(problem);
  double *B = numbers(m * k), *F = numbers(m), *x = numbers(p), f;
  lr_problem_residuals(problem, lr_problem_start(problem), F);
  for (size_t j = 0; j < k; j++) {
    spread(p, x);
    lr_axpy(p, 1, lr_problem_start(problem), x);
    lr_problem_residuals(problem, x, B + j * m);
    lr_axpy(m, -1, F, B + j * m);
  }
  f = least(m, k, B, F);
  free(B);
  free(F);
  free(x);
  return f;
}

TEST(
    "statement 3: as many random directions as the rank contain a "
    "minimiser, fewer do not")
{
  for (uint64_t seed = 1; seed <= 5; seed++) {
    lr_problem *problem;
    char line[96];
    double f0, minimum;
    snprintf(line, sizeof line,
             "linear-residuals p=200 m=40 rank=7 kappa=3 misfit=0.2 seed=%d",
             (int)seed);
    require(make(&problem, line, NULL) == LRGD_OK, "made");
    state = seed;
    minimum = lr_problem_minimum(problem);
    f0 = lr_problem_callbacks(problem)->value(
        200, lr_problem_start(problem), lr_problem_callbacks(problem)->user);
    check(least_along(problem, 7) - minimum <= 1e-12 * f0, "7: %g above",
          least_along(problem, 7) - minimum);
    check(least_along(problem, 6) - minimum >= 1e-6 * f0, "6: %g above",
          least_along(problem, 6) - minimum);
    lr_problem_destroy(&problem);
  }
}

TEST(
    "statement 4: a tail of small singular values leaves at most its "
    "share of f")
{
  enum { RANK = 5, MORE = 6, RUNS = 20 };
  double mean = 0, tail = 0, bound;
  for (int j = 1; j <= 39 - RANK; j++) tail += 1e-4 / ((double)j * j);
  for (int seed = 1; seed <= RUNS; seed++) {
    lr_problem *problem;
    char line[96];
    const double *best;
    snprintf(line, sizeof line,
             "linear-residuals p=200 m=40 rank=5 kappa=1 tail=0.01 seed=%d",
             seed);
    require(make(&problem, line, NULL) == LRGD_OK, "made");
    state = (uint64_t)seed;
    best = lr_problem_minimiser(problem);
    mean += least_along(problem, RANK + MORE) / dot(200, best, best) / RUNS;
    lr_problem_destroy(&problem);
  }
  bound = 0.5 * (1 + (double)RANK / (MORE - 1)) * tail;
  check(mean <= bound, "%g is left, %g is the bound", mean, bound);
  check(mean > 0, "and not nothing");
}

/* |z|^2 for the shortest z in span V with U'V z = c, U being the first R axes:
 * the rows of V for them are made orthonormal, V_R' = Q L', z = Q L^-1 c. */
static double shortest(size_t p, size_t k, size_t R, double *V, const double *c)
{
  double *rows = numbers(k * R), *L = numbers(R * R), *w = numbers(R), sum = 0;
  (void)p;
  for (size_t i = 0; i < R; i++)
    for (size_t j = 0; j < k; j++) rows[i * k + j] = V[j * p + i];
  for (size_t i = 0; i < R; i++) {
    double *row = rows + i * k;
    for (size_t j = 0; j < i; j++) {
      L[i * R + j] = dot(k, row, rows + j * k);
      lr_axpy(k, -L[i * R + j], rows + j * k, row);
    }
    L[i * R + i] = norm(k, row);
    lr_scale(k, 1 / L[i * R + i], row);
    w[i] = c[i];
    for (size_t j = 0; j < i; j++) w[i] -= L[i * R + j] * w[j];
    w[i] /= L[i * R + i];
    sum += w[i] * w[i];
  }
  free(rows);
  free(L);
  free(w);
  return sum;
}

static double normal(void)
{
  double u = 1 - uniform(), v = uniform();
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* 2,000 draws; one has a spread of some 0.6 of the mean, so that 5 % are three
 * standard deviations. */
TEST(
    "statement 5: in a random subspace the shortest step is longer by the "
    "stated factor")
{
  enum { P = 40, K = 16, R = 3, DRAWS = 2000 };
  const double c[R] = {0.6, 0, 0.8};
  double mean = 0, *V = numbers((size_t)P * K);
  state = 11;
  for (int draw = 0; draw < DRAWS; draw++) {
    for (size_t i = 0; i < (size_t)P * K; i++) V[i] = normal();
    check_int(span_of(P, K, V), K, "a basis");
    mean += shortest(P, K, R, V, c) / DRAWS;
  }
  check_near(mean, (double)(P - R - 1) / (K - R - 1), 0.05, "E |z|^2 / |d|^2");
  free(V);
}

/* Tikhonov's term makes f depend on every direction. */
TEST("a prior on all inputs makes the rank of f that of all inputs")
{
  lr_problem *problem;
  require(make(&problem, "predator p=12 prior=0.1", NULL) == LRGD_OK, "made");
  state = 5;
  check_int(rank_of_f(problem, 40), 12, "with a prior");
  lr_problem_destroy(&problem);
  require(make(&problem, "predator p=12", NULL) == LRGD_OK, "made");
  check_int(rank_of_f(problem, 40), 6, "without");
  lr_problem_destroy(&problem);
}

/* F = (cos x1, sin x1): rank one, and f is 1/2 everywhere. */
static void circle(size_t p, const double *x, size_t m, double *r, void *user)
{
  (void)p;
  (void)m;
  (void)user;
  r[0] = cos(x[0]);
  r[1] = sin(x[0]);
}

TEST(
    "statement 1: residuals of constant norm have a rank although f is "
    "constant")
{
  double x[3] = {0.4, 1, 2}, r[2], f[2];
  for (int i = 0; i < 2; i++) {
    circle(3, x, 2, r, NULL);
    f[i] = 0.5 * dot(2, r, r);
    x[0] += 0.7;
  }
  check_near(f[0], f[1], 1e-15, "f does not change");
}

/* What auto makes of it: r + 4 evaluations, whatever p. */
typedef struct watched {
  const lr_problem *problem;
  double target;
  size_t asked, hit;
} watched;

static void watch(size_t p, const double *x, size_t m, double *r, void *user)
{
  watched *w = user;
  (void)p;
  lr_problem_residuals(w->problem, x, r);
  w->asked++;
  if (!w->hit && 0.5 * dot(m, r, r) <= w->target) w->hit = w->asked;
}

TEST("a linear fit of rank r takes auto r + 4 evaluations, whatever p")
{
  for (int p = 100; p <= 10000; p *= 10) {
    lr_problem *made;
    lrgd_problem problem = lrgd_problem_default((size_t)p);
    lrgd_options options = lrgd_options_default();
    lrgd_result result;
    char line[64];
    double *x = numbers((size_t)p);
    watched w = {.asked = 0};
    snprintf(line, sizeof line, "linear-residuals p=%d m=40 rank=6", p);
    require(make(&made, line, NULL) == LRGD_OK, "made");
    w.problem = made;
    w.target = 1e-6 * lr_problem_callbacks(made)->value(
                          (size_t)p, x, lr_problem_callbacks(made)->user);
    problem.residuals = watch;
    problem.residual_count = 40;
    problem.user = &w;
    options.max_evals = 60;
    require(lrgd_minimize(&problem, &options, x, &result, NULL) == LRGD_OK,
            "ran");
    check(w.hit > 0 && w.hit <= 10, "p = %d: %zu evaluations", p, w.hit);
    lr_problem_destroy(&made);
    free(x);
  }
}
