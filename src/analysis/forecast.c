/* Continues a run that its budget cut off, from its own numbers alone.
 *
 * Descent falls in one of two ways: by a factor an iteration (|grad f| ~ q^n,
 * strongly convex) or by a power (|grad f| ~ n^-s, flat minima such as
 * Powell's).  Each law is tried on the run itself first: from its second
 * quarter, when would it have reached where it now stands?  A law that is off
 * by more than half, or would have to be carried too far, tells nothing, and
 * then nothing is told. */
#include "analysis/forecast.h"

#include "base/elementary.h"

#include <float.h>
#include <math.h>

/* Iterations after which a run that does not fall is called stalled here; the
 * solver waits longer. */
enum { STILL = 10, LEAST = 12 };

/* A law must have foretold the present within this factor. */
static const double near_enough = 1.5;

static double lowest(const double *a, size_t n)
{
  double low = INFINITY;
  for (size_t i = 0; i < n; i++) low = fmin(low, a[i]);
  return low;
}

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

/* The clock a law runs by: iterations, or their logarithm. */
static double clock(bool power, double n)
{
  return power ? lr_log(n) : n;
}

static double back(bool power, double time)
{
  return power ? lr_exp(time) : time;
}

/* When the fall from iteration a to b, carried on, comes to `level`. */
static double reaches(const lr_track *t, bool power, size_t a, size_t b,
                      double level)
{
  double from = lowest(t->log_g, a), to = lowest(t->log_g, b);
  double start = clock(power, (double)a), now = clock(power, (double)b);
  double rate = (from - to) / (now - start);
  if (!(rate > 0)) return INFINITY;
  return back(power, now + fmax(to - level, 0) / rate);
}

/* By how large a factor the law was wrong about the present. */
static double wrong(const lr_track *t, bool power)
{
  double n = (double)t->n;
  double told = reaches(t, power, t->n / 4, t->n / 2, lowest(t->log_g, t->n));
  return fmax(told / n, n / told);
}

lr_forecast lr_forecast_make(const lr_track *t, double target, size_t patience,
                             double far_ahead)
{
  lr_forecast told = {LR_END_UNKNOWN, NAN};
  if (t->n < LEAST) return told;
  size_t longest, still = stalled(t, &longest);
  bool stands = still >= STILL && still > 2 * longest;
  if (stands && still < patience) {
    told.end = LR_END_STALLS;
    told.iterations = (double)(t->n + patience - still);
    return told;
  }
  double factor = wrong(t, false), powers = wrong(t, true);
  bool power = powers < factor;
  if (!(fmin(factor, powers) <= near_enough)) return told;
  double iterations = reaches(t, power, t->n / 2, t->n, target);
  double lately = reaches(t, power, t->n - t->n / 4, t->n, target);
  if (!(iterations <= far_ahead * (double)t->n) || !(lately <= 2 * iterations))
    return told; /* too far, or it has begun to slow down */
  told.end = LR_END_REACHES;
  told.iterations = iterations;
  return told;
}
