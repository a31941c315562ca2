/* Decisions of the phases that evaluate a round at a time: functions of what
 * was seen and of the policy, and of nothing else. */
#ifndef LR_WIDE_RULES_H
#define LR_WIDE_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether rounds are wide enough, and p large enough, for these phases. */
bool lr_wide_suits(const lr_policy *P, size_t width, double p);

/* Length number i as a multiple of the radius: 1, 1/2, 2, 1/4, 4, ... */
double lr_wide_length(size_t i);

/* How many lengths are tried, `places` being free in the round. */
size_t lr_wide_lengths(const lr_policy *P, size_t places);

/* Places that n values leave in the last of their rounds, and a whole round
 * where they leave none. */
size_t lr_wide_left(size_t width, size_t n);

/* Whether a step that lowers f by `fall` is as good as accepted, the best
 * length lowering it by `most`; share: a row of the policy. */
bool lr_wide_accepts(double share, double fall, double most);

/* The radius after a round in which the shortest step, `least` times the
 * radius, did not decrease f; step: the length of the first. */
double lr_wide_shrunk(const lr_policy *P, double least, double radius,
                      double step);

/* Whether a step differs enough from another to be tried beside it. */
bool lr_wide_differs(const lr_policy *P, double distance, double step);

/* Whether so many rounds in a row without a decrease are the end. */
bool lr_wide_fails(const lr_policy *P, unsigned rounds);

/* Whether a step is as long as the radius allows; whether it is too long. */
bool lr_wide_matches(const lr_policy *P, double step, double radius);
bool lr_wide_exceeds(const lr_policy *P, double step, double radius);

/* ---- the stream of entries ---- */

/* The step of its second differences. */
double lr_stream_step(const lr_policy *P, double scale);

/* Landings in a round of the stream. */
size_t lr_stream_landings(const lr_policy *P, size_t width);

/* The first trust region where the model has no minimum. */
double lr_stream_far(const lr_policy *P, double scale, double p);

/* Whether a landing that promises so much is worth a place. */
bool lr_stream_lands(const lr_policy *P, double promised, double gained);

/* Whether the subspace is complete: the shares of the last two columns that
 * the earlier ones leave. */
bool lr_stream_complete(const lr_policy *P, double last, double before);

/* Whether k columns, of whose last four shares this is the median, foretell a
 * rank whose columns cost too much in p dimensions. */
bool lr_stream_is_high(const lr_policy *P, double k, double median, double p);

/* The same, and the columns have cost so much that a mistake matters less. */
bool lr_stream_too_dear(const lr_policy *P, double k, double median, double p);

/* Whether noise makes up a share of second differences that hides the rank. */
bool lr_stream_is_noise(const lr_policy *P, double noise, double step,
                        double curvature);

/* The most columns. */
size_t lr_stream_most(const lr_policy *P, size_t allowed);

/* ---- inside the subspace ---- */

/* The step of differences: of first ones alone, or with the second ones of the
 * Hessian. */
double lr_inside_step(const lr_policy *P, double scale, bool hessian);

/* Whether the k first differences at the predicted landing are measured in the
 * round of the landing: it holds them and three lengths, or them and the
 * landing, where the last predicted landing was taken. */
bool lr_inside_speculates(size_t width, size_t k, bool predicts);

/* Whether a Hessian of k directions is measured in rounds that hold `lengths`
 * steps and k first differences already. */
bool lr_inside_measures(const lr_policy *P, size_t width, size_t lengths,
                        size_t k);

/* Whether the symmetric rank-one update is safe. */
bool lr_inside_suits_sr1(const lr_policy *P, double us, double u, double s);

/* Whether the predicted decrease is not worth a round here. */
bool lr_inside_ends(const lr_policy *P, double promised, double gained,
                    double level);

/* ---- quasi-Newton ---- */

/* The first trust region. */
double lr_wide_first_radius(const lr_policy *P, double scale);

/* The radius after an accepted step of that length, a multiple of the last
 * radius. */
double lr_wide_grown(const lr_policy *P, double radius, double length,
                     double step);

/* Whether the curvature between the last steps has changed: the sizes of the
 * skew and of the symmetric part of their H. */
bool lr_wide_changes(const lr_policy *P, double skew, double symmetric);

/* The least curvature in the span of the steps. */
double lr_wide_least_curvature(const lr_policy *P, double largest);

/* Whether the gradient at the predicted landing is measured with it. */
bool lr_wide_is_ahead(const lr_policy *P, size_t width, double p);

/* Whether a window of rounds has ended, and has brought too little. */
bool lr_wide_creeps(const lr_policy *P, size_t rounds, double lately,
                    double gained);

/* ---- the survey of a box ---- */

bool lr_survey_suits(const lr_policy *P, size_t width, double p);

/* The diagonal added to the kernel for a value at that distance, in radii. */
double lr_survey_ridge(const lr_policy *P, double distance);

/* Landings in a round of the survey. */
size_t lr_survey_landings(const lr_policy *P, size_t width);

/* Whether the radius is too small for a survey. */
bool lr_survey_is_fine(const lr_policy *P, double radius);

/* The radius after a round: whether the lowest value is below what the model
 * must reach, of a landing (step: its length), and the width beside p. */
double lr_survey_radius(const lr_policy *P, double radius, double gain,
                        double promised, bool landing, double step,
                        double width, double p);

/* Whether the last 2 p values have brought too little. */
bool lr_survey_ends(const lr_policy *P, double lately, double gained);

#endif
