/* Flow through a square of porous cells (Darcy): the logarithms of their
 * conductivities are the inputs, heads in some cells the residuals. */
#ifndef LRGD_DARCY_H
#define LRGD_DARCY_H

#include "chance.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { DARCY_SIDE = 15, DARCY_CELLS = DARCY_SIDE * DARCY_SIDE };
enum { DARCY_WELLS = 30 };

typedef struct darcy {
  size_t well[DARCY_WELLS];
  double head[DARCY_WELLS]; /* as observed */
} darcy;

/* The lower band of the matrix, and the sources, of flow between the left and
 * the right end. */
static inline void darcy_assemble(const double *x, double (*A)[DARCY_SIDE + 1],
                                  double *h)
{
  const int s = DARCY_SIDE;
  double k[DARCY_CELLS];
  memset(A, 0, DARCY_CELLS * sizeof *A);
  for (int i = 0; i < DARCY_CELLS; i++) k[i] = exp(x[i]), h[i] = 0;
  h[s / 2 * s + s / 3] = 1, h[s / 4 * s + 2 * s / 3] = -0.7;
  for (int i = 0; i < DARCY_CELLS; i++) {
    if (i % s == 0) h[i] += 2 * k[i];
    if (i % s == 0 || i % s == s - 1) A[i][0] += 2 * k[i];
    for (int d = 1; d <= s; d += s - 1) {
      if (i + d >= DARCY_CELLS || (d == 1 && i % s == s - 1)) continue;
      double t = 2 * k[i] * k[i + d] / (k[i] + k[i + d]);
      A[i][0] += t, A[i + d][0] += t, A[i + d][d] -= t;
    }
  }
}

/* The heads, by Cholesky's factors of the band. */
static inline void darcy_simulate(const darcy *t, const double *x, double *y)
{
  static double A[DARCY_CELLS][DARCY_SIDE + 1];
  double h[DARCY_CELLS];
  const int s = DARCY_SIDE;
  darcy_assemble(x, A, h);
  for (int i = 0; i < DARCY_CELLS; i++) {
    for (int d = i < s ? i : s; d >= 0; d--) {
      double sum = A[i][d];
      for (int q = 1; q <= s - d && i - d - q >= 0; q++)
        sum -= A[i][d + q] * A[i - d][q];
      A[i][d] = d == 0 ? sqrt(sum) : sum / A[i - d][0];
    }
    for (int q = 1; q <= s && i - q >= 0; q++) h[i] -= A[i][q] * h[i - q];
    h[i] /= A[i][0];
  }
  for (int i = DARCY_CELLS; i-- > 0;) {
    h[i] /= A[i][0];
    for (int q = 1; q <= s && i - q >= 0; q++) h[i - q] -= A[i][q] * h[i];
  }
  for (size_t j = 0; j < DARCY_WELLS; j++) y[j] = h[t->well[j]];
}

/* Nearly a standard normal number. */
static inline double darcy_normal(unsigned *state)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += chance_share(state);
  return sum - 6;
}

/* The truth is a random field whose cells are alike over some four of them:
 * waves with the spectrum of an exponential covariance. */
static inline void darcy_make(darcy *t, unsigned seed)
{
  unsigned state = 31 * seed + 7;
  double x[DARCY_CELLS] = {0};
  for (int wave = 0; wave < 100; wave++) {
    double a = darcy_normal(&state), b = darcy_normal(&state);
    double width = 4 * fabs(darcy_normal(&state)) + 1e-6;
    double phase = 3.14159265 * chance(&state);
    for (int i = 0; i < DARCY_CELLS; i++)
      x[i] += 0.14 * cos((a * (i / DARCY_SIDE) + b * (i % DARCY_SIDE)) / width +
                         phase);
  }
  for (size_t j = 0; j < DARCY_WELLS; j++)
    t->well[j] = (size_t)(chance_share(&state) * DARCY_CELLS);
  darcy_simulate(t, x, t->head);
}

#endif
