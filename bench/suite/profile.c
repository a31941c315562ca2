/* Performance profiles (Dolan and More, 2002): for each solver the share of
 * problems on which it needs at most t times the evaluations of the best. */
#include "bench.h"
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400, SERIES_MOST = 32 };

/* The fewest evaluations any solver needs, by case and seed. */
static double fewest(const bench_results *r, size_t c, size_t seed, size_t t)
{
  double best = INFINITY;
  for (size_t s = 0; s < r->plan->spec_count; s++) {
    uint64_t hit = bench_task_at(r, c, s, seed)->record.hits[t];
    if (hit) best = fmin(best, (double)hit);
  }
  return best;
}

/* The share of runs (of problems that anyone solved) within factor of best. */
static double share(const bench_results *r, size_t s, size_t t, double factor)
{
  size_t within = 0, all = 0;
  for (size_t c = 0; c < r->plan->case_count; c++)
    for (size_t i = 0; i < r->plan->seed_count; i++) {
      double best = fewest(r, c, i, t);
      uint64_t hit = bench_task_at(r, c, s, i)->record.hits[t];
      all += isfinite(best);
      within += hit && (double)hit <= factor * best * (1 + 1e-9);
    }
  return all ? (double)within / (double)all : 0;
}

static void fill(const bench_results *r, size_t target, double most,
                 double *room, draw_series *series)
{
  for (size_t s = 0; s < r->plan->spec_count && s < SERIES_MOST; s++) {
    double *x = room + 2 * s * POINTS, *y = x + POINTS;
    for (size_t i = 0; i < POINTS; i++) {
      x[i] = pow(most, (double)i / (POINTS - 1));
      y[i] = share(r, s, target, x[i]);
    }
    series[s] = (draw_series){.kind = DRAW_STEPS,
                              .label = r->plan->specs[s],
                              .colour = (draw_colour)(s % DRAW_GREY),
                              .dashed = s / DRAW_GREY % 2 == 1,
                              .count = POINTS,
                              .x = x,
                              .y = y};
  }
}

lrgd_status bench_draw_profile(const bench_results *r, const char *path,
                               lrgd_error *error)
{
  static draw_series series[BENCH_TARGETS][SERIES_MOST];
  static const char *const titles[BENCH_TARGETS] = {"to 1e-3 of the first gap",
                                                    "to 1e-6 of the first gap"};
  size_t count = r->plan->spec_count < SERIES_MOST ? r->plan->spec_count
                                                   : (size_t)SERIES_MOST;
  draw_panel panels[BENCH_TARGETS];
  double most = 1e4, *room;
  lrgd_status status = draw_check_name(path, error);
  if (status != LRGD_OK) return status;
  room = malloc(BENCH_TARGETS * 2 * count * POINTS * sizeof *room);
  if (!room) bench_die("out of memory");
  for (size_t t = 0; t < BENCH_TARGETS; t++) {
    fill(r, t, most, room + t * 2 * count * POINTS, series[t]);
    panels[t] = (draw_panel){
        .title = titles[t],
        .x = {"evaluations, in units of the best solver's", DRAW_LOG,    1, most},
        .y = {"share of runs",                              DRAW_LINEAR, 0, 1.02},
        .series = series[t],
        .count = count
    };
  }
  draw_figure figure = {
      .title = "Share of runs solved within a multiple of the best",
      .panels = panels,
      .count = BENCH_TARGETS,
      .panel_width = 560,
      .panel_height = 430};
  status = draw_save(&figure, path, error);
  free(room);
  return status;
}
