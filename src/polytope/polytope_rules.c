/* Decisions where A x = b holds within bounds. */
#include "polytope/polytope_rules.h"

#include <math.h>

size_t lr_polytope_pairs(const lr_policy *P, size_t p)
{
  size_t most = (size_t)P->polytope_pairs;
  return p < most ? p : most;
}

bool lr_polytope_learns(const lr_policy *P, double change, double error)
{
  return change > P->polytope_secant_noise * error;
}

double lr_polytope_damping(const lr_policy *P, double sBs, double sy)
{
  if (sy >= P->damped_bfgs * sBs) return 1;
  return (1 - P->damped_bfgs) * sBs / (sBs - sy);
}

double lr_polytope_scale(const lr_policy *P, double scale, double yy, double sy)
{
  double range = P->first_scale_range;
  return fmin(fmax(yy / sy, 1 / range * scale), range * scale);
}

size_t lr_polytope_cg_steps(const lr_policy *P, size_t p)
{
  size_t most = (size_t)P->polytope_cg_steps;
  return p < most ? p : most;
}

bool lr_polytope_cg_goes_on(const lr_policy *P, double square, double first)
{
  double least = P->polytope_cg_residual * first;
  return square > least * least;
}

bool lr_polytope_visits(const lr_policy *P, int faces, double norm,
                        double first)
{
  return faces < P->polytope_faces && norm > P->polytope_residual * first;
}

bool lr_polytope_accepts(const lr_policy *P, double f0, double t, double slope,
                         double error, double f)
{
  if (-t * slope < P->invisible_decrease * error) return f <= f0 + error;
  return f <= f0 + P->armijo * t * slope;
}

size_t lr_polytope_interior(const lr_policy *P)
{
  return (size_t)P->interior_points;
}

bool lr_polytope_next_share(const lr_policy *P, double *share)
{
  *share = *share > 0 ? P->degenerate_grow * *share : P->degenerate_first;
  return *share <= P->degenerate_last;
}

bool lr_polytope_pivots(const lr_policy *P, double entry)
{
  return entry > P->basis_pivot;
}

double lr_polytope_far(const lr_policy *P, double size)
{
  return P->probe_distance * size;
}

int lr_polytope_dual(const lr_policy *P, double slope, double first)
{
  return slope < -P->dual_slope * first ? -1 : slope > P->dual_slope * first;
}

/* ---- equations ---- */

bool lr_polytope_depends(const lr_policy *P, double part, double norm)
{
  return !(fabs(part) > P->rows_dependent * norm);
}

bool lr_polytope_contradicts(const lr_policy *P, double missed, double size)
{
  return fabs(missed) > P->rows_contradict * size;
}

bool lr_polytope_infeasible(const lr_policy *P, double missed, double size)
{
  return missed > P->rows_infeasible * size;
}
