/* Runs a solver and connects it with progress, journal and pool. */
#include "solve.h"

#include "cli/terminal/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data of the progress callback. */
typedef struct cli_listener {
  const cli_task *task;
  cli_run *run;
} cli_listener;

static void on_progress(const lrgd_progress *told, void *user)
{
  const cli_listener *listener = user;
  const cli_task *task = listener->task;
  char phase[sizeof((lrgd_phase *)NULL)->text];
  cli_naming naming;
  lrgd_decision decision;
  lrgd_progress ours = *told;
  const lrgd_progress *news = &ours;
  if (told->decision != NULL) {
    lrgd_wording wording = inputs_wording(task->inputs, &naming);
    decision = lrgd_variables_decision(task->transform, told->decision);
    (void)lrgd_decision_text(&decision, &wording, phase, sizeof phase);
    ours.decision = &decision;
    ours.phase = phase;
  }
  if (task->progress != NULL) progress_update(task->progress, news);
  if (task->trace != NULL) trace_add(task->trace, news);
  events_progress(task->events, news);
  if (task->journal != NULL) lrgd_journal_note(task->journal, news);
  if (task->listen != NULL) task->listen(news, task->listen_user);
}

static void on_fatal(lrgd_status status, void *user)
{
  (void)status;
  lrgd_solver_stop(user);
}

static void stop_solver(void *solver)
{
  lrgd_solver_stop(solver);
}

/* Counts kept by those who evaluate. */
typedef struct asked {
  uint64_t failed;
  uint64_t reissued; /* with a journal, those of earlier sessions too */
} asked;

static asked count_asked(const cli_task *task)
{
  lrgd_journal_summary kept;
  asked n = {0};
  if (task->journal != NULL) {
    /* a damaged journal may have no summary */
    lrgd_status status = lrgd_journal_summarize(task->journal, &kept, NULL);
    return (asked){status == LRGD_OK ? kept.path_failures : 0, kept.repeats};
  }
  if (task->pool != NULL) {
    lrgd_pool_counts counts = lrgd_pool_count(task->pool);
    n = (asked){counts.failed, 0};
  }
  if (task->ranks != NULL) {
    n.reissued = task->ranks->reissued;
  }
  return n;
}

/* Takes over the pool's counts.  again: evaluations repeated because their
 * answers were in doubt; a journal counts them itself. */
static lrgd_status finish_pool(const cli_task *task, uint64_t *again,
                               lrgd_error *error)
{
  if (task->pool == NULL) return LRGD_OK;
  uint64_t before = lrgd_pool_count(task->pool).asked;
  lrgd_status status = lrgd_pool_finish(task->pool, error);
  if (task->journal == NULL)
    *again = lrgd_pool_count(task->pool).asked - before;
  return status;
}

static cli_workers count_workers(const cli_task *task)
{
  cli_workers workers = {.count = 0};
  if (task->pool != NULL) {
    lrgd_pool_counts counts = lrgd_pool_count(task->pool);
    workers = (cli_workers){task->jobs, counts.busy_s, counts.elapsed_s};
  }
  if (task->ranks != NULL) {
    const cli_ranks *ranks = task->ranks;
    workers = (cli_workers){ranks->evaluator.jobs, ranks->busy_s,
                            ranks->last_s - ranks->first_s};
  }
  return workers;
}

/* An error of the pool or the journal is the reason why the run ended, whatever
 * the solver reports.  Where only storage failed, the best point so far is
 * still returned. */
static lrgd_status settle(cli_run *run, const cli_task *task, lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  lrgd_counts *counts = &run->result.counts;
  uint64_t again = 0;
  if (task->journal != NULL) status = lrgd_journal_status(task->journal, error);
  bool kept = status == LRGD_OK;
  if (kept) status = finish_pool(task, &again, error);
  const asked n = count_asked(task);
  /* evaluations failed while the solver was stopping, which it cannot
   * distinguish from missing answers */
  if (run->result.outcome == LRGD_OUTCOME_STOPPED &&
      n.failed > counts->failures)
    counts->failures = n.failed;
  run->workers = count_workers(task);
  run->reissued = n.reissued + again;
  run->evaluations =
      lrgd_counts_evaluations(counts) + run->reissued + task->earlier;
  if (task->pool != NULL) run->evaluations += lrgd_pool_unused(task->pool);
  if (kept || status != LRGD_ERR_STORAGE) return status;
  run->trouble = *error;
  snprintf(run->result.message, sizeof run->result.message, "%.255s",
           error->text);
  return LRGD_OK;
}

static lrgd_status solve_now(cli_run *run, const cli_task *task,
                             lrgd_error *error)
{
  if (task->pool != NULL) lrgd_pool_on_fatal(task->pool, on_fatal, run->solver);
  if (task->journal != NULL)
    lrgd_journal_on_fatal(task->journal, on_fatal, run->solver);
  if (task->transform != NULL)
    lrgd_variables_into(task->transform, task->start, run->x);
  else
    memcpy(run->x, task->start, run->p * sizeof *run->x);
  signals_watch(stop_solver, run->solver, task->pool);
  lrgd_status status =
      lrgd_solver_solve(run->solver, run->x, run->x, &run->result, error);
  signals_release();
  /* the solver is destroyed before them, and the last commit may still fail */
  if (task->pool != NULL) lrgd_pool_on_fatal(task->pool, NULL, NULL);
  if (task->journal != NULL) lrgd_journal_on_fatal(task->journal, NULL, NULL);
  if (task->transform != NULL)
    lrgd_variables_back(task->transform, run->x, run->x);
  if (task->journal != NULL) lrgd_journal_at(task->journal, run->x);
  run_say_end(run);
  if (task->progress != NULL) progress_end(task->progress);
  return status == LRGD_OK ? settle(run, task, error) : status;
}

/* Passes the user's sample points on, in the solver's variables. */
static lrgd_status hand_samples(cli_run *run, const cli_task *task,
                                lrgd_error *error)
{
  size_t n = task->sample_count, p = run->p;
  if (task->samples == NULL) return LRGD_OK;
  double *Z = malloc((n * p + 1) * sizeof *Z);
  if (Z == NULL) return fail_memory(error);
  memcpy(Z, task->samples, n * p * sizeof *Z);
  for (size_t j = 0; task->transform != NULL && j < n; j++)
    lrgd_variables_into(task->transform, task->samples + j * p, Z + j * p);
  lrgd_status status = lrgd_solver_set_samples(run->solver, n, Z, error);
  free(Z);
  return status;
}

lrgd_status solve(cli_run *run, const cli_task *task, lrgd_error *error)
{
  lrgd_problem problem = *task->problem;
  lrgd_options options = *task->options;
  options.progress = on_progress;
  cli_listener listener = {task, run};
  options.progress_user = &listener;
  /* a pool reports its own progress, and so do ranks */
  if (task->progress != NULL && task->pool == NULL && task->ranks == NULL)
    progress_watch(task->progress, &problem);
  if (task->transform != NULL) lrgd_variables_wrap(task->transform, &problem);

  if (task->progress != NULL) task->progress->dimension = problem.dimension;
  *run = (struct cli_run){.p = problem.dimension,
                          .transform = task->transform,
                          .inputs = task->inputs};
  run->x = malloc(run->p * sizeof *run->x);
  if (run->x == NULL) return fail_memory(error);
  lrgd_status status =
      lrgd_solver_create(&run->solver, &problem, &options, error);
  if (status == LRGD_OK && task->basis != NULL)
    status = lrgd_solver_set_basis(run->solver, task->basis_count, task->basis,
                                   error);
  else if (status == LRGD_OK && task->equal != NULL && task->equal->count > 0)
    status =
        equations_set(task->equal, run->p, task->scale, run->solver, error);
  else if (status == LRGD_OK && task->learned != NULL)
    status = task->residuals
                 ? learn_teach_residuals(task->learned, run->p, run->solver,
                                         task->transform, task->misfit, error)
                 : learn_teach(task->learned, run->p, run->solver,
                               task->transform, error);
  if (status == LRGD_OK) status = hand_samples(run, task, error);
  if (status == LRGD_OK) status = solve_now(run, task, error);
  if (status != LRGD_OK) run_free(run);
  return status;
}

void run_free(cli_run *run)
{
  (void)lrgd_solver_destroy(&run->solver);
  free(run->x);
  run->x = NULL;
}

lrgd_phase run_phase(const cli_run *run, size_t i)
{
  cli_naming naming;
  lrgd_wording wording = inputs_wording(run->inputs, &naming);
  lrgd_phase phase = *lrgd_solver_phase(run->solver, i);
  phase.decision = lrgd_variables_decision(run->transform, &phase.decision);
  (void)lrgd_decision_text(&phase.decision, &wording, phase.text,
                           sizeof phase.text);
  return phase;
}

void run_say_end(cli_run *run)
{
  cli_naming naming;
  lrgd_wording wording = inputs_wording(run->inputs, &naming);
  lrgd_result *result = &run->result;
  result->held = lrgd_variables_decision(run->transform, &result->held);
  if (result->end.kind != LRGD_DECISION_KIND_NONE)
    (void)lrgd_end_text(&result->end, &result->held, &wording, result->message,
                        sizeof result->message);
}

int run_exit(const cli_run *run)
{
  if (run->result.outcome == LRGD_OUTCOME_STOPPED && signals_seen() != 0)
    return EXIT_SIGNAL + signals_seen();
  return exit_of_outcome(run->result.outcome);
}
