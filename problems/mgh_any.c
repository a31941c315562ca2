/* Functions 21 to 35 of More, Garbow and Hillstrom (mgh.h): of any number of
 * inputs.  Sums over all inputs are taken once, so that F costs O(n + m)
 * operations (Chebyquad: n m). */
#include "mgh.h"

#include <math.h>

#include "analytic.h"

typedef double complex number;

#define SYSTEM(name)                                                           \
  static void name(const lr_system *s, const number *z, number *r)

static double at(size_t i)
{
  return (double)i + 1;
}

static number sum_of(size_t n, const number *z)
{
  number sum = 0;
  for (size_t j = 0; j < n; j++) sum += z[j];
  return sum;
}

/* sum over j of j z_j, from first to last */
static number weighted(size_t first, size_t last, const number *z)
{
  number sum = 0;
  for (size_t j = first; j <= last; j++) sum += (double)j * z[j - 1];
  return sum;
}

/* 23 */
SYSTEM(penalty_1)
{
  number sum = 0;
  for (size_t i = 0; i < s->n; i++) {
    r[i] = sqrt(1e-5) * (z[i] - 1);
    sum += z[i] * z[i];
  }
  r[s->n] = sum - 0.25;
}

/* 24 */
SYSTEM(penalty_2)
{
  const double root = sqrt(1e-5);
  size_t n = s->n;
  number sum = (double)n * z[0] * z[0];
  r[0] = z[0] - 0.2;
  for (size_t i = 1; i < n; i++) {
    number here = lr_cexp(z[i] / 10);
    r[i] = root * (here + lr_cexp(z[i - 1] / 10) - lr_exp(at(i) / 10) -
                   lr_exp((double)i / 10));
    r[n + i - 1] = root * (here - lr_exp(-0.1));
    sum += (double)(n - i) * z[i] * z[i];
  }
  r[2 * n - 1] = sum - 1;
}

/* 25 */
SYSTEM(variably_dimensioned)
{
  number sum = 0;
  for (size_t i = 0; i < s->n; i++) {
    r[i] = z[i] - 1;
    sum += at(i) * r[i];
  }
  r[s->n] = sum;
  r[s->n + 1] = sum * sum;
}

/* 26 */
SYSTEM(trigonometric)
{
  number rest = (double)s->n;
  for (size_t i = 0; i < s->n; i++) {
    number c = lr_ccos(z[i]);
    rest -= c;
    r[i] = at(i) * (1 - c) - lr_csin(z[i]);
  }
  for (size_t i = 0; i < s->n; i++) r[i] += rest;
}

/* 27 */
SYSTEM(brown_almost_linear)
{
  number rest = sum_of(s->n, z) - at(s->n), product = 1;
  for (size_t i = 0; i < s->n; i++) {
    r[i] = z[i] + rest;
    product *= z[i];
  }
  r[s->n - 1] = product - 1;
}

static number cube(number z)
{
  return z * z * z;
}

/* 28 */
SYSTEM(boundary_value)
{
  size_t n = s->n;
  double h = 1 / at(n);
  for (size_t i = 0; i < n; i++) {
    number before = i ? z[i - 1] : 0, after = i + 1 < n ? z[i + 1] : 0;
    r[i] = 2 * z[i] - before - after + h * h * cube(z[i] + h * at(i) + 1) / 2;
  }
}

/* 29: the two integrals are sums that grow and shrink with i */
SYSTEM(integral_equation)
{
  size_t n = s->n;
  double h = 1 / at(n);
  number left = 0, right = 0;
  for (size_t j = n; j-- > 0;) {
    double t = h * at(j);
    r[j] = right;
    right += (1 - t) * cube(z[j] + t + 1);
  }
  for (size_t i = 0; i < n; i++) {
    double t = h * at(i);
    left += t * cube(z[i] + t + 1);
    r[i] = z[i] + h * ((1 - t) * left + t * r[i]) / 2;
  }
}

/* 30 */
SYSTEM(broyden_tridiagonal)
{
  for (size_t i = 0; i < s->n; i++) {
    number before = i ? z[i - 1] : 0, after = i + 1 < s->n ? z[i + 1] : 0;
    r[i] = (3 - 2 * z[i]) * z[i] - before - 2 * after + 1;
  }
}

/* 31 */
SYSTEM(broyden_banded)
{
  for (size_t i = 0; i < s->n; i++) {
    r[i] = z[i] * (2 + 5 * z[i] * z[i]) + 1;
    for (size_t j = i > 5 ? i - 5 : 0; j <= i + 1 && j < s->n; j++)
      if (j != i) r[i] -= z[j] * (1 + z[j]);
  }
}

/* 32 */
SYSTEM(linear_full_rank)
{
  number mean = 2 * sum_of(s->n, z) / (double)s->m;
  for (size_t i = 0; i < s->m; i++) r[i] = (i < s->n ? z[i] : 0) - mean - 1;
}

/* 33 */
SYSTEM(linear_rank_1)
{
  number sum = weighted(1, s->n, z);
  for (size_t i = 0; i < s->m; i++) r[i] = at(i) * sum - 1;
}

/* 34 */
SYSTEM(linear_rank_1_zeros)
{
  number sum = weighted(2, s->n - 1, z);
  for (size_t i = 0; i + 1 < s->m; i++) r[i] = (double)i * sum - 1;
  r[s->m - 1] = -1;
}

/* 35: T_i of 2 z - 1 by their recurrence */
SYSTEM(chebyquad)
{
  for (size_t i = 0; i < s->m; i++) {
    double k = at(i);
    r[i] = (i + 1) % 2 ? 0 : 1 / (k * k - 1);
  }
  for (size_t j = 0; j < s->n; j++) {
    number y = 2 * z[j] - 1, before = 1, T = y;
    for (size_t i = 0; i < s->m; i++) {
      number next = 2 * y * T - before;
      r[i] += T / (double)s->n;
      before = T;
      T = next;
    }
  }
}

/* ---- starts and minima ---- */

static double start_counting(size_t n, size_t j)
{
  (void)n;
  return at(j);
}

static double start_falling(size_t n, size_t j)
{
  return 1 - at(j) / (double)n;
}

static double start_share(size_t n, size_t j)
{
  (void)j;
  return 1 / (double)n;
}

static double start_parabola(size_t n, size_t j)
{
  double t = at(j) / at(n);
  return t * (t - 1);
}

static double start_even(size_t n, size_t j)
{
  return at(j) / at(n);
}

static double least_full_rank(size_t n, size_t m)
{
  return 0.5 * (double)(m - n);
}

static double least_rank_1(size_t n, size_t m)
{
  double k = (double)m;
  (void)n;
  return 0.5 * k * (k - 1) / (2 * (2 * k + 1));
}

/* With n < 3 nothing depends on x: the residuals are -1 each. */
static double least_rank_1_zeros(size_t n, size_t m)
{
  double k = (double)m;
  if (n < 3) return 0.5 * k;
  return 0.5 * (k * k + 3 * k - 6) / (2 * (2 * k - 3));
}

/* clang-format off */
#define NUMBERS(name, ...) static const double name[] = {__VA_ARGS__};
NUMBERS(rosenbrock_0, -1.2, 1)
NUMBERS(powell_0, 3, -1, 0, 1)
NUMBERS(zeros, 0, 0, 0, 0)
NUMBERS(ones, 1, 1)
NUMBERS(minus_one, -1)
NUMBERS(half, 0.5)

const lr_mgh lr_mgh_any[LR_MGH_ANY_COUNT] = {
  {"extended-rosenbrock", 10, 10, LR_MGH_PAIRS, lr_mgh_rosenbrock, 2, rosenbrock_0, NULL, ones, 0, NULL},
  {"extended-powell", 12, 12, LR_MGH_FOURS, lr_mgh_powell, 4, powell_0, NULL, zeros, 0, NULL},
  {"penalty-1", 10, 11, LR_MGH_ONE_MORE, penalty_1, 1, NULL, start_counting, NULL, 0.5 * 7.08765146709e-5, NULL},
  {"penalty-2", 10, 20, LR_MGH_DOUBLE, penalty_2, 1, half, NULL, NULL, 0.5 * 2.93660537456e-4, NULL},
  {"variably-dimensioned", 10, 12, LR_MGH_TWO_MORE, variably_dimensioned, 1, NULL, start_falling, ones, 0, NULL},
  {"trigonometric", 10, 10, LR_MGH_SQUARE, trigonometric, 1, NULL, start_share, zeros, 0, NULL},
  {"brown-almost-linear", 10, 10, LR_MGH_SQUARE, brown_almost_linear, 1, half, NULL, ones, 0, NULL},
  {"discrete-boundary-value", 10, 10, LR_MGH_SQUARE, boundary_value, 1, NULL, start_parabola, NULL, 0, NULL},
  {"discrete-integral-equation", 10, 10, LR_MGH_SQUARE, integral_equation, 1, NULL, start_parabola, NULL, 0, NULL},
  {"broyden-tridiagonal", 10, 10, LR_MGH_SQUARE, broyden_tridiagonal, 1, minus_one, NULL, NULL, 0, NULL},
  {"broyden-banded", 10, 10, LR_MGH_SQUARE, broyden_banded, 1, minus_one, NULL, NULL, 0, NULL},
  {"linear-full-rank", 10, 20, LR_MGH_RECTANGLE, linear_full_rank, 1, ones, NULL, minus_one, 0, least_full_rank},
  {"linear-rank-1", 10, 20, LR_MGH_RECTANGLE, linear_rank_1, 1, ones, NULL, NULL, 0, least_rank_1},
  {"linear-rank-1-zeros", 10, 20, LR_MGH_RECTANGLE, linear_rank_1_zeros, 1, ones, NULL, NULL, 0, least_rank_1_zeros},
  {"chebyquad", 8, 8, LR_MGH_TALL_SQUARE, chebyquad, 1, NULL, start_even, NULL, 0.5 * 3.51687372567792e-3, NULL},
};
/* clang-format on */
