/* Whether f had stopped falling where a trial run ended. */
#include "analysis/forecast.h"

#include "check.h"

#include <math.h>

enum { N = 60 };

TEST("a run without a decrease for long has stalled")
{
  double f[N];
  for (int i = 0; i < N; i++) f[i] = i < 30 ? 100 - i : 71;
  lr_track track = {N, f};
  check(lr_forecast_stands(&track), "thirty without a decrease");
  track.n = 35; /* five without a decrease are nothing yet */
  check(!lr_forecast_stands(&track), "not yet");
}

TEST(
    "a run whose f decreases has not stalled, however slow the decrease "
    "is")
{
  double f[N];
  for (int i = 0; i < N; i++) f[i] = exp(-0.2 * i);
  lr_track track = {N, f};
  check(!lr_forecast_stands(&track), "it falls at every iteration");
}

TEST(
    "decreases of the size of rounding errors are distinguished from a "
    "stall")
{
  double f[N];
  for (int i = 0; i < N; i++)
    f[i] = 100 - 1e-12 * (i / 12); /* it falls at every twelfth */
  lr_track track = {N, f};
  check(!lr_forecast_stands(&track),
        "the next fall may come as the others did");
}
