/* Which inputs they are that must not go further, and how far they may.
 *
 * A step from a good point to a bad one changes all inputs.  With the first n
 * of them changed and the others not, all is well for n = 0 and is not for
 * n = p: log2 p values find where that turns.  If this input fails alone, and
 * all is well without such inputs, they are at walls.
 *
 * A wall across some inputs looks like one of each of them, there: held where
 * they are, all others can go on, and where that has moved the wall this is
 * seen when it is looked at again. */
#include "hidden/hidden_bound.h"

#include "base/elementary.h"
#include "base/finite.h"

#include <math.h>

enum { LOWER, UPPER, GOOD, BAD, FAR, ASKED, LOWEST, COLUMNS };

enum {
  REFUSED = 3, /* trials in a row that fail, before walls are thought of */
  VAIN = 12,   /* looks in vain, after which they are not any more ... */
  EDGE = 3 /* ... and those, or walls that were none, that tell of an edge */
};

void lr_hidden_bounds_open(lr_hidden_bounds *w, lr_run *run)
{
  *w = (lr_hidden_bounds){.run = run, .given = run->oracle.box};
}

void lr_hidden_bounds_close(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  lr_oracle_use_box(&run->oracle, w->given);
  run->observer = (lr_trial_observer){0};
  lr_hidden_surface_clear(&w->edge, run->space);
  if (w->columns) run->space->ops->free(run->space, w->columns);
}

static lrgd_vec column(const lr_hidden_bounds *w, size_t which)
{
  return (lrgd_vec){w->columns, which};
}

/* y's inputs from .. to-1 become x's, or, where x.block is NULL, `number`. */
static void change(const lr_hidden_bounds *w, lrgd_vec y, lrgd_vec x,
                   double number, size_t from, size_t to)
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

/* The bounds are the user's. */
static void take_given(const lr_hidden_bounds *w)
{
  size_t p = w->run->space->dimension;
  change(w, column(w, LOWER), w->given.lower, -INFINITY, 0, p);
  change(w, column(w, UPPER), w->given.upper, INFINITY, 0, p);
}

static lr_code make_room(lr_hidden_bounds *w)
{
  lrgd_space *space = w->run->space;
  if (w->columns) return LR_GO;
  w->columns = space->ops->make(space, COLUMNS);
  if (!w->columns)
    return lr_oracle_fault(&w->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for bounds of %zu inputs",
                           space->dimension);
  take_given(w);
  return LR_GO;
}

static double input(const lr_hidden_bounds *w, size_t which, size_t i)
{
  double x;
  w->run->space->ops->get(w->run->space, column(w, which), i, 1, &x);
  return x;
}

static void set_input(const lr_hidden_bounds *w, size_t which, size_t i,
                      double x)
{
  w->run->space->ops->put(w->run->space, column(w, which), i, 1, &x);
}

static size_t side_of(const lr_hidden_bound *wall)
{
  return wall->upper ? UPPER : LOWER;
}

/* A decision of that kind: what f does beyond the level. */
static lrgd_decision beyond(const lr_hidden_bounds *w, double level,
                            lrgd_decision_kind kind)
{
  const lr_sentinel *r = &w->run->oracle.refusals;
  lrgd_decision d = {.kind = kind, .cause = LRGD_CAUSE_UNEVALUABLE};
  d.level = NAN;
  if (level < INFINITY) {
    d.cause = LRGD_CAUSE_JUMP;
    d.level = lr_run_told(w->run, level);
  } else if (r->count > 0 && w->run->oracle.counts.failures == 0) {
    d.cause = LRGD_CAUSE_SENTINEL;
    d.level = lr_run_told(w->run, r->number);
  }
  return d;
}

/* The same of a bound on an input. */
static lrgd_decision of_bound(const lr_hidden_bounds *w,
                              const lr_hidden_bound *wall,
                              lrgd_decision_kind kind)
{
  lrgd_decision d = beyond(w, wall->level, kind);
  d.input = wall->input + 1;
  d.side = wall->upper ? 1 : -1;
  d.value = wall->at;
  return d;
}

/* ---- asking ---- */

/* LOWEST is there now. */
static void stand(lr_hidden_bounds *w, size_t which, double f)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, column(w, LOWEST), column(w, which), 1);
  w->f = f;
}

/* GOOD is there, and LOWEST so far. */
static void begin_at(lr_hidden_bounds *w, lrgd_vec x, double f)
{
  w->run->space->ops->copy(w->run->space, column(w, GOOD), x, 1);
  w->good_f = f;
  stand(w, GOOD, f);
}

/* Whether ASKED is beyond. */
static lr_code ask(lr_hidden_bounds *w, bool *fails)
{
  lr_oracle *o = &w->run->oracle;
  lr_point at = {.x = column(w, ASKED), .f = NAN};
  lr_oracle_rename(o, &at);
  lr_code code = lr_oracle_value(o, &at, LRGD_PURPOSE_SEARCH);
  *fails = code == LR_NOVALUE;
  if (*fails) return LR_GO;
  LR_TRY(code);
  *fails = at.f > w->level;
  if (at.f < w->f) stand(w, ASKED, at.f);
  return lr_run_offer(w->run, &at);
}

/* Whether it is with the first n inputs as they are at `bad`, all others as
 * they are at GOOD. */
static lr_code ask_with(lr_hidden_bounds *w, size_t bad, size_t n, bool *fails)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, column(w, ASKED), column(w, GOOD), 1);
  change(w, column(w, ASKED), column(w, bad), 0, 0, n);
  return ask(w, fails);
}

/* ... with input i being x. */
static lr_code ask_at(lr_hidden_bounds *w, size_t i, double x, bool *fails)
{
  lrgd_space *space = w->run->space;
  *fails = true;
  if (!lr_finite(x)) return LR_GO;
  space->ops->copy(space, column(w, ASKED), column(w, GOOD), 1);
  set_input(w, ASKED, i, x);
  return ask(w, fails);
}

/* ---- looking ---- */

/* The input with which the change from GOOD to `bad` turns bad. */
static lr_code find_input(lr_hidden_bounds *w, size_t bad, size_t *found)
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
static lr_code fails_alone(lr_hidden_bounds *w, const lr_hidden_bound *wall,
                           bool *fails)
{
  double x = wall->beyond, way = x - wall->at;
  *fails = true;
  for (int n = 0; n < 3 && *fails; n++) {
    LR_TRY(ask_at(w, wall->input, x, fails));
    x = wall->at + (way *= 4);
    x = fmin(fmax(x, input(w, LOWER, wall->input)),
             input(w, UPPER, wall->input));
  }
  return LR_GO;
}

/* Takes back inputs of a bad point, one after the other, to where they are at
 * GOOD, until it is bad no more.  *clear: so it is, and w->found has the walls
 * that this tells of, not located yet; else it is as before. */
static lr_code clear_way(lr_hidden_bounds *w, size_t bad, bool *clear)
{
  size_t before = w->count, p = w->run->space->dimension;
  size_t most = p < 8 ? 1 : p < 32 ? p / 4 : 8; /* more would be a plane */
  bool alone = true;
  *clear = false;
  for (size_t n = 0; n <= most && alone && w->count < LR_WALLS; n++) {
    lr_hidden_bound *wall = &w->found[w->count];
    bool fails;
    LR_TRY(ask_with(w, bad, p, &fails));
    *clear = !fails;
    if (*clear || n == most) break;
    LR_TRY(find_input(w, bad, &wall->input));
    wall->at = input(w, GOOD, wall->input);
    wall->beyond = input(w, bad, wall->input);
    wall->upper = wall->beyond > wall->at;
    wall->level = w->level;
    alone = lr_finite(wall->beyond);
    if (alone) LR_TRY(fails_alone(w, wall, &alone));
    w->count += alone;
    set_input(w, bad, wall->input, wall->at);
  }
  if (!*clear) w->count = before;
  return LR_GO;
}

/* Where it is, along its input, to a small part of how far that is from GOOD.
 * *found: there is such a place. */
static lr_code locate(lr_hidden_bounds *w, lr_hidden_bound *wall, bool *found)
{
  enum { HALVINGS = 50 };
  double good = wall->at;
  for (int n = 0; n < HALVINGS; n++) {
    bool fails;
    double x = 0.5 * (wall->at + wall->beyond);
    LR_TRY(ask_at(w, wall->input, x, &fails));
    if (fails)
      wall->beyond = x;
    else
      wall->at = x;
    *found = wall->at != good;
    if (*found && fabs(wall->beyond - wall->at) < 1e-4 * fabs(x - good)) break;
  }
  return LR_GO;
}

/* It is a bound for now. */
static void set_bound(const lr_hidden_bounds *w, lr_hidden_bound *wall)
{
  set_input(w, side_of(wall), wall->input, wall->at);
  wall->at = input(w, side_of(wall), wall->input); /* as the space keeps it */
  lr_run_decide(w->run, of_bound(w, wall, LRGD_DECISION_KIND_HIDDEN_BOUND));
}

/* Walls between GOOD and BAD, and then, once there are some, those further on
 * to FAR. */
static lr_code look(lr_hidden_bounds *w, bool *found)
{
  size_t before = w->count, after = before;
  bool clear;
  LR_TRY(clear_way(w, BAD, found));
  if (!*found) return LR_GO;
  for (size_t i = before; i < w->count; i++)
    set_input(w, FAR, w->found[i].input, w->found[i].at);
  LR_TRY(clear_way(w, FAR, &clear));
  for (size_t i = before; i < w->count; i++) {
    lr_hidden_bound wall = w->found[i];
    bool good;
    LR_TRY(locate(w, &wall, &good));
    if (!good) continue;
    LR_TRY(ask_at(w, wall.input, wall.beyond, &wall.sure));
    w->moody |= !wall.sure;
    set_bound(w, &wall);
    w->total++;
    w->found[after++] = wall;
  }
  w->count = after;
  *found = after > before;
  return LR_GO;
}

/* What is there is an edge: there are no walls, as long as it holds. */
static lr_code meet_edge(lr_hidden_bounds *w)
{
  take_given(w);
  w->count = 0;
  w->gone = 0;
  lr_run_decide(w->run, beyond(w, w->level, LRGD_DECISION_KIND_HIDDEN_SURFACE));
  LR_TRY(lr_hidden_surface_meet(&w->edge, &w->run->oracle, w->level));
  return LR_AGAIN;
}

/* Whether all is bad from BAD on, 4, 16 and 64 times as far from GOOD: of
 * points that fail by chance few do. */
static lr_code fails_on(lr_hidden_bounds *w, bool *fails)
{
  lrgd_space *space = w->run->space;
  lrgd_vec way = column(w, FAR);
  const lrgd_box box = {column(w, LOWER), column(w, UPPER)};
  space->ops->axpy_into(space, way, column(w, BAD), column(w, GOOD), -1);
  *fails = true;
  for (double far = 4; far <= 64 && *fails; far *= 4) {
    space->ops->axpy_into(space, column(w, ASKED), column(w, GOOD), way, far);
    (void)space->ops->clip(space, column(w, ASKED), box);
    LR_TRY(ask(w, fails));
  }
  return LR_GO;
}

/* How many failures are allowed plays no part in any of this: a run that ended
 * at that limit goes on under another one, on the same path. */
static bool may_meet_edge(const lr_hidden_bounds *w)
{
  return !w->edge.met && !w->edge.refuted && !w->moody;
}

/* A trial, as lr_trial_observer has it.  LR_AGAIN: there is a wall between. */
static lr_code met(void *self, const lr_point *good, const lr_point *bad)
{
  lr_hidden_bounds *w = self;
  w->refused = bad ? w->refused + 1 : 0;
  if (w->refused == 1) lr_oracle_meet_cliff(&w->run->oracle);
  if (!bad || w->edge.met || w->vain >= VAIN || w->total >= LR_WALLS)
    return LR_GO;
  lrgd_space *space = w->run->space;
  LR_TRY(make_room(w));
  if (w->refused == 1) space->ops->copy(space, column(w, FAR), bad->x, 1);
  if (w->refused % REFUSED != 0) return LR_GO;
  bool found;
  begin_at(w, good->x, good->f);
  space->ops->copy(space, column(w, BAD), bad->x, 1);
  w->level = good->f + 0.5 * (bad->f - good->f);
  LR_TRY(look(w, &found));
  if (found) return LR_AGAIN;
  if (++w->vain != EDGE || !may_meet_edge(w)) return LR_GO;
  LR_TRY(fails_on(w, &found));
  return found ? meet_edge(w) : LR_GO;
}

void lr_hidden_bounds_watch(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  const lr_answers *answers = &run->oracle.answers;
  bool by_value = answers->value || answers->values;
  if (by_value && run->domain.k == 0)
    run->observer = (lr_trial_observer){.self = w, .tried = met};
}

lr_hidden_bounds *lr_hidden_bounds_of(const lr_run *run)
{
  return run->observer.tried == met ? run->observer.self : NULL;
}

void lr_hidden_bounds_enter(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  lrgd_space *space = run->space;
  lrgd_vec to = {run->points, run->record.best == 1 ? 2 : 1};
  lr_oracle_use_box(&run->oracle,
                    (lrgd_box){column(w, LOWER), column(w, UPPER)});
  space->ops->copy(space, to, column(w, LOWEST), 1);
  bool inside = space->ops->clip(space, to, run->oracle.box) == 0;
  if (!inside) space->ops->copy(space, to, column(w, GOOD), 1);
  run->at.x = to;
  lr_oracle_know(&run->oracle, &run->at, inside ? w->f : w->good_f);
  run->claim.certificate = (lrgd_certificate){0};
  if (w->level < INFINITY) { /* it may be made of jumps */
    if (run->goal.tol > 0) run->goal.most_tol = run->goal.tol;
    lr_run_forget_tolerance(run);
  }
  w->refused = 0;
}

/* ---- once more ---- */

/* A wall that holds at GOOD: is it still there?  If not, it is no bound any
 * more. */
static lr_code check(lr_hidden_bounds *w, size_t i, bool *gone)
{
  lr_hidden_bound wall = w->found[i];
  bool fails;
  w->level = wall.level;
  LR_TRY(ask_at(w, wall.input, wall.beyond, &fails));
  *gone = !fails;
  if (fails) return LR_GO;
  lrgd_vec given = wall.upper ? w->given.upper : w->given.lower;
  change(w, column(w, side_of(&wall)), given, wall.upper ? INFINITY : -INFINITY,
         wall.input, wall.input + 1);
  w->found[i] = w->found[--w->count];
  w->gone += wall.sure; /* else it may have been chance */
  lr_run_decide(w->run,
                of_bound(w, &wall, LRGD_DECISION_KIND_HIDDEN_BOUND_REMOVED));
  return LR_GO;
}

/* Walls that were none tell of an edge. */
static lr_code after_gone(lr_hidden_bounds *w)
{
  return w->gone >= EDGE && may_meet_edge(w) ? meet_edge(w) : LR_AGAIN;
}

/* How steep f is there along the inputs that walls hold: where that is little,
 * nothing is lost by them. */
static lr_code measure_slopes(lr_hidden_bounds *w, size_t held, double *norm)
{
  lr_run *run = w->run;
  lrgd_space *space = run->space;
  lr_point at = {.x = column(w, GOOD)};
  lr_oracle_know(&run->oracle, &at, run->record.best_f);
  *norm = 0;
  for (size_t i = 0; i < held; i++) {
    double two[2];
    space->ops->scale(space, column(w, ASKED), 0);
    set_input(w, ASKED, w->found[i].input, 1);
    lr_code code = lr_oracle_slopes(&run->oracle, &at, column(w, ASKED), 1,
                                    LRGD_PURPOSE_CHECK, two);
    if (code == LR_NOVALUE)
      two[0] = INFINITY; /* as far as is known */
    else
      LR_TRY(code);
    *norm = lr_hypot(*norm, two[0]);
  }
  return LR_GO;
}

/* Those at GOOD come first.  Returns how many they are. */
static size_t find_held(lr_hidden_bounds *w)
{
  size_t held = 0;
  for (size_t i = 0; i < w->count; i++) {
    lr_hidden_bound wall = w->found[i];
    if (input(w, GOOD, wall.input) != wall.at) continue;
    w->found[i] = w->found[held];
    w->found[held++] = wall;
  }
  return held;
}

lr_code lr_hidden_bounds_review(lr_hidden_bounds *w, const lr_point *at)
{
  bool gone = false;
  if (!w || w->count == 0 || isnan(at->f)) return LR_GO;
  size_t i = w->reviews++ % w->count;
  const lr_hidden_bound *wall = &w->found[i];
  begin_at(w, at->x, at->f);
  if (input(w, GOOD, wall->input) != wall->at) return LR_GO;
  LR_TRY(check(w, i, &gone));
  return gone ? after_gone(w) : LR_GO;
}

/* The run has ended at so many walls: whether it may. */
static lr_code check_end(lr_hidden_bounds *w, size_t held, bool *lost,
                         bool *gone)
{
  double slope;
  LR_TRY(measure_slopes(w, held, &slope));
  *lost = slope > w->run->goal.tol;
  for (size_t i = 0; i < held && *lost && !*gone; i++)
    LR_TRY(check(w, i, gone));
  return LR_GO;
}

static lr_code end_at_edge(lr_hidden_bounds *w)
{
  lr_oracle *o = &w->run->oracle;
  (void)lr_oracle_stall(o, LRGD_STALL_UNEVALUABLE, o->ending.why);
  lr_oracle_hold(o, beyond(w, w->level, LRGD_DECISION_KIND_HELD_SURFACE));
  return LR_END;
}

lr_code lr_hidden_bounds_check(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  lr_oracle *o = &run->oracle;
  lrgd_outcome outcome = o->ending.outcome;
  lrgd_stall stall = o->ending.stall;
  lrgd_decision ended = o->ending.why;
  bool gone = false, lost = true;
  lr_run_leave(run); /* the method's points are no more */
  if (w->edge.known && outcome == LRGD_OUTCOME_STALLED) return end_at_edge(w);
  if (w->count == 0) return LR_END;
  if (outcome != LRGD_OUTCOME_CONVERGED && outcome != LRGD_OUTCOME_STALLED)
    return LR_END;
  begin_at(w, run->at.x, run->record.best_f);
  size_t held = find_held(w);
  if (held == 0) return LR_END;
  lrgd_certificate known = run->claim.certificate;
  run->claim.certificate = (lrgd_certificate){0};
  LR_TRY(check_end(w, held, &lost, &gone)); /* it may end here, in its way */
  if (gone) return after_gone(w);
  if (!lost) {
    run->claim.certificate = known;
    if (outcome == LRGD_OUTCOME_STALLED)
      return lr_oracle_stall(o, stall, ended);
    return lr_oracle_end(o, outcome, ended);
  }
  (void)lr_oracle_stall(o, LRGD_STALL_UNEVALUABLE, ended);
  lrgd_decision active =
      of_bound(w, &w->found[0], LRGD_DECISION_KIND_HELD_BOUND);
  active.count = held - 1;
  lr_oracle_hold(o, active);
  return LR_END;
}
