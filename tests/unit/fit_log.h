/* A quadratic of low rank whose derivatives are known, and what was asked of
 * it.  For the tests of fits. */
#ifndef FIT_LOG_H
#define FIT_LOG_H

#include "learn/fit.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <stdlib.h>

enum { P = 12, RANK = 3, MOST = 400 };

/* f = sum over i < RANK of 4^i (a_i.x - 1)^2 / 2, a_i orthonormal. */
static double A[RANK * P];

static double dot(const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < P; i++) sum += x[i] * y[i];
  return sum;
}

static void make_truth(void)
{
  unsigned state = 17;
  for (size_t k = 0; k < RANK; k++) {
    double *a = A + k * P;
    for (size_t i = 0; i < P; i++) a[i] = chance(&state);
    for (int twice = 0; twice < 2; twice++)
      for (size_t j = 0; j < k; j++) {
        double c = dot(A + j * P, a);
        for (size_t i = 0; i < P; i++) a[i] -= c * A[j * P + i];
      }
    double size = sqrt(dot(a, a));
    for (size_t i = 0; i < P; i++) a[i] /= size;
  }
}

static double value(const double *x)
{
  double f = 0;
  for (size_t k = 0; k < RANK; k++) {
    double t = dot(A + k * P, x) - 1;
    f += 0.5 * (1 << (2 * k)) * t * t;
  }
  return f;
}

static double slope(const double *x, const double *u)
{
  double d = 0;
  for (size_t k = 0; k < RANK; k++)
    d += (1 << (2 * k)) * (dot(A + k * P, x) - 1) * dot(A + k * P, u);
  return d;
}

static double bend(const double *u, const double *v)
{
  double d = 0;
  for (size_t k = 0; k < RANK; k++)
    d += (1 << (2 * k)) * dot(A + k * P, u) * dot(A + k * P, v);
  return d;
}

/* ---- what is known ---- */

typedef struct log {
  size_t n;
  double x[MOST * P], v[MOST * P];
  lrgd_evaluation e[MOST];
} log_of;

static lrgd_evaluation *ask(log_of *l, const double *x)
{
  size_t k = l->n++;
  memcpy(l->x + k * P, x, P * sizeof *x);
  l->e[k] = (lrgd_evaluation){.x = l->x + k * P, .f = value(x)};
  return &l->e[k];
}

/* Differences along all inputs from a point whose value is known. */
static void ask_inputs(log_of *l, const double *x, double h)
{
  double y[P];
  for (size_t i = 0; i < P; i++) {
    memcpy(y, x, sizeof y);
    y[i] += h;
    ask(l, y);
  }
}

/* And that value before them. */
static void ask_differences(log_of *l, const double *x, double h)
{
  ask(l, x);
  ask_inputs(l, x, h);
}

/* Points that come nearer to the minimum, along the gradients. */
static void step(double *x, unsigned *state)
{
  for (size_t k = 0; k < RANK; k++) {
    double t = (dot(A + k * P, x) - 1) * (0.5 + 0.3 * chance(state));
    for (size_t i = 0; i < P; i++) x[i] -= t * A[k * P + i];
  }
}

static void forget(lr_fit *fit, lr_known *known)
{
  lr_fit_clear(fit);
  lr_fit_clear(fit);
  lr_known_clear(known);
}

typedef struct meter {
  size_t calls, live, fail_at;
} meter;

static void *meter_alloc(size_t bytes, void *user)
{
  meter *m = user;
  if (++m->calls == m->fail_at) return NULL;
  void *memory = malloc(bytes);
  m->live += memory != NULL;
  return memory;
}

static void meter_free(void *memory, void *user)
{
  ((meter *)user)->live--;
  free(memory);
}

#endif
