/* Decisions of the scheduler of `auto`. */
#include "auto/auto_rules.h"

#include <math.h>

size_t lr_auto_directions(const lr_policy *P, size_t allowed)
{
  size_t most = (size_t)P->model_directions;
  return allowed < most ? allowed : most;
}

bool lr_auto_embeds(const lr_policy *P, double p)
{
  return p >= P->embedding_dimension;
}

double lr_auto_turn(const lr_policy *P, double p, bool bounded, unsigned turn)
{
  double evaluations = P->pause_evaluations * p;
  if (!bounded) evaluations = fmax(evaluations, P->pause_least);
  return evaluations * turn;
}

double lr_auto_highest_end(const lr_policy *P, double start, double best,
                           double noise)
{
  return best + (P->end_noise * noise + P->end_share * (start - best));
}

bool lr_auto_is_above(const lr_policy *P, double f, double best, double noise)
{
  return noise > 0 && f > best + P->above_noise * noise;
}

lr_stuck lr_auto_stuck(const lr_policy *P, const lr_stuck_view *v)
{
  bool noisy = v->noise > 0;
  double errors = noisy ? P->stuck_errors_noisy : P->stuck_errors;
  if (v->first > 0 && v->bound > P->stuck_steeper * sqrt(v->first))
    return LR_STUCK_MEANINGLESS;
  bool gains =
      !(noisy && v->curvature > 0 && v->gain < P->stuck_gain * v->noise);
  return v->bound > errors * v->error && gains ? LR_STUCK_GOES_ON
                                               : LR_STUCK_FOR_GOOD;
}

double lr_auto_tolerance(const lr_policy *P, double gradient)
{
  return P->default_tolerance * gradient;
}

double lr_auto_rounding(const lr_policy *P, double rounding)
{
  return P->rounding_decrease * rounding;
}

bool lr_auto_same_point(const lr_policy *P, double moved, double scale)
{
  return moved <= P->map_rounding * scale;
}

bool lr_auto_checks_again(const lr_policy *P, unsigned checks)
{
  return checks < P->bound_checks;
}

bool lr_auto_replays(const lr_policy *P, const lr_replay_view *v)
{
  return v->recalled >= P->replay_recalled * v->p &&
         v->first - v->reached >= P->replay_descent * (v->first - v->lowest);
}

double lr_auto_second_start(const lr_policy *P, double evaluations)
{
  return P->second_start * evaluations;
}
