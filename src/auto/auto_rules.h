/* Decisions within the phases of `auto`: functions of what was seen and of the
 * policy, and of nothing else.  Which phase follows is in schedule.h. */
#ifndef LR_AUTO_RULES_H
#define LR_AUTO_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Directions that a model may have, `allowed` by the user: memory stays O(p).
 */
size_t lr_auto_directions(const lr_policy *P, size_t allowed);

/* Whether p is large enough for an embedding: else a gradient is cheap. */
bool lr_auto_embeds(const lr_policy *P, double p);

/* The budget of the embedding's turn number `turn`, from 1 on. */
double lr_auto_turn(const lr_policy *P, double p, bool bounded, unsigned turn);

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
