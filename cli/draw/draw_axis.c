/* Scales and ticks.  A linear axis steps by 1, 2 or 5 times a power of ten; a
 * logarithmic one by whole decades, within few of them by 1, 2, 5, and like a
 * linear one where not even two of those can be seen. */
#include "draw_axis.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- range ---- */

static void include(cli_scale *scale, double value)
{
  if (!isfinite(value) || (scale->kind == DRAW_LOG && !(value > 0))) return;
  if (!(scale->lo <= value)) scale->lo = value; /* NaN: no value so far */
  if (!(scale->hi >= value)) scale->hi = value;
}

static void include_series(cli_scale *scale, const draw_series *series,
                           bool vertical)
{
  const draw_grid *grid = series->grid;
  if (series->kind == DRAW_LEVELS) {
    include(scale, vertical ? grid->y0 : grid->x0);
    include(scale, vertical ? grid->y1 : grid->x1);
    return;
  }
  for (size_t i = 0; i < series->count; i++) {
    include(scale, vertical ? series->y[i] : series->x[i]);
    if (vertical && series->kind == DRAW_BAND) include(scale, series->y2[i]);
  }
}

/* Widens the range at both ends, so that no mark lies on the frame. */
static void pad(cli_scale *scale)
{
  if (isnan(scale->lo)) {
    scale->lo = scale->kind == DRAW_LOG ? 1 : 0;
    scale->hi = scale->kind == DRAW_LOG ? 10 : 1;
    return;
  }
  if (scale->kind == DRAW_LOG) {
    double share = fmax(0.04 * log(scale->hi / scale->lo), 0.05);
    scale->lo *= exp(-share);
    scale->hi *= exp(share);
    return;
  }
  double share = 0.04 * (scale->hi - scale->lo);
  if (!(share > 0)) share = fmax(0.5 * fabs(scale->hi), 0.5);
  /* a range from zero begins at zero */
  bool from_zero = scale->lo >= 0 && scale->lo <= share;
  scale->lo = from_zero ? fmin(scale->lo, 0) - 0.5 * share : scale->lo - share;
  scale->hi += share;
}

cli_scale scale_of(const draw_panel *panel, bool vertical)
{
  const draw_axis *axis = vertical ? &panel->y : &panel->x;
  cli_scale scale = {.kind = axis->scale,
                     .whole = axis->whole,
                     .lo = axis->lo,
                     .hi = axis->hi};
  if (axis->lo < axis->hi) return scale;
  scale.lo = scale.hi = NAN;
  for (size_t i = 0; i < panel->count; i++)
    include_series(&scale, &panel->series[i], vertical);
  pad(&scale);
  return scale;
}

double scale_place(const cli_scale *scale, double value)
{
  double share;
  if (scale->kind == DRAW_LOG) {
    value = fmax(value, scale->lo * 1e-30); /* zero: far below the range */
    share = log(value / scale->lo) / log(scale->hi / scale->lo);
  } else {
    share = (value - scale->lo) / (scale->hi - scale->lo);
  }
  return scale->from + share * (scale->to - scale->from);
}

/* ---- ticks ---- */

static double nice_step(double least)
{
  double power = pow(10, floor(log10(least)));
  static const double steps[] = {1, 2, 5, 10};
  size_t i = 0;
  while (i + 1 < COUNT_OF(steps) && steps[i] * power < least * (1 - 1e-9)) i++;
  return steps[i] * power;
}

/* Formats a tick; step decides the form, so that all ticks of an axis share it.
 */
static void linear_text(char text[TICK_TEXT], double value, double step)
{
  int decimals = (int)fmax(0, ceil(-log10(step) - 1e-9));
  if (fabs(value) < step * 1e-6) value = 0;
  if (fabs(value) >= 1e12 || decimals > 5) {
    snprintf(text, TICK_TEXT, "%.6g", value);
  } else if (decimals == 0) {
    char count[TEXT_COUNT_SIZE];
    snprintf(text, TICK_TEXT, "%s%s", value < 0 ? "-" : "",
             text_count(count, (uint64_t)llround(fabs(value))));
  } else {
    snprintf(text, TICK_TEXT, "%.*f", decimals, value);
  }
}

static size_t linear_ticks(const cli_scale *scale, double gap,
                           cli_tick ticks[TICKS_MOST])
{
  double length = fabs(scale->to - scale->from);
  double per_pixel = (scale->hi - scale->lo) / length;
  double step = nice_step(per_pixel * gap);
  if (scale->whole) step = fmax(step, 1);
  double slack = 1e-9 * (scale->hi - scale->lo);
  double first = ceil((scale->lo - slack) / step);
  size_t count = 0;
  for (; count < TICKS_MOST; count++) {
    double at = (first + (double)count) * step;
    if (at > scale->hi + slack) break;
    ticks[count].at = at;
    linear_text(ticks[count].text, at, step);
  }
  return count;
}

static const char *superscript(char c)
{
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴",
                                       "⁵", "⁶", "⁷", "⁸", "⁹"};
  return c == '-' ? "⁻" : digits[c - '0'];
}

static void decade_text(char text[TICK_TEXT], int exponent)
{
  char number[12];
  if (exponent == 0 || exponent == 1) {
    snprintf(text, TICK_TEXT, exponent == 0 ? "1" : "10");
    return;
  }
  snprintf(number, sizeof number, "%d", exponent);
  size_t used = (size_t)snprintf(text, TICK_TEXT, "10");
  for (const char *c = number; *c != '\0'; c++)
    used +=
        (size_t)snprintf(text + used, TICK_TEXT - used, "%s", superscript(*c));
}

static size_t decade_ticks(const cli_scale *scale, double gap,
                           cli_tick ticks[TICKS_MOST])
{
  double decades = log10(scale->hi / scale->lo);
  double length = fabs(scale->to - scale->from);
  int stride = (int)fmax(1, ceil(gap * decades / length - 1e-9));
  int exponent = (int)ceil(log10(scale->lo) - 1e-9);
  int last = (int)floor(log10(scale->hi) + 1e-9);
  size_t count = 0;
  while (exponent % stride != 0) exponent++;
  for (; exponent <= last && count < TICKS_MOST; exponent += stride) {
    ticks[count].at = pow(10, exponent);
    decade_text(ticks[count].text, exponent);
    count++;
  }
  return count;
}

/* Ticks at 1, 2 and 5 in each of a few decades. */
static size_t within_decade_ticks(const cli_scale *scale,
                                  cli_tick ticks[TICKS_MOST])
{
  static const double parts[] = {1, 2, 5};
  size_t count = 0;
  int exponent = (int)floor(log10(scale->lo));
  for (; pow(10, exponent) <= scale->hi; exponent++) {
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
      double at = parts[i] * pow(10, exponent);
      if (at < scale->lo || at > scale->hi || count == TICKS_MOST) continue;
      ticks[count].at = at;
      snprintf(ticks[count].text, TICK_TEXT, "%.6g", at);
      count++;
    }
  }
  return count;
}

size_t scale_ticks(const cli_scale *scale, double gap,
                   cli_tick ticks[TICKS_MOST])
{
  if (scale->kind == DRAW_LINEAR) return linear_ticks(scale, gap, ticks);
  double decades = floor(log10(scale->hi)) - ceil(log10(scale->lo)) + 1;
  if (decades >= 2 && log10(scale->hi / scale->lo) >= 1.7)
    return decade_ticks(scale, gap, ticks);
  size_t count = within_decade_ticks(scale, ticks);
  return count >= 2 ? count : linear_ticks(scale, gap, ticks);
}
