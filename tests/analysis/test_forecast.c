/* Runs that were cut off: their end is told where f has stopped falling, and
 * not otherwise. */
#include "analysis/forecast.h"

#include "check.h"

#include <math.h>

enum { N = 60, PATIENCE = 100 };

TEST("a run that stands still will be given up by the solver")
{
  double f[N];
  for (int i = 0; i < N; i++) f[i] = i < 30 ? 100 - i : 71;
  lr_track track = {N, f};
  check_near(lr_forecast_stall(&track, PATIENCE), N + PATIENCE - 30, 1e-12,
             "after 100 such");
  track.n = 35; /* five without a decrease are nothing yet */
  check(isnan(lr_forecast_stall(&track, PATIENCE)), "not yet");
}

TEST("of a run whose f falls no end is predicted, however regularly it falls")
{
  double f[N];
  for (int i = 0; i < N; i++) f[i] = exp(-0.2 * i);
  lr_track track = {N, f};
  check(isnan(lr_forecast_stall(&track, PATIENCE)), "a slow end may follow");
}

TEST("a run that creeps on within rounding is not taken for one that stands")
{
  double f[N];
  for (int i = 0; i < N; i++)
    f[i] = 100 - 1e-12 * (i / 12); /* it falls at every twelfth */
  lr_track track = {N, f};
  check(isnan(lr_forecast_stall(&track, PATIENCE)),
        "the next fall may come as the others did");
}
