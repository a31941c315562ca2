/* Decisions of the opening by a Gaussian process. */
#include "surrogate/surrogate_rules.h"

#include "base/elementary.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Candidates for the kernel's length, relative to the present one. */
static const double lengths[LR_SURROGATE_LENGTHS] = {0.4,  0.55, 0.75, 1,
                                                     1.35, 1.8,  2.5};

static double diagonal(size_t p)
{
  return 2 * sqrt((double)p);
}

/* The root mean square distance of a uniform point from the middle. */
static double typical_distance(size_t p)
{
  return sqrt((double)p / 3);
}

/* ---- the opening ---- */

bool lr_surrogate_suits(const lr_policy *P, size_t p)
{
  double n = (double)p;
  return n >= P->surrogate_least_dimension && n <= P->surrogate_most_dimension;
}

size_t lr_surrogate_budget(const lr_policy *P, size_t p)
{
  return (size_t)fmin(P->surrogate_longest * (double)p, P->surrogate_points);
}

size_t lr_surrogate_probes(const lr_policy *P)
{
  return (size_t)P->surrogate_probes;
}

bool lr_surrogate_doubts(const lr_policy *P, double deviation)
{
  return deviation >= P->surrogate_scatter * typical_distance(1);
}

bool lr_surrogate_tries_again(const lr_policy *P, size_t tried)
{
  return (double)tried < P->surrogate_doubts;
}

/* ---- the process ---- */

double lr_surrogate_first_length(const lr_policy *P, size_t p)
{
  return P->surrogate_first_length * diagonal(p);
}

double lr_surrogate_length(const lr_policy *P, double length, int i, size_t p)
{
  double most = P->surrogate_longest_length * diagonal(p);
  return fmin(fmax(lengths[i] * length, P->surrogate_least_length), most);
}

double lr_surrogate_length_prior(const lr_policy *P, double length, size_t p)
{
  double typical = P->surrogate_typical_length * diagonal(p);
  double away = lr_log(length / typical) / P->surrogate_length_spread;
  return 0.5 * away * away;
}

bool lr_surrogate_refits(const lr_policy *P, size_t n, size_t chosen)
{
  return chosen == 0 || (double)n >= P->surrogate_refit * (double)chosen;
}

static double asinh_of(double x)
{
  return lr_log(x + lr_hypot(x, 1));
}

/* The quantile of n numbers in ascending order, between two of them where it
 * falls there. */
static double quantile(const double *sorted, size_t n, double share)
{
  double at = share * (double)(n - 1);
  size_t i = (size_t)at;
  double above = sorted[i + 1 < n ? i + 1 : i];
  return sorted[i] + (at - (double)i) * (above - sorted[i]);
}

double lr_surrogate_compress(const lr_policy *P, size_t n, const double *f,
                             double *y, double *scratch)
{
  double mean = 0, square = 0;
  memcpy(scratch, f, n * sizeof *f);
  lr_sort(scratch, n);
  double low = scratch[0];
  double s = quantile(scratch, n, P->surrogate_quantile) - low;
  s = fmax(s, 1e-12 * fabs(low) + 1e-300);
  for (size_t i = 0; i < n; i++) {
    y[i] = s * asinh_of((f[i] - low) / s);
    mean += y[i] / (double)n;
  }
  for (size_t i = 0; i < n; i++) {
    y[i] -= mean;
    square += y[i] * y[i] / (double)n;
  }
  double scale = sqrt(square) + 1e-300;
  for (size_t i = 0; i < n; i++) y[i] /= scale;
  return scale;
}

/* ---- the trust ball ---- */

double lr_surrogate_first_radius(const lr_policy *P, size_t p)
{
  return P->surrogate_first_radius * typical_distance(p);
}

bool lr_surrogate_is_fine(const lr_policy *P, double radius, size_t p)
{
  return radius <= P->surrogate_last_radius * typical_distance(p);
}

double lr_surrogate_kappa(const lr_policy *P, size_t n)
{
  const double kappa[] = {P->surrogate_exploit, P->surrogate_balance,
                          P->surrogate_explore};
  return kappa[n % 3];
}

double lr_surrogate_move(const lr_policy *P, double radius)
{
  return P->surrogate_wander * radius;
}

double lr_surrogate_radius(const lr_policy *P, double radius,
                           const lr_surrogate_step *step, int *failures)
{
  double promised = fmax(step->promised, 0);
  bool fell = step->decrease > P->surrogate_success * promised;
  *failures = fell ? 0 : *failures + 1;
  if (*failures >= P->surrogate_failures) {
    *failures = 0;
    return P->surrogate_shrink * radius;
  }
  bool grows = fell && step->length > P->surrogate_long_step * radius &&
               step->decrease > P->surrogate_good * promised;
  return grows ? P->surrogate_grow * radius : radius;
}

/* ---- the search for a step ---- */

bool lr_surrogate_searches_on(const lr_policy *P, int turn)
{
  return turn <= P->surrogate_turns;
}

bool lr_surrogate_promises(double along, double value)
{
  return along < -(1e-12 * fabs(value) + 1e-300);
}

bool lr_surrogate_falls(const lr_policy *P, double value, double highest,
                        double promised)
{
  return value <= highest + P->armijo * promised;
}

bool lr_surrogate_backtracks(const lr_policy *P, int trials)
{
  return trials < P->surrogate_trials;
}

double lr_surrogate_shorter(const lr_policy *P, double t)
{
  return P->surrogate_backtrack * t;
}

double lr_surrogate_first_step(const lr_policy *P, double steepest)
{
  return steepest > 0 ? P->surrogate_first_move / steepest : 1;
}

double lr_surrogate_spectral(double last, double ss, double sy)
{
  return fmin(fmax(sy > 0 ? ss / sy : 4 * last, 1e-12), 1e12);
}
