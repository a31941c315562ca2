/* Levenberg-Marquardt with exact Jacobians: simple and slow, and independent of
 * the library's own method, so that it can serve as a reference. */
#ifndef LEVENBERG_MARQUARDT_H
#define LEVENBERG_MARQUARDT_H

#include <math.h>
#include <problems.h>
#include <stdlib.h>
#include <string.h>

/* Solves (H + lambda diag) s = -g by Cholesky's method; 0: the matrix is not
 * positive definite. */
static inline int lm_solve(size_t p, const double *H, const double *diagonal,
                           double lambda, const double *g, double *L, double *s)
{
  for (size_t j = 0; j < p; j++)
    for (size_t i = j; i < p; i++) {
      double sum = H[j * p + i] + (i == j ? lambda * diagonal[i] : 0);
      for (size_t k = 0; k < j; k++) sum -= L[k * p + i] * L[k * p + j];
      if (i == j && !(sum > 0)) return 0;
      L[j * p + i] = i == j ? sqrt(sum) : sum / L[j * p + j];
    }
  for (size_t i = 0; i < p; i++) {
    double sum = -g[i];
    for (size_t k = 0; k < i; k++) sum -= L[k * p + i] * s[k];
    s[i] = sum / L[i * p + i];
  }
  for (size_t i = p; i-- > 0;) {
    for (size_t k = i + 1; k < p; k++) s[i] -= L[i * p + k] * s[k];
    s[i] /= L[i * p + i];
  }
  return 1;
}

/* H = J^T J, g = J^T F, and the largest diagonal so far (More, 1978). */
static inline void lm_model(size_t p, size_t m, const double *J,
                            const double *F, double *H, double *g,
                            double *diagonal)
{
  for (size_t j = 0; j < p; j++) {
    g[j] = 0;
    for (size_t k = 0; k < m; k++) g[j] += J[j * m + k] * F[k];
    for (size_t i = 0; i < p; i++) {
      H[j * p + i] = 0;
      for (size_t k = 0; k < m; k++)
        H[j * p + i] += J[j * m + k] * J[i * m + k];
    }
    diagonal[j] = fmax(diagonal[j], fmax(H[j * p + j], 1e-300));
  }
}

static inline double lm_value(const lr_problem *problem, const double *x,
                              double *F)
{
  size_t m = lr_problem_residual_count(problem);
  double sum = 0;
  lr_problem_residuals(problem, x, F);
  for (size_t i = 0; i < m; i++) sum += F[i] * F[i];
  return 0.5 * sum;
}

/* From x until steps bring nothing more: none decreases f, thirty in a row
 * gained less than 1e-14 of f, or f is 1e-25 of its first value (where the
 * Jacobian is singular at the minimum, f would decrease to the smallest numbers
 * there are). Returns f there. */
static inline double levenberg_marquardt(const lr_problem *problem, double *x)
{
  size_t p = lr_problem_callbacks(problem)->dimension;
  size_t m = lr_problem_residual_count(problem);
  double *room = calloc(m * p + 2 * p * p + 5 * p + 2 * m, sizeof *room);
  double *J = room, *H = J + m * p, *L = H + p * p, *g = L + p * p;
  double *diagonal = g + p, *s = diagonal + p, *y = s + p, *F = y + 2 * p;
  double *trial = F + m, lambda = 1e-3, f, next, first;
  int idle = 0;
  if (!room) abort();
  first = f = lm_value(problem, x, F);
  for (int i = 0, fresh = 1; i < 20000 && lambda < 1e20; i++) {
    if (idle == 30 || f <= 1e-25 * first) break;
    if (fresh) {
      lr_problem_jacobian(problem, x, J);
      lm_model(p, m, J, F, H, g, diagonal);
    }
    fresh = 0;
    next = NAN;
    if (lm_solve(p, H, diagonal, lambda, g, L, s)) {
      for (size_t j = 0; j < p; j++) y[j] = x[j] + s[j];
      next = lm_value(problem, y, trial);
    }
    if (next < f) {
      idle = f - next <= 1e-14 * f ? idle + 1 : 0;
      memcpy(x, y, p * sizeof *x);
      memcpy(F, trial, m * sizeof *F);
      f = next;
      fresh = 1;
    }
    lambda = fmax(fresh ? lambda / 3 : lambda * 4, 1e-18);
  }
  free(room);
  return f;
}

#endif
