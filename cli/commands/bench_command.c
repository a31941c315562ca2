/* lrgd bench: methods side by side on the same problem, from the same start,
 * with the same counter.  A suite is a table; more rows make a larger one. */
#include "cli/base/cli_text.h"
#include "cli/base/flags.h"
#include "cli/base/json_output.h"
#include "cli/draw/convergence.h"
#include "cli/draw/plots.h"
#include "cli/run/solve.h"
#include "cli/terminal/signals.h"
#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int flag_ids[] = {FLAG_PLOT, FLAG_JSON, FLAG_QUIET, FLAG_HELP};

enum { SETTINGS_MOST = 6, CONTENDERS_MOST = 8 };

/* One way to minimise: options by name, and a fixed step of share/L where the
 * smoothness L of the problem is known (0: as the options say). */
typedef struct cli_contender {
  const char *label;
  lr_setting options[SETTINGS_MOST];
  double step_share;
} cli_contender;

typedef struct cli_suite {
  const char *name, *summary;
  const char *problem;
  lr_setting settings[SETTINGS_MOST];
  const char *told; /* a sentence that describes the problem */
  const char *note; /* the note below the plot */
  cli_contender contenders[CONTENDERS_MOST];
} cli_suite;

static const cli_suite suites[] = {
    {.name = "demo",
     .summary = "a rank-5 quadratic in 1,000 dimensions, by the paper's "
                "methods and auto", .problem = "quadratic",
     .settings = {{"p", "1000"}, {"rank", "5"}, {"kappa", "100"}},
     .told = "quadratic, 1,000 inputs, rank 5, condition 100",
     .note = "The derivative along one direction is one oracle call, a full "
             "gradient 1,000 of them.", .contenders = {{"GD, step 1/L", {{"method", "gd"}}, 1},
                    {"LRGD, r = 5, step 1/L",
                     {{"method", "lrgd"}, {"rank", "5"}},
                     1},
                    {"iterated LRGD, r = 5, step 1/L",
                     {{"method", "iterated"}, {"rank", "5"}},
                     1},
                    {"adaptive LRGD, step 1/L", {{"method", "adaptive"}}, 1},
                    {"LRGD, r = 5, BFGS inside",
                     {{"method", "lrgd"}, {"rank", "5"}, {"step", "bfgs"}},
                     0},
                    {"auto, told nothing", {{"method", "auto"}}, 0}}},
};

/* The result of a contender. */
typedef struct cli_score {
  const cli_contender *contender;
  lrgd_result result;
  uint64_t evaluations, oracle_calls;
  cli_trace trace;
} cli_score;

typedef struct cli_bench {
  const cli_suite *suite;
  lr_problem *problem;
  cli_score scores[CONTENDERS_MOST];
  size_t count;
} cli_bench;

/* ---- running ---- */

static size_t settings_count(const lr_setting settings[SETTINGS_MOST])
{
  size_t count = 0;
  while (count < SETTINGS_MOST && settings[count].name != NULL) count++;
  return count;
}

static lrgd_status set_options(lrgd_options *options,
                               const cli_contender *contender,
                               const lr_problem *problem, lrgd_error *error)
{
  *options = lrgd_options_default();
  for (size_t i = 0; i < settings_count(contender->options); i++) {
    const lr_setting *setting = &contender->options[i];
    lrgd_status status =
        lrgd_options_set(options, setting->name, setting->text, error);
    if (status != LRGD_OK) return status;
  }
  if (contender->step_share > 0) {
    options->step = LRGD_STEP_FIXED;
    options->alpha = contender->step_share / lr_problem_smoothness(problem);
  }
  return LRGD_OK;
}

/* Runs one contender; every one may use slopes, one oracle call each. */
static lrgd_status run_one(cli_bench *bench, const cli_contender *contender,
                           bool quiet, lrgd_error *error)
{
  lrgd_options options;
  lrgd_problem problem = *lr_problem_callbacks(bench->problem);
  lrgd_status status = set_options(&options, contender, bench->problem, error);
  if (status != LRGD_OK) return status;
  problem.value = NULL;
  problem.values = NULL;
  problem.gradient = NULL;
  problem.complex_value = NULL;
  cli_score *score = &bench->scores[bench->count];
  *score = (struct cli_score){.contender = contender};
  cli_progress progress;
  progress_begin(&progress, quiet, &options);
  cli_run run;
  cli_task task = {.problem = &problem,
                   .options = &options,
                   .start = lr_problem_start(bench->problem),
                   .progress = &progress,
                   .trace = &score->trace};
  status = solve(&run, &task, error);
  bench->count++;
  if (status != LRGD_OK) return status;
  score->result = run.result;
  score->evaluations = run.evaluations;
  score->oracle_calls = lrgd_counts_oracle_calls(&run.result.counts);
  run_free(&run);
  return LRGD_OK;
}

static lrgd_status run_suite(cli_bench *bench, bool quiet, lrgd_error *error)
{
  const cli_suite *suite = bench->suite;
  lrgd_status status =
      lr_problem_create(&bench->problem, suite->problem, suite->settings,
                        settings_count(suite->settings), error);
  for (size_t i = 0; status == LRGD_OK && i < CONTENDERS_MOST; i++) {
    if (suite->contenders[i].label == NULL || signals_seen() != 0) break;
    status = run_one(bench, &suite->contenders[i], quiet, error);
  }
  return status;
}

/* ---- showing ---- */

static double gap(const cli_bench *bench, const cli_score *score)
{
  return score->result.f - lr_problem_minimum(bench->problem);
}

static void print_score(const cli_bench *bench, const cli_score *score)
{
  char calls[TEXT_COUNT_SIZE], iterations[TEXT_COUNT_SIZE];
  char count[TEXT_COUNT_SIZE], times[TEXT_COUNT_SIZE + 8] = "";
  uint64_t first = bench->scores[0].oracle_calls;
  if (score != bench->scores && score->oracle_calls > 0)
    snprintf(times, sizeof times, "%s times",
             text_count(count, (uint64_t)llround((double)first /
                                                 (double)score->oracle_calls)));
  printf("  %-32s %12s %13s %11s %12.2g %8.2f s  %s\n", score->contender->label,
         text_count(calls, score->oracle_calls), times,
         text_count(iterations, score->result.iterations), gap(bench, score),
         score->result.seconds, lrgd_outcome_text(score->result.outcome));
}

static void print_text(const cli_bench *bench)
{
  printf("%s\n%s\n\n", bench->suite->told, bench->suite->note);
  printf("  %-32s %12s %13s %11s %12s %10s\n", "method", "oracle calls",
         "fewer", "iterations", "f - minimum", "time");
  for (size_t i = 0; i < bench->count; i++)
    print_score(bench, &bench->scores[i]);
}

static json_t *score_json(const cli_bench *bench, const cli_score *score)
{
  return json_pack(
      "{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:f}", "label",
      score->contender->label, "outcome",
      lrgd_outcome_text(score->result.outcome), "oracle_calls",
      (json_int_t)score->oracle_calls, "evaluations",
      (json_int_t)score->evaluations, "iterations",
      (json_int_t)score->result.iterations, "f", json_double(score->result.f),
      "gap", json_double(gap(bench, score)), "seconds", score->result.seconds);
}

static int print_json(const cli_bench *bench)
{
  json_t *runs = json_array();
  for (size_t i = 0; i < bench->count; i++)
    (void)json_array_append_new(runs, score_json(bench, &bench->scores[i]));
  return json_print(json_pack("{s:s, s:s, s:o}", "suite", bench->suite->name,
                              "problem", bench->suite->told, "runs", runs));
}

static lrgd_status draw(const cli_bench *bench, const cli_flags *flags,
                        lrgd_error *error)
{
  cli_curve curves[CONTENDERS_MOST];
  for (size_t i = 0; i < bench->count; i++)
    curves[i] = (cli_curve){.label = bench->scores[i].contender->label,
                            .trace = &bench->scores[i].trace};
  cli_convergence picture = {.title = bench->suite->told,
                             .note = bench->suite->note,
                             .minimum = lr_problem_minimum(bench->problem),
                             .curves = curves,
                             .count = bench->count,
                             .against = AGAINST_ORACLE_CALLS,
                             .log_x = true};
  return convergence_draw(&picture, flags, error);
}

static int show(const cli_bench *bench, const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  int code = EXIT_FINE;
  if (flags_has(flags, FLAG_JSON))
    code = print_json(bench);
  else
    print_text(bench);
  code = finish_output(code);
  if (draw(bench, flags, &error) != LRGD_OK) code = exit_with(&error);
  if (code == EXIT_FINE && signals_seen() != 0)
    code = EXIT_SIGNAL + signals_seen();
  return code;
}

/* ---- the command ---- */

static const cli_suite *find_suite(const cli_flags *flags, lrgd_error *error)
{
  const char *name = flags->word_count > 0 ? flags->words[0] : suites[0].name;
  for (size_t i = 0; i < COUNT_OF(suites) && flags->word_count <= 1; i++)
    if (strcmp(suites[i].name, name) == 0) return &suites[i];
  (void)fail(error, LRGD_ERR_INVALID,
             "bench: \"%.40s\" is no suite (there is: %s)",
             flags->words[flags->word_count - 1], suites[0].name);
  return NULL;
}

static int run_bench(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  cli_bench bench = {.suite = find_suite(flags, &error)};
  if (bench.suite == NULL || plots_check(flags, &error) != LRGD_OK)
    return exit_with(&error);
  bool quiet = flags_has(flags, FLAG_QUIET);
  int code = run_suite(&bench, quiet, &error) == LRGD_OK ? show(&bench, flags)
                                                         : exit_with(&error);
  for (size_t i = 0; i < bench.count; i++) trace_free(&bench.scores[i].trace);
  lr_problem_destroy(&bench.problem);
  return code;
}

const cli_command bench_command = {
    .name = "bench",
    .words = "[SUITE] [flags]",
    .summary = "Runs this program and its peers on the same problems.",
    .details =
        "SUITE is\n"
        "  demo  a rank-5 quadratic in 1,000 dimensions, by the paper's "
        "methods;\n"
        "        takes the flags below\n"
        "or one of the suites of lrgd-bench, the program with the peers in "
        "it: quick (what\n"
        "is run where none is named), full, exact, embedded, approximate, "
        "fullrank, noise,\n"
        "bounds, fit, collection, simulators.  `lrgd bench quick --help` lists "
        "its flags.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_bench,
};
