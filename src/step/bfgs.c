/* BFGS in k dimensions, with a dense k x k inverse Hessian H. */
#include "step/step.h"
#include "step/step_rules.h"

#include <math.h>

static double *entry(lr_step *s, size_t i, size_t j)
{
  return &s->H[j * s->capacity + i];
}

static void set_multiple(lr_step *s, double scale)
{
  for (size_t j = 0; j < s->k; j++)
    for (size_t i = 0; i < s->k; i++) *entry(s, i, j) = i == j ? scale : 0;
}

/* out = H a */
static void apply(lr_step *s, const double *a, double *out)
{
  for (size_t i = 0; i < s->k; i++) out[i] = 0;
  for (size_t j = 0; j < s->k; j++)
    for (size_t i = 0; i < s->k; i++) out[i] += *entry(s, i, j) * a[j];
}

/* The BFGS update H <- (I - z y'/zy) H (I - y z'/zy) + z z'/zy, y = d - last_d.
 * It is skipped where the curvature z'y is not clearly positive. */
static void update(lr_step *s, const double *d)
{
  size_t k = s->k;
  double *y = s->y, *Hy = s->u, *z = s->last_z;
  for (size_t i = 0; i < k; i++) y[i] = d[i] - s->last_d[i];
  double zy = lr_dot(k, z, y);
  if (!lr_secant_is_convex(s->policy, zy, lr_norm(k, z), lr_norm(k, y))) return;
  /* y'y loses digits below 1e-280, near the smallest numbers */
  double yy = lr_dot(k, y, y), norm = lr_norm(k, y);
  s->length = yy > 1e-280 ? zy / yy : zy / norm / norm;
  if (!s->scaled) set_multiple(s, s->length);
  s->scaled = true;
  apply(s, y, Hy);
  double weight = (1 + lr_dot(k, y, Hy) / zy) / zy;
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < k; i++)
      *entry(s, i, j) +=
          weight * z[i] * z[j] - (Hy[i] * z[j] + z[i] * Hy[j]) / zy;
}

static lr_code take(lr_step *s, const lr_restricted *phi, double f,
                    const double *d, double *z, double *fz)
{
  if (s->paired) update(s, d);
  double norm = lr_norm(s->k, d), slope = 0;
  if (s->scaled) {
    apply(s, d, s->u);
    for (size_t i = 0; i < s->k; i++) s->u[i] = -s->u[i];
    slope = lr_dot(s->k, d, s->u);
  }
  if (!(slope < 0)) { /* no update yet, or H is not positive definite */
    s->scaled = false;
    for (size_t i = 0; i < s->k; i++) s->u[i] = -d[i];
    slope = -norm * norm;
  }
  double t = s->scaled ? 1 : lr_step_first(s, norm);
  lr_search line = {phi, s->u, s->k, f, slope, z, s->policy};
  lr_code code = lr_search_armijo(&line, true, &t, fz);
  if (code != LR_NOVALUE || !s->scaled) return code;
  s->scaled = s->paired = false; /* restart with steepest descent, once */
  return take(s, phi, f, d, z, fz);
}

const lr_step_ops lr_step_bfgs = {.take = take, .squares = true};
