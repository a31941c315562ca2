/* Which phase of `auto` runs where: decisions that are functions of what was
 * seen and of the policy, and of nothing else. */
#ifndef LR_AUTO_RULES_H
#define LR_AUTO_RULES_H

#include "auto/phase.h"
#include "base/policy.h"

/* What a state ended with.  The scheduler maps it to the next state. */
typedef enum lr_event {
  LR_EVENT_OTHERWISE,      /* whatever has no row of its own */
  LR_EVENT_SUITS,          /* the next phase suits the problem */
  LR_EVENT_PAUSED,         /* the embedding's budget is spent */
  LR_EVENT_PAYS,           /* the embedding is ahead of quasi-Newton */
  LR_EVENT_CONVERGED,      /* in coordinates that are mapped into the box */
  LR_EVENT_STUCK,          /* no step decreases f */
  LR_EVENT_MODEL_KEPT,     /* the embedding's model is worth going on with */
  LR_EVENT_REFUSED,        /* f has no value at the start, but elsewhere */
  LR_EVENT_NOT_STATIONARY, /* the gradient is large inside the bounds */
  LR_EVENT_DESCENDS,       /* quasi-Newton can decrease f from here */
  LR_EVENT_FOUND,          /* a lower point */
  LR_EVENT_NOISY           /* f is */
} lr_event;

/* Directions that a model may have, `allowed` by the user: memory stays O(p).
 */
size_t lr_auto_directions(const lr_policy *P, size_t allowed);

/* Whether p is large enough for an embedding: else a gradient is cheap. */
bool lr_auto_embeds(const lr_policy *P, double p);

/* The budget of the embedding's turn number `turn`, from 1 on. */
double lr_auto_turn(const lr_policy *P, double p, bool bounded, unsigned turn);

/* The embedding has handed back, for good or because it does not pay. */
typedef struct lr_embedding_end_view {
  lr_why why;
  bool refused;     /* f has no value at the start */
  bool bounded;     /* the embedding's coordinates are mapped into a box */
  bool noisy;       /* f is */
  double predicted; /* share of its predictions that were right */
} lr_embedding_end_view;

/* What follows.  The embedding's model is worth keeping after a collapse of the
 * gradient, or where f is quadratic. */
lr_event lr_auto_after_embedding(const lr_policy *P,
                                 const lr_embedding_end_view *v);

/* The highest value at which a run may end, the lowest value known being
 * `best`: noise and a share of the decrease from the start above that. */
double lr_auto_highest_end(const lr_policy *P, double start, double best,
                           double noise);

/* Whether the lowest point seen is lower than f by more than noise. */
bool lr_auto_is_above(const lr_policy *P, double f, double best, double noise);

/* The tolerance where the user gives none, from the first gradient. */
double lr_auto_tolerance(const lr_policy *P, double gradient);

/* A decrease of f that a rounding error of that size explains. */
double lr_auto_rounding(const lr_policy *P, double rounding);

/* Whether a point that was mapped into the box and back is the same, having
 * moved so far, at a scale of x. */
bool lr_auto_same_point(const lr_policy *P, double moved, double scale);

/* Whether the embedding goes on after so many checks of its minimum under
 * bounds have failed. */
bool lr_auto_checks_again(const lr_policy *P, unsigned checks);

/* The budget of a second descent from the start, after so many evaluations. */
double lr_auto_second_start(const lr_policy *P, double evaluations);

/* A run on known evaluations alone, from the first of them: how many values it
 * asked for that are known, and the values at the first, the lowest, and the
 * lowest that it reached. */
typedef struct lr_replay_view {
  double recalled, p;
  double first, lowest, reached;
} lr_replay_view;

/* Whether that run is the one that was known: it asked for a good part of a
 * gradient, and came a good part of the way down. */
bool lr_auto_replays(const lr_policy *P, const lr_replay_view *v);

/* The gradient where the embedding is stuck, and what it could still bring. */
typedef struct lr_stuck_view {
  double bound, error; /* on |g|, and of |g| by differences */
  double first;        /* |g|^2 at the start; 0: not known */
  double gain;         /* decrease that such a gradient predicts */
  double curvature;    /* mean, along V */
  double noise;
} lr_stuck_view;

typedef enum lr_stuck {
  LR_STUCK_MEANINGLESS, /* noise has made up a curvature: nothing is known */
  LR_STUCK_GOES_ON,     /* quasi-Newton can decrease f from here */
  LR_STUCK_FOR_GOOD     /* differences cannot tell the gradient from zero */
} lr_stuck;

lr_stuck lr_auto_stuck(const lr_policy *P, const lr_stuck_view *v);

#endif
