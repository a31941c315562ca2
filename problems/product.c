/* f(x) = x_1 x_2 ... x_p in a box 0 <= lower <= x_i <= upper: rank p.  With
 * transform=log, the paper's change of variables phi_i = log x_i, log f =
 * phi_1 + ... + phi_p: rank 1, and the same minimum corner. */
#include <math.h>

#include "base/elementary.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",         "10",   "dimension"                               },
    {"lower",     "0.5",  "lower bound of every x_i; >= 0"          },
    {"upper",     "2",    "upper bound of every x_i; above lower"   },
    {"transform", "none", "none|log: log minimises log f over log x"},
};

static double product_value(size_t p, const double *x, void *user)
{
  double f = 1;
  (void)user;
  for (size_t i = 0; i < p; i++) f *= x[i];
  return f;
}

/* Products of what is left and what is right of i: dividing f by x_i would
 * fail where x_i = 0. */
static double product_gradient(size_t p, const double *x, double *g, void *user)
{
  double left = 1, right = 1;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    g[i] = left;
    left *= x[i];
  }
  for (size_t i = p; i-- > 0;) {
    g[i] *= right;
    right *= x[i];
  }
  return left;
}

static lrgd_complex product_complex(size_t p, const lrgd_complex *x, void *user)
{
  double complex f = 1;
  (void)user;
  for (size_t i = 0; i < p; i++) f *= x[i].re + x[i].im * I;
  return (lrgd_complex){creal(f), cimag(f)};
}

static double sum_h(const void *data, const double *z, double *dz)
{
  (void)data;
  if (dz) dz[0] = 1;
  return z[0];
}

static double complex sum_h_complex(const void *data, const double complex *z)
{
  (void)data;
  return z[0];
}

/* log f = (1, ..., 1) . phi */
static lrgd_status install_log(lr_problem *problem, lr_reader *reader,
                               double lower)
{
  size_t p = problem->callbacks.dimension;
  lr_composite f = {.q = 1, .h = sum_h, .h_complex = sum_h_complex};
  double *ones = lr_problem_numbers(problem, reader, p, 1);
  if (!ones) return reader->status;
  for (size_t i = 0; i < p; i++) ones[i] = 1;
  f.A = ones;
  problem->rank = 1;
  problem->smoothness = 0;
  problem->minimum = (double)p * lower;
  return lr_composite_install(problem, reader, &f);
}

/* The Hessian's entries prod_{k != i, j} x_k are largest, and not negative, at
 * the upper corner; there its norm is (p - 1) upper^(p - 2). */
static lrgd_status install(lr_problem *problem, double lower, double upper)
{
  double p = (double)problem->callbacks.dimension;
  double L = p > 1 ? (p - 1) * lr_pow(upper, p - 2) : 0;
  lr_problem_answers(problem, product_value, product_gradient);
  problem->callbacks.complex_value = product_complex;
  problem->rank = problem->callbacks.dimension;
  problem->minimum = lr_pow(lower, p);
  problem->smoothness = isfinite(L) ? L : NAN;
  return LRGD_OK;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  double low = lr_reader_real(reader, "lower", 0);
  double high = lr_reader_positive(reader, "upper"), *lower, *upper;
  size_t in_logs = lr_reader_choice(reader, "transform", "none|log");
  if (!(low < high))
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "lower %.60s is not below upper %.60s",
                   lr_reader_text(reader, "lower", NULL),
                   lr_reader_text(reader, "upper", NULL));
  if (in_logs && !(low > 0))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "lower 0 has no logarithm");
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  lower = lr_problem_numbers(problem, reader, p, 1);
  upper = lr_problem_numbers(problem, reader, p, 1);
  if (reader->status) return reader->status;
  for (size_t i = 0; i < p; i++) {
    lower[i] = in_logs ? lr_log(low) : low;
    upper[i] = in_logs ? lr_log(high) : high;
    problem->start[i] = fmin(fmax(in_logs ? 0 : 1, lower[i]), upper[i]);
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = upper;
  problem->minimiser = lower;
  return in_logs ? install_log(problem, reader, lower[0])
                 : install(problem, low, high);
}

const lr_problem_kind lr_kind_product = {
    "product", "the product of all variables, in a box", parameters,
    sizeof parameters / sizeof parameters[0], build};
