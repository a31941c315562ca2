/* Residuals F(x) = G(A x) of few combinations of many inputs, for tests. */
#ifndef RESIDUAL_FIT_H
#define RESIDUAL_FIT_H

#include "chance.h"
#include "check.h"

#include <lrgd/lrgd.h>
#include <math.h>

enum { MOST = 1000, ROWS = 20, NUMBERS = 200 };

typedef enum shape { LINEAR, TRIDIAGONAL, CURVED } shape;

/* F(x) = G(A x), A being r x p. */
typedef struct fit {
  shape shape;
  size_t p, r, m;
  double A[ROWS * MOST], mix[NUMBERS * ROWS], goal[NUMBERS];
  double noise, unit;
  const double *lower, *upper;
  double fails_beyond; /* F has no value where |A x| is larger; 0: everywhere */
  size_t calls, outside, reached; /* reached: calls until f <= 1e-6 f(start) */
  double first, lowest;
  unsigned state;
} fit;

static void inner(const fit *t, const double *x, double *y)
{
  for (size_t k = 0; k < t->r; k++) {
    y[k] = 0;
    for (size_t i = 0; i < t->p; i++) y[k] += t->A[k * t->p + i] * x[i];
  }
}

/* G(y), and (D not NULL) its derivatives, m x r. */
static void outer(const fit *t, const double *y, double *r, double *D)
{
  for (size_t i = 0; i < t->m; i++) {
    r[i] = -t->goal[i];
    for (size_t k = 0; k < t->r; k++) {
      double a = t->mix[i * t->r + k], bend = t->shape == CURVED ? 0.1 : 0;
      if (t->shape == TRIDIAGONAL)
        a = k == i ? 3 - 2 * y[k] : k + 1 == i ? -1 : k == i + 1 ? -2 : 0;
      r[i] += a * y[k] + bend * a * y[k] * y[k];
      if (t->shape == TRIDIAGONAL && k == i) a = 3 - 4 * y[k];
      if (D) D[k * t->m + i] = a + 2 * bend * a * y[k];
    }
  }
}

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  fit *t = user;
  double y[ROWS] = {0}, f = 0, size = 0;
  t->calls++;
  for (size_t i = 0; i < p; i++)
    t->outside += (t->lower && x[i] < t->lower[i]) ||
                  (t->upper && x[i] > t->upper[i]) || !isfinite(x[i]);
  inner(t, x, y);
  outer(t, y, r, NULL);
  for (size_t k = 0; k < t->r; k++) size += y[k] * y[k];
  for (size_t i = 0; i < m; i++) {
    r[i] = t->unit * (r[i] + t->noise * chance(&t->state));
    if (t->fails_beyond > 0 && sqrt(size) > t->fails_beyond) r[i] = NAN;
    f += 0.5 * r[i] * r[i];
  }
  if (t->calls == 1) t->first = f;
  if (f < t->lowest) t->lowest = f;
  if (t->reached == 0 && f <= 1e-6 * t->first) t->reached = t->calls;
}

/* The norm of the gradient. */
static inline double steepness(const fit *t, const double *x)
{
  static double D[NUMBERS * ROWS], g[MOST];
  double y[ROWS], r[NUMBERS], sum = 0;
  inner(t, x, y);
  outer(t, y, r, D);
  memset(g, 0, sizeof g);
  for (size_t k = 0; k < t->r; k++) {
    double d = 0;
    for (size_t i = 0; i < t->m; i++) d += D[k * t->m + i] * r[i];
    for (size_t i = 0; i < t->p; i++) g[i] += d * t->A[k * t->p + i];
  }
  for (size_t i = 0; i < t->p; i++) {
    bool held = (t->lower && x[i] <= t->lower[i] && g[i] > 0) ||
                (t->upper && x[i] >= t->upper[i] && g[i] < 0);
    sum += held ? 0 : g[i] * g[i];
  }
  return t->unit * t->unit * sqrt(sum);
}

/* misfit: residuals that remain. */
static void make(fit *t, shape form, size_t p, size_t r, double misfit,
                 unsigned seed)
{
  *t = (fit){.shape = form, .p = p, .r = r, .m = 10 * r, .unit = 1};
  t->lowest = INFINITY, t->state = 7 * seed + 1;
  if (form == TRIDIAGONAL) t->m = r;
  for (size_t i = 0; i < r * p; i++)
    t->A[i] = chance(&t->state) * sqrt(3 / (double)p);
  for (size_t i = 0; i < t->m * r; i++) t->mix[i] = chance(&t->state);
  double y[ROWS] = {0};
  for (size_t k = 0; k < r; k++) y[k] = 2 * chance(&t->state);
  if (form == TRIDIAGONAL)
    for (size_t i = 0; i < t->m; i++) t->goal[i] = -1;
  else
    outer(t, y, t->goal, NULL);
  for (size_t i = 0; i < t->m; i++) t->goal[i] += misfit * chance(&t->state);
}

/* x with A x = -1 for rows that are nearly orthonormal: the usual start of the
 * tridiagonal function. */
static inline void start_at_minus_one(const fit *t, double *x)
{
  for (size_t i = 0; i < t->p; i++) {
    x[i] = 0;
    for (size_t k = 0; k < t->r; k++) x[i] -= t->A[k * t->p + i];
  }
}

static inline lrgd_result solve(fit *t, lrgd_options o, double *x)
{
  lrgd_problem f = lrgd_problem_default(t->p);
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  f.residuals = residuals, f.residual_count = t->m, f.user = t;
  f.lower = t->lower, f.upper = t->upper;
  check(lrgd_minimize(&f, &o, x, &result, &error) == LRGD_OK, "%s", error.text);
  check_int(lrgd_counts_evaluations(&result.counts), t->calls, "the counts");
  check_int(t->outside, 0, "points outside");
  check(result.f == t->lowest || result.certificate.valid ||
            result.f <= t->lowest + 1e-12 * t->first,
        "f is %g, and was %g", result.f, t->lowest);
  return result;
}

static fit made;

#endif
