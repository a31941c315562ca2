/* The picture of a study: spectrum, eta, and f over the active coordinate. */
#include "study.h"

#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SERIES = 10 }; /* arrays of as many numbers as there are rows */
enum { INDEX, SHARE, LOW, HIGH, MEDIAN, P95, MOST, ARRAYS };

/* A logarithmic axis has no zero; what was not measured is not drawn. */
static double visible(double y)
{
  return y <= 1e-16 ? 1e-16 : y;
}

static double *make_rows(const lrgd_study_result *found)
{
  size_t n = found->count;
  double *all = malloc((n + 1) * ARRAYS * sizeof *all);
  for (size_t i = 0; all != NULL && i < n; i++) {
    const lrgd_eta *row = &found->eta[i];
    all[INDEX * n + i] = (double)row->r;
    all[SHARE * n + i] = visible(found->spectrum[i]);
    all[LOW * n + i] = visible(found->band_low[i]);
    all[HIGH * n + i] = visible(found->band_high[i]);
    all[MEDIAN * n + i] = visible(row->median);
    all[P95 * n + i] = visible(row->p95);
    all[MOST * n + i] = visible(row->max);
  }
  return all;
}

typedef struct dot {
  double x, y;
} dot;

static int by_x(const void *a, const void *b)
{
  double x = ((const dot *)a)->x, y = ((const dot *)b)->x;
  return (x > y) - (x < y);
}

/* f over active coordinate c of the held-out points, in order: x, then y. */
static double *summary(const cli_study *shown, int c, size_t *count)
{
  size_t n = lrgd_study_get(shown->study)->held_out;
  dot *dots = malloc((n + 1) * sizeof *dots);
  double *xy = malloc((2 * n + 1) * sizeof *xy);
  *count = 0;
  for (size_t i = 0; dots != NULL && i < n; i++) {
    double f, z[2];
    if (lrgd_study_point(shown->study, i, &f, z))
      dots[(*count)++] = (struct dot){z[c], f};
  }
  if (dots != NULL && xy != NULL) {
    qsort(dots, *count, sizeof *dots, by_x);
    for (size_t i = 0; i < *count; i++) {
      xy[i] = dots[i].x;
      xy[*count + i] = dots[i].y;
    }
  }
  free(dots);
  return xy;
}

static draw_series line(const char *label, draw_colour colour, draw_kind kind,
                        size_t n, const double *all, int y)
{
  return (draw_series){.kind = kind,
                       .label = label,
                       .colour = colour,
                       .count = n,
                       .x = all + INDEX * n,
                       .y = all + (size_t)y * n};
}

static lrgd_status draw_panels(const cli_study *shown, const char *path,
                               const double *all, double *const plots[2],
                               const size_t counts[2], lrgd_error *error)
{
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  size_t n = found->count;
  size_t active = found->recommended_rank <= 2 ? found->recommended_rank : 0;
  draw_series band = line("band", DRAW_SKY, DRAW_BAND, n, all, LOW);
  band.y2 = all + HIGH * n;
  draw_series spectrum[] = {
      band, line("share of the energy", DRAW_BLUE, DRAW_DOTS, n, all, SHARE)};
  draw_series eta[] = {
      line("median", DRAW_BLUE, DRAW_DOTS, n, all, MEDIAN),
      line("95 %", DRAW_ORANGE, DRAW_DOTS, n, all, P95),
      line("largest", DRAW_VERMILION, DRAW_DOTS, n, all, MOST)};
  draw_series points[2] = {
      {.kind = DRAW_DOTS,
       .loose = true,
       .label = "over the first active coordinate",
       .colour = DRAW_BLUE,
       .count = counts[0],
       .x = plots[0],
       .y = plots[0] + counts[0]},
      {.kind = DRAW_DOTS,
       .loose = true,
       .label = "over the second",
       .colour = DRAW_ORANGE,
       .count = counts[1],
       .x = plots[1],
       .y = plots[1] + counts[1]}
  };
  draw_panel panels[] = {
      {.title = "Spectrum of sampled gradients",
       .x = {.label = "r", .whole = true},
       .y = {.label = "share of the energy", .scale = DRAW_LOG},
       .series = spectrum,
       .count = COUNT_OF(spectrum)},
      {.title = "What r directions leave out",
       .x = {.label = "r", .whole = true},
       .y = {.label = "η on held-out points", .scale = DRAW_LOG},
       .series = eta,
       .count = COUNT_OF(eta)     },
      {.title = "f at held-out points",
       .x = {.label = "active coordinate"},
       .y = {.label = "f"},
       .series = points,
       .count = active            },
  };
  draw_figure figure = {.title = shown->subject->name,
                        .note = found->verdict,
                        .panels = panels,
                        .count = active > 0 ? 3 : 2};
  return draw_save(&figure, path, error);
}

lrgd_status study_draw(const cli_study *shown, const char *path,
                       lrgd_error *error)
{
  const lrgd_study_result *found = lrgd_study_get(shown->study);
  if (found->count == 0)
    return fail(error, LRGD_ERR_INVALID, "there is nothing to draw");
  double *all = make_rows(found);
  size_t counts[2] = {0, 0};
  double *plots[2] = {summary(shown, 0, &counts[0]),
                      summary(shown, 1, &counts[1])};
  lrgd_status status = all != NULL && plots[0] != NULL && plots[1] != NULL
                           ? draw_panels(shown, path, all, plots, counts, error)
                           : fail_memory(error);
  free(all);
  free(plots[0]);
  free(plots[1]);
  return status;
}
