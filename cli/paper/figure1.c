/* The paper's Figure 1: the iterates of GD and of iterated LRGD (r = 1) on
 * f = theta' diag(3, 1) theta from (1.5, 1.5) with step 1/15. */
#include "reproduce.h"

#include "cli/draw/draw.h"
#include "cli/run/solve.h"

#include <math.h>
#include <stdlib.h>

/* The paper's epsilon: a descent ends when a step lowers f by less, and LRGD
 * after the round whose own gradient step lowered f by less.  Every epsilon
 * from 0.0181 to 0.0218 gives the paper's numbers. */
static const double epsilon = 0.02;
static const double L = 3, alpha = 1.0 / 15;
static const double start[2] = {1.5, 1.5};

enum { ROUNDS = 32 };

typedef struct cli_path {
  cli_trace trace;
  uint64_t iterations, oracle_calls;
  size_t ends[ROUNDS]; /* the iterations at which rounds of LRGD end */
  size_t rounds;
  /* oracle calls so far for the gradients at which rounds begin */
  uint64_t identified;
} cli_path;

struct cli_figure1 {
  cli_path gd, lrgd;
};

/* A gradient begins a round and ends the one before it. */
static void see_round(const lrgd_progress *news, void *user)
{
  cli_path *path = user;
  uint64_t calls = news->counts->oracle_calls[LRGD_PURPOSE_IDENTIFY];
  bool ends = calls > path->identified || news->event == LRGD_EVENT_FINAL;
  if (ends && news->iteration > 0 && path->rounds < ROUNDS)
    path->ends[path->rounds++] = (size_t)news->iteration;
  path->identified = calls;
}

/* Moves each count from an iterate to the next one: the cost of an iterate
 * consists of the calls before it, whereas a trace includes those made at
 * it. */
static void shift_calls(cli_trace *trace)
{
  for (size_t i = trace->count; i-- > 1;)
    trace->oracle_calls[i] = trace->oracle_calls[i - 1];
  if (trace->count > 0) trace->oracle_calls[0] = 0;
}

static lrgd_status run_path(cli_path *path, lrgd_method method,
                            lrgd_error *error)
{
  lrgd_problem problem = two_dimensional_quadratic(&L);
  lrgd_options options = lrgd_options_default();
  options.method = method;
  options.rank = method == LRGD_METHOD_GD ? LRGD_UNSET : 1;
  options.step = LRGD_STEP_FIXED;
  options.alpha = alpha;
  options.stop_decrease = epsilon;
  path->trace.plane = 2;
  cli_run run;
  cli_task task = {.problem = &problem,
                   .options = &options,
                   .start = start,
                   .trace = &path->trace,
                   .listen = see_round,
                   .listen_user = path};
  lrgd_status status = solve(&run, &task, error);
  if (status != LRGD_OK) return status;
  path->iterations = run.result.iterations;
  path->oracle_calls = lrgd_counts_oracle_calls(&run.result.counts);
  run_free(&run);
  if (path->trace.lost) return fail_memory(error);
  shift_calls(&path->trace);
  return LRGD_OK;
}

lrgd_status figure1_run(cli_figure1 **figure, lrgd_error *error)
{
  *figure = calloc(1, sizeof **figure);
  if (*figure == NULL) return fail_memory(error);
  lrgd_status status = run_path(&(*figure)->gd, LRGD_METHOD_GD, error);
  if (status == LRGD_OK)
    status = run_path(&(*figure)->lrgd, LRGD_METHOD_ITERATED, error);
  if (status != LRGD_OK) figure1_free(figure);
  return status;
}

void figure1_free(cli_figure1 **figure)
{
  if (*figure == NULL) return;
  trace_free(&(*figure)->gd.trace);
  trace_free(&(*figure)->lrgd.trace);
  free(*figure);
  *figure = NULL;
}

/* ---- output ---- */

/* "7, 17, 19, 21" */
static void write_rounds(const cli_path *path, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < path->rounds && used + 24 < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%zu",
                             i > 0 ? ", " : "", path->ends[i]);
}

static void print_path(const char *name, const cli_path *path)
{
  printf("  %-5s %3llu iterations  %3llu oracle calls\n", name,
         (unsigned long long)path->iterations,
         (unsigned long long)path->oracle_calls);
}

void figure1_print(const cli_figure1 *figure)
{
  char rounds[128];
  write_rounds(&figure->lrgd, rounds, sizeof rounds);
  printf(
      "Figure 1: f = theta' H theta, H = diag(3, 1), theta0 = (1.5, 1.5), "
      "alpha = 1/15\n");
  print_path("GD", &figure->gd);
  print_path("LRGD", &figure->lrgd);
  printf(
      "Rounds of LRGD end at iterations %s.\n"
      "A descent ends when a step lowers f by less than epsilon = %g, and "
      "LRGD after the\nround whose own gradient step did.\n\n",
      rounds, epsilon);
}

/* The iterates, one [theta_1, theta_2, f] each, with their costs. */
static json_t *path_json(const cli_path *path)
{
  const cli_trace *trace = &path->trace;
  json_t *points = json_array(), *calls = json_array();
  for (size_t i = 0; i < trace->count; i++) {
    (void)json_array_append_new(points, json_pack("[f, f, f]", trace->x1[i],
                                                  trace->x2[i], trace->f[i]));
    (void)json_array_append_new(
        calls, json_integer((json_int_t)trace->oracle_calls[i]));
  }
  return json_pack("{s:I, s:I, s:o, s:o}", "iterations",
                   (json_int_t)path->iterations, "oracle_calls",
                   (json_int_t)path->oracle_calls, "path", points, "calls",
                   calls);
}

static json_t *rounds_json(const cli_path *path)
{
  json_t *ends = json_array();
  for (size_t i = 0; i < path->rounds; i++)
    (void)json_array_append_new(ends, json_integer((json_int_t)path->ends[i]));
  return ends;
}

json_t *figure1_json(const cli_figure1 *figure)
{
  json_t *lrgd = path_json(&figure->lrgd);
  (void)json_object_set_new(lrgd, "phases", rounds_json(&figure->lrgd));
  return json_pack("{s:o, s:o, s:f}", "gd", path_json(&figure->gd), "lrgd",
                   lrgd, "epsilon", epsilon);
}

static void csv_path(const char *name, const cli_path *path)
{
  const cli_trace *trace = &path->trace;
  size_t round = 0;
  for (size_t i = 0; i < trace->count; i++) {
    printf("%s,%zu,%.17g,%.17g,%.17g,%.0f,%zu\n", name, i, trace->x1[i],
           trace->x2[i], trace->f[i], trace->oracle_calls[i], round + 1);
    if (round < path->rounds && i == path->ends[round]) round++;
  }
}

void figure1_csv(const cli_figure1 *figure)
{
  printf("method,iteration,theta_1,theta_2,f,oracle_calls,phase\n");
  csv_path("gd", &figure->gd);
  csv_path("lrgd", &figure->lrgd);
}

/* ---- the picture ---- */

enum { GRID = 181 };

static double level_value(double x1, double x2)
{
  return L * x1 * x1 + x2 * x2;
}

/* The values of f over the picture's left side; free(). */
static double *make_grid(draw_grid *grid)
{
  double *z = malloc(sizeof *z * GRID * GRID);
  for (size_t j = 0; z != NULL && j < GRID; j++)
    for (size_t i = 0; i < GRID; i++) {
      double tx = (double)i / (GRID - 1), ty = (double)j / (GRID - 1);
      z[j * GRID + i] = level_value(grid->x0 + tx * (grid->x1 - grid->x0),
                                    grid->y0 + ty * (grid->y1 - grid->y0));
    }
  grid->nx = grid->ny = GRID;
  grid->z = z;
  return z;
}

static draw_series marks(const cli_path *path, bool plane, bool gd)
{
  const cli_trace *trace = &path->trace;
  return (draw_series){.kind = gd ? DRAW_CROSSES : DRAW_DOTS,
                       .label = gd ? "GD" : "LRGD",
                       .colour = gd ? DRAW_VERMILION : DRAW_BLUE,
                       .count = trace->count,
                       .x = plane ? trace->x1 : trace->oracle_calls,
                       .y = plane ? trace->x2 : trace->f};
}

/* The points at which rounds end: in the plane, and f against oracle calls. */
typedef struct round_marks {
  double x1[ROUNDS], x2[ROUNDS], calls[ROUNDS], f[ROUNDS];
} round_marks;

static void find_rounds(const cli_path *path, round_marks *at)
{
  const cli_trace *trace = &path->trace;
  for (size_t i = 0; i < path->rounds; i++) {
    size_t j = path->ends[i] < trace->count ? path->ends[i] : trace->count - 1;
    at->x1[i] = trace->x1[j];
    at->x2[i] = trace->x2[j];
    at->calls[i] = trace->oracle_calls[j];
    at->f[i] = trace->f[j];
  }
}

static draw_series ends(const cli_path *path, const double *x, const double *y,
                        const char *label)
{
  return (draw_series){.kind = DRAW_DOTS,
                       .label = label,
                       .colour = DRAW_ORANGE,
                       .loose = true,
                       .count = path->rounds,
                       .x = x,
                       .y = y};
}

lrgd_status figure1_draw(const cli_figure1 *figure, const char *path,
                         lrgd_error *error)
{
  static const double levels[] = {0.1, 0.5, 1, 2, 3, 4.5, 6, 9, 12, 16};
  /* wider than the panel, which shows as much of x as equal units allow */
  draw_grid grid = {.x0 = -2,
                    .x1 = 3,
                    .y0 = -0.4,
                    .y1 = 1.8,
                    .levels = levels,
                    .level_count = COUNT_OF(levels)};
  char rounds[128], label[160];
  round_marks at = {0};
  double *z = make_grid(&grid);
  if (z == NULL) return fail_memory(error);
  find_rounds(&figure->lrgd, &at);
  write_rounds(&figure->lrgd, rounds, sizeof rounds);
  snprintf(label, sizeof label, "rounds end: %s", rounds);
  draw_series left[] = {
      {.kind = DRAW_LEVELS, .colour = DRAW_GREY, .grid = &grid},
      marks(&figure->gd, true, true),
      marks(&figure->lrgd, true, false),
      ends(&figure->lrgd, at.x1, at.x2, label),
  };
  draw_series right[] = {marks(&figure->gd, false, true),
                         marks(&figure->lrgd, false, false),
                         ends(&figure->lrgd, at.calls, at.f, label)};
  draw_panel panels[] = {
      {.title = "Iterates over level lines of f",
       .x = {.label = "θ₁", .lo = 0.2, .hi = 1.2},
       .y = {.label = "θ₂", .lo = grid.y0, .hi = grid.y1},
       .equal = true,
       .series = left,
       .count = COUNT_OF(left)},
      {.title = "Objective against oracle calls",
       .x = {.label = "oracle calls"},
       .y = {.label = "f(θ)", .scale = DRAW_LOG},
       .series = right,
       .count = COUNT_OF(right)},
  };
  char note[256];
  snprintf(note, sizeof note,
           "GD: %llu iterations, %llu oracle calls. LRGD: %llu iterations, "
           "%llu oracle calls. A descent ends when a step lowers f by less "
           "than ε = %g.",
           (unsigned long long)figure->gd.iterations,
           (unsigned long long)figure->gd.oracle_calls,
           (unsigned long long)figure->lrgd.iterations,
           (unsigned long long)figure->lrgd.oracle_calls, epsilon);
  draw_figure picture = {
      .title = "f(θ) = θᵀ diag(3, 1) θ,  θ₀ = (1.5, 1.5),  α = 1/15",
      .note = note,
      .panels = panels,
      .count = COUNT_OF(panels)};
  lrgd_status status = draw_save(&picture, path, error);
  free(z);
  return status;
}
