/* Decisions about hidden constraints. */
#include "hidden/hidden_rules.h"

#include <math.h>

/* ---- hidden bounds ---- */

bool lr_hidden_is_due(const lr_policy *P, int refused)
{
  return refused % (int)P->hidden_refused == 0;
}

bool lr_hidden_goes_on(const lr_policy *P, int in_vain)
{
  return in_vain < P->hidden_in_vain;
}

bool lr_hidden_suggests_surface(const lr_policy *P, int signs)
{
  return signs >= P->hidden_surface_signs;
}

double lr_hidden_farther(const lr_policy *P, double distance)
{
  return P->hidden_farther * distance;
}

bool lr_hidden_fails_again(const lr_policy *P, int trials)
{
  return trials < P->hidden_farther_trials;
}

size_t lr_hidden_most_inputs(const lr_policy *P, size_t p)
{
  double most = fmin(P->hidden_inputs_share * (double)p, P->hidden_inputs_most);
  return most >= 1 ? (size_t)most : 1;
}

bool lr_hidden_is_located(const lr_policy *P, double width, double distance)
{
  return fabs(width) < P->hidden_accuracy * fabs(distance);
}

/* ---- hidden surfaces ---- */

bool lr_surface_ends(const lr_policy *P, int fruitless)
{
  return fruitless >= P->surface_fruitless;
}

bool lr_surface_tries(const lr_policy *P, int steps)
{
  return steps < P->surface_steps;
}

double lr_surface_first(const lr_policy *P, double t)
{
  return P->surface_first_cut * t;
}

bool lr_surface_is_located(const lr_policy *P, double good, double bad)
{
  return !(bad - good > P->surface_accuracy * bad);
}

bool lr_surface_looks_inside(const lr_policy *P, int trials)
{
  return trials < P->surface_inside_trials;
}

double lr_surface_excess(const lr_policy *P, double along, double length,
                         double room)
{
  return along + P->surface_margin * length - room;
}

double lr_surface_room(const lr_policy *P, double length)
{
  return P->surface_margin * length;
}

double lr_normal_step(const lr_policy *P, double distance)
{
  return P->normal_step * distance;
}

double lr_normal_reach(const lr_policy *P, double h)
{
  return P->normal_reach * h;
}

double lr_normal_farther(const lr_policy *P, double reach)
{
  return P->normal_grow * reach;
}

bool lr_normal_tries(const lr_policy *P, int trials)
{
  return trials < P->normal_trials;
}

bool lr_normal_is_located(const lr_policy *P, double width, double h)
{
  return !(width > P->normal_accuracy * P->surface_margin * h);
}

bool lr_normal_has_middle(const lr_policy *P, double width, double distance)
{
  return !(width > P->normal_accuracy_first * P->surface_margin * distance);
}

bool lr_normal_agrees(const lr_policy *P, double ratio)
{
  return ratio > P->normal_least && ratio < P->normal_most;
}

bool lr_normal_gained(const lr_policy *P, double decrease, double total)
{
  return decrease > P->normal_gain * total;
}

bool lr_normal_is_off(const lr_policy *P, double distance, double error)
{
  return fabs(distance) > P->normal_errors * error;
}

double lr_multiplier_next(const lr_policy *P, double multiplier)
{
  return P->multiplier_grow * multiplier;
}

bool lr_multiplier_tries(const lr_policy *P, int trials)
{
  return trials < P->multiplier_trials;
}

bool lr_multiplier_halves(const lr_policy *P, int halvings)
{
  return halvings < P->multiplier_halvings;
}

bool lr_surface_differs(const lr_policy *P, double difference, double length)
{
  return difference > P->surface_new_step * length;
}

bool lr_surface_falls(const lr_policy *P, double predicted, double total,
                      double error)
{
  return predicted > fmax(P->surface_gain * total, error);
}
