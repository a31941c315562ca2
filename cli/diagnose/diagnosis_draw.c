/* The plot of a diagnosis: spectrum, eta, and f over the active-subspace
 * coordinates. */
#include "diagnosis_output.h"

#include "cli/draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { INDEX, SHARE, LOW, HIGH, MEDIAN, P95, MOST, ARRAYS };

/* Replaces values that a logarithmic axis cannot show (unmeasured, or not
 * positive) by NaN. */
static double visible(double y)
{
  return y <= 1e-16 ? 1e-16 : y;
}

static double *make_rows(const lrgd_diagnosis_result *found)
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

/* ---- f at the held-out points ---- */

enum { SHADES = 5 };

typedef struct dot {
  double f, z[2];
} dot;

static int by_first(const void *a, const void *b)
{
  double x = ((const dot *)a)->z[0], y = ((const dot *)b)->z[0];
  return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
  double x = ((const dot *)a)->f, y = ((const dot *)b)->f;
  return (x > y) - (x < y);
}

/* The third panel: f over the one active coordinate; or points in two
 * coordinates in five shades by the value of f. */
typedef struct summary {
  size_t count;
  double *x, *y; /* x is allocated, y points into it */
  char labels[SHADES][48];
  draw_series series[SHADES];
  size_t series_count;
} summary;

static draw_series loose(const char *label, draw_colour colour, size_t n,
                         const double *x, const double *y)
{
  return (draw_series){.kind = DRAW_DOTS,
                       .loose = true,
                       .label = label,
                       .colour = colour,
                       .count = n,
                       .x = x,
                       .y = y};
}

static void fill_shades(summary *s, const dot *dots)
{
  for (size_t k = 0; k < SHADES; k++) {
    size_t from = k * s->count / SHADES, to = (k + 1) * s->count / SHADES;
    if (from == to) continue;
    snprintf(s->labels[k], sizeof s->labels[k], "f %.3g … %.3g", dots[from].f,
             dots[to - 1].f);
    s->series[s->series_count++] =
        loose(s->labels[k], (draw_colour)(DRAW_LOWEST + (int)k), to - from,
              s->x + from, s->y + from);
  }
}

static void fill(summary *s, dot *dots, size_t active)
{
  qsort(dots, s->count, sizeof *dots, active == 1 ? by_first : by_value);
  for (size_t i = 0; i < s->count; i++) {
    s->x[i] = dots[i].z[0];
    s->y[i] = active == 1 ? dots[i].f : dots[i].z[1];
  }
  if (active == 2)
    fill_shades(s, dots);
  else
    s->series[s->series_count++] =
        loose("held-out points", DRAW_BLUE, s->count, s->x, s->y);
}

/* Computes it; active: 1 or 2 coordinates; 0: there is none to show. */
static bool summarise(summary *s, const cli_study *shown, size_t active)
{
  size_t n = lrgd_diagnosis_get(shown->study)->held_out;
  *s = (summary){0};
  if (active == 0 || n == 0) return true;
  dot *dots = malloc(n * sizeof *dots);
  s->x = malloc(2 * n * sizeof *s->x);
  bool made = dots != NULL && s->x != NULL;
  if (made) {
    s->y = s->x + n;
    while (s->count < n &&
           lrgd_diagnosis_point(shown->study, s->count, &dots[s->count].f,
                                dots[s->count].z))
      s->count++;
    fill(s, dots, active);
  }
  free(dots);
  return made;
}

/* ---- the picture ---- */

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
                               const double *all, const summary *points,
                               lrgd_error *error)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  size_t n = found->count;
  bool flat = found->recommended_rank == 2;
  char verdict[STUDY_VERDICT_SIZE];
  draw_series band = line("band", DRAW_SKY, DRAW_BAND, n, all, LOW);
  band.y2 = all + HIGH * n;
  draw_series spectrum[] = {
      band, line("share of the energy", DRAW_BLUE, DRAW_DOTS, n, all, SHARE)};
  draw_series eta[] = {
      line("middle", DRAW_BLUE, DRAW_DOTS, n, all, MEDIAN),
      line("95 %", DRAW_ORANGE, DRAW_DOTS, n, all, P95),
      line("largest", DRAW_VERMILION, DRAW_DOTS, n, all, MOST)};
  draw_panel panels[] = {
      {.title = "Spectrum of sampled gradients",
       .x = {.label = "r", .whole = true},
       .y = {.label = "share of the energy", .scale = DRAW_LOG},
       .series = spectrum,
       .count = COUNT_OF(spectrum)    },
      {                                                                             .title = "What r directions miss",
       .x = {.label = "r", .whole = true},
       .y = {.label = "η on held-out points", .scale = DRAW_LOG},
       .series = eta,
       .count = COUNT_OF(eta)       },
      { .title =
           flat ? "f at held-out points, in colours" : "f at held-out points",
       .x = {.label = flat ? "first active coordinate" : "active coordinate"},
       .y = {.label = flat ? "second active coordinate" : "f"},
       .equal = flat,
       .series = points->series,
       .count = points->series_count},
  };
  draw_figure figure = {.title = shown->source->name,
                        .note = study_verdict(shown, verdict),
                        .panels = panels,
                        .count = points->series_count > 0 ? 3 : 2};
  return draw_save(&figure, path, error);
}

lrgd_status study_draw(const cli_study *shown, const char *path,
                       lrgd_error *error)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(shown->study);
  if (found->count == 0)
    return fail(error, LRGD_ERR_INVALID, "there is nothing to draw");
  size_t r = found->recommended_rank;
  double *all = make_rows(found);
  summary points;
  bool made = summarise(&points, shown, r <= 2 && r <= found->count ? r : 0);
  lrgd_status status = all != NULL && made
                           ? draw_panels(shown, path, all, &points, error)
                           : fail_memory(error);
  free(all);
  free(points.x);
  return status;
}
