/* Functions whose costs are foretold and then paid: two sets of 60.
 *
 * The first set was used to choose what may be told.  The second was drawn by
 * a rule that was written down before anything was chosen, and is what counts:
 *
 *   function i (0 .. 59) of set s draws from splitmix64 with the seed
 *   s 1000 + i: family i mod 10 of that set; p log-uniform in 3 .. 150 (chains:
 *   3 .. 14); r uniform in 1 .. min(8, p); the condition number log-uniform in
 *   1 .. 1e4; directions, offsets and the start normal (the start times 1 or
 *   3).  Every fifth function has bounds -2 .. 3, every seventh tells its
 *   gradient by a tape of two-sided differences at one evaluation.
 *
 * No family is in both sets. */
#ifndef FORETOLD_H
#define FORETOLD_H

#include <lrgd/analysis.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FORETOLD_SET = 60, FORETOLD_P = 150, FORETOLD_R = 8 };

typedef struct foretold {
  int family;
  size_t p, r, n; /* n terms */
  double kappa;
  double *A; /* n directions of p */
  double *b, *w;
  double lower[FORETOLD_P], upper[FORETOLD_P], start[FORETOLD_P];
  lrgd_problem problem;
  uint64_t state;
} foretold;

/* ---- numbers ---- */

/* splitmix64 */
static uint64_t foretold_bits(foretold *f)
{
  uint64_t z = (f->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static double foretold_uniform(foretold *f)
{
  return ((double)(foretold_bits(f) >> 11) + 0.5) * 0x1p-53;
}

static double foretold_normal(foretold *f)
{
  double u = foretold_uniform(f), v = foretold_uniform(f);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static double foretold_log(foretold *f, double low, double high)
{
  return low * pow(high / low, foretold_uniform(f));
}

/* ---- the families ---- */

/* Weight of term j: from 1 to kappa. */
static double foretold_weight(const foretold *f, size_t j)
{
  return f->n > 1 ? pow(f->kappa, (double)j / (double)(f->n - 1)) : 1;
}

static double foretold_along(const foretold *f, size_t j, const double *x)
{
  double z = -f->b[j];
  for (size_t i = 0; i < f->p; i++) z += f->A[j * f->p + i] * x[i];
  return z;
}

static double foretold_square(double z)
{
  return z * z;
}

/* What a term adds, z being where x is along its direction. */
static double foretold_term(const foretold *f, size_t j, double z)
{
  double w = f->w[j];
  switch (f->family) {
  case 0:  /* quadratic of rank r */
  case 1:  /* full quadratic */
  case 6:  /* quadratic and a little of all else: see value */
  case 17: /* two clusters of curvature, of full rank */
  case 19: /* a decaying spectrum */ return w * z * z;
  case 3: return log1p(exp(-fabs(z))) + fmax(-z, 0); /* logistic */
  case 4: return w * z * z * z * z;
  case 5: return w * (fabs(z) + log1p(exp(-2 * fabs(z)))); /* log cosh */
  case 7: return foretold_square(tanh(z) - f->w[j]);
  case 8: return w * (z * z + 2 * (1 - cos(2 * z)));
  case 9: return cosh(z) / (double)f->n;
  case 10: return w * (sqrt(1 + z * z) - 1); /* pseudo-Huber */
  case 12: return w * (foretold_square(sin(z)) + 0.1 * z * z);
  case 15: return -exp(-0.5 * z * z) + 0.05 * w * z * z;
  case 16: return w * (z * z / (1 + z * z) + 0.01 * z * z);
  case 18: return 0.25 * foretold_square(z * z - 1) + 0.1 * w * z;
  default: return 0;
  }
}

static double foretold_chain(const foretold *f, const double *x)
{
  double sum = f->family == 13 ? foretold_square(x[0] - 1) : 0;
  for (size_t i = 0; i + 1 < f->p; i++) {
    if (f->family == 2) /* Rosenbrock's, milder */
      sum += 0.01 * f->kappa * foretold_square(x[i + 1] - x[i] * x[i]) +
             foretold_square(1 - x[i]);
    else /* Dixon and Price's */
      sum += (double)(i + 2) * foretold_square(2 * x[i + 1] * x[i + 1] - x[i]);
  }
  return sum;
}

static double foretold_value(size_t p, const double *x, void *user)
{
  const foretold *f = user;
  double sum = 0, z, most = -INFINITY;
  (void)p;
  if (f->family == 2 || f->family == 13) return foretold_chain(f, x);
  if (f->family == 11) { /* log-sum-exp and a little of |x|^2 */
    for (size_t j = 0; j < f->n; j++)
      most = fmax(most, foretold_along(f, j, x));
    for (size_t j = 0; j < f->n; j++)
      sum += exp(foretold_along(f, j, x) - most);
    double size = 0;
    for (size_t i = 0; i < f->p; i++) size += x[i] * x[i];
    return most + log(sum) + 0.05 * size;
  }
  if (f->family == 14) { /* Beale's, in two directions of p */
    double s = foretold_along(f, 0, x), t = foretold_along(f, 1, x);
    return foretold_square(1.5 - s + s * t) +
           foretold_square(2.25 - s + s * t * t) +
           foretold_square(2.625 - s + s * t * t * t);
  }
  for (size_t j = 0; j < f->n; j++) {
    z = foretold_along(f, j, x);
    sum += foretold_term(f, j, z);
  }
  if (f->family == 4) /* a part that is strongly convex */
    sum += 0.5 * foretold_square(foretold_along(f, 0, x));
  if (f->family == 6 || f->family == 3)
    for (size_t i = 0; i < f->p; i++)
      sum += (f->family == 3 ? 1e-2 : 1e-3) * x[i] * x[i];
  return sum;
}

static double foretold_gradient(size_t p, const double *x, double *g,
                                void *user)
{
  const double h = 1e-5;
  double y[FORETOLD_P];
  memcpy(y, x, p * sizeof *y);
  for (size_t i = 0; i < p; i++) {
    y[i] = x[i] + h;
    double ahead = foretold_value(p, y, user);
    y[i] = x[i] - h;
    g[i] = (ahead - foretold_value(p, y, user)) / (2 * h);
    y[i] = x[i];
  }
  return foretold_value(p, x, user);
}

/* How many terms a family has. */
static size_t foretold_terms(const foretold *f)
{
  switch (f->family) {
  case 1:
  case 17:
  case 19: return f->p;
  case 3:
  case 7:
  case 9: return 3 * f->r + 2;
  case 11: return f->r + 2;
  case 14: return 2;
  default: return f->r;
  }
}

/* Directions inside an r-dimensional space, for families with more terms. */
static void foretold_directions(foretold *f)
{
  double *basis = calloc(f->r * f->p, sizeof *basis);
  bool inside = f->n > f->r && f->n < f->p;
  for (size_t i = 0; i < f->r * f->p; i++)
    basis[i] = foretold_normal(f) / sqrt((double)f->p);
  for (size_t j = 0; j < f->n; j++)
    for (size_t k = 0; k < (inside ? f->r : 1); k++) {
      double c = inside ? foretold_normal(f) : 1;
      for (size_t i = 0; i < f->p; i++)
        f->A[j * f->p + i] +=
            c * (inside ? basis[k * f->p + i]
                        : foretold_normal(f) / sqrt((double)f->p));
    }
  free(basis);
}

static void foretold_make(foretold *f, int set, int i)
{
  memset(f, 0, sizeof *f);
  f->state = (uint64_t)(1000 * set + i);
  f->family = 10 * (set - 1) + i % 10;
  bool chain = f->family == 2 || f->family == 13;
  f->p = (size_t)foretold_log(f, 3, chain ? 15 : FORETOLD_P + 1);
  size_t most = f->p < FORETOLD_R ? f->p : FORETOLD_R;
  f->r = 1 + (size_t)(foretold_uniform(f) * (double)most);
  if (f->family == 14) f->r = 2;
  f->kappa = foretold_log(f, 1, 1e4);
  f->n = foretold_terms(f);
  f->A = calloc(f->n * f->p, sizeof *f->A);
  f->b = calloc(f->n, sizeof *f->b);
  f->w = calloc(f->n, sizeof *f->w);
  foretold_directions(f);
  for (size_t j = 0; j < f->n; j++) {
    f->b[j] = foretold_normal(f);
    f->w[j] = foretold_weight(f, j);
    if (f->family == 7) f->w[j] = 0.9 * (2 * foretold_uniform(f) - 1);
    if (f->family == 17) f->w[j] = j < f->n / 2 ? 1 : f->kappa;
    if (f->family == 19) f->w[j] = pow(10, -0.5 * (double)j);
  }
  double far = foretold_uniform(f) < 0.5 ? 1 : 3;
  f->problem = lrgd_problem_default(f->p);
  for (size_t k = 0; k < f->p; k++) {
    f->start[k] = far * foretold_normal(f);
    f->lower[k] = -2;
    f->upper[k] = 3;
  }
  f->problem.value = foretold_value;
  f->problem.user = f;
  if (i % 5 == 4) {
    f->problem.lower = f->lower;
    f->problem.upper = f->upper;
  }
  if (i % 7 == 6) f->problem.gradient = foretold_gradient;
}

static void foretold_free(foretold *f)
{
  free(f->A);
  free(f->b);
  free(f->w);
}

/* ---- telling and paying ---- */

/* What a run of the method pays, up to so many evaluations. */
static lrgd_result foretold_pay(const foretold *f, lrgd_predicted which,
                                size_t r, double most)
{
  static const lrgd_method methods[] = {
      LRGD_METHOD_GD,       LRGD_METHOD_LRGD, LRGD_METHOD_ITERATED,
      LRGD_METHOD_ADAPTIVE, LRGD_METHOD_AUTO, LRGD_METHOD_GD};
  lrgd_options o = lrgd_options_default();
  lrgd_result result = {0};
  double x[FORETOLD_P];
  o.method = methods[which];
  if (which == LRGD_PREDICTED_LBFGS) o.step = LRGD_STEP_BFGS;
  if (which == LRGD_PREDICTED_LRGD || which == LRGD_PREDICTED_ITERATED)
    o.rank = (int64_t)r;
  o.max_evals = (int64_t)most;
  memcpy(x, f->start, f->p * sizeof *x);
  if (lrgd_minimize(&f->problem, &o, x, &result, NULL) != LRGD_OK)
    result.outcome = LRGD_OUTCOME_FAILED;
  return result;
}

#endif
