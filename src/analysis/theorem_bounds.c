/* The bounds of the paper as numbers: the binomial bound, Propositions 2.2 and
 * 2.3, Theorems 3.1-3.4. */
#include "base/elementary.h"

#include <lrgd/analysis.h>
#include <math.h>
#include <stdbool.h>

/* P(at most k of n), each with probability q. */
static double binomial(size_t n, size_t k, double q)
{
  double sum = 0, N = (double)n;
  if (q <= 0) return 1;
  if (q >= 1) return k >= n ? 1 : 0;
  double term = N * lr_log1p(-q),
         odds = lr_log(q) - lr_log1p(-q); /* logarithms */
  for (size_t i = 0; i <= k; i++) {
    double j = (double)i;
    sum += lr_exp(term);
    term += lr_log((N - j) / (j + 1)) + odds;
  }
  return fmin(sum, 1);
}

double lrgd_share_bound(size_t n, size_t bad, double confidence)
{
  double delta = 1 - confidence, low = 0, high = 1;
  if (n == 0 || bad >= n) return 1;
  if (bad == 0) return -lr_expm1(lr_log(delta) / (double)n);
  for (int i = 0; i < 100; i++) { /* bisection to the last bit takes fewer */
    double q = 0.5 * (low + high);
    if (binomial(n, bad, q) > delta)
      low = q;
    else
      high = q;
  }
  return high;
}

size_t lrgd_points_needed(double share, double confidence)
{
  if (!(share > 0) || !(share < 1)) return 0;
  /* 1e-9, so that a quotient which should be a whole number is not rounded
   * up */
  return (size_t)ceil(lr_log(1 - confidence) / lr_log1p(-share) - 1e-9);
}

double lrgd_least_epsilon(double mu, double delta, double eta)
{
  return mu * delta * (1 - eta);
}

double lrgd_least_eta(double mu, double delta, double epsilon)
{
  return fmax(0, 1 - epsilon / (mu * delta));
}

double lrgd_least_epsilon_near(double lambda, double M, double delta,
                               double eta)
{
  double most = lambda * delta; /* |x - x*| <= delta */
  double bend = (1 + eta) * M / (lambda * lambda);
  if (!(lambda > 0) || !(eta < 1)) return 0;
  double best = bend > 0 ? (1 - eta) / (2 * bend) : most;
  double t = fmin(best, most);
  return (1 - eta) * t - bend * t * t;
}

/* ---- theorems ---- */

/* Rounding error of a gradient in H, relative to it: less outside H counts as
 * zero. */
static const double exact = 1e-10;

/* A larger condition number is infinite to 15 digits. */
static const double infinite = 1e15;

static void ask_for(lrgd_theorem_bound *claim, const char *name, double left,
                    double right)
{
  lrgd_condition *c = &claim->condition[claim->conditions++];
  *c = (lrgd_condition){name, left, right, left <= right};
  claim->holds = claim->holds && c->holds;
}

/* The condition of Theorems 3.2 and 3.4, with additive = the epsilon of
 * Definition 2.2 that the theorem allows: the lemma's eta~ <= 1/sqrt(10). */
static void approximate(lrgd_theorem_bound *claim,
                        const lrgd_theorem_constants *f, double additive)
{
  double spread = 2 * (double)f->r / f->sigma_r;
  claim->additive_tilde = additive;
  claim->eta_tilde = f->eta + spread * (f->eta + additive / f->least_sample);
  ask_for(claim, "Definition 2.2: epsilon measured <= epsilon allowed",
          f->additive, additive);
  ask_for(claim, "eta (1 + 2r/sigma_r) + 2r epsilon/(sigma_r epsilon')",
          claim->eta_tilde, 1 / sqrt(10));
}

lrgd_theorem_bound lrgd_theorem_bound_of(lrgd_theorem theorem,
                                         const lrgd_theorem_constants *f)
{
  lrgd_theorem_bound claim = {.holds = f != NULL};
  if (!f) return claim;
  double r = (double)f->r, pr = (double)f->p * r;
  double kappa = f->mu > 0 ? f->L / f->mu : INFINITY; /* not convex */
  switch (theorem) {
  case LRGD_THEOREM_3_1:
    claim.alpha = 1 / f->L;
    claim.bound = kappa * r * lr_log(f->Delta0 / f->epsilon) + pr;
    ask_for(&claim, "grad f in H: share outside", f->eta, exact);
    ask_for(&claim, "strong convexity in H: L/mu finite", kappa, infinite);
    break;
  case LRGD_THEOREM_3_2:
    claim.alpha = 1 / (8 * f->L);
    claim.bound = 16 * kappa * r * lr_log(2 * f->Delta0 / f->epsilon) + pr;
    ask_for(&claim, "strong convexity in all directions: L/mu finite", kappa,
            infinite);
    approximate(&claim, f, sqrt(f->mu * f->epsilon / 5));
    break;
  case LRGD_THEOREM_3_3:
    claim.alpha = 1 / f->L;
    claim.bound = 2 * r * f->L * f->Delta0 / (f->epsilon * f->epsilon) + pr;
    ask_for(&claim, "grad f in H: share outside", f->eta, exact);
    break;
  default:
    claim.alpha = 1 / (8 * f->L);
    claim.bound = 72 * r * f->L * f->Delta0 / (f->epsilon * f->epsilon) + pr;
    approximate(&claim, f, f->epsilon / 3);
    break;
  }
  /* NaN or a negative number cannot be a constant of a function */
  if (!(f->L > 0)) claim.holds = 0;
  return claim;
}
