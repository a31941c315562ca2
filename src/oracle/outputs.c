/* Limits on outputs: their check, their copy, and violations. */
#include "oracle/outputs.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

static lrgd_status check_linear(const lrgd_limits *limits, size_t p,
                                lrgd_error *error)
{
  if (limits->linear_count == 0) return LRGD_OK;
  if (!limits->linear || !limits->linear_most)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%zu linear limits, but linear or linear_most is NULL",
                   limits->linear_count);
  for (size_t i = 0; i < limits->linear_count; i++)
    if (!lr_finite(limits->linear_most[i]) ||
        !lr_all_finite(limits->linear + i * p, p))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "linear limit %zu (the first is 1) has a number that is "
                     "not finite",
                     i + 1);
  return LRGD_OK;
}

lrgd_status lr_outputs_check(const lrgd_limits *limits, size_t m, size_t p,
                             lrgd_error *error)
{
  if (!limits) return LRGD_OK;
  if (limits->objective >= m)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the objective is output %zu, the first being 0, of %zu",
                   limits->objective, m);
  for (size_t i = 0; i < m; i++) {
    double lower = limits->lower ? limits->lower[i] : -INFINITY;
    double upper = limits->upper ? limits->upper[i] : INFINITY;
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
      return lr_fail(error, LRGD_ERR_INVALID,
                     "output %zu (the first is 1) has no values: its lower "
                     "limit is %g, its upper limit %g",
                     i + 1, lower, upper);
  }
  return check_linear(limits, p, error);
}

/* The larger of the limits by size; 0 where there is none, or they are 0. */
static double scale_of(double lower, double upper)
{
  double low = isinf(lower) ? 0 : fabs(lower);
  return fmax(low, isinf(upper) ? 0 : fabs(upper));
}

lrgd_status lr_outputs_init(lr_outputs *o, const lrgd_limits *limits, size_t m,
                            size_t p, const lrgd_allocator *a)
{
  *o = (lr_outputs){.allocator = *a};
  if (!limits) return LRGD_OK;
  size_t rows = limits->linear_count;
  o->lower = lr_alloc(a, 3 * m + rows * (p + 1), sizeof *o->lower);
  if (!o->lower) return LRGD_ERR_NOMEM;
  o->m = m;
  o->objective = limits->objective;
  o->sign = limits->maximize ? -1 : 1;
  o->upper = o->lower + m, o->scale = o->upper + m;
  o->A = o->scale + m, o->b = o->A + rows * p;
  o->rows = rows;
  for (size_t i = 0; i < m; i++) {
    o->lower[i] = limits->lower ? limits->lower[i] : -INFINITY;
    o->upper[i] = limits->upper ? limits->upper[i] : INFINITY;
    o->limited += isfinite(o->lower[i]) || isfinite(o->upper[i]);
  }
  if (rows > 0) {
    memcpy(o->A, limits->linear, rows * p * sizeof *o->A);
    memcpy(o->b, limits->linear_most, rows * sizeof *o->b);
  }
  return LRGD_OK;
}

void lr_outputs_clear(lr_outputs *o)
{
  if (o->lower) lr_free(&o->allocator, o->lower);
  *o = (lr_outputs){0};
}

static void set_scales(lr_outputs *o, const double *y)
{
  for (size_t i = 0; i < o->m; i++) {
    o->scale[i] = scale_of(o->lower[i], o->upper[i]);
    if (o->scale[i] == 0) o->scale[i] = y[i] != 0 ? fabs(y[i]) : 1;
  }
  o->scaled = true;
}

double lr_outputs_f(lr_outputs *o, const double *y)
{
  if (!lr_all_finite(y, o->m)) return NAN;
  if (!o->scaled) set_scales(o, y);
  return o->sign * y[o->objective];
}

bool lr_outputs_is_scaled_by_start(const lr_outputs *o, size_t i)
{
  return scale_of(o->lower[i], o->upper[i]) == 0;
}

double lr_outputs_violation(const lr_outputs *o, const double *y, size_t *worst)
{
  double most = 0;
  *worst = 0;
  for (size_t i = 0; i < o->m; i++) {
    double out = fmax(o->lower[i] - y[i], y[i] - o->upper[i]) / o->scale[i];
    if (!(out > most)) continue;
    most = out;
    *worst = i;
  }
  return most;
}

bool lr_outputs_better(double f, double violation, double f_other,
                       double violation_other)
{
  bool feasible = violation <= LRGD_FEASIBLE;
  if (isnan(f_other)) return !isnan(f);
  if (feasible != (violation_other <= LRGD_FEASIBLE)) return feasible;
  if (feasible) return f < f_other;
  return violation < violation_other ||
         (violation == violation_other && f < f_other);
}
