/* `auto`: the default method, which needs no settings.
 *
 * The embedding minimises in a growing random subspace, at a cost that does not
 * depend on p.  Quasi-Newton in the span of gradients is for functions that are
 * not of low rank.  The embedding pauses from time to time, quasi-Newton takes
 * a round from the start with a model of its own, and the embedding goes on
 * only if it is ahead.  Quasi-Newton's rounds are kept.
 *
 * With bounds the embedding works in coordinates that are mapped into the box;
 * a minimum that it finds there is checked without the map.  Quasi-Newton may
 * open with interpolation by values in the box.
 *
 * This file defines the order of the phases; the table below is the flow chart.
 */
#include "solver/methods.h"

#include "auto/auto_phases.h"
#include "auto/replay.h"

#include <math.h>

typedef enum state {
  START,
  EMBEDDING,
  COMPARISON,   /* one round of quasi-Newton while the embedding pauses */
  STATIONARITY, /* the gradient where the embedding is stuck */
  BOUND_CHECK,  /* the embedding's minimum without the map into the box */
  TIGHTER_EMBEDDING,
  CONTINUED_MODEL, /* quasi-Newton with the embedding's model */
  NEW_START,
  OPENING, /* from here on without the embedding */
  INTERPOLATION,
  FROM_FOUND, /* quasi-Newton where interpolation ended */
  FROM_START, /* quasi-Newton from the start, for a limited time */
  QUASI_NEWTON,
  STALLED,
  STATES
} state;

static const lr_auto_fn actions[STATES] = {
    [START] = lr_auto_start,
    [EMBEDDING] = lr_auto_embed,
    [COMPARISON] = lr_auto_compare,
    [STATIONARITY] = lr_auto_check_stationarity,
    [BOUND_CHECK] = lr_auto_check_bounds,
    [TIGHTER_EMBEDDING] = lr_auto_tighten,
    [CONTINUED_MODEL] = lr_auto_continue_model,
    [NEW_START] = lr_auto_move_start,
    [OPENING] = lr_auto_choose_opening,
    [INTERPOLATION] = lr_auto_interpolate,
    [FROM_FOUND] = lr_auto_descend_from_found,
    [FROM_START] = lr_auto_descend_from_start,
    [QUASI_NEWTON] = lr_auto_descend,
    [STALLED] = lr_auto_stall};

/* clang-format off */
static const struct {
  state from;
  lr_event event;
  state to;
} transitions[] = {
  {START,             LR_EVENT_SUITS,          EMBEDDING},
  {START,             LR_EVENT_OTHERWISE,      OPENING},
  {EMBEDDING,         LR_EVENT_PAUSED,         COMPARISON},
  {EMBEDDING,         LR_EVENT_REFUSED,        NEW_START},
  {EMBEDDING,         LR_EVENT_CONVERGED,      BOUND_CHECK},
  {EMBEDDING,         LR_EVENT_STUCK,          STATIONARITY},
  {EMBEDDING,         LR_EVENT_MODEL_KEPT,     CONTINUED_MODEL},
  {EMBEDDING,         LR_EVENT_OTHERWISE,      OPENING},
  {COMPARISON,        LR_EVENT_PAYS,           EMBEDDING},
  {COMPARISON,        LR_EVENT_REFUSED,        NEW_START},
  {COMPARISON,        LR_EVENT_OTHERWISE,      OPENING},
  {STATIONARITY,      LR_EVENT_DESCENDS,       CONTINUED_MODEL},
  {STATIONARITY,      LR_EVENT_OTHERWISE,      OPENING},
  {BOUND_CHECK,       LR_EVENT_NOT_STATIONARY, TIGHTER_EMBEDDING},
  {BOUND_CHECK,       LR_EVENT_OTHERWISE,      OPENING},
  {TIGHTER_EMBEDDING, LR_EVENT_OTHERWISE,      BOUND_CHECK},
  {CONTINUED_MODEL,   LR_EVENT_NOISY,          STALLED},
  {CONTINUED_MODEL,   LR_EVENT_OTHERWISE,      OPENING},
  {NEW_START,         LR_EVENT_OTHERWISE,      OPENING},
  {OPENING,           LR_EVENT_SUITS,          INTERPOLATION},
  {OPENING,           LR_EVENT_OTHERWISE,      QUASI_NEWTON},
  {INTERPOLATION,     LR_EVENT_FOUND,          FROM_FOUND},
  {INTERPOLATION,     LR_EVENT_OTHERWISE,      QUASI_NEWTON},
  {FROM_FOUND,        LR_EVENT_NOISY,          FROM_START},
  {FROM_FOUND,        LR_EVENT_OTHERWISE,      QUASI_NEWTON},
  {FROM_START,        LR_EVENT_STUCK,          STALLED},
  {FROM_START,        LR_EVENT_OTHERWISE,      QUASI_NEWTON},
  {QUASI_NEWTON,      LR_EVENT_OTHERWISE,      STALLED},
};
/* clang-format on */

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

/* Follows the table until the run ends.  Where the embedding cannot evaluate f
 * at its first points, quasi-Newton opens. */
static lr_code follow(lr_auto *a, state at)
{
  for (;;) {
    lr_event event = LR_EVENT_OTHERWISE;
    lr_code code = actions[at](a, &event);
    if (code == LR_NOVALUE && at < OPENING && !isnan(a->run->record.start_f)) {
      lr_run_decide(a->run,
                    (lrgd_decision){.kind = LRGD_DECISION_KIND_EMBEDDING_ENDED,
                                    .cause = LRGD_CAUSE_START_UNEVALUABLE});
      at = OPENING;
      continue;
    }
    LR_TRY(code);
    at = next(at, event);
  }
}

/* Begins again, inside a hidden bound, whenever one was met. */
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
