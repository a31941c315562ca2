/* Plots one or more traces as gaps to the minimum. */
#include "convergence.h"

#include "plots.h"

#include <math.h>
#include <stdlib.h>

/* The value from which gaps are measured. */
static double reference(const cli_convergence *picture)
{
  double lowest = INFINITY;
  for (size_t i = 0; i < picture->count; i++) {
    const cli_trace *trace = picture->curves[i].trace;
    for (size_t j = 0; j < trace->count; j++)
      lowest = fmin(lowest, trace->best[j]);
  }
  /* rounding may lead a run slightly below the known minimum */
  return isnan(picture->minimum) ? lowest : fmin(picture->minimum, lowest);
}

/* Gaps below this share of the largest are rounding: they are drawn at it.
 * Where the minimum is only the lowest value found, the last gap of that curve
 * would be zero: the curve ends at the smallest positive gap. */
static const double gap_floor = 1e-16;

static void raise_to_floor(const cli_convergence *picture, double *const *gaps)
{
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < picture->count; i++)
    for (size_t j = 0; j < picture->curves[i].trace->count; j++) {
      if (isfinite(gaps[i][j])) most = fmax(most, gaps[i][j]);
      if (gaps[i][j] > 0) least = fmin(least, gaps[i][j]);
    }
  double floor = isnan(picture->minimum) ? fmax(least, gap_floor * most)
                                         : gap_floor * most;
  for (size_t i = 0; i < picture->count; i++)
    for (size_t j = 0; j < picture->curves[i].trace->count; j++)
      if (gaps[i][j] < floor) gaps[i][j] = floor;
}

/* The axis of evaluations or calls begins at zero. */
static draw_axis count_axis(const cli_convergence *picture)
{
  bool calls = picture->against == AGAINST_ORACLE_CALLS;
  draw_axis axis = {.label = calls ? "oracle calls" : "evaluations",
                    .scale = picture->log_x ? DRAW_LOG : DRAW_LINEAR,
                    .whole = true};
  for (size_t i = 0; i < picture->count && !picture->log_x; i++) {
    const cli_trace *trace = picture->curves[i].trace;
    if (trace->count == 0) continue;
    size_t last = trace->count - 1;
    axis.hi = fmax(axis.hi, 1.03 * (calls ? trace->oracle_calls[last]
                                          : trace->evaluations[last]));
  }
  return axis;
}

static lrgd_status draw_all(const cli_convergence *picture, double *const *gaps,
                            const cli_flags *flags, lrgd_error *error)
{
  bool calls = picture->against == AGAINST_ORACLE_CALLS;
  draw_series series[CURVES_MOST];
  for (size_t i = 0; i < picture->count; i++) {
    const cli_trace *trace = picture->curves[i].trace;
    series[i] = (draw_series){
        .kind = DRAW_STEPS,
        .label = picture->curves[i].label,
        .colour = (draw_colour)(i % DRAW_GREY),
        .dashed =
            i >= 2 &&
            i % 2 ==
                0, /* dashed, so that curves that coincide are both visible */
        .count = trace->count,
        .x = calls ? trace->oracle_calls : trace->evaluations,
        .y = gaps[i]};
  }
  draw_panel panel = {
      .x = count_axis(picture),
      .y = {.label = isnan(picture->minimum) ? "best f − lowest f found"
                                             : "best f − minimum",
            .scale = DRAW_LOG},
      .series = series,
      .count = picture->count
  };
  draw_figure figure = {.title = picture->title,
                        .note = picture->note,
                        .panels = &panel,
                        .count = 1,
                        .panel_width = 680,
                        .panel_height = 430};
  return plots_save(&figure, flags, error);
}

lrgd_status convergence_draw(const cli_convergence *picture,
                             const cli_flags *flags, lrgd_error *error)
{
  if (!flags_has(flags, FLAG_PLOT)) return LRGD_OK;
  double *gaps[CURVES_MOST];
  size_t total = 1, used = 0;
  for (size_t i = 0; i < picture->count; i++)
    total += picture->curves[i].trace->count;
  double *block = malloc(total * sizeof *block);
  if (block == NULL) return fail_memory(error);
  double zero = reference(picture);
  for (size_t i = 0; i < picture->count; i++) {
    const cli_trace *trace = picture->curves[i].trace;
    gaps[i] = block + used;
    for (size_t j = 0; j < trace->count; j++)
      gaps[i][j] = trace->best[j] - zero;
    used += trace->count;
  }
  raise_to_floor(picture, gaps);
  lrgd_status status = draw_all(picture, gaps, flags, error);
  free(block);
  return status;
}
