/* lrgd compare: methods, ours and others', on the user's own function, each
 * from the same start with the same budget.  What one of them paid for is known
 * to the next that asks for the same point. */
#include "compare.h"

#include "cli/base/cli_text.h"
#include "cli/base/csv_output.h"
#include "cli/base/flags.h"
#include "cli/draw/convergence.h"
#include "cli/draw/plots.h"
#include "cli/run/record.h"
#include "cli/run/session.h"
#include "cli/run/solve.h"
#include "cli/terminal/signals.h"
#include "peer.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const int flag_ids[] = {
    SOURCE_FLAGS, SIMULATOR_FLAGS, FLAG_NAMES,        FLAG_SCALE, FLAG_LOG,
    FLAG_METHODS, FLAG_JOURNAL,    FLAG_STORAGE_WAIT, FLAG_PLOT,  FLAG_CSV,
    FLAG_JSON,    FLAG_QUIET,      FLAG_HELP};

/* The default budget in gradients by differences, where none is given. */
enum { GRADIENTS = 10, WISHES_SIZE = 256 };

/* The resources and results of a comparison. */
typedef struct cli_work {
  const cli_flags *flags;
  /* the flags as a journal records them: without the budget, of which each
   * method has its own */
  cli_flags recorded;
  cli_source source;
  cli_record record;
  lrgd_journal *journal; /* NULL: none */
  lrgd_variables *transform;
  lrgd_problem
      problem; /* the problem, answered by the source or by the journal */
  cli_shared *shared;
  cli_progress progress;
  cli_comparison *of;
  char wishes[WISHES_SIZE];
} cli_work;

/* ---- the methods that are compared ---- */

static const struct {
  const char *name;
  int64_t method;
  bool usual;
} ours[] = {
    {"auto",         LRGD_METHOD_AUTO,         true },
    {"quasi-newton", LRGD_METHOD_QUASI_NEWTON, true },
    {"lrgd",         LRGD_METHOD_LRGD,         false},
    {"iterated",     LRGD_METHOD_ITERATED,     false},
    {"adaptive",     LRGD_METHOD_ADAPTIVE,     false},
    {"gd",           LRGD_METHOD_GD,           true },
};

static bool add_ours(cli_comparison *c, size_t i)
{
  if (c->count == CONTENDERS_MOST) return false;
  c->contenders[c->count++] = (struct cli_contender){
      .name = ours[i].name, .family = "lrgd", .method = ours[i].method};
  return true;
}

static bool add_peer(cli_comparison *c, const cli_peer *peer)
{
  if (c->count == CONTENDERS_MOST) return false;
  c->contenders[c->count++] = (struct cli_contender){
      .name = peer->name, .family = peer->family, .peer = peer};
  return true;
}

/* Adds the method named by the first `length` letters of word. */
static lrgd_status add_named(cli_comparison *c, const char *word, size_t length,
                             lrgd_error *error)
{
  char name[32];
  nearest search;
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  search = nearest_to(name);
  for (size_t i = 0; i < COUNT_OF(ours); i++) {
    if (strcmp(ours[i].name, name) == 0 && add_ours(c, i)) return LRGD_OK;
    nearest_offer(&search, ours[i].name);
  }
  const cli_peer *peer = peers_find(name);
  if (peer != NULL && add_peer(c, peer)) return LRGD_OK;
  for (size_t i = 0; i < peers_count(); i++)
    nearest_offer(&search, peers_at(i)->name);
  if (c->count == CONTENDERS_MOST)
    return fail(error, LRGD_ERR_INVALID, "--methods: %d at most",
                CONTENDERS_MOST);
  return fail(error, LRGD_ERR_INVALID,
              "--methods: no method is called \"%s\"%s%s", name,
              search.name[0] != '\0' ? "; did you mean " : "", search.name);
}

/* Chooses the methods where none is named: with a rank Algorithm 1, which needs
 * one, else Algorithm 3. */
static lrgd_status choose(cli_comparison *c, const cli_flags *flags,
                          lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_METHODS);
  bool ranked = flags->options.rank != LRGD_UNSET;
  lrgd_status status = LRGD_OK;
  if (text == NULL) {
    for (size_t i = 0; i < COUNT_OF(ours); i++)
      if (ours[i].usual ||
          ours[i].method == (ranked ? LRGD_METHOD_LRGD : LRGD_METHOD_ADAPTIVE))
        (void)add_ours(c, i);
    for (size_t i = 0; i < peers_count(); i++)
      if (peers_at(i)->usual) (void)add_peer(c, peers_at(i));
    return LRGD_OK;
  }
  while (status == LRGD_OK) {
    size_t length = strcspn(text, ",");
    status = add_named(c, text, length, error);
    if (text[length] == '\0') break;
    text += length + 1;
  }
  return status;
}

/* ---- opening ---- */

static lrgd_status check(const cli_flags *flags, lrgd_error *error)
{
  const char *oracle = flags_text(flags, FLAG_ORACLE);
  if (oracle != NULL && strcmp(oracle, "value") != 0)
    return fail(error, LRGD_ERR_INVALID,
                "--oracle %.20s: compare counts values, which all methods can "
                "ask for; leave it out",
                oracle);
  lrgd_status status =
      csv_alone(flags_has(flags, FLAG_CSV), flags_has(flags, FLAG_JSON), error);
  return status == LRGD_OK ? plots_check(flags, error) : status;
}

static lrgd_status open_journal(cli_work *work, const char *path,
                                lrgd_error *error)
{
  lrgd_journal_options options = lrgd_journal_options_default();
  work->recorded = *work->flags;
  work->recorded.options.max_evals = LRGD_UNSET;
  lrgd_status status =
      record_make(&work->record, &work->recorded, &work->source, error);
  if (status == LRGD_OK)
    status = session_wait(work->flags, &options.storage_wait_s, error);
  if (status != LRGD_OK) return status;
  const char *methods = flags_text(work->flags, FLAG_METHODS);
  snprintf(work->wishes, sizeof work->wishes, "%.200s, %llu values each",
           methods != NULL ? methods : "the usual methods",
           (unsigned long long)work->of->most);
  record_add(&work->record, "comparison", work->wishes);
  options.dimension = work->source.problem.dimension;
  options.settings = work->record.settings;
  options.setting_count = work->record.count;
  options.noise =
      work->flags->options.noise >= 0 ? work->flags->options.noise : NAN;
  options.advice = "; another comparison needs a journal of its own";
  status = lrgd_journal_open(&work->journal, path, &options, error);
  if (status == LRGD_OK)
    (void)lrgd_run_sweep(lrgd_journal_run_id(work->journal));
  return status;
}

/* Removes all callbacks but those for values. */
static lrgd_status keep_values(cli_work *work, lrgd_error *error)
{
  lrgd_problem *problem = &work->problem;
  *problem = work->source.problem;
  problem->gradient = NULL;
  problem->slopes = NULL;
  problem->complex_value = NULL;
  problem->residuals = NULL;
  problem->residual_batch = NULL;
  if (problem->value == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "%.200s answers no values, which compare counts",
                work->source.name);
  if (work->journal != NULL)
    return lrgd_journal_wrap(work->journal, problem, work->source.pool, problem,
                             error);
  return LRGD_OK;
}

static lrgd_status open_work(cli_work *work, lrgd_error *error)
{
  const char *path = flags_text(work->flags, FLAG_JOURNAL);
  cli_source *source = &work->source;
  cli_listeners listeners = {.progress = &work->progress};
  lrgd_journal_summary kept = {0};
  lrgd_status status = source_scale(source, work->flags, error);
  if (status == LRGD_OK)
    status = transform_create(&work->transform, &source->inputs,
                              &source->problem, error);
  if (status == LRGD_OK && path != NULL)
    status = open_journal(work, path, error);
  if (status == LRGD_OK && work->journal != NULL)
    status = lrgd_journal_summarize(work->journal, &kept, error);
  if (status != LRGD_OK) return status;
  if (work->journal != NULL)
    listeners.run_id = lrgd_journal_run_id(work->journal);
  listeners.before = kept.rows + kept.checks;
  status = source_start(source, work->flags, &listeners, error);
  if (status == LRGD_OK) status = keep_values(work, error);
  if (status == LRGD_OK)
    status = shared_create(&work->shared, &work->problem, error);
  return status;
}

static void close_work(cli_work *work)
{
  shared_destroy(&work->shared);
  lrgd_journal_close(&work->journal);
  source_destroy(&work->source);
  lrgd_variables_destroy(&work->transform);
  record_free(&work->record);
}

/* ---- running ---- */

static lrgd_status run_ours(cli_work *work, cli_contender *one,
                            lrgd_error *error)
{
  const cli_source *source = &work->source;
  lrgd_problem problem = shared_problem(work->shared);
  lrgd_options options = work->flags->options;
  cli_run run;
  options.method = one->method;
  options.max_evals = (int64_t)work->of->most;
  cli_task task = {.problem = &problem,
                   .inputs = &source->inputs,
                   .options = &options,
                   .start = source->start,
                   .progress = &work->progress,
                   .pool = source->pool,
                   .journal = work->journal,
                   .transform = work->transform,
                   .scale = source->inputs.scale};
  lrgd_status status = solve(&run, &task, error);
  if (status != LRGD_OK) return status;
  one->end = lrgd_outcome_text(run.result.outcome);
  run_free(&run);
  return LRGD_OK;
}

/* Set by a signal handler, or by a pool or journal that has failed. */
static volatile int stop_asked;

static void ask_to_stop(void *unused)
{
  (void)unused;
  stop_asked = 1;
}

static void on_fatal(lrgd_status status, void *unused)
{
  (void)status;
  ask_to_stop(unused);
}

static const char *word_for(cli_peer_end end)
{
  switch (end) {
  case PEER_BUDGET: return "budget";
  case PEER_STOPPED: return "stopped";
  case PEER_MISSING: return "not installed";
  default: return "ended";
  }
}

static lrgd_status run_peer(cli_work *work, cli_contender *one,
                            lrgd_error *error)
{
  cli_source *source = &work->source;
  lrgd_problem problem = shared_problem(work->shared);
  const lrgd_options *options = &work->flags->options;
  size_t p = problem.dimension;
  double *start = malloc(p * sizeof *start);
  if (start == NULL) return fail_memory(error);
  memcpy(start, source->start, p * sizeof *start);
  if (work->transform != NULL) {
    lrgd_variables_into(work->transform, source->start, start);
    lrgd_variables_wrap(work->transform, &problem);
  }
  cli_peer_task task = {.problem = &problem,
                        .start = start,
                        .noise = options->noise > 0 ? options->noise : 0,
                        .seed = (uint64_t)options->seed,
                        .most = work->of->most,
                        .target = options->target,
                        .stop = &stop_asked};
  if (source->pool != NULL) lrgd_pool_on_fatal(source->pool, on_fatal, NULL);
  if (work->journal != NULL)
    lrgd_journal_on_fatal(work->journal, on_fatal, NULL);
  signals_watch(ask_to_stop, NULL, source->pool);
  one->end = word_for(peer_run(one->peer, &task));
  signals_release();
  free(start);
  lrgd_status status = work->journal != NULL
                           ? lrgd_journal_status(work->journal, error)
                           : LRGD_OK;
  if (status == LRGD_OK && source->pool != NULL)
    status = lrgd_pool_status(source->pool, error);
  return status;
}

static bool is_able(const cli_work *work, const cli_contender *one)
{
  const lrgd_problem *problem = &work->source.problem;
  bool bounded = problem->lower != NULL || problem->upper != NULL;
  return one->peer == NULL || one->peer->bounds || !bounded;
}

static lrgd_status run_one(cli_work *work, cli_contender *one,
                           lrgd_error *error)
{
  char count[TEXT_COUNT_SIZE];
  shared_begin(work->shared, &one->tally);
  progress_begin(&work->progress, flags_has(work->flags, FLAG_QUIET),
                 &work->flags->options);
  one->end = "no bounds";
  if (!is_able(work, one)) return LRGD_OK;
  lrgd_status status = one->peer != NULL ? run_peer(work, one, error)
                                         : run_ours(work, one, error);
  shared_end(work->shared);
  if (status == LRGD_OK && !flags_has(work->flags, FLAG_QUIET))
    say("%s: %s, %s values, the lowest %.6g", one->name, one->end,
        text_count(count, one->tally.asked), one->tally.best);
  return status;
}

static lrgd_status run_all(cli_work *work, lrgd_error *error)
{
  cli_comparison *c = work->of;
  lrgd_status status = LRGD_OK;
  size_t done = 0;
  c->lowest = INFINITY;
  c->first = NAN;
  for (; done < c->count && status == LRGD_OK && signals_seen() == 0; done++) {
    cli_contender *one = &c->contenders[done];
    status = run_one(work, one, error);
    c->lowest = fmin(c->lowest, one->tally.best);
    if (isnan(c->first)) c->first = one->tally.first;
    if (status == LRGD_OK && done == 0 && isnan(one->tally.first))
      status = fail(error, LRGD_ERR_ORACLE,
                    "there is nothing to compare: f cannot be evaluated at the "
                    "start");
  }
  if (status == LRGD_ERR_ORACLE) source_say_failure(&work->source);
  if (status == LRGD_OK) c->count = done;
  if (status == LRGD_OK && work->journal != NULL)
    status = lrgd_journal_finish(work->journal, "compared", error);
  return status;
}

/* ---- the end ---- */

static lrgd_status draw(const cli_comparison *c, const cli_flags *flags,
                        lrgd_error *error)
{
  cli_curve curves[CONTENDERS_MOST];
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++)
    if (c->contenders[i].tally.trace.count > 0)
      curves[count++] = (cli_curve){.label = c->contenders[i].name,
                                    .trace = &c->contenders[i].tally.trace};
  cli_convergence picture = {.title = c->problem,
                             .note =
                                 "The lowest value after so many values of "
                                 "f, gradients by differences counted.",
                             .minimum = c->minimum,
                             .curves = curves,
                             .count = count,
                             .against = AGAINST_EVALUATIONS,
                             .log_x = true};
  return convergence_draw(&picture, flags, error);
}

static int show(const cli_comparison *c, const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  int code = EXIT_FINE;
  if (flags_has(flags, FLAG_JSON))
    code = compare_print_json(c);
  else if (flags_has(flags, FLAG_CSV))
    code = compare_print_csv(c);
  else
    compare_print(c);
  code = finish_output(code);
  if (draw(c, flags, &error) != LRGD_OK) code = exit_with(&error);
  if (code == EXIT_FINE && signals_seen() != 0)
    code = EXIT_SIGNAL + signals_seen();
  return code;
}

static void announce(const cli_work *work)
{
  char each[TEXT_COUNT_SIZE], all[TEXT_COUNT_SIZE];
  const cli_comparison *c = work->of;
  if (!flags_has(work->flags, FLAG_QUIET))
    say("%zu methods, %s values each (--max-evals): at most %s", c->count,
        text_count(each, c->most), text_count(all, c->most * c->count));
}

static int compare(cli_work *work, lrgd_error *error)
{
  cli_comparison *c = work->of;
  const cli_flags *flags = work->flags;
  c->problem = work->source.name;
  c->p = work->source.problem.dimension;
  c->minimum = work->source.minimum;
  c->most = flags->options.max_evals != LRGD_UNSET
                ? (uint64_t)flags->options.max_evals
                : GRADIENTS * (c->p + 1);
  announce(work);
  if (open_work(work, error) != LRGD_OK || run_all(work, error) != LRGD_OK)
    return exit_with(error);
  return show(c, flags);
}

static int run_compare(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  cli_comparison of = {0};
  cli_work work = {.flags = flags, .of = &of};
  progress_begin(&work.progress, flags_has(flags, FLAG_QUIET), &flags->options);
  if (check(flags, &error) != LRGD_OK ||
      choose(&of, flags, &error) != LRGD_OK ||
      source_read(&work.source, flags, NULL, &error) != LRGD_OK)
    return exit_with(&error);
  int code = compare(&work, &error);
  for (size_t i = 0; i < of.count; i++)
    trace_free(&of.contenders[i].tally.trace);
  close_work(&work);
  return code;
}

const cli_command compare_command = {
    .name = "compare",
    .words = "[PROBLEM] [flags]",
    .summary = "Runs several methods on your own function, beside each other.",
    .details =
        "PROBLEM is as in lrgd minimize.  Each method gets --max-evals values\n"
        "(10 (P + 1) unless told) from the same start; gradients are made of\n"
        "differences, and counted.  The table says after how many values each\n"
        "was how close to the lowest value that any of them found; --plot\n"
        "draws it, --csv has all of it.  A point that several ask for is paid\n"
        "once; with --journal the same comparison goes on where it was cut\n"
        "off.\n"
        "\n"
        "Ours: auto, quasi-newton, gd, adaptive (with --rank: lrgd), "
        "iterated.\n"
        "Others, where lrgd-bench was installed with them: l-bfgs-b (SciPy),\n"
        "bobyqa, sbplx, lbfgs, mma, newuoa, praxis (NLopt), gsl-bfgs2,\n"
        "gsl-simplex (GSL), tao-lmvm (PETSc), cma-es.  The usual ones are\n"
        "auto, quasi-newton, adaptive, gd, l-bfgs-b, bobyqa and sbplx.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .solver_options = true,
    .run = run_compare,
};
