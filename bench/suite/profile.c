/* Performance profiles (Dolan and More, 2002): for each solver the share of
 * problems on which it needs at most t times the evaluations of the best. */
#include "bench.h"
#include "cli/draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many as colours and dashes can tell apart. */
enum { POINTS = 400, SERIES_MOST = 2 * DRAW_GREY };

static const double most = 1e4; /* where the axis ends */
static const char *const titles[BENCH_TARGETS] = {"to 1e-3 of the first gap",
                                                  "to 1e-6 of the first gap"};

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
      all += isfinite(best) ? 1 : 0;
      within += hit && (double)hit <= factor * best * (1 + 1e-9);
    }
  return all ? (double)within / (double)all : 0;
}

/* How high a profile runs: the mean of its share over factors 1, 10, 100 ...,
 * what is solved at all included. */
static double height(const bench_results *r, size_t s)
{
  double sum = share(r, s, BENCH_TARGETS - 1, INFINITY);
  for (int power = 0; power <= 4; power++)
    sum += share(r, s, BENCH_TARGETS - 1, pow(10, power));
  return sum;
}

/* Chooses the solvers to be drawn: in the order given, without the lowest
 * where there are too many; those are named in note.  Returns how many. */
static size_t choose(const bench_results *r, size_t chosen[SERIES_MOST],
                     char *note, size_t room)
{
  size_t count = r->plan->spec_count, kept = 0, used = 0;
  note[0] = '\0';
  for (size_t s = 0; s < count; s++) {
    size_t better = 0;
    double own = height(r, s);
    for (size_t other = 0; other < count; other++) {
      double more = height(r, other);
      better += more > own || (more >= own && other < s);
    }
    if (better < SERIES_MOST)
      chosen[kept++] = s;
    else if (used < room)
      used += (size_t)snprintf(
          note + used, room - used, "%s%s",
          used ? ", " : "Too low to be shown: ", r->plan->specs[s]);
  }
  return kept;
}

static draw_series series_of(const bench_results *r, size_t solver,
                             size_t target, size_t place, double *room)
{
  double *x = room, *y = room + POINTS;
  for (size_t i = 0; i < POINTS; i++) {
    x[i] = pow(most, (double)i / (POINTS - 1));
    y[i] = share(r, solver, target, x[i]);
  }
  return (draw_series){.kind = DRAW_STEPS,
                       .label = r->plan->specs[solver],
                       .colour = (draw_colour)(place % DRAW_GREY),
                       .dashed = place >= DRAW_GREY,
                       .count = POINTS,
                       .x = x,
                       .y = y};
}

static lrgd_status draw(const bench_results *r, const char *path, double *room,
                        lrgd_error *error)
{
  draw_series series[BENCH_TARGETS][SERIES_MOST];
  draw_panel panels[BENCH_TARGETS];
  char note[256];
  size_t chosen[SERIES_MOST], count = choose(r, chosen, note, sizeof note);
  for (size_t t = 0; t < BENCH_TARGETS; t++) {
    for (size_t i = 0; i < count; i++)
      series[t][i] =
          series_of(r, chosen[i], t, i, room + (t * count + i) * 2 * POINTS);
    panels[t] = (draw_panel){
        .title = titles[t],
        .x = {"evaluations, in units of the best solver's", DRAW_LOG,    1, most,
              false                                                                    },
        .y = {"share of runs",                              DRAW_LINEAR, 0, 1.02, false},
        .series = series[t],
        .count = count
    };
  }
  draw_figure figure = {
      .title = "Share of runs solved within a multiple of the best",
      .note = note[0] ? note : NULL,
      .panels = panels,
      .count = BENCH_TARGETS,
      .panel_width = 560,
      .panel_height = 430};
  return draw_save(&figure, path, error);
}

lrgd_status bench_draw_profile(const bench_results *r, const char *path,
                               lrgd_error *error)
{
  size_t numbers = (size_t)BENCH_TARGETS * SERIES_MOST * 2 * POINTS;
  double *room = malloc(numbers * sizeof *room);
  lrgd_status status;
  if (!room) bench_die("out of memory");
  status = draw(r, path, room, error);
  free(room);
  return status;
}
