/* Extrapolates the cost of a trial run to a run on f, and recognises the cases
 * in which a trial run is no evidence.  Uses evaluation counts, and knows
 * nothing of how a method works. */
#include "analysis/cost_extrapolation.h"
#include "base/elementary.h"
#include "base/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- the cost of a run on f ---- */

typedef struct price {
  double calls, evaluations;
} price;

/* Evaluations for one purpose: values for differences and slopes, or whole
 * gradients where the user gives these. */
static uint64_t evaluations_for(const lrgd_counts *counts, lrgd_purpose why)
{
  uint64_t sum = 0;
  for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
    sum += counts->evaluations[kind][why];
  return sum;
}

/* The cost of a run from the counts of a trial run, by purpose: a gradient
 * costs p/r times as much on f, and everything but what is done once
 * (identification) is multiplied by `longer`. */
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
  case LRGD_PREDICTED_LRGD: /* Algorithm 1 identifies H once and checks it once
                             */
    if (told->reduced && dearer > 1)
      probes = (double)s->standalone.options.probes;
    return dearer * gradients + longer * slopes + probes;
  default: return dearer * longer * gradients + longer * slopes + probes;
  }
}

/* Evaluations and oracle calls of a run on f.  A given gradient costs one
 * evaluation whatever p is; otherwise an oracle call costs one or two
 * evaluations, and bare values come on top. */
static price run_price(const lrgd_diagnosis *s, const lr_trial_run *told,
                       double longer)
{
  const lrgd_counts *c = &told->counts;
  double calls[LRGD_PURPOSE_COUNT], asked[LRGD_PURPOSE_COUNT], bare = 0;
  bool given = s->given.problem.slopes || s->given.problem.complex_value;
  double each =
      !given && s->standalone.options.differences == LRGD_DIFFERENCES_CENTRAL
          ? 2
          : 1;
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
  return paid;
}

/* ---- when a trial run is no evidence ---- */

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

/* The error that noise makes in a gradient by differences: noise / h in each of
 * its p components; 0: rounding alone. */
static double noise_in_gradient(const lrgd_diagnosis *s)
{
  lr_oracle run =
      s->standalone.oracle; /* a copy with the difference steps of a run */
  lr_point start = s->centre;
  if (!lr_diagnosis_noisy(s)) return 0;
  run.differences.noise =
      s->given.noise; /* the noise that the user gave decides the steps */
  run.differences.two_sided =
      s->standalone.options.differences == LRGD_DIFFERENCES_CENTRAL;
  return s->result.noise / lr_oracle_reach(&run, &start, 0) *
         sqrt((double)s->p);
}

/* Whether chance decides the cost.  Where noise decides when a run ends, every
 * run ends elsewhere; unless values repeat, so that noise is a part of f: then
 * a trial run on f itself has the same noise.  On r variables the noise is
 * different, except for Algorithm 1, which takes differences along the same
 * directions on both. */
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

/* Whether rounding decides the cost: without noise a run stands still where
 * differences lose their digits, which happens elsewhere on r variables. */
static bool is_rounding(const lrgd_diagnosis *s, const lr_trial_run *told)
{
  bool repeats = lr_diagnosis_noisy(s) && told->which == LRGD_PREDICTED_LRGD;
  bool still = told->stands || told->outcome == LRGD_OUTCOME_STALLED;
  return told->reduced && still && !repeats;
}

/* The rounding error of a gradient by p differences at the end of the trial
 * run, relative to the tolerance: a run with r differences may converge where
 * one with p stalls. */
static double rounding_share(const lrgd_diagnosis *s, const lr_trial_run *told)
{
  lr_oracle run = s->standalone.oracle; /* read only */
  lr_point end = s->centre;
  if (s->given.problem.gradient || s->given.problem.slopes) return 0;
  run.differences.noise = 0;
  run.differences.two_sided =
      s->standalone.options.differences == LRGD_DIFFERENCES_CENTRAL;
  end.f = told->f;
  return lr_oracle_slope_error(&run, &end, 0) * sqrt((double)s->p) /
         lr_exp(told->target);
}

/* The truncation error of a gradient by one-sided differences, relative to the
 * tolerance.  It is different in r variables.  0: not known, or there is
 * none. */
static double truncation_share(const lrgd_diagnosis *s,
                               const lr_trial_run *told)
{
  lr_oracle run = s->standalone.oracle; /* read only */
  lr_point end = s->centre;
  if (!(told->diagonal > 0)) return 0;
  if (s->standalone.options.differences == LRGD_DIFFERENCES_CENTRAL) return 0;
  if (lr_diagnosis_noisy(s)) return 0; /* noise decides */
  run.differences.noise = 0;
  run.differences.two_sided = false;
  end.f = told->f;
  return 0.5 * lr_oracle_reach(&run, &end, 0) * told->diagonal /
         lr_exp(told->target);
}

/* Whether the trial run is evidence for a run on f; if not, writes the
 * reason. */
static bool believed(lrgd_diagnosis *s, const lr_trial_run *told)
{
  uint64_t paid = lrgd_counts_evaluations(&told->counts);
  if (is_chance(s, told))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "noise of %.2g in f decides where it ends; a trial run "
        "%s after %" PRIu64 " evaluations",
        s->result.noise, end_of(told), paid);
  /* in r variables Algorithm 3 ends when its basis is complete; on f it would
   * add directions */
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
        "rounding decides where it ends; a trial run %s after %" PRIu64
        " evaluations",
        end_of(told), paid);
  else if (lr_diagnosis_differences_hide(s->standalone.oracle.policy,
                                         truncation_share(s, told)))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "one-sided differences may err by %.2g times the tolerance, and "
        "otherwise than in its trial run",
        truncation_share(s, told));
  else if (told->twin == LR_TWIN_OTHER)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "two trial runs in other coordinates ended differently: "
        "rounding decides its path");
  else
    return true;
  return false;
}

/* L-BFGS takes the same differences as gradient descent, which is tried last:
 * where rounding decides where that ends, it decides here too. */
static void doubt_lbfgs(lrgd_diagnosis *s)
{
  lrgd_diagnosis_result *res = &s->result;
  const lrgd_predicted i = LRGD_PREDICTED_LBFGS;
  if (isnan(res->predicted_calls[i])) return;
  res->predicted_calls[i] = res->predicted_evaluations[i] = NAN;
  res->calls_floor[i] = res->evaluations_floor[i] = NAN;
  res->predicted_outcome[i] = LRGD_OUTCOME_BUDGET;
  lr_cost_extrapolation_unknown(
      s, i, "rounding decides where a trial run of gradient descent ends");
}

/* Whether the trial run was cut off before its first derivative. */
static bool is_nothing(const lr_trial_run *told)
{
  return (told->outcome == LRGD_OUTCOME_BUDGET || told->strayed) &&
         lrgd_counts_oracle_calls(&told->counts) == 0;
}

/* Whether a trial run in r variables was so short, where a gradient costs no
 * more than a value, that a single line search decides its cost.  (Algorithm 1
 * takes the same directions on both.) */
static bool searches_decide(const lrgd_diagnosis *s, const lr_trial_run *told)
{
  double paid = (double)lrgd_counts_evaluations(&told->counts);
  return told->reduced && s->given.problem.gradient &&
         told->which != LRGD_PREDICTED_LRGD &&
         lr_diagnosis_is_short(s->standalone.oracle.policy, paid);
}

/* Writes why only a lower bound of the cost is known. */
static void say_partial(lrgd_diagnosis *s, const lr_trial_run *told)
{
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
        "its trial run was cut off after %" PRIu64
        " evaluations, and does not show when it would end",
        paid);
  else if (told->reduced && lr_diagnosis_hides(s->standalone.oracle.policy,
                                               rounding_share(s, told)))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "rounding of f hides gradients of %.2g times the "
        "tolerance",
        rounding_share(s, told));
  else if (searches_decide(s, told))
    lr_cost_extrapolation_unknown(
        s, told->which,
        "its trial run of %" PRIu64
        " evaluations is so short that one line search "
        "decides",
        paid);
  else if (told->twin == LR_TWIN_NONE)
    lr_cost_extrapolation_unknown(
        s, told->which,
        "its trial run in %zu directions could not be repeated "
        "in other coordinates",
        r);
}

void lr_cost_extrapolation_note(lrgd_diagnosis *s, const lr_trial_run *told)
{
  lrgd_diagnosis_result *res = &s->result;
  lrgd_predicted i = told->which;
  if (is_nothing(told)) return;
  if (i == LRGD_PREDICTED_GD && is_rounding(s, told)) doubt_lbfgs(s);
  if (!believed(s, told)) return;
  price least = run_price(s, told, 1);
  /* a run on f takes other differences, and may need fewer iterations */
  double share = lr_diagnosis_floor(s->standalone.oracle.policy, told->reduced);
  res->calls_floor[i] = share * least.calls;
  res->evaluations_floor[i] = share * least.evaluations;
  say_partial(s, told);
  if (res->predicted_why[i][0] != '\0') return;
  price whole = run_price(s, told, told->longer);
  res->predicted_calls[i] = whole.calls;
  res->predicted_evaluations[i] = whole.evaluations;
  res->predicted_outcome[i] = told->outcome;
}

/* ---- methods without a trial run ---- */

/* A budget that cannot pay for another gradient counts as spent. */
static const char *ended_by(const lrgd_diagnosis *s)
{
  int64_t most = s->standalone.options.max_evals;
  if (s->result.outcome == LRGD_OUTCOME_STOPPED) return "it was stopped";
  if (s->result.outcome == LRGD_OUTCOME_FAILED)
    return "f could not be evaluated";
  if (s->result.outcome == LRGD_OUTCOME_BUDGET ||
      (most != LRGD_UNSET && lr_diagnosis_budget(s) < s->plan.gradient))
    return "the budget was spent";
  return lr_given(s->standalone.options.max_seconds) ? "its time was over"
                                                     : "all that was meant for "
                                                       "trial runs was spent";
}

void lr_cost_extrapolation_close(lrgd_diagnosis *s)
{
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++) {
    lrgd_predicted which = (lrgd_predicted)i;
    if (!isnan(s->result.predicted_calls[i])) continue;
    if (!s->want.trial_runs)
      lr_cost_extrapolation_unknown(s, which, "no trial runs were requested");
    else if (s->samples.n > 0 && s->result.count == 0)
      lr_cost_extrapolation_unknown(s, which, "no slope of f was seen");
    else
      lr_cost_extrapolation_unknown(s, which, "%s before its trial run",
                                    ended_by(s));
  }
}
