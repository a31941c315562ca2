/* Decisions of the scheduler of `auto`: pure functions of observations and of
 * the policy.  Which phase follows is in schedule.h. */
#ifndef LR_AUTO_RULES_H
#define LR_AUTO_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* The largest number of directions of a model, the user allowing `allowed`:
 * memory stays O(p). */
size_t lr_auto_directions(const lr_policy *P, size_t allowed);

/* Whether p is large enough for an embedding; if not, a gradient is cheap. */
bool lr_auto_embeds(const lr_policy *P, double p);

/* The budget of the embedding's turn number `turn`, counted from 1. */
double lr_auto_turn(const lr_policy *P, double p, bool bounded, unsigned turn);

/* The highest value at which a run may end, the lowest value known being
 * `best`: noise and a share of the decrease from the start above that. */
double lr_auto_highest_end(const lr_policy *P, double start, double best,
                           double noise);

/* Whether the lowest point seen is lower than f by more than noise. */
bool lr_auto_is_above(const lr_policy *P, double f, double best, double noise);

/* The tolerance where the user gives none, from the first gradient. */
double lr_auto_tolerance(const lr_policy *P, double gradient);

/* The largest decrease of f that rounding errors of that size explain. */
double lr_auto_rounding(const lr_policy *P, double rounding);

/* Whether a point that was mapped into the box and back, and so moved by
 * `moved`, is the same point; scale: the size of x. */
bool lr_auto_same_point(const lr_policy *P, double moved, double scale);

/* Whether the embedding continues after so many failed checks of its minimum
 * under bounds. */
bool lr_auto_checks_again(const lr_policy *P, unsigned checks);

/* The budget of a second descent from the start, after so many evaluations. */
double lr_auto_second_start(const lr_policy *P, double evaluations);

/* A method run on known evaluations alone, from the first of them. */
typedef struct lr_replay_view {
  double recalled, p;
  double first, lowest, reached;
} lr_replay_view;

/* Whether the known evaluations were made by this method: it asked for a good
 * part of a gradient, all known, and reached a good part of the known
 * decrease. */
bool lr_auto_replays(const lr_policy *P, const lr_replay_view *v);

/* The gradient where the embedding is stuck, and the decrease it allows. */
typedef struct lr_stuck_view {
  /* an upper bound on |g|, and the error of |g| by differences */
  double bound, error;
  double first;     /* |g|^2 at the start; 0: not known */
  double gain;      /* decrease that such a gradient predicts */
  double curvature; /* the mean of the curvatures along V */
  double noise;
} lr_stuck_view;

typedef enum lr_stuck {
  /* the curvature is an artefact of noise, so that nothing follows */
  LR_STUCK_MEANINGLESS,
  LR_STUCK_GOES_ON, /* quasi-Newton can decrease f from here */
  LR_STUCK_FOR_GOOD /* differences cannot tell the gradient from zero */
} lr_stuck;

lr_stuck lr_auto_stuck(const lr_policy *P, const lr_stuck_view *v);

#endif
