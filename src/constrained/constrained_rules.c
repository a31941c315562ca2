/* Decisions of runs with limits on outputs. */
#include "constrained/constrained_rules.h"

#include <math.h>

bool lr_con_in_axes(const lr_policy *P, size_t p, bool bounded)
{
  return (double)p <= (bounded ? P->con_axes_bounded : P->con_axes);
}

double lr_con_first_radius(const lr_policy *P, double p)
{
  return P->con_radius * sqrt(p);
}

double lr_con_size(const lr_policy *P, double start)
{
  return start > P->con_no_size ? start : 1;
}

double lr_con_size_in_box(const lr_policy *P, double start, double half)
{
  double size = lr_con_size(P, start);
  if (!(half > 0) || isinf(half)) return size;
  if (half <= P->con_box_wide * size) return half;
  double mean = sqrt(half * size);
  return start > P->con_no_size ? fmin(mean, P->con_box_widest * size) : mean;
}

bool lr_con_is_negligible(const lr_policy *P, double first, double size)
{
  return first < P->con_scale_negligible * size;
}

double lr_con_supported_slope(const lr_policy *P, double model, double seen)
{
  return fmin(model, seen / P->con_angle);
}

double lr_con_weight(const lr_policy *P, double slope, double scale)
{
  return 1 / fmax(slope, P->con_weight_floor * scale);
}

bool lr_con_has_floor(const lr_policy *P, size_t n)
{
  return (double)n > P->con_floor;
}

double lr_con_lowered(const lr_policy *P, double floor)
{
  return P->con_floor_falls * floor;
}

double lr_con_difference(const lr_policy *P, double radius)
{
  return P->con_difference * radius;
}

bool lr_con_leaves_too_much(const lr_policy *P, double left, double least,
                            double here, double small)
{
  return left > least + P->con_penalty_leaves * fmax(here - least, 0) + small;
}

double lr_con_raised(const lr_policy *P, double penalty)
{
  return P->con_penalty_rise * penalty;
}

bool lr_con_violation_falls(const lr_policy *P, double fall, double here,
                            double radius)
{
  return fall > P->con_infeasible_slope * fmin(radius, 1) * here;
}

bool lr_con_is_infeasible(const lr_policy *P, size_t stuck)
{
  return (double)stuck >= P->con_infeasible_steps;
}

bool lr_con_is_poor(const lr_policy *P, double ratio)
{
  return !(ratio >= P->con_reject);
}

double lr_con_next_radius(const lr_policy *P, double radius, double ratio,
                          double length)
{
  bool longer = ratio > P->con_accept && length > P->con_boundary;
  return longer ? P->con_grow * radius : radius;
}

double lr_con_shrunk(const lr_policy *P, double radius)
{
  return P->con_shrink * radius;
}

double lr_con_short_radius(const lr_policy *P, double radius, double length)
{
  return fmax(P->con_shrink_short, 2 * length) * radius;
}

bool lr_con_is_short(const lr_policy *P, double length)
{
  return length < P->con_short;
}

bool lr_con_too_small(const lr_policy *P, double radius, double first)
{
  return radius < P->con_smallest * first / P->con_radius;
}

bool lr_con_takes_direction(const lr_policy *P, double outside, double inside)
{
  return outside > P->con_new_direction * inside;
}

bool lr_con_may_certify(const lr_policy *P, double slope, double tol,
                        size_t looks)
{
  return slope <= P->con_certify * tol && (double)looks < P->con_looks;
}

double lr_con_probe(const lr_policy *P)
{
  return P->con_probe;
}

double lr_con_reached(const lr_policy *P)
{
  return P->con_reached;
}

double lr_con_angle(const lr_policy *P)
{
  return P->con_angle;
}

double lr_con_near(const lr_policy *P)
{
  return P->con_near;
}

double lr_con_far(const lr_policy *P, bool axes)
{
  return axes ? P->con_far : P->con_far_subspace;
}

double lr_con_first_penalty(const lr_policy *P)
{
  return P->con_penalty;
}
