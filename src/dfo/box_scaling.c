/* Coordinates, scales and first values of an interpolation model in a box. */
#include "dfo/box_scaling.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/sort.h"
#include "dfo/dfo_rules.h"

#include <math.h>
#include <string.h>

enum { BEST, TRIAL, COLUMNS };

/* ---- creation and destruction ---- */

static lrgd_vec column(const lr_box_scaling *c, size_t which)
{
  return (lrgd_vec){c->columns, which};
}

void lr_box_scaling_close(lr_box_scaling *c)
{
  lr_interpolation_clear(&c->q);
  if (c->columns) c->run->space->ops->free(c->run->space, c->columns);
  lr_free(&c->run->allocator, c->lower);
}

/* The unit of an input at x within bounds that are not both finite: a share of
 * its size, or of the mean size of the inputs where it is 0. */
static void unit_of_size(lr_box_scaling *c, size_t i, double mean)
{
  double size = fabs(c->from[i]);
  c->origin[i] = c->from[i];
  c->width[i] = size > 0 ? size : mean;
  c->least[i] = (c->lower[i] - c->from[i]) / c->width[i];
  c->most[i] = (c->upper[i] - c->from[i]) / c->width[i];
}

/* Chooses the coordinates: the origin, and the length in x of a share of 1. */
static void place(lr_box_scaling *c, const lr_point *start)
{
  lrgd_space *space = c->run->space;
  const lrgd_box box = c->run->oracle.box;
  size_t p = c->q.p, some = 0;
  double sum = 0;
  space->ops->get(space, start->x, 0, p, c->from);
  for (size_t i = 0; i < p; i++) {
    c->lower[i] = -INFINITY;
    c->upper[i] = INFINITY;
    sum += fabs(c->from[i]);
    some += c->from[i] != 0;
  }
  if (box.lower.block) {
    space->ops->get(space, box.lower, 0, p, c->lower);
    space->ops->get(space, box.upper, 0, p, c->upper);
  }
  for (size_t i = 0; i < p; i++) {
    c->origin[i] = c->lower[i];
    c->width[i] = c->upper[i] - c->lower[i];
    c->least[i] = 0;
    c->most[i] = 1;
    if (!lr_finite(c->width[i]))
      unit_of_size(c, i, some > 0 ? sum / (double)some : 1);
  }
}

lr_code lr_box_scaling_open(lr_box_scaling *c, lr_run *run,
                            const lr_point *start)
{
  lrgd_space *space = run->space;
  size_t p = space->dimension;
  *c = (lr_box_scaling){.run = run, .best = *start, .first = start->f};
  c->columns = space->ops->make(space, COLUMNS);
  c->lower = lr_alloc(&run->allocator, 15 * p, sizeof *c->lower);
  if (!c->columns || !c->lower ||
      lr_interpolation_init(&c->q, &run->allocator, p,
                            lr_dfo_points(run->policy, p)) != LRGD_OK)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a quadratic in %zu dimensions",
                           p);
  double **parts[] = {&c->upper,    &c->width,      &c->x,      &c->d,
                      &c->from,     &c->h,          &c->shift,  &c->f,
                      &c->opposite, &c->f_opposite, &c->origin, &c->scale,
                      &c->least,    &c->most};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *parts[i] = c->lower + (1 + i) * p;
  place(c, start);
  c->best.x = column(c, BEST);
  space->ops->copy(space, c->best.x, start->x, 1);
  return LR_GO;
}

/* ---- evaluation ---- */

static void keep_inside(const lr_box_scaling *c, lrgd_vec x)
{
  lrgd_space *space = c->run->space;
  if (lr_oracle_boxed(&c->run->oracle))
    (void)space->ops->clip(space, x, c->run->oracle.box);
}

/* Writes the point c->x, in units of the problem, into a column. */
static void put(const lr_box_scaling *c, lrgd_vec to, double *scratch)
{
  lrgd_space *space = c->run->space;
  for (size_t i = 0; i < c->q.p; i++) {
    double share = c->x[i] / c->scale[i];
    scratch[i] =
        share < c->most[i] ? c->origin[i] + share * c->width[i] : c->upper[i];
  }
  space->ops->put(space, to, 0, c->q.p, scratch);
  keep_inside(c, to);
}

/* Makes a point the iterate. */
static lr_code arrive(lr_box_scaling *c, const lr_point *at)
{
  lrgd_space *space = c->run->space;
  double f = at->f;
  space->ops->copy(space, c->best.x, at->x, 1);
  lr_oracle_rename(&c->run->oracle, &c->best);
  c->best.f = f;
  lr_run_stand(c->run, &c->best);
  LR_TRY(lr_run_offer(c->run, &c->best));
  return lr_run_arrived(c->run);
}

/* The highest value that the model interpolates.  It replaces values that could
 * not be evaluated: a higher one would dominate the model's curvature at every
 * resolution. */
static double highest_now(const lr_box_scaling *c)
{
  double f = c->q.f[0];
  for (size_t j = 1; j < c->q.count; j++) f = fmax(f, c->q.f[j]);
  return f;
}

/* x clipped to the box; a point within some dozen rounding errors of a bound is
 * moved onto it. */
static double inside(const lr_box_scaling *c, size_t i, double x)
{
  const double rounding = 1e-14 * c->scale[i];
  double lower = c->q.lower[i], upper = c->q.upper[i];
  return !(x >= lower + rounding) ? lower : x > upper - rounding ? upper : x;
}

/* Evaluates f at the model's best point + c->d, which becomes *at and c->x.  A
 * failure, or a value above the ceiling, gives the highest value of the model.
 */
static lr_code evaluate(lr_box_scaling *c, lr_point *at, double *f)
{
  const double *from = c->q.x + c->q.best * c->q.p;
  *at = (lr_point){.x = column(c, TRIAL), .f = NAN};
  for (size_t i = 0; i < c->q.p; i++) c->x[i] = inside(c, i, from[i] + c->d[i]);
  put(c, at->x, c->d);
  lr_oracle_rename(&c->run->oracle, at);
  lr_code code = lr_oracle_value(&c->run->oracle, at, LRGD_PURPOSE_SEARCH);
  bool none = code == LR_NOVALUE || (code == LR_GO && at->f > c->highest);
  *f = none ? highest_now(c) : at->f;
  c->replaced |= none;
  return none ? LR_GO : code;
}

lr_code lr_box_scaling_ask(lr_box_scaling *c, double *f)
{
  lr_point at;
  LR_TRY(evaluate(c, &at, f));
  return at.f < c->best.f ? arrive(c, &at) : LR_GO;
}

/* ---- scales ---- */

void lr_box_scaling_set_scale(lr_box_scaling *c, size_t i, double scale)
{
  c->scale[i] = scale;
  c->q.lower[i] = c->least[i] * scale;
  c->q.upper[i] = c->most[i] * scale;
}

/* Chooses the first scales by the first differences, as there is no model
 * yet. */
static void scale_first(lr_box_scaling *c)
{
  const lr_policy *P = c->run->policy;
  size_t p = c->q.p;
  double *w = c->d;
  for (size_t i = 0; i < p; i++) w[i] = fabs((c->f[i] - c->first) / c->h[i]);
  if (!lr_dfo_scales(P, p, P->slope_power, w)) return;
  for (size_t i = 0; i < p; i++) {
    c->from[i] *= w[i];
    c->h[i] *= w[i];
    lr_box_scaling_set_scale(c, i, w[i]);
  }
}

void lr_box_scaling_rescale(lr_box_scaling *c, double radius)
{
  const lr_policy *P = c->run->policy;
  lr_interpolation *q = &c->q;
  size_t p = q->p;
  double *r = c->d;
  if (q->count < q->most) return;
  for (size_t i = 0; i < p; i++)
    r[i] = fabs(q->H[i * (p + 1)]) * c->scale[i] * c->scale[i];
  if (!lr_dfo_scales(P, p, P->curvature_power, r)) return;
  for (size_t i = 0; i < p; i++) {
    r[i] /= c->scale[i];
    c->scale[i] *= r[i];
  }
  lr_interpolation_stretch(q, r, radius);
}

/* ---- the first values ---- */

/* The ceiling, above which a first value counts as a failure, derived from the
 * median change.  Inputs that change nothing do not count, as most inputs may
 * be such. scratch: p numbers. */
static double ceiling_of(const lr_box_scaling *c, double *scratch)
{
  double level = lr_oracle_level(&c->run->oracle, c->first);
  size_t n = 0;
  for (size_t i = 0; i < c->q.p; i++)
    if (lr_finite(c->f[i]) && fabs(c->f[i] - c->first) > level)
      scratch[n++] = fabs(c->f[i] - c->first);
  lr_sort(scratch, n);
  return lr_dfo_first_ceiling(c->run->policy, c->first, scratch, n);
}

/* Whether the box has room on the opposite side of the start along input i. */
static bool has_room(const lr_box_scaling *c, size_t i)
{
  double other = c->from[i] - c->h[i];
  return other >= c->least[i] && other <= c->most[i];
}

/* Evaluates the first points, at steps into the box.  *good: every input has a
 * value, if need be on the opposite side or at a shorter distance. */
static lr_code evaluate_around(lr_box_scaling *c, const lr_point *start,
                               double radius, bool *good)
{
  const lr_policy *P = c->run->policy;
  size_t p = c->q.p;
  double *shift = c->q.scratch, *values = shift + p, ceiling = INFINITY;
  for (size_t i = 0; i < p; i++) {
    c->h[i] = c->from[i] <= c->most[i] - radius ? radius : -radius;
    c->opposite[i] = has_room(c, i) ? -1 : 2;
    shift[i] = c->h[i] * c->width[i];
  }
  *good = false;
  for (int attempt = 0; lr_dfo_tries_again(P, attempt) && !*good; attempt++) {
    LR_TRY(lr_oracle_around(&c->run->oracle, start, shift, LRGD_PURPOSE_SEARCH,
                            values));
    for (size_t i = 0; i < p; i++) {
      if (shift[i] == 0) continue;
      c->shift[i] = shift[i];
      c->f[i] = values[i];
    }
    if (attempt == 0) ceiling = ceiling_of(c, values);
    *good = true;
    for (size_t i = 0; i < p; i++) {
      shift[i] = 0;
      if (c->f[i] <= ceiling) continue;
      *good = false;
      if (!lr_dfo_tries_again(P, attempt + 1)) break;
      c->h[i] = lr_dfo_retry(P, has_room(c, i), c->h[i], attempt);
      c->opposite[i] = 0.5;
      shift[i] = c->h[i] * c->width[i];
    }
  }
  return LR_GO;
}

/* Moves the iterate to the first point along input i, exactly as it was
 * evaluated: converting it from coordinates would round it. */
static lr_code arrive_along(lr_box_scaling *c, const lr_point *start, size_t i,
                            double shift, double f)
{
  lrgd_space *space = c->run->space;
  lr_point at = {.x = column(c, TRIAL), .f = f};
  space->ops->copy(space, at.x, start->x, 1);
  (void)space->ops->add_at(space, at.x, i, shift);
  keep_inside(c, at.x);
  return arrive(c, &at);
}

/* Builds the first model at `start`.  *good: that was possible. */
static lr_code begin(lr_box_scaling *c, const lr_point *start, double radius,
                     bool *good)
{
  lrgd_space *space = c->run->space;
  size_t p = c->q.p;
  double low = c->first, high = c->first;
  space->ops->get(space, start->x, 0, p, c->from);
  *good = true;
  for (size_t i = 0; i < p; i++) {
    *good = *good && radius * c->width[i] > 0 && lr_finite(c->width[i]);
    c->from[i] = (c->from[i] - c->origin[i]) / c->width[i];
    c->from[i] = fmin(fmax(c->from[i], c->least[i]), c->most[i]);
    lr_box_scaling_set_scale(c, i, 1);
  }
  if (*good) LR_TRY(evaluate_around(c, start, radius, good));
  if (!*good) return LR_GO;
  for (size_t i = 0; i < p; i++) {
    low = fmin(low, c->f[i]);
    high = fmax(high, c->f[i]);
  }
  c->highest = lr_dfo_ceiling(c->run->policy, low, high);
  scale_first(c);
  *good = high > low && lr_finite(c->highest) &&
          lr_interpolation_begin(&c->q, c->from, c->first, c->h, c->f);
  if (!*good || c->q.best == 0) return LR_GO;
  size_t i = c->q.best - 1;
  return arrive_along(c, start, i, c->shift[i], c->f[i]);
}

/* Whether f at the start is a penalty. */
static bool starts_at_penalty(const lr_box_scaling *c)
{
  double *f = c->q.scratch;
  size_t n = c->q.count;
  memcpy(f, c->q.f, n * sizeof *f);
  lr_sort(f, n);
  return lr_dfo_is_penalty(c->run->policy, f, n, c->first);
}

/* Makes the lowest of the first points the start, and builds the first model
 * there. */
static lr_code begin_lower(lr_box_scaling *c, lr_point *start, double radius,
                           bool *good)
{
  lr_run_decide(c->run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_START_MOVED,
                                .value = lr_run_told(c->run, c->first),
                                .level = lr_run_told(c->run, c->best.f)});
  c->first = c->best.f;
  lr_oracle_begin_at(&c->run->oracle, start, c->best.x, c->first);
  return begin(c, start, radius, good);
}

lr_code lr_box_scaling_begin(lr_box_scaling *c, lr_point *start, double radius,
                             bool *good)
{
  LR_TRY(begin(c, start, radius, good));
  if (!*good || !starts_at_penalty(c)) return LR_GO;
  return begin_lower(c, start, radius, good);
}

/* Evaluates f after a share of all first steps that decreased it, taken
 * together.  *falls: the sum of their decreases; *count: their number.  With
 * fewer than two nothing is evaluated. */
static lr_code joint_step(lr_box_scaling *c, double share, lr_point *at,
                          double *f, double *falls, size_t *count)
{
  const double *best = c->q.x + c->q.best * c->q.p;
  *falls = 0;
  *count = 0;
  for (size_t i = 0; i < c->q.p; i++) {
    bool down = c->f[i] < c->first;
    c->d[i] = c->from[i] + (down ? share * c->h[i] : 0) - best[i];
    if (down) *falls += c->first - c->f[i];
    *count += down;
  }
  if (*count < 2) return LR_GO;
  LR_TRY(evaluate(c, at, f));
  return at->f < c->best.f ? lr_run_offer(c->run, at) : LR_GO;
}

lr_code lr_box_scaling_try_separable(lr_box_scaling *c, bool *separable)
{
  const lr_policy *P = c->run->policy;
  double whole, half, falls;
  size_t count;
  lr_point at;
  *separable = false;
  LR_TRY(joint_step(c, 1, &at, &whole, &falls, &count));
  if (count < 2 || !lr_dfo_adds_up(P, c->first - whole, falls, falls))
    return LR_GO;
  LR_TRY(joint_step(c, 0.5, &at, &half, &falls, &count));
  bool linear = lr_dfo_adds_up(P, c->first - half, 0.5 * falls, falls);
  *separable = at.f <= c->highest && !linear;
  return LR_GO;
}

/* ---- points on the opposite side of the start ---- */

bool lr_box_scaling_rises(const lr_box_scaling *c)
{
  size_t rises = 0;
  for (size_t i = 0; i < c->q.p; i++) rises += c->f[i] > c->first;
  return lr_dfo_rises(c->run->policy, rises, c->q.p);
}

static lr_code evaluate_opposite(lr_box_scaling *c, const lr_point *start)
{
  double *shift = c->q.scratch;
  for (size_t i = 0; i < c->q.p; i++) shift[i] = c->opposite[i] * c->shift[i];
  return lr_oracle_around(&c->run->oracle, start, shift, LRGD_PURPOSE_SEARCH,
                          c->f_opposite);
}

lr_code lr_box_scaling_add_opposite(lr_box_scaling *c, const lr_point *start,
                                    double radius, bool lower)
{
  lr_interpolation *q = &c->q;
  size_t p = q->p, low = p;
  LR_TRY(evaluate_opposite(c, start));
  /* the result is the same as before, when these points had a solution */
  (void)lr_interpolation_begin(q, c->from, c->first, c->h, c->f);
  for (size_t i = 0; i < p; i++) {
    double f = c->f_opposite[i];
    if (!(f <= c->highest)) continue;
    memcpy(c->d, c->from, p * sizeof *c->d);
    c->d[i] += c->opposite[i] * c->h[i];
    lr_interpolation_take(q, c->d, f, radius, q->most);
    if (f < c->best.f && (low == p || f < c->f_opposite[low])) low = i;
  }
  if (lower) lr_interpolation_take(q, c->x, c->best.f, radius, q->most);
  if (low == p) return LR_GO;
  return arrive_along(c, start, low, c->opposite[low] * c->shift[low],
                      c->f_opposite[low]);
}

/* ---- the end ---- */

lrgd_status lr_box_scaling_fit(const lr_box_scaling *c, lr_fit *fit)
{
  const lr_interpolation *q = &c->q;
  const lrgd_allocator *a = &c->run->allocator;
  size_t p = q->p;
  *fit = (lr_fit){.allocator = *a, .p = p, .q = p, .room = p};
  fit->V = lr_alloc(a, p * p, sizeof *fit->V);
  fit->B = lr_alloc(a, p * p, sizeof *fit->B);
  fit->g = lr_alloc(a, p, sizeof *fit->g);
  if (!fit->V || !fit->B || !fit->g) {
    lr_fit_clear(fit);
    return LRGD_ERR_NOMEM;
  }
  memset(fit->V, 0, p * p * sizeof *fit->V);
  for (size_t j = 0; j < p; j++) {
    double along = c->scale[j] / c->width[j]; /* coordinates per unit of x */
    fit->V[j * (p + 1)] = 1;
    fit->g[j] = q->g[j] * along;
    for (size_t i = 0; i < p; i++) {
      size_t at = i < j ? i * p + j : j * p + i; /* the lower half */
      fit->B[j * p + i] = q->H[at] * along * c->scale[i] / c->width[i];
    }
  }
  return LRGD_OK;
}

double lr_box_scaling_slope(const lr_box_scaling *c, const lr_point *start)
{
  lrgd_space *space = c->run->space;
  lrgd_vec way = column(c, TRIAL);
  double minus = -1, length = 0;
  space->ops->copy(space, way, c->best.x, 1);
  space->ops->add(space, way, start->x, 1, &minus);
  bool moved = space->ops->measure(space, way, &length) && length > 0;
  return moved ? (start->f - c->best.f) / length : 0;
}
