/* The lemma on level sets, Proposition 2.2 and the algebra of low-rank
 * functions, tested numerically on a given function.
 *
 * The point of a level set whose gradient points along u maximises u'x there.
 * It minimises the tilted function f(x) - s u'x for some s, and grad f = s u
 * there; its level increases with s.  With a small s and v outside H the
 * minimum is s Hessian^-1 v, which Proposition 2.2 uses. */
#include "analysis/composed_problem.h"
#include "analysis/diagnosis_rules.h"
#include "analysis/ridge_direction.h"
#include "analysis/standalone_oracle.h"
#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/vector.h"

#include <lrgd/analysis.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Streams of random numbers, used here only. */
#define STREAM_U (UINT64_C(9) << 44)
#define STREAM_G (UINT64_C(10) << 44)

typedef struct trial {
  const lr_policy *policy;
  lrgd_problem f;
  lrgd_options options;
  lrgd_propositions *found;
  size_t p;
  const double *x0;
  double *room, *minimum, *u, *x, *g, *G2; /* p numbers each, G2 2 p */
  const double *tilt; /* the direction u of the linear term s u'x */
  double slope;       /* the factor s of the linear term */
  double scale;       /* the scale of f, for its exponential */
  lr_standalone_oracle standalone;
  lrgd_block *columns; /* a point and its gradient */
  lrgd_diagnosis *study;
} trial;

static void say(char why[LRGD_WHY_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(char why[LRGD_WHY_SIZE], const char *format, ...)
{
  va_list args;
  va_start(args, format);
  (void)vsnprintf(why, LRGD_WHY_SIZE, format, args); /* NOLINT: started above */
  va_end(args);
}

/* ---- minima ---- */

static double linear_value(size_t p, const double *x, void *user)
{
  const trial *t = user;
  double sum = 0;
  for (size_t i = 0; i < p; i++) sum += t->tilt[i] * (x[i] - t->minimum[i]);
  return -t->slope * sum;
}

static double linear_gradient(size_t p, const double *x, double *g, void *user)
{
  const trial *t = user;
  for (size_t i = 0; i < p; i++) g[i] = -t->slope * t->tilt[i];
  return linear_value(p, x, user);
}

static double linear_slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  const trial *t = user;
  for (size_t j = 0; j < k; j++)
    d[j] = -t->slope * lr_dot(p, t->tilt, U + j * p);
  return linear_value(p, x, user);
}

/* x becomes a minimum of the problem from where it is; false: none was found.
 */
static lrgd_status minimise(trial *t, const lrgd_problem *problem, double tol,
                            double *x, bool *fine, lrgd_error *error)
{
  lrgd_options o = t->options;
  lrgd_result result;
  if (tol > 0) o.tol = tol;
  lrgd_status status = lrgd_minimize(problem, &o, x, &result, error);
  if (status != LRGD_OK) return status;
  t->found->evaluations += lrgd_counts_evaluations(&result.counts);
  *fine = result.outcome == LRGD_OUTCOME_CONVERGED ||
          result.outcome == LRGD_OUTCOME_STALLED;
  return LRGD_OK;
}

/* Minimises f(x) - s u'x. */
static lrgd_status tilt(trial *t, const double *u, double s, double *x,
                        bool *fine, lrgd_error *error)
{
  lrgd_problem line = lrgd_problem_default(t->p);
  lrgd_composite *sum;
  line.value = linear_value;
  line.gradient = linear_gradient;
  line.slopes = linear_slopes;
  line.user = t;
  t->tilt = u;
  t->slope = s;
  lrgd_part f = {&t->f, t->p}, g = {&line, 1};
  lrgd_status status = lrgd_composite_sum(&sum, f, g, error);
  if (status != LRGD_OK) return status;
  double share = lr_diagnosis_lemma_accuracy(t->policy, t->found->rank < t->p);
  status = minimise(t, lrgd_composite_problem(sum), share * s, x, fine, error);
  lrgd_composite_destroy(&sum);
  return status;
}

/* f and its gradient at x, into t->g. */
static double gradient(trial *t, const double *x)
{
  lr_point at = {
      .x = {t->columns, 0}
  };
  memcpy(lr_standalone_oracle_data(t->columns, 0), x, t->p * sizeof *x);
  lr_oracle_rename(&t->standalone.oracle, &at);
  lr_oracle_use_two_sided(&t->standalone.oracle);
  if (lr_oracle_value(&t->standalone.oracle, &at, LRGD_PURPOSE_CHECK) !=
          LR_GO ||
      lr_oracle_gradient(&t->standalone.oracle, &at, (lrgd_vec){t->columns, 1},
                         LRGD_PURPOSE_CHECK, 0) != LR_GO)
    return NAN;
  memcpy(t->g, lr_standalone_oracle_data(t->columns, 1), t->p * sizeof *t->g);
  return at.f;
}

static double distance(const trial *t, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < t->p; i++) sum = lr_hypot(sum, x[i] - t->minimum[i]);
  return sum;
}

/* ---- the lemma ---- */

/* A random unit vector; in the subspace of f where f is low-rank. */
static lrgd_status draw(trial *t, double *u, bool inside)
{
  size_t p = t->p, r = t->found->rank;
  uint64_t seed = (uint64_t)t->options.seed;
  lrgd_vec column = {t->columns, 0};
  t->standalone.space->ops->gaussian(t->standalone.space, column, seed,
                                     STREAM_U + inside);
  memcpy(u, lr_standalone_oracle_data(t->columns, 0), p * sizeof *u);
  if (inside && r < p) {
    double *U = lr_alloc(&lr_malloc, p * r, sizeof *U);
    if (!U) return LRGD_ERR_NOMEM;
    lrgd_status status = lrgd_diagnosis_directions(t->study, r, U);
    memcpy(t->g, u, p * sizeof *u);
    memset(u, 0, p * sizeof *u);
    for (size_t j = 0; j < r && status == LRGD_OK; j++)
      lr_axpy(p, lr_dot(p, U + j * p, t->g), U + j * p, u);
    lr_free(&lr_malloc, U);
    if (status != LRGD_OK) return status;
  }
  double length = lr_norm(p, u);
  if (length > 0) lr_scale(p, 1 / length, u);
  return LRGD_OK;
}

/* The level of the tilted minimum; moves x there. */
static lrgd_status height(trial *t, double s, double *high, lrgd_error *error)
{
  bool fine = false;
  lrgd_status status = tilt(t, t->u, s, t->x, &fine, error);
  *high = INFINITY;
  if (status != LRGD_OK || !fine) return status;
  double f = gradient(t, t->x);
  *high = lr_finite(f) ? f - t->found->f_minimum : INFINITY;
  return LRGD_OK;
}

/* Finds s for which the tilted minimum lies on the level: by the square law
 * near a minimum, then by interpolation in a bracket. */
static lrgd_status climb(trial *t, bool *fine, lrgd_error *error)
{
  const lr_policy *P = t->policy;
  lrgd_propositions *out = t->found;
  double low = 0, high = INFINITY, at, s = 0;
  (void)gradient(t, t->x0);
  s = lr_proposition_less(P, lr_norm(t->p, t->g));
  if (!(s > 0)) s = 1;
  memcpy(t->x, t->minimum, t->p * sizeof *t->x);
  for (int i = 0; lr_proposition_goes_on(P, i); i++) {
    lrgd_status status = height(t, s, &at, error);
    if (status != LRGD_OK) return status;
    *fine = fabs(at - out->level) <= lr_proposition_accuracy(P, out->level);
    if (*fine) return LRGD_OK;
    if (at < out->level)
      low = s;
    else
      high = s;
    double law = at > 0 && lr_finite(at) ? s * sqrt(out->level / at)
                                         : lr_proposition_less(P, s);
    bool inside = law > low && law < high;
    s = inside             ? law
        : high == INFINITY ? lr_proposition_more(P, s)
        : low > 0          ? sqrt(low * high)
                           : lr_proposition_less(P, high);
    if (!lr_finite(at)) memcpy(t->x, t->minimum, t->p * sizeof *t->x);
  }
  return LRGD_OK;
}

static lrgd_status try_lemma(trial *t, lrgd_error *error)
{
  lrgd_propositions *out = t->found;
  bool fine = false;
  double start = gradient(t, t->x0), above = start - out->f_minimum;
  out->level = lr_proposition_level(t->policy, above, start);
  lrgd_status status = draw(t, t->u, true);
  if (status != LRGD_OK) return lr_fail(error, status, "out of memory");
  status = climb(t, &fine, error);
  if (status != LRGD_OK) return status;
  if (!fine) {
    say(out->lemma_why,
        "no point at %.3g above the minimum has its gradient along the random "
        "direction: f is not strongly convex that far",
        out->level);
    return LRGD_OK;
  }
  double f = gradient(t, t->x);
  out->reached = f - out->f_minimum;
  out->grad_norm = lr_norm(t->p, t->g);
  out->alignment = lr_dot(t->p, t->g, t->u) / out->grad_norm;
  out->distance = distance(t, t->x);
  /* f rises by mu d^2 / 2 at the least: the mean curvature on the way there */
  double mean = 2 * out->reached / (out->distance * out->distance);
  if (out->mu > mean) out->mu = mean;
  out->delta = out->mu > 0 ? sqrt(2 * out->level / out->mu) : NAN;
  out->lemma_holds = lr_proposition_is_aligned(t->policy, out->alignment);
  return LRGD_OK;
}

/* ---- Proposition 2.2 ---- */

/* Makes u a random unit vector orthogonal to r directions, copied to U. */
static lrgd_status outside(trial *t, size_t r, double *U)
{
  lrgd_status status = lrgd_diagnosis_directions(t->study, r, U);
  if (status == LRGD_OK) status = draw(t, t->u, false);
  for (int twice = 0; twice < 2 && status == LRGD_OK; twice++)
    for (size_t j = 0; j < r; j++)
      lr_axpy(t->p, -lr_dot(t->p, U + j * t->p, t->u), U + j * t->p, t->u);
  double length = lr_norm(t->p, t->u);
  if (length > 0) lr_scale(t->p, 1 / length, t->u);
  return status;
}

/* The share of the gradient at x outside U, and the gradient norm. */
static double share_outside(trial *t, size_t r, const double *U,
                            const double *x, double *norm)
{
  (void)gradient(t, x);
  *norm = lr_norm(t->p, t->g);
  for (size_t j = 0; j < r; j++)
    lr_axpy(t->p, -lr_dot(t->p, U + j * t->p, t->g), U + j * t->p, t->g);
  return *norm > 0 ? lr_norm(t->p, t->g) / *norm : 0;
}

/* At points between the minimum and t->x, each half as far as the last, down to
 * 2^-7. */
static void measure_shares(trial *t, size_t r, const double *U, double *y)
{
  static const double etas[] = {0, 0.1, 0.5}; /* columns of the table */
  lrgd_propositions *out = t->found;
  double whole = distance(t, t->x), norm;
  for (size_t i = 0; i < LRGD_SHARES_ROOM; i++) {
    double part = ldexp(1, -(int)i);
    for (size_t k = 0; k < t->p; k++)
      y[k] = t->minimum[k] + part * (t->x[k] - t->minimum[k]);
    double share = share_outside(t, r, U, y, &norm);
    out->step[i] = part * whole;
    out->share[i] = share;
    for (int e = 0; e < 3; e++)
      out->least_epsilon[e] =
          fmax(out->least_epsilon[e], (share - etas[e]) * norm);
    out->shares = i + 1;
  }
}

static lrgd_status try_shares(trial *t, size_t r, lrgd_error *error)
{
  lrgd_propositions *out = t->found;
  bool fine = false;
  double *U = lr_alloc(&lr_malloc, t->p * (r + 1), sizeof *U);
  if (!U) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory");
  lrgd_status status = outside(t, r, U);
  double s = lr_proposition_near(t->policy, out->grad_norm);
  memcpy(t->x, t->minimum, t->p * sizeof *t->x);
  if (status == LRGD_OK && s > 0) status = tilt(t, t->u, s, t->x, &fine, error);
  if (status == LRGD_OK && fine && distance(t, t->x) > 0) {
    measure_shares(t, r, U, U + t->p * r);
    /* over the shortest steps the differences consist mostly of errors */
    double last = fmax(out->share[LRGD_SHARES_ROOM - 1],
                       out->share[LRGD_SHARES_ROOM / 2]);
    out->proposition_holds = lr_proposition_is_outside(t->policy, last);
  } else if (status == LRGD_OK) {
    say(out->proposition_why,
        "the Hessian at the minimum is not invertible, as far as can be seen");
  }
  lr_free(&lr_malloc, U);
  return status;
}

static lrgd_status try_proposition(trial *t, lrgd_error *error)
{
  const lrgd_diagnosis_result *study = lrgd_diagnosis_get(t->study);
  lrgd_propositions *out = t->found;
  size_t r =
      study->recommended_rank < t->p ? study->recommended_rank : (t->p + 1) / 2;
  if (r > study->count) r = study->count;
  out->directions = r;
  if (out->rank < t->p)
    say(out->proposition_why,
        "f is exactly of rank %zu of %zu: its Hessian is nowhere invertible",
        out->rank, t->p);
  else if (r == 0 || r >= t->p)
    say(out->proposition_why,
        "there is no subspace of fewer than %zu "
        "directions",
        t->p);
  else if (!(out->grad_norm > 0))
    say(out->proposition_why, "no point of a level set was found");
  else
    return try_shares(t, r, error);
  return LRGD_OK;
}

/* ---- the algebra ---- */

static double exponential(double y, double *slope, void *user)
{
  const trial *t = user;
  double e = lr_exp(y / t->scale);
  *slope = e / t->scale;
  return e;
}

/* The rank that the gradients of a problem show; p where it is not low. */
static lrgd_status rank_of(trial *t, const lrgd_problem *f, size_t *rank,
                           lrgd_error *error)
{
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  lrgd_diagnosis *study;
  want.trial_runs = 0;
  want.held_out = lr_proposition_held_out(t->policy);
  lrgd_status status =
      lrgd_diagnosis_create(&study, f, &t->options, &want, t->x0, error);
  if (status != LRGD_OK) return status;
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  *rank = found->exact_rank > 0 ? found->exact_rank : t->p;
  t->found->evaluations += found->evaluations;
  lrgd_diagnosis_destroy(&study);
  return LRGD_OK;
}

/* Adds one line to the table; owns and frees the composite. */
static lrgd_status add_line(trial *t, const char *name, lrgd_composite *made,
                            lrgd_error *error)
{
  lrgd_algebra *row = &t->found->algebra[t->found->rows++];
  (void)snprintf(row->made, sizeof row->made, "%s", name);
  row->bound = lrgd_composite_rank(made);
  lrgd_status status =
      rank_of(t, lrgd_composite_problem(made), &row->rank, error);
  row->holds = row->rank <= row->bound;
  t->found->algebra_holds &= row->holds;
  lrgd_composite_destroy(&made);
  return status;
}

static lrgd_status try_algebra(trial *t, lrgd_error *error)
{
  lrgd_problem ridge = lrgd_problem_default(t->p);
  lrgd_part f = {&t->f, t->found->rank}, g = {&ridge, 2};
  lrgd_composite *made = NULL;
  uint64_t seed = (uint64_t)t->options.seed;
  for (uint64_t k = 0; k < 2; k++) {
    lrgd_vec column = {t->columns, 0};
    t->standalone.space->ops->gaussian(t->standalone.space, column, seed,
                                       STREAM_G + k);
    memcpy(t->G2 + k * t->p, lr_standalone_oracle_data(t->columns, 0),
           t->p * sizeof *t->G2);
    lr_scale(t->p, 1 / sqrt((double)t->p), t->G2 + k * t->p);
  }
  ridge.value = lr_ridge_value;
  ridge.gradient = lr_ridge_gradient;
  ridge.slopes = lr_ridge_slopes;
  ridge.user = t->G2;
  t->found->algebra_holds = 1;
  lrgd_status status = lrgd_composite_scale(&made, f, -3, error);
  if (status == LRGD_OK) status = add_line(t, "-3 f", made, error);
  if (status == LRGD_OK) status = lrgd_composite_sum(&made, f, g, error);
  if (status == LRGD_OK) status = add_line(t, "f + g", made, error);
  if (status == LRGD_OK) status = lrgd_composite_product(&made, f, g, error);
  if (status == LRGD_OK) status = add_line(t, "f g", made, error);
  if (status == LRGD_OK)
    status = lrgd_composite_compose(&made, f, exponential, t, error);
  if (status == LRGD_OK) status = add_line(t, "exp f", made, error);
  return status;
}

/* ---- all propositions ---- */

static lrgd_status begin(trial *t, lrgd_error *error)
{
  size_t p = t->p;
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  bool fine = false;
  want.trial_runs = 0;
  t->room = lr_alloc(&lr_malloc, p, 6 * sizeof *t->room);
  if (!t->room) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory");
  t->minimum = t->room;
  t->u = t->room + p;
  t->x = t->room + 2 * p;
  t->g = t->room + 3 * p;
  t->G2 = t->room + 4 * p;
  lrgd_status status =
      lr_standalone_oracle_init(&t->standalone, &t->f, &t->options, error);
  if (status != LRGD_OK) return status;
  t->columns = t->standalone.space->ops->make(t->standalone.space, 2);
  if (!t->columns) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory");
  memcpy(t->minimum, t->x0, p * sizeof *t->minimum);
  status = minimise(t, &t->f, 0, t->minimum, &fine, error);
  if (status == LRGD_OK && !fine)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "no minimum was found from the start, and the lemma and "
                   "the propositions are about one");
  if (status == LRGD_OK)
    status = lrgd_diagnosis_create(&t->study, &t->f, &t->options, &want, t->x0,
                                   error);
  return status;
}

static lrgd_status try_all(trial *t, lrgd_error *error)
{
  lrgd_status status = begin(t, error);
  if (status != LRGD_OK) return status;
  const lrgd_diagnosis_result *study = lrgd_diagnosis_get(t->study);
  lrgd_propositions *out = t->found;
  out->evaluations += study->evaluations;
  out->rank = study->exact_rank > 0 ? study->exact_rank : t->p;
  out->mu = study->mu_seen;
  out->f_minimum = gradient(t, t->minimum);
  t->scale = fmax(fabs(gradient(t, t->x0)), 1e-300);
  double f, aside[2];
  for (size_t i = 0; lrgd_diagnosis_point(t->study, i, &f, aside); i++)
    t->scale = fmax(t->scale, fabs(f));
  status = try_lemma(t, error);
  if (status == LRGD_OK) status = try_proposition(t, error);
  if (status == LRGD_OK) status = try_algebra(t, error);
  out->evaluations += lrgd_counts_evaluations(&t->standalone.oracle.counts);
  return status;
}

lrgd_status lrgd_propositions_try_sized(lrgd_propositions *found, size_t size,
                                        const lrgd_problem *problem,
                                        const lrgd_options *options,
                                        const double *x0, lrgd_error *error)
{
  lrgd_propositions made = {.struct_size = sizeof made};
  trial t = {.policy = lr_policy_current(),
             .found = &made,
             .x0 = x0,
             .options = lrgd_options_default()};
  made.level = made.reached = made.alignment = made.distance = NAN;
  made.mu = made.delta = made.grad_norm = NAN;
  if (!problem || !x0 || !found)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the propositions need a problem, x0 and room for what is "
                   "found");
  if (options &&
      !lr_sized_take(&t.options, sizeof t.options, options, "options", error))
    return LRGD_ERR_INVALID;
  if (lr_problem_take(&t.f, problem, error) != LRGD_OK) return LRGD_ERR_INVALID;
  if (t.f.lower || t.f.upper)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the lemma and the propositions are about functions "
                   "without bounds");
  t.p = t.f.dimension;
  lrgd_status status = try_all(&t, error);
  if (status == LRGD_OK) lr_sized_give(found, size, &made, sizeof made);
  lrgd_diagnosis_destroy(&t.study);
  if (t.columns) t.standalone.space->ops->free(t.standalone.space, t.columns);
  lr_standalone_oracle_clear(&t.standalone);
  lr_free(&lr_malloc, t.room);
  return status;
}
