/* What a least-squares run does next: decisions that are functions of numbers
 * and of the policy, and of nothing else. */
#ifndef LR_LEAST_SQUARES_RULES_H
#define LR_LEAST_SQUARES_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* The reach: how far from the start the first model may be trusted, p inputs
 * whose root mean square is `size` in scaled coordinates.  And the curvature
 * that makes the error there, c reach^2 / 2, the residuals' root mean square.
 */
double lr_ls_reach(const lr_policy *P, double p, double size);
double lr_ls_first_curvature(double reach, double rms);

/* The least curvature that is believed: noise / c must not overflow. */
double lr_ls_least_curvature(const lr_policy *P, double first);
/* The noise of residuals, the largest being `most`, that rounding is assumed to
 * make; and what it may make. */
double lr_ls_rounding_noise(const lr_policy *P, double most);
double lr_ls_rounding_most(const lr_policy *P, double most);

/* The length of a finite difference: truncation and noise harm alike. */
double lr_ls_difference(const lr_policy *P, double noise, double c,
                        double reach);

/* Whether a difference that did not change F may be longer, and how long. */
bool lr_ls_may_lengthen(const lr_policy *P, double t, double reach);
double lr_ls_lengthen(const lr_policy *P, double t, double reach);
/* Whether the largest residual, in units of the first ones, marks a point that
 * could not be evaluated. */
bool lr_ls_is_marker(const lr_policy *P, double largest);

/* The shortest difference that the rounding of inputs allows. */
double lr_ls_above_rounding(const lr_policy *P, double rounding);

/* The waves of which a correlated direction is the sum. */
size_t lr_ls_waves(const lr_policy *P);

/* Whether half the width of a box is the scale of an input of that size. */
bool lr_ls_is_scale(const lr_policy *P, double half, double size);

/* Of the last columns so many are looked at: is one of them new? */
size_t lr_ls_new_columns(const lr_policy *P);
/* Whether a column is new: its squared distance from the range of the others,
 * relative to what is expected of its uncertainty. */
bool lr_ls_is_new(const lr_policy *P, double distance2);
/* Whether one column tells that J has all of its range: that ratio, and the
 * expected square of the distance relative to the column's. */
bool lr_ls_is_saturated(const lr_policy *P, double distance2, double doubt);
/* Whether so many failures in a row end the search for new columns. */
bool lr_ls_gives_up_growing(const lr_policy *P, double failed);
/* The last columns that tell the size of another. */
size_t lr_ls_size_columns(const lr_policy *P);

/* Whether bounds leave enough of a difference of length t: its part outside V,
 * and its distance from where it should lead. */
bool lr_ls_wide(const lr_policy *P, double size, double t);
bool lr_ls_straight(const lr_policy *P, double off, double t);
/* Whether bounds hold so many of p inputs that J is measured along all axes. */
bool lr_ls_holds_many(const lr_policy *P, double held, double p);
/* Whether inputs are so few that J is measured along all axes first. */
bool lr_ls_few(const lr_policy *P, double p);
/* The curvature that is believed before the first step then. */
double lr_ls_first_guess(const lr_policy *P, double first);
/* Whether noise may be looked for there: steps in a row that have failed. */
bool lr_ls_may_listen(const lr_policy *P, bool few, double failures);
/* Up to how many directions, and of how many steps, curvature stays. */
size_t lr_ls_curved_directions(const lr_policy *P);
size_t lr_ls_curved_steps(const lr_policy *P);
/* Whether f falls beyond a bound: its slope away from the bound, and the
 * standard deviation of that. */
bool lr_ls_pushes(const lr_policy *P, double slope, double deviation);
/* Whether a step that bounds have bent leaves V. */
bool lr_ls_bent(const lr_policy *P, double outside, double length);

/* What is known before each evaluation. */
typedef struct lr_ls_view {
  double p, k;        /* inputs, directions */
  double f, promised; /* f at the base; the decrease that a step promises */
  double gain;        /* what the last columns added to that, on average */
  double since;       /* evaluations since the last new direction */
  bool is_new;        /* the last columns are outside the range of the others */
  bool saturated;     /* the last column is inside it, beyond doubt */
  bool by_axes;       /* bounds hold many: all of J is measured first */
  bool landed;        /* a step was tried already */
} lr_ls_view;

/* Whether a step promises too little to wait for what it brings. */
bool lr_ls_may_grow(const lr_policy *P, double promised, double f);
/* Whether a step comes next, and not a new direction. */
bool lr_ls_lands(const lr_policy *P, const lr_ls_view *v);
/* Whether a direction may have to be measured again before it; and whether the
 * one whose uncertainty costs that much is. */
bool lr_ls_may_refresh(const lr_policy *P, const lr_ls_view *v);
bool lr_ls_refreshes(const lr_policy *P, const lr_ls_view *v, double cost);

/* How far a new direction goes along with a step: 0, not at all.  left: norm of
 * the residuals expected, error: that of the error, size: of a column. */
double lr_ls_joint(const lr_policy *P, double left, double promised,
                   double error, double size);
bool lr_ls_joins(const lr_policy *P, double ratio);
/* Whether that is far enough to be told from rounding. */
bool lr_ls_joint_far(const lr_policy *P, double t, double reach);

/* What a step tells of the curvature of F: the one believed before it, the one
 * that its error shows, and the least that is believed; whether f fell, and
 * whether the base moved there. */
typedef struct lr_ls_landing {
  double before, seen, least;
  bool fell, moved;
  bool first; /* no step came before it */
} lr_ls_landing;
double lr_ls_curvature(const lr_policy *P, const lr_ls_landing *l);

/* The same after a step to where F cannot be evaluated; and once J was measured
 * anew. */
double lr_ls_shorten(const lr_policy *P, double c);
double lr_ls_trust_again(const lr_policy *P, double c);

/* The decrease over the last evaluations, as J's price counts them. */
typedef struct lr_ls_decrease {
  double price;     /* evaluations that J takes anew */
  double rate;      /* decrease of log f per evaluation ... */
  double last_rate; /* ... and what the last renewal brought; 0: none yet */
  double since;     /* evaluations since the last renewal, or all */
  double grown;     /* since it last grew as far as it could */
} lr_ls_decrease;
/* The evaluations over which the rate is measured. */
double lr_ls_window(const lr_policy *P, double price);
/* Whether J is measured anew. */
bool lr_ls_sweeps(const lr_policy *P, const lr_ls_decrease *d);
/* Whether a singular direction is measured then. */
bool lr_ls_matters(const lr_policy *P, double sigma, double largest);
/* Whether that is done at the start. */
bool lr_ls_returns(const lr_policy *P, double f, double first);
/* The variance of a column there, in units of c^2 reach^2: of one that was
 * measured there, or was not. */
double lr_ls_back(const lr_policy *P, bool known);

/* Whether a step was so poor that noise is looked for; and whether what was
 * measured is noise. */
bool lr_ls_doubts(const lr_policy *P, double ratio);
bool lr_ls_is_noise(const lr_policy *P, double sigma, double assumed,
                    double change);
/* Whether noise is looked for again: steps so far, and when it last was; the
 * reduction ratio of the last step. */
bool lr_ls_listens_again(const lr_policy *P, double landings, double listened,
                         double ratio);

/* A decrease of f that is none: rounding, or noise in so many numbers. */
double lr_ls_little(const lr_policy *P, double f, double numbers, double noise);

/* Whether the run has stalled: steps in a row without a decrease, times in a
 * row that nothing was promised. */
bool lr_ls_stalls(const lr_policy *P, double failures, double idle);
/* Whether so many failures in a row make J doubtful. */
bool lr_ls_distrusts(const lr_policy *P, double failures);

/* Whether a step with that reduction ratio has made f fall; and whether f fell
 * from one value to another, but for rounding. */
bool lr_ls_succeeds(const lr_policy *P, double ratio);
bool lr_ls_fell(const lr_policy *P, double from, double to);

/* Whether the estimated gradient is small enough for a certificate. */
bool lr_ls_certifies(const lr_policy *P, double gradient, double tol);
/* What it adds for uncertainty: to the gradient in V, given its standard
 * deviation and the error probability, and to a derivative along a new
 * direction. */
double lr_ls_certify_margin(const lr_policy *P, double deviation, double share);
double lr_ls_probe_margin(const lr_policy *P, double deviation);

/* Whether F bends so much more than is believed that differences are too long.
 */
bool lr_ls_bends_more(const lr_policy *P, double seen, double believed);
/* Whether noise makes the deviation of a line's middle from its ends: mean
 * squares of it, and of that on half of the line. */
bool lr_ls_is_rough(const lr_policy *P, double whole, double half);

/* Whether it is the gradient outside V that probes over all of space show: the
 * squares of derivatives, outside and everywhere. */
bool lr_ls_blames_outside(const lr_policy *P, double outside2, double all2);

/* Whether a singular value of J is told from zero, given the largest one and
 * the variance that the uncertainty of J gives it; and whether a step that
 * promises so much of f is kept to the directions of those that are. */
bool lr_ls_is_told(const lr_policy *P, double sigma, double largest,
                   double variance);
bool lr_ls_confines(const lr_policy *P, double promised, double f);

/* How many of the last columns tell what the next one will add. */
size_t lr_ls_gains_kept(const lr_policy *P);

/* The step: whether one more active set is tried after so many, whether the
 * damping between `low` and `high` is known well enough (in bounds, where each
 * trial costs a search for the active set, and without), whether residuals are
 * weighed once more after so many times, and whether that promises more. */
bool lr_ls_tries_active_set(const lr_policy *P, unsigned sets);
bool lr_ls_box_damping_found(const lr_policy *P, double low, double high);
bool lr_ls_damping_found(const lr_policy *P, double low, double high);
bool lr_ls_reweighs(const lr_policy *P, unsigned times);
bool lr_ls_weights_help(const lr_policy *P, double promised, double best);

#endif
