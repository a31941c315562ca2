/* The paper's algorithms, transcribed, and functions of p variables that record
 * what is asked of them. */
#ifndef TRANSCRIBED_H
#define TRANSCRIBED_H

#include <lrgd/lrgd.h>
#include <stdlib.h>

#include "check.h"

/* ---- functions of p variables and their gradients ---- */

enum { P = 7, MOST = 4000 };

/* Rank 3, not convex, with three directions of its own. */
static inline double ridge(const double *x, double *g)
{
  double s[3] = {0, 0, 0}, f, t[3];
  for (int i = 0; i < P; i++) {
    s[0] += cos(1.3 * i) * x[i];
    s[1] += sin(0.4 * i + 1) * x[i];
    s[2] += 0.2 * (i - 3) * x[i];
  }
  f = log(cosh(s[0] - 1)) + 0.5 * (s[1] + 0.3) * (s[1] + 0.3) + cos(s[2]);
  t[0] = tanh(s[0] - 1);
  t[1] = s[1] + 0.3;
  t[2] = -sin(s[2]);
  for (int i = 0; i < P; i++)
    g[i] = cos(1.3 * i) * t[0] + sin(0.4 * i + 1) * t[1] + 0.2 * (i - 3) * t[2];
  return f;
}

/* A quadratic of full rank whose curvatures are 1, 2, ... p. */
static inline double bowl(const double *x, double *g)
{
  double f = 0;
  for (int i = 0; i < P; i++) {
    double c = 1 + i, y = x[i] - 0.1 * i;
    g[i] = c * y;
    f += 0.5 * c * y * y;
  }
  return f;
}

/* Rank 2, whatever the rank that is asked for. */
static inline double thin(const double *x, double *g)
{
  double a = x[0] + x[1] - 1, b = x[2] - 2 * x[3];
  for (int i = 0; i < P; i++) g[i] = 0;
  g[0] = g[1] = a;
  g[2] = b;
  g[3] = -2 * b;
  return 0.5 * (a * a + b * b);
}

typedef double (*function)(const double *x, double *g);

/* ---- what is asked: a point, and along how many directions; 0: a value ----
 */

typedef struct asked {
  function f;
  size_t n, evaluations;
  double x[MOST][P];
  size_t along[MOST];
  double U[MOST][P]; /* the first of them */
} asked;

static inline void note(asked *a, const double *x, size_t k, const double *U)
{
  if (a->n == MOST) abort();
  memcpy(a->x[a->n], x, P * sizeof *x);
  if (k > 0) memcpy(a->U[a->n], U, P * sizeof *U);
  a->along[a->n++] = k;
  a->evaluations += k > 0 ? k : 1;
}

static inline double value(size_t p, const double *x, void *user)
{
  double g[P];
  (void)p;
  note(user, x, 0, NULL);
  return ((asked *)user)->f(x, g);
}

static inline double slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  double g[P], f = ((asked *)user)->f(x, g);
  note(user, x, k, U);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return f;
}

static inline double gradient(size_t p, const double *x, double *g, void *user)
{
  (void)p;
  note(user, x, 0, NULL);
  return ((asked *)user)->f(x, g);
}

static inline double dot(const double *a, const double *b)
{
  double s = 0;
  for (int i = 0; i < P; i++) s += a[i] * b[i];
  return s;
}

/* ---- the transcriptions ---- */

/* What they keep: the points at which whole gradients are taken, with 1, and
 * those at which slopes inside H are, with 0; and the calls. */
typedef struct transcript {
  size_t n, calls;
  double x[MOST][P];
  int whole[MOST];
  double theta[P];
} transcript;

static inline void keep(transcript *t, const double *x, int whole, size_t calls)
{
  if (t->n == MOST) abort();
  memcpy(t->x[t->n], x, P * sizeof *x);
  t->whole[t->n++] = whole;
  t->calls += calls;
}

/* An orthonormal basis of the span of n vectors: the projection onto it is the
 * same for each, so Gram-Schmidt does for the singular vectors. */
static inline size_t orthonormal(double (*U)[P], size_t n)
{
  size_t k = 0;
  for (size_t j = 0; j < n; j++) {
    double u[P], before = sqrt(dot(U[j], U[j]));
    memcpy(u, U[j], sizeof u);
    for (int twice = 0; twice < 2; twice++)
      for (size_t i = 0; i < k; i++) {
        double c = dot(u, U[i]);
        for (int l = 0; l < P; l++) u[l] -= c * U[i][l];
      }
    double norm = sqrt(dot(u, u));
    if (!(norm > 1e-10 * before)) continue;
    for (int l = 0; l < P; l++) U[k][l] = u[l] / norm;
    k++;
  }
  return k;
}

/* The projection of the gradient g onto the span of U; its norm. */
static inline double project(double (*U)[P], size_t k, const double *g,
                             double *to)
{
  double h[P] = {0};
  for (size_t j = 0; j < k; j++)
    for (int i = 0; i < P; i++) h[i] += dot(g, U[j]) * U[j][i];
  memcpy(to, h, sizeof h);
  return sqrt(dot(h, h));
}

static inline void step(double *theta, double alpha, const double *h)
{
  for (int i = 0; i < P; i++) theta[i] -= alpha * h[i];
}

/* Algorithm 1: T iterations, or until the gradient in H is at most tol. */
static inline void algorithm_1(transcript *t, function f, size_t r,
                               const double *X, double alpha, size_t T,
                               double tol)
{
  double G[P][P], g[P], h[P];
  t->n = t->calls = 0;
  for (size_t j = 0; j < r; j++) { /* pick r points, evaluate gradients */
    f(X + j * P, g);
    keep(t, X + j * P, 1, P);
    double norm = sqrt(dot(g, g));
    for (int i = 0; i < P; i++) G[j][i] = g[i] / norm;
  }
  size_t k = orthonormal(G, r); /* H = span(u_1 ... u_r) */
  for (size_t s = 0; s < T; s++) {
    f(t->theta, g);
    keep(t, t->theta, 0, r); /* r of them also where k is less */
    if (project(G, k, g, h) <= tol) return;
    step(t->theta, alpha, h);
  }
}

/* Algorithm 2, mended: the gradients before each of the r steps span H, the
 * inner loop is a do ... while. */
static inline void algorithm_2(transcript *t, function f, size_t r,
                               double alpha, double tol)
{
  double U[P][P], g[P], h[P], norm;
  t->n = t->calls = 0;
  for (;;) {
    for (size_t j = 0; j < r; j++) {
      f(t->theta, g);
      keep(t, t->theta, 1, P);
      if (j == 0 && sqrt(dot(g, g)) <= tol) return;
      memcpy(U[j], g, sizeof g);
      step(t->theta, alpha, g);
    }
    size_t k = orthonormal(U, r);
    do {
      f(t->theta, g);
      keep(t, t->theta, 0, k);
      norm = project(U, k, g, h);
      step(t->theta, alpha, h);
    } while (norm > tol);
  }
}

/* Algorithm 3, mended: u' is made orthogonal and normalised, and the gradient
 * that gives it ends the run where it is small. */
static inline void algorithm_3(transcript *t, function f, double alpha,
                               double tol)
{
  double U[P + 1][P], g[P], h[P], norm;
  size_t k = 0;
  t->n = t->calls = 0;
  for (;;) {
    f(t->theta, g);
    keep(t, t->theta, 1, P);
    if (sqrt(dot(g, g)) <= tol) return;
    memcpy(U[k], g, sizeof g);
    k = orthonormal(U, k < P ? k + 1 : k);
    do {
      f(t->theta, g);
      keep(t, t->theta, 0, k);
      norm = project(U, k, g, h);
      step(t->theta, alpha, h);
    } while (norm > tol);
  }
}

#endif
