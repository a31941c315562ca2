/* Probes of a certificate of a run with limits on outputs: the error of the
 * models' slopes of the Lagrangian, by fresh differences along random
 * directions.  They keep within bounds and A x <= b as all points do. */
#include "constrained/constrained_probe.h"

#include "constrained/constrained_rules.h"

#include "base/random.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* ---- bounds and rows near a point ---- */

/* Whether row r of A x <= b is nearer to x than h times the sizes of the
 * inputs. */
bool lr_con_is_near(const lr_constrained *s, const double *x, double h,
                    size_t r)
{
  const double *a = s->outputs->A + r * s->p;
  double reach = 0;
  for (size_t i = 0; i < s->p; i++) reach += fabs(a[i]) * s->D[i];
  return s->outputs->b[r] - lr_dot(s->p, a, x) <= h * reach;
}

/* Whether input i has so little distance to a bound or to a row of A x <= b
 * that a probe has no room; an input at an active bound is excluded from
 * probes, as its multiplier accounts for it. */
bool lr_con_is_held(const lr_constrained *s, const double *x, double h,
                    size_t i)
{
  lrgd_box box = s->run->oracle.box;
  if (!box.lower.block) return false;
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  return x[i] - lower[i] <= 8 * h * s->D[i] ||
         upper[i] - x[i] <= 8 * h * s->D[i];
}

/* Which bound of input i is near: 1 the lower one, -1 the upper one (the sign
 * of the direction away from it), 0 where both are equal. */
double lr_con_inward(const lr_constrained *s, const double *x, size_t i)
{
  lrgd_box box = s->run->oracle.box;
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  if (!(lower[i] < upper[i])) return 0;
  return x[i] - lower[i] <= upper[i] - x[i] ? 1 : -1;
}

static bool is_inside(const lr_constrained *s, const double *x)
{
  lrgd_box box = s->run->oracle.box;
  if (!box.lower.block) return lr_con_satisfies_rows(s, x);
  const double *lower = lrgd_host_data(box.lower);
  const double *upper = lrgd_host_data(box.upper);
  for (size_t i = 0; i < s->p; i++)
    if (!(x[i] >= lower[i] && x[i] <= upper[i])) return false;
  return lr_con_satisfies_rows(s, x);
}

/* Finds a displacement d from x, in sizes of inputs, that leads away from all
 * bounds and rows near x by at least 1, by cyclic projections on half-spaces.
 * *near: there are such bounds or rows; false: no d was found. */
static bool find_inward(const lr_constrained *s, const double *x, double h,
                        double *d, bool *near)
{
  const lr_outputs *o = s->outputs;
  bool any = false, done = false;
  for (size_t i = 0; i < s->p; i++) {
    d[i] = lr_con_is_held(s, x, h, i) ? lr_con_inward(s, x, i) : 0;
    any |= d[i] != 0;
  }
  for (int round = 0; round < 100 && !done; round++) {
    done = true;
    for (size_t r = 0; r < o->rows; r++) {
      const double *a = o->A + r * s->p;
      double norm2 = 0, along = 0;
      if (!lr_con_is_near(s, x, h, r)) continue;
      any = true;
      for (size_t i = 0; i < s->p; i++) {
        norm2 += a[i] * s->D[i] * a[i] * s->D[i];
        along += a[i] * s->D[i] * d[i];
      }
      if (along <= -0.99 * sqrt(norm2)) continue;
      done = false;
      for (size_t i = 0; i < s->p; i++)
        d[i] -= (along + sqrt(norm2)) / norm2 * a[i] * s->D[i];
    }
    for (size_t i = 0; i < s->p; i++) {
      if (!lr_con_is_held(s, x, h, i)) continue;
      /* 0: both bounds of the input are equal */
      double side = lr_con_inward(s, x, i);
      if (!(d[i] * side >= 1)) d[i] = side;
    }
  }
  *near = any;
  return done;
}

/* ---- one slope ---- */

/* Sets the trial to x + t w; false: that is outside.  Where the models are in
 * all inputs s->other.s gets its coordinates, by which it is placed. */
static bool place_probe(lr_constrained *s, const double *x, const double *w,
                        double t)
{
  double *to = lrgd_host_data(s->trial.x), *z = s->other.s;
  for (size_t i = 0; i < s->p; i++) to[i] = x[i] + t * w[i];
  if (!is_inside(s, to)) return false;
  for (size_t j = 0; s->axes && j < s->n; j++)
    z[j] = (to[s->axis[j]] - s->x0[s->axis[j]]) / s->D[s->axis[j]];
  if (s->axes) lr_con_place(s, z);
  return true;
}

/* Evaluates all outputs at the trial, for a probe.  Where the models are in all
 * inputs the point is added to them: a pair of probes corrects the slope along
 * its direction, so that a certificate that fails improves the models. */
static lr_code probe_outputs(lr_constrained *s, const double **y)
{
  lr_oracle *o = &s->run->oracle;
  if (s->axes) {
    size_t index;
    LR_TRY(lr_con_evaluate(s, s->other.s, LRGD_PURPOSE_PROBE, &index));
  } else {
    lr_oracle_rename(o, &s->trial);
    LR_TRY(lr_oracle_value(o, &s->trial, LRGD_PURPOSE_PROBE));
  }
  *y = lr_oracle_residuals(o);
  return LR_GO;
}

/* The Lagrangian of the outputs at x + t w. */
static lr_code lagrangian_at(lr_constrained *s, const double *x,
                             const double *w, double t, double *L)
{
  const double *y;
  if (!place_probe(s, x, w, t)) return LR_NOVALUE;
  LR_TRY(probe_outputs(s, &y));
  *L = lr_con_lagrangian(s, y);
  return LR_GO;
}

/* The lengths t[0] and t[1] along w at which the Lagrangian is evaluated: on
 * both sides or, where w points away from active bounds and rows, on one. */
static void probe_lengths(const lr_constrained *s, const double *w,
                          bool one_sided, double *t)
{
  double size = 0;
  for (size_t i = 0; i < s->p; i++) size = fmax(size, fabs(w[i]) / s->D[i]);
  t[0] = lr_con_probe(s->policy) / size;
  t[1] = one_sided ? t[0] : -t[0];
  if (one_sided) t[0] *= 0.5;
}

/* The slope of the Lagrangian along w at the base x: by a two-sided difference
 * or, where bounds or rows leave room on one side only, by three points on that
 * side. The error of both is a third derivative.  LR_NOVALUE: it cannot be
 * evaluated. */
static lr_code slope_along(lr_constrained *s, const double *x, const double *w,
                           bool one_sided, double *slope)
{
  double L[2], t[2];
  probe_lengths(s, w, one_sided, t);
  LR_TRY(lagrangian_at(s, x, w, t[0], L));
  LR_TRY(lagrangian_at(s, x, w, t[1], L + 1));
  double here = lr_con_lagrangian(s, s->M.y + s->M.base * s->m);
  *slope = one_sided ? (4 * L[0] - L[1] - 3 * here) / (2 * t[0])
                     : (L[0] - L[1]) / (2 * t[0]);
  lr_oracle_count_slope(&s->run->oracle, LRGD_PURPOSE_PROBE);
  return LR_GO;
}

/* ---- probes parallel to bounds and rows ---- */

/* v without its part in the span of k orthonormal columns of N. */
static void drop_span(size_t p, size_t k, const double *N, double *v)
{
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < k; j++)
      lr_axpy(p, -lr_dot(p, N + j * p, v), N + j * p, v);
}

/* N becomes an orthonormal basis of the rows of A x <= b near x, restricted to
 * inputs that no bound excludes: probes are orthogonal to all of these, so that
 * they stay in the feasible set.  Columns of p numbers; *count: their
 * number. */
static lr_code rows_near(lr_constrained *s, const double *x, double h,
                         size_t *count)
{
  lr_elastic_qp *q = &s->qp; /* its matrix serves as scratch here */
  size_t p = s->p, k = 0;
  if (lr_elastic_qp_reserve(q, p, s->outputs->rows) != LRGD_OK)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu rows", s->outputs->rows);
  for (size_t r = 0; r < s->outputs->rows; r++) {
    double *v = q->A + k * p, all;
    if (!lr_con_is_near(s, x, h, r)) continue;
    for (size_t i = 0; i < p; i++)
      v[i] = lr_con_is_held(s, x, h, i) ? 0 : s->outputs->A[r * p + i];
    all = lr_norm(p, v);
    drop_span(p, k, q->A, v);
    double left = lr_norm(p, v);
    if (!(left > 1e-8 * all)) continue;
    lr_scale(p, 1 / left, v);
    k++;
  }
  *count = k;
  return LR_GO;
}

/* ---- the probes ---- */

/* How probes avoid bounds and rows of A x <= b near x: by staying parallel to
 * them, or by leading away from them. */
typedef struct manner {
  /* rows to which probes are parallel: columns of the program's matrix */
  size_t rows;
  bool along; /* probes are parallel to the bounds and rows near x */
  /* a multiple of s->away is added to probes, so that they lead inside */
  bool away;
  double error; /* the error of the models' slope along s->away */
} manner;

/* The least multiple of s->away that must be added to w so that w leads away
 * from the bounds and rows near x. */
static double inward_share(const lr_constrained *s, const double *x,
                           const double *w)
{
  double h = lr_con_probe(s->policy), share = 0;
  for (size_t i = 0; i < s->p; i++) {
    double side = lr_con_is_held(s, x, h, i) ? lr_con_inward(s, x, i) : 0;
    if (side != 0) share = fmax(share, -w[i] / s->away[i]);
  }
  for (size_t r = 0; r < s->outputs->rows; r++) {
    const double *a = s->outputs->A + r * s->p;
    if (lr_con_is_near(s, x, h, r))
      share = fmax(share, -lr_dot(s->p, a, w) / lr_dot(s->p, a, s->away));
  }
  return share;
}

/* Adds to w the multiple of s->away with which it points away from active
 * bounds and rows, where probes must, and returns the multiple. */
static double turn_inwards(const lr_constrained *s, const double *x,
                           const manner *by, double *w)
{
  double share = by->away ? inward_share(s, x, w) : 0;
  lr_axpy(s->p, share, s->away, w);
  return share;
}

/* The error of the models' slope along w, to which the multiple of s->away is
 * added. */
static lr_code slope_error(lr_constrained *s, const double *x, manner *by,
                           double *w, double *error)
{
  double slope, share = turn_inwards(s, x, by, w);
  LR_TRY(slope_along(s, x, w, by->away, &slope));
  *error = slope - lr_dot(s->p, s->raw, w) - share * by->error;
  return LR_GO;
}

/* Chooses how probes avoid the bounds and rows near x, and measures the error
 * of the models' slope along s->away. */
static lr_code choose_manner(lr_constrained *s, const double *x, manner *by)
{
  double h = lr_con_probe(s->policy), slope;
  bool near = false, found = find_inward(s, x, h, s->away, &near);
  *by = (manner){.away = s->axes && near && found};
  by->along = near && !by->away;
  if (by->along && s->outputs->rows > 0) return rows_near(s, x, h, &by->rows);
  if (!by->away) return LR_GO;
  for (size_t i = 0; i < s->p; i++) s->away[i] *= s->D[i];
  LR_TRY(slope_along(s, x, s->away, true, &slope));
  by->error = slope - lr_dot(s->p, s->raw, s->away);
  return LR_GO;
}

/* Draws a Gaussian vector in the subspace that the probes may use; false: that
 * subspace is {0}, as at a vertex. */
static bool draw(lr_constrained *s, const double *x, const manner *by,
                 uint64_t stream, double *w)
{
  double h = lr_con_probe(s->policy);
  lr_gaussian(s->run->oracle.seed, stream, 0, s->p, w);
  for (size_t i = 0; i < s->p; i++) {
    bool held = lr_con_is_held(s, x, h, i);
    if (held && (by->along || lr_con_inward(s, x, i) == 0)) w[i] = 0;
  }
  double all = lr_norm(s->p, w);
  drop_span(s->p, by->rows, s->qp.A, w);
  return lr_norm(s->p, w) > 1e-8 * all;
}

/* Evaluates the points of the first n probes side by side, where possible: they
 * are measured whatever the others show. */
static lr_code plan_probes(lr_constrained *s, const double *x, const manner *by,
                           uint64_t stream, size_t n)
{
  lr_oracle *o = &s->run->oracle;
  double *w = s->w, t[2];
  bool more = lr_oracle_begin_plan(o);
  for (size_t j = 0; j < n && more; j++) {
    if (!draw(s, x, by, stream + j, w)) continue;
    (void)turn_inwards(s, x, by, w);
    probe_lengths(s, w, by->away, t);
    for (int side = 0; side < 2 && more; side++)
      more = place_probe(s, x, w, t[side]) && lr_oracle_plan(o, s->trial.x);
  }
  return lr_oracle_ask_planned(o, LRGD_PURPOSE_PROBE);
}

lr_code lr_con_probes(lr_constrained *s, const double *x, uint64_t stream,
                      double most, lr_con_errors *e)
{
  double *w = s->w;
  manner by;
  size_t q = (size_t)s->run->options.probes;
  /* at least so many probes: the number of directions, or of slopes that are
   * stored */
  size_t least = s->axes ? s->n : 3;
  *e = (lr_con_errors){0};
  lr_code code = choose_manner(s, x, &by);
  e->along = by.along;
  if (code == LR_GO)
    code = plan_probes(s, x, &by, stream, least < q ? least : q);
  for (size_t j = 0; code == LR_GO && j < q && (j < least || e->S <= most);
       j++) {
    double error = 0;
    if (draw(s, x, &by, stream + j, w))
      code = slope_error(s, x, &by, w, &error);
    if (code != LR_GO) break;
    if (s->grown > 0) s->slopes[s->grown++ % 3] = error;
    e->S += error * error;
    e->used++;
  }
  return code == LR_NOVALUE ? LR_GO : code;
}

/* Whether the Lagrangian of the outputs does not decrease from x along a
 * direction that leaves all active bounds and rows: then their multipliers have
 * the right sign. */
lr_code lr_con_bounds_hold(lr_constrained *s, const double *x, bool *hold)
{
  double h = lr_con_probe(s->policy), way = 0, *d = s->away;
  const double *y;
  bool near;
  *hold = true;
  if (!find_inward(s, x, h, d, &near) || !near) return LR_GO;
  for (size_t i = 0; i < s->p; i++) way += fabs(h * (d[i] *= s->D[i]));
  if (!place_probe(s, x, d, h)) return LR_GO;
  LR_TRY(probe_outputs(s, &y));
  double there = lr_con_lagrangian(s, y);
  double here = lr_con_lagrangian(s, s->M.y + s->M.base * s->m);
  double f = s->weight[s->outputs->objective];
  *hold = there >= here - s->run->goal.tol * f * way;
  return LR_GO;
}
