/* The verdict of a diagnosis: which rank r, and two sentences that say why. */
#include "analysis/diagnosis_state.h"
#include "base/elementary.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void say(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(char *text, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, size, format, args); /* NOLINT: started above */
  va_end(args);
}

#define REASON s->result.reason, sizeof s->result.reason
#define VERDICT s->result.verdict, sizeof s->result.verdict

/* The relative accuracy to which the first r directions are known: the error at
 * a typical sample, or the largest part of held-out gradients outside them,
 * where that is smaller. (Where the gradient nearly vanishes, so do its
 * errors.) */
static double known_to(const lrgd_diagnosis *s, size_t r)
{
  double error = s->result.tolerance;
  if (r == 0 || r > s->result.count ||
      !lr_diagnosis_many_points(s->standalone.oracle.policy,
                                s->result.held_out))
    return error;
  return fmin(error, s->spectrum.eta[r - 1].max);
}

/* Whether the errors are so large a part of a typical |grad f| that no rank can
 * be determined. */
static bool is_drowned(const lrgd_diagnosis *s)
{
  return lr_diagnosis_drowned(s->standalone.oracle.policy,
                              known_to(s, s->result.exact_rank));
}

/* ---- which r ---- */

/* The highest rank that counts as low, for this function. */
static size_t most(const lrgd_diagnosis *s)
{
  size_t low = lr_diagnosis_low(s->standalone.oracle.policy, s->p);
  return low < s->result.count ? low : s->result.count;
}

/* Whether all gradients, sampled or held out, lie in the span of Q. */
static bool is_exact(const lrgd_diagnosis *s)
{
  size_t q = s->result.count;
  if (q == 0 || q >= s->p ||
      s->samples.clean < lr_diagnosis_clean(s->standalone.oracle.policy))
    return false;
  return lr_diagnosis_all_inside(s);
}

/* The smallest r that meets the thresholds for energy and eta; 0: none. */
static size_t smallest(const lrgd_diagnosis *s, double eta, double energy)
{
  for (size_t r = 1; r <= s->result.count; r++) {
    const lrgd_eta *row = &s->spectrum.eta[r - 1];
    if (row->energy >= energy && row->p95 <= eta) return r;
  }
  return 0;
}

/* r, or a larger rank at which the spectrum has its largest gap, if that is
 * large. */
static size_t up_to_gap(const lrgd_diagnosis *s, size_t r)
{
  size_t best = r;
  double deepest = lr_diagnosis_gap(s->standalone.oracle.policy);
  for (size_t k = r; k <= most(s) && k < s->result.count; k++) {
    double fall =
        s->spectrum.numbers[k - 1] / fmax(s->spectrum.numbers[k], 1e-300);
    if (fall < deepest) continue;
    deepest = fall;
    best = k;
  }
  return best;
}

static void say_exact(lrgd_diagnosis *s)
{
  say(REASON,
      "the gradients at all %zu sampled points and all %zu kept aside lie in "
      "%zu direction%s, up to %.1g of their length",
      s->samples.n, s->result.held_out, s->result.exact_rank,
      s->result.exact_rank > 1 ? "s" : "", known_to(s, s->result.exact_rank));
}

static void say_approximate(lrgd_diagnosis *s, size_t r)
{
  const lrgd_eta *row = &s->spectrum.eta[r - 1];
  size_t fine = smallest(s, lr_diagnosis_fine(s->standalone.oracle.policy), 0);
  int n = snprintf(REASON,
                   "%zu direction%s hold%s %.4g %% of the energy and miss%s at "
                   "most %.2g of the gradient at half of the points kept "
                   "aside, %.2g at 95 %% of them",
                   r, r > 1 ? "s" : "", r > 1 ? "" : "s", 100 * row->energy,
                   r > 1 ? "" : "es", row->median, row->p95);
  size_t used = n > 0 && n < (int)sizeof s->result.reason ? (size_t)n : 0;
  if (used > 0 && fine > r)
    say(s->result.reason + used, sizeof s->result.reason - used,
        "; %zu directions bring that below 0.01", fine);
}

static void say_none(lrgd_diagnosis *s)
{
  size_t r = most(s);
  if (r == 0) {
    say(REASON, "with %zu input%s there is nothing to reduce", s->p,
        s->p > 1 ? "s" : "");
    return;
  }
  const lrgd_eta *row = &s->spectrum.eta[r - 1];
  if (s->result.held_out == 0) return;
  if (r >= s->samples.n) {
    say(REASON,
        "each of the %zu sampled gradients brought a direction of its own, and "
        "together they miss up to %.2g of the gradient at 95 %% of the points "
        "kept aside",
        s->samples.n, row->p95);
    return;
  }
  say(REASON,
      "even %zu of %zu directions hold only %.4g %% of the energy and miss up "
      "to %.2g of the gradient at 95 %% of the points kept aside",
      r, s->p, 100 * row->energy, row->p95);
}

void lr_diagnosis_decide(lrgd_diagnosis *s)
{
  lrgd_diagnosis_result *res = &s->result;
  res->recommended_rank = s->p;
  if (res->count == 0) {
    res->recommended_rank = 0;
    return;
  }
  if (is_exact(s)) res->exact_rank = lr_diagnosis_rank_seen(s);
  size_t r = smallest(s, s->want.eta,
                      lr_diagnosis_energy(s->standalone.oracle.policy));
  if (res->exact_rank > 0 &&
      res->exact_rank <= lr_diagnosis_low(s->standalone.oracle.policy, s->p)) {
    r = res->exact_rank;
    say_exact(s);
  } else if (r > 0 && r <= most(s) && r < s->samples.n) {
    r = up_to_gap(s, r);
    say_approximate(s, r);
  } else {
    say_none(s);
    r = 0;
  }
  res->low_rank = r > 0;
  if (r > 0) res->recommended_rank = r;
}

/* ---- the verdict ---- */

static bool arrives(const lrgd_diagnosis *s, lrgd_predicted which)
{
  return s->result.predicted_outcome[which] == LRGD_OUTCOME_CONVERGED;
}

static bool is_full(lrgd_predicted which)
{
  return which == LRGD_PREDICTED_GD || which == LRGD_PREDICTED_LBFGS;
}

/* The cheapest of the methods that reach the tolerance; low: of those that
 * exploit low rank. */
static lrgd_predicted cheapest(const lrgd_diagnosis *s, bool low)
{
  lrgd_predicted best = low ? LRGD_PREDICTED_AUTO : LRGD_PREDICTED_GD;
  const double *cost = s->result.predicted_evaluations;
  for (int i = 0; i < LRGD_PREDICTED_COUNT; i++) {
    bool better = !arrives(s, best) || !(cost[best] <= cost[i]);
    if (low && is_full((lrgd_predicted)i)) continue;
    if (arrives(s, (lrgd_predicted)i) && better) best = (lrgd_predicted)i;
  }
  return best;
}

/* Whether values differ so little, relative to their size, that rounding hides
 * the derivatives; larger differences without derivatives are noise. */
static bool is_rounded(const lrgd_diagnosis *s)
{
  return lr_diagnosis_rounded(s->standalone.oracle.policy, s->lowest,
                              s->highest);
}

/* Says what could not be evaluated or measured; false: nothing to say. */
static bool say_trouble(lrgd_diagnosis *s)
{
  const lrgd_diagnosis_result *res = &s->result;
  const lrgd_decision *end = &s->standalone.oracle.ending.why;
  char why[192];
  (void)lrgd_decision_text(end, NULL, why, sizeof why);
  bool ended = res->outcome == LRGD_OUTCOME_BUDGET ||
               res->outcome == LRGD_OUTCOME_STOPPED;
  if (s->samples.n == 0 && ended) {
    say(VERDICT,
        "Nothing can be said: it was %s before the first gradient, which takes "
        "%" PRIu64 " evaluations.",
        res->outcome == LRGD_OUTCOME_BUDGET ? "over budget" : "stopped",
        s->plan.gradient);
  } else if (s->samples.n == 0) {
    say(VERDICT, "Nothing can be said: f cannot be evaluated (%s).",
        end->kind != LRGD_DECISION_KIND_NONE
            ? why
            : "no finite answer near the start");
  } else if (res->outcome == LRGD_OUTCOME_UNBOUNDED ||
             res->outcome == LRGD_OUTCOME_FAILED) {
    say(VERDICT, "The study ended early: %s.", why);
  } else if (res->count == 0 && is_rounded(s)) {
    say(VERDICT,
        "Nothing can be said: f differs by %.2g from point to point, but its "
        "slopes drown in the rounding of values near %.2g.  Subtract a "
        "constant from f.",
        s->highest - s->lowest, s->highest);
    s->result.conclusive = 0;
  } else if (res->count == 0 && !is_drowned(s)) {
    say(VERDICT,
        "f did not change at any of %zu points: it is constant there, and "
        "there is nothing to minimise.",
        s->samples.n);
    s->result.conclusive = 1;
  } else if (is_drowned(s)) {
    say(VERDICT,
        "Noise of %.2g in f drowns its differences: no rank can be seen.  "
        "Give larger steps, a smoother f, or gradients.",
        res->noise);
    s->result.conclusive = 0;
  } else {
    return false;
  }
  return true;
}

/* In what sense f is of rank r. */
static const char *kind_of(const lrgd_diagnosis *s)
{
  if (s->result.exact_rank != s->result.recommended_rank) return "nearly";
  if (s->result.held_out == 0) return "so far (nothing was checked)";
  return lr_diagnosis_is_sharp(s->standalone.oracle.policy,
                               known_to(s, s->result.exact_rank))
             ? "exactly"
             : "(as far as noise shows)";
}

/* Rounded to three digits, so that it prints without an exponent where
 * possible. */
static double plainly(double count)
{
  double unit = lr_pow(10, floor(lr_log10(fmax(count, 1))) - 2);
  return unit > 1 ? unit * round(count / unit) : round(count);
}

/* "1200" or "more than 900", for gradient descent. */
static void say_descent(const lrgd_diagnosis *s, char *text, size_t size)
{
  double cost = s->result.predicted_evaluations[LRGD_PREDICTED_GD];
  double least = s->result.evaluations_floor[LRGD_PREDICTED_GD];
  if (!isnan(cost))
    say(text, size, ", gradient descent %.9g", plainly(cost));
  else if (least >= 1)
    say(text, size, ", gradient descent more than %.9g", plainly(least));
  else
    text[0] = '\0';
}

/* A full-dimensional method is cheapest: says what the best low-rank method
 * would cost. */
static void say_full(lrgd_diagnosis *s, lrgd_predicted best)
{
  const lrgd_diagnosis_result *res = &s->result;
  lrgd_predicted low = cheapest(s, true);
  char other[64] = "no method that uses it was seen to arrive";
  if (arrives(s, low))
    say(other, sizeof other, "%s %.9g", lrgd_predicted_text(low),
        plainly(res->predicted_evaluations[low]));
  s->result.low_rank = 0;
  say(VERDICT,
      "Do not use low rank here: f is %s of rank %zu of %zu, but %s needs some "
      "%.9g evaluations, %s.",
      kind_of(s), res->recommended_rank, s->p, lrgd_predicted_text(best),
      plainly(res->predicted_evaluations[best]), other);
}

static void say_use(lrgd_diagnosis *s)
{
  lrgd_diagnosis_result *res = &s->result;
  size_t r = res->recommended_rank;
  lrgd_predicted best = cheapest(s, false);
  const char *kind = kind_of(s);
  char descent[64];
  say_descent(s, descent, sizeof descent);
  if (res->predicted_outcome[LRGD_PREDICTED_AUTO] == LRGD_OUTCOME_UNBOUNDED)
    say(VERDICT,
        "Low-rank: f is %s of rank %zu of %zu; but it falls without end, so "
        "there is no minimum to find: give bounds.",
        kind, r, s->p);
  else if (!arrives(s, best) && lr_diagnosis_noisy(s))
    say(VERDICT,
        "Low-rank: f is %s of rank %zu of %zu.  Use auto, which measures the "
        "noise (%.2g) and ends where slopes drown in it.",
        kind, r, s->p, res->noise);
  else if (!arrives(s, best))
    say(VERDICT, "Low-rank: f is %s of rank %zu of %zu.", kind, r, s->p);
  else if (is_full(best))
    say_full(s, best);
  else
    say(VERDICT,
        "Low-rank: f is %s of rank %zu of %zu.  Use %s: some %.9g "
        "evaluations%s.",
        kind, r, s->p, lrgd_predicted_text(best),
        plainly(res->predicted_evaluations[best]), descent);
}

static void say_too_few(lrgd_diagnosis *s)
{
  bool budget = s->result.outcome == LRGD_OUTCOME_BUDGET;
  const char *ended = budget ? "The budget ended" : "It was stopped";
  s->result.conclusive = 0;
  if (s->samples.n <= s->p)
    say(VERDICT,
        "%s after %zu gradients: too few to see a low rank of %zu inputs.",
        ended, s->samples.n, s->p);
  else
    say(VERDICT,
        "%s after %zu gradients, before what they say of %zu inputs could be "
        "checked elsewhere: no low rank is seen in them.",
        ended, s->samples.n, s->p);
}

void lr_diagnosis_verdict(lrgd_diagnosis *s)
{
  lrgd_diagnosis_result *res = &s->result;
  say(res->region, sizeof res->region,
      s->region.boxed
          ? "uniform in the box of its bounds, inputs scaled to -1 .. 1"
          : "uniform in a ball of radius %.3g around the start",
      s->region.radius);
  res->conclusive = res->held_out > 0;
  if (say_trouble(s)) {
    if (res->count == 0 || is_drowned(s)) res->low_rank = 0;
    return;
  }
  if (res->low_rank &&
      (s->given.problem.gradient || s->standalone.oracle.answers.gradient)) {
    res->low_rank = 0;
    say(VERDICT,
        "Do not use low rank here: f is %s of rank %zu of %zu, but it tells "
        "its gradient at the price of one evaluation: use lbfgs or auto.",
        kind_of(s), res->recommended_rank, s->p);
  } else if (res->low_rank)
    say_use(s);
  else if (res->reason[0] == '\0' && (res->outcome == LRGD_OUTCOME_BUDGET ||
                                      res->outcome == LRGD_OUTCOME_STOPPED))
    say_too_few(s);
  else {
    say(VERDICT, "Do not use low rank here: %s.", res->reason);
    res->reason_in_verdict = 1;
  }
}
