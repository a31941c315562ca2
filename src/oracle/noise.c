/* Estimation of the noise of f from values on short lines through a point.  A
 * line whose spacing is too short shows no change of f, one whose spacing is
 * too long shows its curvature; the spacing is adjusted in between.  What the
 * values of a line show: noise_reading.c. */
#include "oracle/noise_reading.h"
#include "oracle/oracle.h"

#include "base/finite.h"
#include "base/options.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

/* Turns the components of u towards the side on which the box has room up to
 * the distance `reach`, and sets those to zero that have room on neither: the
 * kink of a projection at a bound would look like noise.  False: none is left.
 */
static bool turn_inside(lr_oracle *o, const lr_point *at, lrgd_vec u,
                        double reach)
{
  const lrgd_space_ops *ops = o->space->ops;
  double x[LR_FEW], way[LR_FEW], lower[LR_FEW], upper[LR_FEW], length = 0;
  for (size_t i = 0, n; (n = lr_few(o->space, i)) > 0; i += n) {
    ops->get(o->space, at->x, i, n, x);
    ops->get(o->space, u, i, n, way);
    ops->get(o->space, o->box.lower, i, n, lower);
    ops->get(o->space, o->box.upper, i, n, upper);
    for (size_t j = 0; j < n; j++) {
      double down = x[j] - lower[j], up = upper[j] - x[j];
      if ((way[j] > 0 ? up : down) <= reach) way[j] = -way[j];
      if ((way[j] > 0 ? up : down) <= reach) way[j] = 0;
    }
    ops->put(o->space, u, i, n, way);
  }
  return ops->measure(o->space, u, &length) && length > 0;
}

/* Whether the box has room up to the distance `reach` along u.  For that,
 * components of u may change sign, unless points satisfy linear equations. */
static bool has_room(lr_oracle *o, const lr_point *at, lrgd_vec u, double reach)
{
  double back, ahead;
  if (!o->plane) return turn_inside(o, at, u, reach);
  o->space->ops->max_step(o->space, at->x, u, o->box, &back, &ahead);
  return ahead >= reach;
}

static void place_on_line(lr_oracle *o, const lr_point *at, lrgd_vec u,
                          double t, lrgd_vec y)
{
  o->space->ops->axpy_into(o->space, y, at->x, u, t);
  if (lr_oracle_boxed(o)) (void)o->space->ops->clip(o->space, y, o->box);
}

/* Evaluates a whole line side by side, where it fits into a round, although a
 * few of its values may be enough. */
static lr_code foresee_line(lr_oracle *o, lr_point *at, lrgd_vec u, double h)
{
  lrgd_vec y = {o->room.points, 0};
  if (o->width + 1 < LR_LINE) return LR_GO;
  bool more = lr_oracle_begin_plan(o);
  for (int i = 1; i < LR_LINE && more; i++) {
    place_on_line(o, at, u, h * i, y);
    more = lr_oracle_plan(o, y);
  }
  return lr_oracle_ask_planned(o, LRGD_PURPOSE_PROBE);
}

/* Evaluates f at x + i h u until the line has n values, of which the first is
 * known.  A point without a value ends the line. */
static lr_code line_values(lr_oracle *o, lr_point *at, lrgd_vec u, double h,
                           int n, lr_line *L)
{
  bool boxed = lr_oracle_boxed(o);
  double reach = h * (LR_LINE - 1);
  if (L->n == 0 && boxed && !has_room(o, at, u, reach)) return LR_GO;
  if (L->n == 0 && n < LR_LINE) LR_TRY(foresee_line(o, at, u, h));
  if (L->n == 0) L->f[L->n++] = at->f;
  while (L->n < n) { /* one after the other, or all in one round */
    int m = o->width > 1 ? n - L->n : 1;
    double f[LR_LINE];
    for (int i = 0; i < m; i++) {
      lrgd_vec y = {o->room.points, (size_t)i};
      place_on_line(o, at, u, h * (L->n + i), y);
    }
    LR_TRY(lr_oracle_ask_values(o, (lrgd_vec){o->room.points, 0}, (size_t)m,
                                LRGD_PURPOSE_PROBE, f));
    for (int i = 0; i < m; i++) {
      if (!lr_finite(f[i])) return LR_GO;
      L->f[L->n++] = f[i];
    }
  }
  return LR_GO;
}

/* The noise found around a point. */
typedef struct reading {
  double level;    /* the noise, or an upper bound where none was found */
  double size;     /* |f| on the line */
  double rounding; /* the rounding error of f there */
  bool seen;       /* noise was found */
} reading;

/* Draws a random unit direction, the same for the same stream.  False: the
 * domain of the run is a point. */
static bool draw(lr_oracle *o, lrgd_vec u, uint64_t stream)
{
  o->space->ops->gaussian(o->space, u, o->seed, stream);
  if (o->listener.confine) o->listener.confine(o->listener.self, u);
  return lr_normalise(o->space, u, NULL);
}

/* Shortens the components of u along inputs whose values are far smaller than
 * others. */
static void respect_sizes(lr_oracle *o, const lr_point *at, lrgd_vec u)
{
  const lrgd_space_ops *ops = o->space->ops;
  double x[LR_FEW], way[LR_FEW], scale = lr_oracle_scale(o, at);
  for (size_t i = 0, n; (n = lr_few(o->space, i)) > 0; i += n) {
    ops->get(o->space, at->x, i, n, x);
    ops->get(o->space, u, i, n, way);
    for (size_t j = 0; j < n; j++)
      way[j] *= lr_noise_component(o->policy, x[j], scale);
    ops->put(o->space, u, i, n, way);
  }
}

/* The search for a spacing at which a line shows noise. */
typedef struct search {
  lr_line_values all;
  double h, shortest, longest; /* spacings: see lr_noise_spacing */
  double claim; /* the noise that the last line showed; 0: none */
  int lines;    /* consecutive lines that showed it */
} search;

/* Adds the values of a line to all of them, in the user's unit. */
static void add_line(const lr_oracle *o, lr_line_values *all, const lr_line *L)
{
  for (int i = 0; i < L->n; i++) all->f[all->n++] = lr_oracle_users(o, L->f[i]);
  all->ties += lr_line_ties(L);
}

/* The noise due to rounding of all values to a grid; 0: there is no grid. */
static double grid_noise(const lr_oracle *o, const lr_line_values *all)
{
  return lr_oracle_own(o, lr_grid_noise(o->policy, all));
}

/* Whether enough consecutive lines have shown the noise for it to be
 * accepted. */
static bool is_believed(const lr_oracle *o, const search *s, const reading *r)
{
  if (!(s->claim > 0)) return false;
  int needed =
      lr_noise_lines(o->policy, s->claim, r->rounding, o->differences.noise,
                     grid_noise(o, &s->all), r->size);
  return s->lines >= needed;
}

/* Values of a shorter line that are enough to confirm noise. */
static int confirming_values(const lr_policy *P)
{
  return (int)fmin(P->noise_confirm_values, LR_LINE);
}

/* Whether a few values of a shorter line confirm the noise of the line before.
 */
static bool is_confirmed(const lr_policy *P, const search *s, const lr_line *L)
{
  if (L->n < confirming_values(P) || !(s->claim > 0) || lr_line_too_short(P, L))
    return false;
  lr_difference_table t = lr_line_table(L);
  return lr_noise_alike(P, lr_table_bound(&t), s->claim);
}

/* The rounding error of the values of a line: that of f, or on the first line
 * what rounding of the inputs does to them.  Over a far shorter spacing noise
 * makes a line as steep as that. */
static double line_rounding(lr_oracle *o, const lr_point *at, const lr_line *L,
                            const search *s)
{
  const lr_policy *P = o->policy;
  double of_f = lr_noise_rounding(P, lr_line_largest(L));
  bool first = !(s->shortest > 0) && !(s->longest < INFINITY);
  if (!first) return of_f;
  return fmax(of_f, lr_noise_input_rounding(P, lr_line_steepest(L) / s->h,
                                            lr_oracle_scale(o, at),
                                            (double)o->space->dimension));
}

/* Estimates the noise from a line whose values are not all equal. */
static void read_line(const lr_policy *P, search *s, const lr_line *L,
                      reading *r)
{
  lr_difference_table t = lr_line_table(L);
  double noise = fmax(lr_table_noise(P, &t), 0);
  bool alike = lr_noise_alike(P, noise, s->claim);
  s->all.polynomial |= lr_table_is_polynomial(P, &t);
  s->lines = noise > 0 ? 1 + (alike ? s->lines : 0) : 0;
  s->claim = noise;
  r->size = lr_line_largest(L);
  r->level = noise > 0 ? noise : lr_table_bound(&t);
}

/* Checks noise as large as f on a line with a spacing hardly above rounding of
 * x, over which f cannot oscillate: if it does not show there, earlier lines
 * have shown oscillations.  Values that are all equal there prove nothing,
 * since programs round their input. */
static lr_code doubt_large(lr_oracle *o, lr_point *at, lrgd_vec u, search *s,
                           reading *r)
{
  const lr_policy *P = o->policy;
  double h = P->noise_last_spacing * lr_oracle_scale(o, at);
  lr_line L = {.n = 0};
  if (!r->seen || !(s->claim > P->noise_large * fabs(at->f))) return LR_GO;
  if (lr_noise_alike(P, s->claim, o->differences.noise)) return LR_GO;
  LR_TRY(line_values(o, at, u, h, confirming_values(P), &L));
  add_line(o, &s->all, &L);
  if (L.n < confirming_values(P) || lr_line_too_short(P, &L)) return LR_GO;
  lr_difference_table t = lr_line_table(&L);
  double left = lr_table_bound(&t);
  if (left * P->noise_alike > s->claim) return LR_GO;
  s->claim = 0;
  s->lines = 0;
  r->seen = false;
  r->level = left;
  return LR_GO;
}

/* Evaluates one line along u.  *read: it has enough values, and they are not
 * all equal. */
static lr_code try_line(lr_oracle *o, lr_point *at, lrgd_vec u, search *s,
                        reading *r, bool *read)
{
  /* enough for three orders of differences, beginning with the second */
  enum { LEAST = 5 };
  const lr_policy *P = o->policy;
  int few = confirming_values(P);
  lr_line L = {.n = 0};
  bool again = s->claim > 0;
  if (again) LR_TRY(line_values(o, at, u, s->h, few, &L));
  bool confirmed = is_confirmed(P, s, &L);
  bool whole = !confirmed && (!again || L.n == few);
  if (whole) LR_TRY(line_values(o, at, u, s->h, LR_LINE, &L));
  o->seen.cliffs += lr_line_end_at_jump(P, &L, o->seen.f_scale);
  add_line(o, &s->all, &L);
  if (!confirmed && lr_line_too_short(P, &L)) {
    s->shortest = s->h;
    return LR_GO;
  }
  *read = L.n >= LEAST;
  s->lines += confirmed;
  if (*read) r->rounding = line_rounding(o, at, &L, s);
  if (*read) read_line(P, s, &L, r);
  r->seen = is_believed(o, s, r);
  s->longest = s->h; /* the curvature of f may have shown */
  return LR_GO;
}

/* Estimates the noise around a point.  Spacings beyond the size of x are not
 * tried.  Only the first line has components of one size along all inputs, so
 * that it shows the noise of each; so have all lines within a domain, which
 * they must not leave.  Where half of the lines show none, there is
 * none. */
static lr_code estimate(lr_oracle *o, lr_point *at, uint64_t stream, reading *r)
{
  const lr_policy *P = o->policy;
  lrgd_vec u = {o->room.dir, 0};
  double scale = lr_oracle_scale(o, at);
  int tries = (int)fmin(P->noise_tries, LR_LINES_ROOM);
  search s = {.h = P->noise_first_spacing * scale, .longest = INFINITY};
  *r = (reading){.size = fabs(at->f)};
  r->rounding = lr_noise_rounding(P, r->size);
  for (int i = 0; i < tries && s.h < scale && !r->seen; i++) {
    bool read = false;
    if (!draw(o, u, stream)) break;
    if (s.longest < INFINITY && !o->listener.confine) respect_sizes(o, at, u);
    LR_TRY(try_line(o, at, u, &s, r, &read));
    LR_TRY(doubt_large(o, at, u, &s, r));
    bool smooth = r->level <= r->rounding || lr_noise_is_none(P, i, tries);
    if (read && smooth && !(s.claim > 0)) break;
    s.h = lr_noise_spacing(P, s.h, s.shortest, s.longest);
  }
  /* rounding to a grid counts as noise, even where f takes evenly spaced steps
   * on the grid */
  double grid = grid_noise(o, &s.all);
  if (grid > (r->seen ? r->level : 0)) {
    r->level = grid;
    r->seen = true;
  }
  return LR_GO;
}

bool lr_oracle_is_quiet(const lr_oracle *o, const lr_point *at)
{
  return o->kept.quiet_id == at->id;
}

lr_code lr_oracle_measure_noise(lr_oracle *o, lr_point *at, uint64_t stream)
{
  const lr_policy *P = o->policy;
  reading r;
  if (!o->answers.value && !o->answers.values) return LR_GO;
  LR_TRY(lr_oracle_value(o, at, LRGD_PURPOSE_PROBE));
  LR_TRY(estimate(o, at, stream, &r));
  double before = o->differences.noise;
  double least = lr_noise_least(P, before, r.level, r.rounding, at->f);
  bool above = r.level > r.rounding;
  if (!above && r.level > 0) o->kept.quiet_id = at->id;
  if (r.seen)
    o->differences.noise =
        fmax(least, above ? lr_noise_pooled(P, before, r.level) : 0);
  else if (r.level > 0 && r.level < before)
    o->differences.noise = fmax(least, r.level);
  /* all values are equal, perhaps as they have few digits */
  else if (r.level == 0)
    o->differences.noise =
        fmax(before, lr_oracle_last_place(o, at->f) / sqrt(12));
  /* the user's value is more accurate than an estimate */
  if (o->options->noise > 0)
    o->differences.noise = fmax(o->differences.noise, o->options->noise);
  return LR_GO;
}

bool lr_oracle_read_noise(lr_oracle *o, const double f[LR_LINE])
{
  const lr_policy *P = o->policy;
  lr_line L = {.n = LR_LINE};
  memcpy(L.f, f, sizeof L.f);
  if (lr_line_too_short(P, &L)) return false;
  lr_difference_table t = lr_line_table(&L);
  double noise = lr_table_noise(P, &t);
  double rounding = lr_noise_rounding(P, lr_line_largest(&L));
  if (!(noise > 0) && t.sigma[LR_LINE - 1] > rounding) return false;
  o->differences.noise = noise > rounding ? noise : 0;
  return true;
}

lr_code lr_oracle_find_noise(lr_oracle *o, lr_point *at)
{
  bool given = lr_given(o->options->noise);
  o->differences.noise = given ? o->options->noise : 0;
  if (given) return LR_GO;
  return lr_oracle_measure_noise(o, at, UINT64_MAX); /* a stream of its own */
}
