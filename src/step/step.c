/* Memory of a step rule, and the line search that rules share. */
#include "step/step.h"

#include "base/memory.h"
#include "step/step_rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

const lr_step_ops *lr_step_of(lrgd_step step)
{
#define RULE(enumerator, word, symbol)                                         \
  [LRGD_STEP_##enumerator] = &lr_step_##symbol,
  static const lr_step_ops *const rules[] = {LR_STEPS(RULE)};
#undef RULE
  return (size_t)step < sizeof rules / sizeof *rules ? rules[step] : NULL;
}

double lr_step_first(const lr_step *s, double norm)
{
  return s->length > 0        ? s->length
         : s->given.alpha > 0 ? s->given.alpha
                              : 1 / norm;
}

void lr_step_init(lr_step *s, const lr_step_ops *ops,
                  const lr_step_given *given, const lrgd_allocator *a)
{
  *s = (lr_step){.ops = ops,
                 .given = *given,
                 .policy = lr_policy_current(),
                 .allocator = *a};
}

static void release(lr_step *s)
{
  lr_free(&s->allocator, s->last_d);
  lr_free(&s->allocator, s->H);
  s->last_d = s->H = NULL;
}

void lr_step_clear(lr_step *s)
{
  if (s->ops) release(s);
  *s = (lr_step){0};
}

/* Makes room for `capacity` dimensions and keeps the state of the first s->k.
 */
static lrgd_status reserve(lr_step *s, size_t capacity)
{
  if (capacity <= s->capacity) return LRGD_OK;
  size_t square = s->ops->squares ? capacity : 0, k = s->k;
  double *six = lr_alloc(&s->allocator, capacity, 6 * sizeof *six);
  double *H = lr_alloc(&s->allocator, square * square + 1, sizeof *H);
  if (!six || !H) {
    lr_free(&s->allocator, six);
    lr_free(&s->allocator, H);
    return LRGD_ERR_NOMEM;
  }
  if (k > 0) {
    memcpy(six, s->last_d, k * sizeof *six);
    memcpy(six + capacity, s->last_z, k * sizeof *six);
    memcpy(six + 4 * capacity, s->v, k * sizeof *six);
    memcpy(six + 5 * capacity, s->w, k * sizeof *six);
  }
  for (size_t j = 0; square > 0 && j < k; j++)
    memcpy(H + j * square, s->H + j * s->capacity, k * sizeof *H);
  release(s);
  s->last_d = six;
  s->last_z = six + capacity;
  s->u = six + 2 * capacity;
  s->y = six + 3 * capacity;
  s->v = six + 4 * capacity;
  s->w = six + 5 * capacity;
  s->H = H;
  s->capacity = capacity;
  return LRGD_OK;
}

void lr_step_forget(lr_step *s)
{
  memset(s->v, 0, s->k * sizeof *s->v);
  memset(s->w, 0, s->k * sizeof *s->w);
  s->count = 0;
}

lrgd_status lr_step_reset(lr_step *s, size_t k)
{
  s->k = 0;
  s->scaled = s->paired = false;
  lrgd_status status = reserve(s, k);
  if (status != LRGD_OK) return status;
  s->k = k;
  lr_step_forget(s);
  return LRGD_OK;
}

lrgd_status lr_step_grow(lr_step *s, size_t k)
{
  if (k > s->capacity) {
    lrgd_status status = reserve(s, k > 2 * s->k ? k : 2 * s->k);
    if (status != LRGD_OK) return status;
  }
  size_t old = s->k, ld = s->capacity;
  for (size_t j = old; s->scaled && j < k; j++) {
    for (size_t i = 0; i < k; i++) s->H[i * ld + j] = s->H[j * ld + i] = 0;
    /* a new direction gets the mean of the known inverse curvatures */
    double trace = 0;
    for (size_t i = 0; i < old; i++) trace += s->H[i * (ld + 1)];
    s->H[j * (ld + 1)] = trace / (double)old;
  }
  for (size_t j = old; j < k; j++) s->v[j] = s->w[j] = 0;
  s->paired = false;
  s->k = k;
  return LRGD_OK;
}

void lr_step_unpair(lr_step *s)
{
  s->paired = false;
}

lr_code lr_step_take(lr_step *s, const lr_restricted *phi, double f,
                     const double *d, double *z, double *fz)
{
  *fz = NAN;
  LR_TRY(s->ops->take(s, phi, f, d, z, fz));
  memcpy(s->last_d, d, s->k * sizeof *d);
  memcpy(s->last_z, z, s->k * sizeof *z);
  s->paired = true;
  return LR_GO;
}

lr_curvature lr_step_curvature(const lr_step *s, const double *d)
{
  double zz = 0, zy = 0, yy = 0;
  for (size_t i = 0; s->paired && i < s->k; i++) {
    double y = d[i] - s->last_d[i];
    zz += s->last_z[i] * s->last_z[i];
    zy += s->last_z[i] * y;
    yy += y * y;
  }
  if (!(zz > 0)) return (lr_curvature){0, 0};
  return (lr_curvature){sqrt(yy / zz), zy / zz};
}

/* ---- the line search ---- */

static void set_length(const lr_search *line, double t)
{
  for (size_t i = 0; i < line->k; i++) line->z[i] = t * line->u[i];
}

static lr_code try_length(const lr_search *line, double t, double *f)
{
  set_length(line, t);
  lr_code code = line->phi->value(line->phi->self, line->z, f);
  if (code == LR_NOVALUE) *f = INFINITY;
  return code == LR_NOVALUE ? LR_GO : code;
}

/* The minimum of the parabola through f, slope and the trial (t, ft). */
static double parabola(const lr_search *line, double t, double ft)
{
  double bend = 2 * (ft - line->f - t * line->slope);
  return bend > 0 ? -line->slope * t * t / bend : INFINITY;
}

/* Moves an accepted trial (t, ft) towards the minimum of the parabola while f
 * decreases. */
static lr_code refine(const lr_search *line, double *t, double *ft)
{
  const lr_policy *P = line->policy;
  for (int i = 0; i < LR_SEARCH_LENGTHENINGS; i++) {
    double best = parabola(line, *t, *ft), f;
    if (lr_search_is_near(P, *t, best)) break;
    double next = lr_search_next(P, *t, best, true);
    LR_TRY(try_length(line, next, &f));
    if (!(f < *ft)) break;
    *t = next;
    *ft = f;
    if (best < INFINITY && i > 0) break;
  }
  set_length(line, *t);
  return LR_GO;
}

lr_code lr_search_armijo(const lr_search *line, bool interpolate, double *t,
                         double *ft)
{
  const lr_policy *P = line->policy;
  for (int i = 0; i < LR_SEARCH_TRIALS; i++) {
    LR_TRY(try_length(line, *t, ft));
    if (lr_search_falls(P, line->f, *t, line->slope, line->phi->noise, *ft))
      return interpolate ? refine(line, t, ft) : LR_GO;
    *t = *ft < INFINITY ? lr_search_next(P, *t, parabola(line, *t, *ft), false)
                        : lr_step_retreat(P, *t);
  }
  return LR_NOVALUE;
}

/* the search writes z: NOLINTNEXTLINE(readability-non-const-parameter) */
lr_code lr_step_learn(lr_step *s, const lr_restricted *phi, double f,
                      double slope, double *z, double *fz)
{
  double t = lr_step_first(s, lr_norm(s->k, s->u));
  lr_search line = {phi, s->u, s->k, f, slope, z, s->policy};
  LR_TRY(lr_search_armijo(&line, true, &t, fz));
  s->length = t;
  return LR_GO;
}

lr_code lr_step_push_off(lr_step *s, const lr_restricted *phi, double f,
                         const double *d, double *z, double *fz)
{
  double norm = lr_norm(s->k, d);
  for (size_t i = 0; i < s->k; i++) s->u[i] = -d[i];
  LR_TRY(lr_step_learn(s, phi, f, -norm * norm, z, fz));
  for (size_t i = 0; i < s->k; i++) s->v[i] = z[i];
  s->count = 1;
  return LR_GO;
}
