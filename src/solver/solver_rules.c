/* Decisions about moves that all methods share. */
#include "solver/solver_rules.h"

bool lr_solver_halves(const lr_policy *P, int halvings)
{
  return halvings < P->move_halvings;
}

bool lr_solver_is_linear(const lr_policy *P, int moves)
{
  return moves >= P->linear_moves;
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
