/* When the embedding stops, pauses, or suspects noise. */
#include "auto/embedding_rules.h"

#include <math.h>

/* ---- the budget of an embedding ---- */

bool lr_embedding_waits_for_rank(const lr_policy *P, const lr_embedding_view *v)
{
  return v->k >= P->wait_least_directions && v->rank_supported &&
         v->k < P->wait_rank * v->half_rank + 1;
}

/* The evaluations in which an embedding from a point nobody knew has to show a
 * low rank. */
static double trial(const lr_policy *P, const lr_embedding_view *v)
{
  double p = v->p, least = P->trial_evaluations * p;
  bool falls = v->first > 0 && v->outside <= P->outside_fall * v->first;
  bool spans = v->columns >= P->span_least_columns &&
               v->unexplained <= P->span_unexplained;
  if (p < (v->bounded ? P->trial_dimension_bounded : P->trial_dimension))
    return v->led ? P->trial_led * p : least;
  if (!v->bounded || falls || spans) return INFINITY;
  return fmax(least, fmin(P->pause_evaluations * p, P->trial_least_bounded));
}

double lr_embedding_allowance(const lr_policy *P, const lr_embedding_view *v)
{
  return (v->warm ? P->trial_warm : 1) * trial(P, v);
}

bool lr_embedding_is_small(const lr_policy *P, double p)
{
  return p < P->trial_dimension;
}

bool lr_embedding_fell(const lr_policy *P, double outside, double first)
{
  return first > 0 && outside <= P->trial_fall * first;
}

bool lr_embedding_may_go_on(const lr_policy *P, const lr_embedding_view *v)
{
  return v->first > 0 && (!v->bounded || v->p < P->trial_dimension_bounded);
}

bool lr_embedding_straight(const lr_policy *P, double bend)
{
  return bend <= P->trial_bend;
}

bool lr_embedding_holds_fit(const lr_policy *P, double bend)
{
  return bend <= P->fit_bend;
}

bool lr_embedding_looks_again(const lr_policy *P, unsigned probes)
{
  return probes < P->trial_probes;
}

double lr_embedding_patience(const lr_policy *P, const lr_embedding_view *v)
{
  if (v->bounded)
    return fmax(P->patience_bounded * v->p, P->patience_least_bounded);
  return fmax(v->p, P->patience_least);
}

/* Whether V is larger than the early rank estimate although f is not quadratic:
 * the estimate was wrong. */
static bool past_rank(const lr_policy *P, const lr_embedding_view *v)
{
  return !v->quadratic && v->outside > P->past_rank_outside * v->first &&
         v->k > P->past_rank_directions &&
         v->k > P->past_rank_offset + P->past_rank_share * v->early_rank;
}

lr_why lr_embedding_over_budget(const lr_policy *P, const lr_embedding_view *v,
                                double budget)
{
  double n = v->evaluations;
  if (v->failures > P->failures_allowed + P->failures_share * n)
    return LR_WHY_UNEVALUABLE;
  if (n > lr_embedding_allowance(P, v) && !v->quadratic) return LR_WHY_NO_SIGN;
  bool small = lr_embedding_is_small(P, v->p); /* else it pauses */
  if (v->after_newton && small && n > P->trial_after_newton * v->p)
    return LR_WHY_NO_SIGN;
  if (v->first > 0 && n > v->p && past_rank(P, v)) return LR_WHY_PAST_RANK;
  bool pause = n > budget && !v->quadratic && !v->near_tolerance;
  return pause ? LR_WHY_BUDGET : LR_WHY_NOTHING;
}

bool lr_embedding_compares(const lr_embedding_view *v)
{
  bool fresh = !v->warm && !v->after_newton && !v->led;
  return v->first > 0 && fresh && v->curved && !v->bounded &&
         !v->near_tolerance;
}

/* ---- what the gradient outside V says ---- */

lr_why lr_embedding_no_fall(const lr_policy *P, const lr_embedding_view *v,
                            double since)
{
  if (!(since > lr_embedding_patience(P, v))) return LR_WHY_NOTHING;
  return v->outside < P->stall_tail_outside * v->first ? LR_WHY_TAIL
                                                       : LR_WHY_NO_FALL;
}

/* ---- steps ---- */

double lr_embedding_tightened(const lr_policy *P, double share)
{
  return share / P->mapped_tolerance;
}

bool lr_embedding_is_truncation(const lr_policy *P, double d, double error)
{
  return fabs(d) <= P->first_truncation * fabs(error);
}

double lr_embedding_start_curvature(const lr_policy *P, double mean,
                                    double first)
{
  return fmax(first, fmin(mean, P->start_curvature * first));
}

double lr_embedding_least_tolerance(const lr_policy *P, double first,
                                    double error)
{
  double least = P->start_errors * error;
  return first > 0 && first <= least ? least : 0;
}

double lr_embedding_curvature(const lr_policy *P, double mean, double first)
{
  return fmax(mean, P->least_curvature * first);
}

bool lr_embedding_negligible(const lr_policy *P, double gain, double decrease)
{
  return gain < P->negligible_outside * decrease;
}

bool lr_embedding_has_landed(const lr_policy *P, double gain, double gained)
{
  return gain <= P->negligible_step * gained;
}

bool lr_embedding_small_inside(const lr_policy *P, double inside, double tol)
{
  return inside <= P->inside_tolerance * tol;
}

bool lr_embedding_near(const lr_policy *P, double inside, double tol)
{
  return inside <= P->near_tolerance * tol;
}

bool lr_embedding_is_stuck(const lr_policy *P, unsigned failed)
{
  return failed > P->failed_steps;
}

bool lr_embedding_idles(const lr_policy *P, unsigned steps, uint64_t columns)
{
  return steps >= P->idle_steps && columns > 0;
}

/* ---- noise ---- */

bool lr_embedding_misled(const lr_policy *P, const lr_model *m)
{
  return lr_model_misled(P, m, P->misled_embedding);
}

bool lr_embedding_suspects_noise(const lr_policy *P, const lr_step_view *s)
{
  bool counts = s->decrease > P->suspect_share_of_gain * s->gained &&
                s->gained > P->suspect_share_of_f * fabs(s->f_start);
  bool broken =
      !(s->decrease > P->suspect_share_of_prediction * s->predicted) &&
      s->predicted > P->suspect_roundings * s->rounding;
  bool within = s->noise > 0 && !(s->decrease > s->noise);
  if ((broken && !counts) || within) return true;
  return s->steps >= 2 && s->recent == 0 &&
         s->evaluations > P->suspect_evaluations;
}

bool lr_embedding_ends_in_noise(const lr_policy *P, const lr_step_view *s)
{
  return !(s->decrease > P->noise_end_decrease * s->noise) &&
         !(s->predicted > P->noise_end_predicted * s->noise);
}

/* ---- pauses ---- */

bool lr_embedding_pays(const lr_policy *P, const lr_pause_view *v)
{
  double lead = v->other - v->f;
  bool falls = v->f_before - v->f >= P->pays_decrease * lead;
  bool flattens = v->outside <= P->outside_fall * v->outside_before;
  bool leads = lead > 0 && (v->warm || lead > P->pays_lead * v->other_fell);
  return leads && (v->first || falls || flattens);
}
