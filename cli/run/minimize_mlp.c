/* lrgd minimize mlp: trains a network by directional derivatives only.  An
 * evaluation is a forward pass of one batch; a block of k directional
 * derivatives is k + 1.  The descent itself is in network/. */
#include "minimize_mlp.h"

#include "cli/base/cli_text.h"
#include "cli/base/json_output.h"
#include "cli/base/output_path.h"
#include "cli/base/shell_quote.h"
#include "cli/base/vector_file.h"
#include "cli/draw/plots.h"
#include "cli/terminal/bar.h"
#include "cli/terminal/signals.h"
#include "descent.h"
#include "mlp_data.h"
#include "problem_source.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lr_parameter parameters[] = {
    {"hidden",     "32",       "units of the hidden layers: 32 or 64,32"      },
    {"activation", "relu",     "relu or tanh"                                 },
    {"way",        "low-rank", "low-rank, forward-gradient or two-point"      },
    {"from",       "inputs",   "the subspace: inputs, random or gradients"    },
    {"inputs",     "50",       "principal directions of a layer's inputs"     },
    {"probes",     "0",        "slopes outside with each block; 0: use once"  },
    {"batch",      "200",      "images of a forward pass"                     },
    {"rate",       "auto",     "share of a Gauss-Newton step, or alpha"       },
    {"svrg",       "0",        "1: slopes less the anchor's"                  },
    {"anchors",    "10",       "batches of an anchor"                         },
    {"accuracy",   "1",        "stop where the test accuracy is at least this"},
    {"device",     "cpu",      "cpu or cuda: where slopes and steps are made" },
    {"done",       "0",        "passes spent on the network of --start"       },
};

const lr_problem_kind mlp_kind = {
    "mlp", "a network on MNIST, trained with slopes only (--data DIR or tiny)",
    parameters, COUNT_OF(parameters), NULL};

enum { CHECKS_MOST = 64 };

/* The state of a run. */
typedef struct mlp_run {
  const char *save; /* NULL: nowhere */
  lr_dataset set;
  lr_mlp net;
  lr_descent how;
  double wanted; /* the accuracy at which training stops */
  uint64_t max_iterations;
  double max_seconds, begin;
  cli_bar bar;
  lr_descent_news news;
  lr_score score; /* at the last check */
  double check; /* number of passes at which the test images are scored next */
  size_t checks;
  double passes[CHECKS_MOST], accuracy[CHECKS_MOST];
  atomic_int stopped;
  lrgd_outcome outcome;
  lrgd_error error;
} mlp_run;

/* ---- flags ---- */

/* The reason why a flag of other problems does not apply here. */
static const char *why_not(const char *name)
{
  static const char *const reasons[][2] = {
      {"journal",
       "a forward pass costs less than to write it down: --save "
       "FILE keeps the network on its way, --start FILE goes on "
       "from it"                                                              },
      {"method",  "--set way=... and from=... choose, --step says how to move"},
      {"target",  "--set accuracy=A stops at a test accuracy"                 },
      {"probes",  "--set probes=M"                                            },
      {"oracle",  "the network answers slopes"                                },
  };
  for (size_t i = 0; i < COUNT_OF(reasons); i++)
    if (strcmp(reasons[i][0], name) == 0) return reasons[i][1];
  return "it would do nothing; lrgd problems mlp lists its parameters";
}

static bool is_known(const char *name)
{
  static const char *const known[] = {
      "set",  "data",      "start",       "json",          "quiet",    "plot",
      "save", "rank",      "step",        "alpha",         "momentum", "seed",
      "help", "max-evals", "max-seconds", "max-iterations"};
  for (size_t i = 0; i < COUNT_OF(known); i++)
    if (strcmp(known[i], name) == 0) return true;
  return false;
}

enum { NAME_SIZE = 48 };

/* The name of the i-th flag given, without the dashes. */
static void given_name(const cli_flags *flags, size_t i, char name[NAME_SIZE])
{
  int id = flags->given[i].id;
  snprintf(name, NAME_SIZE, "%s",
           id < FLAG_IDS ? flags_name((flag_id)id)
                         : lrgd_option_at((size_t)(id - FLAG_IDS))->name);
  for (char *c = name; *c != '\0'; c++)
    if (*c == '_') *c = '-'; /* the library writes names with "-" */
}

/* Refuses flags that would have no effect. */
static lrgd_status check_flags(const cli_flags *flags, lrgd_error *error)
{
  for (size_t i = 0; i < flags->given_count; i++) {
    char name[NAME_SIZE];
    given_name(flags, i, name);
    if (!is_known(name))
      return fail(error, LRGD_ERR_INVALID, "mlp has no --%s: %s", name,
                  why_not(name));
  }
  return LRGD_OK;
}

static lrgd_status read_options(mlp_run *run, const cli_flags *flags,
                                lr_reader *reader)
{
  const lrgd_options *o = &flags->options;
  lr_descent *how = &run->how;
  *how = lr_descent_default();
  how->way = (lr_way)lr_reader_choice(reader, "way",
                                      "low-rank|forward-gradient|two-point");
  how->from = (lr_subspace_from)lr_reader_choice(reader, "from",
                                                 "inputs|random|gradients");
  how->inputs = lr_reader_size(reader, "inputs", 1, 100000);
  how->probes = lr_reader_size(reader, "probes", 0, 1000);
  how->batch = lr_reader_size(reader, "batch", 1, run->set.train.count);
  how->svrg = lr_reader_choice(reader, "svrg", "0|1") == 1;
  how->anchors = lr_reader_size(reader, "anchors", 1, 10000);
  how->card = lr_reader_choice(reader, "device", "cpu|cuda") == 1;
  run->wanted = lr_reader_positive(reader, "accuracy");
  how->step = o->step;
  if (how->way != LR_LOW_RANK)
    how->rate = 1e-3;
  else if (how->step != LR_STEP_GAUSS_NEWTON)
    how->rate = 0; /* 0: the default of the step rule */
  if (strcmp(lr_reader_text(reader, "rate", NULL), "auto") != 0)
    how->rate = lr_reader_positive(reader, "rate");
  if (o->alpha > 0) how->rate = o->alpha;
  if (o->momentum > 0) how->momentum = o->momentum;
  if (o->rank != LRGD_UNSET) how->rank = (size_t)o->rank;
  if (o->max_evals != LRGD_UNSET) how->budget = (uint64_t)o->max_evals;
  if (o->max_seconds > 0) run->max_seconds = o->max_seconds;
  run->max_iterations = (uint64_t)o->max_iterations;
  how->done = lr_reader_size(reader, "done", 0, 1000000000);
  /* --max-evals counts earlier runs too, as in lrgd resume */
  how->budget -= how->done < how->budget ? how->done : how->budget;
  how->seed = (uint64_t)o->seed;
  return reader->status;
}

static lrgd_status read_run(mlp_run *run, const cli_flags *flags,
                            lrgd_error *error)
{
  cli_settings settings;
  lrgd_status status = settings_read(&settings, flags, error);
  lr_reader reader = {.kind = &mlp_kind,
                      .settings = settings.entries,
                      .count = settings.count,
                      .error = error};
  if (status == LRGD_OK) status = lr_reader_check_names(&reader);
  if (status == LRGD_OK) status = network_data(&run->set, flags, error);
  if (status == LRGD_OK)
    status = network_shape(&run->net, &run->set, &reader, error);
  if (status == LRGD_OK) status = read_options(run, flags, &reader);
  settings_free(&settings);
  return status;
}

/* ---- progress of the training ---- */

static void stop(void *what)
{
  atomic_store((atomic_int *)what, 1);
}

/* Saves the parameters as --start reads them. */
static lrgd_status save(const mlp_run *run, const float *x, lrgd_error *error)
{
  double *point = malloc(run->net.p * sizeof *point);
  if (point == NULL) return fail_memory(error);
  for (size_t i = 0; i < run->net.p; i++) point[i] = (double)x[i];
  lrgd_status status = vector_write(run->save, run->net.p, point, error);
  free(point);
  return status;
}

/* The passes spent on x, including those of earlier runs. */
static uint64_t total(const mlp_run *run, const lr_descent_news *news)
{
  return run->how.done + news->passes;
}

/* Scores the test images ten times per decade of passes: these are not counted,
 * and the descent does not depend on them.  Saves the network; a failure to
 * write is reported at the end. */
static bool look(mlp_run *run, const lr_descent_news *news)
{
  lrgd_error later;
  const float *x = lr_descent_point(news);
  lrgd_status status =
      network_score(&run->score, &run->net, x, &run->set.test, &run->error);
  if (run->checks < CHECKS_MOST) {
    run->passes[run->checks] = (double)total(run, news);
    run->accuracy[run->checks++] = 100 * run->score.accuracy;
  }
  if (run->save != NULL) (void)save(run, x, &later);
  run->check = fmax((double)news->passes, 1) * pow(10, 0.1);
  return status == LRGD_OK;
}

static bool on_iteration(const lr_descent_news *news, void *user)
{
  mlp_run *run = user;
  char note[64];
  run->news = *news;
  if ((double)news->passes >= run->check && !look(run, news)) return false;
  snprintf(note, sizeof note, "test accuracy %.1f %%",
           100 * run->score.accuracy);
  bar_update(&run->bar, (double)news->passes, (double)run->how.budget, note);
  if (run->score.accuracy >= run->wanted) {
    run->outcome = LRGD_OUTCOME_TARGET;
    return false;
  }
  if (atomic_load(&run->stopped)) {
    run->outcome = LRGD_OUTCOME_STOPPED;
    return false;
  }
  if (news->iterations >= run->max_iterations) return false;
  return !(run->max_seconds > 0 && clock_s() - run->begin > run->max_seconds);
}

/* ---- the result ---- */

static const char *way_name(const mlp_run *run)
{
  static const char *const names[] = {"low-rank", "forward-gradient",
                                      "two-point"};
  return names[run->how.way];
}

static uint64_t oracle_calls(const mlp_run *run)
{
  return run->news.slopes + run->net.p * run->news.gradients;
}

static json_t *point_json(const mlp_run *run, const float *x)
{
  json_t *list = json_array();
  for (size_t i = 0; i < run->net.p; i++)
    (void)json_array_append_new(list, json_double((double)x[i]));
  return list;
}

static json_t *run_json(const mlp_run *run, const float *x, double loss)
{
  const lr_descent_news *news = &run->news;
  json_t *counts = json_pack(
      "{s:o, s:o, s:o}", "slopes", json_count(news->slopes), "values",
      json_count(news->values), "gradients", json_count(news->gradients));
  json_t *object = json_pack(
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:[], s:n, s:o, s:o, s:s}",
      "outcome", lrgd_outcome_text(run->outcome), "f", json_double(loss), "x",
      point_json(run, x), "evaluations", json_count(news->passes),
      "oracle_calls", json_count(oracle_calls(run)), "counts", counts,
      "iterations", json_count(news->iterations), "rank",
      json_count(run->how.way == LR_LOW_RANK ? run->how.rank : 1), "phases",
      "certificate", "seconds", json_double(clock_s() - run->begin), "seed",
      json_count(run->how.seed), "method", way_name(run));
  (void)json_object_set_new(object, "done", json_count(total(run, news)));
  (void)json_object_set_new(object, "accuracy",
                            json_double(run->score.accuracy));
  (void)json_object_set_new(object, "test_loss", json_double(run->score.loss));
  (void)json_object_set_new(object, "subspaces", json_count(news->subspaces));
  (void)json_object_set_new(object, "drawn_from", json_count(news->dimension));
  (void)json_object_set_new(object, "data", json_text(run->set.name));
  return object;
}

static void print_run(const mlp_run *run, double loss)
{
  const lr_descent_news *news = &run->news;
  char a[TEXT_COUNT_SIZE], b[TEXT_COUNT_SIZE], c[TEXT_COUNT_SIZE];
  printf("%s accuracy %.2f %% after %s forward passes of %zu images",
         run->outcome == LRGD_OUTCOME_STOPPED ? "Stopped: test" : "Test",
         100 * run->score.accuracy, text_count(a, total(run, news)),
         run->how.batch);
  if (run->how.done > 0)
    printf(", %s of them in this run", text_count(a, news->passes));
  printf("\n\n");
  printf("  f              %.6g, mean loss of the training images\n", loss);
  printf("  test loss      %.6g\n", run->score.loss);
  printf("  parameters     %s\n", text_count(a, run->net.p));
  printf("  asked          %s slopes, %s values, %s gradients\n",
         text_count(a, news->slopes), text_count(b, news->values),
         text_count(c, news->gradients));
  if (run->how.way == LR_LOW_RANK)
    printf("  subspaces      %s of %zu directions, out of %s dimensions\n",
           text_count(a, news->subspaces), run->how.rank,
           text_count(b, news->dimension));
  printf("  way            %s, %s iterations, seed %s\n", way_name(run),
         text_count(a, news->iterations), text_count(b, run->how.seed));
}

static lrgd_status draw(const mlp_run *run, const cli_flags *flags,
                        lrgd_error *error)
{
  draw_series series = {.kind = DRAW_DOTS,
                        .colour = DRAW_BLUE,
                        .count = run->checks,
                        .x = run->passes,
                        .y = run->accuracy};
  draw_panel panel = {
      .x = {.label = "forward passes", .scale = DRAW_LOG},
      .y = { .label = "test accuracy, %",                  .lo = 0,         .hi = 100},
      .series = &series,
      .count = 1
  };
  draw_figure figure = {.title = "A network trained with slopes only",
                        .panels = &panel,
                        .count = 1,
                        .panel_width = 680,
                        .panel_height = 430};
  return plots_save(&figure, flags, error);
}

/* ---- the command that continues ---- */

typedef struct typed {
  char text[900]; /* a line of at most this length */
  size_t length;  /* sizeof text: the command did not fit */
} typed;

static void type_char(typed *line, char c)
{
  if (line->length + 1 < sizeof line->text)
    line->text[line->length++] = c;
  else
    line->length = sizeof line->text;
}

static void type_word(typed *line, const char *word)
{
  char *quoted = shell_word(word);
  type_char(line, ' ');
  for (const char *c = quoted; c != NULL && *c != '\0'; c++)
    type_char(line, *c);
  if (quoted == NULL) line->length = sizeof line->text;
  free(quoted);
}

/* Whether the flag concerns the beginning of the run, which a continued run
 * replaces. */
static bool is_beginning(const flag_given *given)
{
  return given->id == FLAG_START ||
         (given->id == FLAG_SET && strncmp(given->text, "done=", 5) == 0);
}

/* Writes the command that continues from the present network. */
static void type_command(typed *line, const mlp_run *run,
                         const cli_flags *flags)
{
  char done[NAME_SIZE];
  for (size_t i = 0; i < flags->given_count; i++) {
    const flag_given *given = &flags->given[i];
    char flag[NAME_SIZE + 2] = "--";
    if (is_beginning(given)) continue;
    given_name(flags, i, flag + 2);
    type_word(line, flag);
    if (given->text[0] != '\0') type_word(line, given->text);
  }
  snprintf(done, sizeof done, "done=%ju", (uintmax_t)total(run, &run->news));
  type_word(line, "--start");
  type_word(line, run->save);
  type_word(line, "--set");
  type_word(line, done);
}

/* Prints the command that continues a training which the user stopped. */
static void say_how_to_go_on(const mlp_run *run, const cli_flags *flags)
{
  typed line = {.length = 0};
  if (run->outcome != LRGD_OUTCOME_STOPPED || flags_has(flags, FLAG_QUIET))
    return;
  if (run->save == NULL) {
    say("the network is not kept; with --save FILE it can go on");
    return;
  }
  type_command(&line, run, flags);
  if (line.length < sizeof line.text)
    say("to go on: lrgd minimize mlp%s", line.text);
  else
    say("to go on: the same flags, --start with the file of --save, and "
        "--set done=%ju",
        (uintmax_t)total(run, &run->news));
}

static int give(mlp_run *run, const cli_flags *flags, const float *x)
{
  lrgd_error error = {.text = ""};
  lr_score train;
  lrgd_status status =
      network_score(&train, &run->net, x, &run->set.train, &error);
  if (status == LRGD_OK)
    status = network_score(&run->score, &run->net, x, &run->set.test, &error);
  int code = EXIT_FINE;
  if (status == LRGD_OK && flags_has(flags, FLAG_JSON))
    code = json_print(run_json(run, x, train.loss));
  else if (status == LRGD_OK)
    print_run(run, train.loss);
  code = finish_output(code);
  if (status == LRGD_OK && run->save != NULL) status = save(run, x, &error);
  if (status == LRGD_OK) status = draw(run, flags, &error);
  if (status != LRGD_OK) return exit_with(&error);
  say_how_to_go_on(run, flags);
  if (code != EXIT_FINE) return code;
  if (run->outcome == LRGD_OUTCOME_STOPPED && signals_seen() != 0)
    return EXIT_SIGNAL + signals_seen();
  return exit_of_outcome(run->outcome);
}

/* The initial network: Glorot's, or --start. */
static lrgd_status begin(const mlp_run *run, const cli_flags *flags, float *x,
                         lrgd_error *error)
{
  const char *from = flags_text(flags, FLAG_START);
  cli_vector given;
  lr_mlp_start(&run->net, run->how.seed, x);
  if (from == NULL) return LRGD_OK;
  lrgd_status status =
      vector_read(&given, "start", from, run->net.p, false, error);
  if (status != LRGD_OK) return status;
  for (size_t i = 0; i < run->net.p; i++) x[i] = (float)given.entries[i];
  free(given.entries);
  return LRGD_OK;
}

static int train(mlp_run *run, const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  float *x = malloc(run->net.p * sizeof *x);
  if (x == NULL) return exit_with(&(lrgd_error){LRGD_ERR_NOMEM, ""});
  if (begin(run, flags, x, &error) != LRGD_OK) {
    free(x);
    return exit_with(&error);
  }
  run->begin = clock_s();
  run->bar = bar_begin(flags_has(flags, FLAG_QUIET), "training");
  run->how.progress = on_iteration;
  run->how.user = run;
  run->outcome = LRGD_OUTCOME_BUDGET;
  signals_watch(stop, &run->stopped, NULL);
  lrgd_status status = lr_descend_network(&run->net, &run->set.train, &run->how,
                                          x, NULL, &error);
  signals_release();
  bar_end(&run->bar);
  if (status == LRGD_OK && run->error.status != LRGD_OK) error = run->error;
  int code = error.status != LRGD_OK ? exit_with(&error) : give(run, flags, x);
  free(x);
  return code;
}

static lrgd_status check_all(const mlp_run *run, const cli_flags *flags,
                             lrgd_error *error)
{
  lrgd_status status = check_flags(flags, error);
  if (status == LRGD_OK && run->save != NULL)
    status = place_check(flags, FLAG_SAVE, run->save, PLACE_RENAMED, error);
  return status == LRGD_OK ? plots_check(flags, error) : status;
}

int mlp_minimize(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  mlp_run run = {.wanted = 1, .save = flags_text(flags, FLAG_SAVE)};
  lrgd_status status = check_all(&run, flags, &error);
  if (status == LRGD_OK) status = read_run(&run, flags, &error);
  int code = status == LRGD_OK ? train(&run, flags) : exit_with(&error);
  lr_dataset_free(&run.set);
  return code;
}
