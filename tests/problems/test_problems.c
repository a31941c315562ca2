/* The callbacks of the built-in problems agree with each other, at any size and
 * from any thread. */
#include <pthread.h>
#include <time.h>

#include "make_problem.h"

/* Central differences along a random direction.  With step h = eps^(1/3) both
 * errors, h^2 f'''/6 and eps f / h, are of order eps^(2/3) = 4e-11 times the
 * scale of f and its derivatives: here up to some 1e3. */
static void measure_differences(const char *line, const lr_problem *problem,
                                const double *x, const double *g, double f)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double u[MOST], left[MOST], right[MOST], h = cbrt(DBL_EPSILON), slope;
  spread(p, u);
  lr_scale(p, 1 / norm(p, u), u);
  for (size_t i = 0; i < p; i++) {
    left[i] = x[i] - h * u[i];
    right[i] = x[i] + h * u[i];
  }
  slope = (c->value(p, right, c->user) - c->value(p, left, c->user)) / (2 * h);
  check_within(slope, dot(p, g, u), 1e3 * h * h * (1 + fabs(f) + norm(p, g)),
               "%s", line);
}

TEST("gradients agree with central differences")
{
  at_points(measure_differences);
}

static void measure_complex(const char *line, const lr_problem *problem,
                            const double *x, const double *g, double f)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double u[MOST], h = 1e-30, exact;
  lrgd_complex at[MOST], answer;
  spread(p, u);
  for (size_t i = 0; i < p; i++) at[i] = (lrgd_complex){x[i], h * u[i]};
  answer = c->complex_value(p, at, c->user);
  exact = dot(p, g, u);
  check_within(answer.re, f, 1e3 * DBL_EPSILON * (1 + fabs(f)), "%s: f", line);
  check_within(answer.im / h, exact,
               1e3 * DBL_EPSILON * (1 + norm(p, g) * norm(p, u)), "%s: slope",
               line);
}

TEST("complex values give the value and, by the complex step, the slope")
{
  at_points(measure_complex);
}

/* f is analytic: f(x + i h u) has real part f(x) - h^2 u^T f'' u / 2 + O(h^4),
 * and the even part of f(x + h u) is f(x) + h^2 u^T f'' u / 2 + O(h^4). */
static void measure_analytic(const char *line, const lr_problem *problem,
                             const double *x, const double *g, double f)
{
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double u[MOST], left[MOST], right[MOST], h = 1e-3, even;
  lrgd_complex at[MOST], answer;
  (void)g;
  spread(p, u);
  lr_scale(p, 1 / norm(p, u), u);
  for (size_t i = 0; i < p; i++) {
    at[i] = (lrgd_complex){x[i], h * u[i]};
    left[i] = x[i] - h * u[i];
    right[i] = x[i] + h * u[i];
  }
  answer = c->complex_value(p, at, c->user);
  even = 0.5 * (c->value(p, left, c->user) + c->value(p, right, c->user));
  check_within(answer.re - f, f - even, 1e3 * h * h * h * h * (1 + fabs(f)),
               "%s", line);
}

TEST("complex values are the analytic function, not only its first order")
{
  at_points(measure_analytic);
}

static void measure_slopes(const char *line, const lr_problem *problem,
                           const double *x, const double *g, double f)
{
  enum { K = 3 };
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double *U = numbers(p * K), d[K + 1] = {0, 0, 0, 77};
  spread(p * (K - 1), U); /* the last column is zero */
  check(c->slopes(p, x, K, U, d, c->user) == f, "%s: the same f", line);
  for (size_t j = 0; j < K; j++)
    check_within(d[j], dot(p, g, U + j * p),
                 (double)p * 10 * DBL_EPSILON * (1 + norm(p, g)), "%s: slope",
                 line);
  check(d[K] == 77, "%s: nothing is written beyond d", line);
  check(c->value(p, x, c->user) == f, "%s: value is the same f", line);
  free(U);
}

TEST("slopes are the gradient along each column, zero columns too")
{
  at_points(measure_slopes);
}

static void measure_batch(const char *line, const lr_problem *problem,
                          const double *x, const double *g, double f)
{
  enum { M = 4 };
  const lrgd_problem *c = lr_problem_callbacks(problem);
  size_t p = c->dimension;
  double *X = numbers(p * M), answers[M];
  (void)g;
  for (size_t i = 0; i < M; i++) draw_point(problem, X + i * p);
  memcpy(X + p, x, p * sizeof *X);
  c->values(p, M, X, answers, c->user);
  check(answers[1] == f, "%s: the same as alone", line);
  for (size_t i = 0; i < M; i++)
    check(answers[i] == c->value(p, X + i * p, c->user), "%s: %zu", line, i);
  free(X);
}

TEST("a batch gives the very numbers of single values")
{
  at_points(measure_batch);
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Never p x p (80 GB here).  Some 0.2 s in release; sanitizers take more. */
TEST("100,000 dimensions with rank 10 are quick")
{
  enum { P = 100000, K = 10 };
  lr_problem *problem;
  const lrgd_problem *c;
  double began = seconds(), *U, *g, d[K], f = 0;
  lrgd_status status =
      make(&problem, "quadratic p=100000 rank=10 tail=1e-4", NULL);
  require(status == LRGD_OK, "it can be made");
  c = lr_problem_callbacks(problem);
  U = numbers((size_t)P * K);
  g = numbers(P);
  spread((size_t)P * K, U);
  for (int i = 0; i < 20; i++)
    f = c->slopes(P, lr_problem_start(problem), K, U, d, c->user);
  check(c->gradient(P, lr_problem_start(problem), g, c->user) == f, "same f");
  for (size_t j = 0; j < K; j++)
    check_within(d[j], dot(P, g, U + j * P),
                 1e-12 * norm(P, g) * norm(P, U + j * P), "slope %zu", j);
  check(seconds() - began < 10, "it took %g s", seconds() - began);
  lr_problem_destroy(&problem);
  free(U);
  free(g);
}

/* What one thread asks, and what it got. */
typedef struct asking {
  pthread_t thread;
  const lr_problem *problem;
  double f, sum;
} asking;

static void *ask(void *user)
{
  asking *a = user;
  const lrgd_problem *c = lr_problem_callbacks(a->problem);
  const double *x = lr_problem_start(a->problem);
  double g[MOST];
  a->sum = 0;
  for (int i = 0; i < 50; i++) {
    a->f = c->gradient(c->dimension, x, g, c->user);
    a->sum += g[0];
  }
  return NULL;
}

TEST("threads that share a problem get what one alone gets")
{
  const char *const shared[] = {"network", "logistic", "ridge p=300 rank=260"};
  for (size_t l = 0; l < sizeof shared / sizeof shared[0]; l++) {
    lr_problem *problem;
    asking alone, many[4];
    require(make(&problem, shared[l], NULL) == LRGD_OK, "%s", shared[l]);
    alone.problem = problem;
    ask(&alone);
    for (int i = 0; i < 4; i++) {
      many[i].problem = problem;
      require(pthread_create(&many[i].thread, NULL, ask, &many[i]) == 0, "t");
    }
    for (int i = 0; i < 4; i++) {
      pthread_join(many[i].thread, NULL);
      check(many[i].f == alone.f && many[i].sum == alone.sum, "%s: thread %d",
            shared[l], i);
    }
    lr_problem_destroy(&problem);
  }
}
