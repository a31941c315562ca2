/* What a least-squares run does next: pure functions of numbers and of the
 * policy. */
#ifndef LR_LEAST_SQUARES_RULES_H
#define LR_LEAST_SQUARES_RULES_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

/* The reach, that is how far from the start the first model may be trusted;
 * `size` is the root mean square of the p inputs in scaled coordinates.  And
 * the curvature c at which the model's error there, c reach^2 / 2, has the size
 * of the residuals (root mean square). */
double lr_ls_reach(const lr_policy *P, double p, double size);
double lr_ls_first_curvature(double reach, double rms);

/* The least curvature assumed, so that noise / c does not overflow. */
double lr_ls_least_curvature(const lr_policy *P, double first);
/* The noise assumed for rounding of residuals, the largest of which is `most`;
 * and the most noise that rounding can cause. */
double lr_ls_rounding_noise(const lr_policy *P, double most);
double lr_ls_rounding_most(const lr_policy *P, double most);

/* The length of a finite difference at which the errors by truncation and by
 * noise are equal. */
double lr_ls_difference(const lr_policy *P, double noise, double c,
                        double reach);

/* Whether a difference over which F did not change may be repeated with a
 * longer step, and its length. */
bool lr_ls_may_lengthen(const lr_policy *P, double t, double reach);
double lr_ls_lengthen(const lr_policy *P, double t, double reach);
/* Whether the largest residual, relative to the first residuals, is so large
 * that it marks a failed evaluation. */
bool lr_ls_is_marker(const lr_policy *P, double largest);

/* The shortest difference that rounding of the inputs permits. */
double lr_ls_above_rounding(const lr_policy *P, double rounding);

/* The number of waves that are added up to a correlated random direction. */
size_t lr_ls_waves(const lr_policy *P);

/* The kinds of random directions: with independent components, and smooth ones,
 * which follow the order of the inputs. */
typedef enum lr_ls_kind {
  LR_LS_INDEPENDENT,
  LR_LS_SMOOTH,
  LR_LS_KINDS
} lr_ls_kind;
/* The columns of J along directions of each kind. */
typedef struct lr_ls_kinds {
  double columns[LR_LS_KINDS]; /* their numbers */
  double size2[LR_LS_KINDS];   /* mean square of the norms of the last ones */
  lr_ls_kind drawn, last;      /* the kind of the last draw, and column */
  double row;                  /* columns of this kind in a row */
  size_t planned; /* so many further draws are of the kind `drawn` */
} lr_ls_kinds;
/* The kind whose columns are larger; the other one if nothing is known of it,
 * or now and then, as columns become smaller as V grows. */
lr_ls_kind lr_ls_choose_kind(const lr_policy *P, const lr_ls_kinds *kinds);
/* The share of a new column in that mean, after so many of its kind. */
double lr_ls_kind_share(const lr_policy *P, double columns);
/* The number of inputs over which the correlation of the components of a smooth
 * direction falls to 1/e. */
double lr_ls_smooth_length(const lr_policy *P, double p);

/* Whether half the width of the box is the scale of an input, whose value has
 * that size. */
bool lr_ls_is_scale(const lr_policy *P, double half, double size);

/* The number of last columns among which one has to be new, that is outside the
 * range of the earlier ones. */
size_t lr_ls_new_columns(const lr_policy *P);
/* Whether a column is new: distance2 is its squared distance from the range of
 * the others, relative to the square expected from its uncertainty. */
bool lr_ls_is_new(const lr_policy *P, double distance2);
/* Whether one column shows that J has its full range already: by that ratio,
 * and by the expected square relative to the column's own. */
bool lr_ls_is_saturated(const lr_policy *P, double distance2, double doubt);
/* Whether so many consecutive failures end the search for new columns. */
bool lr_ls_gives_up_growing(const lr_policy *P, double failed);
/* The number of last columns by which the size of the next one is estimated. */
size_t lr_ls_size_columns(const lr_policy *P);

/* Whether bounds leave enough of a difference of length t: `size` is the length
 * outside V that is left, `off` the distance of its end from the intended
 * point. */
bool lr_ls_wide(const lr_policy *P, double size, double t);
bool lr_ls_straight(const lr_policy *P, double off, double t);
/* Whether V is the axes within bounds, where all of J is measured or given. */
bool lr_ls_by_axes(const lr_policy *P, double p);
/* Whether so many of p inputs are at bounds that J is measured along all
 * axes. */
bool lr_ls_holds_many(const lr_policy *P, double held, double p);
/* Whether p is so small that J is measured along all axes first. */
bool lr_ls_few(const lr_policy *P, double p);
/* The curvature assumed before the first step in that case. */
double lr_ls_first_guess(const lr_policy *P, double first);
/* Whether noise may be measured after so many consecutive failed steps; few: J
 * is measured along all axes. */
bool lr_ls_may_listen(const lr_policy *P, bool few, double failures);
/* The most directions at which terms of curvature are kept, and of how many
 * steps. */
size_t lr_ls_curved_directions(const lr_policy *P);
size_t lr_ls_curved_steps(const lr_policy *P);
/* Whether f decreases towards an active bound: its derivative along the outward
 * normal, and the standard deviation of that. */
bool lr_ls_pushes(const lr_policy *P, double slope, double deviation);
/* Whether a step that bounds have bent has a relevant part outside V. */
bool lr_ls_bent(const lr_policy *P, double outside, double length);

/* The state of the run before each evaluation. */
typedef struct lr_ls_view {
  double p, k; /* inputs, directions */
  /* f at the base; the decrease that the model predicts for a step */
  double f, promised;
  double gain;    /* mean increase of `promised` by the last columns */
  double since;   /* evaluations since the last new direction */
  bool is_new;    /* the last columns are outside the range of the others */
  bool saturated; /* the last column is inside that range with certainty */
  bool by_axes;   /* J is measured along all axes first */
  bool curved;    /* the model has terms of curvature */
  bool landed;    /* this step was tried already */
} lr_ls_view;

/* Whether the predicted decrease is too small for a step, so that V grows. */
bool lr_ls_may_grow(const lr_policy *P, double promised, double f);
/* Whether the next evaluation is a step, not a new direction. */
bool lr_ls_lands(const lr_policy *P, const lr_ls_view *v);
/* Whether a direction may have to be measured again before the step; and
 * whether it is worth an evaluation for the direction whose uncertainty costs
 * `cost` of the predicted decrease. */
bool lr_ls_may_refresh(const lr_policy *P, const lr_ls_view *v);
bool lr_ls_refreshes(const lr_policy *P, const lr_ls_view *v, double cost);

/* The length of a new direction that is added to a step, so that one evaluation
 * serves both; 0: none.  left: the norm of the expected residuals, error: that
 * of their error, size: that of a column. */
double lr_ls_joint(const lr_policy *P, double left, double promised,
                   double error, double size);
bool lr_ls_joins(const lr_policy *P, double ratio);
/* Whether that length is well above rounding. */
bool lr_ls_joint_far(const lr_policy *P, double t, double reach);

/* A step, as a measurement of the curvature of F: the curvature assumed before,
 * the one its error shows, the least one allowed; whether f decreased, and
 * whether the base moved. */
typedef struct lr_ls_landing {
  double before, seen, least;
  bool fell, moved;
  bool first; /* it is the first step */
} lr_ls_landing;
double lr_ls_curvature(const lr_policy *P, const lr_ls_landing *l);

/* The curvature assumed after a step to a point where F has no value; and after
 * J was measured again. */
double lr_ls_shorten(const lr_policy *P, double c);
double lr_ls_trust_again(const lr_policy *P, double c);

/* The decrease of f over the last evaluations, by which a renewal of J is
 * decided. */
typedef struct lr_ls_decrease {
  double price; /* evaluations that a renewal of J takes */
  double rate;  /* decrease of log f per evaluation */
  double
      last_rate; /* the same after the last renewal of J; 0: there was none */
  double since;  /* evaluations since the last renewal, or all */
  double grown;  /* evaluations since V last grew to its full size */
} lr_ls_decrease;
/* The number of evaluations over which the rate is measured. */
double lr_ls_window(const lr_policy *P, double price);
/* Whether to measure all of J again. */
bool lr_ls_sweeps(const lr_policy *P, const lr_ls_decrease *d);
/* Whether a renewal measures a singular direction, by its singular value. */
bool lr_ls_matters(const lr_policy *P, double sigma, double largest);
/* Whether the renewal returns to the start of the run. */
bool lr_ls_returns(const lr_policy *P, double f, double first);
/* The variance of a column at the start after returning there, in units of c^2
 * reach^2; known: it was measured there. */
double lr_ls_back(const lr_policy *P, bool known);

/* Whether noise is measured after a step of that reduction ratio; and whether
 * the measurement shows noise. */
bool lr_ls_doubts(const lr_policy *P, double ratio);
/* Whether a number of so many units may be printed, and is a multiple of the
 * unit. */
bool lr_ls_prints_few(const lr_policy *P, double units);
bool lr_ls_is_whole(const lr_policy *P, double units);
bool lr_ls_is_noise(const lr_policy *P, double sigma, double assumed,
                    double change);
/* Whether to measure the noise again: by the number of steps so far and at its
 * last measurement, and the reduction ratio of the last step. */
bool lr_ls_listens_again(const lr_policy *P, double landings, double listened,
                         double ratio);

/* The largest decrease of f that is not significant: rounding, or noise in so
 * many numbers. */
double lr_ls_little(const lr_policy *P, double f, double numbers, double noise);

/* The largest decrease of f that noise of that standard deviation hides. */
double lr_ls_hidden(const lr_policy *P, double noise);

/* Whether the run has stalled: by consecutive steps without a decrease, and
 * consecutive iterations without a predicted one; sooner where noise may
 * explain them. */
bool lr_ls_stalls(const lr_policy *P, double failures, double idle, bool noisy);
/* Whether so many consecutive failed steps make J untrustworthy. */
bool lr_ls_distrusts(const lr_policy *P, double failures);

/* Whether a step with that reduction ratio counts as a decrease of f; and
 * whether f decreased from one value to another by more than rounding, and
 * more than noise of that standard deviation. */
bool lr_ls_succeeds(const lr_policy *P, double ratio, double decrease,
                    double noise);
bool lr_ls_fell(const lr_policy *P, double from, double to, double noise);

/* Whether the estimated gradient is small enough for a certificate. */
bool lr_ls_certifies(const lr_policy *P, double gradient, double tol);
/* What a certificate adds for uncertainty: to the gradient in V, by its
 * standard deviation and the error probability, more where that deviation was
 * estimated with so many degrees of freedom (INFINITY: it is known); and to a
 * derivative along a new direction. */
double lr_ls_certify_margin(const lr_policy *P, double deviation, double share,
                            double freedom);
double lr_ls_probe_margin(const lr_policy *P, double deviation);

/* Whether the measured curvature of F is so much larger than the assumed one
 * that differences were too long. */
bool lr_ls_bends_more(const lr_policy *P, double seen, double believed);
/* Whether noise explains the distance of the value in the middle of a line from
 * the mean of its ends: mean squares of that distance, and of the one on half
 * the line. */
bool lr_ls_is_rough(const lr_policy *P, double whole, double half);

/* Whether the gradient that probes over all of space show is mostly the one
 * outside V: squares of derivatives outside V, and over all of space. */
bool lr_ls_blames_outside(const lr_policy *P, double outside2, double all2);

/* Whether a singular value of J is significant, given the largest one and the
 * variance by the uncertainty of J; and whether a step with that predicted
 * decrease of f is restricted to the directions of significant ones. */
bool lr_ls_is_significant(const lr_policy *P, double sigma, double largest,
                          double variance);
bool lr_ls_confines(const lr_policy *P, double promised, double f);

/* The number of last columns that predict the contribution of the next one, and
 * the room for them: twice the default. */
enum { LR_LS_GAINS_ROOM = 6 };
size_t lr_ls_gains_kept(const lr_policy *P);

/* The search for the step: whether to try another active set; whether the
 * damping between `low` and `high` is accurate enough (within bounds, where
 * each trial costs a search for the active set, and without); whether to
 * compute the weights of residuals again; and whether that has increased the
 * predicted decrease. */
bool lr_ls_tries_active_set(const lr_policy *P, unsigned sets);
bool lr_ls_box_damping_found(const lr_policy *P, double low, double high);
bool lr_ls_damping_found(const lr_policy *P, double low, double high);
bool lr_ls_reweighs(const lr_policy *P, unsigned times);
bool lr_ls_weights_help(const lr_policy *P, double promised, double best);

#endif
