/* Which inputs have hidden bounds, and where these are.
 *
 * A step from a good point to a bad one changes all inputs.  If only the first
 * n inputs are changed, f is good for n = 0 and bad for n = p: bisection over n
 * finds, with log2 p evaluations, the input whose change makes f bad.  If f is
 * bad with this input changed alone, and good with such inputs left unchanged,
 * these inputs have hidden bounds.
 *
 * A surface across some inputs looks like a bound on each of them.  With these
 * fixed all others can still move; where that moves the surface, a review of
 * the bounds notices it. */
#include "hidden/hidden_bound_search.h"

#include "base/finite.h"
#include "hidden/hidden_rules.h"

#include <math.h>

/* ---- vectors ---- */

lrgd_vec lr_hidden_column(const lr_hidden_bounds *w, size_t which)
{
  return (lrgd_vec){w->columns, which};
}

/* Sets inputs from .. to-1 of y to those of x, or to `number` where x.block is
 * NULL. */
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

void lr_hidden_reset_bounds(const lr_hidden_bounds *w)
{
  size_t p = w->run->space->dimension;
  change(w, lr_hidden_column(w, LR_HIDDEN_LOWER), w->given.lower, -INFINITY, 0,
         p);
  change(w, lr_hidden_column(w, LR_HIDDEN_UPPER), w->given.upper, INFINITY, 0,
         p);
}

static size_t side_of(const lr_hidden_bound *bound)
{
  return bound->upper ? LR_HIDDEN_UPPER : LR_HIDDEN_LOWER;
}

void lr_hidden_remove_bound(const lr_hidden_bounds *w,
                            const lr_hidden_bound *bound)
{
  lrgd_vec given = bound->upper ? w->given.upper : w->given.lower;
  change(w, lr_hidden_column(w, side_of(bound)), given,
         bound->upper ? INFINITY : -INFINITY, bound->input, bound->input + 1);
}

lr_code lr_hidden_make_room(lr_hidden_bounds *w)
{
  lrgd_space *space = w->run->space;
  if (w->columns) return LR_GO;
  w->columns = space->ops->make(space, LR_HIDDEN_COLUMNS);
  if (!w->columns)
    return lr_oracle_fault(&w->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for bounds of %zu inputs",
                           space->dimension);
  lr_hidden_reset_bounds(w);
  return LR_GO;
}

double lr_hidden_input(const lr_hidden_bounds *w, size_t which, size_t i)
{
  double x;
  w->run->space->ops->get(w->run->space, lr_hidden_column(w, which), i, 1, &x);
  return x;
}

void lr_hidden_set_input(const lr_hidden_bounds *w, size_t which, size_t i,
                         double x)
{
  w->run->space->ops->put(w->run->space, lr_hidden_column(w, which), i, 1, &x);
}

/* ---- decisions ---- */

lrgd_decision lr_hidden_decision(const lr_hidden_bounds *w, double level,
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

lrgd_decision lr_hidden_bound_decision(const lr_hidden_bounds *w,
                                       const lr_hidden_bound *bound,
                                       lrgd_decision_kind kind)
{
  lrgd_decision d = lr_hidden_decision(w, bound->level, kind);
  d.input = bound->input + 1;
  d.side = bound->upper ? 1 : -1;
  d.value = bound->at;
  return d;
}

/* ---- evaluations ---- */

/* LR_HIDDEN_LOWEST = a point whose value is f. */
static void set_lowest(lr_hidden_bounds *w, size_t which, double f)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, lr_hidden_column(w, LR_HIDDEN_LOWEST),
                   lr_hidden_column(w, which), 1);
  w->f = f;
}

void lr_hidden_begin_at(lr_hidden_bounds *w, lrgd_vec x, double f)
{
  lrgd_space *space = w->run->space;
  space->ops->copy(space, lr_hidden_column(w, LR_HIDDEN_GOOD), x, 1);
  w->good_f = f;
  set_lowest(w, LR_HIDDEN_GOOD, f);
}

/* Whether f fails at LR_HIDDEN_ASKED. */
static lr_code evaluate(lr_hidden_bounds *w, bool *fails)
{
  lr_oracle *o = &w->run->oracle;
  lr_point at = {.x = lr_hidden_column(w, LR_HIDDEN_ASKED), .f = NAN};
  lr_oracle_rename(o, &at);
  lr_code code = lr_oracle_value(o, &at, LRGD_PURPOSE_SEARCH);
  *fails = code == LR_NOVALUE;
  if (*fails) return LR_GO;
  LR_TRY(code);
  *fails = at.f > w->level;
  if (at.f < w->f) set_lowest(w, LR_HIDDEN_ASKED, at.f);
  return lr_run_offer(w->run, &at);
}

/* Sets LR_HIDDEN_ASKED to LR_HIDDEN_GOOD. */
static lrgd_vec ask_good(const lr_hidden_bounds *w)
{
  lrgd_vec asked = lr_hidden_column(w, LR_HIDDEN_ASKED);
  w->run->space->ops->copy(w->run->space, asked,
                           lr_hidden_column(w, LR_HIDDEN_GOOD), 1);
  return asked;
}

/* Whether f fails with the first n inputs as at `bad`, the others as at
 * LR_HIDDEN_GOOD. */
static lr_code fails_with(lr_hidden_bounds *w, size_t bad, size_t n,
                          bool *fails)
{
  change(w, ask_good(w), lr_hidden_column(w, bad), 0, 0, n);
  return evaluate(w, fails);
}

lr_code lr_hidden_fails_at(lr_hidden_bounds *w, size_t i, double x, bool *fails)
{
  *fails = true;
  if (!lr_finite(x)) return LR_GO;
  (void)ask_good(w);
  lr_hidden_set_input(w, LR_HIDDEN_ASKED, i, x);
  return evaluate(w, fails);
}

/* ---- the search ---- */

/* The input whose change from LR_HIDDEN_GOOD to `bad` makes f fail. */
static lr_code find_input(lr_hidden_bounds *w, size_t bad, size_t *found)
{
  size_t low = 0, high = w->run->space->dimension;
  while (high - low > 1) {
    bool fails;
    size_t middle = low + (high - low) / 2;
    LR_TRY(fails_with(w, bad, middle, &fails));
    if (fails)
      high = middle;
    else
      low = middle;
  }
  *found = low;
  return LR_GO;
}

/* Whether f fails with this input changed alone, and also further beyond. */
static lr_code fails_alone(lr_hidden_bounds *w, const lr_hidden_bound *bound,
                           bool *fails)
{
  const lr_policy *P = w->run->policy;
  double x = bound->beyond, way = x - bound->at;
  *fails = true;
  for (int n = 0; lr_hidden_fails_again(P, n) && *fails; n++) {
    LR_TRY(lr_hidden_fails_at(w, bound->input, x, fails));
    way = lr_hidden_farther(P, way);
    x = bound->at + way;
    x = fmin(fmax(x, lr_hidden_input(w, LR_HIDDEN_LOWER, bound->input)),
             lr_hidden_input(w, LR_HIDDEN_UPPER, bound->input));
  }
  return LR_GO;
}

/* Resets inputs of a bad point to their values at LR_HIDDEN_GOOD, one after the
 * other, until f is good.  *clear: it is, and w->found has bounds on these
 * inputs, not located yet; else w->found is unchanged. */
static lr_code clear_way(lr_hidden_bounds *w, size_t bad, bool *clear)
{
  size_t before = w->count, p = w->run->space->dimension;
  size_t most = lr_hidden_most_inputs(w->run->policy, p);
  bool alone = true;
  *clear = false;
  for (size_t n = 0; n <= most && alone && w->count < LR_HIDDEN_MOST; n++) {
    lr_hidden_bound *bound = &w->found[w->count];
    bool fails;
    LR_TRY(fails_with(w, bad, p, &fails));
    *clear = !fails;
    if (*clear || n == most) break;
    LR_TRY(find_input(w, bad, &bound->input));
    bound->at = lr_hidden_input(w, LR_HIDDEN_GOOD, bound->input);
    bound->beyond = lr_hidden_input(w, bad, bound->input);
    bound->upper = bound->beyond > bound->at;
    bound->level = w->level;
    alone = lr_finite(bound->beyond);
    if (alone) LR_TRY(fails_alone(w, bound, &alone));
    w->count += alone;
    lr_hidden_set_input(w, bad, bound->input, bound->at);
  }
  if (!*clear) w->count = before;
  return LR_GO;
}

/* Locates a bound along its input by bisection.  *found: f is good at some
 * value of the input other than that of LR_HIDDEN_GOOD. */
static lr_code locate(lr_hidden_bounds *w, lr_hidden_bound *bound, bool *found)
{
  enum { HALVINGS = 50 }; /* 2^-50 of the interval is rounding */
  double good = bound->at;
  for (int n = 0; n < HALVINGS; n++) {
    bool fails;
    double x = 0.5 * (bound->at + bound->beyond);
    LR_TRY(lr_hidden_fails_at(w, bound->input, x, &fails));
    if (fails)
      bound->beyond = x;
    else
      bound->at = x;
    *found = bound->at != good;
    if (*found && lr_hidden_is_located(w->run->policy,
                                       bound->beyond - bound->at, x - good))
      break;
  }
  return LR_GO;
}

/* Adds the bound to the box, and to the decisions of the run. */
static void set_bound(const lr_hidden_bounds *w, lr_hidden_bound *bound)
{
  lr_hidden_set_input(w, side_of(bound), bound->input, bound->at);
  /* the bound as the space stores it */
  bound->at = lr_hidden_input(w, side_of(bound), bound->input);
  lr_run_decide(w->run, lr_hidden_bound_decision(
                            w, bound, LRGD_DECISION_KIND_HIDDEN_BOUND));
}

lr_code lr_hidden_search(lr_hidden_bounds *w, bool *found)
{
  size_t before = w->count, after = before;
  bool clear;
  LR_TRY(clear_way(w, LR_HIDDEN_BAD, found));
  if (!*found) return LR_GO;
  for (size_t i = before; i < w->count; i++)
    lr_hidden_set_input(w, LR_HIDDEN_FAR, w->found[i].input, w->found[i].at);
  LR_TRY(clear_way(w, LR_HIDDEN_FAR, &clear));
  for (size_t i = before; i < w->count; i++) {
    lr_hidden_bound bound = w->found[i];
    bool good;
    LR_TRY(locate(w, &bound, &good));
    if (!good) continue;
    LR_TRY(lr_hidden_fails_at(w, bound.input, bound.beyond, &bound.sure));
    w->random |= !bound.sure;
    set_bound(w, &bound);
    w->total++;
    w->found[after++] = bound;
  }
  w->count = after;
  *found = after > before;
  return LR_GO;
}

lr_code lr_hidden_fails_on(lr_hidden_bounds *w, bool *fails)
{
  const lr_policy *P = w->run->policy;
  lrgd_space *space = w->run->space;
  lrgd_vec way = lr_hidden_column(w, LR_HIDDEN_FAR);
  lrgd_vec good = lr_hidden_column(w, LR_HIDDEN_GOOD);
  lrgd_vec asked = lr_hidden_column(w, LR_HIDDEN_ASKED);
  const lrgd_box box = {lr_hidden_column(w, LR_HIDDEN_LOWER),
                        lr_hidden_column(w, LR_HIDDEN_UPPER)};
  double far = 1;
  space->ops->axpy_into(space, way, lr_hidden_column(w, LR_HIDDEN_BAD), good,
                        -1);
  *fails = true;
  for (int n = 0; lr_hidden_fails_again(P, n) && *fails; n++) {
    far = lr_hidden_farther(P, far);
    space->ops->axpy_into(space, asked, good, way, far);
    (void)space->ops->clip(space, asked, box);
    LR_TRY(evaluate(w, fails));
  }
  return LR_GO;
}
