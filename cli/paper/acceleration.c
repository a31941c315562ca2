/* lrgd reproduce acceleration: the effect of acceleration inside the subspace,
 * which the paper leaves to future work.  The same quadratic of rank 5 in 100
 * dimensions, the same subspace, one step rule after the other. */
#include "reproduce.h"

#include "cli/draw/draw.h"
#include "cli/run/solve.h"
#include "problems.h"

#include <stdlib.h>

enum { RULES = 7, CONDITIONS = 4 };

typedef struct rule {
  const char *name;
  lrgd_step step;
  bool told; /* the step rule gets alpha = 1/L and mu */
} rule;

static const rule rules[RULES] = {
    {"fixed 1/L",    LRGD_STEP_FIXED,        true },
    {"backtracking", LRGD_STEP_BACKTRACKING, false},
    {"heavy ball",   LRGD_STEP_HEAVY_BALL,   true },
    {"Nesterov",     LRGD_STEP_NESTEROV,     true },
    {"AdaGrad",      LRGD_STEP_ADAGRAD,      false},
    {"Adam",         LRGD_STEP_ADAM,         false},
    {"BFGS",         LRGD_STEP_BFGS,         false},
};
static const char *const kappas[CONDITIONS] = {"10", "100", "1000", "10000"};
static const double conditions[CONDITIONS] = {10, 100, 1000, 10000};

struct cli_acceleration {
  double calls[RULES][CONDITIONS]; /* oracle calls */
  bool arrived[RULES][CONDITIONS];
};

static lrgd_status run_cell(cli_acceleration *a, size_t i, size_t k,
                            lrgd_error *error)
{
  const lr_setting settings[] = {
      {"p",     "100"    },
      {"rank",  "5"      },
      {"kappa", kappas[k]}
  };
  lr_problem *made;
  lrgd_status status = lr_problem_create(&made, "quadratic", settings,
                                         COUNT_OF(settings), error);
  if (status != LRGD_OK) return status;
  lrgd_problem f = lrgd_problem_default(100);
  f.gradient = lr_problem_callbacks(made)->gradient;
  f.user = lr_problem_callbacks(made)->user;
  lrgd_options options = lrgd_options_default();
  options.method = LRGD_METHOD_LRGD;
  options.rank = 5;
  options.step = rules[i].step;
  options.epsilon = 1e-8; /* |grad f| <= sqrt(2 mu epsilon) */
  options.mu = 1;
  if (rules[i].told) options.alpha = 1 / conditions[k];
  cli_run run;
  cli_task task = {
      .problem = &f, .options = &options, .start = lr_problem_start(made)};
  status = solve(&run, &task, error);
  if (status == LRGD_OK) {
    a->calls[i][k] = (double)lrgd_counts_oracle_calls(&run.result.counts);
    a->arrived[i][k] = run.result.outcome == LRGD_OUTCOME_CONVERGED;
    run_free(&run);
  }
  lr_problem_destroy(&made);
  return status;
}

lrgd_status acceleration_run(cli_acceleration **acceleration, lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  *acceleration = calloc(1, sizeof **acceleration);
  if (*acceleration == NULL) return fail_memory(error);
  for (size_t i = 0; i < RULES && status == LRGD_OK; i++)
    for (size_t k = 0; k < CONDITIONS && status == LRGD_OK; k++)
      status = run_cell(*acceleration, i, k, error);
  if (status != LRGD_OK) acceleration_free(acceleration);
  return status;
}

void acceleration_free(cli_acceleration **acceleration)
{
  free(*acceleration);
  *acceleration = NULL;
}

void acceleration_print(const cli_acceleration *acceleration)
{
  printf(
      "Acceleration: oracle calls of LRGD (p = 100, r = 5) until f is within "
      "1e-8 of its minimum\n  %-14s",
      "kappa");
  for (size_t k = 0; k < CONDITIONS; k++) printf("%10s", kappas[k]);
  printf("\n");
  for (size_t i = 0; i < RULES; i++) {
    printf("  %-14s", rules[i].name);
    for (size_t k = 0; k < CONDITIONS; k++)
      printf("%9.0f%s", acceleration->calls[i][k],
             acceleration->arrived[i][k] ? " " : "?");
    printf("\n");
  }
  printf(
      "500 of these calls find the subspace, the same for all.  Plain steps "
      "grow with kappa,\nmomentum (alpha = 1/L, mu given) with its root, BFGS "
      "in 5 dimensions hardly at all.\nAdaGrad and Adam profit from directions "
      "that lie near those of the curvature.\n(? did not converge)\n\n");
}

json_t *acceleration_json(const cli_acceleration *acceleration)
{
  json_t *cells = json_array();
  for (size_t i = 0; i < RULES; i++)
    for (size_t k = 0; k < CONDITIONS; k++)
      json_array_append_new(
          cells,
          json_pack("{s:s, s:f, s:f, s:b}", "step", rules[i].name, "kappa",
                    conditions[k], "calls", acceleration->calls[i][k],
                    "converged", acceleration->arrived[i][k]));
  return json_pack("{s:o}", "cells", cells);
}

void acceleration_csv(const cli_acceleration *acceleration)
{
  printf("step,kappa,calls,converged\n");
  for (size_t i = 0; i < RULES; i++)
    for (size_t k = 0; k < CONDITIONS; k++)
      printf("%s,%g,%.0f,%d\n", rules[i].name, conditions[k],
             acceleration->calls[i][k], (int)acceleration->arrived[i][k]);
}

lrgd_status acceleration_draw(const cli_acceleration *acceleration,
                              const char *path, lrgd_error *error)
{
  draw_series series[RULES];
  for (size_t i = 0; i < RULES; i++)
    series[i] = (draw_series){.kind = DRAW_DOTS,
                              .label = rules[i].name,
                              .colour = (draw_colour)i,
                              .count = CONDITIONS,
                              .x = conditions,
                              .y = acceleration->calls[i]};
  draw_panel panel = {
      .x = {.label = "condition number κ in the subspace", .scale = DRAW_LOG},
      .y = {.label = "oracle calls",                        .scale = DRAW_LOG},
      .series = series,
      .count = RULES
  };
  draw_figure figure = {
      .title = "Steps inside the same subspace",
      .note =
          "LRGD on a quadratic, p = 100, r = 5, to f − f* ≤ 1e-8; 500 calls "
          "find the subspace.",
      .panels = &panel,
      .count = 1,
      .panel_width = 640,
      .panel_height = 430};
  return draw_save(&figure, path, error);
}
