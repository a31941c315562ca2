/* Where a quadric says that f should be asked next: where it is least within
 * reach, or where a value would tell most about it. */
#include "method/quadric.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static double dot(size_t n, const double *a, const double *b)
{
  return cblas_ddot((int)n, a, 1, b, 1);
}

static const double *best(const lr_quadric *q)
{
  return q->x + q->best * q->p;
}

/* ---- the step ---- */

/* A step that grows: d and the model's gradient r after it, along v. */
typedef struct walk {
  const lr_quadric *q;
  double *d, *r, *v, *Hv;
  double reach2; /* the radius, squared */
} walk;

/* A coordinate is held where it is at its bound and falls beyond.  Steps are
 * compared, not points: best + (bound - best) need not be the bound. */
static bool held(const walk *s, size_t i)
{
  const lr_quadric *q = s->q;
  double x = best(q)[i], d = s->d[i];
  return (d <= q->lower[i] - x && s->r[i] > 0) ||
         (d >= q->upper[i] - x && s->r[i] < 0);
}

/* How far v can be followed until it meets a bound; *where it does. */
static double to_bound(const walk *s, double t, size_t *where)
{
  const lr_quadric *q = s->q;
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

/* One step of conjugate gradients.  *more: neither the radius nor the minimum
 * was met; *met: a bound was. */
static void walk_on(walk *s, bool *more, bool *met)
{
  size_t p = s->q->p, where;
  cblas_dsymv(CblasColMajor, CblasLower, (int)p, 1, s->q->H, (int)p, s->v, 1, 0,
              s->Hv, 1);
  double curve = dot(p, s->v, s->Hv), slope = dot(p, s->v, s->r);
  double vv = dot(p, s->v, s->v), dv = dot(p, s->d, s->v);
  double left = s->reach2 - dot(p, s->d, s->d);
  double reach = (sqrt(fmax(dv * dv + vv * left, 0)) - dv) / vv;
  double least = curve > 0 ? -slope / curve : INFINITY;
  double t = to_bound(s, fmin(reach, least), &where);
  cblas_daxpy((int)p, t, s->v, 1, s->d, 1);
  cblas_daxpy((int)p, t, s->Hv, 1, s->r, 1);
  *met = where < p;
  if (*met) {
    double bound = s->v[where] > 0 ? s->q->upper[where] : s->q->lower[where];
    s->d[where] = bound - best(s->q)[where];
  }
  *more = *met || t < reach;
}

/* Conjugate gradients on the face of the box they are on, begun again where
 * they meet another bound. */
double lr_quadric_step(lr_quadric *q, double radius, double *d)
{
  size_t p = q->p;
  double *r = q->scratch, *v = r + p, *Hv = v + p, first = 0, before = 0;
  walk s = {q, d, r, v, Hv, radius * radius};
  bool more = true, met = true;
  memset(d, 0, p * sizeof *d);
  memcpy(r, q->g, p * sizeof *r);
  for (size_t n = 0; n < 4 * p + 20 && more; n++) {
    double size = 0, slope = 0;
    for (size_t i = 0; i < p; i++)
      if (!held(&s, i)) size += r[i] * r[i];
    if (n == 0) first = size;
    if (!(size > 1e-12 * first)) break;
    double keep = met ? 0 : size / before;
    for (size_t i = 0; i < p; i++)
      v[i] = held(&s, i) ? 0 : keep == 0 ? -r[i] : keep * v[i] - r[i];
    before = size;
    slope = dot(p, v, r);
    if (slope < 0)
      walk_on(&s, &more, &met);
    else if (met)
      break;
    else
      met = true;
  }
  memcpy(r, d, p * sizeof *r);
  cblas_dsymv(CblasColMajor, CblasLower, (int)p, 1, q->H, (int)p, r, 1, 0, v,
              1);
  return -(dot(p, q->g, d) + 0.5 * dot(p, d, v));
}

/* ---- spreading the points ---- */

size_t lr_quadric_farthest(const lr_quadric *q, double *distance)
{
  size_t far = q->best;
  *distance = 0;
  for (size_t j = 0; j < q->count; j++) {
    double sum = 0;
    for (size_t i = 0; i < q->p; i++) {
      double step = q->x[j * q->p + i] - best(q)[i];
      sum += step * step;
    }
    if (sqrt(sum) > *distance) {
      *distance = sqrt(sum);
      far = j;
    }
  }
  return far;
}

/* d = t u, into the box. */
static void cut(const lr_quadric *q, const double *u, double t, double *d)
{
  for (size_t i = 0; i < q->p; i++) {
    double y = best(q)[i] + t * u[i];
    d[i] = fmin(fmax(y, q->lower[i]), q->upper[i]) - best(q)[i];
  }
}

/* The Lagrange function of a point: c = column of the inverse; where the best
 * point is + d. */
static double lagrange_at(const lr_quadric *q, const double *c, const double *d,
                          double *z)
{
  size_t p = q->p;
  for (size_t i = 0; i < p; i++)
    z[i] = (best(q)[i] + d[i] - q->origin[i]) / q->unit;
  double sum = c[0] + dot(p, c + 1, z);
  for (size_t j = 0; j < q->count; j++) {
    double along = dot(p, q->z + j * p, z);
    sum += 0.5 * c[1 + p + j] * along * along;
  }
  return sum;
}

/* Along the lines to the other points the function is known: 0 at the best, 1
 * at t, 0 at all others; with its slope that makes a parabola.  Along its
 * gradient it is asked.  The largest wins. */
void lr_quadric_spread(lr_quadric *q, size_t t, double radius, double *d)
{
  size_t p = q->p, n = 1 + p + q->count;
  double *c = q->scratch, *slope = c + n, *z = slope + p, *u = z + p;
  double most = -1;
  lr_quadric_lagrange(q, t, c);
  const double *zb = q->z + q->best * p;
  memcpy(slope, c + 1, p * sizeof *slope);
  for (size_t j = 0; j < q->count; j++) {
    double along = c[1 + p + j] * dot(p, q->z + j * p, zb);
    cblas_daxpy((int)p, along, q->z + j * p, 1, slope, 1);
  }
  memset(d, 0, p * sizeof *d);
  for (size_t j = 0; j < q->count; j++) {
    if (j == q->best) continue;
    double size = 0, rise = 0, end = j == t ? 1 : 0;
    for (size_t i = 0; i < p; i++) {
      u[i] = q->x[j * p + i] - best(q)[i];
      size += u[i] * u[i];
      rise += slope[i] * u[i] / q->unit;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
      double a = sign * radius / sqrt(size);
      double here = fabs(a * rise + a * a * (end - rise));
      if (!(here > most)) continue;
      cut(q, u, a, z); /* a bound may take something away */
      double asked = dot(p, z, u) / size;
      here = fabs(asked * rise + asked * asked * (end - rise));
      if (!(here > most)) continue;
      most = here;
      memcpy(d, z, p * sizeof *d);
    }
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    double size = 0;
    for (size_t i = 0; i < p; i++) {
      double x = best(q)[i], s = sign * slope[i];
      bool out = (s > 0 && x >= q->upper[i]) || (s < 0 && x <= q->lower[i]);
      u[i] = out ? 0 : s;
      size += u[i] * u[i];
    }
    if (!(size > 0)) continue;
    cut(q, u, radius / sqrt(size), u);
    double here = fabs(lagrange_at(q, c, u, z));
    if (!(here > most)) continue;
    most = here;
    memcpy(d, u, p * sizeof *d);
  }
}
