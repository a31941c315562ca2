/* The step rules, on functions of k numbers. */
#include "base/memory.h"
#include "step/step.h"

#include <float.h>
#include <stdlib.h>

#include "check.h"

enum { K = 8 };

/* phi(z) = f(x + z); trial is the z asked for last. */
typedef struct field {
  double (*f)(const double *x, double *g);
  double x[K], trial[K];
  int values, slopes;
  double wall; /* no value where z_0 is beyond it */
} field;

static double along(const field *F, const double *z, double *g)
{
  double y[K];
  for (int i = 0; i < K; i++) y[i] = F->x[i] + z[i];
  return F->f(y, g);
}

static lr_code value(void *self, const double *z, double *f)
{
  field *F = self;
  double g[K];
  F->values++;
  memcpy(F->trial, z, sizeof F->trial);
  if (F->x[0] + z[0] > F->wall) return LR_NOVALUE;
  *f = along(F, z, g);
  return LR_GO;
}

static lr_code slope(void *self, const double *u, double *d)
{
  field *F = self;
  double g[K];
  F->slopes++;
  if (F->x[0] + F->trial[0] > F->wall) return LR_NOVALUE;
  (void)along(F, F->trial, g);
  *d = lr_dot(K, u, g);
  return LR_GO;
}

static double quadratic(const double *x, double *g)
{
  double sum = 0; /* kappa 128 */
  for (int i = 0; i < K; i++) {
    g[i] = (double)(1 << i) * x[i];
    sum += 0.5 * g[i] * x[i];
  }
  return sum;
}

static double rosenbrock(const double *x, double *g)
{
  double sum = 0;
  for (int i = 0; i < K; i += 2) {
    double bend = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
    sum += 100 * bend * bend + rest * rest;
    g[i] = -400 * bend * x[i] - 2 * rest;
    g[i + 1] = 200 * bend;
  }
  return sum;
}

static double cosh_sum(const double *x, double *g)
{
  double sum = 0;
  for (int i = 0; i < K; i++) {
    g[i] = sinh(x[i]) + 0.5 * x[i];
    sum += cosh(x[i]) + 0.25 * x[i] * x[i];
  }
  return sum;
}

typedef struct walk {
  lr_step step;
  field F;
  double f, g[K], z[K], fz, t;
  int iterations;
} walk;

static walk begin(const lr_step_ops *ops, double (*f)(const double *, double *),
                  double alpha)
{
  walk w = {
      .F = {.f = f, .wall = INFINITY}
  };
  lr_step_given given = {.alpha = alpha};
  lr_step_init(&w.step, ops, &given, &lr_malloc);
  if (lr_step_reset(&w.step, K) != LRGD_OK) abort();
  for (int i = 0; i < K; i++) w.F.x[i] = i % 2 ? 1 : -1.2;
  w.f = f(w.F.x, w.g);
  return w;
}

/* One step; w->f and w->g stay those before it until advance(). */
static lr_code take(walk *w)
{
  lr_restricted phi = {&w->F, 0, value, slope};
  return lr_step_take(&w->step, &phi, w->f, w->g, w->z, &w->fz);
}

static void advance(walk *w)
{
  for (int i = 0; i < K; i++) w->F.x[i] += w->z[i];
  w->f = w->F.f(w->F.x, w->g);
  w->iterations++;
}

/* Walks until |g| <= tol; the number of steps, or -1. */
static int descend(walk *w, double tol, int most)
{
  while (lr_norm(K, w->g) > tol) {
    if (w->iterations == most || take(w) != LR_GO) return -1;
    advance(w);
  }
  return w->iterations;
}

TEST("the fixed step is alpha times the slopes, and asks for nothing")
{
  walk w = begin(&lr_step_fixed, quadratic, 0.003);
  check(take(&w) == LR_GO, "a step");
  for (int i = 0; i < K; i++)
    check(w.z[i] == -0.003 * w.g[i], "coordinate %d", i);
  check(isnan(w.fz) && w.F.values == 0 && w.F.slopes == 0, "nothing asked");
  lr_step_clear(&w.step);
}

static void armijo_holds(const lr_step_ops *ops,
                         double (*f)(const double *, double *))
{
  walk w = begin(ops, f, 0);
  for (int i = 0; i < 40 && lr_norm(K, w.g) > 1e-6; i++) {
    double g[K];
    require(take(&w) == LR_GO, "step %d", i);
    double there = along(&w.F, w.z, g), slope0 = lr_dot(K, w.g, w.z);
    check(slope0 < 0, "step %d goes down", i);
    check(w.fz == there, "step %d: the value given is the value there", i);
    check(there <= w.f + 1e-4 * slope0, "step %d falls enough", i);
    advance(&w);
  }
  lr_step_clear(&w.step);
}

TEST("every backtracking step satisfies Armijo's condition, recomputed")
{
  armijo_holds(&lr_step_backtracking, quadratic);
  armijo_holds(&lr_step_backtracking, rosenbrock);
  armijo_holds(&lr_step_backtracking, cosh_sum);
}

TEST("every BFGS step satisfies Armijo's condition, recomputed")
{
  armijo_holds(&lr_step_bfgs, quadratic);
  armijo_holds(&lr_step_bfgs, rosenbrock);
  armijo_holds(&lr_step_bfgs, cosh_sum);
}

TEST("every Wolfe step satisfies both strong Wolfe conditions, recomputed")
{
  static double (*const fields[])(const double *,
                                  double *) = {quadratic, rosenbrock, cosh_sum};
  for (int k = 0; k < 3; k++) {
    walk w = begin(&lr_step_wolfe, fields[k], 0);
    for (int i = 0; i < 40 && lr_norm(K, w.g) > 1e-6; i++) {
      double g[K];
      require(take(&w) == LR_GO, "step %d", i);
      double there = along(&w.F, w.z, g), slope0 = lr_dot(K, w.g, w.z);
      check(w.fz == there, "step %d: the value given is the value there", i);
      check(there <= w.f + 1e-4 * slope0, "step %d falls enough", i);
      check(fabs(lr_dot(K, g, w.z)) <= 0.4 * fabs(slope0) * (1 + 1e-9),
            "step %d is flat enough", i);
      advance(&w);
    }
    lr_step_clear(&w.step);
  }
}

TEST("BFGS ends on a quadratic of k dimensions in little more than k steps")
{
  walk w = begin(&lr_step_bfgs, quadratic, 0);
  int steps = descend(&w, 1e-8, 100);
  check(steps > 0 && steps <= 3 * K + 4, "%d steps", steps);
  check(w.F.values <= 2 * steps + 10, "%d values", w.F.values);
  lr_step_clear(&w.step);
}

TEST("BFGS finds the bottom of Rosenbrock's valley")
{
  walk w = begin(&lr_step_bfgs, rosenbrock, 0);
  int steps = descend(&w, 1e-8, 300);
  check(steps > 0, "it gets there");
  for (int i = 0; i < K; i++) check_near(w.F.x[i], 1, 1e-6, "coordinate %d", i);
  lr_step_clear(&w.step);
}

TEST("backtracking and Wolfe find the bottom of a bowl")
{
  walk b = begin(&lr_step_backtracking, cosh_sum, 0);
  walk w = begin(&lr_step_wolfe, cosh_sum, 0);
  check(descend(&b, 1e-8, 300) > 0, "backtracking");
  check(descend(&w, 1e-8, 300) > 0, "Wolfe");
  lr_step_clear(&b.step);
  lr_step_clear(&w.step);
}

TEST("a trial that cannot be evaluated is a step that is too long")
{
  static const lr_step_ops *const rules[] = {&lr_step_backtracking,
                                             &lr_step_wolfe, &lr_step_bfgs};
  for (int k = 0; k < 3; k++) {
    walk w = begin(rules[k], cosh_sum, 1e3); /* the first trial is beyond */
    w.F.wall = 0.5;
    check(take(&w) == LR_GO, "rule %d takes a step", k);
    advance(&w);
    check(w.F.x[0] <= 0.5, "rule %d stays where f can be evaluated", k);
    lr_step_clear(&w.step);
  }
}

static int bad_slopes;

/* The value is fine everywhere, the slope only near the start. */
static lr_code poor_slope(void *self, const double *u, double *d)
{
  field *F = self;
  if (fabs(F->trial[0]) > 0.2) {
    bad_slopes++;
    return LR_NOVALUE;
  }
  return slope(self, u, d);
}

TEST("row 35: a Wolfe trial whose slope cannot be evaluated is too long")
{
  walk w = begin(&lr_step_wolfe, cosh_sum, 0);
  lr_restricted phi = {&w.F, 0, value, poor_slope};
  bad_slopes = 0;
  check(lr_step_take(&w.step, &phi, w.f, w.g, w.z, &w.fz) == LR_GO,
        "a shorter one is found");
  check(bad_slopes > 0, "it was tried");
  check(fabs(w.z[0]) <= 0.2, "the step is %g", w.z[0]);
  lr_step_clear(&w.step);
}

static double uphill(const double *x, double *g)
{
  double f = quadratic(x, g);
  for (int i = 0; i < K; i++) g[i] = -g[i]; /* a lie */
  return f;
}

TEST("with slopes that lie no rule goes uphill, nor on for ever")
{
  static const lr_step_ops *const rules[] = {&lr_step_backtracking,
                                             &lr_step_wolfe, &lr_step_bfgs};
  for (int k = 0; k < 3; k++) {
    walk w = begin(rules[k], uphill, 0);
    lr_code code = take(&w);
    check(code == LR_NOVALUE || w.fz <= w.f, "rule %d", k);
    check(w.F.values <= 120, "rule %d: after %d values", k, w.F.values);
    lr_step_clear(&w.step);
  }
}

TEST("a subspace that grows keeps what BFGS learned of the old directions")
{
  walk w = begin(&lr_step_bfgs, quadratic, 0);
  (void)descend(&w, 1e-2, 100);
  double before = w.step.H[0];
  check(w.step.scaled && lr_step_grow(&w.step, K + 3) == LRGD_OK, "it grows");
  check(w.step.k == K + 3 && w.step.H[0] == before, "H is kept");
  for (size_t j = K; j < K + 3; j++)
    check(w.step.H[j * w.step.capacity + j] > 0 &&
              w.step.H[j * w.step.capacity] == 0,
          "direction %zu is curved and apart", j);
  lr_step_clear(&w.step);
}

TEST("norms of k numbers neither overflow nor underflow")
{
  double big[3] = {3e200, 4e200, 0}, small[3] = {3e-200, 4e-200, 0};
  double zero[3] = {0, 0, 0};
  check_near(lr_norm(3, big), 5e200, 1e-15, "big");
  check_near(lr_norm(3, small), 5e-200, 1e-15, "small");
  check(lr_norm(3, zero) == 0 && lr_norm(0, zero) == 0, "zero");
}
