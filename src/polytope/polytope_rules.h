/* Decisions of the method for A x = b within bounds: pure functions of
 * observations and of the policy. */
#ifndef LR_POLYTOPE_RULES_H
#define LR_POLYTOPE_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- the limited-memory BFGS model ---- */

/* The number of pairs (s, y) that the model keeps in p dimensions. */
size_t lr_polytope_pairs(const lr_policy *P, size_t p);

/* Whether a change of the gradient of this norm is more than the error of its
 * norm. */
bool lr_polytope_learns(const lr_policy *P, double change, double error);

/* Powell's damping: y becomes keep y + (1 - keep) B s.  Returns keep, 1 where
 * s'y is large enough beside s'Bs. */
double lr_polytope_damping(const lr_policy *P, double sBs, double sy);

/* The scale of the model after its first pair. */
double lr_polytope_scale(const lr_policy *P, double scale, double yy,
                         double sy);

/* ---- the minimum of the model ---- */

/* The most steps of conjugate gradients on a face, in p dimensions. */
size_t lr_polytope_cg_steps(const lr_policy *P, size_t p);

/* Whether conjugate gradients continue at a residual with this square; first:
 * the norm of the projected gradient at their beginning. */
bool lr_polytope_cg_goes_on(const lr_policy *P, double square, double first);

/* Whether the model is minimised on another face, after so many; norm: of its
 * projected gradient. */
bool lr_polytope_visits(const lr_policy *P, int faces, double norm,
                        double first);

/* ---- equations ---- */

/* Whether a row of A with so large a part outside the others depends on them.
 */
bool lr_polytope_depends(const lr_policy *P, double part, double norm);

/* Whether an equation that depends on others contradicts them, missing its
 * right-hand side; size: of its terms. */
bool lr_polytope_contradicts(const lr_policy *P, double missed, double size);

/* Whether the nearest point of the box misses the equations. */
bool lr_polytope_infeasible(const lr_policy *P, double missed, double size);

/* ---- steps ---- */

/* Whether a step of length t along a direction with this slope, from f0 to f,
 * is accepted: Armijo's condition, where the decrease can be seen beside the
 * error of a difference of two values. */
bool lr_polytope_accepts(const lr_policy *P, double f0, double t, double slope,
                         double error, double f);

/* ---- differences ---- */

/* The number of random points whose projections are averaged for a point in the
 * interior. */
size_t lr_polytope_interior(const lr_policy *P);

/* The next distance from a degenerate point, as a share of the way to the
 * interior point; 0 before the first.  False: there is none. */
bool lr_polytope_next_share(const lr_policy *P, double *share);

/* Whether an entry is large enough to solve for its coordinate. */
bool lr_polytope_pivots(const lr_policy *P, double entry);

/* The distance from the iterate at which a random point is projected onto the
 * polytope, for a random feasible direction. */
double lr_polytope_far(const lr_policy *P, double size);

/* ---- projections ---- */

/* How the dual's slope along a step compares with the first: 1 it still rises
 * clearly, -1 it falls clearly, 0 it is about flat. */
int lr_polytope_dual(const lr_policy *P, double slope, double first);

#endif
