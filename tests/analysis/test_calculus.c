/* The algebra of low-rank functions: the rank bound holds and is reached, and
 * value, slopes and gradient of what is made agree. */
#include <lrgd/analysis.h>

#include "check.h"
#include "make_problem.h"

enum { P = 14, MANY = 40 };

static double exponential(double t, double *slope, void *user)
{
  (void)user;
  *slope = exp(0.1 * t) * 0.1;
  return exp(0.1 * t);
}

static double logarithm(double t, double *slope, void *user)
{
  (void)user;
  *slope = 1 / t;
  return log(t);
}

/* How many directions the gradients at MANY points span. */
static size_t numerical_rank(const lrgd_problem *f, double low, double high)
{
  double G[MANY * P], x[P], scale = 0;
  size_t p = f->dimension, rank = 0;
  for (size_t j = 0; j < MANY; j++) {
    spread(p, x);
    for (size_t i = 0; i < p; i++)
      x[i] = 0.5 * (low + high) + 0.5 * (high - low) * x[i];
    f->gradient(p, x, G + j * p, f->user);
    double size = norm(p, G + j * p);
    if (size > 0) lr_scale(p, 1 / size, G + j * p);
    scale = fmax(scale, size);
  }
  for (; rank < p && scale > 0; rank++) {
    size_t best = rank;
    for (size_t i = rank; i < MANY; i++)
      if (norm(p, G + i * p) > norm(p, G + best * p)) best = i;
    double *u = G + rank * p, size;
    lr_swap(p, u, G + best * p);
    size = norm(p, u);
    if (size < 1e-9) break;
    lr_scale(p, 1 / size, u);
    for (size_t i = rank + 1; i < MANY; i++)
      for (int pass = 0; pass < 2; pass++)
        lr_axpy(p, -dot(p, G + i * p, u), u, G + i * p);
  }
  return rank;
}

/* Value, gradient and slopes of one function say the same. */
static void check_consistent(const lrgd_problem *f, const char *what, double at)
{
  double x[P], g[P], u[2 * P], d[3], h = 1e-5;
  size_t p = f->dimension;
  spread(p, x);
  for (size_t i = 0; i < p; i++) x[i] = at + 0.3 * x[i];
  spread(2 * p, u);
  double value = f->gradient(p, x, g, f->user);
  check_near(f->value(p, x, f->user), value, 1e-13, "%s: value", what);
  check_near(f->slopes(p, x, 2, u, d, f->user), value, 1e-13, "%s", what);
  for (int j = 0; j < 2; j++) {
    double want = dot(p, g, u + (size_t)j * p), ahead, behind;
    check_within(d[j], want, 1e-11 * (1 + fabs(want)), "%s: slope", what);
    lr_axpy(p, h, u + (size_t)j * p, x);
    ahead = f->value(p, x, f->user);
    lr_axpy(p, -2 * h, u + (size_t)j * p, x);
    behind = f->value(p, x, f->user);
    lr_axpy(p, h, u + (size_t)j * p, x);
    check_within((ahead - behind) / (2 * h), want, 1e-6 * (1 + fabs(want)),
                 "%s: difference", what);
  }
}

static const lrgd_problem *ridge(lr_problem **made, size_t r, int seed)
{
  char line[80];
  (void)snprintf(line, sizeof line, "ridge p=%d rank=%zu sigma=sine seed=%d", P,
                 r, seed);
  if (make(made, line, NULL) != LRGD_OK) return NULL;
  return lr_problem_callbacks(*made);
}

/* Checks rank and consistency, then destroys. */
static void finish(lrgd_composite **made, size_t rank, const char *what)
{
  const lrgd_problem *f = lrgd_composite_problem(*made);
  check_int(lrgd_composite_rank(*made), rank, "%s: the bound", what);
  check_int(numerical_rank(f, -1, 1), rank, "%s: it is reached", what);
  check_consistent(f, what, 0);
  lrgd_composite_destroy(made);
}

TEST("scale, sum, product and composition have ranks r, r + s, r + s, r")
{
  state = 5;
  for (int seed = 1; seed <= 6; seed++) {
    size_t r = 1 + (size_t)seed % 3, s = 2 + (size_t)seed % 4;
    lr_problem *one, *two;
    const lrgd_problem *f = ridge(&one, r, seed);
    const lrgd_problem *g = ridge(&two, s, 100 + seed);
    require(f && g, "made");
    lrgd_composite *made;
    lrgd_part a = {f, r}, b = {g, s};
    lrgd_status status = lrgd_composite_scale(&made, a, -2.5, NULL);
    require(status == LRGD_OK, "scale");
    finish(&made, r, "-2.5 f");
    status = lrgd_composite_sum(&made, a, b, NULL);
    require(status == LRGD_OK, "sum");
    finish(&made, r + s, "f + g");
    status = lrgd_composite_product(&made, a, b, NULL);
    require(status == LRGD_OK, "product");
    finish(&made, r + s, "f g");
    status = lrgd_composite_compose(&made, a, exponential, NULL, NULL);
    require(status == LRGD_OK, "composition");
    finish(&made, r, "phi(f)");
    lr_problem_destroy(&one);
    lr_problem_destroy(&two);
  }
}

TEST("affine changes of coordinates keep the rank")
{
  lr_problem *one;
  lrgd_change changes[P];
  lrgd_composite *made;
  state = 9;
  const lrgd_problem *f = ridge(&one, 4, 3);
  require(f, "made");
  for (int i = 0; i < P; i++)
    changes[i] = (lrgd_change){0, 0.1 * i, i % 2 ? -1.5 : 0.7};
  lrgd_status status =
      lrgd_composite_change(&made, (lrgd_part){f, 4}, changes, NULL);
  require(status == LRGD_OK, "change");
  finish(&made, 4, "f(D y + c)");
  lr_problem_destroy(&one);
}

/* The paper's example: the product has rank p; its log in logs rank 1. */
TEST("the product has rank p, its logarithm in log coordinates rank 1")
{
  lr_problem *one;
  lrgd_change changes[P];
  lrgd_composite *inside, *made;
  state = 11;
  require(make(&one, "product p=14 lower=0.5 upper=2", NULL) == LRGD_OK,
          "made");
  const lrgd_problem *f = lr_problem_callbacks(one);
  check_int(numerical_rank(f, 0.6, 1.4), P, "as it is");
  for (int i = 0; i < P; i++) changes[i] = (lrgd_change){1, 0, 1};
  lrgd_status status =
      lrgd_composite_change(&inside, (lrgd_part){f, P}, changes, NULL);
  require(status == LRGD_OK, "log coordinates");
  const lrgd_problem *g = lrgd_composite_problem(inside);
  check_near(g->lower[0], log(0.5), 1e-15, "the bounds change too");
  status =
      lrgd_composite_compose(&made, (lrgd_part){g, P}, logarithm, NULL, NULL);
  require(status == LRGD_OK, "log of it");
  check_int(numerical_rank(lrgd_composite_problem(made), -0.5, 0.5), 1,
            "in logs");
  check_consistent(lrgd_composite_problem(made), "log product", 0);
  lrgd_composite_destroy(&made);
  lrgd_composite_destroy(&inside);
  lr_problem_destroy(&one);
}

TEST("problems that cannot be composed are refused with a message")
{
  lrgd_problem f = lrgd_problem_default(3), g = lrgd_problem_default(4);
  lr_problem *one;
  lrgd_composite *made;
  lrgd_error error = {LRGD_OK, ""};
  require(make(&one, "linear p=4", NULL) == LRGD_OK, "made");
  g = *lr_problem_callbacks(one);
  lrgd_status status =
      lrgd_composite_sum(&made, (lrgd_part){&f, 1}, (lrgd_part){&g, 1}, &error);
  check_int(status, LRGD_ERR_INVALID, "3 and 4 inputs: %s", error.text);
  status = lrgd_composite_scale(&made, (lrgd_part){&f, 1}, 2, &error);
  check_int(status, LRGD_ERR_INVALID, "no callbacks: %s", error.text);
  lrgd_change nothing[4] = {{0}};
  status = lrgd_composite_change(&made, (lrgd_part){&g, 1}, nothing, &error);
  check_int(status, LRGD_ERR_INVALID, "scale 0: %s", error.text);
  lr_problem_destroy(&one);
}
