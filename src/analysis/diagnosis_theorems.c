/* The theorems' constants and conditions for a function that was diagnosed. */
#include "analysis/diagnosis_rules.h"
#include "analysis/diagnosis_state.h"

#include <math.h>

/* The eta that goes with an additive epsilon, by the held-out points. */
static double eta_for(const lrgd_diagnosis *study, size_t r, double additive)
{
  double low = 0, high = 1;
  if (!(lrgd_diagnosis_epsilon(study, r, 0) > additive)) return 0;
  for (int i = 0; i < 60; i++) {
    double eta = 0.5 * (low + high);
    if (lrgd_diagnosis_epsilon(study, r, eta) > additive)
      low = eta;
    else
      high = eta;
  }
  return high;
}

/* The constant of strong convexity for Theorem 3.2, which requires it
 * everywhere, not inside H alone: an exactly low-rank function has none, and
 * for others the smallest curvature found, inside H and outside, is an upper
 * bound. */
static double convexity(const lrgd_diagnosis_result *found, size_t p)
{
  size_t r = found->recommended_rank;
  if (r == p) return found->mu;
  if (found->exact_rank == r) return 0;
  return found->mu_seen; /* NaN: no positive curvature is known */
}

/* The largest eta that the theorem allows.  Definition 2.2 has a pair (eta,
 * epsilon), and a smaller one requires a larger other: each is measured with
 * the other at its largest allowed value. */
static double eta_allowed(const lrgd_theorem_constants *of, double additive)
{
  double spread = 2 * (double)of->r / of->sigma_r;
  double eta = (1 / sqrt(10) - spread * additive / of->least_sample);
  return fmax(eta / (1 + spread), 0);
}

/* The constants as measured, without eta and epsilon. */
static lrgd_theorem_constants measured(const lrgd_diagnosis *study,
                                       lrgd_theorem theorem)
{
  const lrgd_diagnosis_result *found = &study->result;
  lrgd_theorem_constants of = {.p = study->p,
                               .r = found->recommended_rank,
                               .L = found->L,
                               .mu = found->mu,
                               .Delta0 = found->Delta0,
                               .sigma_r = found->sigma_r,
                               .least_sample = found->least_sample};
  if (isnan(of.Delta0)) /* |grad f|^2 / 2L: a lower bound on the decrease of one
                           step */
    of.Delta0 = found->grad_norm * found->grad_norm / (2 * found->L);
  if (theorem == LRGD_THEOREM_3_2) of.mu = convexity(found, of.p);
  return of;
}

/* The accuracy: as the options have it, in f or in |grad f|. */
static double accuracy(const lrgd_diagnosis *study, bool convex,
                       const lrgd_theorem_constants *of, const lrgd_options *o)
{
  const lr_policy *P = lr_policy_current();
  if (convex && o && o->epsilon > 0) return o->epsilon;
  if (!convex && o && o->tol > 0) return o->tol;
  return lr_diagnosis_accuracy(P,
                               convex ? of->Delta0 : study->result.grad_norm);
}

lrgd_theorem_bound lrgd_diagnosis_theorem(const lrgd_diagnosis *study,
                                          lrgd_theorem theorem,
                                          const lrgd_options *options,
                                          double *epsilon)
{
  if (!study) return (lrgd_theorem_bound){0};
  const lrgd_diagnosis_result *found = &study->result;
  bool convex = theorem == LRGD_THEOREM_3_1 || theorem == LRGD_THEOREM_3_2;
  size_t r = found->recommended_rank;
  lrgd_theorem_constants of = measured(study, theorem);
  of.epsilon = accuracy(study, convex, &of, options);
  double additive = convex ? sqrt(of.mu * of.epsilon / 5) : of.epsilon / 3;
  if (theorem == LRGD_THEOREM_3_1 || theorem == LRGD_THEOREM_3_3)
    of.eta = found->exact_rank == r ? 0 : found->certified_eta;
  else
    of.eta = eta_for(study, r, additive);
  of.additive = lrgd_diagnosis_epsilon(study, r, eta_allowed(&of, additive));
  if (epsilon) *epsilon = of.epsilon;
  return lrgd_theorem_bound_of(theorem, &of);
}
