/* Steps of an interpolation model: the trust-region subproblem in a box, and
 * geometry steps. */
#include "base/elementary.h"
#include "base/vector.h"
#include "dfo/dfo_rules.h"
#include "dfo/interpolation.h"

#include <math.h>
#include <string.h>

static const double *best(const lr_interpolation *q)
{
  return q->x + q->best * q->p;
}

/* ---- conjugate gradients ---- */

/* The state of conjugate gradients: the step d so far, the model's gradient r
 * after it, and the next search direction v. */
typedef struct walk {
  const lr_interpolation *q;
  double *d, *r, *v, *Hv;
  double radius2; /* the square of the radius */
} walk;

/* Whether coordinate i is in the active set: at a bound, beyond which the model
 * decreases.  Steps are compared, not points: best + (bound - best) need not be
 * the bound in floating point. */
static bool active(const walk *s, size_t i)
{
  const lr_interpolation *q = s->q;
  double x = best(q)[i], d = s->d[i];
  return (d <= q->lower[i] - x && s->r[i] > 0) ||
         (d >= q->upper[i] - x && s->r[i] < 0);
}

/* The largest step along v, at most t, that stays in the box; *where: the
 * coordinate that comes to its bound, or p. */
static double to_bound(const walk *s, double t, size_t *where)
{
  const lr_interpolation *q = s->q;
  *where = q->p;
  for (size_t i = 0; i < q->p; i++) {
    if (s->v[i] == 0) continue;
    double bound = s->v[i] > 0 ? q->upper[i] : q->lower[i];
    double far = (bound - best(q)[i] - s->d[i]) / s->v[i];
    if (far < t) {
      t = fmax(far, 0);
      *where = i;
    }
  }
  return t;
}

/* Puts coordinate i exactly on the bound that it reached along v. */
static void set_at_bound(const walk *s, size_t i)
{
  double bound = s->v[i] > 0 ? s->q->upper[i] : s->q->lower[i];
  s->d[i] = bound - best(s->q)[i];
}

/* One step of conjugate gradients.  *met: it ended at a bound; *more: it did
 * not end at the trust region's boundary. */
static void walk_on(walk *s, bool *more, bool *met)
{
  size_t p = s->q->p, where;
  lr_interpolation_bend(s->q, s->v, s->Hv);
  double curve = lr_dot(p, s->v, s->Hv);
  double slope = lr_dot(p, s->v, s->r);
  double vv = lr_dot(p, s->v, s->v);
  double dv = lr_dot(p, s->d, s->v);
  double left = s->radius2 - lr_dot(p, s->d, s->d);
  double reach = (sqrt(fmax(dv * dv + vv * left, 0)) - dv) / vv;
  double least = curve > 0 ? -slope / curve : INFINITY;
  double t = to_bound(s, fmin(reach, least), &where);
  lr_axpy(p, t, s->v, s->d);
  lr_axpy(p, t, s->Hv, s->r);
  *met = where < p;
  if (*met) set_at_bound(s, where);
  *more = *met || t < reach;
}

/* Conjugate gradients on a face of the box, restarted where they meet another
 * bound.  Returns whether they ended at the trust region's boundary.  At most p
 * bounds are met and each face takes some steps: the cap of 4 p + 20 guards
 * against rounding alone. */
static bool walk_down(walk *s)
{
  size_t p = s->q->p;
  double first = 0, before = 0;
  bool more = true, met = true;
  for (size_t n = 0; n < 4 * p + 20 && more; n++) {
    double size = 0;
    for (size_t i = 0; i < p; i++)
      if (!active(s, i)) size += s->r[i] * s->r[i];
    if (n == 0) first = size;
    if (!lr_dfo_cg_goes_on(s->q->policy, size, first)) break;
    double keep = met ? 0 : size / before;
    for (size_t i = 0; i < p; i++)
      s->v[i] = active(s, i) ? 0
                : keep == 0  ? -s->r[i]
                             : keep * s->v[i] - s->r[i];
    before = size;
    if (lr_dot(p, s->v, s->r) < 0)
      walk_on(s, &more, &met);
    else if (met)
      break;
    else
      met = true;
  }
  return !more;
}

/* ---- along the trust region's boundary ---- */

/* A step that reaches the boundary can still turn along it (BOBYQA), in the
 * plane of d and the model's gradient, both without coordinates at bounds.  e
 * is as long as d and orthogonal to it, on the side where the model decreases.
 */
typedef struct plane {
  double *d, *Hd;          /* p numbers each; e is the walk's v */
  double slope_d, slope_e; /* the model's slopes along d and e */
  double dd, de, ee;       /* the model's curvatures in the plane */
} plane;

/* The change of the model where d becomes cos(angle) d + sin(angle) e. */
static double turned(const plane *at, double angle)
{
  double c = lr_cos(angle) - 1, s = lr_sin(angle);
  return c * at->slope_d + s * at->slope_e + 0.5 * c * c * at->dd +
         c * s * at->de + 0.5 * s * s * at->ee;
}

/* The angle up to `most` at which that change is least: the lowest of
 * equidistant samples, refined by the parabola through its neighbours. */
static double least_angle(const lr_policy *P, const plane *at, double most)
{
  const int parts = (int)P->arc_samples;
  double unit = lr_dfo_arc_unit(P, most), low = 0;
  int best = 0;
  for (int i = 1; i <= parts; i++) {
    double now = turned(at, i * unit);
    if (!(now < low)) continue;
    low = now;
    best = i;
  }
  if (best == 0 || best == parts) return best * unit;
  double before = turned(at, (best - 1) * unit);
  double after = turned(at, (best + 1) * unit);
  return (best + 0.5 * (before - after) / (before + after - 2 * low)) * unit;
}

/* The angle at which d cos + e sin reaches `bound`, or `most` if that is less.
 */
static double angle_to(double d, double e, double bound, double most)
{
  double size = lr_hypot(d, e);
  if (!(e > 0 && size > bound)) return most;
  return fmin(most, fmax(lr_atan2(e, d) - lr_acos(bound / size), 0));
}

/* The largest angle, at most a right one, at which the step stays in the box;
 * *where: the coordinate that then reaches its bound, or p. */
static double turn_to_bound(const walk *s, const plane *at, size_t *where)
{
  const lr_interpolation *q = s->q;
  double most = LR_PI / 2;
  *where = q->p;
  for (size_t i = 0; i < q->p; i++) {
    double x = best(q)[i], d = at->d[i], e = s->v[i];
    double t = angle_to(d, e, q->upper[i] - x, most);
    t = angle_to(-d, -e, x - q->lower[i], t);
    if (!(t < most)) continue;
    most = t;
    *where = i;
  }
  return most;
}

/* Sets up the plane.  False: the gradient is parallel to the step, to within an
 * angle of 1e-4, below which e would consist of rounding errors. */
static bool find_plane(walk *s, plane *at)
{
  const lr_interpolation *q = s->q;
  size_t p = q->p;
  double dd = 0, dr = 0, rr = 0;
  for (size_t i = 0; i < p; i++) {
    double x = best(q)[i], d = s->d[i];
    bool bound = d <= q->lower[i] - x || d >= q->upper[i] - x;
    at->d[i] = bound ? 0 : d;
    s->v[i] = bound ? 0 : s->r[i];
    dd += at->d[i] * at->d[i];
    dr += at->d[i] * s->v[i];
    rr += s->v[i] * s->v[i];
  }
  double area = dd * rr - dr * dr;
  /* d and -r are parallel: a sine below 1e-4 has half its digits left */
  if (!(area > 1e-8 * dd * rr)) return false;
  for (size_t i = 0; i < p; i++)
    s->v[i] = (dr * at->d[i] - dd * s->v[i]) / sqrt(area);
  lr_interpolation_bend(q, at->d, at->Hd);
  lr_interpolation_bend(q, s->v, s->Hv);
  at->slope_d = lr_dot(p, s->r, at->d);
  at->slope_e = lr_dot(p, s->r, s->v);
  at->dd = lr_dot(p, at->d, at->Hd);
  at->de = lr_dot(p, at->d, s->Hv);
  at->ee = lr_dot(p, s->v, s->Hv);
  return true;
}

/* Follows one arc along the boundary.  Returns the decrease of the model. */
static double turn(walk *s, plane *at)
{
  size_t p = s->q->p, where;
  if (!find_plane(s, at)) return 0;
  double most = turn_to_bound(s, at, &where);
  double angle = least_angle(s->q->policy, at, most),
         falls = -turned(at, angle);
  if (!(falls > 0)) return 0;
  lr_axpy(p, lr_cos(angle) - 1, at->d, s->d);
  lr_axpy(p, lr_sin(angle), s->v, s->d);
  lr_axpy(p, lr_cos(angle) - 1, at->Hd, s->r);
  lr_axpy(p, lr_sin(angle), s->Hv, s->r);
  if (angle == most && where < s->q->p) set_at_bound(s, where);
  return falls;
}

/* Follows arcs along the boundary while each decreases the model by enough. */
static void turn_down(walk *s, double *scratch)
{
  const lr_interpolation *q = s->q;
  plane at = {.d = scratch, .Hd = scratch + q->p};
  double falls = INFINITY, all = -lr_interpolation_rise(q, s->d, s->Hv);
  for (size_t n = 0; n < q->p && lr_dfo_turns_again(q->policy, falls, all);
       n++) {
    falls = turn(s, &at);
    all += falls;
  }
}

double lr_interpolation_step(lr_interpolation *q, double radius, double *d)
{
  size_t p = q->p;
  double *r = q->scratch, *v = r + p, *Hv = v + p;
  walk s = {q, d, r, v, Hv, radius * radius};
  memset(d, 0, p * sizeof *d);
  memcpy(r, q->g, p * sizeof *r);
  if (walk_down(&s)) turn_down(&s, Hv + p);
  return -lr_interpolation_rise(q, d, Hv);
}

/* ---- geometry steps ---- */

/* d = t u, projected into the box. */
static void project(const lr_interpolation *q, const double *u, double t,
                    double *d)
{
  for (size_t i = 0; i < q->p; i++) {
    double y = best(q)[i] + t * u[i];
    d[i] = fmin(fmax(y, q->lower[i]), q->upper[i]) - best(q)[i];
  }
}

/* The search for a point where |Lagrange function of point t| is large. */
typedef struct spreading {
  const lr_interpolation *q;
  size_t t;
  double radius;
  double *c;       /* the function, as lr_interpolation_lagrange has it */
  double *slope;   /* gradient of the model at the best point, in z */
  double *u, *z;   /* p numbers each */
  double *d, most; /* the best step so far, and |function| there */
} spreading;

static void keep(spreading *s, const double *d, double size)
{
  if (!(size > s->most)) return;
  s->most = size;
  memcpy(s->d, d, s->q->p * sizeof *d);
}

/* The function at the best point + d. */
static double lagrange_at(const spreading *s, const double *d)
{
  const lr_interpolation *q = s->q;
  size_t p = q->p;
  for (size_t i = 0; i < p; i++)
    s->z[i] = (best(q)[i] + d[i] - q->origin[i]) / q->unit;
  double sum = s->c[0] + lr_dot(p, s->c + 1, s->z);
  for (size_t j = 0; j < q->count; j++) {
    double along = lr_dot(p, q->z + j * p, s->z);
    sum += 0.5 * s->c[1 + p + j] * along * along;
  }
  return sum;
}

static void find_slope(spreading *s)
{
  const lr_interpolation *q = s->q;
  size_t p = q->p;
  const double *zb = q->z + q->best * p;
  memcpy(s->slope, s->c + 1, p * sizeof *s->slope);
  for (size_t j = 0; j < q->count; j++) {
    double along = s->c[1 + p + j] * lr_dot(p, q->z + j * p, zb);
    lr_axpy(p, along, q->z + j * p, s->slope);
  }
}

/* Tries the line through point j.  The Lagrange function on it is a parabola:
 * 0 at the best point, 1 or 0 at j (whether j is t), and its slope is known. */
static void along_line(spreading *s, size_t j)
{
  const lr_interpolation *q = s->q;
  size_t p = q->p;
  double size = 0, rise = 0, end = j == s->t ? 1 : 0;
  for (size_t i = 0; i < p; i++) {
    s->u[i] = q->x[j * p + i] - best(q)[i];
    size += s->u[i] * s->u[i];
    rise += s->slope[i] * s->u[i] / q->unit;
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    double a = sign * s->radius / sqrt(size);
    if (!(fabs(a * rise + a * a * (end - rise)) > s->most)) continue;
    project(q, s->u, a, s->z); /* the projection may shorten the step */
    double left = lr_dot(p, s->z, s->u) / size;
    keep(s, s->z, fabs(left * rise + left * left * (end - rise)));
  }
}

/* Tries the direction of its gradient, or the opposite one. */
static void along_slope(spreading *s, int sign)
{
  const lr_interpolation *q = s->q;
  double size = 0;
  for (size_t i = 0; i < q->p; i++) {
    double x = best(q)[i], u = sign * s->slope[i];
    bool out = (u > 0 && x >= q->upper[i]) || (u < 0 && x <= q->lower[i]);
    s->u[i] = out ? 0 : u;
    size += s->u[i] * s->u[i];
  }
  if (!(size > 0)) return;
  project(q, s->u, s->radius / sqrt(size), s->u);
  keep(s, s->u, fabs(lagrange_at(s, s->u)));
}

void lr_interpolation_spread(lr_interpolation *q, size_t t, double radius,
                             double *d)
{
  size_t p = q->p;
  double *slope = q->scratch, *z = slope + p, *u = z + p, *c = u + p;
  spreading s = {q, t, radius, c, slope, u, z, d, -1};
  memset(d, 0, p * sizeof *d);
  lr_interpolation_lagrange(q, t, c);
  find_slope(&s);
  for (size_t j = 0; j < q->count; j++)
    if (j != q->best) along_line(&s, j);
  along_slope(&s, -1);
  along_slope(&s, 1);
}
