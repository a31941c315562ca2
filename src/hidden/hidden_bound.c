/* When hidden bounds are searched for, and whether those found still hold. */
#include "hidden/hidden_bound.h"

#include "base/elementary.h"
#include "hidden/hidden_bound_search.h"
#include "hidden/hidden_rules.h"

#include <math.h>

void lr_hidden_bounds_open(lr_hidden_bounds *w, lr_run *run)
{
  *w = (lr_hidden_bounds){.run = run, .given = run->oracle.box};
}

void lr_hidden_bounds_close(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  lr_oracle_use_box(&run->oracle, w->given);
  run->observer = (lr_trial_observer){0};
  lr_hidden_surface_clear(&w->surface, run->space);
  if (w->columns) run->space->ops->free(run->space, w->columns);
}

/* ---- the observer ---- */

/* Replaces all hidden bounds by a hidden surface. */
static lr_code meet_surface(lr_hidden_bounds *w)
{
  lr_hidden_reset_bounds(w);
  w->count = 0;
  w->gone = 0;
  lr_run_decide(w->run, lr_hidden_decision(w, w->level,
                                           LRGD_DECISION_KIND_HIDDEN_SURFACE));
  LR_TRY(lr_hidden_surface_meet(&w->surface, &w->run->oracle, w->level));
  return LR_AGAIN;
}

/* Whether a surface may still be assumed.  This does not depend on the limit on
 * failures: a run that ended at that limit and continues under another one
 * takes the same path. */
static bool may_meet_surface(const lr_hidden_bounds *w)
{
  return !w->surface.met && !w->surface.refuted && !w->random;
}

/* Searches for hidden bounds between a good and a bad point.  LR_AGAIN: a bound
 * or a surface was found. */
static lr_code look(lr_hidden_bounds *w, const lr_point *good,
                    const lr_point *bad)
{
  const lr_policy *P = w->run->policy;
  lrgd_space *space = w->run->space;
  bool found;
  lr_hidden_begin_at(w, good->x, good->f);
  space->ops->copy(space, lr_hidden_column(w, LR_HIDDEN_BAD), bad->x, 1);
  w->level = good->f + 0.5 * (bad->f - good->f);
  LR_TRY(lr_hidden_search(w, &found));
  if (found) return LR_AGAIN;
  bool first = !lr_hidden_suggests_surface(P, w->in_vain);
  if (!lr_hidden_suggests_surface(P, ++w->in_vain) || !first) return LR_GO;
  if (!may_meet_surface(w)) return LR_GO;
  LR_TRY(lr_hidden_fails_on(w, &found));
  return found ? meet_surface(w) : LR_GO;
}

/* The lr_trial_observer.  LR_AGAIN: there is a hidden bound between the two
 * points. */
static lr_code observe(void *self, const lr_point *good, const lr_point *bad)
{
  lr_hidden_bounds *w = self;
  const lr_policy *P = w->run->policy;
  w->refused = bad ? w->refused + 1 : 0;
  if (w->refused == 1) lr_oracle_meet_cliff(&w->run->oracle);
  if (!bad || w->surface.met || !lr_hidden_goes_on(P, w->in_vain) ||
      w->total >= LR_HIDDEN_MOST)
    return LR_GO;
  lrgd_space *space = w->run->space;
  LR_TRY(lr_hidden_make_room(w));
  if (w->refused == 1)
    space->ops->copy(space, lr_hidden_column(w, LR_HIDDEN_FAR), bad->x, 1);
  return lr_hidden_is_due(P, w->refused) ? look(w, good, bad) : LR_GO;
}

void lr_hidden_bounds_watch(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  const lr_answers *answers = &run->oracle.answers;
  bool by_value = answers->value || answers->values;
  if (by_value && run->domain.k == 0)
    run->observer = (lr_trial_observer){.self = w, .tried = observe};
}

lr_hidden_bounds *lr_hidden_bounds_of(const lr_run *run)
{
  return run->observer.tried == observe ? run->observer.self : NULL;
}

void lr_hidden_bounds_use(lr_hidden_bounds *w)
{
  lrgd_box box = {lr_hidden_column(w, LR_HIDDEN_LOWER),
                  lr_hidden_column(w, LR_HIDDEN_UPPER)};
  lr_oracle_use_box(&w->run->oracle, box);
  w->refused = 0;
}

void lr_hidden_bounds_enter(lr_hidden_bounds *w)
{
  lr_run *run = w->run;
  lrgd_space *space = run->space;
  lrgd_vec to = {run->points, run->record.best == 1 ? 2 : 1};
  lr_hidden_bounds_use(w);
  space->ops->copy(space, to, lr_hidden_column(w, LR_HIDDEN_LOWEST), 1);
  bool inside = space->ops->clip(space, to, run->oracle.box) == 0;
  if (!inside)
    space->ops->copy(space, to, lr_hidden_column(w, LR_HIDDEN_GOOD), 1);
  lr_run_stand_at(run, to, inside ? w->f : w->good_f);
  run->claim.certificate = (lrgd_certificate){0};
  if (w->level < INFINITY) { /* the tolerance may derive from a jump of f */
    if (run->goal.tol > 0) run->goal.most_tol = run->goal.tol;
    lr_run_forget_tolerance(run);
  }
}

/* ---- checks ---- */

/* Checks whether f still fails beyond bound number i, which is active at
 * LR_HIDDEN_GOOD; else removes the bound (*gone). */
static lr_code check(lr_hidden_bounds *w, size_t i, bool *gone)
{
  lr_hidden_bound bound = w->found[i];
  bool fails;
  w->level = bound.level;
  LR_TRY(lr_hidden_fails_at(w, bound.input, bound.beyond, &fails));
  *gone = !fails;
  if (fails) return LR_GO;
  lr_hidden_remove_bound(w, &bound);
  w->found[i] = w->found[--w->count];
  w->gone +=
      bound.sure; /* if the bound is not certain, f may have failed at random */
  lr_run_decide(w->run,
                lr_hidden_bound_decision(
                    w, &bound, LRGD_DECISION_KIND_HIDDEN_BOUND_REMOVED));
  return LR_GO;
}

/* After a bound was removed: assumes a surface if enough of them were. */
static lr_code after_removal(lr_hidden_bounds *w)
{
  bool surface = lr_hidden_suggests_surface(w->run->policy, w->gone);
  return surface && may_meet_surface(w) ? meet_surface(w) : LR_AGAIN;
}

/* Measures the norm of the derivatives along inputs with active hidden bounds:
 * where it is small, these bounds do not prevent a decrease. */
static lr_code measure_slopes(lr_hidden_bounds *w, size_t active, double *norm)
{
  lr_run *run = w->run;
  lrgd_space *space = run->space;
  lrgd_vec direction = lr_hidden_column(w, LR_HIDDEN_ASKED);
  lr_point at = {.x = lr_hidden_column(w, LR_HIDDEN_GOOD)};
  lr_oracle_know(&run->oracle, &at, run->record.best_f);
  *norm = 0;
  for (size_t i = 0; i < active; i++) {
    double two[2];
    space->ops->scale(space, direction, 0);
    lr_hidden_set_input(w, LR_HIDDEN_ASKED, w->found[i].input, 1);
    lr_code code = lr_oracle_slopes(&run->oracle, &at, direction, 1,
                                    LRGD_PURPOSE_CHECK, two);
    if (code == LR_NOVALUE)
      two[0] = INFINITY; /* one side has no value: the derivative is unknown */
    else
      LR_TRY(code);
    *norm = lr_hypot(*norm, two[0]);
  }
  return LR_GO;
}

/* Moves the bounds that are active at LR_HIDDEN_GOOD to the front of the list.
 * Returns their number. */
static size_t find_active(lr_hidden_bounds *w)
{
  size_t active = 0;
  for (size_t i = 0; i < w->count; i++) {
    lr_hidden_bound bound = w->found[i];
    if (lr_hidden_input(w, LR_HIDDEN_GOOD, bound.input) != bound.at) continue;
    w->found[i] = w->found[active];
    w->found[active++] = bound;
  }
  return active;
}

lr_code lr_hidden_bounds_review(lr_hidden_bounds *w, const lr_point *at)
{
  bool gone = false;
  if (!w || w->count == 0 || isnan(at->f)) return LR_GO;
  size_t i = w->reviews++ % w->count;
  const lr_hidden_bound *bound = &w->found[i];
  lr_hidden_begin_at(w, at->x, at->f);
  if (lr_hidden_input(w, LR_HIDDEN_GOOD, bound->input) != bound->at)
    return LR_GO;
  LR_TRY(check(w, i, &gone));
  return gone ? after_removal(w) : LR_GO;
}

/* Checks the active hidden bounds at the end of the run.  *lost: the
 * derivatives along their inputs are large; then the bounds are evaluated
 * again, one after the other, until one is *gone. */
static lr_code check_end(lr_hidden_bounds *w, size_t active, bool *lost,
                         bool *gone)
{
  double slope;
  LR_TRY(measure_slopes(w, active, &slope));
  *lost = slope > w->run->goal.tol;
  for (size_t i = 0; i < active && *lost && !*gone; i++)
    LR_TRY(check(w, i, gone));
  return LR_GO;
}

static lr_code end_at_surface(lr_hidden_bounds *w)
{
  lr_oracle *o = &w->run->oracle;
  (void)lr_oracle_stall(o, LRGD_STALL_UNEVALUABLE, o->ending.why);
  lr_oracle_hold(
      o, lr_hidden_decision(w, w->level, LRGD_DECISION_KIND_HELD_SURFACE));
  return LR_END;
}

static lr_code end_at_bounds(lr_hidden_bounds *w, size_t active,
                             lrgd_decision ended)
{
  lr_oracle *o = &w->run->oracle;
  (void)lr_oracle_stall(o, LRGD_STALL_UNEVALUABLE, ended);
  lrgd_decision held =
      lr_hidden_bound_decision(w, &w->found[0], LRGD_DECISION_KIND_HELD_BOUND);
  held.count = active - 1;
  lr_oracle_hold(o, held);
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
  /* the iterate is copied, as a method's points are freed with the method */
  lr_run_leave(run);
  if (w->surface.known && outcome == LRGD_OUTCOME_STALLED)
    return end_at_surface(w);
  if (w->count == 0) return LR_END;
  if (outcome != LRGD_OUTCOME_CONVERGED && outcome != LRGD_OUTCOME_STALLED)
    return LR_END;
  lr_hidden_begin_at(w, run->at.x, run->record.best_f);
  size_t active = find_active(w);
  if (active == 0) return LR_END;
  lrgd_certificate known = run->claim.certificate;
  run->claim.certificate = (lrgd_certificate){0};
  /* a budget may end the run here */
  LR_TRY(check_end(w, active, &lost, &gone));
  if (gone) return after_removal(w);
  if (lost) return end_at_bounds(w, active, ended);
  run->claim.certificate = known;
  return outcome == LRGD_OUTCOME_STALLED ? lr_oracle_stall(o, stall, ended)
                                         : lr_oracle_end(o, outcome, ended);
}
