/* Decisions of the phases that evaluate by rounds: pure functions of
 * observations and of the policy. */
#ifndef LR_WIDE_RULES_H
#define LR_WIDE_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether rounds are wide enough, and p large enough, for these phases. */
bool lr_wide_suits(const lr_policy *P, size_t width, double p);

/* Trial length number i in units of the radius: 1, 1/2, 2, 1/4, 4, ... */
double lr_wide_length(size_t i);

/* How many trial lengths a round has, `places` of its points being free. */
size_t lr_wide_lengths(const lr_policy *P, size_t places);

/* The places that n values leave free in the last of their rounds; a whole
 * round where they leave none. */
size_t lr_wide_left(size_t width, size_t n);

/* Whether a step with the decrease `fall` is accepted like the best one, whose
 * decrease is `most`; share: a row of the policy. */
bool lr_wide_accepts(double share, double fall, double most);

/* The radius after a round without a decrease, whose shortest step was `least`
 * radii long; step: the length of the first step. */
double lr_wide_shrunk(const lr_policy *P, double least, double radius,
                      double step);

/* Whether a step is far enough from another one to be worth a trial of its
 * own. */
bool lr_wide_differs(const lr_policy *P, double distance, double step);

/* Whether so many consecutive rounds without a decrease end the phase. */
bool lr_wide_fails(const lr_policy *P, unsigned rounds);

/* Whether a step has about the length of the radius; and whether it is too long
 * for it. */
bool lr_wide_matches(const lr_policy *P, double step, double radius);
bool lr_wide_exceeds(const lr_policy *P, double step, double radius);

/* ---- stream.c: the model of an embedding, by rounds ---- */

/* The step of the second differences that determine the model. */
double lr_stream_step(const lr_policy *P, double scale);

/* How many points of a round are minima that the model predicts (landings);
 * the others extend the model. */
size_t lr_stream_landings(const lr_policy *P, size_t width);

/* The trust-region radius for a model that has no minimum. */
double lr_stream_far(const lr_policy *P, double scale, double p);

/* Whether a landing with the predicted decrease `promised` is worth an
 * evaluation. */
bool lr_stream_lands(const lr_policy *P, double promised, double gained);

/* Whether the subspace is complete, by the shares of curvature of its last two
 * columns that earlier columns do not explain. */
bool lr_stream_complete(const lr_policy *P, double last, double before);

/* Whether an embedding would cost too much in p dimensions: k columns, with
 * this median of the last four unexplained shares, predict the rank. */
bool lr_stream_is_high(const lr_policy *P, double k, double median, double p);

/* Whether a high predicted rank ends the phase: the columns have cost so much
 * that a wrong prediction costs less than going on. */
bool lr_stream_too_dear(const lr_policy *P, double k, double median, double p);

/* Whether noise makes up a share of second differences that hides the rank. */
bool lr_stream_is_noise(const lr_policy *P, double noise, double step,
                        double curvature);

/* The largest number of columns, the user allowing `allowed`. */
size_t lr_stream_most(const lr_policy *P, size_t allowed);

/* ---- inside the subspace ---- */

/* The step of differences: of first ones alone, or with the second ones of the
 * Hessian. */
double lr_inside_step(const lr_policy *P, double scale, bool hessian);

/* Whether the k first differences at the predicted landing are measured in the
 * round of the landing: it holds them and three lengths; or, where the last
 * predicted landing was taken, them and the landing; or the last of several
 * rounds has places for three lengths. */
bool lr_inside_speculates(size_t width, size_t k, bool predicts);

/* Whether the Hessian of k directions is measured too, in rounds that already
 * hold `lengths` steps and k first differences. */
bool lr_inside_measures(const lr_policy *P, size_t width, size_t lengths,
                        size_t k);

/* The points of a round where evaluations end in any order. */
size_t lr_inside_places(const lr_policy *P, size_t width);

/* Whether the symmetric rank-one update is safe. */
bool lr_inside_suits_sr1(const lr_policy *P, double us, double u, double s);

/* Whether the predicted decrease is not worth another round. */
bool lr_inside_ends(const lr_policy *P, double promised, double gained,
                    double level);

/* ---- quasi-Newton ---- */

/* The first trust-region radius. */
double lr_wide_first_radius(const lr_policy *P, double scale);

/* The radius after an accepted step, whose length is `length` times the last
 * radius. */
double lr_wide_grown(const lr_policy *P, double radius, double length,
                     double step);

/* Whether the curvature between the last steps has changed, by the norms of the
 * skew-symmetric and the symmetric part of the H that they determine. */
bool lr_wide_changes(const lr_policy *P, double skew, double symmetric);

/* The least curvature assumed in the span of the steps. */
double lr_wide_least_curvature(const lr_policy *P, double largest);

/* Whether the gradient at the predicted landing is measured in the same round
 * as the steps. */
bool lr_wide_is_ahead(const lr_policy *P, size_t width, double p);

/* Whether a window of rounds has ended with too small a decrease. */
bool lr_wide_creeps(const lr_policy *P, size_t rounds, double lately,
                    double gained);

/* How many of the n values of a gradient, or of the steps, are not waited for,
 * where evaluations end in any order. */
size_t lr_wide_late(const lr_policy *P, size_t width, size_t n, bool steps);

/* ---- the survey of a box ---- */

/* Whether rounds are wide enough for a survey, and p small enough. */
bool lr_survey_suits(const lr_policy *P, size_t width, double p);

/* The ridge added to the kernel's diagonal for a point at that distance, in
 * radii. */
double lr_survey_ridge(const lr_policy *P, double distance);

/* How many points of a round of the survey are minima that the model predicts
 * (landings), for trust regions of several radii. */
size_t lr_survey_landings(const lr_policy *P, size_t width);

/* Whether the radius is too small for a survey. */
bool lr_survey_is_fine(const lr_policy *P, double radius);

/* The radius after a round: by the actual decrease relative to the predicted
 * one, the length `step` of the best landing, and the width relative to p. */
double lr_survey_radius(const lr_policy *P, double radius, double gain,
                        double promised, bool landing, double step,
                        double width, double p);

/* The step for lr_survey_radius where a landing ends a generation before the
 * others have come: a short step does not reduce the radius, and one that
 * brings nearly the predicted decrease doubles it. */
double lr_survey_early_step(const lr_policy *P, double gain, double promised,
                            double step, double radius);

/* In a subspace of k directions, where evaluations end in any order: the values
 * after which progress is judged, and how many more a survey may use. */
size_t lr_survey_window(const lr_policy *P, size_t width, size_t k);
size_t lr_survey_extra_room(const lr_policy *P, size_t width);

/* Whether the last 2 p values have brought too small a decrease. */
bool lr_survey_ends(const lr_policy *P, double lately, double gained);

#endif
