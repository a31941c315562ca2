/* A quadratic fitted to slopes, by least squares on its normal equations, and
 * gradient descent on it. */
#include "quadratic_fit.h"

#include "base/elementary.h"
#include "small_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool quadratic_make(cli_quadratic *q, size_t r)
{
  size_t n = r + r * (r + 1) / 2;
  *q = (struct cli_quadratic){.r = r, .unknowns = n, .weight = 1};
  q->theta = calloc(n + 1, sizeof *q->theta);
  q->normal = calloc(n * n + 1, sizeof *q->normal);
  q->row = calloc(n + 1, sizeof *q->row);
  return q->theta != NULL && q->normal != NULL && q->row != NULL;
}

void quadratic_free(cli_quadratic *q)
{
  free(q->theta);
  free(q->normal);
  free(q->row);
  *q = (struct cli_quadratic){0};
}

static void fill_row(cli_quadratic *q, const double *a, const double *z)
{
  double *to = q->row + q->r;
  for (size_t i = 0; i < q->r; i++) q->row[i] = q->weight * a[i];
  for (size_t i = 0; i < q->r; i++)
    for (size_t j = i; j < q->r; j++)
      *to++ = i == j ? a[i] * z[i] : a[i] * z[j] + a[j] * z[i];
}

void quadratic_add(cli_quadratic *q, const double *a, const double *z, double d)
{
  size_t n = q->unknowns;
  fill_row(q, a, z);
  for (size_t i = 0; i < n; i++) {
    if (q->row[i] == 0) continue;
    q->theta[i] += q->row[i] * d;
    for (size_t j = 0; j <= i; j++)
      q->normal[i * n + j] += q->row[i] * q->row[j];
  }
  q->power += d * d;
}

/* Solves the normal equations, scaled by columns, with a small regularisation
 * for unknowns that the slopes do not determine. */
bool quadratic_solve(cli_quadratic *q)
{
  size_t n = q->unknowns;
  double *scale = q->row;
  for (size_t i = 0; i < n; i++) {
    double size = sqrt(q->normal[i * n + i]);
    scale[i] = size > 0 ? size : 1;
  }
  for (size_t i = 0; i < n; i++) {
    q->theta[i] /= scale[i];
    for (size_t j = 0; j <= i; j++) q->normal[i * n + j] /= scale[i] * scale[j];
    q->normal[i * n + i] += 1e-12;
  }
  bool good = small_solve(n, q->normal, q->theta);
  for (size_t i = 0; i < n; i++) q->theta[i] /= scale[i];
  return good;
}

void quadratic_check(cli_quadratic *q, const double *a, const double *z,
                     double d)
{
  fill_row(q, a, z);
  double off = d - small_dot(q->unknowns, q->row, q->theta);
  q->left += off * off;
}

void quadratic_hessian(const cli_quadratic *q, double *B)
{
  const double *from = q->theta + q->r;
  for (size_t i = 0; i < q->r; i++)
    for (size_t j = i; j < q->r; j++)
      B[i * q->r + j] = B[j * q->r + i] = *from++;
}

/* g = the quadratic's gradient at z. */
void quadratic_gradient(const cli_quadratic *q, const double *B,
                        const double *z, double *g)
{
  for (size_t i = 0; i < q->r; i++)
    g[i] = q->theta[i] + small_dot(q->r, B + i * q->r, z);
}

/* ---- gradient descent on the quadratic ---- */

/* The gradient norm after n steps of length 1/L: its component along an
 * eigenvector shrinks by 1 - lambda/L each time. */
static double norm_after(size_t r, const double *lambda, const double *part,
                         double steps)
{
  double sum = 0;
  for (size_t j = 0; j < r; j++)
    sum += part[j] * part[j] * lr_pow(1 - lambda[j] / lambda[0], 2 * steps);
  return sqrt(sum);
}

static double steps_to(size_t r, const double *lambda, const double *part,
                       double reached)
{
  const double for_ever = 1e15;
  double low = 0, high = 1;
  if (norm_after(r, lambda, part, 0) <= reached) return 0;
  while (norm_after(r, lambda, part, high) > reached) {
    low = high;
    high *= 2;
    if (high > for_ever) return NAN;
  }
  while (high - low > 0.5) {
    double middle = low + (high - low) / 2;
    if (norm_after(r, lambda, part, middle) > reached)
      low = middle;
    else
      high = middle;
  }
  return ceil(high);
}

/* Removes components along curvatures that are zero within the errors; false: f
 * is not convex. */
static bool drop_flat(size_t r, const double *lambda, double *part)
{
  double length = sqrt(small_dot(r, part, part));
  if (!(lambda[0] > 0)) return false;
  for (size_t j = 0; j < r; j++) {
    if (fabs(lambda[j]) < 1e-6 * lambda[0] && fabs(part[j]) < 1e-3 * length)
      part[j] = 0;
    if (part[j] != 0 && !(lambda[j] > 0)) return false;
  }
  return true;
}

/* NaN where the quadratic is not convex, or gives no estimate. */
double quadratic_descent(const cli_quadratic *q, const double *B,
                         double reached)
{
  size_t r = q->r;
  double *room = malloc((2 * r * r + 2 * r) * sizeof *room), steps = NAN;
  if (room == NULL) return NAN;
  double *A = room, *E = A + r * r, *lambda = E + r * r, *part = lambda + r;
  memcpy(A, B, r * r * sizeof *A);
  small_eigen(r, A, lambda, E);
  for (size_t j = 0; j < r; j++) {
    part[j] = 0;
    for (size_t i = 0; i < r; i++) part[j] += E[i * r + j] * q->theta[i];
    if (fabs(part[j]) <= reached / sqrt((double)r)) part[j] = 0;
  }
  if (drop_flat(r, lambda, part) && reached > 0)
    steps = steps_to(r, lambda, part, reached);
  free(room);
  return steps;
}
