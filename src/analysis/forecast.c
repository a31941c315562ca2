/* Extrapolates a run that its budget cut off from its own values alone.
 *
 * Only one ending can be predicted from them: f has stopped falling, and the
 * solver will stall. (Linear and sublinear convergence rates were fitted to the
 * values and extrapolated; they were wrong by up to 39 times, as the smallest
 * curvature shows only once the others are reduced.) */
#include "analysis/forecast.h"
#include "analysis/diagnosis_rules.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* How many of the last iterations brought no decrease of f, as the solver
 * counts them; *longest: the longest such series before f fell again. */
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

double lr_forecast_stall(const lr_track *t, size_t patience)
{
  size_t longest, still = stalled(t, &longest);
  bool stands = lr_diagnosis_stands(lr_policy_current(), t->n, still, longest);
  return stands && still < patience ? (double)(t->n + patience - still) : NAN;
}
