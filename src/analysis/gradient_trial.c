/* Compares gradients or slopes that the user gives with values of f: along
 * random directions, and where these differ along halves of the inputs, again
 * and again, down to the input where they differ most. */
#include "analysis/diagnosis_rules.h"
#include "analysis/standalone_oracle.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/vector.h"
#include "solver/solver_rules.h"

#include <float.h>
#include <lrgd/analysis.h>
#include <math.h>

#define STREAM_CHECK (UINT64_C(11) << 44)

enum { X, BESIDE, GRADIENT, DIRECTION, COLUMNS };

typedef struct trial {
  lr_standalone_oracle standalone;
  lrgd_block *columns;
  lr_point at, beside;
  size_t p;
  bool whole; /* the user gives a gradient; it is in its column */
  lrgd_gradient_check found;
} trial;

/* A derivative as the user gives it, as it was measured, and the error of the
 * measurement. */
typedef struct pair {
  double told, measured, error;
} pair;

static double *column(const trial *t, size_t which)
{
  return lr_standalone_oracle_data(t->columns, which);
}

static double step(const trial *t)
{
  return lr_solver_check_step(lr_policy_current(),
                              t->standalone.oracle.seen.x_scale);
}

/* f at x + h u; NaN: it cannot be evaluated there, or is outside the box. */
static lr_code value_at(trial *t, double h, double *f)
{
  lr_oracle *o = &t->standalone.oracle;
  lrgd_space *space = t->standalone.space;
  const double *x = column(t, X), *u = column(t, DIRECTION);
  double *y = column(t, BESIDE);
  *f = NAN;
  for (size_t i = 0; i < t->p; i++) y[i] = x[i] + h * u[i];
  if (lr_oracle_boxed(o) && space->ops->clip(space, t->beside.x, o->box) > 0)
    return LR_GO;
  lr_oracle_rename(o, &t->beside);
  lr_code code = lr_oracle_value(o, &t->beside, LRGD_PURPOSE_CHECK);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  *f = t->beside.f;
  return LR_GO;
}

/* Measures a slope by a two-sided difference or, beside a bound, a one-sided
 * one. */
static lr_code difference(trial *t, double h, double *slope)
{
  double ahead, behind;
  LR_TRY(value_at(t, h, &ahead));
  LR_TRY(value_at(t, -h, &behind));
  *slope = (ahead - behind) / (2 * h);
  if (isnan(behind)) *slope = (ahead - t->at.f) / h;
  if (isnan(ahead)) *slope = (t->at.f - behind) / h;
  return LR_GO;
}

static lr_code compare(trial *t, pair *found)
{
  const lr_policy *P = lr_policy_current();
  lr_oracle *o = &t->standalone.oracle;
  double h = step(t), coarse, d[2];
  lrgd_vec u = {t->columns, DIRECTION};
  if (t->whole)
    d[0] = lr_dot(t->p, column(t, GRADIENT), column(t, DIRECTION));
  else
    LR_TRY(lr_oracle_slopes(o, &t->at, u, 1, LRGD_PURPOSE_CHECK, d));
  found->told = d[0];
  LR_TRY(difference(t, h, &coarse));
  double shorter = lr_diagnosis_check_shorter(P, h);
  LR_TRY(difference(t, shorter, &found->measured));
  found->error = fabs(coarse - found->measured) +
                 lr_solver_check_error(P, fabs(t->at.f), 0, shorter);
  return LR_GO;
}

/* Turns u so that the box leaves room ahead of it, along each input. */
static void turn_inside(trial *t, double h)
{
  const lr_oracle *o = &t->standalone.oracle;
  if (!lr_oracle_boxed(o)) return;
  const double *low = lrgd_host_data(o->box.lower);
  const double *high = lrgd_host_data(o->box.upper), *x = column(t, X);
  double *u = column(t, DIRECTION);
  for (size_t i = 0; i < t->p; i++) {
    bool down = x[i] - h >= low[i], up = x[i] + h <= high[i];
    if (!down) u[i] = fabs(u[i]);
    if (!up) u[i] = down ? -fabs(u[i]) : 0;
  }
}

/* u becomes a random unit vector on inputs first .. first + count - 1. */
static void direct(trial *t, uint64_t number, size_t first, size_t count)
{
  double *u = column(t, DIRECTION);
  uint64_t seed = (uint64_t)t->standalone.options.seed;
  for (size_t i = 0; i < t->p; i++) u[i] = 0;
  lr_gaussian(seed, STREAM_CHECK + number, 0, count, u + first);
  turn_inside(t, step(t));
  double norm = sqrt(lr_dot(count, u + first, u + first));
  for (size_t i = first; norm > 0 && i < first + count; i++) u[i] /= norm;
}

static bool differ(const pair *one)
{
  return lr_diagnosis_differs(lr_policy_current(), one->told, one->measured,
                              one->error);
}

/* The difference between both derivatives relative to the error; NaN (not
 * known) counts as 0. */
static double gap(const pair *one)
{
  double apart = fabs(one->told - one->measured);
  return isnan(apart) ? 0 : apart;
}

static lr_code look_around(trial *t)
{
  size_t n = lr_diagnosis_check_directions(lr_policy_current());
  for (size_t i = 0; i < n; i++) {
    pair one;
    direct(t, i, 0, t->p);
    LR_TRY(compare(t, &one));
    if (isnan(one.measured)) continue;
    t->found.directions++;
    pair worst = {t->found.told, t->found.measured, t->found.error};
    if (t->found.directions > 1 && gap(&one) <= gap(&worst)) continue;
    t->found.told = one.told;
    t->found.measured = one.measured;
    t->found.error = one.error;
    if (differ(&one)) t->found.agrees = 0;
  }
  return LR_GO;
}

/* Finds the input along which they differ most, by bisection: of the two halves
 * of the inputs, the one in which they differ more is halved again. */
static lr_code find_input(trial *t)
{
  size_t first = 0, count = t->p;
  uint64_t number = 1000;
  pair one = {0};
  while (count > 1) {
    size_t half = count / 2;
    pair left, right;
    direct(t, number++, first, half);
    LR_TRY(compare(t, &left));
    direct(t, number++, first + half, count - half);
    LR_TRY(compare(t, &right));
    /* the norm of the difference is that along a random unit vector, times the
     * root of how many inputs there are */
    bool later = gap(&right) * sqrt((double)(count - half)) >
                 gap(&left) * sqrt((double)half);
    first = later ? first + half : first;
    count = later ? count - half : half;
  }
  for (size_t i = 0; i < t->p; i++) column(t, DIRECTION)[i] = i == first;
  LR_TRY(compare(t, &one));
  t->found.input = first + 1;
  t->found.input_told = one.told;
  t->found.input_measured = one.measured;
  t->found.input_error = one.error;
  return LR_GO;
}

static lr_code run(trial *t)
{
  lr_oracle *o = &t->standalone.oracle;
  lrgd_vec g = {t->columns, GRADIENT};
  lr_code code = LR_GO;
  if (t->whole)
    code = lr_oracle_gradient(o, &t->at, g, LRGD_PURPOSE_CHECK, 0);
  else
    code = lr_oracle_value(o, &t->at, LRGD_PURPOSE_CHECK);
  LR_TRY(code);
  t->found.f = lr_oracle_users(o, t->at.f);
  t->found.agrees = 1;
  LR_TRY(look_around(t));
  return t->found.agrees ? LR_GO : find_input(t);
}

/* Converts the result into the user's unit of f. */
static void tell(trial *t)
{
  lr_oracle *o = &t->standalone.oracle;
  lrgd_gradient_check *found = &t->found;
  double *slopes[] = {&found->told,           &found->measured,
                      &found->error,          &found->input_told,
                      &found->input_measured, &found->input_error};
  for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++)
    *slopes[i] = lr_oracle_users(o, *slopes[i]);
  found->evaluations = lrgd_counts_evaluations(&o->counts);
}

static lrgd_status check_problem(const lrgd_problem *problem, lrgd_error *error)
{
  if (!problem) return lr_fail(error, LRGD_ERR_INVALID, "problem is NULL");
  if (problem->gradient || problem->slopes) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "there is nothing to check: the problem gives neither "
                 "gradients nor slopes");
}

static lrgd_status try(trial *t, const double *x, lrgd_error *error)
{
  lrgd_space *space = t->standalone.space;
  lr_oracle *o = &t->standalone.oracle;
  t->columns = space->ops->make(space, COLUMNS);
  if (!t->columns)
    return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for %zu inputs", t->p);
  t->at.x = (lrgd_vec){t->columns, X};
  t->beside.x = (lrgd_vec){t->columns, BESIDE};
  for (size_t i = 0; i < t->p; i++) column(t, X)[i] = x[i];
  lr_oracle_contain(o, t->at.x);
  lr_oracle_rename(o, &t->at);
  lr_code code = run(t);
  tell(t);
  space->ops->free(space, t->columns);
  if (code == LR_FAULT) {
    if (error) *error = o->ending.error;
    return o->ending.error.status;
  }
  if (code == LR_GO && t->found.directions > 0) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_ORACLE,
                 "f cannot be evaluated at the point, or beside it");
}

lrgd_status lrgd_gradient_check_try_sized(lrgd_gradient_check *found,
                                          size_t size,
                                          const lrgd_problem *problem,
                                          const lrgd_options *options,
                                          const double *x, lrgd_error *error)
{
  if (!found || !x)
    return lr_fail(error, LRGD_ERR_INVALID, "found or x is NULL");
  lrgd_status status = check_problem(problem, error);
  if (status != LRGD_OK) return status;
  trial t = {.p = problem->dimension, .whole = problem->gradient != NULL};
  t.found.struct_size = sizeof t.found;
  status = lr_standalone_oracle_init(&t.standalone, problem, options, error);
  if (status != LRGD_OK) return status;
  status = try(&t, x, error);
  lr_sized_give(found, size, &t.found, sizeof t.found);
  lr_standalone_oracle_clear(&t.standalone);
  return status;
}
