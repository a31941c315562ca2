/* Decisions of line searches and step rules. */
#include "step/step_rules.h"

#include <math.h>

bool lr_search_falls(const lr_policy *P, double f0, double t, double slope,
                     double noise, double f)
{
  return f <= f0 + P->armijo * t * slope + noise;
}

bool lr_search_is_flat(const lr_policy *P, double slope, double slope0)
{
  return fabs(slope) <= P->wolfe * fabs(slope0);
}

bool lr_search_is_near(const lr_policy *P, double t, double least)
{
  return least >= P->search_near_least * t && least <= P->search_near_most * t;
}

double lr_search_next(const lr_policy *P, double t, double least, bool falls)
{
  double most = falls ? P->search_longest : P->search_backtrack;
  return fmin(fmax(least, P->search_shortest * t), most * t);
}

double lr_search_beyond(const lr_policy *P, double t)
{
  return P->search_longest * t;
}

double lr_search_within(const lr_policy *P, double low, double width, double t)
{
  double a = low + P->zoom_margin * width;
  double b = low + (1 - P->zoom_margin) * width;
  return fmin(fmax(t, fmin(a, b)), fmax(a, b));
}

double lr_step_retreat(const lr_policy *P, double t)
{
  return P->retreat * t;
}

double lr_step_grown(const lr_policy *P, double t)
{
  return P->backtracking_grow * t;
}

bool lr_secant_is_convex(const lr_policy *P, double sy, double s, double y)
{
  return sy > P->secant_convex * s * y;
}

double lr_adam_length(const lr_policy *P, double length, int *waited)
{
  if (!(*waited >= P->adam_patience)) return length;
  *waited = 0;
  return P->adam_shrink * length;
}
