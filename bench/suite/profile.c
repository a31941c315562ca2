/* Performance profiles (Dolan and More, 2002): for each solver the share of
 * problems on which it needs at most t times the evaluations of the best.
 * Data profiles (More and Wild, 2009): the share that it solves within t (p +
 * 1) evaluations. */
#include "bench.h"
#include "cli/draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of curves that colours and dashes can distinguish. */
enum { POINTS = 400, SERIES_MOST = 2 * DRAW_GREY };

static const char *const titles[BENCH_TARGETS] = {
    "to 1e-3 of the first gap", "to 1e-6 of the first gap",
    "to 1e-1 of the first gap", "to 1e-5 of the first gap"};

static const char *const limit_titles[BENCH_TARGETS] = {
    "to 1e-3 of f*, within all limits", "to 1e-6 of f*, within all limits"};

/* A profile: its data, and the range of its axis. */
typedef struct profile {
  const bench_results *r;
  const bench_goals *goals;
  bool data;
  double least, most;
} profile;

double bench_fewest(const bench_results *r, size_t c, size_t seed, size_t t)
{
  double best = INFINITY;
  for (size_t s = 0; s < r->plan->spec_count; s++) {
    uint64_t hit = bench_task_at(r, c, s, seed)->record.hits[t];
    if (hit) best = fmin(best, (double)hit);
  }
  return best;
}

/* The most evaluations that a run may take to count at t: t times those of the
 * best solver or, in a data profile, t (p + 1). */
static double allowance(const profile *of, size_t c, size_t seed, double best,
                        double t)
{
  double p = 0;
  for (size_t s = 0; of->data && s < of->r->plan->spec_count; s++)
    p = fmax(p, (double)bench_task_at(of->r, c, s, seed)->record.dimension);
  return of->data ? t * (p + 1) : t * best;
}

/* The share of runs, among problems that any solver solves, that count at t. */
static double share(const profile *of, size_t s, size_t target, double t)
{
  const bench_results *r = of->r;
  size_t within = 0, all = 0;
  for (size_t c = 0; c < r->plan->case_count; c++)
    for (size_t i = 0; i < r->plan->seed_count; i++) {
      double best = bench_fewest(r, c, i, target);
      uint64_t hit = bench_task_at(r, c, s, i)->record.hits[target];
      all += isfinite(best) ? 1 : 0;
      within += hit && (double)hit <= allowance(of, c, i, best, t) * (1 + 1e-9);
    }
  return all ? (double)within / (double)all : 0;
}

/* The mean of a profile over its axis, by which solvers are ranked. */
static double height(const profile *of, size_t s)
{
  size_t last = of->goals->target[of->goals->count - 1];
  double sum = share(of, s, last, INFINITY);
  for (int power = 0; power <= 4; power++)
    sum +=
        share(of, s, last, of->least * pow(of->most / of->least, 0.25 * power));
  return sum;
}

/* Chooses the solvers to be drawn, in the given order; if there are too many,
 * those with the lowest profiles are omitted and named in the note.  Returns
 * the number. */
static size_t choose(const profile *of, size_t chosen[SERIES_MOST], char *note,
                     size_t room)
{
  const bench_results *r = of->r;
  size_t count = r->plan->spec_count, kept = 0, used = 0;
  note[0] = '\0';
  for (size_t s = 0; s < count; s++) {
    size_t better = 0;
    double own = height(of, s);
    for (size_t other = 0; other < count; other++) {
      double more = height(of, other);
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

static draw_series series_of(const profile *of, size_t solver, size_t target,
                             size_t place, double *room)
{
  double *x = room, *y = room + POINTS;
  for (size_t i = 0; i < POINTS; i++) {
    x[i] = of->least * pow(of->most / of->least, (double)i / (POINTS - 1));
    y[i] = share(of, solver, target, x[i]);
  }
  return (draw_series){.kind = DRAW_STEPS,
                       .label = of->r->plan->specs[solver],
                       .colour = (draw_colour)(place % DRAW_GREY),
                       .dashed = place >= DRAW_GREY,
                       .count = POINTS,
                       .x = x,
                       .y = y};
}

static lrgd_status draw(const profile *of, const char *path, double *room,
                        lrgd_error *error)
{
  draw_series series[BENCH_GOALS][SERIES_MOST];
  draw_panel panels[BENCH_GOALS];
  const char *axis = of->data ? "evaluations, in units of p + 1"
                              : "evaluations, in units of the best solver's";
  char note[256];
  size_t chosen[SERIES_MOST], count = choose(of, chosen, note, sizeof note);
  for (size_t t = 0; t < of->goals->count; t++) {
    for (size_t i = 0; i < count; i++)
      series[t][i] = series_of(of, chosen[i], of->goals->target[t], i,
                               room + (t * count + i) * 2 * POINTS);
    panels[t] = (draw_panel){
        .title = (of->r->plan->cases[0]->class == BENCH_CONSTRAINED
                      ? limit_titles
                      : titles)[of->goals->target[t]],
        .x = {axis,            DRAW_LOG,    of->least, of->most, false},
        .y = {"share of runs", DRAW_LINEAR, 0,         1.02,     false},
        .series = series[t],
        .count = count
    };
  }
  draw_figure figure = {
      .title = of->data ? "Share of runs solved within a multiple of p + 1"
                        : "Share of runs solved within a multiple of the best",
      .note = note[0] ? note : NULL,
      .panels = panels,
      .count = of->goals->count,
      .panel_width = 560,
      .panel_height = 430};
  return draw_save(&figure, path, error);
}

lrgd_status bench_draw_profile(const bench_results *r, const char *path,
                               bool data, lrgd_error *error)
{
  size_t numbers = (size_t)BENCH_GOALS * SERIES_MOST * 2 * POINTS;
  double *room = malloc(numbers * sizeof *room);
  bench_class class = r->plan->cases[0]->class;
  bool near = bench_class_collects(class) ||
              /* a linear axis: these solvers do not differ by orders of
               * magnitude */
              class == BENCH_CONSTRAINED;
  profile of = {.r = r,
                .goals = bench_class_goals(class),
                .data = data,
                .least = !data  ? 1
                         : near ? 0.1
                                : 0.01,
                .most = data || near ? 100 : 1e4};
  lrgd_status status;
  if (!room) bench_die("out of memory");
  status = draw(&of, path, room, error);
  free(room);
  return status;
}
