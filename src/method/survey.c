/* The driver of a quadric in a box: which of its proposals are asked for, and
 * how far it is trusted.  The rules for the two radii are those of Powell's
 * BOBYQA (report DAMTP 2009/NA06); the first p + 1 values are enough for a
 * first step here, and the model grows to 2 p + 1 points on the way.
 *
 * Coordinates are shares of the box, 0 to 1. */
#include "method/survey.h"

#include "base/finite.h"
#include "base/memory.h"
#include "method/quadric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FEWEST = 8,  /* dimensions: below, a gradient costs little more than a step */
  MOST = 200,  /* above, its matrices cost more than values do */
  LONGEST = 30 /* p values; gradients have made up for it by then */
};

/* Distances, as shares of the box: how far apart the first values are, and the
 * resolution at which it is over. */
static const double first_radius = 0.25, last_radius = 1e-3;

enum { BEST, TRIAL, COLUMNS };

typedef struct survey {
  lr_run *run;
  lr_quadric q;
  lrgd_block *columns;
  lr_point best;
  double *lower, *width; /* of the box */
  double *x, *d;         /* a point and a step, in shares */
  double radius;         /* how far the model is trusted ... */
  double finest;         /* ... at least, at this resolution */
  double first;          /* f at the start */
  double highest;        /* values above are no more than failures */
  int fails;             /* steps in a row that did not fall */
  int unsound;           /* times in a row that no model could be made */
} survey;

/* ---- life ---- */

bool lr_survey_suits(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  size_t p = run->space->dimension;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  return by_value && lr_oracle_boxed(&run->oracle) && run->domain.k == 0 &&
         p >= FEWEST && p <= MOST;
}

static void close_survey(survey *s)
{
  lr_quadric_clear(&s->q);
  if (s->columns) s->run->space->ops->free(s->run->space, s->columns);
  lr_free(&s->run->allocator, s->lower);
}

static lr_code open_survey(survey *s, lr_run *run)
{
  lrgd_space *space = run->space;
  size_t p = space->dimension;
  *s = (survey){.run = run, .radius = first_radius, .finest = first_radius};
  s->columns = space->ops->make(space, COLUMNS);
  s->lower = lr_alloc(&run->allocator, 8 * p, sizeof *s->lower);
  if (!s->columns || !s->lower ||
      lr_quadric_init(&s->q, &run->allocator, p) != LRGD_OK)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a quadratic in %zu dimensions",
                           p);
  s->width = s->lower + p;
  s->x = s->width + p;
  s->d = s->x + p;
  space->ops->get(space, run->oracle.box.lower, 0, p, s->lower);
  space->ops->get(space, run->oracle.box.upper, 0, p, s->width);
  for (size_t i = 0; i < p; i++) {
    s->width[i] -= s->lower[i];
    s->q.lower[i] = 0;
    s->q.upper[i] = 1;
  }
  return LR_GO;
}

/* ---- asking ---- */

static lrgd_vec column(const survey *s, size_t which)
{
  return (lrgd_vec){s->columns, which};
}

/* The point at s->x into a column. */
static void put(const survey *s, lrgd_vec to, double *scratch)
{
  lrgd_space *space = s->run->space;
  for (size_t i = 0; i < s->q.p; i++)
    scratch[i] = s->lower[i] + s->x[i] * s->width[i];
  space->ops->put(space, to, 0, s->q.p, scratch);
  (void)space->ops->clip(space, to, s->run->oracle.box);
}

/* The lowest so far: the run stands there. */
static lr_code arrive(survey *s, const lr_point *at)
{
  lrgd_space *space = s->run->space;
  double f = at->f;
  space->ops->copy(space, s->best.x, at->x, 1);
  lr_oracle_rename(&s->run->oracle, &s->best);
  s->best.f = f;
  s->run->at = s->best;
  LR_TRY(lr_run_offer(s->run, &s->best));
  return lr_run_arrived(s->run);
}

/* The highest value that the model goes through: as much is said of a place
 * where there is none.  More would bend the model so that it sees nothing else
 * any more, at any resolution. */
static double highest_now(const survey *s)
{
  double f = s->q.f[0];
  for (size_t j = 1; j < s->q.count; j++) f = fmax(f, s->q.f[j]);
  return f;
}

/* f at the best point of the model + s->d; s->x becomes that point. */
static lr_code ask(survey *s, double *f)
{
  const double *from = s->q.x + s->q.best * s->q.p;
  lr_point at = {.x = column(s, TRIAL), .f = NAN};
  for (size_t i = 0; i < s->q.p; i++)
    s->x[i] = fmin(fmax(from[i] + s->d[i], 0), 1);
  put(s, at.x, s->d);
  lr_oracle_rename(&s->run->oracle, &at);
  lr_code code = lr_oracle_value(&s->run->oracle, &at, LRGD_SEARCH);
  if (code == LR_NOVALUE || (code == LR_GO && at.f > s->highest)) {
    *f = highest_now(s);
    return LR_GO;
  }
  LR_TRY(code);
  *f = at.f;
  return at.f < s->best.f ? arrive(s, &at) : LR_GO;
}

/* ---- the first values ---- */

/* Steps along the coordinates, into the box. */
static void first_steps(const survey *s, const double *x, double *h)
{
  for (size_t i = 0; i < s->q.p; i++)
    h[i] = x[i] <= 1 - first_radius ? first_radius : -first_radius;
}

/* Another step along a coordinate where the last could not be evaluated: on
 * the other side, and after that nearer. */
static double another(double x, double h, int attempt)
{
  double other = x - h;
  return attempt == 0 && other >= 0 && other <= 1 ? -h : 0.25 * h;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A value so high that it says nothing of f here: a thousand times the median
 * change above the start.  Inputs that change nothing do not count: they may be
 * most of them.  scratch: p numbers. */
static double ceiling_of(const survey *s, const double *f, double start,
                         double *scratch)
{
  double level = lr_oracle_level(&s->run->oracle, start);
  size_t n = 0;
  for (size_t i = 0; i < s->q.p; i++)
    if (lr_finite(f[i]) && fabs(f[i] - start) > level)
      scratch[n++] = fabs(f[i] - start);
  if (n == 0) return INFINITY;
  qsort(scratch, n, sizeof *scratch, by_size);
  return start + 1000 * scratch[n / 2];
}

/* f[i] = value at x + h[i] e_i.  *good: all of them could be had, somewhere. */
static lr_code look_around(survey *s, const lr_point *start, const double *x,
                           double *h, double *f, bool *good)
{
  enum { ATTEMPTS = 4 };
  size_t p = s->q.p;
  double *shift = s->q.scratch, *values = shift + p, ceiling = INFINITY;
  first_steps(s, x, h);
  for (size_t i = 0; i < p; i++) shift[i] = h[i] * s->width[i];
  *good = false;
  for (int attempt = 0; attempt < ATTEMPTS && !*good; attempt++) {
    LR_TRY(
        lr_oracle_around(&s->run->oracle, start, shift, LRGD_SEARCH, values));
    for (size_t i = 0; i < p; i++)
      if (shift[i] != 0) f[i] = values[i];
    if (attempt == 0) ceiling = ceiling_of(s, f, start->f, values);
    *good = true;
    for (size_t i = 0; i < p; i++) {
      shift[i] = 0;
      if (f[i] <= ceiling) continue;
      *good = false;
      if (attempt + 1 == ATTEMPTS) break;
      h[i] = another(x[i], h[i], attempt);
      shift[i] = h[i] * s->width[i];
    }
  }
  return LR_GO;
}

/* To the lowest of the first points, the start + h[i] e_i, as it was asked for:
 * the shares of a wide box do not keep all digits of it. */
static lr_code arrive_first(survey *s, const lr_point *start, const double *h)
{
  lrgd_space *space = s->run->space;
  size_t i = s->q.best - 1;
  lr_point at = {.x = column(s, TRIAL), .f = s->q.f[s->q.best]};
  space->ops->copy(space, at.x, start->x, 1);
  (void)space->ops->bump(space, at.x, i, h[i] * s->width[i]);
  (void)space->ops->clip(space, at.x, s->run->oracle.box);
  return arrive(s, &at);
}

/* The model's beginning.  *good: f is something that it can stand for. */
static lr_code begin(survey *s, const lr_point *start, bool *good)
{
  lrgd_space *space = s->run->space;
  size_t p = s->q.p;
  double *x = s->d + p, *h = x + p, *f = h + p;
  double low = start->f, high = start->f;
  space->ops->get(space, start->x, 0, p, x);
  *good = true;
  for (size_t i = 0; i < p; i++) {
    *good = *good && s->width[i] > 0 && lr_finite(s->width[i]);
    x[i] = fmin(fmax((x[i] - s->lower[i]) / s->width[i], 0), 1);
  }
  if (*good) LR_TRY(look_around(s, start, x, h, f, good));
  if (!*good) return LR_GO;
  for (size_t i = 0; i < p; i++) {
    low = fmin(low, f[i]);
    high = fmax(high, f[i]);
  }
  s->highest = high + (high - low);
  *good = high > low && lr_finite(s->highest) &&
          lr_quadric_begin(&s->q, x, start->f, h, f);
  if (!*good) return LR_GO;
  return s->q.best > 0 ? arrive_first(s, start, h) : LR_GO;
}

/* Whether the start is above a cliff, as where a program answers with a large
 * number of its own: half of the first values are the very same, and others are
 * lower by ten thousand times as much as they are large and apart. */
static bool begins_high(const survey *s)
{
  double *f = s->q.scratch;
  size_t n = s->q.count, same = 0;
  memcpy(f, s->q.f, n * sizeof *f);
  qsort(f, n, sizeof *f, by_size);
  for (size_t i = 0; i < n; i++) same += f[i] == s->first;
  if (2 * same < n || f[0] == 0) return false;
  for (size_t i = 0; i + 1 < n; i++)
    if (f[i + 1] - f[i] > 1e4 * (fabs(f[0]) + f[i] - f[0]))
      return s->first > f[i];
  return false;
}

/* Begins again at the lowest of the first points, which is the start now. */
static lr_code begin_lower(survey *s, lr_point *start, bool *good)
{
  size_t p = s->q.p;
  lr_run_note(s->run, "f is %.6g at the start and %.6g nearby: from there",
              s->first, s->best.f);
  s->first = s->best.f;
  lr_oracle_begin_at(&s->run->oracle, start, s->best.x, s->first);
  memset(s->q.H, 0, p * p * sizeof *s->q.H);
  return begin(s, start, good);
}

/* ---- the steps ---- */

/* The value just asked for at s->x goes into the model. */
static void learn(survey *s, double f, size_t instead_of)
{
  lr_quadric_take(&s->q, s->x, f, s->radius, instead_of);
  s->unsound = s->q.sound ? 0 : s->unsound + 1;
}

/* A radius near the finest is the finest. */
static void set_radius(survey *s, double radius)
{
  s->radius = radius < 1.5 * s->finest ? s->finest : radius;
}

/* How far to trust the model, after a step that brought `ratio` of what it
 * promised. */
static void retrust(survey *s, double size, double ratio)
{
  double half = 0.5 * s->radius;
  if (!(ratio > 0.1))
    set_radius(s, fmin(0.5 * size, half));
  else
    set_radius(s, fmax(half, ratio > 0.7 ? 2 * size : size));
}

/* To where the model is least.  *ratio: what that brought of what was
 * promised; *little: it was too short to be asked for. */
static lr_code go(survey *s, double *ratio, bool *little)
{
  lr_quadric *q = &s->q;
  double f, promised = lr_quadric_step(q, s->radius, s->d);
  double size = lr_norm(q->p, s->d);
  *ratio = -1;
  *little = size < 0.5 * s->finest || !(promised > 0);
  if (*little) {
    set_radius(s, 0.1 * s->radius);
    return LR_GO;
  }
  double before = q->f[q->best];
  LR_TRY(ask(s, &f));
  *ratio = (before - f) / promised;
  retrust(s, size, *ratio);
  learn(s, f, q->most);
  return LR_GO;
}

/* Brings in the point that is farthest off, if it is far.  *moved: it was. */
static lr_code spread(survey *s, bool *moved)
{
  lr_quadric *q = &s->q;
  double far, f;
  size_t t = lr_quadric_farthest(q, &far);
  *moved = far > fmax(2 * s->radius, 10 * s->finest) && q->sound;
  if (!*moved) return LR_GO;
  double reach = fmax(fmin(0.1 * far, s->radius), s->finest);
  lr_quadric_spread(q, t, reach, s->d);
  LR_TRY(ask(s, &f));
  learn(s, f, t);
  return LR_GO;
}

/* One or two values, or a finer resolution. */
static lr_code once(survey *s)
{
  double ratio;
  bool little, moved;
  LR_TRY(go(s, &ratio, &little));
  if (ratio >= 0.1) {
    s->fails = 0;
    return LR_GO;
  }
  LR_TRY(spread(s, &moved));
  if (moved) {
    s->fails = 0;
    return LR_GO;
  }
  if (!little && (ratio > 0 || s->radius > s->finest || ++s->fails < 3))
    return LR_GO;
  s->fails = 0;
  s->radius = 0.5 * s->finest;
  s->finest *= 0.1;
  return LR_GO;
}

/* No model can be made, or the resolution is too fine for one. */
static bool at_end(const survey *s)
{
  return s->unsound >= 3 || s->finest < last_radius;
}

static lr_code spend(survey *s, uint64_t values)
{
  uint64_t end = lr_oracle_spent(&s->run->oracle) + values;
  while (lr_oracle_spent(&s->run->oracle) < end && !at_end(s)) LR_TRY(once(s));
  return LR_GO;
}

/* ---- the survey ---- */

/* Whether values alone pay: they are asked for half p, p, 2 p and 3 p values
 * after the first, f being what was reached.  Where nearly all that p values
 * bring comes with the first half of them, f is low-rank and that was its first
 * direction; or the minimum is near, as long as steps across a quarter of the
 * box are not too long.  Where later ones bring little, and no less each time,
 * the way along a curved valley has begun.  Gradients know both better. */
static bool pays(const survey *s, const double *f, int reached)
{
  if (reached < 2) return true;
  bool once = f[1] - f[2] <= 0.015 * (f[0] - f[1]) && s->finest < first_radius;
  if (reached == 2) return !once;
  bool no_less = f[2] - f[3] >= 0.5 * (f[1] - f[2]);
  if (reached == 3) return !(once && no_less);
  bool little = f[2] - f[4] < 0.05 * (f[0] - f[2]);
  return !(no_less && (once || little) && f[3] - f[4] >= 0.7 * (f[2] - f[3]));
}

/* Nothing more is to be had: the last p values brought nothing, or it is at
 * its end. */
static bool over(const survey *s, double before)
{
  double level = lr_oracle_level(&s->run->oracle, s->best.f);
  return at_end(s) || !(before - s->best.f > level);
}

/* To the end.  *worked: that paid. */
static lr_code go_on(survey *s, bool *worked)
{
  uint64_t p = s->q.p;
  const uint64_t shares[] = {p - p / 2, p / 2, p, p};
  double f[5] = {s->first};
  *worked = true;
  for (int i = 0; i < 4 && *worked; i++) {
    LR_TRY(spend(s, shares[i]));
    f[i + 1] = s->best.f;
    *worked = pays(s, f, i + 1);
  }
  double before = f[3];
  for (int i = 4; i < LONGEST && *worked && !over(s, before); i++) {
    before = s->best.f;
    LR_TRY(spend(s, p));
  }
  lr_run_note(s->run, "%s: f is %.6g",
              *worked ? "values alone have done what they can"
                      : "values alone do not pay",
              s->best.f);
  return LR_GO;
}

/* How steep f was at the start, at least, if it is convex: as steep as on the
 * straight way here.  K's first gradient, near a minimum, is no measure of what
 * is small. */
static double slope_of_way(const survey *s, const lr_point *start)
{
  lrgd_space *space = s->run->space;
  lrgd_vec way = column(s, TRIAL);
  double minus = -1, length = 0;
  space->ops->copy(space, way, s->best.x, 1);
  space->ops->add(space, way, start->x, 1, &minus);
  bool moved = space->ops->measure(space, way, &length) && length > 0;
  return moved ? (start->f - s->best.f) / length : 0;
}

lr_code lr_survey(lr_run *run, lr_point *start, lr_point *found)
{
  survey s;
  bool good = false;
  found->f = NAN;
  LR_TRY(lr_oracle_value(&run->oracle, start, LRGD_DESCEND));
  run->at = *start;
  LR_TRY(lr_run_count(run, start));
  lr_code code = open_survey(&s, run);
  if (code == LR_GO) {
    s.best = *start;
    s.first = start->f;
    s.best.x = column(&s, BEST);
    run->space->ops->copy(run->space, s.best.x, start->x, 1);
    code = begin(&s, start, &good);
  }
  if (code == LR_GO && good && begins_high(&s))
    code = begin_lower(&s, start, &good);
  if (code == LR_GO && good) code = go_on(&s, &good);
  if (code == LR_GO && good) {
    run->space->ops->copy(run->space, found->x, s.best.x, 1);
    lr_oracle_rename(&run->oracle, found);
    found->f = s.best.f;
    run->first_slope = slope_of_way(&s, start);
  }
  run->at = *start; /* not a column of ours any more */
  close_survey(&s);
  return code;
}
