/* Rows of the policy for src/model: the quadratic model in a subspace, its
 * searches and its steps in a box. */
#ifndef LR_POLICY_MODEL_H
#define LR_POLICY_MODEL_H

/* clang-format off */

#define LR_POLICY_MODEL(X) \
  X(curvature_floor, 1e-9, "x largest curvature", \
    "a smaller one counts as this: Newton's step has an end along it", \
    "unit/model-rules") \
  X(curvature_known, 1e-3, "x largest curvature", \
    "a smaller one is what secant updates left there, and not measured", \
    "unit/model-rules") \
  X(secant_noise, 2, "x error", \
    "of a change of slopes: a smaller change teaches the model nothing", \
    "unit/model-rules") \
  X(secant_steepest, 10, "x largest curvature", \
    "seen so far; where a BFGS update would bring a larger one, f is not convex " \
    "along the step", \
    "unit/model-rules") \
  X(sr1_steepest, 2, "x largest curvature", \
    "an SR1 update that would change the Hessian by more is skipped", \
    "unit/model-rules") \
  X(misled_gain, 1e-10, "x total decrease", \
    "noise that is smaller cannot have misled the model", \
    "unit/model-rules") \
  X(model_trials, 12, "trials", \
    "of lengths in one search; each changes the length by a factor", \
    "unit/model-rules") \
  X(search_growth, 2.5, "x length", \
    "the next trial where the parabola has no minimum", \
    "unit/model-rules") \
  X(search_wolfe, 10, "x length", \
    "where a trial costs a gradient, the minimum of the parabola may be so far: " \
    "the slope is then below 0.9 of the first (Wolfe)", \
    "unit/model-rules") \
  X(search_patience, 2, "trials", \
    "after which a search is content with less", \
    "unit/model-rules") \
  X(search_loose, 2, "x length", \
    "the minimum of the parabola may then be so far", \
    "unit/model-rules") \
  X(cliff_rise, 1000, "x |slope| t", \
    "a trial that rises by more, and by more than all that was gained, met a " \
    "cliff: no smooth f does so", \
    "unit/model-rules") \
  X(leap, 4, "x longest step", \
    "that decreased f so far: a step without a trusted model is no longer", \
    "unit/model-rules") \
  X(leap_bounded, 10, "x longest step", \
    "the same in a box, where nothing is far away", \
    "unit/model-rules") \
  X(prediction_error, 0.01, "x predicted decrease", \
    "a decrease that is off by less confirms the model", \
    "unit/model-rules") \
  X(prediction_noise, 2, "x noise", \
    "that is added to this: the difference of two values", \
    "unit/model-rules") \
  X(curvature_signal, 20, "x error of f", \
    "a larger second difference measures the curvature", \
    "unit/model-rules") \
  X(curvature_grow, 4, "x step", \
    "the next step where it is smaller", \
    "unit/model-rules") \
  X(curvature_retreat, 0.0625, "x step", \
    "the next step where f cannot be evaluated there", \
    "unit/model-rules") \
  X(curvature_left, 0.3, "share", \
    "of the step that bounds must leave", \
    "unit/model-rules") \
  X(trace_signal, 200, "x error of f", \
    "the second difference to expect where the trace of the Hessian is measured", \
    "unit/model-rules") \
  X(column_move, 3e-4, "x way from the start", \
    "over the root of k: a new direction is followed at least so far, for " \
    "differences of slopes to be accurate", \
    "unit/model-rules") \
  X(column_noise, 6, "x root of error of f over curvature", \
    "the same for noise and rounding of values", \
    "unit/model-rules") \
  X(column_ceiling, 100, "x error of f", \
    "above the start and the base; a step along a new direction that leads " \
    "higher is too long", \
    "unit/model-rules") \
  X(column_shortest, 1e-3, "x step", \
    "the next step then is no shorter", \
    "unit/model-rules") \
  X(column_curvature, 0.05, "x expected curvature", \
    "where there is less along a new direction, a line search follows it", \
    "unit/model-rules") \
  X(step_rounding, 1e-7, "x step", \
    "a smaller part of a step may be rounding", \
    "unit/model-rules") \
  X(qp_faces, 30, "faces", \
    "of the box that the minimisation of the model visits", \
    "unit/model-rules") \
  X(qp_residual, 1e-6, "x first projected gradient", \
    "of the model, at which it ends", \
    "unit/model-rules") \
  X(face_rank, 1e-8, "x |v|^2", \
    "a direction of V of which a face leaves less is not in the face", \
    "unit/model-rules") \
  X(face_free, 1e-3, "x |v|", \
    "a direction of which bounds leave less is not measured", \
    "unit/model-rules") \
  X(face_correct, 1e-2, "x |v|^2", \
    "a combination of directions of which bounds leave less does not correct " \
    "the gradient: errors would be amplified", \
    "unit/model-rules") \
  X(face_change, 10, "times", \
    "that the measured part of a change of the gradient may be stronger or " \
    "weaker than the model's, for the rest to be scaled by it", \
    "unit/model-rules") \
  X(column_least, 1e-12, "length", \
    "of a step along a new direction, where nothing else is known", \
    "unit/model-rules") \
  X(curvature_rounding, 1e-15, "x |f|", \
    "the error of values in the first step along which curvature is measured", \
    "unit/model-rules") \
  X(curvature_least_f, 1e-8, "|f|", \
    "counts at least in that, so that the step is not 0 where f is", \
    "unit/model-rules") \
  X(outside_floor, 1e-6, "x largest curvature", \
    "in V; the curvature outside V is at least this, in a box", \
    "unit/model-rules")

/* clang-format on */

#endif
