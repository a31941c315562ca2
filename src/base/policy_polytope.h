/* Rows of the policy for linear equations within bounds (src/polytope and
 * auto/polytope_method.c). */
#ifndef LR_POLICY_POLYTOPE_H
#define LR_POLICY_POLYTOPE_H

/* clang-format off */

#define LR_POLICY_POLYTOPE(X) \
  X(polytope_pairs, 40, "pairs", \
    "of steps and gradient changes that the limited-memory BFGS model keeps: " \
    "time and memory grow with their number", \
    "unit/polytope-rules") \
  X(polytope_secant_noise, 4, "x error of |g|", \
    "a smaller change of the gradient is no curvature: no BFGS update", \
    "unit/polytope-rules") \
  X(damped_bfgs, 0.2, "share", \
    "of s'Bs, to which s'y is raised where it is smaller (Powell's damped BFGS)", \
    "unit/polytope-rules") \
  X(first_scale_range, 1000, "times", \
    "that the first pair may raise or lower the scale of the model: its change " \
    "of the gradient may be error", \
    "unit/polytope-rules") \
  X(polytope_cg_steps, 60, "steps", \
    "of conjugate gradients on one face, or p: the model has at most 81 " \
    "distinct curvatures, most of them close to others", \
    "unit/polytope-rules") \
  X(polytope_cg_residual, 1e-5, "x first projected gradient", \
    "of the model, at which conjugate gradients end on a face", \
    "unit/polytope-rules") \
  X(polytope_faces, 30, "faces", \
    "that the minimisation of the model visits", \
    "unit/polytope-rules") \
  X(polytope_residual, 1e-4, "x first projected gradient", \
    "of the model, at which its minimisation ends", \
    "unit/polytope-rules") \
  X(invisible_decrease, 8, "x error of f", \
    "a smaller predicted decrease cannot be seen: a step then need only not " \
    "raise f", \
    "unit/polytope-rules") \
  X(interior_points, 8, "points", \
    "of the polytope, nearest to random ones, whose mean is its interior point", \
    "unit/polytope-rules") \
  X(degenerate_first, 1e-6, "share", \
    "of the way to the interior point, at which the gradient of a degenerate " \
    "point is measured first", \
    "unit/polytope-rules") \
  X(degenerate_grow, 8, "x distance", \
    "the next one where there is no room for differences", \
    "unit/polytope-rules") \
  X(degenerate_last, 0.125, "share", \
    "of the way to the interior point, the longest distance", \
    "unit/polytope-rules") \
  X(basis_pivot, 1e-6, "x largest entry possible", \
    "a smaller pivot would amplify errors of differences by its reciprocal: " \
    "the point counts as degenerate", \
    "unit/polytope-rules") \
  X(dual_slope, 0.1, "x first slope", \
    "of the dual, to which a line search of the projection reduces it", \
    "unit/polytope-rules") \
  X(rows_dependent, 1e-10, "share", \
    "of a row of A outside the others, below which it depends on them: " \
    "rounding errors are some 1e-16 each, amplified by the condition number", \
    "unit/polytope-rules") \
  X(rows_contradict, 1e-8, "x size of the terms", \
    "by which a dependent equation may miss its right-hand side", \
    "unit/polytope-rules") \
  X(rows_infeasible, 1e-9, "x size of x", \
    "by which the nearest point of the box may miss the equations", \
    "unit/polytope-rules") \
  X(probe_distance, 0.1, "x size of x", \
    "from the iterate to the point whose projection on the polytope gives a " \
    "random direction with room along it", \
    "unit/polytope-rules")

/* clang-format on */

#endif
