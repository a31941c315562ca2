/* The iterations of gradient descent, from the Hessian at the minimum.
 *
 * Gradient descent is seldom run to its end in a trial run.  But another method
 * has found the minimum by then, and near it f is a quadratic whose Hessian
 * costs k^2 + 3 k + 1 values: in the r variables of an exactly low-rank f, or
 * in all inputs where there are few.  Gradient descent on that quadratic, with
 * the same step rule, costs no evaluation.
 *
 * The estimate is used only where the quadratic agrees with f at the point
 * where the trial run was cut off: it must explain both the remaining decrease
 * of f and the gradient there.  A part of the Hessian is not enough, as the
 * smallest curvature decides; and minima with a singular Hessian have no such
 * quadratic. */
#include "analysis/descent_estimate.h"
#include "analysis/composed_problem.h"
#include "base/dense.h"
#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/rounding.h"
#include "base/vector.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

/* Variables for which arrays have room: twice what the policy allows. */
enum { MOST = 80 };

typedef struct bowl {
  size_t k;
  double *B;    /* k x k: the Hessian, and as much scratch */
  double least; /* f at the minimum, for its rounding error */
  /* an upper bound of the error of B due to the fourth derivatives of f */
  double error;
} bowl;

static double bowl_gradient(size_t k, const double *z, double *g, void *user)
{
  const bowl *b = user;
  double f = 0;
  for (size_t i = 0; i < k; i++) {
    g[i] = lr_dot(k, b->B + i * k, z);
    f += 0.5 * g[i] * z[i];
  }
  return f;
}

static double bowl_value(size_t k, const double *z, void *user)
{
  const bowl *b = user;
  double g[MOST];
  return b->least + bowl_gradient(k, z, g, user);
}

/* Counts an evaluation of f, unless it ended without an answer.  True: it was
 * answered. */
static bool count(const lrgd_problem *f, lr_asked *asked)
{
  bool answered = !f->unanswered || f->unanswered(f->user) == 0;
  asked->all += answered;
  return answered;
}

static double ask(const lrgd_problem *f, const double *x, lr_asked *asked)
{
  double y = lr_composite_ask(f, x);
  if (count(f, asked) && !lr_finite(y)) asked->failed++;
  return y;
}

/* f at z + t (e_i + e_j), or with i == j at z + t e_i. */
static double aside(const lrgd_problem *f, double *z, size_t i, size_t j,
                    double t, lr_asked *asked)
{
  double a = z[i], b = z[j];
  z[i] += t;
  if (i != j) z[j] += t;
  double y = ask(f, z, asked);
  z[j] = b;
  z[i] = a;
  return y;
}

/* The second difference of f at z along input i. */
static double second(const lrgd_problem *f, double *z, size_t i, double t,
                     double here, lr_asked *asked)
{
  return aside(f, z, i, i, t, asked) + aside(f, z, i, i, -t, asked) - 2 * here;
}

/* The Hessian of f at z by central differences with step t. (In one-sided
 * differences, third derivatives along directions of large curvature would hide
 * small curvatures elsewhere.) b->error bounds the error that fourth
 * derivatives make: that of a diagonal entry is four times as large with step 2
 * t, which shows it, and the norm of a semidefinite matrix is at most the sum
 * of its diagonal. False where a value is not finite. */
static bool hessian(const lrgd_problem *f, double *z, double t, bowl *b,
                    lr_asked *asked)
{
  size_t k = b->k;
  double one[MOST];
  b->least = ask(f, z, asked);
  b->error = 0;
  for (size_t i = 0; i < k; i++) {
    one[i] = second(f, z, i, t, b->least, asked);
    b->B[i * k + i] = one[i] / (t * t);
    double longer = second(f, z, i, 2 * t, b->least, asked) / (4 * t * t);
    b->error += fabs(longer - b->B[i * k + i]) / 3;
  }
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < i; j++) {
      double both = aside(f, z, i, j, t, asked) + aside(f, z, i, j, -t, asked) -
                    2 * b->least;
      b->B[i * k + j] = b->B[j * k + i] =
          0.5 * (both - one[i] - one[j]) / (t * t);
    }
  return lr_all_finite(b->B, k * k);
}

/* Whether all eigenvalues are large enough to be resolved. */
static bool convex(const bowl *b, const lrgd_allocator *a)
{
  double *copy = b->B + b->k * b->k, lambda[MOST];
  lr_dense *dense = lr_dense_create(a, b->k);
  bool fine = false;
  memcpy(copy, b->B, b->k * b->k * sizeof *copy);
  if (dense && lr_eigen(dense, b->k, copy, lambda) == LRGD_OK)
    fine = lr_diagnosis_resolves(lr_policy_current(), lambda[0],
                                 lambda[b->k - 1], b->error);
  lr_dense_destroy(&dense);
  return fine;
}

static bool near(double told, double seen)
{
  return lr_diagnosis_tells(lr_policy_current(), told, seen);
}

/* Whether the quadratic agrees with f at z. */
static bool explains(bowl *b, const double *z, const lr_descent_start *look)
{
  double g[MOST], told = bowl_gradient(b->k, z, g, b);
  return look->fall > 0 && near(told, look->fall) &&
         near(lr_norm(b->k, g), lr_exp(look->log_g));
}

/* Iterations of gradient descent on the quadratic from z to |gradient| <= tol.
 */
static double descend(bowl *b, double *z, double tol, bool by_values)
{
  lrgd_problem f = lrgd_problem_default(b->k);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  if (by_values && lr_diagnosis_estimates_by_values(lr_policy_current(), b->k))
    f.value = bowl_value;
  else
    f.gradient = bowl_gradient;
  f.user = b;
  o.method = LRGD_METHOD_GD;
  o.tol = tol;
  o.noise = 0;
  o.max_iterations = lr_diagnosis_estimate_longest(lr_policy_current());
  o.guard_callbacks = 0;
  if (lrgd_minimize(&f, &o, z, &result, NULL) != LRGD_OK) return NAN;
  return result.outcome == LRGD_OUTCOME_CONVERGED ? (double)result.iterations
                                                  : NAN;
}

/* The number of variables of the Hessian: those of H, or all inputs; 0: too
 * many. */
static size_t variables(const lrgd_diagnosis *s, bool inside)
{
  size_t k = inside ? s->result.recommended_rank : s->p;
  bool few =
      k <= MOST && lr_diagnosis_estimates(s->standalone.oracle.policy, k);
  return few ? k : 0;
}

uint64_t lr_descent_estimate_cost(const lrgd_diagnosis *s, bool inside)
{
  uint64_t k = variables(s, inside);
  return k > 0 ? 1 + 3 * k + k * k : 0;
}

/* f restricted to k variables around the minimum, unless it is given so. */
static lrgd_status restrict_to(lrgd_composite **made, const lrgd_diagnosis *s,
                               const lr_descent_start *look, size_t k,
                               double *z)
{
  const double *U = lr_standalone_oracle_data(s->spectrum.U.block, 0);
  size_t p = s->p;
  double *way = lr_standalone_oracle_data(s->points, LR_SPARE);
  for (size_t i = 0; i < p; i++) way[i] = look->from[i] - look->minimum[i];
  for (size_t j = 0; j < k; j++) z[j] = lr_dot(p, U + j * p, way);
  return lrgd_composite_reduce(made, look->problem, look->minimum, k, U, NULL);
}

/* The norm of the diagonal of U B U', the Hessian with respect to the inputs; U
 * is NULL for the identity. */
static double diagonal(const bowl *b, size_t p, const double *U)
{
  double norm = 0, row[MOST], Bu[MOST];
  for (size_t i = 0; i < p; i++) {
    for (size_t j = 0; j < b->k; j++) row[j] = U ? U[j * p + i] : i == j;
    for (size_t j = 0; j < b->k; j++)
      Bu[j] = lr_dot(b->k, b->B + j * b->k, row);
    norm = lr_hypot(norm, lr_dot(b->k, row, Bu));
  }
  return norm;
}

/* Estimates the iterations on f restricted to the columns of U. */
static double ahead(const lrgd_diagnosis *s, lr_descent_start *look,
                    const lrgd_problem *f, const double *U, double *at,
                    double *z, lr_asked *asked)
{
  size_t k = f->dimension;
  bowl b = {.k = k,
            .B = lr_alloc(&s->standalone.allocator, k * k, 2 * sizeof *b.B)};
  double size = 1, iterations = NAN;
  if (!b.B) return NAN;
  for (size_t i = 0; i < look->problem->dimension; i++)
    size = fmax(size, fabs(look->minimum[i]));
  double step = lr_diagnosis_curvature_step(s->standalone.oracle.policy, size);
  if (hessian(f, at, step, &b, asked) && convex(&b, &s->standalone.allocator) &&
      explains(&b, z, look)) {
    look->diagonal = diagonal(&b, s->p, U);
    iterations = descend(&b, z, look->tol, !s->given.problem.gradient);
  }
  lr_free(&s->standalone.allocator, b.B);
  return iterations;
}

double lr_descent_estimate_ahead(const lrgd_diagnosis *s,
                                 lr_descent_start *look, lr_asked *asked)
{
  size_t k = variables(s, look->inside);
  bool whole = look->problem->dimension == s->p;
  double z[MOST], zero[MOST] = {0}, iterations = NAN;
  lrgd_composite *made = NULL;
  if (k == 0 || !lr_composite_has_values(look->problem)) return NAN;
  if (whole && s->standalone.bounds) return NAN;
  if (k == look->problem->dimension) {
    for (size_t i = 0; i < k; i++) z[i] = look->from[i] - look->minimum[i];
    return ahead(s, look, look->problem, whole ? NULL : look->U, look->minimum,
                 z, asked);
  }
  if (k > s->spectrum.U.k) return NAN;
  if (restrict_to(&made, s, look, k, z) == LRGD_OK)
    iterations = ahead(s, look, lrgd_composite_problem(made),
                       lr_standalone_oracle_data(s->spectrum.U.block, 0), zero,
                       z, asked);
  lrgd_composite_destroy(&made);
  return iterations;
}

void lr_descent_estimate_diagonal(const lrgd_diagnosis *s,
                                  const lrgd_problem *reduced, const double *U,
                                  double *z, double norm[2], lr_asked *asked)
{
  size_t k = reduced->dimension;
  double size = 1;
  if (k > MOST || !lr_composite_has_values(reduced)) return;
  bowl b = {.k = k,
            .B = lr_alloc(&s->standalone.allocator, k * k, 2 * sizeof *b.B)};
  if (!b.B) return;
  for (size_t i = 0; i < k; i++) size = fmax(size, fabs(z[i]));
  double step = lr_diagnosis_curvature_step(s->standalone.oracle.policy, size);
  if (hessian(reduced, z, step, &b, asked)) {
    norm[0] = diagonal(&b, s->p, U);
    norm[1] = lr_norm(k * k, b.B);
  }
  lr_free(&s->standalone.allocator, b.B);
}

/* ---- outside H ---- */

/* The longest t <= most with x + t w and x - t w in the bounds. */
static double room(const lrgd_diagnosis *s, const double *w, double most)
{
  for (size_t i = 0; i < s->p; i++) {
    double size = fabs(w[i]), x = s->given.start[i];
    if (!(size > 0)) continue;
    if (s->given.lower) most = fmin(most, (x - s->given.lower[i]) / size);
    if (s->given.upper) most = fmin(most, (s->given.upper[i] - x) / size);
  }
  return most;
}

/* The directional derivative at the start along w, outside H, by a central
 * difference.  *error: that of noise or rounding. */
static double slope(const lrgd_diagnosis *s, const double *w, double *x,
                    double *error, lr_asked *asked)
{
  const lrgd_problem *f = &s->given.problem;
  const lr_policy *P = s->standalone.oracle.policy;
  double size = 1, d = NAN;
  *error = 0;
  if (f->slopes) {
    (void)f->slopes(s->p, s->given.start, 1, w, &d, f->user);
    (void)count(f, asked);
    return d;
  }
  for (size_t i = 0; i < s->p; i++) size = fmax(size, fabs(s->given.start[i]));
  double t = room(s, w, lr_diagnosis_outside_step(P, size)), both[2];
  if (!lr_diagnosis_has_room(P, t, size)) return NAN;
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < s->p; i++)
      x[i] = s->given.start[i] + (side ? -t : t) * w[i];
    both[side] = ask(f, x, asked);
  }
  double size_f = fmax(fabs(both[0]), fabs(both[1]));
  double rounding = lr_value_rounding(P, size_f);
  *error = lr_diagnosis_outside_error(P, rounding, s->result.noise) / t;
  return (both[0] - both[1]) / (2 * t);
}

/* Removes the part of w in the columns of U; returns the norm of the rest. */
static double leave(size_t p, size_t r, const double *U, double *w)
{
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < r; j++)
      lr_axpy(p, -lr_dot(p, U + j * p, w), U + j * p, w);
  return lr_norm(p, w);
}

double lr_descent_estimate_outside(const lrgd_diagnosis *s, size_t r,
                                   const double *U, lr_asked *asked)
{
  uint64_t probes = lr_diagnosis_outside_probes(s->standalone.oracle.policy);
  size_t p = s->p;
  lrgd_space *space = s->standalone.space;
  double *w = lr_standalone_oracle_data(s->points, LR_SPARE), sum = 0, error;
  double *x = lr_standalone_oracle_data(s->points, LR_ASIDE);
  const lrgd_problem *f = &s->given.problem;
  if (f->gradient) { /* the whole gradient in one evaluation */
    double y = f->gradient(p, s->given.start, w, f->user);
    (void)count(f, asked);
    bool told = lr_finite(y) && lr_all_finite(w, p);
    return told ? leave(p, r, U, w) : INFINITY;
  }
  for (uint64_t i = 0; i < probes; i++) {
    space->ops->gaussian(space, (lrgd_vec){s->points, LR_SPARE},
                         (uint64_t)s->standalone.options.seed,
                         LR_DIAGNOSIS_OUTSIDE + i);
    double length = leave(p, r, U, w);
    if (!(length > 0)) return 0;
    lr_scale(p, 1 / length, w);
    double d = slope(s, w, x, &error, asked);
    if (!lr_finite(d)) return INFINITY;
    sum += fmax(d * d - error * error, 0);
  }
  return sqrt((double)(p - r) / (double)probes * sum);
}
