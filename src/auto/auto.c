/* `auto`: the default method, which needs no settings.
 *
 * The embedding minimises in a growing random subspace, at a cost that does not
 * depend on p.  Quasi-Newton in the span of gradients is for functions that are
 * not of low rank.  The embedding pauses from time to time; quasi-Newton then
 * takes a round from the start with a model of its own, and the embedding
 * continues only if it is ahead.  The progress of quasi-Newton's rounds is
 * kept.
 *
 * With bounds the embedding works in coordinates that are mapped into the box;
 * a minimum found in these is checked without the map.  Quasi-Newton may begin
 * with an interpolation phase (trust region on function values) in the box.
 *
 * The order of the phases is the transition table in schedule.h, from which the
 * flow chart of docs/auto.md is drawn; this file follows it. */
#include "solver/methods.h"

#include "auto/auto_phases.h"
#include "auto/replay.h"

#include <math.h>

#define STATE(name, action, words) name,
#define ACTION(name, action, words) [name] = action,
#define ROW(from, event, to, words) {from, LR_EVENT_##event, to},

typedef enum state { LR_AUTO_STATES(STATE) STATES } state;

static const lr_auto_fn actions[STATES] = {LR_AUTO_STATES(ACTION)};

static const struct {
  state from;
  lr_event event;
  state to;
} transitions[] = {LR_AUTO_TRANSITIONS(ROW)};

static state next(state from, lr_event event)
{
  for (size_t i = 0; i < sizeof transitions / sizeof transitions[0]; i++) {
    lr_event listed = transitions[i].event;
    if (transitions[i].from == from &&
        (listed == event || listed == LR_EVENT_OTHERWISE))
      return transitions[i].to;
  }
  return STALLED;
}

/* The embedding could not evaluate f at its first points. */
static lr_event without_value(lr_run *run)
{
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_EMBEDDING_ENDED,
                                     .cause = LRGD_CAUSE_START_UNEVALUABLE});
  return LR_EVENT_UNEVALUABLE;
}

/* Follows the transition table until the run ends. */
static lr_code follow(lr_auto *a, state at)
{
  for (;;) {
    lr_event event = LR_EVENT_OTHERWISE;
    lr_code code = actions[at](a, &event);
    bool starts = !isnan(a->run->record.start_f);
    if (code == LR_NOVALUE && at < OPENING && starts)
      event = without_value(a->run);
    else
      LR_TRY(code);
    at = next(at, event);
  }
}

/* Runs the phases; starts them again, inside the bound, whenever a hidden bound
 * was met. */
static lr_code run_from(lr_run *run, state first)
{
  lr_auto a;
  lr_hidden_bounds hidden;
  lr_code code = LR_GO;
  lr_run_tell_unused(run);
  LR_TRY(lr_replay(run, lr_method_quasi_newton));
  lr_hidden_bounds_open(&hidden, run);
  do {
    bool again = code == LR_AGAIN;
    if (again) lr_hidden_bounds_enter(&hidden);
    code = lr_auto_open(&a, run, &hidden, again);
    if (code == LR_GO) code = follow(&a, again ? OPENING : first);
    lr_auto_close(&a);
    if (code == LR_END) code = lr_hidden_bounds_check(&hidden);
  } while (code == LR_AGAIN);
  lr_hidden_bounds_close(&hidden);
  if (code != LR_NOVALUE) return code;
  return lr_oracle_end(
      &run->oracle, LRGD_OUTCOME_FAILED,
      (lrgd_decision){.kind = isnan(run->record.start_f)
                                  ? LRGD_DECISION_KIND_START_FAILED
                                  : LRGD_DECISION_KIND_POINT_FAILED});
}

lr_code lr_method_auto(lr_run *run)
{
  return run_from(run, START);
}

lr_code lr_method_quasi_newton(lr_run *run)
{
  return run_from(run, OPENING);
}
