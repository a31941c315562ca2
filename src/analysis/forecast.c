/* Continues a run that its budget cut off, from its own numbers alone.
 *
 * Only one end can be told from them: f has stopped falling, and the solver
 * will give up.  (Laws of descent, by a factor an iteration or by a power, were
 * tried on what was seen and carried on; they were wrong by up to 39 times, as
 * the slowest direction shows only once the others are done.) */
#include "analysis/forecast.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Iterations after which a run that does not fall is called stalled here; the
 * solver waits longer. */
enum { STILL = 10, LEAST = 12 };

/* How many of the last iterations brought no decrease of f, as the solver
 * counts them; *longest: how many in a row did so before, and it fell again. */
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
  if (t->n < LEAST) return NAN;
  size_t longest, still = stalled(t, &longest);
  bool stands = still >= STILL && still > 2 * longest;
  return stands && still < patience ? (double)(t->n + patience - still) : NAN;
}
