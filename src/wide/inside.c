/* Newton's method in a subspace, by rounds: a round holds the step at several
 * lengths and the differences at the predicted landing. */
#include "wide/span.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "wide/wide_rules.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { LENGTHS = 16 };

typedef struct inside {
  lr_span *s;
  double h;        /* the difference step */
  bool predicts;   /* whether the last predicted landing was taken */
  bool speculates; /* whether differences come with the steps of the round */
  size_t n;        /* steps of the round */
  double *steps;   /* the steps, in coordinates of V */
  double lengths[LENGTHS]; /* lengths of the steps, in radii */
  /* the base of the round's differences, relative to the centre */
  const double *at;
  bool hessian; /* whether second differences are in the round too */
  double *f, *z;
  double *g, *B; /* the last measured model: k and k x most numbers */
} inside;

/* Entry e of the lower half, column by column: row i >= column j. */
static void row_and_column(size_t e, size_t *i, size_t *j)
{
  for (*i = 0; e > *i; ++*i) e -= *i + 1;
  *j = e;
}

static void place(void *self, size_t i, lrgd_vec x)
{
  inside *q = self;
  lr_span *s = q->s;
  const double *step = i < q->n ? q->steps + i * s->most : q->at;
  memcpy(q->z, s->c, s->k * sizeof *q->z);
  lr_axpy(s->k, 1, step, q->z);
  if (i >= q->n && i < q->n + s->k) {
    q->z[i - q->n] += q->h;
  } else if (i >= q->n) {
    size_t a, b;
    row_and_column(i - q->n - s->k, &a, &b);
    q->z[a] += a == b ? -q->h : q->h;
    q->z[b] += a == b ? 0 : q->h;
  }
  lr_span_place(s, q->z, s->k, x);
}

/* Points of a round: several times the width where evaluations end in any
 * order, since the last ones of a round leave places empty. */
static size_t round_of(const inside *q)
{
  const lr_rounds *r = q->s->rounds;
  return lr_rounds_async(r) ? lr_inside_places(q->s->run->policy, r->width)
                            : r->width;
}

static bool differs(inside *q, const double *step)
{
  lr_span *s = q->s;
  for (size_t j = 0; j < q->n; j++) {
    memcpy(q->z, step, s->k * sizeof *q->z);
    lr_axpy(s->k, -1, q->steps + j * s->most, q->z);
    if (!lr_wide_differs(s->run->policy, lr_norm(s->k, q->z),
                         lr_norm(s->k, step)))
      return false;
  }
  return true;
}

/* Proposes distinct steps, one for each of several radii. */
static void propose(inside *q)
{
  lr_span *s = q->s;
  size_t width = round_of(q);
  size_t free = q->speculates ? lr_wide_left(width, s->k) : width;
  size_t most = lr_wide_lengths(s->run->policy, free);
  q->n = 0;
  for (size_t i = 0; i < most && i < LENGTHS; i++) {
    double length = lr_wide_length(i), *step = q->steps + q->n * s->most;
    (void)lr_region_step(&s->region, s->radius * length, step);
    if (differs(q, step)) q->lengths[q->n++] = length;
  }
}

/* Where steps for several radii are the same, as inside the trust region, adds
 * multiples of it in the places that `more` other points leave empty. */
static void add_multiples(inside *q, size_t more)
{
  lr_span *s = q->s;
  size_t most = q->n + lr_wide_left(round_of(q), q->n + more) % round_of(q);
  most = lr_wide_lengths(s->run->policy, most);
  most = most < LENGTHS ? most : LENGTHS;
  for (size_t i = 1; q->n < most && i < LENGTHS; i++) {
    double length = lr_wide_length(i), *step = q->steps + q->n * s->most;
    memcpy(step, q->steps, s->k * sizeof *step);
    lr_scale(s->k, length, step);
    if (differs(q, step)) q->lengths[q->n++] = length;
  }
}

/* Updates the model from the values d of differences at s from the centre,
 * where f is f0: by the measured Hessian, or by a symmetric rank-one update
 * (Powell's symmetric update where that one is not safe). */
static void update(inside *q, const double *step, double f0, const double *d)
{
  lr_span *s = q->s;
  size_t k = s->k, n = s->most;
  double h = q->h, *u = q->z;
  memcpy(q->B, s->B, k * n * sizeof *q->B);
  for (size_t e = 0; q->hessian && e < k * (k + 1) / 2; e++) {
    size_t i, j;
    row_and_column(e, &i, &j);
    double w = d[k + e];
    double c = i == j ? d[i] + w - 2 * f0 : w - d[i] - d[j] + f0;
    q->B[i * n + j] = q->B[j * n + i] = c / (h * h);
  }
  for (size_t i = 0; i < k; i++)
    q->g[i] = (d[i] - f0) / h - 0.5 * h * q->B[i * n + i];
  if (q->hessian) return;
  for (size_t i = 0; i < k; i++)
    u[i] = q->g[i] - s->g[i] - lr_dot(k, q->B + i * n, step);
  double us = lr_dot(k, u, step), ss = lr_dot(k, step, step);
  bool safe = lr_inside_suits_sr1(s->run->policy, us, lr_norm(k, u), sqrt(ss));
  for (size_t j = 0; j < k && ss > 0; j++)
    for (size_t i = 0; i < k; i++)
      q->B[j * n + i] += safe ? u[i] * u[j] / us
                              : (u[i] * step[j] + step[i] * u[j] -
                                 us / ss * step[i] * step[j]) /
                                    ss;
}

static void choose_differences(inside *q, bool hessian)
{
  q->hessian = hessian;
  q->h = lr_inside_step(q->s->run->policy, q->s->unit, hessian);
}

static size_t stencil(const inside *q)
{
  size_t k = q->s->k;
  return k + (q->hessian ? k * (k + 1) / 2 : 0);
}

/* Moves the centre by a step, and takes over the model measured there. */
static lr_code move(inside *q, const double *step, double f)
{
  lr_span *s = q->s;
  size_t k = s->k;
  memcpy(s->g, q->g, k * sizeof *s->g);
  memcpy(s->B, q->B, k * s->most * sizeof *s->B);
  lr_axpy(k, 1, step, s->c);
  s->f = f;
  if (q->hessian) s->blur = lr_span_blur(s, f, k, q->h);
  lrgd_vec x = {s->spare, 0};
  lr_span_place(s, s->c, k, x);
  return lr_rounds_arrive(s->rounds, x, f);
}

/* Measures the model at the best step of the round, unless that is the
 * predicted landing, whose model was measured in the round. */
static lr_code follow(inside *q, size_t best, bool *whole)
{
  lr_span *s = q->s;
  const lr_policy *P = s->run->policy;
  double *step = q->steps + best * s->most, f = q->f[best];
  size_t n = q->n;
  *whole = true;
  if (best > 0 || !q->speculates) {
    q->at = step;
    q->n = 0;
    choose_differences(q, lr_inside_measures(P, round_of(q), 0, s->k));
    LR_TRY(lr_rounds_ask(s->rounds, stencil(q), place, q, q->f + n));
  }
  *whole = lr_all_finite(q->f + n, stencil(q));
  if (!*whole) return LR_GO;
  update(q, step, f, q->f + n);
  double length = q->lengths[best];
  s->radius = lr_norm(s->k, step) * (length >= 1 ? 2 : 1);
  return move(q, step, f);
}

static size_t lowest(const inside *q)
{
  size_t best = 0;
  for (size_t i = 1; i < q->n; i++)
    if (q->f[i] < q->f[best] || !lr_finite(q->f[best])) best = i;
  return best;
}

/* One iteration, of one or two rounds.  *falls: f has decreased; *whole: f has
 * a value at all points of the differences. */
static lr_code iterate(inside *q, bool *falls, bool *whole)
{
  lr_span *s = q->s;
  const lr_policy *P = s->run->policy;
  q->speculates = lr_inside_speculates(round_of(q), s->k, q->predicts);
  propose(q);
  q->at = q->steps;
  choose_differences(q, q->speculates &&
                            lr_inside_measures(P, round_of(q), q->n, s->k));
  size_t more = q->speculates ? stencil(q) : 0;
  add_multiples(q, more);
  LR_TRY(lr_rounds_ask(s->rounds, q->n + more, place, q, q->f));
  size_t best = lowest(q);
  double least = q->lengths[0];
  for (size_t i = 1; i < q->n; i++) least = fmin(least, q->lengths[i]);
  *falls = q->f[best] < s->f;
  *whole = true;
  q->predicts = false;
  if (!*falls) {
    s->radius = lr_wide_shrunk(P, least, s->radius, lr_norm(s->k, q->steps));
    return LR_GO;
  }
  if (lr_wide_accepts(P->wide_inside_accept, s->f - q->f[0], s->f - q->f[best]))
    q->predicts = true;
  if (q->predicts && q->speculates) best = 0;
  return follow(q, best, whole);
}

/* Slopes by differences of step h err by h/2 times the error of the model's
 * curvature, which may be as large as the curvature, and by that of values. */
static lr_region_errors errors(const inside *q, double level)
{
  double h = lr_inside_step(q->s->run->policy, q->s->unit, false);
  return (lr_region_errors){
      .curvature = q->s->blur, .slope = level / h, .slope_share = h};
}

static lr_code go(inside *q)
{
  lr_span *s = q->s;
  const lr_policy *P = s->run->policy;
  bool falls, whole = true;
  for (unsigned failed = 0; whole && !lr_wide_fails(P, failed); failed++) {
    double level = lr_oracle_level(&s->run->oracle, s->f);
    if (!lr_region_set(&s->region, s->k, s->g, s->B, s->most, errors(q, level)))
      break;
    double fall = lr_region_step(&s->region, s->radius, q->z);
    if (lr_inside_ends(P, fall, s->start.f - s->f, level)) break;
    LR_TRY(iterate(q, &falls, &whole));
    /* wraps to 0 at the first round without a decrease */
    if (falls) failed = UINT_MAX;
  }
  return LR_GO;
}

lr_code lr_inside(lr_span *s)
{
  const lrgd_allocator *a = &s->run->allocator;
  size_t k = s->k, n = s->most;
  /* the oracle writes one number more than the batch */
  size_t values = LENGTHS + k + k * (k + 1) / 2 + 1;
  inside q = {.s = s};
  q.steps = lr_alloc(a, (LENGTHS + 2 + k) * n + values, sizeof *q.steps);
  if (!q.steps)
    return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a model of %zu directions", k);
  q.z = q.steps + LENGTHS * n;
  q.g = q.z + n;
  q.B = q.g + n;
  q.f = q.B + k * n;
  lr_code code = go(&q);
  lr_free(a, q.steps);
  return code;
}
