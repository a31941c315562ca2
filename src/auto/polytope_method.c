/* A quasi-Newton method for A x = b within bounds.
 *
 * Every point that is evaluated lies on the affine subspace and in the box.  A
 * step goes towards the minimum of a quadratic model there (projected gradients
 * choose a face, conjugate gradients minimise on it; More, Toraldo, SIAM J.
 * Optim. 1, 1991): the segment to it is feasible as both of its ends are.
 *
 * Differences are taken along edge directions: one nonbasic coordinate changes,
 * away from its bound, and m basic ones compensate; p - m such directions
 * determine the gradient within the subspace.  At a degenerate vertex no m
 * basic coordinates have room: the gradient is measured at three distances
 * inside, and extrapolated. */
#include "auto/polytope_method.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/rounding.h"
#include "base/vector.h"
#include "polytope/polytope_rules.h"
#include "polytope/secant.h"
#include "space/vec.h"
#include "step/step_rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Columns of the block of points. */
enum { HERE, NEXT, APART, POINTS };

typedef struct confined {
  lr_run *run;
  lr_polytope *P;
  size_t p, m;
  lrgd_block *points, *dirs;
  lr_point here, next;
  lr_secant B;
  double *room; /* the memory of all arrays that follow, p numbers each */
  double *g, *last, *to, *G, *v, *w, *inside;
  /* error of g beyond that of its differences: from extrapolation */
  double doubt;
} confined;

static double *numbers(const confined *c, int column)
{
  return lrgd_host_data((lrgd_vec){c->points, (size_t)column});
}

static lr_code no_memory(const confined *c)
{
  return lr_oracle_fault(&c->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu inputs on a plane", c->p);
}

/* ---- the gradient ---- */

/* Unit edge directions into the block, one for each nonbasic coordinate j that
 * can move, with j and the length before scaling; returns how many. */
static size_t directions(confined *c, const double *x, double least,
                         size_t *which, double *length)
{
  lr_polytope *P = c->P;
  size_t n = 0;
  for (size_t j = 0; j < c->p; j++) {
    bool basic = false;
    for (size_t i = 0; i < c->m; i++) basic |= P->basic[i] == j;
    if (basic) continue;
    if (P->upper[j] - P->lower[j] < least) {
      if (P->upper[j] > P->lower[j]) lr_oracle_miss_slope(&c->run->oracle);
      continue;
    }
    double *u = lrgd_host_data((lrgd_vec){c->dirs, n});
    /* away from the nearer bound */
    double side = P->upper[j] - x[j] < x[j] - P->lower[j] ? -1 : 1;
    memset(u, 0, c->p * sizeof *u);
    u[j] = side;
    for (size_t i = 0; i < c->m; i++)
      u[P->basic[i]] = -side * P->M[j * c->m + i];
    length[n] = lr_norm(c->p, u);
    lr_scale(c->p, 1 / length[n], u);
    length[n] *= side;
    which[n++] = j;
  }
  return n;
}

/* g: the gradient by differences at a point, projected onto the subspace. *fine
 * is false where no basis of coordinates has room for its differences. */
static lr_code differences(confined *c, lr_point *at, lrgd_purpose why,
                           double *g, bool *fine)
{
  lr_oracle *o = &c->run->oracle;
  const double *x = lrgd_host_data(at->x);
  LR_TRY(lr_oracle_value(o, at, why));
  double h = lr_oracle_reach(o, at, 0);
  *fine = lr_polytope_basis(c->P, x, 2 * h);
  if (!*fine) return LR_GO;
  size_t *which = lr_alloc(&c->run->allocator, c->p, sizeof *which);
  double *length = c->v, *d = c->w;
  if (!which) return no_memory(c);
  size_t n = directions(c, x, 2 * h, which, length);
  lr_code code =
      n > 0 ? lr_oracle_slopes(o, at, (lrgd_vec){c->dirs, 0}, n, why, d)
            : LR_GO;
  memset(g, 0, c->p * sizeof *g);
  double squares = 0;
  for (size_t i = 0; i < n && code == LR_GO; i++) {
    g[which[i]] = d[i] * length[i];
    squares += length[i] * length[i];
  }
  if (n > 0) lr_oracle_scale_errors(o, sqrt(squares / (double)n));
  lr_polytope_level(c->P, g);
  lr_free(&c->run->allocator, which);
  return code;
}

/* Finds an interior point of the polytope: the mean of the projections of
 * random points. */
static void find_inside(confined *c)
{
  lrgd_space *space = c->run->space;
  size_t n = lr_polytope_interior(c->run->policy);
  double scale = lr_scale_of(space, c->here.x), *y = numbers(c, APART);
  memset(c->inside, 0, c->p * sizeof *c->inside);
  for (uint64_t k = 0; k < n; k++) {
    space->ops->gaussian(space, (lrgd_vec){c->points, APART},
                         (uint64_t)c->run->options.seed, LR_STREAM_NULL + k);
    for (size_t i = 0; i < c->p; i++) {
      double low = c->P->lower[i], high = c->P->upper[i];
      bool both = lr_finite(low) && lr_finite(high);
      y[i] = both ? 0.5 * (low + high) + 0.5 * y[i] * (high - low)
                  : numbers(c, HERE)[i] + scale * y[i];
    }
    (void)lr_polytope_project(c->P, y);
    lr_axpy(c->p, 1.0 / (double)n, y, c->inside);
  }
}

/* The gradient measured at a share of the way to the interior point. */
static lr_code from_inside(confined *c, double share, lrgd_purpose why,
                           double *g, bool *fine)
{
  lr_point at = {
      .x = {c->points, APART}
  };
  double *y = numbers(c, APART);
  for (size_t i = 0; i < c->p; i++)
    y[i] = (1 - share) * numbers(c, HERE)[i] + share * c->inside[i];
  lr_oracle_rename(&c->run->oracle, &at);
  LR_TRY(differences(c, &at, why, g, fine));
  return LR_GO;
}

static lr_code measure_degenerate(confined *c, lrgd_purpose why)
{
  bool fine = false;
  double share = 0;
  find_inside(c);
  while (!fine && lr_polytope_next_share(c->run->policy, &share))
    LR_TRY(from_inside(c, share, why, c->g, &fine));
  if (!fine) {
    lr_oracle_miss_slope(&c->run->oracle); /* bounds leave no room anywhere */
    memset(c->g, 0, c->p * sizeof *c->g);
    return LR_GO;
  }
  LR_TRY(from_inside(c, 2 * share, why, c->G, &fine));
  double *third = numbers(c, NEXT); /* scratch: it holds no trial now */
  if (fine) LR_TRY(from_inside(c, 4 * share, why, third, &fine));
  /* linear extrapolation from the first two, and from the last two: their
   * difference is the error bound */
  for (size_t i = 0; i < c->p; i++) {
    double near = 2 * c->g[i] - c->G[i], far = 2 * c->G[i] - third[i];
    c->g[i] = near;
    c->G[i] = near - far;
  }
  c->doubt = fine ? lr_norm(c->p, c->G) : INFINITY;
  return LR_GO;
}

/* g at the iterate, and the norm of its projection on the tangent cone. */
static lr_code measure(confined *c, lrgd_purpose why, double *norm)
{
  lr_run *run = c->run;
  lr_oracle *o = &run->oracle;
  bool fine = true;
  c->doubt = 0;
  lr_oracle_begin_gradient(o);
  if (lr_oracle_has_derivatives(o)) {
    lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
    double whole;
    LR_TRY(lr_run_gradient_at(run, &c->here, g, why, 0, &whole));
    memcpy(c->g, lrgd_host_data(g), c->p * sizeof *c->g);
  } else {
    LR_TRY(differences(c, &c->here, why, c->g, &fine));
    if (!fine) LR_TRY(measure_degenerate(c, why));
    lr_oracle_is_whole_gradient(o, &c->here);
  }
  if (!lr_all_finite(c->g, c->p)) return LR_NOVALUE;
  for (size_t i = 0; i < c->p; i++) c->v[i] = -c->g[i];
  lr_polytope_tangent(c->P, numbers(c, HERE), c->v);
  *norm = lr_norm(c->p, c->v) + c->doubt;
  return LR_GO;
}

/* ---- the minimum of the model ---- */

/* Puts coordinates that are a rounding error away from a bound on it. */
static void snap(const confined *c, double *x)
{
  for (size_t i = 0; i < c->p; i++) {
    double low = c->P->lower[i], high = c->P->upper[i];
    double slack = 8 * DBL_EPSILON * fmax(1, fabs(x[i]));
    if (x[i] < low + slack) x[i] = low;
    if (x[i] > high - slack) x[i] = high;
  }
}

/* G = g + B (to - x) */
static void model_gradient(confined *c)
{
  const double *x = numbers(c, HERE);
  for (size_t i = 0; i < c->p; i++) c->v[i] = c->to[i] - x[i];
  lr_secant_times(&c->B, c->v, c->G);
  lr_axpy(c->p, 1, c->g, c->G);
}

/* One projected gradient step of the model, to its minimum along the line. */
static void project_step(confined *c)
{
  for (size_t i = 0; i < c->p; i++) c->v[i] = c->to[i] - c->G[i] / c->B.scale;
  (void)lr_polytope_project(c->P, c->v);
  for (size_t i = 0; i < c->p; i++) c->v[i] -= c->to[i];
  lr_secant_times(&c->B, c->v, c->w);
  double slope = lr_dot(c->p, c->G, c->v), bent = lr_dot(c->p, c->v, c->w);
  if (!(slope < 0)) return;
  double t = bent > 0 ? fmin(1, -slope / bent) : 1;
  lr_axpy(c->p, t, c->v, c->to);
  snap(c, c->to);
  model_gradient(c);
}

/* Conjugate gradients on the face, up to its boundary. last: the direction, v:
 * the residual, w: B times the direction. */
static void face_steps(confined *c, double norm)
{
  size_t p = c->p, most = lr_polytope_cg_steps(c->run->policy, p);
  double *r = c->v, *d = c->last, before = 0;
  for (size_t i = 0; i < most; i++) {
    for (size_t j = 0; j < p; j++) r[j] = -c->G[j];
    lr_polytope_face(c->P, c->to, r);
    double left = lr_dot(p, r, r);
    if (!lr_polytope_cg_goes_on(c->run->policy, left, norm)) return;
    for (size_t j = 0; j < p; j++)
      d[j] = r[j] + (i > 0 ? left / before * d[j] : 0);
    before = left;
    lr_secant_times(&c->B, d, c->w);
    double bent = lr_dot(p, d, c->w), slope = -lr_dot(p, c->G, d);
    if (!(bent > 0 && slope > 0)) return;
    double t = slope / bent, reach = lr_polytope_reach(c->P, c->to, d, t);
    lr_axpy(p, reach, d, c->to);
    lr_axpy(p, reach, c->w, c->G);
    if (reach < t) break; /* another face */
  }
  snap(c, c->to);
}

/* to: the minimum of the model on the polytope. */
static void minimise(confined *c, double norm)
{
  double left = INFINITY;
  memcpy(c->to, numbers(c, HERE), c->p * sizeof *c->to);
  memcpy(c->G, c->g, c->p * sizeof *c->G);
  for (int i = 0; lr_polytope_visits(c->run->policy, i, left, norm); i++) {
    project_step(c);
    face_steps(c, norm);
    model_gradient(c);
    for (size_t j = 0; j < c->p; j++) c->v[j] = -c->G[j];
    lr_polytope_tangent(c->P, c->to, c->v);
    left = lr_norm(c->p, c->v);
  }
  (void)lr_polytope_project(c->P, c->to);
}

/* ---- steps ---- */

/* next = x + t (to - x), and evaluates f there. */
static lr_code try_step(confined *c, double t, double *f)
{
  const double *x = numbers(c, HERE);
  double *y = numbers(c, NEXT);
  for (size_t i = 0; i < c->p; i++)
    y[i] = t == 1 ? c->to[i] : x[i] + t * (c->to[i] - x[i]);
  snap(c, y);
  (void)lr_polytope_settle(c->P, y);
  lr_oracle_rename(&c->run->oracle, &c->next);
  lr_code code =
      lr_oracle_value(&c->run->oracle, &c->next, LRGD_PURPOSE_SEARCH);
  *f = code == LR_GO ? c->next.f : INFINITY;
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  return lr_run_offer(c->run, &c->next);
}

/* Armijo's line search on the segment to the model's minimum.  *moved: it
 * succeeded. */
static lr_code search(confined *c, bool *moved)
{
  enum { TRIALS = 30 }; /* 2^-30 of the segment: below rounding */
  const lr_policy *P = c->run->policy;
  const double *x = numbers(c, HERE);
  double slope = 0, t = 1, f;
  /* the error of the difference of two values: noise, or rounding */
  double level = fmax(2 * c->run->oracle.differences.noise,
                      lr_value_rounding(P, c->here.f));
  for (size_t i = 0; i < c->p; i++) slope += c->g[i] * (c->to[i] - x[i]);
  *moved = false;
  for (int i = 0; i < TRIALS && slope < 0; i++) {
    LR_TRY(try_step(c, t, &f));
    *moved = lr_polytope_accepts(P, c->here.f, t, slope, level, f);
    if (*moved) return LR_GO;
    double bend = 2 * (f - c->here.f - t * slope);
    double best = lr_finite(f) && bend > 0 ? -slope * t * t / bend : 0;
    t = lr_search_next(P, t, best, false);
  }
  return LR_GO;
}

static void exchange(confined *c)
{
  lr_point left = c->here;
  c->here = c->next;
  c->next = left;
  memcpy(c->to, numbers(c, HERE), c->p * sizeof *c->to); /* the former x */
  c->run->space->ops->copy(c->run->space, (lrgd_vec){c->points, HERE},
                           c->here.x, 1);
  c->here.x.col = HERE;
  c->next.x.col = NEXT;
  lr_run_stand(c->run, &c->here);
}

/* Measures the gradient at the iterate again (lr_run.own). */
static lr_code measure_again(void *self, lrgd_vec g)
{
  confined *c = self;
  bool fine;
  LR_TRY(differences(c, &c->here, LRGD_PURPOSE_CHECK, c->G, &fine));
  if (!fine) return LR_NOVALUE;
  c->run->space->ops->put(c->run->space, g, 0, c->p, c->G);
  return LR_GO;
}

/* c->g as a vector of the run. */
static lrgd_vec as_vector(const confined *c)
{
  lrgd_vec g = lr_run_work(c->run, LR_WORK_GRADIENT);
  c->run->space->ops->put(c->run->space, g, 0, c->p, c->g);
  return g;
}

/* ---- the run ---- */

static double curvature_guess(const confined *c)
{
  double size = lr_scale_of(c->run->space, c->here.x);
  double g = lr_norm(c->p, c->g);
  return g > 0 ? g / size : 1;
}

static lr_code stand(confined *c, double *norm)
{
  lr_code code = measure(c, LRGD_PURPOSE_DESCEND, norm);
  lr_run_stand(c->run, &c->here); /* the value of the point is known now */
  if (code == LR_NOVALUE)
    return lr_oracle_end(
        &c->run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_FAILED,
                        .count = c->run->progress.moves});
  LR_TRY(code);
  return lr_run_look(c->run, *norm);
}

/* After a step without a decrease: tries two-sided differences, then a model
 * without curvature pairs; else ends the run. */
static lr_code no_step(confined *c, double norm)
{
  lr_oracle *o = &c->run->oracle;
  bool exact = lr_oracle_has_derivatives(o);
  if (!exact && !o->differences.two_sided) {
    lr_oracle_use_two_sided(o);
    return LR_GO;
  }
  if (c->B.n > 0) {
    lr_secant_forget(&c->B, curvature_guess(c));
    return LR_GO;
  }
  lrgd_vec spare = lr_run_work(c->run, LR_WORK_EXTRA);
  double error;
  LR_TRY(lr_run_gradient_error(c->run, as_vector(c), 0, spare, norm, &error));
  if (lr_finite(norm + error))
    lr_run_settle(c->run, norm + error, lr_run_confidence(c->run), 0);
  return lr_oracle_stall(
      o, LRGD_STALL_NO_DECREASE,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_NO_STEP,
                      .norm = lr_run_norm(c->run),
                      .value = lr_run_told(c->run, norm),
                      .limit = lr_run_told(c->run, c->run->goal.tol)});
}

/* One iteration; without a step where *norm is small and is measured again. */
static lr_code round_of(confined *c, double *norm)
{
  bool moved;
  if (*norm <= lr_run_aim(c->run)) {
    LR_TRY(lr_run_small(c->run, as_vector(c), *norm));
    if (*norm <= lr_run_aim(c->run)) return stand(c, norm);
  }
  minimise(c, *norm);
  LR_TRY(search(c, &moved));
  if (!moved) {
    LR_TRY(no_step(c, *norm));
    return stand(c, norm);
  }
  memcpy(c->last, c->g, c->p * sizeof *c->last);
  exchange(c);
  LR_TRY(lr_run_arrived(c->run));
  LR_TRY(stand(c, norm));
  const double *x = numbers(c, HERE);
  for (size_t i = 0; i < c->p; i++) {
    c->w[i] = x[i] - c->to[i];
    c->v[i] = c->g[i] - c->last[i];
  }
  /* a change within the errors of the differences gives no curvature */
  double error = lr_oracle_slope_error(&c->run->oracle, &c->here, 0) *
                 sqrt((double)lr_run_dimension(c->run));
  if (lr_polytope_learns(c->run->policy, lr_norm(c->p, c->v), error))
    lr_secant_learn(&c->B, c->w, c->v);
  return LR_GO;
}

static bool make(confined *c)
{
  const lrgd_allocator *a = &c->run->allocator;
  lrgd_space *space = c->run->space;
  bool by_values =
      !c->run->oracle.answers.slopes && !c->run->oracle.answers.gradient;
  size_t p = c->p;
  c->points = space->ops->make(space, POINTS);
  if (by_values) c->dirs = space->ops->make(space, p - c->m + 1);
  c->room = lr_alloc(a, p, 7 * sizeof *c->room);
  if (!c->points || (by_values && !c->dirs) || !c->room) return false;
  c->g = c->room;
  c->last = c->g + p;
  c->to = c->last + p;
  c->G = c->to + p;
  c->v = c->G + p;
  c->w = c->v + p;
  c->inside = c->w + p;
  const lr_policy *P = c->run->policy;
  return lr_secant_init(&c->B, p, lr_polytope_pairs(P, p), P, a) == LRGD_OK;
}

static void clear(confined *c)
{
  lrgd_space *space = c->run->space;
  if (c->points) space->ops->free(space, c->points);
  if (c->dirs) space->ops->free(space, c->dirs);
  lr_free(&c->run->allocator, c->room);
  lr_secant_clear(&c->B);
}

static lr_code go(confined *c)
{
  lr_run *run = c->run;
  double norm;
  run->space->ops->copy(run->space, (lrgd_vec){c->points, HERE}, run->at.x, 1);
  c->here = run->at;
  c->here.x = (lrgd_vec){c->points, HERE};
  c->next.x = (lrgd_vec){c->points, NEXT};
  lr_run_decide(
      run, (lrgd_decision){.kind = LRGD_DECISION_KIND_POLYTOPE, .count = c->m});
  LR_TRY(lr_oracle_value(&run->oracle, &c->here, LRGD_PURPOSE_DESCEND));
  LR_TRY(lr_run_count(run, &c->here));
  lr_run_stand(run, &c->here);
  LR_TRY(stand(c, &norm));
  lr_secant_forget(&c->B, curvature_guess(c));
  for (;;) LR_TRY(round_of(c, &norm));
}

lr_code lr_method_confined(lr_run *run)
{
  confined c = {.run = run, .P = run->polytope};
  c.p = c.P->p;
  c.m = c.P->m;
  run->own.gradient = measure_again;
  run->own.self = &c;
  lr_code code = make(&c) ? go(&c) : no_memory(&c);
  run->own.gradient = NULL;
  lr_run_leave(run); /* the iterate's memory is freed below */
  clear(&c);
  return code;
}
