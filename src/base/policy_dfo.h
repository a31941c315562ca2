/* Rows of the policy for src/dfo: interpolation models in a trust region. */
#ifndef LR_POLICY_DFO_H
#define LR_POLICY_DFO_H

/* clang-format off */

#define LR_POLICY_DFO(X) \
  X(dfo_least_dimension, 24, "dimensions", \
    "below, a gradient by differences costs little more than a step", \
    "unit/dfo-rules") \
  X(dfo_most_dimension, 200, "dimensions", \
    "above, the matrices of the interpolation cost more than evaluations do", \
    "unit/dfo-rules") \
  X(small_dimension, 9, "dimensions", \
    "up to here a model has all the points that determine a quadratic, is made " \
    "without bounds too, and goes on to the end: a gradient with its line " \
    "search costs no less", \
    "unit/dfo-rules") \
  X(small_radius, 0.5, "x size of x", \
    "the first trust region along an input that has no box", \
    "unit/dfo-rules") \
  X(small_last_radius, 1e-4, "share", \
    "of the box or the size of x: few dimensions leave no coarser resolution to " \
    "gradients", \
    "unit/dfo-rules") \
  X(small_refine, 0.3, "x resolution", \
    "the next resolution in few dimensions", \
    "unit/dfo-rules") \
  X(small_far, 5, "x resolution", \
    "a point that is farther from the best gets a geometry step in few " \
    "dimensions, where a step costs little", \
    "unit/dfo-rules") \
  X(small_accuracy, 0.25, "x change", \
    "of f over a step of the resolution: where the last errors of the model are " \
    "smaller the resolution gets finer without geometry steps (BOBYQA)", \
    "unit/dfo-rules") \
  X(small_gain, 1e-10, "x decrease so far", \
    "a minimum of the model that promises less is left to gradients in few " \
    "dimensions: a gradient 1e-5 times the first", \
    "unit/dfo-rules") \
  X(small_longest, 30, "x (p + 1) evaluations", \
    "after which gradients take over in few dimensions", \
    "unit/dfo-rules") \
  X(dfo_longest, 30, "x p evaluations", \
    "after which gradients take over", \
    "unit/dfo-rules") \
  X(dfo_further, 3, "x p evaluations", \
    "after another opening; later gradients lead on faster than values do", \
    "unit/dfo-rules") \
  X(dfo_further_resolution, 0.3, "x radius", \
    "the resolution after another opening, whose radius is kept: its points are " \
    "at many distances", \
    "unit/dfo-rules") \
  X(dfo_first_radius, 0.25, "share", \
    "of the box: the first trust region, and how far apart the first points " \
    "are", \
    "unit/dfo-rules") \
  X(dfo_last_radius, 1e-3, "share", \
    "of the box: a finer resolution is left to gradients", \
    "unit/dfo-rules") \
  X(tr_accept, 0.1, "reduction ratio", \
    "from which a step counts as a success (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_extend, 0.7, "reduction ratio", \
    "above which the trust region may grow (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_grow, 2, "x step", \
    "the radius after a step that was predicted well (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_shrink, 0.5, "x radius", \
    "to which the trust region shrinks after a failure (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_snap, 1.5, "x resolution", \
    "a smaller radius is set to the resolution (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_short_step, 0.5, "x resolution", \
    "a shorter step is not evaluated: it tells too little (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_short_shrink, 0.1, "x radius", \
    "to which the trust region shrinks after such a step (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_failures, 3, "steps", \
    "in a row that fail at the resolution, before that gets finer (BOBYQA)", \
    "unit/dfo-rules") \
  X(tr_refine, 0.1, "x resolution", \
    "the next resolution (BOBYQA)", \
    "unit/dfo-rules") \
  X(geometry_far_radius, 2, "x radius", \
    "a point that is farther from the best gets a geometry step (BOBYQA)", \
    "unit/dfo-rules") \
  X(geometry_far_resolution, 10, "x resolution", \
    "the same, at least (BOBYQA)", \
    "unit/dfo-rules") \
  X(geometry_step, 0.1, "x distance", \
    "of the far point: how long a geometry step is at most (BOBYQA)", \
    "unit/dfo-rules") \
  X(dfo_singular_systems, 3, "times", \
    "in a row that no quadratic can be fitted, after which the phase ends", \
    "unit/dfo-rules") \
  X(dfo_early_gain, 0.015, "x earlier decrease", \
    "where the second half of the first p evaluations brings less, f is of low " \
    "rank, or the minimum is near: gradients pay more", \
    "unit/dfo-rules") \
  X(dfo_early_halved, 0.5, "x f", \
    "unless f fell below this share in that half: a sum of squares on its way " \
    "to 0", \
    "unit/dfo-rules") \
  X(dfo_steady, 0.5, "x decrease before", \
    "the next p evaluations bring at least this where f follows a valley", \
    "unit/dfo-rules") \
  X(dfo_steady_late, 0.7, "x decrease before", \
    "the same of the p evaluations after these", \
    "unit/dfo-rules") \
  X(dfo_late_gain, 0.05, "x first decrease", \
    "of p evaluations; where 2 p more bring less, and steadily, the iterates " \
    "creep along a valley: gradients pay more", \
    "unit/dfo-rules") \
  X(slope_power, 0.15, "power", \
    "of |df/dx_i| by which the first coordinates are scaled: one slope tells " \
    "little of the curvature", \
    "unit/dfo-rules") \
  X(curvature_power, 0.5, "power", \
    "of the diagonal of the Hessian by which coordinates are scaled later: all " \
    "then have about the same curvature", \
    "unit/dfo-rules") \
  X(scale_range, 5, "x mean scale", \
    "no scale is larger, or smaller than its reciprocal", \
    "unit/dfo-rules") \
  X(first_attempts, 4, "attempts", \
    "to evaluate f beside the start along an input", \
    "unit/dfo-rules") \
  X(first_ceiling, 1000, "x median change", \
    "a first value that is higher than the start by more counts as a failure", \
    "unit/dfo-rules") \
  X(value_ceiling, 1, "x range of first values", \
    "above the highest of these a later value counts as a failure: the model " \
    "could fit nothing else", \
    "unit/dfo-rules") \
  X(penalty_share, 0.5, "share", \
    "of the first values that equal the start where a program answers with a " \
    "penalty", \
    "unit/dfo-rules") \
  X(penalty_gap, 1e4, "x size of lower values", \
    "by which a penalty is above them", \
    "unit/dfo-rules") \
  X(separable_sum, 0.01, "x sum of decreases", \
    "a joint step decreases f by the sum to within this where f is separable, " \
    "and by another sum where it is not linear", \
    "unit/dfo-rules") \
  X(rising_share, 0.8, "share", \
    "of the first values that rise where they show curvature, not slopes", \
    "unit/dfo-rules") \
  X(system_far, 10, "x unit", \
    "the inverse of the interpolation matrix is computed afresh where the best " \
    "point or the radius is larger: it loses digits", \
    "unit/dfo-rules") \
  X(system_near, 0.1, "x unit", \
    "the same where the radius is smaller", \
    "unit/dfo-rules") \
  X(system_updates, 2, "x p updates", \
    "of rank two, after which it is computed afresh: roundings add up", \
    "unit/dfo-rules") \
  X(cg_residual, 1e-12, "x first |residual|^2", \
    "at which conjugate gradients end in the trust region", \
    "unit/dfo-rules") \
  X(arc_samples, 32, "angles", \
    "at which the model is sampled on an arc of the trust region's boundary", \
    "unit/dfo-rules") \
  X(arc_gain, 0.01, "x decrease so far", \
    "an arc along the boundary that brings less is the last one", \
    "unit/dfo-rules")

/* clang-format on */

#endif
