/* The progress of a run, on standard error: a bar on a terminal, plain lines
 * elsewhere, nothing when quiet. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/base/cli.h"

#include <lrgd/run.h>

typedef enum progress_mode {
  PROGRESS_NONE,
  PROGRESS_LINES,
  PROGRESS_BAR
} progress_mode;

/* The mode for standard error. */
progress_mode progress_choose(bool quiet);

/* Over 20 members: what one line shows, and what three callbacks (solver, pool,
 * problem) last reported for it. */
typedef struct cli_progress {
  progress_mode mode;
  bool colour, utf8;
  const lrgd_options *options; /* borrowed: budgets and tolerances */
  lrgd_problem inner;          /* whose callbacks are watched */
  double started, shown;       /* seconds on the clock */
  bool on_screen;              /* a bar stands on the current line */
  /* the run, as last reported */
  uint64_t evaluations; /* reported by the solver */
  uint64_t asked;       /* answers received since the start */
  uint64_t launched;    /* evaluations started by the pool */
  /* programs that are running, and for how long the oldest of them has been */
  size_t waiting;
  double waiting_s;
  bool line_by_line; /* f is a worker that answers by lines, which it may forget
                        to flush */
  double hint_s;     /* when the hint about a silent pool is due */
  uint64_t before;   /* evaluations of earlier sessions, and their time */
  double before_s;
  uint64_t earlier; /* evaluations of earlier paths: the solver does not count
                       them */
  double best, grad_norm, first_grad_norm;
  double
      lowest; /* the lowest f of all answers, also before the first iteration */
  /* outputs have limits: f of an answer says nothing, and that of the run
   * counts once a point is within them */
  bool limited, feasible;
  size_t rank;
  size_t dimension; /* 0: not known */
  char phase[192];
} cli_progress;

/* options is borrowed until progress_end. */
void progress_begin(cli_progress *progress, bool quiet,
                    const lrgd_options *options);

/* Wraps the problem, so that the bar also moves during a long iteration.
 * problem's callbacks are replaced in place. */
void progress_watch(cli_progress *progress, lrgd_problem *problem);

void progress_update(cli_progress *progress, const lrgd_progress *news);

/* The run continues earlier sessions; earlier: of its evaluations, those that
 * the solver will not replay. */
void progress_continue(cli_progress *progress, uint64_t evaluations,
                       uint64_t earlier, double seconds);

/* f of one answer; NaN: it failed. */
void progress_answer(cli_progress *progress, double f);

/* Called while the pool waits for programs. */
void progress_beat(cli_progress *progress, const lrgd_pool_counts *counts);

/* Removes the bar from the terminal. */
void progress_end(cli_progress *progress);

#endif
