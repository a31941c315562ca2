/* A model from gradients at sample points.
 *
 * Two gradients are a column of the Hessian: B s = y, where s is the difference
 * of their points and y that of the gradients.  So m + 1 gradients give the
 * gradient g at one of the points (the base) and B S = Y, S and Y of m columns,
 * along all inputs.
 *
 * The directions of the model are S, whose second derivatives are known, and
 * after these the gradients' parts outside S, whose mutual second derivatives
 * are not: the model leaves them open.  Where the gradients are linearly
 * dependent, f varies within their span, and S is projected onto it: the
 * minimum is nearer and the model better conditioned.  Where f is not nearly
 * quadratic between the points, the model leaves all of the span open. */
#include "learn/fit.h"
#include "learn/fit_rules.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

typedef struct samples {
  const lr_known *known;
  size_t p, n;  /* inputs, gradients; the first is that of the base */
  size_t *at;   /* the evaluation of each */
  double *G;    /* p x (n + 1): the gradients, and the one being gathered */
  double *S;    /* p x n: differences of points */
  double *Y;    /* p x n: differences of gradients; later columns of B Q */
  double *T;    /* n x n: S = Q T, T upper triangular */
  double *c;    /* 2 n: scratch */
  size_t pairs; /* columns of S and Y */
  double *Q;    /* p x 2 n: orthonormal */
  size_t q;     /* columns of Q */
} samples;

/* ---- the gradients ---- */

/* The input in which alone y differs from x, by a difference step; p: none. */
static size_t only_input(const samples *s, size_t x, size_t y)
{
  const double *a = s->known->x + x * s->p, *b = s->known->x + y * s->p;
  size_t found = s->p;
  for (size_t i = 0; i < s->p; i++) {
    if (a[i] == b[i]) continue;
    if (found < s->p) return s->p;
    found = i;
  }
  if (found == s->p) return found;
  double step = fabs(b[found] - a[found]);
  bool difference = lr_fit_is_difference(s->known->policy, step, a[found]);
  return difference ? found : s->p;
}

static void begin_gradient(samples *s)
{
  double *g = s->G + s->n * s->p;
  for (size_t i = 0; i < s->p; i++) g[i] = NAN;
}

/* Stores the difference of evaluation i and the base as an entry of the
 * gradient: the mean, where there are differences on both sides.  True: that
 * completes it. */
static bool add_difference(samples *s, size_t base, size_t i, size_t input)
{
  const lr_known *k = s->known;
  double *g = s->G + s->n * s->p;
  double step = k->x[i * s->p + input] - k->x[base * s->p + input];
  double d = (k->f[i] - k->f[base]) / step;
  bool second = !isnan(g[input]);
  g[input] = second ? 0.5 * (g[input] + d) : d;
  for (size_t j = 0; j < s->p; j++)
    if (isnan(g[j])) return false;
  return true;
}

/* Collects gradients: a point whose differences along all inputs follow it. */
static void gather(samples *s, size_t most)
{
  size_t base = 0;
  begin_gradient(s);
  for (size_t i = 1; i < s->known->n && s->n < most; i++) {
    size_t input = only_input(s, base, i);
    if (input == s->p) {
      base = i;
      begin_gradient(s);
    } else if (add_difference(s, base, i, input)) {
      s->at[s->n++] = base;
      begin_gradient(s);
    }
  }
}

/* Whether f increases from one gradient to the next: then they are those of
 * sample points, not of a descent. */
static bool ascends(const samples *s)
{
  const double *f = s->known->f;
  for (size_t i = 1; i < s->n; i++)
    if (f[s->at[i]] > f[s->at[i - 1]]) return true;
  return false;
}

static double lowest_sample(const samples *s)
{
  double f = INFINITY;
  for (size_t i = 0; i < s->n; i++) f = fmin(f, s->known->f[s->at[i]]);
  return f;
}

/* ---- differences between them ---- */

static void subtract(size_t p, const double *a, const double *b, double *out)
{
  for (size_t i = 0; i < p; i++) out[i] = a[i] - b[i];
}

static void pair(samples *s)
{
  size_t p = s->p;
  const double *x = s->known->x;
  for (size_t i = 1; i < s->n; i++, s->pairs++) {
    subtract(p, x + s->at[i] * p, x + s->at[0] * p, s->S + s->pairs * p);
    subtract(p, s->G + i * p, s->G, s->Y + s->pairs * p);
  }
}

/* The largest error with which the quadratic g's + s'y/2 predicts the value at
 * a sample point, as a share of s'y/2. */
static double misfit(const samples *s)
{
  const double *f = s->known->f;
  double worst = 0;
  for (size_t j = 0; j < s->pairs; j++) {
    const double *v = s->S + j * s->p;
    double bend = 0.5 * lr_dot(s->p, v, s->Y + j * s->p);
    double rise = f[s->at[j + 1]] - f[s->at[0]] - lr_dot(s->p, v, s->G);
    worst = fmax(worst, fabs(rise - bend) / fmax(fabs(bend), 1e-300));
  }
  return worst;
}

/* ---- the subspace ---- */

/* v becomes its part outside Q, s->c its parts along Q; returns the norm of
 * what is left. */
static double reject(samples *s, double *v)
{
  memset(s->c, 0, s->q * sizeof *s->c);
  for (int twice = 0; twice < 2; twice++) /* Gram-Schmidt */
    for (size_t j = 0; j < s->q; j++) {
      const double *w = s->Q + j * s->p;
      double d = lr_dot(s->p, w, v);
      s->c[j] += d;
      for (size_t i = 0; i < s->p; i++) v[i] -= d * w[i];
    }
  return lr_norm(s->p, v);
}

/* Extends Q by the part of v outside it; s->c = Q'v.  False: there is none. */
static bool extend(samples *s, const double *v)
{
  double *w = s->Q + s->q * s->p, before = lr_norm(s->p, v);
  memcpy(w, v, s->p * sizeof *w);
  double left = reject(s, w);
  if (!(before > 0) || !lr_fit_is_new(s->known->policy, left, before))
    return false;
  for (size_t i = 0; i < s->p; i++) w[i] /= left;
  s->c[s->q++] = left;
  return true;
}

/* Extends Q by the gradients; returns whether they are linearly dependent. */
static bool span_gradients(samples *s)
{
  bool dependent = !extend(s, s->G);
  for (size_t j = 0; j < s->pairs; j++)
    dependent |= !extend(s, s->Y + j * s->p);
  return dependent;
}

static void project_pairs(samples *s)
{
  for (size_t j = 0; j < s->pairs; j++) {
    double *v = s->S + j * s->p;
    (void)reject(s, v);
    memset(v, 0, s->p * sizeof *v);
    for (size_t l = 0; l < s->q; l++)
      for (size_t i = 0; i < s->p; i++) v[i] += s->c[l] * s->Q[l * s->p + i];
  }
}

/* Q = the span of S, Y = B Q. */
static void settle(samples *s)
{
  size_t p = s->p, n = s->n, pairs = s->pairs;
  s->q = s->pairs = 0;
  for (size_t j = 0; j < pairs; j++) {
    if (!extend(s, s->S + j * p)) continue;
    double *t = s->T + s->pairs * n, *y = s->Y + s->pairs * p;
    memcpy(t, s->c, s->q * sizeof *t);
    memmove(y, s->Y + j * p, p * sizeof *y);
    s->pairs++;
  }
  for (size_t j = 0; j < s->pairs; j++) /* Y T^-1 */
    for (size_t i = 0; i < p; i++) {
      double *y = s->Y + i;
      for (size_t l = 0; l < j; l++) y[j * p] -= s->T[j * n + l] * y[l * p];
      y[j * p] /= s->T[j * n + j];
    }
}

/* ---- the model ---- */

static lrgd_status write(const samples *s, size_t settled, lr_fit *fit)
{
  const lrgd_allocator *a = &fit->allocator;
  size_t p = s->p, q = s->q;
  fit->V = lr_alloc(a, q * p, sizeof *fit->V);
  fit->g = lr_alloc(a, q, sizeof *fit->g);
  fit->B = lr_alloc(a, q * q, sizeof *fit->B);
  if (!fit->V || !fit->g || !fit->B) return LRGD_ERR_NOMEM;
  memcpy(fit->V, s->Q, q * p * sizeof *fit->V);
  for (size_t j = 0; j < q; j++) fit->g[j] = lr_dot(p, s->Q + j * p, s->G);
  for (size_t j = 0; j < settled; j++)
    for (size_t i = j; i < q; i++) {
      double b = lr_dot(p, s->Q + i * p, s->Y + j * p);
      if (i < settled) b = 0.5 * (b + lr_dot(p, s->Q + j * p, s->Y + i * p));
      fit->B[j * q + i] = fit->B[i * q + j] = b;
    }
  fit->q = fit->room = q;
  fit->at = s->at[0];
  fit->open = q - settled;
  fit->spans = fit->embedding = true;
  fit->steepness = lr_norm(p, s->G);
  return LRGD_OK;
}

static lrgd_status build(samples *s, lr_fit *fit)
{
  pair(s);
  size_t settled = 0;
  if (lr_fit_pairs_agree(s->known->policy, misfit(s))) {
    if (span_gradients(s)) project_pairs(s);
    settle(s);
    settled = s->q;
  }
  (void)span_gradients(s);
  return s->q > 0 ? write(s, settled, fit) : LRGD_OK;
}

static bool make_room(samples *s, const lrgd_allocator *a, size_t most)
{
  s->at = lr_alloc(a, most, sizeof *s->at);
  s->G = lr_alloc(a, (most + 1) * s->p, sizeof *s->G);
  return s->at && s->G;
}

static bool make_pairs(samples *s, const lrgd_allocator *a)
{
  s->S = lr_alloc(a, s->n * s->p, sizeof *s->S);
  s->Y = lr_alloc(a, s->n * s->p, sizeof *s->Y);
  s->Q = lr_alloc(a, 2 * s->n * s->p, sizeof *s->Q);
  s->T = lr_alloc(a, s->n * s->n, sizeof *s->T);
  s->c = lr_alloc(a, 2 * s->n, sizeof *s->c);
  return s->S && s->Y && s->Q && s->T && s->c;
}

static void clear(samples *s, const lrgd_allocator *a)
{
  lr_free(a, s->at);
  lr_free(a, s->G);
  lr_free(a, s->S);
  lr_free(a, s->Y);
  lr_free(a, s->Q);
  lr_free(a, s->T);
  lr_free(a, s->c);
}

lrgd_status lr_fit_samples(lr_fit *fit, const lr_known *known, size_t lowest,
                           bool model)
{
  const lr_policy *P = known->policy;
  const lrgd_allocator *a = &known->allocator;
  size_t most = lr_fit_most_samples(P, known->p);
  samples s = {.known = known, .p = known->p};
  *fit = (lr_fit){.allocator = *a, .p = known->p};
  lrgd_status status = make_room(&s, a, most) ? LRGD_OK : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) gather(&s, most);
  fit->sampled = ascends(&s);
  fit->descended =
      fit->sampled &&
      lr_fit_descended(P, known->f[0], lowest_sample(&s), known->f[lowest]);
  if (status == LRGD_OK && fit->sampled && model)
    status = make_pairs(&s, a) ? build(&s, fit) : LRGD_ERR_NOMEM;
  clear(&s, a);
  if (status != LRGD_OK) lr_fit_clear(fit);
  return status;
}
