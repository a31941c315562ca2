/* The step: sequential quadratic programming on the models of all outputs.
 *
 * The models' constraints are curved, and evaluating them costs nothing: the
 * exact penalty function of the models, f + penalty sum |violation|, is
 * minimised within the trust region by a few quadratic programs with linearised
 * constraints and the Hessian of the Lagrangian.  So the step includes its
 * second-order correction.  The penalty is raised where the step leaves
 * violations that it could have removed (Byrd, Nocedal, Waltz, 2008). */
#include "constrained/constrained_rules.h"
#include "constrained/constrained_state.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { LR_CON_INNER = 12 };

static double model_merit(lr_constrained *s, const double *at, double *outside)
{
  lr_output_model_at(&s->M, at, s->y);
  return lr_con_merit_of(s, s->y, outside);
}

/* Bounds of d at s: the trust region, and bounds on inputs. */
static void set_box(lr_constrained *s, const double *at, double reach)
{
  lr_elastic_qp *q = &s->qp;
  const double *z = s->M.z + s->M.base * s->M.room_n;
  for (size_t j = 0; j < s->n; j++) {
    q->lower[j] = fmax(-1 - at[j], -reach);
    q->upper[j] = fmin(1 - at[j], reach);
    double here = z[j] + s->radius * at[j];
    double low = lr_con_lower(s, j), high = lr_con_upper(s, j);
    q->lower[j] = fmax(q->lower[j], fmin((low - here) / s->radius, 0));
    q->upper[j] = fmin(q->upper[j], fmax((high - here) / s->radius, 0));
  }
}

/* Lists the outputs whose limits can be reached within the trust region. */
static void list_rows(lr_constrained *s)
{
  s->row_count = 0;
  for (size_t i = 0; i < s->m; i++) {
    if (isinf(s->low[i]) && isinf(s->high[i])) continue;
    s->rows[s->row_count++] = i;
  }
}

/* Adds the rows of A x <= b, which may not be violated, linearised at s. */
static void pose_linear(lr_constrained *s, const double *at)
{
  lr_elastic_qp *q = &s->qp;
  const lr_outputs *o = s->outputs;
  if (o->rows == 0) return;
  double *z = s->H; /* scratch */
  const double *b = s->M.z + s->M.base * s->M.room_n;
  for (size_t j = 0; j < s->n; j++) z[j] = b[j] + s->radius * at[j];
  lr_con_place(s, z);
  const double *x = lrgd_host_data(s->trial.x);
  for (size_t r = 0; r < o->rows; r++) {
    size_t k = s->row_count + r;
    const double *a = o->A + r * s->p;
    for (size_t i = 0; i < s->p; i++) s->w[i] = s->radius * a[i] * s->D[i];
    for (size_t j = 0; s->axes && j < s->n; j++)
      q->A[k * s->n + j] = s->w[s->axis[j]];
    if (!s->axes) lr_gemv_t(s->p, s->n, s->V, s->p, s->w, q->A + k * s->n);
    q->below[k] = -INFINITY;
    q->above[k] = o->b[r] - lr_con_row_margin(s, r, x) - lr_dot(s->p, a, x);
    q->price[k] = INFINITY;
  }
}

/* Sets up the quadratic program at s. */
static lr_code pose(lr_constrained *s, const double *at, double reach)
{
  lr_elastic_qp *q = &s->qp;
  const lr_outputs *o = s->outputs;
  size_t n = s->n;
  if (lr_elastic_qp_reserve(q, n, s->row_count + o->rows) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu rows", s->row_count);
  double *weights = s->y + s->m;
  lr_output_model_at(&s->M, at, s->y);
  lr_output_model_slopes(&s->M, at, s->G);
  for (size_t i = 0; i < s->m; i++) weights[i] = s->weight[i] * s->lambda[i];
  double fw = s->f_weight * s->weight[o->objective] * o->sign;
  weights[o->objective] += fw;
  lr_output_model_bend(&s->M, weights, q->B);
  for (size_t j = 0; j < n; j++) q->g[j] = fw * s->G[o->objective * n + j];
  for (size_t r = 0; r < s->row_count; r++) {
    size_t i = s->rows[r];
    double w = s->weight[i];
    for (size_t j = 0; j < n; j++) q->A[r * n + j] = w * s->G[i * n + j];
    q->below[r] = w * (s->low[i] - s->y[i]);
    q->above[r] = w * (s->high[i] - s->y[i]);
    q->price[r] = s->penalty;
  }
  set_box(s, at, reach);
  pose_linear(s, at);
  return LR_GO;
}

/* Scales the program: with a radius of 1 and gradients of about 1, the merit is
 * divided by the radius, so that all numbers are near 1. */
static void normalise(lr_constrained *s)
{
  lr_elastic_qp *q = &s->qp;
  double c = 1 / s->radius;
  lr_scale(q->n, c, q->g);
  lr_scale(q->n * q->n, c, q->B);
  lr_scale(q->n * q->m, c, q->A);
  lr_scale(q->m, c, q->below);
  lr_scale(q->m, c, q->above);
}

/* Whether row r can hold with equality, at b, near d = 0: it is not given up at
 * its price, and the box has room for it. */
static bool is_attainable(const lr_constrained *s, size_t r, double b)
{
  const lr_elastic_qp *q = &s->qp;
  const double *a = q->A + r * q->n;
  double least = 0, most = 0;
  for (size_t j = 0; j < q->n; j++) {
    least += fmin(a[j] * q->lower[j], a[j] * q->upper[j]);
    most += fmax(a[j] * q->lower[j], a[j] * q->upper[j]);
  }
  bool paid = fabs(s->lambda[s->rows[r]]) > 0.99 * s->penalty;
  return !paid && b >= least && b <= most;
}

/* Makes B positive definite.  First adds terms sigma (a'd - b)^2 / 2 for rows
 * that are equations or were active: these vanish where the rows hold with
 * equality, so that they change no solution.  What is still negative is removed
 * by a shift of the diagonal, which shortens the step. */
static void convexify(lr_constrained *s)
{
  lr_elastic_qp *q = &s->qp;
  size_t n = q->n;
  double size = 0;
  for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(q->B[i]));
  double shift = 1e-10 * size;
  if (!(size > 0) || lr_elastic_qp_is_convex(q, shift)) return;
  for (size_t r = 0; r < s->row_count; r++) {
    const double *a = q->A + r * n;
    double lambda = s->lambda[s->rows[r]], norm2 = lr_dot(n, a, a);
    bool equal = q->below[r] == q->above[r];
    if (!(equal || fabs(lambda) > 1e-6) || !(norm2 > 0)) continue;
    double b = lambda < 0 ? q->below[r] : q->above[r];
    double sigma = 4 * (double)n * size / norm2;
    if (!is_attainable(s, r, b)) continue;
    lr_syr(n, sigma, a, q->B, n);
    lr_axpy(n, -sigma * b, a, q->g);
  }
  shift = 1e-10 * size;
  while (!lr_elastic_qp_is_convex(q, shift) && shift < 1e6 * size)
    shift = fmax(4 * shift, 1e-3 * size);
  for (size_t i = 0; i < n; i++) q->B[i * n + i] += shift;
}

/* The stationarity of s: |g + A lambda| without the components at active
 * bounds. */
static double stationarity(lr_constrained *s, double *length)
{
  lr_elastic_qp *q = &s->qp;
  double *v = s->v;
  double most = 0;
  memcpy(v, s->w, q->n * sizeof *v);
  lr_gemv(q->n, q->m, q->A, q->n, q->lambda, v);
  for (size_t j = 0; j < q->n; j++) {
    double held = v[j] + q->nu[j];
    bool inside = q->lower[j] < -1e-9 && q->upper[j] > 1e-9;
    if (!inside) v[j] = held;
    most = fmax(most, fabs(v[j]));
  }
  *length = lr_norm(q->n, v);
  return most;
}

/* Evaluates the models at step->s + d; takes that as the step where the merit
 * is lower. */
static bool try_models(lr_constrained *s, lr_con_step *step, const double *d)
{
  double *try = s->v, outside;
  for (size_t j = 0; j < s->n; j++) try[j] = step->s[j] + d[j];
  double merit = model_merit(s, try, &outside);
  if (!(merit < step->merit)) return false;
  memcpy(step->s, try, s->n * sizeof *try);
  step->merit = merit;
  step->outside = outside;
  return true;
}

/* The second-order correction: replaces the constant terms of the rows by the
 * models' values at s + d, which try_models() has left in s->y. */
static void correct(lr_constrained *s)
{
  lr_elastic_qp *q = &s->qp;
  double c = 1 / s->radius;
  for (size_t r = 0; r < s->row_count; r++) {
    size_t i = s->rows[r];
    double w = s->weight[i] * c,
           bent = w * s->y[i] - lr_dot(s->n, q->A + r * s->n, q->d);
    q->below[r] = w * s->low[i] - bent;
    q->above[r] = w * s->high[i] - bent;
  }
  lr_elastic_qp_solve(q);
}

static double largest(size_t n, const double *d)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(d[i]));
  return most;
}

static void keep_multipliers(lr_constrained *s)
{
  for (size_t r = 0; r < s->row_count; r++)
    s->lambda[s->rows[r]] = s->qp.lambda[r];
  for (size_t r = 0; r < s->outputs->rows; r++)
    s->mu[r] = s->qp.lambda[s->row_count + r];
}

/* One inner step on the models, of length at most `reach`; false: no step
 * decreases their merit. */
static lr_code descend(lr_constrained *s, lr_con_step *step, double *reach,
                       bool *fell)
{
  *fell = false;
  for (; *reach > 1e-3 && !*fell; *reach *= 0.25) {
    LR_TRY(pose(s, step->s, *reach));
    normalise(s);
    if (step->fresh) memcpy(s->w, s->qp.g, s->n * sizeof *s->w);
    convexify(s);
    lr_elastic_qp_solve(&s->qp);
    if (step->fresh) step->stationarity = stationarity(s, &step->slope);
    step->fresh = false;
    keep_multipliers(s);
    if (!(largest(s->n, s->qp.d) > 1e-9)) break; /* d is zero up to rounding */
    *fell = try_models(s, step, s->qp.d);
    for (int i = 0; i < 2 && !*fell; i++) {
      correct(s);
      *fell = try_models(s, step, s->qp.d);
    }
    if (*fell) break;
  }
  return LR_GO;
}

/* Minimises the merit of the models. */
static lr_code minimise(lr_constrained *s, lr_con_step *step)
{
  double first, reach = 2;
  bool fell = true;
  memset(step->s, 0, s->n * sizeof *step->s);
  first = step->merit = model_merit(s, step->s, &step->outside);
  step->fresh = true;
  for (int i = 0; i < LR_CON_INNER && fell; i++) {
    double before = step->merit;
    LR_TRY(descend(s, step, &reach, &fell));
    if (before - step->merit < 1e-6 * (first - step->merit)) break;
  }
  step->predicted = first - step->merit;
  step->length = largest(s->n, step->s);
  return LR_GO;
}

/* Whether the solution of the last program violates a row, at that row's
 * price. */
static bool pays(const lr_constrained *s)
{
  for (size_t r = 0; r < s->row_count; r++)
    if (fabs(s->qp.lambda[r]) > 0.99 * s->penalty) return true;
  return false;
}

/* The least violation that is possible within the trust region, by the
 * models. */
static lr_code least_outside(lr_constrained *s, double *outside)
{
  s->f_weight = 0;
  memcpy(s->kept, s->lambda, s->m * sizeof *s->kept);
  lr_code code = minimise(s, &s->other);
  memcpy(s->lambda, s->kept, s->m * sizeof *s->kept);
  s->f_weight = 1;
  *outside = s->other.outside;
  return code;
}

lr_code lr_con_find_step(lr_constrained *s)
{
  double here, least;
  list_rows(s);
  memset(s->other.s, 0, s->n * sizeof *s->other.s);
  (void)model_merit(s, s->other.s, &here);
  LR_TRY(minimise(s, &s->step));
  if (!pays(s)) {
    s->stuck = 0;
    return LR_GO;
  }
  LR_TRY(least_outside(s, &least));
  bool falls = lr_con_violation_falls(s->policy, here - least, here, s->radius);
  s->stuck = falls ? 0 : s->stuck + 1;
  double small = 1e-9 * s->radius;
  while (s->penalty < 1e8 && lr_con_leaves_too_much(s->policy, s->step.outside,
                                                    least, here, small)) {
    s->penalty = lr_con_raised(s->policy, s->penalty);
    LR_TRY(minimise(s, &s->step));
    if (!pays(s)) break;
  }
  return LR_GO;
}
