/* Least squares: minimises f = |F|^2 / 2 from residuals F: R^p -> R^m.
 *
 * A model of F is kept along a growing set of random directions
 * (residual_model.h).  An evaluation is one of four things:
 *   a step to where f is expected to be least, if that promises much;
 *   a difference along a direction of the model whose derivative has become
 *     uncertain, if that costs more of the promise than it gains;
 *   a difference along a new direction otherwise;
 *   a renewal of all of J where f falls more slowly than that would make it.
 * If F = G(A x), A having r rows, some r directions are enough whatever p:
 * every one of them brings a column of m numbers. */
#include "least_squares/gauss_newton.h"

#include "least_squares/least_squares_rules.h"
#include "least_squares/least_squares_state.h"

#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "subspace/probe.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- life ---- */

static void close_run(lr_least_squares *s)
{
  const lrgd_allocator *a = &s->run->allocator;
  if (s->points) s->run->space->ops->free(s->run->space, s->points);
  lr_residual_model_clear(&s->M);
  lr_free(a, s->D);
  lr_free(a, s->start.x);
  lr_free(a, s->start.J);
  lr_free(a, s->track.evaluations);
  lr_free(a, s->track.f);
}

/* Whether the columns of V, in the user's inputs, are orthogonal. */
static bool is_orthogonal(const lr_least_squares *s)
{
  if (s->axes) return true;
  for (size_t i = 1; i < s->M.p; i++)
    if (s->D[i] != s->D[0]) return false;
  return true;
}

/* Leaves the Jacobian and the basis along whose columns it is. */
static void leave_jacobian(lr_least_squares *s)
{
  lr_run *run = s->run;
  const lr_residual_model *M = &s->M;
  if (M->k == 0 || !is_orthogonal(s)) return;
  if (lr_basis_reserve(&run->U, M->k) != LRGD_OK) return;
  run->fitted.J =
      lr_alloc_raw(&run->allocator, M->m * M->k, sizeof *run->fitted.J);
  if (!run->fitted.J) return;
  run->fitted.k = run->U.k = M->k;
  for (size_t j = 0; j < M->k; j++) {
    double *column = run->fitted.J + j * M->m;
    memcpy(column, M->J + j * M->m, M->m * sizeof *column);
    lr_scale(M->m, 1 / (s->unit * s->D[s->axes ? j : 0]), column);
    run->space->ops->put(run->space, lr_basis_column(&run->U, j), 0, M->p,
                         M->V + j * M->p);
  }
}

/* Leaves what is known at the base to the run, for those who ask afterwards;
 * without memory for it there is nothing. */
static void leave_model(lr_least_squares *s)
{
  lr_run *run = s->run;
  const lr_residual_model *M = &s->M;
  lr_run_forget_fit(run);
  run->fitted.m = M->m;
  run->fitted.f = s->at.f;
  run->fitted.F = lr_alloc_raw(&run->allocator, M->m, sizeof *run->fitted.F);
  if (!run->fitted.F) return;
  memcpy(run->fitted.F, M->F, M->m * sizeof *run->fitted.F);
  lr_scale(M->m, 1 / s->unit, run->fitted.F);
  leave_jacobian(s);
}

static lr_code open_run(lr_least_squares *s, lr_run *run)
{
  const lrgd_allocator *a = &run->allocator;
  size_t p = run->space->dimension, m = run->oracle.answers.residual_count;
  *s = (lr_least_squares){.run = run, .policy = run->policy, .unit = 1};
  const lr_known_rows *known = run->oracle.answers.known;
  lrgd_status status = lr_residual_model_init(&s->M, p, m, a);
  if (known) lr_residual_model_know(&s->M, known->count);
  s->points = run->space->ops->make(run->space, LR_LS_POINTS);
  s->D = lr_alloc(a, 6 * p + m, sizeof *s->D);
  s->start.x = lr_alloc(a, p + m, sizeof *s->start.x);
  if (status != LRGD_OK || !s->points || !s->D || !s->start.x)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu inputs and %zu residuals", p,
                           m);
  s->z = s->D + p, s->w = s->z + p, s->t = s->w + p, s->u = s->t + p;
  s->boxed = s->u + p, s->r = s->boxed + p;
  s->start.F = s->start.x + p;
  s->at.x = (lrgd_vec){s->points, LR_LS_BASE};
  s->trial.x = (lrgd_vec){s->points, LR_LS_TRIAL};
  return LR_GO;
}

/* The power of two that brings the largest of the residuals near 1. */
static double unit_of(size_t m, const double *r)
{
  double most = lr_largest_residual(m, r);
  int exponent = 0;
  if (most > 0) (void)frexp(most, &exponent);
  return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

/* The root mean square of the start, which is the size of an input. */
static double size_of(const lr_least_squares *s)
{
  const double *x = lrgd_host_data(s->at.x);
  return lr_norm(s->M.p, x) / sqrt((double)s->M.p);
}

/* Lengths of the scaled coordinates: the size of an input, or half the width of
 * its bounds. */
static void set_scale(lr_least_squares *s)
{
  double p = (double)s->M.p, size = fmax(1, size_of(s));
  for (size_t i = 0; i < s->M.p; i++) s->D[i] = size;
  s->reach = lr_ls_reach(s->policy, p, size_of(s) / size);
  if (!lr_ls_boxed(s)) return;
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  for (size_t i = 0; i < s->M.p; i++) {
    double half = 0.5 * upper[i] - 0.5 * lower[i];
    if (half > 0 && lr_ls_is_scale(s->policy, half, size)) s->D[i] = half;
  }
  s->reach = lr_ls_reach(s->policy, p, 0);
}

/* The relative rounding error of an input, in scaled coordinates: differences
 * are far longer. */
static void set_rounding(lr_least_squares *s)
{
  const double *x = lrgd_host_data(s->at.x);
  double most = 0;
  for (size_t i = 0; i < s->M.p; i++) most = fmax(most, fabs(x[i]) / s->D[i]);
  s->rounding = DBL_EPSILON * most;
}

/* The root mean square, over the directions of space, of what known rows change
 * along them. */
static void set_known_size(lr_least_squares *s)
{
  const lr_known_rows *known = s->run->oracle.answers.known;
  double sum = 0;
  for (size_t e = 0; known && e < known->begin[known->count]; e++) {
    double a = s->unit * known->coefficient[e] * s->D[known->input[e]];
    sum += a * a;
  }
  s->known_size = sqrt(sum / (double)s->M.p);
}

static void suppose_noise(lr_least_squares *s)
{
  double most = lr_largest_residual(s->M.n, s->M.F);
  if (s->listened == 0) s->M.noise = 1e-15 * most;
}

/* F at the start, and the scales that follow from it. */
static lr_code begin(lr_least_squares *s)
{
  lr_run *run = s->run;
  size_t p = s->M.p, m = s->M.m;
  run->space->ops->copy(run->space, s->trial.x, run->at.x, 1);
  lr_code code = lr_ls_evaluate(s, LRGD_PURPOSE_DESCEND, s->start.F);
  if (code == LR_NOVALUE)
    return lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_START_FAILED});
  LR_TRY(code);
  run->record.start_f = s->trial.f;
  s->unit = unit_of(m, s->start.F);
  lr_scale(m, s->unit, s->start.F);
  run->space->ops->copy(run->space, s->at.x, s->trial.x, 1);
  s->at.f = s->trial.f, s->at.id = s->trial.id;
  memcpy(s->start.x, lrgd_host_data(s->at.x), p * sizeof(double));
  s->start.f = s->at.f;
  lr_residual_model_set_base(&s->M, s->start.F);
  set_scale(s);
  set_rounding(s);
  set_known_size(s);
  double rms = sqrt(2 * lr_residual_model_uncertain_f(&s->M) / (double)s->M.n);
  s->first_c = fmax(lr_ls_first_curvature(s->reach, rms), DBL_MIN);
  s->least_c = 1e-10 * s->first_c; /* else noise / c overflows */
  suppose_noise(s);
  lr_ls_forget(s);
  s->bend = s->first_c;
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_LEAST_SQUARES,
                                     .count = m});
  return LR_GO;
}

/* ---- steps ---- */

/* A direction of which nothing is known but the size of its column. */
static lr_code append_unknown(lr_least_squares *s, const double *u, double size)
{
  lr_residual_model *M = &s->M;
  double deviation = size / M->c;
  memset(M->s, 0, M->m * sizeof *M->s);
  lr_ls_know(s, u, M->s);
  if (lr_residual_model_append(M, u, M->s,
                               deviation * deviation / (double)M->n) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", M->k + 1);
  M->size[M->k - 1] = size;
  return LR_GO;
}

/* The root mean square of the norms of the last columns. */
static double column_size(const lr_residual_model *M)
{
  size_t n = M->k < 5 ? M->k : 5;
  double sum = 0;
  for (size_t j = M->k - n; j < M->k; j++) sum += M->size[j] * M->size[j];
  return sqrt(sum / (double)n);
}

/* The norm of a whole column: known rows have their root mean square. */
static double whole_size(const lr_least_squares *s)
{
  return lr_hypot(column_size(&s->M), s->known_size);
}

/* Whether b + D V z is outside the bounds. */
static bool leaves_box(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  if (!lr_ls_boxed(s)) return false;
  const double *b = lrgd_host_data(s->at.x);
  const double *lower = lr_ls_lower(s);
  const double *upper = lr_ls_upper(s);
  memset(s->u, 0, M->p * sizeof *s->u);
  lr_gemv(M->p, M->k, M->V, M->p, s->z, s->u);
  for (size_t i = 0; i < M->p; i++) {
    double x = b[i] + s->D[i] * s->u[i];
    if (x < lower[i] || x > upper[i]) return true;
  }
  return false;
}

/* A step may take a new direction along: *joint. */
static lr_code join(lr_least_squares *s, double promised, bool *joint)
{
  lr_residual_model *M = &s->M;
  double *u = lrgd_host_data((lrgd_vec){s->points, LR_LS_DRAW});
  *joint = false;
  if (s->landings == 0 || M->k >= M->p || !lr_ls_joins(s->policy, s->ratio))
    return LR_GO;
  double size = column_size(M), m = (double)M->n;
  double error2 = M->c * M->c * lr_residual_model_error2(M, s->z);
  double error = sqrt(m * (error2 + 2 * M->noise * M->noise));
  double t = lr_ls_joint(s->policy, lr_norm(M->m, s->r), promised, error,
                         whole_size(s));
  if (!(t > 1e-9 * s->reach) || !lr_ls_draw(s, u)) return LR_GO;
  LR_TRY(append_unknown(s, u, size));
  s->z[M->k - 1] = t;
  *joint = true;
  return LR_GO;
}

/* Where the step z leads out of the bounds, *bent: the displacement in s->boxed
 * takes its place, to where f is expected to be least within them.  *promised
 * is what is expected of it. */
static lr_code bend(lr_least_squares *s, double *promised, bool *bent)
{
  lr_residual_model *M = &s->M;
  *bent = leaves_box(s);
  if (!*bent) return LR_GO;
  double size = whole_size(s);
  if (lr_ls_box_step(s, size, s->boxed) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a step in %zu inputs", M->p);
  lr_ls_place_step(s, s->boxed);
  double out = lr_ls_split(s, s->z, s->u);
  *promised =
      lr_residual_model_promise(M, s->z, s->r) - 0.5 * size * size * out * out;
  return LR_GO;
}

/* The trial of a step that bounds have bent.  What leads out of V becomes a
 * direction. */
static lr_code place_bent(lr_least_squares *s, double *promised)
{
  lr_residual_model *M = &s->M;
  lr_ls_place_step(s, s->boxed);
  double out = lr_ls_split(s, s->z, s->u);
  if (M->k < M->p && lr_ls_bent(s->policy, out, lr_norm(M->p, s->boxed))) {
    lr_scale(M->p, 1 / out, s->u);
    LR_TRY(append_unknown(s, s->u, column_size(M)));
    s->z[M->k - 1] = out;
  }
  *promised = lr_residual_model_promise(M, s->z, s->r);
  return LR_GO;
}

/* The curvature by which the model's error at z is what it was, in e. */
static double seen_curvature(const lr_least_squares *s, const double *e)
{
  const lr_residual_model *M = &s->M;
  double noise2 = 2 * M->noise * M->noise;
  double mean = lr_dot(M->n, e, e) / (double)M->n - noise2;
  double error2 = lr_residual_model_error2(M, s->z) + 1e-300;
  /* an error below the noise shows no more than that */
  return sqrt(fmax(mean, noise2) / error2);
}

/* The columns measured at the start are kept when the base first moves. */
static lr_code keep_start(lr_least_squares *s, size_t k)
{
  const lr_residual_model *M = &s->M;
  if (s->start.J) return LR_GO;
  s->start.J = lr_alloc_raw(&s->run->allocator, M->m * k, sizeof *s->start.J);
  if (!s->start.J)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu columns", k);
  memcpy(s->start.J, M->J, M->m * k * sizeof *s->start.J);
  s->start.k = k;
  return LR_GO;
}

/* The base moves to the trial, whose residuals are y. */
static lr_code move(lr_least_squares *s, const double *y)
{
  lr_run *run = s->run;
  run->space->ops->copy(run->space, s->at.x, s->trial.x, 1);
  s->at.f = s->trial.f, s->at.id = s->trial.id;
  lr_residual_model_set_base(&s->M, y);
  suppose_noise(s);
  run->at = s->at;
  return lr_run_arrived(run);
}

/* A step to z, which promises a decrease: F is evaluated there, the model
 * learns of its error, and the base moves where f is lower. */
static lr_code land(lr_least_squares *s, double promised, bool bent)
{
  lr_residual_model *M = &s->M;
  size_t known = M->k;
  bool joint = false;
  if (bent) LR_TRY(place_bent(s, &promised));
  joint = M->k > known;
  if (bent && !(promised > 0) && !joint) {
    M->c *= s->policy->ls_bend_margin; /* nothing within reach is promised */
    s->ratio = 0;
    return LR_GO;
  }
  if (!lr_ls_boxed(s)) LR_TRY(join(s, promised, &joint));
  if (!bent) lr_ls_place(s, s->z);
  double *y = M->s, *e = s->r;
  lr_code code = lr_ls_evaluate(s, LRGD_PURPOSE_DESCEND, y);
  if (code == LR_NOVALUE) {
    M->c = lr_ls_shorten(s->policy, M->c);
    s->ratio = -1;
    return LR_GO;
  }
  LR_TRY(code);
  double f = 0.5 * lr_dot(M->m, y, y);
  for (size_t i = 0; i < M->m; i++) e[i] = y[i] - e[i];
  s->landings++;
  s->ratio = promised > 0 ? (M->f - f) / promised : 0;
  /* the first step only measures the curvature, unless it leads far down */
  bool aside = s->landings == 1 && M->k < M->p &&
               !(promised > s->policy->ls_land_share * M->f);
  lr_ls_landing l = {.before = M->c,
                     .seen = joint ? M->c : seen_curvature(s, e),
                     .least = s->least_c,
                     .fell = f < M->f,
                     .first = s->landings == 1};
  l.moved = l.fell && !aside;
  if (!joint) s->bend = l.seen;
  if (l.moved) LR_TRY(keep_start(s, known));
  lr_residual_model_learn(M, s->z, e, l.moved);
  if (l.fell || !joint) M->c = lr_ls_curvature(s->policy, &l);
  return l.moved ? move(s, y) : LR_GO;
}

/* ---- what comes next ---- */

/* The mean of what the last columns added to the promise, as a share of f. */
static double mean_gain(const lr_ls_gains *g)
{
  size_t n = g->count < LR_LS_GAINS ? g->count : LR_LS_GAINS;
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += g->share[i];
  return n > 0 ? sum / (double)n : 0;
}

/* A column was taken in; what it adds is known at the next step. */
static void expect_gain(lr_ls_gains *g, double promised)
{
  g->open = true;
  g->before = promised;
}

static void settle_gain(lr_ls_gains *g, double promised, double f)
{
  if (!g->open) return;
  g->share[g->count++ % LR_LS_GAINS] = fmax(promised - g->before, 0) / f;
  g->open = false;
}

static lr_ls_view view(lr_least_squares *s, double promised)
{
  return (lr_ls_view){
      .p = (double)s->M.p,
      .k = (double)s->M.k,
      .f = s->M.f,
      .promised = promised,
      .gain = mean_gain(&s->gains) * s->M.f,
      .since = (double)(lr_ls_evaluations(s) - s->grown),
      .is_new = lr_ls_columns_new(s),
      .landed = s->landings > 0,
  };
}

static lr_code refresh_stalest(lr_least_squares *s, const lr_ls_view *v,
                               bool *done)
{
  double cost;
  *done = false;
  if (!lr_ls_may_refresh(s->policy, v)) return LR_GO;
  lrgd_status status = lr_residual_model_stalest(&s->M, s->w, &cost);
  if (status != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, status, "no singular directions");
  if (!lr_ls_refreshes(s->policy, v, cost)) return LR_GO;
  return lr_ls_refresh(s, s->w, done);
}

/* The tolerance from the columns at the start, where the user gave none. */
static void set_tolerance(lr_least_squares *s)
{
  lr_run *run = s->run;
  double first = lr_ls_gradient_all(s) * sqrt((double)s->M.p);
  bool few = (double)s->M.k < s->policy->ls_first_columns && s->M.k < s->M.p;
  if (run->goal.tol > 0 || few) return;
  first /= sqrt((double)s->M.k);
  run->goal.tol = s->policy->default_tolerance * first;
}

/* Whether nothing is promised inside V nor expected outside of it: the decrease
 * is below rounding, or below noise in k + 1 numbers. */
static bool is_idle(const lr_least_squares *s, double promised)
{
  const lr_residual_model *M = &s->M;
  double noise = 4 * (double)(M->k + 1) * M->noise * M->noise;
  double small = fmax(1e-10 * M->f, noise);
  bool outside = M->k < M->p && mean_gain(&s->gains) * M->f >= small;
  return s->landings > 0 && promised < small && !outside;
}

/* No decrease is left to be had: as stalled, with what is known of the
 * gradient. */
static lr_code give_up(lr_least_squares *s)
{
  lr_run *run = s->run;
  run->at = s->at;
  double norm = lr_ls_gradient_inside(s);
  run->progress.grad_norm = norm;
  return lr_oracle_stall(
      &run->oracle,
      s->listened > 0 && s->M.noise > 0 ? LRGD_STALL_NOISE
                                        : LRGD_STALL_NO_DECREASE,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_NO_STEP,
                      .norm = LRGD_NORM_SUBSPACE,
                      .value = lr_run_told(run, norm),
                      .limit = lr_run_told(run, run->goal.tol)});
}

/* All of J is measured at the base, once. */
static lr_code renew_here(lr_least_squares *s)
{
  s->renewed = s->at.id;
  s->certified = 0;
  s->idle = s->failures = 0;
  s->stepped = false;
  return lr_ls_renew(s);
}

/* Ends the run where the gradient is small, or no decrease is left.  J is
 * measured anew first where it is too uncertain to tell. */
static lr_code look(lr_least_squares *s, double promised)
{
  const lr_policy *P = s->policy;
  set_tolerance(s);
  if (!(s->M.f > 0)) { /* no derivative of the residuals can change that */
    s->run->at = s->at;
    return lr_run_converged(s->run, 0, s->run->options.confidence, 0);
  }
  double tol = s->run->goal.tol, inside = lr_ls_gradient_inside(s);
  bool fresh = s->renewed == s->at.id;
  if (s->landings > 0 && tol > 0 && s->certified != s->at.id &&
      lr_ls_certifies(P, inside, tol)) {
    if (lr_ls_certifies(P, inside + lr_ls_gradient_error(s), tol))
      return lr_ls_certify(s);
    if (!fresh && lr_ls_may_grow(P, promised, s->M.f)) return renew_here(s);
  }
  s->idle = is_idle(s, promised) ? s->idle + 1 : 0;
  bool stalls = lr_ls_stalls(P, s->failures, s->idle);
  if (stalls && fresh && lr_ls_boxed(s) && s->M.k < s->M.p) {
    bool grown; /* what bounds hold in V may be free outside */
    LR_TRY(lr_ls_grow(s, &grown));
    if (grown) s->idle = s->failures = 0;
    if (grown) return LR_GO;
  }
  if (stalls && fresh) return give_up(s);
  if (!fresh && (stalls || lr_ls_distrusts(P, s->failures)))
    return renew_here(s);
  return LR_GO;
}

/* V is all of space, and there are bounds: the axes, along which differences
 * can always lead inwards, take its place. */
static lr_code turn_to_axes(lr_least_squares *s)
{
  if (lr_residual_model_turn(&s->M) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", s->M.p);
  s->start.k = 0;
  s->axes = true;
  return LR_GO;
}

/* The first direction.  Where F has no value beside the base, however often one
 * is drawn, the run ends. */
static lr_code begin_columns(lr_least_squares *s)
{
  bool grown;
  LR_TRY(lr_ls_grow(s, &grown));
  s->failures = grown ? 0 : s->failures + 1;
  return lr_ls_stalls(s->policy, s->failures, 0) ? give_up(s) : LR_GO;
}

/* One evaluation, or a renewal of J. */
static lr_code iterate(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  bool done, slow, bent;
  if (M->k == 0 && M->f > 0) return begin_columns(s);
  if (!(M->f > 0)) return look(s, 0);
  LR_TRY(lr_ls_is_slow(s, &slow));
  if (slow) LR_TRY(lr_ls_sweep(s));
  if (lr_ls_boxed(s) && M->k == M->p && !s->axes) LR_TRY(turn_to_axes(s));
  if (lr_residual_model_step(M, s->z) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a step in %zu directions", M->k);
  double promised = lr_residual_model_promise(M, s->z, s->r);
  LR_TRY(bend(s, &promised, &bent));
  settle_gain(&s->gains, promised, M->f);
  size_t k = M->k;
  s->stepped = true;
  LR_TRY(look(s, promised));
  if (M->k > k || !s->stepped) return LR_GO; /* the model has changed */
  lr_ls_view v = view(s, promised);
  if (!lr_ls_lands(s->policy, &v)) {
    expect_gain(&s->gains, promised);
    LR_TRY(lr_ls_grow_towards(s, s->r, v.gain, &done));
    if (done) return LR_GO;
    settle_gain(&s->gains, promised, M->f); /* a failure gains nothing */
    s->grown = lr_ls_evaluations(s);
  }
  LR_TRY(refresh_stalest(s, &v, &done));
  if (done) return LR_GO;
  (void)lr_residual_model_promise(M, s->z, s->r);
  LR_TRY(land(s, promised, bent));
  s->failures = s->ratio > 0 ? 0 : s->failures + 1;
  bool poor = lr_ls_doubts(s->policy, s->ratio);
  bool again =
      s->listened == 0 || (s->landings > 4 * s->listened && s->ratio < 0);
  return poor && again && s->landings > 0 ? lr_ls_listen(s, &done) : LR_GO;
}

lr_code lr_method_least_squares(lr_run *run)
{
  lr_least_squares s;
  lr_code code = open_run(&s, run);
  if (code == LR_GO) code = begin(&s);
  while (code == LR_GO) code = iterate(&s);
  if (code == LR_END && s.first_c > 0) leave_model(&s);
  close_run(&s);
  return code;
}
