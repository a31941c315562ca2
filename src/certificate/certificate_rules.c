/* Decisions of certificates. */
#include "certificate/certificate_rules.h"

#include <math.h>

/* ---- probes outside a subspace ---- */

double lr_certificate_inside(const lr_policy *P, double norm, double truncation,
                             double error, size_t k)
{
  return norm + truncation + P->certificate_error * error * sqrt((double)k);
}

bool lr_certificate_repeats(const lr_policy *P, double bound, double estimate,
                            double tol, size_t m, size_t p)
{
  return bound > tol && estimate < P->repeat_estimate * tol &&
         P->repeat_looks * (double)m <= P->repeat_price * (double)p;
}

bool lr_certificate_one_probe(const lr_policy *P, double square, double tol)
{
  return square <= P->pretest_probe * P->pretest_probe * tol * tol;
}

/* ---- bounds ---- */

bool lr_certificate_has_room(const lr_policy *P, size_t near, size_t p)
{
  return (double)near <= P->near_bounds * (double)p;
}

bool lr_certificate_too_many(const lr_policy *P, size_t weak, size_t p)
{
  return (double)weak > P->weak_multipliers * (double)p;
}

/* ---- a gradient that was measured ---- */

bool lr_truncation_decides(const lr_policy *P, double known, double truncation,
                           double tol)
{
  if (known <= tol) return known + truncation > tol;
  return truncation > P->truncation_of_bound * known;
}

double lr_truncation_error(const lr_policy *P, const lr_two_lengths *two)
{
  double bound = two->bound, change = two->change;
  double rest = change * change - P->longer_noise * two->noise2;
  double sure = P->longer_errors * sqrt(two->noise2);
  double estimate = P->longer_truncation * sqrt(fmax(rest, 0));
  if (!(bound < INFINITY)) return estimate;
  if (change > P->longer_change * bound && change > sure) return INFINITY;
  if (two->longer < P->longer_falls * bound && bound - two->longer > sure)
    return INFINITY;
  if (two->longer < P->longer_doubles * bound && bound > sure) return bound;
  return fmin(bound, estimate);
}

double lr_certificate_finer_steps(const lr_policy *P, double truncation,
                                  double noise, double tol)
{
  double wanted = sqrt(truncation / (P->finer_truncation * tol));
  double times = fmin(wanted, P->finer_noise * tol / noise);
  return times > P->finer_least ? 1 / times : 1;
}

bool lr_certificate_stationary_start(const lr_policy *P, double bound,
                                     double first)
{
  return bound <= P->start_gradient * first;
}

bool lr_certificate_smooth(const lr_policy *P, double change, double decrease)
{
  return change <= P->smooth_change * fmax(decrease, 0);
}

bool lr_certificate_error_hides(const lr_policy *P, double error, double tol)
{
  return !(error < P->error_of_tolerance * tol);
}

/* ---- a run that has stalled ---- */

bool lr_certificate_closes(const lr_policy *P, int looks, bool at_start,
                           double price, double spent)
{
  bool first = at_start && looks == 0;
  double share = first ? P->start_price : P->close_price;
  double least = first ? P->start_evaluations : 0;
  return looks < P->close_looks && price <= fmax(share * spent, least);
}

double lr_certificate_shorter_steps(const lr_policy *P, double change,
                                    double error)
{
  double least = P->close_change * error;
  return change > least ? least / change : 1;
}

double lr_certificate_short_of_noise(const lr_policy *P, double noise,
                                     double seen)
{
  return fmin(noise / (P->close_noise * seen), 1);
}
