/* Decisions about moves that all methods share: functions of what was seen and
 * of the policy, and of nothing else. */
#ifndef LR_SOLVER_RULES_H
#define LR_SOLVER_RULES_H

#include "base/policy.h"

#include <stdbool.h>

/* Whether a move that led to no gradient may be halved once more. */
bool lr_solver_halves(const lr_policy *P, int halvings);

/* Whether f is linear along so many moves in a row that left the gradient as
 * it was. */
bool lr_solver_is_linear(const lr_policy *P, int moves);

/* How many times as far ahead the next point along a linear f is. */
double lr_solver_farther(const lr_policy *P);

/* Whether a sample point that has no gradient may be drawn nearer once more. */
bool lr_solver_resamples(const lr_policy *P, int halvings);

/* Whether a gradient of that norm, small in the subspace, has a part outside it
 * that is more than the error of the norm. */
bool lr_solver_misses(const lr_policy *P, double norm, double error);

#endif
