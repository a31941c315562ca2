/* Decisions about moves that all methods share. */
#include "solver/solver_rules.h"

#include <float.h>
#include <math.h>

bool lr_solver_halves(const lr_policy *P, int halvings)
{
  return halvings < P->move_halvings;
}

bool lr_solver_is_linear(const lr_policy *P, int moves)
{
  return moves >= P->linear_moves;
}

bool lr_solver_same_gradient(const lr_policy *P, double now, double before)
{
  return fabs(now - before) <= P->linear_rounding * now;
}

double lr_solver_farther(const lr_policy *P)
{
  return P->linear_factor;
}

bool lr_solver_resamples(const lr_policy *P, int halvings)
{
  return halvings < P->sample_halvings;
}

bool lr_solver_misses(const lr_policy *P, double norm, double error)
{
  return norm > P->missing_errors * error;
}

double lr_solver_chance(const lr_policy *P, double size, double descent,
                        double noise)
{
  double rounding = P->lowest_rounding * DBL_EPSILON * (size + descent);
  return fmax(rounding,
              fmin(P->lowest_noise * noise, P->lowest_descent * descent));
}

bool lr_solver_is_neighbour(const lr_policy *P, double away, double h,
                            double lower, double descent)
{
  const double rounding = 1e-9; /* the distance is known up to rounding */
  return away <= P->lowest_steps * h * (1 + rounding) ||
         lower <= P->lowest_negligible * descent;
}

bool lr_solver_is_beside(const lr_policy *P, double away, double size)
{
  return away <= P->beside * size;
}

double lr_solver_default_tolerance(const lr_policy *P, double grad_norm)
{
  return P->default_tolerance * grad_norm;
}

double lr_solver_first_gradient(const lr_policy *P, double tolerance)
{
  return tolerance / P->default_tolerance;
}

bool lr_solver_is_above(const lr_policy *P, double f, double best, double noise)
{
  return f > best + P->above_noise * noise;
}

double lr_solver_check_step(const lr_policy *P, double size)
{
  return P->check_step * size;
}

double lr_solver_check_error(const lr_policy *P, double size, double noise,
                             double t)
{
  return (P->check_roundings * DBL_EPSILON * size + P->check_noise * noise) / t;
}

bool lr_solver_contradicts(const lr_policy *P, double told, double ahead,
                           double behind, double error)
{
  double measured = 0.5 * (ahead + behind);
  double larger = fmax(fabs(told), fabs(measured));
  double slope = fmax(larger, fmax(fabs(ahead), fabs(behind)));
  bool smooth = fabs(ahead - behind) <= P->contradiction * slope + error;
  return smooth && fabs(measured - told) > P->contradiction * larger + error;
}
