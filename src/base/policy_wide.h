/* Rows of the policy for src/wide: rounds of W evaluations. */
#ifndef LR_POLICY_WIDE_H
#define LR_POLICY_WIDE_H

/* clang-format off */

#define LR_POLICY_WIDE(X) \
  X(wide_least_width, 3, "evaluations", \
    "in a round: with two, the phases for one at a time take as few rounds, " \
    "and fewer evaluations", \
    "unit/wide-rules") \
  X(wide_least_dimension, 16, "dimensions", \
    "below, a gradient by differences fits into a round or two", \
    "unit/wide-rules") \
  X(wide_lengths, 8, "steps", \
    "of different lengths that are tried in one round", \
    "unit/wide-rules") \
  X(wide_inside_accept, 0.5, "share", \
    "of the decrease by the best length: from there on the predicted landing, " \
    "whose derivatives came in the same round, is accepted in a subspace", \
    "unit/wide-rules") \
  X(wide_accept, 0.3, "share", \
    "the same, where derivatives along all inputs have come", \
    "unit/wide-rules") \
  X(wide_apart, 0.02, "x step", \
    "by which the steps of two lengths must differ to be tried both", \
    "unit/wide-rules") \
  X(wide_failures, 6, "rounds", \
    "in a row that decrease nothing, before the phases that follow take over", \
    "unit/wide-rules") \
  X(wide_radius_match, 0.08, "x radius", \
    "by which a step in a box may miss its length", \
    "unit/wide-rules") \
  X(wide_shrink, 0.25, "x step", \
    "the radius after a round in which no length decreased f", \
    "unit/wide-rules") \
  X(stream_step, 3e-4, "x scale of x", \
    "of second differences: longer ones would see third derivatives as rank", \
    "unit/wide-rules") \
  X(stream_tail, 1e-3, "share", \
    "of a column's curvature that the earlier columns leave: two such columns " \
    "in a row show that the subspace is complete", \
    "unit/wide-rules") \
  X(stream_estimate, 6, "columns", \
    "from which on these shares estimate the rank", \
    "unit/wide-rules") \
  X(stream_patience, 0.2, "x p evaluations", \
    "that entries may cost before an estimated rank ends their stream", \
    "unit/wide-rules") \
  X(stream_price, 2, "x p evaluations", \
    "that the columns may cost by the estimated rank", \
    "unit/wide-rules") \
  X(stream_landing, 0.05, "share", \
    "of the decrease so far that a landing must promise", \
    "unit/wide-rules") \
  X(stream_landing_places, 8, "places", \
    "of a round for each landing in it", \
    "unit/wide-rules") \
  X(stream_landings, 3, "landings", \
    "in a round at most: the minimum, half and a quarter of the step", \
    "unit/wide-rules") \
  X(stream_far, 0.1, "x scale of x, all inputs moved", \
    "the first trust region where the curvature is negative", \
    "unit/wide-rules") \
  X(stream_most, 80, "directions", \
    "at most: their pairs are as many values as a long descent", \
    "unit/wide-rules") \
  X(inside_step, 3e-4, "x scale of x", \
    "of the second differences of a Hessian inside the subspace", \
    "unit/wide-rules") \
  X(inside_slope_step, 1e-5, "x scale of x", \
    "of first differences without a Hessian: the error of the model's " \
    "curvature times half this step is an error of the gradient", \
    "unit/wide-rules") \
  X(inside_hessian, 2, "rounds", \
    "in which a Hessian is measured: where it takes more, secant updates pay", \
    "unit/wide-rules") \
  X(inside_rounds, 3, "x width", \
    "of points that are evaluated together where they end in any order", \
    "unit/wide-rules") \
  X(inside_sr1, 0.01, "share", \
    "of |u| |s| that |u's| must be for a rank-one update: else Powell's", \
    "unit/wide-rules") \
  X(inside_end, 1e-12, "share", \
    "of the decrease so far: a smaller one is left to accurate differences", \
    "unit/wide-rules") \
  X(wide_memory, 12, "steps", \
    "whose changes of the gradient make the model of quasi-Newton", \
    "unit/wide-rules") \
  X(wide_first_radius, 0.3, "x scale of x", \
    "the first trust region of quasi-Newton, of which the first round tries " \
    "many multiples", \
    "unit/wide-rules") \
  X(wide_independent, 1e-4, "share", \
    "of a step outside the span of newer ones: less tells rounding", \
    "unit/wide-rules") \
  X(wide_least_curvature, 1e-6, "x largest curvature", \
    "in the span of the steps, which bounds how long a step becomes", \
    "unit/wide-rules") \
  X(wide_skew, 0.1, "x symmetric part", \
    "of the curvature between the last steps, from which on it changes, and " \
    "is made by BFGS updates", \
    "unit/wide-rules") \
  X(wide_grow, 1.2, "x step", \
    "the radius after a step shorter than the predicted one", \
    "unit/wide-rules") \
  X(wide_ahead, 6, "width per p", \
    "from 1/6 on a gradient takes few rounds, and the one at the predicted " \
    "landing is measured together with other lengths", \
    "unit/wide-rules") \
  X(wide_window, 8, "rounds", \
    "of quasi-Newton after which progress is judged", \
    "unit/wide-rules") \
  X(wide_least_gain, 1e-6, "share", \
    "of the whole decrease: less in a window of rounds is left to the phases " \
    "that follow", \
    "unit/wide-rules") \
  X(wide_late, 0.1, "share", \
    "of the differences of a gradient that are not waited for where " \
    "evaluations end in any order: the model predicts them", \
    "unit/wide-rules") \
  X(wide_late_steps, 0.5, "share", \
    "of the steps of a round that are not waited for, where one of the others " \
    "decreases f", \
    "unit/wide-rules") \
  X(survey_most_dimension, 200, "dimensions", \
    "above, the dense systems of the survey cost more than evaluations do", \
    "unit/wide-rules") \
  X(survey_landing_places, 4, "places", \
    "of a round for each landing in it", \
    "unit/wide-rules") \
  X(survey_landings, 4, "landings", \
    "in a round at most", \
    "unit/wide-rules") \
  X(survey_last_radius, 1e-6, "share", \
    "of half the box: values that near are differences", \
    "unit/wide-rules") \
  X(survey_least_ridge, 1e-6, "x", \
    "what the model may miss of the nearest values, squared: the system stays " \
    "definite", \
    "unit/wide-rules") \
  X(survey_linear, 10, "x", \
    "weight of linear terms beside quadratic ones in the least change of the " \
    "model", \
    "unit/wide-rules") \
  X(survey_ridge, 0.1, "x (distance / radius)^3", \
    "how much the model may miss a value: far ones tell little", \
    "unit/wide-rules") \
  X(survey_spread, 0.8, "x radius", \
    "how far from the landing the other points of a round are", \
    "unit/wide-rules") \
  X(survey_gain, 0.1, "x predicted decrease", \
    "from which on a round is a success", \
    "unit/wide-rules") \
  X(survey_window, 4, "x width", \
    "values beside two for each direction after which a survey in a subspace " \
    "is judged, where evaluations end in any order", \
    "unit/wide-rules") \
  X(survey_longest, 200, "x width", \
    "values beyond those of interpolation that a survey may use where " \
    "evaluations end in any order", \
    "unit/wide-rules") \
  X(survey_trust, 0.7, "x predicted decrease", \
    "that a landing brings before the others have come: the radius is doubled", \
    "unit/wide-rules") \
  X(survey_least_gain, 2e-3, "share", \
    "of the whole decrease: 2 p values that bring less end the survey", \
    "unit/wide-rules")

/* clang-format on */

#endif
