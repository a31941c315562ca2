/* One run of a solver, with its progress shown, its path recorded and signals
 * handled. */
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "cli/terminal/progress.h"
#include "events.h"
#include "learn.h"
#include "ranks.h"
#include "trace.h"
#include "transform.h"
#include "workers.h"

#include <lrgd/run.h>

/* What to run; everything is borrowed for the call.  Over 20 members: the named
 * arguments of one function, most of which may be NULL. */
typedef struct cli_task {
  const lrgd_problem *problem;
  const lrgd_options *options;
  const double *start;
  const cli_inputs *inputs; /* names of the inputs; NULL: they have none */
  cli_progress *progress;   /* NULL: none */
  cli_trace *trace;         /* NULL: none */
  lrgd_pool *pool;          /* if the problem is a program, else NULL */
  size_t jobs;              /* processes of the pool at a time */
  const cli_ranks *ranks;   /* if ranks evaluate, else NULL */
  lrgd_journal *journal;    /* NULL: none */
  uint64_t earlier;         /* evaluations of its earlier paths, and checks */
  lrgd_variables *
      transform; /* NULL: none, problem and start are in the user's variables */
  const double *basis; /* directions to move along; NULL: everywhere */
  size_t basis_count;
  const cli_equations *equal; /* equations in x; NULL: none */
  const double *scale;        /* the solver works on x / scale */
  const double *samples;      /* points of Algorithm 1, in x; NULL: none */
  size_t sample_count;
  const cli_learned *learned; /* known evaluations; NULL: none */
  bool residuals;             /* answers, known ones too, are vectors */
  cli_misfit
      *misfit; /* weights of simulated values; NULL: answers are residuals */
  cli_events *events;      /* NULL: none */
  lrgd_progress_fn listen; /* NULL: no other observer */
  void *listen_user;
} cli_task;

/* The result; owns x and the solver (kept for its decisions). */
typedef struct cli_run {
  lrgd_solver *solver;
  size_t p;
  double *x;
  lrgd_result result;
  uint64_t evaluations; /* all evaluations of the user's function */
  uint64_t
      reissued; /* evaluations repeated on a second rank; not in the counts */
  cli_workers workers;             /* workers of this session */
  const lrgd_variables *transform; /* the task's change of variables */
  const cli_inputs *inputs;        /* the task's names of inputs */
  lrgd_error trouble; /* a storage error that ended the run; the best point so
                         far is kept.  Otherwise LRGD_OK */
} cli_run;

LRGD_MUST_CHECK lrgd_status solve(cli_run *run, const cli_task *task,
                                  lrgd_error *error);
void run_free(cli_run *run);

/* The i-th decision of the solver, in the user's units and names. */
lrgd_phase run_phase(const cli_run *run, size_t i);
/* Sets the reason why the run ended, in the user's units and names: as data and
 * as a message. */
void run_say_end(cli_run *run);

/* The exit status of a finished run. */
int run_exit(const cli_run *run);

#endif
