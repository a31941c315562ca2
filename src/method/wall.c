/* Which inputs they are that must not go further, and how far they may.
 *
 * A step from a good point to a bad one changes all inputs.  With the first n
 * of them changed and the others not, all is well for n = 0 and is not for
 * n = p: log2 p values find where that turns.  If this input fails alone, and
 * all is well without such inputs, they are at walls. */
#include "method/wall.h"

#include "base/options.h"
#include "method/run.h"

#include <math.h>
#include <string.h>

enum { LOWER, UPPER, GOOD, BAD, FAR, ASKED, LOWEST, COLUMNS };

enum {
  REFUSED = 3, /* trials in a row that fail, before walls are thought of */
  VAIN = 4,    /* looks in vain, after which they are not any more */
  HALVINGS = 14
};

void lr_walls_open(lr_walls *w, lr_run *run)
{
  *w = (lr_walls){.run = run, .given = run->oracle.box};
}

void lr_walls_watch(lr_walls *w)
{
  const lr_answers *answers = &w->run->oracle.answers;
  bool by_value = answers->value || answers->values;
  w->run->walls = by_value && w->run->domain.k == 0 ? w : NULL;
}

void lr_walls_close(lr_walls *w)
{
  lr_run *run = w->run;
  run->oracle.box = w->given;
  run->walls = NULL;
  if (w->columns) run->space->ops->free(run->space, w->columns);
}

static lrgd_vec column(const lr_walls *w, size_t which)
{
  return (lrgd_vec){w->columns, which};
}

/* y's inputs from .. to-1 become x's, or, where x.block is NULL, `number`. */
static void change(const lr_walls *w, lrgd_vec y, lrgd_vec x, double number,
                   size_t from, size_t to)
{
  enum { PART = 256 };
  lrgd_space *space = w->run->space;
  double part[PART];
  for (size_t i = 0; i < PART; i++) part[i] = number;
  while (from < to) {
    size_t n = to - from < PART ? to - from : PART;
    if (x.block) space->ops->get(space, x, from, n, part);
    space->ops->put(space, y, from, n, part);
    from += n;
  }
}

static lr_code make_room(lr_walls *w)
{
  lrgd_space *space = w->run->space;
  size_t p = space->dimension;
  if (w->columns) return LR_GO;
  w->columns = space->ops->make(space, COLUMNS);
  if (!w->columns)
    return lr_oracle_fault(&w->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for bounds of %zu inputs", p);
  change(w, column(w, LOWER), w->given.lower, -INFINITY, 0, p);
  change(w, column(w, UPPER), w->given.upper, INFINITY, 0, p);
  return LR_GO;
}

static double input(const lr_walls *w, size_t which, size_t i)
{
  double x;
  w->run->space->ops->get(w->run->space, column(w, which), i, 1, &x);
  return x;
}

static void set_input(const lr_walls *w, size_t which, size_t i, double x)
{
  w->run->space->ops->put(w->run->space, column(w, which), i, 1, &x);
}

/* ---- asking ---- */

/* LOWEST is there now. */
static void stand(lr_walls *w, size_t which, double f)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, column(w, LOWEST), column(w, which), 1);
  w->f = f;
}

/* Whether ASKED is beyond. */
static lr_code ask(lr_walls *w, bool *fails)
{
  lr_oracle *o = &w->run->oracle;
  lr_point at = {.x = column(w, ASKED), .f = NAN};
  lr_oracle_rename(o, &at);
  lr_code code = lr_oracle_value(o, &at, LRGD_SEARCH);
  *fails = code == LR_NOVALUE;
  if (*fails) return LR_GO;
  LR_TRY(code);
  *fails = at.f > w->level;
  if (at.f < w->f) stand(w, ASKED, at.f);
  return lr_run_offer(w->run, &at);
}

/* Whether it is with the first n inputs as they are at `bad`, all others as
 * they are at GOOD. */
static lr_code ask_with(lr_walls *w, size_t bad, size_t n, bool *fails)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, column(w, ASKED), column(w, GOOD), 1);
  change(w, column(w, ASKED), column(w, bad), 0, 0, n);
  return ask(w, fails);
}

/* ... with input i being x, all others as they are `there`. */
static lr_code ask_at(lr_walls *w, size_t there, size_t i, double x,
                      bool *fails)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, column(w, ASKED), column(w, there), 1);
  set_input(w, ASKED, i, x);
  return ask(w, fails);
}

/* ---- looking ---- */

/* The input with which the change from GOOD to `bad` turns bad. */
static lr_code find_input(lr_walls *w, size_t bad, size_t *found)
{
  size_t low = 0, high = w->run->space->dimension;
  while (high - low > 1) {
    bool fails;
    size_t middle = low + (high - low) / 2;
    LR_TRY(ask_with(w, bad, middle, &fails));
    if (fails)
      high = middle;
    else
      low = middle;
  }
  *found = low;
  return LR_GO;
}

/* Whether this input alone fails, four times and 16 times as far as well.  (Of
 * points that fail by chance few do.) */
static lr_code fails_alone(lr_walls *w, const lr_wall *wall, bool *fails)
{
  double x = wall->beyond, way = x - wall->at;
  *fails = true;
  for (int n = 0; n < 3 && *fails; n++) {
    LR_TRY(ask_at(w, GOOD, wall->input, x, fails));
    x = wall->at + (way *= 4);
    x = fmin(fmax(x, input(w, LOWER, wall->input)),
             input(w, UPPER, wall->input));
  }
  return LR_GO;
}

/* Takes back inputs of a bad point, one after the other, to where they are at
 * GOOD, until it is bad no more.  *clear: so it is, and w->found has the walls
 * that this tells of, not located yet; else it is as before. */
static lr_code clear_way(lr_walls *w, size_t bad, bool *clear)
{
  enum { MOST = 8 };
  size_t before = w->count;
  bool alone = true;
  *clear = false;
  for (int n = 0; n <= MOST && alone && w->count < LR_WALLS; n++) {
    lr_wall *wall = &w->found[w->count];
    bool fails;
    LR_TRY(ask_with(w, bad, w->run->space->dimension, &fails));
    *clear = !fails;
    if (*clear || n == MOST) break;
    LR_TRY(find_input(w, bad, &wall->input));
    wall->at = input(w, GOOD, wall->input);
    wall->beyond = input(w, bad, wall->input);
    wall->upper = wall->beyond > wall->at;
    wall->level = w->level;
    LR_TRY(fails_alone(w, wall, &alone));
    w->count += alone;
    set_input(w, bad, wall->input, wall->at);
  }
  if (!*clear) w->count = before;
  return LR_GO;
}

/* Where it is, along its input. */
static lr_code locate(lr_walls *w, lr_wall *wall)
{
  for (int n = 0; n < HALVINGS; n++) {
    bool fails;
    double x = 0.5 * (wall->at + wall->beyond);
    LR_TRY(ask_at(w, GOOD, wall->input, x, &fails));
    if (fails)
      wall->beyond = x;
    else
      wall->at = x;
  }
  return LR_GO;
}

/* Whether it is in the same place where all the other inputs are different, as
 * a plane across them would not be. */
static lr_code is_steady(lr_walls *w, size_t there, const lr_wall *wall,
                         bool *steady)
{
  bool inside, beyond;
  LR_TRY(ask_at(w, there, wall->input, wall->at, &inside));
  LR_TRY(ask_at(w, there, wall->input, wall->beyond, &beyond));
  *steady = !inside && beyond;
  return LR_GO;
}

/* It is a bound from here on. */
static void set_bound(const lr_walls *w, lr_wall *wall)
{
  size_t side = wall->upper ? UPPER : LOWER;
  set_input(w, side, wall->input, wall->at);
  wall->at = input(w, side, wall->input); /* as the space keeps it */
  lr_run_note(w->run, "f %s where input %zu is %s %.6g: a bound from here on",
              wall->level < INFINITY ? "jumps up" : "cannot be evaluated",
              wall->input + 1, wall->upper ? "above" : "below", wall->at);
}

/* Walls between GOOD and BAD, and then, once there are some, those further on
 * to FAR. */
static lr_code look(lr_walls *w, bool *found)
{
  size_t before = w->count, after = before;
  bool clear;
  LR_TRY(clear_way(w, BAD, found));
  if (!*found) return LR_GO;
  for (size_t i = before; i < w->count; i++)
    set_input(w, FAR, w->found[i].input, w->found[i].at);
  LR_TRY(clear_way(w, FAR, &clear));
  for (size_t i = before; i < w->count; i++) {
    lr_wall wall = w->found[i];
    bool steady;
    LR_TRY(locate(w, &wall));
    LR_TRY(is_steady(w, clear ? FAR : BAD, &wall, &steady));
    if (!steady) continue;
    set_bound(w, &wall);
    w->found[after++] = wall;
  }
  w->count = after;
  *found = after > before;
  return LR_GO;
}

lr_code lr_wall_met(lr_walls *w, const lr_point *good, const lr_point *bad)
{
  if (!w) return LR_GO;
  w->refused = bad ? w->refused + 1 : 0;
  if (!bad || w->vain == VAIN || w->count == LR_WALLS) return LR_GO;
  lrgd_space *space = w->run->space;
  LR_TRY(make_room(w));
  if (w->refused == 1) space->ops->copy(space, column(w, FAR), bad->x, 1);
  if (w->refused != REFUSED) return LR_GO;
  bool found;
  space->ops->copy(space, column(w, GOOD), good->x, 1);
  space->ops->copy(space, column(w, BAD), bad->x, 1);
  stand(w, GOOD, good->f);
  w->level = good->f + 0.5 * (bad->f - good->f);
  LR_TRY(look(w, &found));
  w->vain += !found;
  return found ? LR_WALL : LR_GO;
}

void lr_walls_enter(lr_walls *w)
{
  lr_run *run = w->run;
  if (!lr_given(run->options.tol)) /* what is small stays as it was */
    run->first_slope = fmax(run->first_slope, 1e6 * run->tol);
  run->oracle.box = (lrgd_box){column(w, LOWER), column(w, UPPER)};
  run->at.x = (lrgd_vec){run->points, run->best == 1 ? 2 : 1};
  run->space->ops->copy(run->space, run->at.x, column(w, LOWEST), 1);
  size_t moved = run->space->ops->clip(run->space, run->at.x, run->oracle.box);
  lr_oracle_rename(&run->oracle, &run->at);
  run->at.f = moved > 0 ? NAN : w->f;
  w->refused = 0;
}

/* ---- at the end ---- */

/* A wall at which the run has ended: is it still there?  If not, it is not a
 * bound any more. */
static lr_code check(lr_walls *w, const lr_wall *wall, bool *gone)
{
  bool fails;
  w->level = wall->level;
  LR_TRY(ask_at(w, GOOD, wall->input, wall->beyond, &fails));
  *gone = !fails;
  if (fails) return LR_GO;
  lrgd_vec given = wall->upper ? w->given.upper : w->given.lower;
  change(w, column(w, wall->upper ? UPPER : LOWER), given,
         wall->upper ? INFINITY : -INFINITY, wall->input, wall->input + 1);
  lr_run_note(w->run, "input %zu can go beyond %.6g here: the bound is gone",
              wall->input + 1, wall->at);
  return LR_GO;
}

/* How steep f is there along the inputs that walls hold: where that is little,
 * nothing is lost by them. */
static lr_code measure_slopes(lr_walls *w, size_t held, double *norm)
{
  lr_run *run = w->run;
  lrgd_space *space = run->space;
  lr_point at = {.x = column(w, GOOD), .f = run->best_f};
  lr_oracle_rename(&run->oracle, &at);
  at.f = run->best_f;
  *norm = 0;
  for (size_t i = 0; i < held; i++) {
    double two[2];
    space->ops->scale(space, column(w, ASKED), 0);
    set_input(w, ASKED, w->found[i].input, 1);
    LR_TRY(lr_oracle_slopes(&run->oracle, &at, column(w, ASKED), 1, LRGD_CHECK,
                            two));
    *norm = hypot(*norm, two[0]);
  }
  return LR_GO;
}

/* Those at GOOD come first.  Returns how many they are. */
static size_t find_held(lr_walls *w)
{
  size_t held = 0;
  for (size_t i = 0; i < w->count; i++) {
    lr_wall wall = w->found[i];
    if (input(w, GOOD, wall.input) != wall.at) continue;
    w->found[i] = w->found[held];
    w->found[held++] = wall;
  }
  return held;
}

static lr_code check_all(lr_walls *w, size_t held, bool *gone)
{
  for (size_t i = 0; i < held && !*gone; i++) {
    LR_TRY(check(w, &w->found[i], gone));
    if (*gone) w->found[i] = w->found[--w->count];
  }
  w->vain += *gone;
  return LR_GO;
}

/* The run has ended at so many walls: whether it may. */
static lr_code check_end(lr_walls *w, size_t held, bool *lost, bool *gone)
{
  double slope;
  LR_TRY(measure_slopes(w, held, &slope));
  *lost = slope > w->run->tol;
  return *lost ? check_all(w, held, gone) : LR_GO;
}

lr_code lr_walls_check(lr_walls *w)
{
  lr_run *run = w->run;
  lr_oracle *o = &run->oracle;
  lrgd_outcome outcome = o->outcome;
  char ended[sizeof o->message];
  bool gone = false, lost = true;
  if (w->count == 0) return LR_END;
  if (outcome != LRGD_CONVERGED && outcome != LRGD_STALLED) return LR_END;
  run->space->ops->copy(run->space, column(w, GOOD),
                        (lrgd_vec){run->points, run->best}, 1);
  size_t held = find_held(w);
  if (held == 0) return LR_END;
  stand(w, GOOD, run->best_f);
  memcpy(ended, o->message, sizeof ended);
  lr_code code = check_end(w, held, &lost, &gone);
  if (code == LR_FAULT) return code;
  if (gone && w->vain < VAIN) return LR_WALL;
  if (!lost) return lr_oracle_end(o, outcome, "%s", ended);
  run->certificate = (lrgd_certificate){0}; /* f would fall beyond */
  const lr_wall *first = &w->found[0];
  return lr_oracle_end(
      o, LRGD_STALLED, "f %s where input %zu is %s %.6g%s; otherwise %s",
      first->level < INFINITY ? "jumps up" : "cannot be evaluated",
      first->input + 1, first->upper ? "above" : "below", first->at,
      held > 1 ? ", and at other walls" : "", ended);
}
