/* Decisions of quasi-Newton. */
#include "auto/quasi_newton_rules.h"

#include <math.h>

/* ---- gradients ---- */

bool lr_qn_active_gradient_pays(const lr_policy *P, const lr_qn_active *a,
                                double k, double p)
{
  return a->whole && !a->never_again &&
         a->in_a_row < P->active_gradients_in_a_row &&
         (double)a->count / p >= P->active_share && k / p <= P->active_span;
}

bool lr_qn_probes_pay(const lr_policy *P, double active, double probes)
{
  return active > P->active_per_probe * probes;
}

bool lr_qn_within_error(const lr_policy *P, double norm, double error)
{
  return norm <= P->gradient_errors * error;
}

bool lr_qn_error_hides(const lr_policy *P, double error, double tol)
{
  return !(error < P->error_of_tolerance * tol);
}

bool lr_qn_blurred(const lr_policy *P, double norm, double error)
{
  return norm < P->gradient_errors * error;
}

bool lr_qn_doubts(const lr_policy *P, double norm, double truncation)
{
  return norm < P->blurred_doubt * truncation;
}

bool lr_qn_is_truncation(const lr_policy *P, double norm, double along)
{
  return !(along >= P->blurred_share * norm);
}

double lr_qn_third_order(double h, double c, double scale)
{
  return c * h * h / (6 * scale);
}

double lr_qn_least_tolerance(const lr_policy *P, double first, double one_sided,
                             double two_sided)
{
  return first <= P->start_errors * one_sided ? P->start_errors * two_sided : 0;
}

size_t lr_qn_trace_probes(const lr_policy *P)
{
  return (size_t)P->trace_probes;
}

bool lr_qn_trace_promises(const lr_policy *P, double expected, double tol)
{
  return expected <= P->trace_tolerance * tol;
}

bool lr_qn_trace_pays(const lr_policy *P, double p)
{
  return p > P->trace_inputs * (double)lr_qn_trace_probes(P);
}

bool lr_qn_gain_is_noise(const lr_policy *P, double gain, double noise)
{
  return gain < P->gain_of_noise * noise;
}

bool lr_qn_is_new(const lr_policy *P, double outside, double gradient)
{
  return outside > P->new_direction * gradient;
}

double lr_qn_guessed_curvature(const lr_policy *P, double slope, double scale)
{
  return fmax(1, slope / (P->guessed_step * scale));
}

bool lr_qn_columns_too_dear(const lr_policy *P, double k, double p)
{
  return k / p > P->column_span;
}

/* ---- steps ---- */

bool lr_qn_steps_inside(const lr_policy *P, const lr_qn_inside *s,
                        bool interior, double k, double p, double rate)
{
  double inside = (double)s->inside, all = (double)(s->inside + s->outside);
  bool explore = inside + k < P->inside_share * all;
  /* at bounds, derivatives along V do not determine the gradient along the
   * coordinates at bounds, so that they must be cheap */
  bool cheap = interior || k / p <= P->inside_span;
  return k > 0 && cheap && (!s->tried || s->rate >= rate || explore);
}

bool lr_qn_goes_on_inside(const lr_policy *P, double rate_inside, double rate,
                          double cliffs)
{
  return rate_inside >= rate && rate_inside > 0 && cliffs < P->inside_cliffs;
}

/* ---- ends ---- */

double lr_qn_failed_rounds(const lr_policy *P, bool noise_two_sided)
{
  return noise_two_sided ? P->failed_rounds_noisy : P->failed_rounds;
}

bool lr_qn_idles(const lr_policy *P, unsigned idle)
{
  return idle > P->idle_rounds;
}

bool lr_qn_window_ends(const lr_policy *P, uint64_t rounds)
{
  return rounds % (uint64_t)P->creep_window == 0;
}

bool lr_qn_creeps(const lr_policy *P, double lately, double gained,
                  double cliffs, bool active)
{
  double least = cliffs >= P->creep_many_cliffs   ? P->creep_at_many_cliffs
                 : cliffs >= P->creep_some_cliffs ? P->creep_at_some_cliffs
                 : active                         ? P->creep_active
                                                  : P->creep;
  return !(lately > least * gained);
}

bool lr_qn_noise_due(const lr_policy *P, double since, double p, bool noisy)
{
  return since > P->noise_interval * p &&
         (noisy || since > P->noise_least_interval);
}

bool lr_qn_misled(const lr_policy *P, const lr_model *m)
{
  return lr_model_misled(P, m, P->misled_quasi_newton);
}

/* ---- the pretest ---- */

bool lr_pretest_near(const lr_policy *P, double before, double tol)
{
  return before <= P->pretest_near * tol;
}

bool lr_pretest_one_probe(const lr_policy *P, double n, double d, double tol)
{
  return n * d * d <= P->pretest_probe * P->pretest_probe * tol * tol;
}

bool lr_pretest_inside(const lr_policy *P, double inside, double tol)
{
  return inside <= P->pretest_inside * tol;
}

bool lr_pretest_cheap(const lr_policy *P, double k, double probes, double p)
{
  return k + probes <= P->pretest_price * p;
}

bool lr_pretest_cheap_bounded(const lr_policy *P, double probes, double p)
{
  /* two for each free direction and one for each direction at bounds */
  return 3 * probes <= P->pretest_price_bounded * p;
}

/* ---- separable functions ---- */

bool lr_separable_tries(const lr_policy *P, unsigned rejected)
{
  return rejected < P->separable_trials;
}

double lr_separable_least_change(const lr_policy *P, double error)
{
  return P->separable_errors * error;
}

bool lr_separable_signs(const lr_policy *P, double changed, double agree)
{
  return changed >= P->separable_inputs &&
         agree / changed >= P->separable_signs;
}

bool lr_separable_curvature(const lr_policy *P, double measured,
                            double predicted)
{
  return measured > P->separable_least_curvature * predicted &&
         measured < P->separable_most_curvature * predicted;
}
