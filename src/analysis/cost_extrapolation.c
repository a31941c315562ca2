/* What a run on f would pay, from what a rehearsal paid; and the cases where
 * one says nothing of the other.  Knows counts, not methods' insides. */
#include "analysis/cost_extrapolation.h"
#include "base/elementary.h"
#include "base/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- what it would pay ---- */

typedef struct price {
  double calls, evaluations;
} price;

/* Asked for by differences or slopes, and by whole gradients where these are
 * given. */
static uint64_t evaluations_for(const lrgd_counts *counts, lrgd_purpose why)
{
  uint64_t sum = 0;
  for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
    sum += counts->evaluations[kind][why];
  return sum;
}

/* Numbers by purpose, put together as the method will: gradients become p/r
 * times dearer, and all but what is done once goes on `longer`. */
static double put_together(const lrgd_diagnosis *s, const lr_trial_run *told,
                           const double n[LRGD_PURPOSE_COUNT], double dearer,
                           double longer)
{
  double gradients = n[LRGD_PURPOSE_IDENTIFY] + n[LRGD_PURPOSE_CHECK];
  double slopes = n[LRGD_PURPOSE_DESCEND] + n[LRGD_PURPOSE_SEARCH];
  double probes = n[LRGD_PURPOSE_PROBE];
  switch (told->which) {
  case LRGD_PREDICTED_GD:
  case LRGD_PREDICTED_LBFGS:
    return dearer * longer * (slopes + gradients) + probes;
  case LRGD_PREDICTED_LRGD: /* H is found once, and checked once */
    if (told->reduced && dearer > 1) probes = (double)s->rig.options.probes;
    return dearer * gradients + longer * slopes + probes;
  default: return dearer * longer * gradients + longer * slopes + probes;
  }
}

/* A given gradient costs one evaluation whatever p is.  Otherwise a call costs
 * one or two, and what is asked beside them are bare values. */
static price in_earnest(const lrgd_diagnosis *s, const lr_trial_run *told,
                        double longer)
{
  const lrgd_counts *c = &told->counts;
  double calls[LRGD_PURPOSE_COUNT], asked[LRGD_PURPOSE_COUNT], bare = 0;
  bool given = s->given.problem.slopes || s->given.problem.complex_value;
  double each =
      !given && s->rig.options.differences == LRGD_DIFFERENCES_CENTRAL ? 2 : 1;
  double r = (double)s->result.recommended_rank;
  double dearer = told->reduced ? (double)s->p / r : 1;
  for (int i = 0; i < LRGD_PURPOSE_COUNT; i++) {
    calls[i] = (double)c->oracle_calls[i];
    asked[i] = (double)evaluations_for(c, (lrgd_purpose)i);
    bare += asked[i] - each * calls[i];
  }
  price paid = {.calls = put_together(s, told, calls, dearer, longer)};
  paid.evaluations = s->given.problem.gradient
                         ? put_together(s, told, asked, 1, longer)
                         : each * paid.calls + longer * fmax(bare, 0);
  if (told->still > 0 &&
      longer > 1) /* searching in vain is dearer than going */
    paid.evaluations = in_earnest(s, told, 1).evaluations + told->still;
  return paid;
}

/* ---- when it says nothing ---- */

void lr_cost_extrapolation_unknown(lrgd_diagnosis *s, lrgd_predicted which,
                                   const char *format, ...)
{
  char *why = s->result.predicted_why[which];
  va_list args;
  if (why[0] != '\0') return;
  va_start(args, format);
  (void)vsnprintf(why, LRGD_WHY_SIZE, format, args); /* NOLINT: started above */
  va_end(args);
}

/* A gradient by differences errs by noise / h in each of its p parts; 0: by
 * rounding alone. */
static double noise_in_gradient(const lrgd_diagnosis *s)
{
  lr_oracle run = s->rig.oracle; /* as a run's would be, only looked at */
  lr_point start = s->centre;
  if (!lr_diagnosis_noisy(s)) return 0;
  run.differences.noise =
      s->given.noise; /* what it is told decides its steps */
  run.differences.two_sided =
      s->rig.options.differences == LRGD_DIFFERENCES_CENTRAL;
  return s->result.noise / lr_oracle_reach(&run, &start, 0) *
         sqrt((double)s->p);
}

/* Where the noise decides when a run ends, it ends elsewhere every time; but
 * noise that repeats is a part of f, and so is what it does to a rehearsal on
 * f itself.  On r variables it does something else, but for Algorithm 1, which
 * asks for slopes along the same directions on both. */
static bool is_chance(lrgd_diagnosis *s, const lr_trial_run *told)
{
  double noise = noise_in_gradient(s);
  bool same = !told->reduced || told->which == LRGD_PREDICTED_LRGD;
  if (!(noise > 0) || (s->repeats && same)) return false;
  return told->outcome == LRGD_OUTCOME_STALLED || lr_log(noise) > told->target;
}

static const char *end_of(const lr_trial_run *told)
{
  return told->outcome == LRGD_OUTCOME_BUDGET
             ? "was cut off"
             : lrgd_outcome_text(told->outcome);
}

/* Without noise a run stalls where differences come to their end, which on r
 * variables is elsewhere. */
static bool is_rounding(const lrgd_diagnosis *s, const lr_trial_run *told)
{
  bool repeats = lr_diagnosis_noisy(s) && told->which == LRGD_PREDICTED_LRGD;
  return told->reduced && told->outcome == LRGD_OUTCOME_STALLED && !repeats;
}

/* What rounding does to a gradient of p differences where it ended, as a share
 * of the tolerance: with r of them it may have arrived, and with p it would
 * not. */
static double rounding_share(const lrgd_diagnosis *s, const lr_trial_run *told)
{
  lr_oracle run = s->rig.oracle; /* only looked at */
  lr_point end = s->centre;
  if (s->given.problem.gradient || s->given.problem.slopes) return 0;
  run.differences.noise = 0;
  run.differences.two_sided =
      s->rig.options.differences == LRGD_DIFFERENCES_CENTRAL;
  end.f = told->f;
  return lr_oracle_slope_error(&run, &end, 0) * sqrt((double)s->p) /
         lr_exp(told->target);
}

/* Whether the rehearsal is evidence of anything; says why where it is not. */
static bool believed(lrgd_diagnosis *s, const lr_trial_run *told)
{
  uint64_t paid = lrgd_counts_evaluations(&told->counts);
  if (is_chance(s, told))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "noise of %.2g in f decides where it ends; a rehearsal "
        "%s after %" PRIu64 " evaluations",
        s->result.noise, end_of(told), paid);
  /* Algorithm 3 ends with the last of r variables; on f it would go on */
  else if (told->reduced && told->which == LRGD_PREDICTED_ADAPTIVE &&
           told->outcome != LRGD_OUTCOME_CONVERGED)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "it %s in %zu directions, and would go on to look for "
        "others",
        end_of(told), s->result.recommended_rank);
  else if (is_rounding(s, told))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "rounding decides where it ends; a rehearsal stalled "
        "after %" PRIu64 " evaluations",
        paid);
  else if (told->twin == LR_TWIN_OTHER)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "two rehearsals in other coordinates ended differently: "
        "rounding decides its path");
  else
    return true;
  return false;
}

/* Whether it was cut off before it had one slope. */
static bool is_nothing(const lr_trial_run *told)
{
  return (told->outcome == LRGD_OUTCOME_BUDGET || told->strayed) &&
         lrgd_counts_oracle_calls(&told->counts) == 0;
}

/* Why a rehearsal is only a part of a run. */
static void say_partial(lrgd_diagnosis *s, const lr_trial_run *told)
{
  const double much = 1.5; /* of the tolerance */
  uint64_t paid = lrgd_counts_evaluations(&told->counts);
  size_t r = s->result.recommended_rank;
  if (told->strayed)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "inside its %zu directions it leaves the bounds, where "
        "a run moves otherwise",
        r);
  else if (told->outside)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "f varies outside its %zu directions by more than the "
        "tolerance",
        r);
  else if (isnan(told->longer))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "its rehearsal was cut off after %" PRIu64
        " evaluations, and does not show when it would end",
        paid);
  else if (told->reduced && rounding_share(s, told) > much)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "rounding of f hides gradients of %.2g times the "
        "tolerance",
        rounding_share(s, told));
  else if (told->twin == LR_TWIN_NONE)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "its rehearsal in %zu directions could not be repeated "
        "in other coordinates",
        r);
}

void lr_cost_extrapolation_note(lrgd_diagnosis *s, const lr_trial_run *told)
{
  lrgd_diagnosis_result *res = &s->result;
  lrgd_predicted i = told->which;
  if (is_nothing(told) || !believed(s, told)) return;
  price least = in_earnest(s, told, 1);
  /* on f differences are others, and so the path may be shorter */
  double share = told->reduced ? 0.5 : 1;
  res->calls_floor[i] = share * least.calls;
  res->evaluations_floor[i] = share * least.evaluations;
  say_partial(s, told);
  if (res->predicted_why[i][0] != '\0') return;
  price whole = in_earnest(s, told, told->longer);
  res->predicted_calls[i] = whole.calls;
  res->predicted_evaluations[i] = whole.evaluations;
  res->predicted_outcome[i] = told->outcome;
}

/* ---- what was never rehearsed ---- */

/* A budget that has no gradient left is as good as spent. */
static const char *ended_by(const lrgd_diagnosis *s)
{
  int64_t most = s->rig.options.max_evals;
  if (s->result.outcome == LRGD_OUTCOME_STOPPED) return "it was stopped";
  if (s->result.outcome == LRGD_OUTCOME_FAILED)
    return "f could not be evaluated";
  if (s->result.outcome == LRGD_OUTCOME_BUDGET ||
      (most != LRGD_UNSET && lr_diagnosis_budget(s) < s->plan.gradient))
    return "the budget was spent";
  return lr_given(s->rig.options.max_seconds) ? "its time was over"
                                              : "all that was meant for "
                                                "rehearsals was spent";
}

void lr_cost_extrapolation_close(lrgd_diagnosis *s)
{
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++) {
    lrgd_predicted which = (lrgd_predicted)i;
    if (!isnan(s->result.predicted_calls[i])) continue;
    if (!s->want.rehearse)
      lr_cost_extrapolation_unknown(s, which, "no rehearsals were asked for");
    else if (s->samples.n > 0 && s->result.count == 0)
      lr_cost_extrapolation_unknown(s, which, "no slope of f was seen");
    else
      lr_cost_extrapolation_unknown(s, which, "%s before it could be rehearsed",
                                    ended_by(s));
  }
}
