/* Projections on the intersection of a box and an affine subspace.
 *
 * The nearest point to y is clip(y + R lambda) for some lambda of m numbers,
 * the maximiser of a concave, piecewise quadratic dual.  Newton's method with a
 * line search finds it in a few steps, each of which solves m equations; the
 * tangent cone and faces are such sets too, with bounds of 0 and infinity. */
#include "polytope/polytope.h"

#include "base/memory.h"
#include "base/vector.h"
#include "polytope/polytope_rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

lrgd_status lr_polytope_init(lr_polytope *P, size_t p, size_t m,
                             const double *R, const double *t,
                             const double *lower, const double *upper,
                             const lr_policy *policy, const lrgd_allocator *a)
{
  *P = (lr_polytope){.p = p,
                     .m = m,
                     .R = R,
                     .t = t,
                     .lower = lower,
                     .upper = upper,
                     .policy = policy,
                     .allocator = *a};
  P->room = lr_alloc(a, 4 * p + 4 * m + m * m + m * p, sizeof *P->room);
  P->basic = lr_alloc(a, m + 1, sizeof *P->basic);
  if (!P->room || !P->basic) return LRGD_ERR_NOMEM;
  P->x = P->room;
  P->y = P->x + p;
  P->low = P->y + p;
  P->high = P->low + p;
  P->lambda = P->high + p;
  P->next = P->lambda + m;
  P->r = P->next + m;
  P->step = P->r + m;
  P->H = P->step + m;
  P->M = P->H + m * m;
  return LRGD_OK;
}

void lr_polytope_clear(lr_polytope *P)
{
  if (!P->room && !P->basic) return;
  lr_free(&P->allocator, P->room);
  lr_free(&P->allocator, P->basic);
  *P = (lr_polytope){0};
}

/* ---- the dual ---- */

static bool is_free(const lr_polytope *P, size_t i)
{
  return P->x[i] > P->low[i] && P->x[i] < P->high[i];
}

/* x = clip(y + R lambda), r = t - R'x; returns |r|. */
static double look(lr_polytope *P, const double *lambda, const double *t)
{
  size_t p = P->p;
  memcpy(P->x, P->y, p * sizeof *P->x);
  lr_gemv(p, P->m, P->R, p, lambda, P->x);
  for (size_t i = 0; i < p; i++)
    P->x[i] = fmin(fmax(P->x[i], P->low[i]), P->high[i]);
  lr_gemv_t(p, P->m, P->R, p, P->x, P->r);
  for (size_t j = 0; j < P->m; j++) P->r[j] = (t ? t[j] : 0) - P->r[j];
  return lr_norm(P->m, P->r);
}

/* H = R_F'R_F + shift, F being the coordinates that are free. */
static void curvature(lr_polytope *P, double shift)
{
  size_t p = P->p, m = P->m;
  for (size_t j = 0; j < m; j++)
    for (size_t k = 0; k <= j; k++) {
      double sum = j == k ? shift : 0;
      for (size_t i = 0; i < p; i++)
        if (is_free(P, i)) sum += P->R[j * p + i] * P->R[k * p + i];
      P->H[j * m + k] = sum;
    }
}

/* Solves H step = step by Cholesky's method; H has its lower half in rows. */
static bool solve(lr_polytope *P)
{
  size_t m = P->m;
  double *H = P->H, *s = P->step;
  for (size_t j = 0; j < m; j++) {
    for (size_t k = 0; k <= j; k++) {
      double sum = H[j * m + k] - lr_dot(k, H + j * m, H + k * m);
      if (k == j && !(sum > 0)) return false;
      H[j * m + k] = k == j ? sqrt(sum) : sum / H[k * m + k];
    }
    s[j] = (s[j] - lr_dot(j, H + j * m, s)) / H[j * m + j];
  }
  for (size_t j = m; j-- > 0;) {
    for (size_t k = j + 1; k < m; k++) s[j] -= H[k * m + j] * s[k];
    s[j] /= H[j * m + j];
  }
  return true;
}

static void newton_step(lr_polytope *P)
{
  /* regularisation, from a rounding error of the diagonal (at most 1) upwards
   */
  for (double shift = 1e-14; shift < 1e3; shift *= 100) {
    memcpy(P->step, P->r, P->m * sizeof *P->r);
    curvature(P, shift);
    if (solve(P)) return;
  }
  memcpy(P->step, P->r, P->m * sizeof *P->r);
}

/* The slope of the dual at a share s of the step. */
static double slope_at(lr_polytope *P, double s, const double *t)
{
  for (size_t j = 0; j < P->m; j++) P->next[j] = P->lambda[j] + s * P->step[j];
  (void)look(P, P->next, t);
  return lr_dot(P->m, P->r, P->step);
}

/* Line search on the dual: the full step where the dual increases up to there,
 * otherwise bisection for its maximum, to the accuracy of the policy. */
static void search(lr_polytope *P, const double *t)
{
  enum { HALVINGS = 80 }; /* ends by rounding: the interval is empty */
  double first = lr_dot(P->m, P->r, P->step), from = 0, to = 1;
  int slope = lr_polytope_dual(P->policy, slope_at(P, 1, t), first);
  for (int i = 0; i < HALVINGS && slope < 0; i++) {
    double s = 0.5 * (from + to);
    slope = lr_polytope_dual(P->policy, slope_at(P, s, t), first);
    if (slope > 0) {
      from = s;
      slope = -1; /* still increasing: the maximum is between this and `to` */
    } else {
      to = s;
    }
  }
  (void)slope_at(P, to, t);
  memcpy(P->lambda, P->next, P->m * sizeof *P->lambda);
}

/* The residual |t - R'x| that the rounding errors of its sums leave. */
static double rounding_of(const lr_polytope *P, const double *x,
                          const double *t)
{
  return 4 * DBL_EPSILON * (lr_norm(P->p, x) + (t ? lr_norm(P->m, t) : 0));
}

/* P->x becomes the nearest point to P->y with R'x = t (NULL: 0) between low and
 * high; returns the residual |t - R'x|. */
static double nearest(lr_polytope *P, const double *t)
{
  enum { STEPS = 200 }; /* a limit for rounding errors; Newton takes a few */
  double before = INFINITY;
  size_t p = P->p, m = P->m;
  lr_gemv_t(p, m, P->R, p, P->y,
            P->lambda); /* the solution where no bound is active */
  for (size_t j = 0; j < m; j++) P->lambda[j] = (t ? t[j] : 0) - P->lambda[j];
  double missing = look(P, P->lambda, t);
  for (int i = 0; i < STEPS; i++) {
    if (missing <= rounding_of(P, P->y, t)) break;
    newton_step(P);
    search(P, t);
    missing = look(P, P->lambda, t);
    if (i > STEPS / 2 && !(missing < before)) break;
    before = missing;
  }
  return missing;
}

/* ---- projections ---- */

/* Whether x is at the bound b up to the rounding errors of sums over all
 * coordinates. */
static bool is_at(double x, double b)
{
  return fabs(x - b) <= 1e-12 * fmax(1, fabs(b));
}

/* |R'x - t|; Inf where x leaves the box.  P->r: t - R'x. */
static double residual(lr_polytope *P, const double *x)
{
  for (size_t i = 0; i < P->p; i++)
    if (!(x[i] >= P->lower[i] && x[i] <= P->upper[i])) return INFINITY;
  lr_gemv_t(P->p, P->m, P->R, P->p, x, P->r);
  for (size_t j = 0; j < P->m; j++) P->r[j] = P->t[j] - P->r[j];
  return lr_norm(P->m, P->r);
}

double lr_polytope_project(lr_polytope *P, double *x)
{
  size_t bytes = P->p * sizeof *x;
  /* A point of the polytope is its own projection: a correction of the size of
   * rounding errors would take coordinates off their bounds. */
  double off = residual(P, x);
  if (off <= rounding_of(P, x, P->t)) return off;
  memcpy(P->low, P->lower, bytes);
  memcpy(P->high, P->upper, bytes);
  double missing = 0;
  for (int twice = 0; twice < 2;
       twice++) { /* a second pass removes the rounding errors of the first */
    memcpy(P->y, x, bytes);
    missing = nearest(P, P->t);
    memcpy(x, P->x, bytes);
  }
  (void)lr_polytope_settle(P, x);
  return missing;
}

bool lr_polytope_settle(lr_polytope *P, double *x)
{
  size_t bytes = P->p * sizeof *x;
  bool moved = false;
  for (size_t i = 0; i < P->p; i++) {
    double low = P->lower[i], high = P->upper[i];
    double to = is_at(x[i], low) ? low : is_at(x[i], high) ? high : x[i];
    moved |= to != x[i];
    P->y[i] = to;
    P->low[i] = to == low || to == high ? to : low;
    P->high[i] = to == low || to == high ? to : high;
  }
  if (!moved) return true;
  double missing = nearest(P, P->t);
  /* the equations hold up to some fifty roundings of the sums in R'x */
  if (!(missing <= 1e-14 * (1 + lr_norm(P->p, P->x)))) return false;
  memcpy(x, P->x, bytes);
  return true;
}

static void project_direction(lr_polytope *P, double *d)
{
  for (int twice = 0; twice < 2;
       twice++) { /* a second pass, as the projection may be short beside d */
    memcpy(P->y, d, P->p * sizeof *d);
    (void)nearest(P, NULL);
    memcpy(d, P->x, P->p * sizeof *d);
  }
}

void lr_polytope_tangent(lr_polytope *P, const double *x, double *d)
{
  for (size_t i = 0; i < P->p; i++) {
    P->low[i] = is_at(x[i], P->lower[i]) ? 0 : -INFINITY;
    P->high[i] = is_at(x[i], P->upper[i]) ? 0 : INFINITY;
  }
  project_direction(P, d);
}

void lr_polytope_face(lr_polytope *P, const double *x, double *d)
{
  for (size_t i = 0; i < P->p; i++) {
    bool open = !is_at(x[i], P->lower[i]) && !is_at(x[i], P->upper[i]);
    P->low[i] = open ? -INFINITY : 0;
    P->high[i] = open ? INFINITY : 0;
  }
  project_direction(P, d);
}

void lr_polytope_level(const lr_polytope *P, double *d)
{
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < P->m; j++) {
      const double *row = P->R + j * P->p;
      lr_axpy(P->p, -lr_dot(P->p, row, d), row, d);
    }
}

double lr_polytope_reach(const lr_polytope *P, const double *x, const double *d,
                         double most)
{
  for (size_t i = 0; i < P->p; i++) {
    double room = d[i] > 0 ? P->upper[i] - x[i] : x[i] - P->lower[i];
    if (d[i] != 0) most = fmin(most, fmax(room, 0) / fabs(d[i]));
  }
  return most;
}

/* ---- a basis of coordinates ---- */

static bool has_room(const lr_polytope *P, const double *x, size_t i,
                     double margin)
{
  return x[i] - P->lower[i] >= margin && P->upper[i] - x[i] >= margin;
}

/* The largest entry of M in rows from `first` on, among coordinates with room.
 */
static double pivot(const lr_polytope *P, const double *x, double margin,
                    size_t first, size_t *row, size_t *column)
{
  double most = 0;
  for (size_t i = 0; i < P->p; i++)
    for (size_t j = first; j < P->m && has_room(P, x, i, margin); j++) {
      double size = fabs(P->M[i * P->m + j]);
      if (!(size > most)) continue;
      most = size;
      *row = j;
      *column = i;
    }
  return most;
}

/* One step of Gauss-Jordan elimination: solves row `first` for coordinate
 * `column`. */
static void eliminate(lr_polytope *P, size_t first, size_t row, size_t column)
{
  size_t m = P->m;
  double *M = P->M;
  for (size_t i = 0; i < P->p; i++) {
    double kept = M[i * m + first];
    M[i * m + first] = M[i * m + row];
    M[i * m + row] = kept;
  }
  double factor = 1 / M[column * m + first];
  for (size_t i = 0; i < P->p; i++) M[i * m + first] *= factor;
  memcpy(P->step, M + column * m, m * sizeof *M);
  for (size_t i = 0; i < P->p; i++)
    for (size_t j = 0; j < m; j++)
      if (j != first) M[i * m + j] -= P->step[j] * M[i * m + first];
}

bool lr_polytope_basis(lr_polytope *P, const double *x, double margin)
{
  for (size_t i = 0; i < P->p; i++)
    for (size_t j = 0; j < P->m; j++) P->M[i * P->m + j] = P->R[j * P->p + i];
  for (size_t j = 0; j < P->m; j++) {
    size_t row = j, column = 0;
    if (!lr_polytope_pivots(P->policy, pivot(P, x, margin, j, &row, &column)))
      return false;
    eliminate(P, j, row, column);
    P->basic[j] = column;
  }
  return true;
}
