/* The noise of f from a handful of values on a line, in the manner of More and
 * Wild ("Estimating computational noise", SIAM J. Sci. Comput. 33, 2011): the
 * k-th differences of a smooth function fall with the spacing, those of noise
 * have variance sd^2 (2k)!/(k!)^2, so where successive orders agree on sd the
 * noise can be read off. */
#include "base/elementary.h"
#include "oracle/digits.h"
#include "oracle/oracle.h"

#include "base/finite.h"
#include "base/options.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Values on a line; on one that is to confirm another; and lines at most. */
enum { VALUES = LR_LINE, AGAIN = 4, TRIES = 6 };

/* Values on a line, as many as could be had; none where bounds leave no room
 * at this spacing. */
typedef struct line {
  double f[VALUES];
  int n;
} line;

/* u without what the box leaves no room for, `reach` from x: a kink at a bound
 * looks like noise.  Where there is room on the other side, it turns. */
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

/* Whether the box has room `reach` from x along u, which may be turned; but not
 * off a plane. */
static bool has_room(lr_oracle *o, const lr_point *at, lrgd_vec u, double reach)
{
  double back, ahead;
  if (!o->plane) return turn_inside(o, at, u, reach);
  o->space->ops->max_step(o->space, at->x, u, o->box, &back, &ahead);
  return ahead >= reach;
}

/* Values at x + i h u, until there are n; the first is known.  A point that
 * cannot be evaluated ends the line. */
static lr_code line_values(lr_oracle *o, lr_point *at, lrgd_vec u, double h,
                           int n, line *L)
{
  bool boxed = lr_oracle_boxed(o);
  if (L->n == 0 && boxed && !has_room(o, at, u, h * (VALUES - 1))) return LR_GO;
  if (L->n == 0) L->f[L->n++] = at->f;
  for (; L->n < n; L->n++) {
    lrgd_vec y = {o->room.points, 0};
    double *f = &L->f[L->n];
    o->space->ops->axpy_into(o->space, y, at->x, u, h * L->n);
    if (boxed) (void)o->space->ops->clip(o->space, y, o->box);
    LR_TRY(lr_oracle_ask_values(o, y, 1, LRGD_PURPOSE_PROBE, f));
    if (!lr_finite(*f)) return LR_GO;
  }
  return LR_GO;
}

/* The line up to a cliff, if there is one: a step that is a thousand times all
 * the others together, and larger than f was at the start, is not noise, of
 * which steps are alike. */
static bool end_at_cliff(line *L, double large)
{
  double most = 0, others = 0;
  int where = 0;
  for (int i = 1; i < L->n; i++) {
    double step = fabs(L->f[i] - L->f[i - 1]);
    others += fmin(step, most);
    if (step <= most) continue;
    most = step;
    where = i;
  }
  bool cliff = large > 0 && most > fmax(1e3 * others, large);
  if (cliff) L->n = where;
  return cliff;
}

static double largest(const line *L)
{
  double size = 0;
  for (int i = 0; i < L->n; i++) size = fmax(size, fabs(L->f[i]));
  return size;
}

/* What differences of order k say: the noise they suggest, and whether they
 * have both signs. */
typedef struct table {
  double sigma[VALUES];
  bool turns[VALUES];
  int n; /* values it was made of */
} table;

static table difference_table(const line *L)
{
  double d[VALUES], gamma = 1;
  table t = {.n = L->n};
  for (int i = 0; i < L->n; i++) d[i] = L->f[i];
  for (int k = 1; k < L->n; k++) {
    double sum = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < L->n - k; i++) {
      d[i] = d[i + 1] - d[i];
      sum += d[i] * d[i];
      low = fmin(low, d[i]);
      high = fmax(high, d[i]);
    }
    gamma *= 0.5 * k / (2.0 * k - 1); /* (k!)^2 / (2k)! */
    t.sigma[k] = sqrt(gamma * sum / (L->n - k));
    t.turns[k] = low < 0 && high > 0;
  }
  return t;
}

/* Whether the values are those of a polynomial: differences of some order from
 * the second on, and all of the next ones nothing beside them.  Values that
 * were rounded to a grid leave a unit of it in every order; but evenly spaced
 * ones, the first order alone, may be rounded. */
static bool is_polynomial(const table *t)
{
  for (int k = 2; k + 2 < t->n; k++) {
    double rest = 0;
    for (int i = k + 1; i < t->n; i++) rest = fmax(rest, t->sigma[i]);
    if (rest < 1e-3 * t->sigma[k]) return true;
  }
  return false;
}

/* The level on which three successive orders agree, or a negative number.  The
 * differences of noise have both signs, those of geometric growth, on whose
 * level all orders agree too, have one (More and Wild, section 4). */
static double agreed(const table *t)
{
  for (int k = 2; k + 2 < t->n; k++) {
    const double *s = t->sigma + k;
    double low = fmin(fmin(s[0], s[1]), s[2]);
    double high = fmax(fmax(s[0], s[1]), s[2]);
    if (high < 3 * low && t->turns[k] && t->turns[k + 1]) return s[1];
  }
  return -1;
}

static int ties(const line *L)
{
  int equal = 0;
  for (int i = 1; i < L->n; i++) equal += L->f[i] == L->f[i - 1];
  return equal;
}

/* Half of the neighbours equal: the spacing is too short to see anything. */
static bool too_short(const line *L)
{
  return ties(L) > 0 && 2 * ties(L) >= L->n - 1;
}

/* All the values seen, for what they have in common. */
typedef struct ladder {
  double f[TRIES * VALUES];
  int n, ties;
  bool polynomial; /* on one of the lines they are */
} ladder;

/* As the user gave them: decimal digits are looked at. */
static void climb(const lr_oracle *o, ladder *all, const line *L)
{
  for (int i = 0; i < L->n; i++) all->f[all->n++] = lr_oracle_users(o, L->f[i]);
  all->ties += ties(L);
}

static double least_gap(const ladder *all)
{
  double least = INFINITY;
  for (int i = 1; i < all->n; i++)
    for (int j = 0; j < i; j++) {
      double gap = fabs(all->f[i] - all->f[j]);
      if (gap > 0) least = fmin(least, gap);
    }
  return least;
}

/* The rung of values that were rounded to a grid: neighbours are equal, which
 * those of a smooth function are not, and those that differ do so by whole
 * multiples of the least gap; 0 where they are no such thing.  Four that fit
 * by chance are not to be expected. */
static double rung(const ladder *all)
{
  double least = least_gap(all);
  int different = 0;
  for (int i = 1; i < all->n; i++) {
    double steps = fabs(all->f[i] - all->f[0]) / least;
    if (!(fabs(steps - round(steps)) <= 1e-3)) return 0;
    different += steps > 0.5;
  }
  return different >= 4 && all->ties >= 2 ? least : 0;
}

/* The last digit of values that are all written with few: programs print so.
 * Nine or fewer digits in every value are no accident; 0 where there are more.
 */
static double last_digit(const ladder *all)
{
  double size = 0;
  int different = 0;
  for (int i = 0; i < all->n; i++) {
    size = fmax(size, fabs(all->f[i]));
    different += all->f[i] != all->f[0];
  }
  if (!(size > 0) || different < 4) return 0;
  double unit = lr_pow(10, floor(lr_log10(size))), least = least_gap(all);
  for (int digits = 1; digits <= 9; digits++, unit /= 10) {
    bool fits =
        unit <= 1.5 * least; /* those that differ do so by one or more */
    for (int i = 0; i < all->n && fits; i++)
      fits = lr_is_whole(all->f[i] / unit);
    if (fits) return unit;
  }
  return 0;
}

/* What rounding to a grid does to the values, as a standard deviation; 0 where
 * there is none. */
static double grid_noise(const lr_oracle *o, const ladder *all)
{
  if (all->polynomial) return 0;
  return lr_oracle_own(o, fmax(rung(all), last_digit(all)) / sqrt(12));
}

/* The next spacing to try, between one at which nothing could be seen and one
 * that was too long (0, INFINITY: none yet). */
static double next_spacing(double h, double shortest, double longest)
{
  if (shortest > 0 && longest < INFINITY) return sqrt(shortest * longest);
  return shortest > 0 ? 30 * h : h / 30;
}

/* What is read off a point: the noise, or an upper bound of it where it was not
 * seen; how large the values were, and what rounding makes of them. */
typedef struct reading {
  double level, size, rounding;
  bool seen;
} reading;

/* A random unit direction, the same for the same stream.  False: none. */
static bool draw(lr_oracle *o, lrgd_vec u, uint64_t stream)
{
  o->space->ops->gaussian(o->space, u, (uint64_t)o->options->seed, stream);
  if (o->listener.confine) o->listener.confine(o->listener.self, u);
  return lr_normalise(o->space, u, NULL);
}

/* u in the units of the inputs: less along an input that is far smaller than
 * others, as f may bend in steps of its size.  What is zero has no size. */
static void respect_sizes(lr_oracle *o, const lr_point *at, lrgd_vec u)
{
  const double small = 0.01;
  const lrgd_space_ops *ops = o->space->ops;
  double x[LR_FEW], way[LR_FEW], least = small * lr_oracle_scale(o, at);
  for (size_t i = 0, n; (n = lr_few(o->space, i)) > 0; i += n) {
    ops->get(o->space, at->x, i, n, x);
    ops->get(o->space, u, i, n, way);
    for (size_t j = 0; j < n; j++)
      if (x[j] != 0 && fabs(x[j]) < least) way[j] *= fabs(x[j]) / least;
    ops->put(o->space, u, i, n, way);
  }
}

/* What the lines around a point have shown so far. */
typedef struct search {
  ladder all;
  double h, shortest, longest; /* see next_spacing */
  double claim; /* the noise that the last line showed; 0: none */
  int lines;    /* in a row that showed it */
} search;

/* How many lines, each shorter, have to show noise of this level.  What f does
 * by its own shape falls with the spacing, and noise does not; but waves that
 * are shorter than two spacings may look like noise by chance.  One line will
 * do where it is rounding, was known, or is that of a grid.  As large as f, it
 * is more often f's shape than noise, and it ends a run: one line more. */
static int lines_needed(const lr_oracle *o, const search *s, const reading *r)
{
  const double alike = 10, large = 1e-3, level = s->claim;
  if (level <= r->rounding || level < alike * o->differences.noise) return 1;
  if (level < alike * grid_noise(o, &s->all)) return 1;
  return level > large * r->size ? 3 : 2;
}

/* Whether two levels may be those of one and the same noise. */
static bool is_alike(double a, double b)
{
  const double times = 10;
  return a < times * b && b < times * a;
}

/* A few values of a shorter line, where one before showed noise: whether they
 * show it too. */
static bool is_confirmed(search *s, const line *L)
{
  if (L->n < AGAIN || !(s->claim > 0) || too_short(L)) return false;
  table t = difference_table(L);
  return is_alike(fmax(t.sigma[L->n - 1], t.sigma[L->n - 2]), s->claim);
}

/* Reads a line that is long enough, with values that differ. */
static void read_line(search *s, const line *L, reading *r)
{
  table t = difference_table(L);
  double noise = fmax(agreed(&t), 0);
  s->all.polynomial |= is_polynomial(&t);
  s->lines = noise > 0 ? 1 + (is_alike(noise, s->claim) ? s->lines : 0) : 0;
  s->claim = noise;
  r->size = largest(L);
  r->rounding = 50 * DBL_EPSILON * r->size;
  /* a last order alone, one difference, is too small by chance too often */
  r->level = noise > 0 ? noise : fmax(t.sigma[L->n - 1], t.sigma[L->n - 2]);
}

/* One line along u.  *read: it was long enough, with values that differ. */
static lr_code try_line(lr_oracle *o, lr_point *at, lrgd_vec u, search *s,
                        reading *r, bool *read)
{
  line L = {.n = 0};
  bool again = s->claim > 0;
  if (again) LR_TRY(line_values(o, at, u, s->h, AGAIN, &L));
  bool confirmed = is_confirmed(s, &L);
  bool whole = !confirmed && (!again || L.n == AGAIN);
  if (whole) LR_TRY(line_values(o, at, u, s->h, VALUES, &L));
  o->seen.cliffs += end_at_cliff(&L, o->seen.f_scale);
  climb(o, &s->all, &L);
  if (!confirmed && too_short(&L)) {
    s->shortest = s->h;
    return LR_GO;
  }
  *read = L.n >= 5;
  s->lines += confirmed;
  if (*read) read_line(s, &L, r);
  r->seen = s->claim > 0 && s->lines >= lines_needed(o, s, r);
  s->longest = s->h; /* f is curved here, as far as could be seen */
  return LR_GO;
}

/* Spacings beyond the size of x itself are not tried: what is flat up to there
 * is.  The first line is as long for all inputs: so it sees most. */
static lr_code estimate(lr_oracle *o, lr_point *at, uint64_t stream, reading *r)
{
  lrgd_vec u = {o->room.dir, 0};
  double scale = lr_oracle_scale(o, at);
  search s = {.h = 1e-4 * scale, .longest = INFINITY};
  *r = (reading){.size = fabs(at->f)};
  r->rounding = 50 * DBL_EPSILON * r->size;
  for (int i = 0; i < TRIES && s.h < scale && !r->seen; i++) {
    bool read = false;
    if (!draw(o, u, stream)) break;
    if (s.longest < INFINITY) respect_sizes(o, at, u);
    LR_TRY(try_line(o, at, u, &s, r, &read));
    if (read && i >= TRIES / 2 && !(s.claim > 0)) break;
    s.h = next_spacing(s.h, s.shortest, s.longest);
  }
  /* what rounding to a grid does, also where the steps happened to be even */
  double grid = grid_noise(o, &s.all);
  if (grid > (r->seen ? r->level : 0)) {
    r->level = grid;
    r->seen = true;
  }
  return LR_GO;
}

/* The least that one reading makes of the noise there was.  None above
 * rounding, or far less than there was, may be chance, or a stretch between two
 * steps of what is printed with few digits: it takes more than one to believe
 * it.  Differences made for too little noise are worth nothing, and what a
 * model learns from them stays.  (Above a hundredth of f it may have been a
 * jump that was read: less is believed then.) */
static double least_noise(double before, double now, double rounding, double f)
{
  bool jump = before > 0.01 * fabs(f) && now > rounding;
  return before > 30 * rounding && !jump ? before / 30 : 0;
}

/* A handful of values is right within a factor of some two: what was believed
 * before counts as much, unless it is quite another thing. */
static double pooled(double before, double now)
{
  bool alike = now < 10 * before && before < 10 * now;
  return alike ? sqrt(now * before) : now;
}

lr_code lr_oracle_measure_noise(lr_oracle *o, lr_point *at, uint64_t stream)
{
  reading r;
  if (!o->answers.value && !o->answers.values) return LR_GO;
  LR_TRY(lr_oracle_value(o, at, LRGD_PURPOSE_PROBE));
  LR_TRY(estimate(o, at, stream, &r));
  double least = least_noise(o->differences.noise, r.level, r.rounding, at->f);
  if (r.seen)
    o->differences.noise =
        fmax(least,
             r.level > r.rounding ? pooled(o->differences.noise, r.level) : 0);
  else if (r.level > 0 && r.level < o->differences.noise)
    o->differences.noise = fmax(least, r.level);
  else if (r.level == 0) /* all the same: too few digits to tell them apart? */
    o->differences.noise =
        fmax(o->differences.noise, lr_oracle_last_place(o, at->f) / sqrt(12));
  return LR_GO;
}

bool lr_oracle_read_noise(lr_oracle *o, const double f[LR_LINE])
{
  line L = {.n = VALUES};
  memcpy(L.f, f, sizeof L.f);
  if (too_short(&L)) return false;
  table t = difference_table(&L);
  double noise = agreed(&t), rounding = 50 * DBL_EPSILON * largest(&L);
  if (!(noise > 0) && t.sigma[VALUES - 1] > rounding) return false;
  o->differences.noise = noise > rounding ? noise : 0;
  return true;
}

lr_code lr_oracle_find_noise(lr_oracle *o, lr_point *at)
{
  bool given = lr_given(o->options->noise);
  o->differences.noise = given ? o->options->noise : 0;
  if (given) return LR_GO;
  return lr_oracle_measure_noise(o, at, UINT64_MAX); /* nobody else's stream */
}
