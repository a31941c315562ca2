/* The schedule of `auto`: the reasons for which phases hand back, the states,
 * the events they end with, the transitions, and the decision after the
 * embedding.
 *
 * docs/images/auto.svg is drawn from the lists below (tools/flowchart), and
 * auto.c follows them.  A rule by which phases switch is written here and in
 * the action of its state; its number is in base/policy.h. */
#ifndef LR_SCHEDULE_H
#define LR_SCHEDULE_H

#include "base/policy.h"

#include <lrgd/lrgd.h>
#include <stdbool.h>

/* clang-format off */

/* Why a phase handed back: X(why, the cause that a decision records, what it
 * means). */
#define LR_WHYS(X) \
  X(NOTHING,     NONE,              "the phase goes on") \
  X(BUDGET,      COST_EXCEEDED,     "the budget of the phase is spent") \
  X(CONVERGED,   SMALL_GRADIENT, \
    "the gradient is small in mapped coordinates") \
  X(STUCK,       NO_STEP, \
    "no step decreases f: converged to rounding or noise") \
  X(TAIL,        LOW_RANK_TAIL, \
    "the gradient outside V collapsed, then levelled off") \
  X(NO_FALL,     GRADIENT_OUTSIDE,  "the gradient outside V never collapsed") \
  X(HIGH_RANK,   HIGH_RANK, \
    "the estimated rank costs more than quasi-Newton") \
  X(NO_SIGN,     BUDGET, \
    "few dimensions or bounds, and no sign of low rank") \
  X(PAST_RANK,   RANK_EXCEEDED, \
    "more directions than the early rank estimate") \
  X(UNEVALUABLE, UNEVALUABLE_STEPS, \
    "f cannot be evaluated where the minima lie") \
  X(FULL,        DIRECTIONS_USED, \
    "V has as many directions as are allowed")

/* clang-format on */

typedef enum lr_why {
#define LR_WHY(why, cause, words) LR_WHY_##why,
  LR_WHYS(LR_WHY)
#undef LR_WHY
} lr_why;

/* The event a state ended with. */
typedef enum lr_event {
  LR_EVENT_OTHERWISE, /* any event without a row of its own */
  LR_EVENT_SUITS,     /* the next phase suits the problem */
  LR_EVENT_WIDE,      /* evaluations come in rounds, without bounds */
  LR_EVENT_WIDE_BOX,  /* evaluations come in rounds, in a box */
  LR_EVENT_BOX,       /* a box whose start may be a poor one */
  LR_EVENT_PAUSED,    /* the embedding's budget is spent */
  LR_EVENT_PAYS,      /* the embedding is ahead of quasi-Newton */
  /* converged in coordinates that are mapped into the box */
  LR_EVENT_CONVERGED,
  LR_EVENT_STUCK,      /* no step decreases f */
  LR_EVENT_MODEL_KEPT, /* the embedding's model is worth keeping */
  LR_EVENT_REFUSED,    /* f has no value at the start, but at other points */
  LR_EVENT_NOT_STATIONARY, /* the gradient is large inside the bounds */
  LR_EVENT_DESCENDS,       /* quasi-Newton can decrease f from here */
  LR_EVENT_FOUND,          /* a lower point was found */
  LR_EVENT_NOISY,          /* f is noisy */
  LR_EVENT_UNEVALUABLE     /* f has no value at the points that a state needs */
} lr_event;

/* clang-format off */

/* X(state, action, what it does).  Those before OPENING use the embedding. */
#define LR_AUTO_STATES(X) \
  X(START,             lr_auto_start,              "choose the first phase") \
  X(WIDE_EMBEDDING,    lr_auto_embed_wide, \
    "embedding, a round at a time") \
  X(WIDE_DESCENT,      lr_auto_descend_wide, \
    "survey of the box, then quasi-Newton, a round at a time") \
  X(BOX_OPENING,       lr_auto_open_box, \
    "steps by a Gaussian process, if the start is poor") \
  X(EMBEDDING,         lr_auto_embed, \
    "minimise in a random subspace that grows") \
  X(COMPARISON,        lr_auto_compare, \
    "a round of quasi-Newton from the start") \
  X(STATIONARITY,      lr_auto_check_stationarity, \
    "measure the gradient where it is stuck") \
  X(BOUND_CHECK,       lr_auto_check_bounds, \
    "certify its minimum without the map into the box") \
  X(TIGHTER_EMBEDDING, lr_auto_tighten, \
    "go on to a smaller gradient") \
  X(CONTINUED_MODEL,   lr_auto_continue_model, \
    "quasi-Newton with the embedding's model") \
  X(NEW_START,         lr_auto_move_start, \
    "move the start to the lowest point seen") \
  X(OPENING,           lr_auto_choose_opening, \
    "from here on without the embedding") \
  X(INTERPOLATION,     lr_auto_interpolate, \
    "trust region on interpolated values") \
  X(FROM_FOUND,        lr_auto_descend_from_found, \
    "quasi-Newton from the lower point") \
  X(FROM_START,        lr_auto_descend_from_start, \
    "quasi-Newton from the start, with a budget") \
  X(QUASI_NEWTON,      lr_auto_descend,            "in the span of gradients") \
  X(STALLED,           lr_auto_stall, \
    "no step decreases f: the run ends")

/* X(state, event, next state, words on the arrow).  {name} is a number of the
 * policy.  The last row of a state is OTHERWISE. */
#define LR_AUTO_TRANSITIONS(X) \
  X(START,             WIDE,           WIDE_EMBEDDING, \
    "width >= {wide_least_width}, values") \
  X(START,             WIDE_BOX,       WIDE_DESCENT, \
    "the same in a box") \
  X(START,             BOX,            BOX_OPENING, \
    "bounds, values, p up to {surrogate_most_dimension}") \
  X(START,             SUITS,          EMBEDDING, \
    "p >= {embedding_dimension}, no gradient") \
  X(START,             OTHERWISE,      OPENING,           "otherwise") \
  X(WIDE_EMBEDDING,    MODEL_KEPT,     EMBEDDING,         "the rank is low") \
  X(WIDE_EMBEDDING,    SUITS,          EMBEDDING,         "f is noisy") \
  X(WIDE_EMBEDDING,    NOISY,          OPENING, \
    "f is noisy, p < {embedding_dimension}") \
  X(WIDE_EMBEDDING,    OTHERWISE,      WIDE_DESCENT,      "otherwise") \
  X(WIDE_DESCENT,      FOUND,          FROM_FOUND,        "a lower point") \
  X(WIDE_DESCENT,      OTHERWISE,      OPENING,           "otherwise") \
  X(BOX_OPENING,       FOUND,          OPENING,           "a lower point") \
  X(BOX_OPENING,       SUITS,          EMBEDDING, \
    "p >= {embedding_dimension}") \
  X(BOX_OPENING,       OTHERWISE,      OPENING,           "otherwise") \
  X(EMBEDDING,         PAUSED,         COMPARISON, \
    "its budget is spent") \
  X(EMBEDDING,         REFUSED,        NEW_START, \
    "no value at the start") \
  X(EMBEDDING,         CONVERGED,      BOUND_CHECK, \
    "converged, with bounds") \
  X(EMBEDDING,         STUCK,          STATIONARITY, \
    "no step decreases f") \
  X(EMBEDDING,         MODEL_KEPT,     CONTINUED_MODEL, \
    "the model predicts well") \
  X(EMBEDDING,         OTHERWISE,      OPENING,           "otherwise") \
  X(COMPARISON,        PAYS,           EMBEDDING, \
    "the embedding is ahead") \
  X(COMPARISON,        REFUSED,        NEW_START, \
    "no value at the start") \
  X(COMPARISON,        OTHERWISE,      OPENING,           "otherwise") \
  X(STATIONARITY,      DESCENDS,       CONTINUED_MODEL, \
    "f can be decreased") \
  X(STATIONARITY,      OTHERWISE,      OPENING,           "otherwise") \
  X(BOUND_CHECK,       NOT_STATIONARY, TIGHTER_EMBEDDING, \
    "the gradient is large") \
  X(BOUND_CHECK,       OTHERWISE,      OPENING,           "otherwise") \
  X(TIGHTER_EMBEDDING, UNEVALUABLE,    OPENING,           "no value") \
  X(TIGHTER_EMBEDDING, OTHERWISE,      BOUND_CHECK,       "otherwise") \
  X(CONTINUED_MODEL,   NOISY,          STALLED,           "f is noisy") \
  X(CONTINUED_MODEL,   OTHERWISE,      OPENING,           "otherwise") \
  X(NEW_START,         OTHERWISE,      OPENING,           "then") \
  X(OPENING,           SUITS,          INTERPOLATION, \
    "p <= {small_dimension}; {dfo_least_dimension} to {dfo_most_dimension} in a box") \
  X(OPENING,           OTHERWISE,      QUASI_NEWTON,      "otherwise") \
  X(INTERPOLATION,     FOUND,          FROM_FOUND,        "a lower point") \
  X(INTERPOLATION,     OTHERWISE,      QUASI_NEWTON,      "otherwise") \
  X(FROM_FOUND,        STUCK,          STALLED, \
    "no step decreases f at the minimum of the model") \
  X(FROM_FOUND,        NOISY,          FROM_START, \
    "no step decreases f, which is noisy") \
  X(FROM_FOUND,        OTHERWISE,      QUASI_NEWTON, \
    "no step decreases f") \
  X(FROM_START,        STUCK,          STALLED, \
    "no step decreases f, but it is lower") \
  X(FROM_START,        OTHERWISE,      QUASI_NEWTON,      "otherwise") \
  X(QUASI_NEWTON,      OTHERWISE,      STALLED,           "no step decreases f")

/* clang-format on */

/* What is known when the embedding has handed back. */
typedef struct lr_embedding_end_view {
  lr_why why;
  bool refused;     /* f has no value at the start */
  bool bounded;     /* the embedding's coordinates are mapped into a box */
  bool noisy;       /* f is noisy */
  bool spans;       /* it began with gradients that were known */
  double predicted; /* share of its predictions that were right */
} lr_embedding_end_view;

/* Whether the embedding's model is worth keeping, by the reason for its end and
 * the share of its predictions that were right. */
static inline bool lr_auto_keeps_model(const lr_policy *P, lr_why why,
                                       double predicted)
{
  return why == LR_WHY_TAIL ||
         (why == LR_WHY_NO_FALL && predicted > P->keep_model_no_fall) ||
         (why == LR_WHY_HIGH_RANK && predicted > P->keep_model_high_rank);
}

/* The event after the embedding.  Its model is kept after a collapse of the
 * gradient, or where f is quadratic. */
static inline lr_event lr_auto_after_embedding(const lr_policy *P,
                                               const lr_embedding_end_view *v)
{
  if (v->refused) return LR_EVENT_REFUSED;
  if (v->why == LR_WHY_CONVERGED) return LR_EVENT_CONVERGED;
  if (v->bounded) return LR_EVENT_OTHERWISE;
  if (v->why == LR_WHY_STUCK) return LR_EVENT_STUCK;
  bool kept = v->spans || lr_auto_keeps_model(P, v->why, v->predicted);
  return kept && !v->noisy ? LR_EVENT_MODEL_KEPT : LR_EVENT_OTHERWISE;
}

#endif
