/* Random functions whose gradients are known: what certificates are measured
 * against.  The two sets were written down before either was measured; the
 * library is mended on the first and judged on the second.
 *
 * f(x) = offset + sum_i phi_i(a_i'y) + tail/2 |y|^2, y_j = x_j/size_j - y*_j.
 *
 *               first set                       second set
 * directions r  1 - 4                           1 - 6
 * inputs p      10 - 36                         15 - 60
 * phi           c t^2/2                         c t^2/2, rows decaying
 *               c t^2/2 + q t^4/4               c log cosh t + t^2/40
 *               c t^2/2, r = p = 4 - 10         softplus, r = p = 5 - 12
 *               c t^2/2 and a tail of 1e-2-1e-5 c sqrt(1 + t^2)
 *               c (e^t - t)                     Rosenbrock's, in pairs
 * c             10^u, u in 0 - 1                10^u, u in -1 - 1
 * sizes         10^(4u), 1 and 1e4 among them   the grid 10^(4i/(p-1)), mixed
 * offset        0 or 10                         normal, times 10^(-1 - 2)
 * tolerance     10^-u of the first gradient, u in 2 - 6; noisy: 1 - 4
 * noise of f    10^-u of the first gap, u in 4 - 8, normal and independent
 * noise of slopes  so that a gradient is off by 10^-u of the tolerance, u in
 *                  0 - 2
 * box           y* + [-1.2, 0.3] .. [0.4, 1.6], so that bounds hold some */
#ifndef FAMILY_H
#define FAMILY_H

#include <lrgd/lrgd.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FAMILY_P = 60, FAMILY_R = 12, FAMILY_KINDS = 5 };

typedef struct family {
  int set, kind;
  size_t p, r;
  double A[FAMILY_R][FAMILY_P], c[FAMILY_R], q[FAMILY_R];
  double size[FAMILY_P], middle[FAMILY_P], tail, offset;
  double lower[FAMILY_P], upper[FAMILY_P], start[FAMILY_P];
  double noise, slope_noise, tol;
  bool boxed;
  uint64_t state; /* of the noise */
} family;

/* ---- chance (splitmix64) ---- */

static inline uint64_t family_bits(uint64_t *state)
{
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline double family_share(uint64_t *state)
{
  return ((double)(family_bits(state) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double family_between(uint64_t *state, double a, double b)
{
  return a + (b - a) * family_share(state);
}

static inline double family_normal(uint64_t *state)
{
  double u = family_share(state), v = family_share(state);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* ---- f ---- */

/* phi_i and its derivative. */
static inline double family_phi(const family *F, size_t i, double t, double *d)
{
  double c = F->c[i], e;
  switch (5 * F->set + F->kind) {
  case 1: /* quartic */
    *d = c * t + F->q[i] * t * t * t;
    return t * t * (0.5 * c + 0.25 * F->q[i] * t * t);
  case 4:
    e = exp(fmin(t, 200));
    *d = c * (e - 1);
    return c * (e - t);
  case 6:
    *d = c * tanh(t) + 0.05 * t;
    return c * (fabs(t) + log1p(exp(-2 * fabs(t)))) + 0.025 * t * t;
  case 7:
    e = 1 / (1 + exp(-t));
    *d = c * (e - 0.4);
    return c * (fmax(t, 0) + log1p(exp(-fabs(t))) - 0.4 * t);
  case 8:
    e = sqrt(1 + t * t);
    *d = c * t / e;
    return c * e;
  default: *d = c * t; return 0.5 * c * t * t;
  }
}

/* Rosenbrock's function of pairs: t_2 - t_1^2 and t_1. */
static inline double family_pairs(const family *F, const double *t, double *d)
{
  double f = 0;
  for (size_t i = 0; i + 1 < F->r; i += 2) {
    double gap = t[i + 1] - t[i] * t[i], c = 1 + F->c[i];
    f += 0.5 * t[i] * t[i] + 0.5 * c * gap * gap;
    d[i] = t[i] - 2 * c * gap * t[i];
    d[i + 1] = c * gap;
  }
  return f;
}

/* f without noise; y and d, the derivatives along the rows, are kept. */
static inline double family_exact(const family *F, const double *x, double *y,
                                  double *d)
{
  double t[FAMILY_R], f = F->offset;
  for (size_t j = 0; j < F->p; j++) y[j] = x[j] / F->size[j] - F->middle[j];
  for (size_t i = 0; i < F->r; i++) {
    t[i] = 0;
    for (size_t j = 0; j < F->p; j++) t[i] += F->A[i][j] * y[j];
  }
  if (F->set == 1 && F->kind == 4)
    f += family_pairs(F, t, d);
  else
    for (size_t i = 0; i < F->r; i++) f += family_phi(F, i, t[i], &d[i]);
  for (size_t j = 0; F->tail > 0 && j < F->p; j++)
    f += 0.5 * F->tail * y[j] * y[j];
  return f;
}

static inline double family_gradient(const family *F, const double *x,
                                     double *g)
{
  double y[FAMILY_P], d[FAMILY_R], f = family_exact(F, x, y, d);
  for (size_t j = 0; j < F->p; j++) {
    double sum = F->tail * y[j];
    for (size_t i = 0; i < F->r; i++) sum += F->A[i][j] * d[i];
    g[j] = sum / F->size[j];
  }
  return f;
}

/* |grad f|, without what bounds hold: what a certificate is about. */
static inline double family_norm(const family *F, const double *x)
{
  double g[FAMILY_P], sum = 0;
  (void)family_gradient(F, x, g);
  for (size_t j = 0; j < F->p; j++) {
    bool held = F->boxed && ((x[j] <= F->lower[j] && g[j] > 0) ||
                             (x[j] >= F->upper[j] && g[j] < 0));
    if (!held) sum += g[j] * g[j];
  }
  return sqrt(sum);
}

/* ---- as a user gives it ---- */

static inline double family_noisy(family *F, double f)
{
  return F->noise > 0 ? f + F->noise * family_normal(&F->state) : f;
}

static inline double family_value(size_t p, const double *x, void *user)
{
  double y[FAMILY_P], d[FAMILY_R];
  (void)p;
  return family_noisy(user, family_exact(user, x, y, d));
}

static inline double family_slopes(size_t p, const double *x, size_t k,
                                   const double *U, double *d, void *user)
{
  family *F = user;
  double g[FAMILY_P], f = family_gradient(F, x, g);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += U[j * p + i] * g[i];
    if (F->slope_noise > 0) d[j] += F->slope_noise * family_normal(&F->state);
  }
  return family_noisy(F, f);
}

/* ---- drawing one ---- */

static inline void family_draw_rows(family *F, uint64_t *s)
{
  double decay = F->set == 1 && F->kind == 0 ? family_between(s, 0.8, 1) : 1;
  for (size_t i = 0; i < F->r; i++) {
    double norm = 0;
    for (size_t j = 0; j < F->p; j++) {
      F->A[i][j] = family_normal(s) * pow(decay, (double)j);
      norm += F->A[i][j] * F->A[i][j];
    }
    for (size_t j = 0; j < F->p; j++) F->A[i][j] /= sqrt(norm);
    F->c[i] = pow(10, family_between(s, F->set == 0 ? 0 : -1, 1));
    F->q[i] = pow(10, family_between(s, -1, 1));
  }
}

static inline void family_draw_sizes(family *F, bool spread, uint64_t *s)
{
  for (size_t j = 0; j < F->p; j++) {
    double u = F->set == 0 ? family_share(s) : (double)j / (double)(F->p - 1);
    if (F->set == 0 && j < 2) u = (double)j;
    F->size[j] = spread ? pow(10, 4 * u) : 1;
  }
  for (size_t j = F->p - 1; j > 0; j--) {
    size_t k = (size_t)(family_share(s) * (double)(j + 1));
    double size = F->size[j];
    F->size[j] = F->size[k];
    F->size[k] = size;
  }
}

static inline void family_draw_place(family *F, uint64_t *s)
{
  for (size_t j = 0; j < F->p; j++) {
    F->middle[j] = family_normal(s);
    double low = F->middle[j] + family_between(s, -1.2, 0.3);
    double high = F->middle[j] + family_between(s, 0.4, 1.6);
    F->lower[j] = F->size[j] * low;
    F->upper[j] = F->size[j] * high;
    double y = F->boxed ? family_between(s, low, high)
                        : F->middle[j] + family_normal(s);
    F->start[j] = F->size[j] * y;
  }
}

static inline void family_draw(family *F, int set, bool spread, bool boxed,
                               bool noisy, uint64_t seed)
{
  uint64_t state = seed, *s = &state;
  *F = (family){.set = set, .boxed = boxed};
  for (int i = 0; i < 4; i++) (void)family_bits(s);
  F->kind = (int)(family_bits(s) % FAMILY_KINDS);
  bool full = F->kind == 2;
  double u = family_share(s), v = family_share(s);
  if (set == 0)
    F->p = full ? 4 + (size_t)(7 * u) : 10 + (size_t)(27 * u);
  else
    F->p = full ? 5 + (size_t)(8 * u) : 15 + (size_t)(46 * u);
  F->r = full ? F->p : 1 + (size_t)((set == 0 ? 4 : 6) * v);
  if (set == 1 && F->kind == 4) F->r += F->r % 2;
  if (set == 0 && F->kind == 3) F->tail = pow(10, -family_between(s, 2, 5));
  family_draw_rows(F, s);
  family_draw_sizes(F, spread, s);
  family_draw_place(F, s);
  if (set == 0)
    F->offset = family_share(s) < 0.5 ? 0 : 10;
  else
    F->offset = family_normal(s) * pow(10, family_between(s, -1, 2));
  double y[FAMILY_P], d[FAMILY_R], at[FAMILY_P];
  double first = family_exact(F, F->start, y, d), last;
  for (size_t j = 0; j < F->p; j++) at[j] = F->size[j] * F->middle[j];
  last = family_exact(F, at, y, d);
  double slope = family_norm(F, F->start);
  F->tol = slope *
           pow(10, noisy ? -family_between(s, 1, 4) : -family_between(s, 2, 6));
  double level = pow(10, -family_between(s, 4, 8));
  double share = pow(10, -family_between(s, 0, 2));
  if (noisy) F->noise = level * fabs(first - last);
  if (noisy) F->slope_noise = share * F->tol / sqrt((double)F->p);
  F->state = family_bits(s);
}

#endif
