/* Certificates of the whole gradient by fresh probes, and the check of the
 * differences they consist of.
 *
 * A probe is a Gaussian vector w of the user's inputs.  One difference along it
 * gives F'w, and w.g = (F'w).F, g being J'F.  For the model's gradient g_V,
 * which does not depend on w, w.(g - g_V) ~ N(0, |g - g_V|^2): so probes bound
 * the norm of g - g_V with any confidence, however wrong the model is. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/random.h"
#include "base/vector.h"
#include "certificate/certificate.h"
#include "subspace/probe.h"

#include <math.h>

/* Sums over the probes so far. */
typedef struct sums {
  double S;      /* squares of w.(g - g_V) */
  double error2; /* squares of the errors of these by differences */
  size_t used;
} sums;

/* Scratch for a direction in scaled coordinates, overwritten by evaluations. */
static double *direction(lr_least_squares *s)
{
  return lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
}

/* Draws a probe: u = the unit vector in scaled coordinates; returns its length
 * there. Where there are bounds it points to the side with more room. */
static double draw_probe(lr_least_squares *s, double *u)
{
  size_t p = s->M.p;
  const double *b = lrgd_host_data(s->at.x);
  uint64_t stream = LR_STREAM_LEAST_SQUARES + s->draws++;
  lr_gaussian(s->run->oracle.seed, stream, 0, p, u);
  for (size_t i = 0; i < p; i++) u[i] /= s->D[i];
  for (size_t i = 0; i < p && lr_ls_boxed(s); i++) {
    bool up = lr_ls_upper(s)[i] - b[i] >= b[i] - lr_ls_lower(s)[i];
    u[i] = up ? fabs(u[i]) : -fabs(u[i]);
  }
  double length = lr_norm(p, u);
  lr_scale(p, 1 / length, u);
  return length;
}

/* Evaluates F at b + t D u; v: what bounds and rounding leave of t u. */
static lr_code evaluate_along(lr_least_squares *s, const double *u, double t,
                              double *v, double *y)
{
  const double *b = lrgd_host_data(s->at.x), *x = lrgd_host_data(s->trial.x);
  lr_ls_place_along(s, u, t);
  for (size_t i = 0; i < s->M.p; i++) v[i] = (x[i] - b[i]) / s->D[i];
  return lr_ls_evaluate(s, LRGD_PURPOSE_CHECK, y);
}

/* The mean square, over residuals, of the distance of F at the midpoint of the
 * base and `far` from the mean of F at both. */
static double deviation2(const lr_residual_model *M, const double *far,
                         const double *middle)
{
  double sum = 0;
  for (size_t i = 0; i < M->n; i++) {
    double d = middle[i] - 0.5 * (far[i] + M->F[i]);
    sum += d * d;
  }
  return sum / (double)M->n;
}

/* Whether noise may explain that distance. */
static bool may_be_noise(const lr_least_squares *s, const double *far,
                         double whole)
{
  const lr_residual_model *M = &s->M;
  double change = 0, most = lr_largest_residual(M->n, M->F);
  double assumed = fmax(M->noise, lr_ls_rounding_most(s->policy, most));
  for (size_t i = 0; i < M->n; i++)
    change += (far[i] - M->F[i]) * (far[i] - M->F[i]);
  return lr_ls_is_noise(s->policy, sqrt(whole / 1.5), assumed,
                        sqrt(change / (double)M->n));
}

/* Measures the curvature, or noise, by F at the midpoint of the base and b + D
 * v, where F is `far`. */
static lr_code look_halfway(lr_least_squares *s, const double *v,
                            const double *far, bool *noisy)
{
  lr_residual_model *M = &s->M;
  double *half = M->r, *quarter = s->r, n2 = lr_dot(M->p, v, v);
  LR_TRY(evaluate_along(s, v, 0.5, s->u, half));
  double whole = deviation2(M, far, half), sigma = sqrt(whole / 1.5);
  /* the midpoint of a parabola is off by |F''| n2 / 8 */
  double bend = 8 * sqrt(fmax(whole - 1.5 * M->noise * M->noise, 0)) / n2;
  bool noise = may_be_noise(s, far, whole), rough = false;
  bool more = lr_ls_bends_more(s->policy, bend, M->c);
  if (noise || (more && s->bent)) {
    LR_TRY(evaluate_along(s, v, 0.25, s->u, quarter));
    rough = lr_ls_is_rough(s->policy, whole, deviation2(M, half, quarter));
  }
  *noisy = noise && rough;
  if (*noisy) {
    lr_ls_hear(s, sigma);
    return LR_GO;
  }
  if (rough) {
    /* too little noise to discard J: the next differences are longer, and
     * checked again */
    M->noise = sigma;
    s->listened = s->landings;
    return LR_GO;
  }
  s->checked = s->at.id;
  s->checked_bend = bend;
  s->bent |= more;
  if (lr_ls_bends_more(s->policy, s->checked_bend, M->c))
    M->c = s->checked_bend;
  return LR_GO;
}

lr_code lr_ls_check(lr_least_squares *s, bool *noisy)
{
  double *u = direction(s);
  *noisy = false;
  if (s->checked == s->at.id) return LR_GO;
  (void)draw_probe(s, u);
  double t = lr_ls_difference_length(s);
  lr_code code = evaluate_along(s, u, t, s->boxed, s->M.s);
  if (code == LR_GO) code = look_halfway(s, s->boxed, s->M.s, noisy);
  return code == LR_NOVALUE ? LR_GO : code;
}

bool lr_ls_probes_all(const lr_least_squares *s)
{
  size_t k = s->M.k, q = (size_t)s->run->options.probes;
  size_t columns = k < s->M.p ? k + q : k;
  return !lr_ls_boxed(s) && q < columns;
}

/* The standard deviation of the derivative of f along a unit vector, measured
 * by a difference of length t, due to curvature and noise; column2: |F'u|^2,
 * the factor of the noise of the residuals at the base. */
static double deviation_of_slope(const lr_least_squares *s, double t,
                                 double column2)
{
  const lr_residual_model *M = &s->M;
  double bend = 0.5 * t * lr_ls_error_curvature(s), noise = M->noise / t;
  double f = lr_residual_model_uncertain_f(M);
  return sqrt(2 * f * (bend * bend + 2 * noise * noise) +
              column2 * M->noise * M->noise);
}

/* Adds a probe to the sums: F = y at b + D v; length: that of the Gaussian
 * vector. */
static void take_probe(lr_least_squares *s, const double *v, double length,
                       double *y, sums *sum)
{
  lr_residual_model *M = &s->M;
  double t = lr_norm(M->p, v);
  for (size_t i = 0; i < M->m; i++) y[i] -= M->F[i];
  double column2 = lr_dot(M->n, y, y) / (t * t);
  lr_gemv_t(M->p, M->k, M->V, M->p, v, s->t);
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -s->t[j], M->J + j * M->m, y);
  double e = length * lr_dot(M->m, y, M->G) / t;
  double error =
      lr_ls_probe_margin(s->policy, length * deviation_of_slope(s, t, column2));
  lr_oracle_count_slope(&s->run->oracle, LRGD_PURPOSE_CHECK);
  sum->S += e * e;
  sum->error2 += error * error;
  sum->used++;
}

/* A probe by a derivative that the user gives: only the noise of the residuals
 * makes it wrong. */
static lr_code probe_by_slope(lr_least_squares *s, sums *sum, bool *noisy)
{
  lr_residual_model *M = &s->M;
  double *u = direction(s), *y = M->s;
  LR_TRY(lr_ls_check(s, noisy));
  if (*noisy) return LR_GO;
  double length = draw_probe(s, u);
  LR_TRY(lr_ls_slope(s, u, LRGD_PURPOSE_CHECK, y));
  double noise = M->noise * lr_norm(M->n, y);
  lr_gemv_t(M->p, M->k, M->V, M->p, u, s->t);
  for (size_t j = 0; j < M->k; j++) lr_axpy(M->m, -s->t[j], M->J + j * M->m, y);
  double e = length * lr_dot(M->m, y, M->G);
  double error = lr_ls_probe_margin(s->policy, length * noise);
  sum->S += e * e;
  sum->error2 += error * error;
  sum->used++;
  return LR_GO;
}

/* Makes one probe.  The first one also measures the curvature of F, and is
 * repeated if its difference was too long. */
static lr_code probe(lr_least_squares *s, sums *sum, bool *noisy)
{
  if (lr_ls_has_slopes(s)) return probe_by_slope(s, sum, noisy);
  double *u = direction(s), *v = s->boxed, *y = s->M.s;
  double length = draw_probe(s, u), t = lr_ls_difference_length(s);
  LR_TRY(evaluate_along(s, u, t, v, y));
  if (s->checked != s->at.id) {
    LR_TRY(look_halfway(s, v, y, noisy));
    if (*noisy) return LR_GO;
    double better = lr_ls_difference_length(s);
    if (better != t) LR_TRY(evaluate_along(s, u, better, v, y));
  }
  take_probe(s, v, length, y, sum);
  return LR_GO;
}

/* Evaluates the points of the next n probes side by side, where possible: they
 * do not depend on values. */
static lr_code plan_probes(lr_least_squares *s, size_t n)
{
  double *u = direction(s), t = lr_ls_difference_length(s);
  uint64_t draws = s->draws;
  bool more = !lr_ls_has_slopes(s) && lr_oracle_begin_plan(&s->run->oracle);
  for (size_t i = 0; i < n && more; i++) {
    (void)draw_probe(s, u);
    lr_ls_place_along(s, u, t);
    more = lr_oracle_plan(&s->run->oracle, s->trial.x);
  }
  s->draws = draws;
  return lr_oracle_ask_planned(&s->run->oracle, LRGD_PURPOSE_CHECK);
}

/* The bound if the remaining ones of q probes were all zero. */
static double bound_by(lr_least_squares *s, const sums *sum, size_t q,
                       double share)
{
  double S = sqrt(sum->S) + sqrt(sum->error2), unit2 = s->unit * s->unit;
  double seen = lr_oracle_own(&s->run->oracle, S / unit2);
  return lr_ls_gradient_inside(s) + lr_probe_bound(seen * seen, q, share);
}

/* Adds a random direction outside V to V: *seen = the derivative of f along the
 * Gaussian vector there; 0: V is all of space. */
static lr_code look_outside(lr_least_squares *s, double *seen)
{
  lr_residual_model *M = &s->M;
  bool grown;
  *seen = 0;
  if (M->k == M->p) return LR_GO;
  LR_TRY(lr_ls_probe(s, &grown));
  if (!grown) return LR_GO;
  *seen = s->length * lr_dot(M->m, M->J + (M->k - 1) * M->m, M->G);
  return LR_GO;
}

/* Makes all probes, or only the first one where that suffices to refuse a
 * certificate. */
static lr_code make_probes(lr_least_squares *s, double share, sums *sum,
                           double *bound, bool *noisy)
{
  size_t q = (size_t)s->run->options.probes;
  double tol = s->run->goal.tol;
  LR_TRY(probe(s, sum, noisy));
  if (*noisy) return LR_GO;
  *bound = bound_by(s, sum, q, share);
  if (*bound > tol) return LR_GO;
  LR_TRY(plan_probes(s, q - 1));
  while (sum->used < q && !*noisy) LR_TRY(probe(s, sum, noisy));
  if (*noisy) return LR_GO; /* the model has been discarded meanwhile */
  *bound = bound_by(s, sum, q, share);
  return LR_GO;
}

lr_code lr_ls_certify_all(lr_least_squares *s, lr_ls_verdict *verdict)
{
  lr_run *run = s->run;
  double share, bound = INFINITY, outside;
  sums sum = {0};
  bool noisy = false;
  *verdict = LR_LS_OUTSIDE;
  s->certified = s->at.id;
  LR_TRY(look_outside(s, &outside));
  sums alone = {.S = outside * outside};
  (void)lr_next_look(run, &share);
  if (bound_by(s, &alone, (size_t)run->options.probes, share) > run->goal.tol)
    return LR_GO;
  lr_code code = make_probes(s, share, &sum, &bound, &noisy);
  if (code == LR_NOVALUE || noisy) return LR_GO;
  LR_TRY(code);
  lr_run_stand(run, &s->at);
  run->progress.grad_norm = lr_ls_gradient_inside(s);
  run->claim.probed = sum.used;
  double mean = sum.S / (double)sum.used;
  if (!lr_ls_blames_outside(s->policy, alone.S, mean)) *verdict = LR_LS_DOUBT;
  return lr_run_certified(run, bound);
}
