/* Whether f had stopped falling at the end of a trial run.
 *
 * That is all that its values tell.  (Linear and sublinear convergence rates
 * were fitted to the values of runs that were cut off, and extrapolated; they
 * were wrong by up to 39 times, as the smallest curvature shows only once the
 * others are reduced.  Nor does a run that stands still end when the solver's
 * patience is over: it may measure differences anew and fall again.) */
#include "analysis/forecast.h"
#include "analysis/diagnosis_rules.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* The number of last iterations without a decrease of f; *longest: the longest
 * such series before it. */
static size_t stalled(const lr_track *t, size_t *longest)
{
  size_t count = 0;
  double low = INFINITY;
  *longest = 0;
  for (size_t i = 0; i < t->n; i++) {
    bool fell = !(low <= t->f[i] + DBL_EPSILON * fabs(t->f[i]));
    if (fell && count > *longest) *longest = count;
    count = fell ? 0 : count + 1;
    if (fell) low = t->f[i];
  }
  return count;
}

bool lr_forecast_stands(const lr_track *t)
{
  size_t longest, still = stalled(t, &longest);
  return lr_diagnosis_stands(lr_policy_current(), t->n, still, longest);
}
