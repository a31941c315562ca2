/* The certificate of a least-squares run: an upper confidence bound on the
 * gradient J'F at the base.
 *
 * Inside V the gradient is known up to the uncertainty of J: dJ'F has the
 * covariance c^2 |F|^2 P.  Outside V, fresh random directions are measured and
 * added to the model: for w Gaussian outside V, w.g ~ N(0, |g outside|^2), and
 * the gradient outside all of them is no larger than outside each. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/vector.h"
#include "certificate/certificate.h"
#include "subspace/probe.h"

#include <math.h>
#include <string.h>

/* Converts a derivative of the model's f along a unit vector of scaled
 * coordinates: into the run's unit, and to an upper bound in the user's
 * inputs. */
static double own(const lr_least_squares *s, double d)
{
  double least = s->D[0];
  for (size_t i = 1; (lr_ls_boxed(s) || s->few) && i < s->M.p; i++)
    least = fmin(least, s->D[i]);
  return lr_oracle_own(&s->run->oracle, d / (s->unit * s->unit)) / least;
}

/* Whether input i is at an active bound, its derivative being g. */
static bool held(const lr_least_squares *s, size_t i, double g)
{
  if (!lr_ls_boxed(s)) return false;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  return (b[i] <= lower[i] && g > 0) || (b[i] >= upper[i] && g < 0);
}

/* The norm of V J'F in the user's inputs; projected: without components at
 * active bounds. */
static double in_inputs(lr_least_squares *s, bool projected)
{
  lr_residual_model *M = &s->M;
  double *g = s->u;
  memset(g, 0, M->p * sizeof *g);
  lr_gemv(M->p, M->k, M->V, M->p, M->y, g);
  for (size_t i = 0; i < M->p; i++)
    g[i] = projected && held(s, i, g[i]) ? 0 : g[i] / s->D[i];
  double norm = lr_norm(M->p, g);
  return lr_oracle_own(&s->run->oracle, norm / (s->unit * s->unit));
}

double lr_ls_gradient_all(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  lr_gemv_t(M->m, M->k, M->J, M->m, M->G, M->y);
  return s->few ? in_inputs(s, false) : own(s, lr_norm(M->k, M->y));
}

double lr_ls_gradient_inside(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  lr_gemv_t(M->m, M->k, M->J, M->m, M->G, M->y);
  bool alike = !lr_ls_boxed(s) && !s->few;
  return alike ? own(s, lr_norm(M->k, M->y)) : in_inputs(s, true);
}

/* The curvature used to estimate errors: the measured one with the model's
 * margin, but without the increases that failed steps caused. */
double lr_ls_error_curvature(const lr_least_squares *s)
{
  double seen = s->policy->ls_bend_margin * s->bend;
  double c = fmin(fmax(seen, s->least_c), s->M.c);
  return s->checked == s->at.id ? fmax(c, s->checked_bend) : c;
}

/* The unit of P, in which errors by noise have the curvature of the time when J
 * was measured. */
static double unit_of_P(const lr_least_squares *s)
{
  double c = lr_ls_error_curvature(s), then = s->fresh_c;
  double noise = s->listened > 0 && s->fresh == s->at.id ? s->fresh_noise : 0;
  return sqrt((1 - noise) * c * c + noise * fmax(c * c, then * then));
}

double lr_ls_gradient_error(const lr_least_squares *s)
{
  const lr_residual_model *M = &s->M;
  double c = unit_of_P(s), trace = 0, base = 0;
  double f = lr_residual_model_uncertain_f(M);
  for (size_t j = 0; j < M->k; j++) {
    double length = s->axes ? s->D[j] : 1, size = M->size[j] / length;
    trace += M->P[j * M->room + j] / (length * length);
    base += size * size;
  }
  /* by the errors of J, and of the residuals at the base */
  double error = lr_hypot(c * sqrt(2 * f * trace), M->noise * sqrt(base));
  if (!s->axes) return own(s, error);
  return lr_oracle_own(&s->run->oracle, error / (s->unit * s->unit));
}

/* The derivative of f along the last direction, plus some standard
 * deviations. */
static double last_derivative(const lr_least_squares *s)
{
  const lr_residual_model *M = &s->M;
  size_t j = M->k - 1;
  double d = lr_dot(M->m, M->J + j * M->m, M->G);
  double f = lr_residual_model_uncertain_f(M);
  double deviation = unit_of_P(s) * sqrt(2 * f * M->P[j * M->room + j]);
  return own(s, fabs(d) + lr_ls_probe_margin(s->policy, deviation));
}

/* Whether a bound is so near that it would shorten a difference. */
static bool near_bounds(const lr_least_squares *s)
{
  if (!lr_ls_boxed(s) || lr_ls_has_slopes(s)) return false;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  double t = lr_ls_difference_length(s);
  for (size_t i = 0; i < s->M.p; i++)
    if (b[i] - lower[i] < t * s->D[i] || upper[i] - b[i] < t * s->D[i])
      return true;
  return false;
}

/* Sums over the probes made so far. */
typedef struct probes {
  double known2; /* squares of the derivatives along them */
  double S;      /* squares of the derivatives along Gaussian vectors */
  size_t used;
} probes;

/* Measures q fresh directions, or only one, if that one shows that the gradient
 * outside V exceeds `most`.  *whole: V is all of space now. */
static lr_code probe(lr_least_squares *s, size_t q, double most, probes *sum,
                     bool *whole)
{
  for (size_t tries = 0; sum->used < q && tries < 2 * q; tries++) {
    if (sum->used == 1 && sum->known2 > most * most) return LR_GO;
    bool grown;
    *whole = s->M.k >= s->M.p;
    if (*whole) return LR_GO;
    if (tries == 1) LR_TRY(lr_ls_plan_columns(s, q - sum->used, true));
    LR_TRY(lr_ls_probe(s, &grown));
    if (!grown) continue;
    double d = last_derivative(s);
    sum->known2 += d * d;
    sum->S += s->length * s->length * d * d;
    sum->used++;
  }
  return LR_GO;
}

double lr_ls_gradient_margin(const lr_least_squares *s, double share)
{
  /* noise was estimated from one number a residual */
  double freedom = s->listened > 0 ? (double)s->M.n : INFINITY;
  return lr_ls_certify_margin(s->policy, lr_ls_gradient_error(s), share,
                              freedom);
}

lr_code lr_ls_certify(lr_least_squares *s)
{
  lr_run *run = s->run;
  size_t q = (size_t)run->options.probes;
  double share, bound = INFINITY;
  probes sum = {0};
  bool whole = false;
  s->certified = s->at.id;
  (void)lr_next_look(run, &share);
  double inside = lr_ls_gradient_inside(s) + lr_ls_gradient_margin(s, share);
  bool cut =
      /* bounds would shorten probes: use probes over all of space */
      near_bounds(s);
  if (cut) q = s->M.p - s->M.k;
  double most = cut ? INFINITY : run->goal.tol;
  LR_TRY(probe(s, q, most, &sum, &whole));
  whole |= s->M.k >= s->M.p;
  if (whole || (sum.used == q && !cut)) {
    double left = whole ? 0 : lr_probe_bound(sum.S, sum.used, share);
    double outside = lr_hypot(sqrt(sum.known2), left);
    /* at bounds the two parts need not be orthogonal */
    bound = lr_ls_boxed(s) ? inside + outside : lr_hypot(inside, outside);
  }
  lr_run_stand(run, &s->at);
  run->progress.grad_norm = inside;
  run->claim.probed = sum.used;
  return lr_run_certified(run, bound);
}
