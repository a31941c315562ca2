/* Decisions of a diagnosis. */
#include "analysis/diagnosis_rules.h"

#include "base/elementary.h"

#include <math.h>

size_t lr_diagnosis_gradients(const lr_policy *P, size_t p)
{
  size_t most = (size_t)P->plan_most, cheap = (size_t)P->plan_work / p;
  size_t deep = p / 2, deepest = (size_t)P->plan_rank_most;
  if (cheap > most) cheap = most;
  if (cheap < 1) cheap = 1;
  if (deep > deepest) deep = deepest;
  return cheap > deep ? cheap : deep;
}

size_t lr_diagnosis_held_out(const lr_policy *P)
{
  return (size_t)P->plan_held_out;
}

uint64_t lr_diagnosis_sampling(const lr_policy *P, uint64_t gradients,
                               uint64_t price)
{
  /* two values with each gradient measure the mean curvature */
  return gradients * (price + 2) + (uint64_t)P->plan_spare;
}

uint64_t lr_diagnosis_curvatures(const lr_policy *P)
{
  return (uint64_t)P->plan_curvatures;
}

bool lr_diagnosis_many_inputs(const lr_policy *P, size_t p)
{
  return (double)p > P->plan_many_inputs;
}

uint64_t lr_diagnosis_trials(const lr_policy *P, size_t p)
{
  return (uint64_t)(lr_diagnosis_many_inputs(P, p) ? P->plan_trials_many
                                                   : P->plan_trials_few);
}

uint64_t lr_diagnosis_trials_after(const lr_policy *P, size_t p,
                                   uint64_t samples)
{
  uint64_t least = (uint64_t)P->plan_trials_least;
  if (!lr_diagnosis_many_inputs(P, p) && samples < least) samples = least;
  return lr_diagnosis_trials(P, p) * samples;
}

uint64_t lr_diagnosis_trials_given(const lr_policy *P, uint64_t gradients)
{
  return (uint64_t)P->plan_trials_gradients * gradients;
}

uint64_t lr_diagnosis_trials_late(const lr_policy *P, size_t samples)
{
  return (uint64_t)ceil(P->plan_late_trials * (double)samples);
}

uint64_t lr_diagnosis_exact(const lr_policy *P, size_t p)
{
  return lr_diagnosis_many_inputs(P, p) ? (uint64_t)P->plan_exact : 0;
}

size_t lr_diagnosis_low(const lr_policy *P, size_t p)
{
  return (size_t)(P->low_rank * (double)p);
}

bool lr_diagnosis_many_points(const lr_policy *P, size_t n)
{
  return (double)n >= P->verdict_many;
}

bool lr_diagnosis_drowned(const lr_policy *P, double error)
{
  return error > P->verdict_drowned;
}

bool lr_diagnosis_is_sharp(const lr_policy *P, double error)
{
  return error < P->verdict_exact;
}

double lr_diagnosis_energy(const lr_policy *P)
{
  return P->verdict_energy;
}

double lr_diagnosis_gap(const lr_policy *P)
{
  return P->verdict_gap;
}

bool lr_diagnosis_rounded(const lr_policy *P, double low, double high)
{
  double size = fmax(fabs(high), fabs(low));
  return high > low && high - low < P->verdict_rounded * size;
}

bool lr_diagnosis_noise_matters(const lr_policy *P, double noise,
                                double rounding)
{
  return noise > P->diagnosis_noise * rounding;
}

bool lr_diagnosis_inside(const lr_policy *P, double outside, double error,
                         double leak)
{
  return !(outside > P->inside_errors * error + leak);
}

double lr_diagnosis_leak(const lr_policy *P, double error)
{
  return fmax(P->leak_share, P->leak_errors * error);
}

double lr_diagnosis_allowed(const lr_policy *P, double error)
{
  double truncation = fmin(P->truncation_errors * error, P->truncation_share);
  return fmax(error, truncation);
}

void lr_diagnosis_sight(const lr_policy *P, lr_sightings *seen, double d,
                        double error, double allowed)
{
  seen->looks++;
  seen->faint += d > error;
  seen->plain += d > allowed;
  seen->clear += d > P->seen_errors * allowed;
}

bool lr_diagnosis_shows(const lr_policy *P, const lr_sightings *seen)
{
  double looks = (double)seen->looks;
  return seen->clear > 0 ||
         100 * (double)seen->plain > P->seen_percent * looks ||
         P->seen_faint * (double)seen->faint > looks;
}

double lr_diagnosis_faint(const lr_policy *P)
{
  return P->faint_sample;
}

double lr_diagnosis_least_error(const lr_policy *P, bool differences)
{
  return differences ? P->sample_difference_error : P->sample_given_error;
}

double lr_diagnosis_expected(const lr_policy *P, double error)
{
  return P->sample_error_margin * error;
}

double lr_diagnosis_explained(const lr_policy *P, double tilt)
{
  return fmin(P->tilt_errors * tilt, P->tilt_share);
}

bool lr_diagnosis_may_settle(const lr_policy *P, size_t n, size_t p)
{
  double rank = P->settled_share * (double)n;
  return (double)n >= P->settled_samples && rank == floor(rank) &&
         (double)p >= P->settled_inputs * (double)n;
}

size_t lr_diagnosis_settled_rank(const lr_policy *P, size_t n)
{
  return (size_t)(P->settled_share * (double)n);
}

size_t lr_diagnosis_clean(const lr_policy *P)
{
  return (size_t)P->sample_clean;
}

bool lr_diagnosis_takes_known(const lr_policy *P, size_t taken, size_t planned)
{
  return (double)taken < P->known_share * (double)planned;
}

bool lr_diagnosis_settles(const lr_policy *P, double worst)
{
  return worst <= P->settled_error;
}

bool lr_diagnosis_goes_central(const lr_policy *P, double truncation,
                               size_t gradients)
{
  return truncation > P->central_error &&
         (double)gradients >= P->central_samples;
}

bool lr_diagnosis_hopeless(const lr_policy *P, uint64_t failed, size_t samples)
{
  return (double)failed > P->failed_first + P->failed_each * (double)samples;
}

bool lr_diagnosis_stands(const lr_policy *P, size_t n, size_t still,
                         size_t longest)
{
  return (double)n >= P->stall_least && (double)still >= P->stall_still &&
         (double)still > P->stall_longer * (double)longest;
}

bool lr_diagnosis_tells_cost(const lr_policy *P, double iterations)
{
  return iterations >= P->estimate_least;
}

double lr_diagnosis_lemma_accuracy(const lr_policy *P, bool low_rank)
{
  return low_rank ? P->lemma_accuracy_inside : P->lemma_accuracy;
}

bool lr_diagnosis_alike(const lr_policy *P, uint64_t a, uint64_t b)
{
  double x = (double)a, y = (double)b;
  return x <= P->twin_ratio * y && y <= P->twin_ratio * x;
}

bool lr_diagnosis_hides(const lr_policy *P, double share)
{
  return share > P->rounding_hides;
}

bool lr_diagnosis_differences_hide(const lr_policy *P, double share)
{
  return share > P->truncation_hides;
}

bool lr_diagnosis_is_short(const lr_policy *P, double evaluations)
{
  return evaluations < P->trial_least;
}

double lr_diagnosis_floor(const lr_policy *P, bool reduced)
{
  return reduced ? P->trial_floor : 1;
}

bool lr_diagnosis_tells(const lr_policy *P, double told, double seen)
{
  return told <= P->estimate_alike * seen && seen <= P->estimate_alike * told;
}

bool lr_diagnosis_resolves(const lr_policy *P, double least, double most,
                           double error)
{
  return least > P->estimate_flat * most && least > P->estimate_errors * error;
}

bool lr_diagnosis_negligible(const lr_policy *P, double outside,
                             double tolerance)
{
  return outside <= P->outside_negligible * tolerance;
}

bool lr_diagnosis_same_step(const lr_policy *P, double step, double own)
{
  double size = fabs(step);
  return size <= P->known_step * own && size >= own / P->known_step;
}

/* ---- measurements ---- */

double lr_diagnosis_margin(const lr_policy *P, double error)
{
  return P->inside_errors * error;
}

double lr_diagnosis_p95(const double *sorted, size_t n)
{
  return sorted[(size_t)ceil(0.95 * (double)n) - 1];
}

double lr_diagnosis_curvature_step(const lr_policy *P, double size)
{
  return P->curvature_step * size;
}

double lr_diagnosis_curvature_seen(const lr_policy *P, double error,
                                   double gradient, double step)
{
  return P->curvature_errors * fmax(error, P->curvature_error * gradient) /
         step;
}

size_t lr_diagnosis_curvature_rank(const lr_policy *P)
{
  return (size_t)P->curvature_directions;
}

bool lr_diagnosis_affords_local(const lr_policy *P, uint64_t cost,
                                uint64_t left)
{
  return cost <= (uint64_t)(P->local_share * (double)left);
}

size_t lr_diagnosis_lanczos_steps(const lr_policy *P, size_t r)
{
  return 2 * r + (size_t)P->local_steps;
}

uint64_t lr_diagnosis_mu_directions(const lr_policy *P)
{
  return (uint64_t)P->mu_directions;
}

bool lr_diagnosis_estimates(const lr_policy *P, size_t k)
{
  return (double)k <= P->estimate_variables;
}

bool lr_diagnosis_estimates_by_values(const lr_policy *P, size_t k)
{
  return (double)k <= P->estimate_by_values;
}

int64_t lr_diagnosis_estimate_longest(const lr_policy *P)
{
  return (int64_t)P->estimate_longest;
}

double lr_diagnosis_outside_step(const lr_policy *P, double size)
{
  return P->outside_step * size;
}

bool lr_diagnosis_has_room(const lr_policy *P, double step, double size)
{
  return step > P->outside_room * size;
}

double lr_diagnosis_outside_error(const lr_policy *P, double rounding,
                                  double noise)
{
  return fmax(rounding, P->outside_noise * noise);
}

uint64_t lr_diagnosis_outside_probes(const lr_policy *P)
{
  return (uint64_t)P->outside_probes;
}

size_t lr_diagnosis_patience(const lr_policy *P, size_t directions)
{
  return (size_t)P->sample_patience + 2 * directions;
}

double lr_diagnosis_bend_step(const lr_policy *P, double step)
{
  return P->sample_bend * step;
}

bool lr_diagnosis_tries(const lr_policy *P, int tried)
{
  return tried < P->sample_tries;
}

size_t lr_diagnosis_bootstrap(const lr_policy *P)
{
  return (size_t)P->bootstrap_samples;
}

double lr_diagnosis_probe_error(const lr_policy *P)
{
  return P->held_out_error;
}

bool lr_diagnosis_holds_out(const lr_policy *P, uint64_t tried, size_t wanted)
{
  return (double)tried < P->held_out_tries * (double)wanted;
}

uint64_t lr_diagnosis_invariance_points(const lr_policy *P)
{
  return (uint64_t)P->invariance_points;
}

bool lr_diagnosis_runs_whole(const lr_policy *P, size_t p)
{
  return (double)p <= P->trial_inputs;
}

double lr_diagnosis_fine(const lr_policy *P)
{
  return P->verdict_fine;
}

double lr_proposition_accuracy(const lr_policy *P, double size)
{
  return P->proposition_accuracy * size;
}

bool lr_proposition_goes_on(const lr_policy *P, int steps)
{
  return steps < P->proposition_steps;
}

double lr_proposition_less(const lr_policy *P, double tilt)
{
  return P->proposition_tilt * tilt;
}

double lr_proposition_more(const lr_policy *P, double tilt)
{
  return P->proposition_more * tilt;
}

double lr_proposition_level(const lr_policy *P, double decrease, double f)
{
  return decrease > 0 ? P->proposition_level * decrease
                      : P->proposition_flat * fmax(fabs(f), 1);
}

bool lr_proposition_is_aligned(const lr_policy *P, double cosine)
{
  return cosine > P->proposition_aligned;
}

double lr_proposition_near(const lr_policy *P, double gradient)
{
  return P->proposition_near * gradient;
}

bool lr_proposition_is_outside(const lr_policy *P, double share)
{
  return share > P->proposition_outside;
}

size_t lr_proposition_held_out(const lr_policy *P)
{
  return (size_t)P->proposition_points;
}

double lr_diagnosis_accuracy(const lr_policy *P, double whole)
{
  return P->theorem_accuracy * whole;
}

size_t lr_diagnosis_check_directions(const lr_policy *P)
{
  return (size_t)P->check_directions;
}

bool lr_diagnosis_differs(const lr_policy *P, double told, double measured,
                          double error)
{
  double larger = fmax(fabs(told), fabs(measured));
  return fabs(told - measured) >
         P->check_share * larger + P->check_errors * error;
}

double lr_diagnosis_check_shorter(const lr_policy *P, double h)
{
  return h / P->check_shorter;
}

size_t lr_diagnosis_local_rays(const lr_policy *P)
{
  return (size_t)P->local_rays;
}

size_t lr_diagnosis_local_points(const lr_policy *P)
{
  return (size_t)P->local_points;
}

double lr_diagnosis_local_distance(const lr_policy *P, double size, size_t j)
{
  return size * lr_pow(P->local_nearer, (double)j);
}

double lr_diagnosis_local_step(const lr_policy *P, bool differences,
                               double size)
{
  return size * (differences ? P->local_step_values : P->local_step_gradients);
}

int64_t lr_diagnosis_trial_longest(const lr_policy *P)
{
  return (int64_t)P->trial_iterations;
}

uint64_t lr_diagnosis_trial_share(const lr_policy *P, uint64_t left)
{
  return (uint64_t)(P->trial_share * (double)left);
}

uint64_t lr_diagnosis_twin_longest(const lr_policy *P, uint64_t paid)
{
  return (uint64_t)(P->twin_longest * (double)paid);
}
