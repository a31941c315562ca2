/* A change of variables for the solver, by the chain rule: with D =
 * diag(dx/dz), grad_z f = D grad_x f, and the slope along u in z is the one
 * along D u in x. x is clipped to the box, which rounding may leave. */
#include "transform.h"

#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_transform {
  size_t p;
  const double *scale;   /* borrowed; NULL: 1 */
  bool *log;             /* of each coordinate */
  lrgd_problem inner;    /* in x */
  double *lower, *upper; /* in z; NULL: none */
  double *x;             /* a point for inner */
  double *columns;       /* `room` points or directions for inner */
  size_t room;
  lrgd_complex *complex_x;
};

static double scale_of(const cli_transform *t, size_t i)
{
  return t->scale != NULL ? t->scale[i] : 1;
}

static double into(const cli_transform *t, size_t i, double x)
{
  return (t->log[i] ? lr_log(x) : x) / scale_of(t, i);
}

/* The x of z, always finite: a program must not get infinity, nor the
 * logarithm's zero. */
static double back(const cli_transform *t, size_t i, double z)
{
  double x = scale_of(t, i) * z;
  if (t->log[i]) x = fmax(lr_exp(x), DBL_MIN);
  x = fmin(fmax(x, -DBL_MAX), DBL_MAX);
  const double *lower = t->inner.lower, *upper = t->inner.upper;
  if (lower != NULL && x < lower[i]) x = lower[i];
  if (upper != NULL && x > upper[i]) x = upper[i];
  return x;
}

/* dx/dz at x. */
static double slope(const cli_transform *t, size_t i, double x)
{
  return t->log[i] ? scale_of(t, i) * x : scale_of(t, i);
}

void transform_into(const cli_transform *t, const double *x, double *z)
{
  for (size_t i = 0; i < t->p; i++) z[i] = into(t, i, x[i]);
}

void transform_back(const cli_transform *t, const double *z, double *x)
{
  for (size_t i = 0; i < t->p; i++) x[i] = back(t, i, z[i]);
}

lrgd_decision transform_decision(const cli_transform *t,
                                 const lrgd_decision *decision)
{
  lrgd_decision d = *decision;
  if (t != NULL && d.input > 0 && d.input <= t->p)
    d.value = back(t, d.input - 1, d.value);
  return d;
}

/* ---- the callbacks ---- */

/* Room for so many columns; false without memory. */
static bool need(cli_transform *t, size_t columns)
{
  if (columns <= t->room) return true;
  double *grown = NULL;
  if (columns <= SIZE_MAX / sizeof *grown / t->p)
    grown = realloc(t->columns, columns * t->p * sizeof *grown);
  if (grown == NULL) return false;
  t->columns = grown;
  t->room = columns;
  return true;
}

static double ask_value(size_t p, const double *z, void *user)
{
  cli_transform *t = user;
  transform_back(t, z, t->x);
  return t->inner.value(p, t->x, t->inner.user);
}

static void ask_values(size_t p, size_t m, const double *Z, double *f,
                       void *user)
{
  cli_transform *t = user;
  if (!need(t,
            m)) { /* no memory for a batch: one by one, with the same results */
    for (size_t j = 0; j < m; j++) {
      transform_back(t, Z + j * p, t->x);
      t->inner.values(p, 1, t->x, &f[j], t->inner.user);
    }
    return;
  }
  for (size_t j = 0; j < m; j++)
    transform_back(t, Z + j * p, t->columns + j * p);
  t->inner.values(p, m, t->columns, f, t->inner.user);
}

static double ask_gradient(size_t p, const double *z, double *g, void *user)
{
  cli_transform *t = user;
  transform_back(t, z, t->x);
  double f = t->inner.gradient(p, t->x, g, t->inner.user);
  for (size_t i = 0; i < p; i++) g[i] *= slope(t, i, t->x[i]);
  return f;
}

static double ask_slopes(size_t p, const double *z, size_t k, const double *U,
                         double *d, void *user)
{
  cli_transform *t = user;
  double f = NAN;
  size_t most =
      need(t, k)
          ? k
          : 1; /* as many at once as memory allows: the results are the same */
  transform_back(t, z, t->x);
  size_t first = 0;
  do {
    for (size_t j = 0; j < most; j++)
      for (size_t i = 0; i < p; i++)
        t->columns[j * p + i] = U[(first + j) * p + i] * slope(t, i, t->x[i]);
    double told = t->inner.slopes(p, t->x, most, t->columns,
                                  k > 0 ? d + first : d, t->inner.user);
    if (!isfinite(f)) f = told;
    first += most;
  } while (first < k);
  return f;
}

/* The imaginary parts are those of the complex step: far too small to leave the
 * box or to affect exp. */
static lrgd_complex ask_complex(size_t p, const lrgd_complex *z, void *user)
{
  cli_transform *t = user;
  for (size_t i = 0; i < p; i++) {
    double x = back(t, i, z[i].re);
    double angle = scale_of(t, i) * z[i].im;
    t->complex_x[i] = t->log[i]
                          ? (lrgd_complex){x * lr_cos(angle), x * lr_sin(angle)}
                          : (lrgd_complex){x, angle};
  }
  return t->inner.complex_value(p, t->complex_x, t->inner.user);
}

static void ask_residuals(size_t p, const double *z, size_t m, double *r,
                          void *user)
{
  cli_transform *t = user;
  transform_back(t, z, t->x);
  t->inner.residuals(p, t->x, m, r, t->inner.user);
}

static size_t ask_unanswered(void *user)
{
  const cli_transform *t = user;
  return t->inner.unanswered(t->inner.user);
}

void transform_wrap(cli_transform *t, lrgd_problem *problem)
{
  t->inner = *problem;
  problem->user = t;
  problem->lower = t->lower;
  problem->upper = t->upper;
  if (problem->value != NULL) problem->value = ask_value;
  if (problem->values != NULL) problem->values = ask_values;
  if (problem->gradient != NULL) problem->gradient = ask_gradient;
  if (problem->slopes != NULL) problem->slopes = ask_slopes;
  if (problem->complex_value != NULL) problem->complex_value = ask_complex;
  if (problem->residuals != NULL) problem->residuals = ask_residuals;
  if (problem->unanswered != NULL) problem->unanswered = ask_unanswered;
}

/* ---- making one ---- */

static lrgd_status check_scale(const cli_inputs *inputs, size_t p,
                               lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  for (size_t i = 0; inputs->scale != NULL && i < p; i++)
    if (!(inputs->scale[i] > 0))
      return fail(error, LRGD_ERR_INVALID,
                  "--scale of %s (coordinate %zu) is %g; it must be > 0",
                  input_name(inputs, i, name), i + 1, inputs->scale[i]);
  return LRGD_OK;
}

static lrgd_status check_log(const cli_inputs *inputs,
                             const lrgd_problem *problem, size_t i,
                             lrgd_error *error)
{
  char name[INPUT_NAME_SIZE];
  double start = inputs->start[i];
  if (!(start > 0))
    return fail(error, LRGD_ERR_INVALID,
                "--log: %s (coordinate %zu) starts at %g; it must be > 0",
                input_name(inputs, i, name), i + 1, start);
  if (problem->upper != NULL && !(problem->upper[i] > 0))
    return fail(error, LRGD_ERR_INVALID,
                "--log: %s (coordinate %zu) is at most %g; it must be > 0",
                input_name(inputs, i, name), i + 1, problem->upper[i]);
  return LRGD_OK;
}

static double *bound_into(const cli_transform *t, const double *bound)
{
  double *made = malloc(t->p * sizeof *made);
  for (size_t i = 0; made != NULL && i < t->p; i++)
    made[i] = t->log[i] && !(bound[i] > 0) ? -INFINITY : into(t, i, bound[i]);
  return made;
}

static bool allocate(cli_transform *t, const lrgd_problem *problem)
{
  t->log = calloc(t->p, sizeof *t->log);
  t->x = malloc(t->p * sizeof *t->x);
  if (problem->complex_value != NULL)
    t->complex_x = malloc(t->p * sizeof *t->complex_x);
  return t->log != NULL && t->x != NULL && need(t, 1) &&
         (problem->complex_value == NULL || t->complex_x != NULL);
}

static lrgd_status fill(cli_transform *t, const cli_inputs *inputs,
                        const lrgd_problem *problem, lrgd_error *error)
{
  if (!allocate(t, problem)) return fail_memory(error);
  for (size_t k = 0; k < inputs->log_count; k++) {
    size_t i = (size_t)inputs->log[k] - 1;
    lrgd_status status = check_log(inputs, problem, i, error);
    if (status != LRGD_OK) return status;
    t->log[i] = true;
  }
  if (problem->lower != NULL) t->lower = bound_into(t, problem->lower);
  if (problem->upper != NULL) t->upper = bound_into(t, problem->upper);
  if ((problem->lower != NULL && t->lower == NULL) ||
      (problem->upper != NULL && t->upper == NULL))
    return fail_memory(error);
  return LRGD_OK;
}

lrgd_status transform_create(cli_transform **transform,
                             const cli_inputs *inputs,
                             const lrgd_problem *problem, lrgd_error *error)
{
  *transform = NULL;
  if (inputs->scale == NULL && inputs->log_count == 0) return LRGD_OK;
  lrgd_status status = check_scale(inputs, problem->dimension, error);
  if (status != LRGD_OK) return status;
  cli_transform *made = calloc(1, sizeof *made);
  if (made == NULL) return fail_memory(error);
  made->p = problem->dimension;
  made->scale = inputs->scale;
  status = fill(made, inputs, problem, error);
  if (status == LRGD_OK)
    *transform = made;
  else
    transform_destroy(&made);
  return status;
}

void transform_destroy(cli_transform **transform)
{
  cli_transform *t = *transform;
  if (t == NULL) return;
  free(t->log);
  free(t->lower);
  free(t->upper);
  free(t->x);
  free(t->columns);
  free(t->complex_x);
  free(t);
  *transform = NULL;
}
