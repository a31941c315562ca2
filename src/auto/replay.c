/* Replays a method on known values alone, to find out whether it made them.
 * The replay has a run of its own, whose oracle stops it at the first value
 * that is not known. */
#include "auto/replay.h"

#include "auto/auto_rules.h"
#include "dfo/interpolation_phase.h"
#include "solver/iterate.h"
#include "solver/warm_start.h"

#include <math.h>

/* ---- callbacks of a run that may not evaluate ---- */

/* self: a flag that is set, which stops the run. */
static double stop_at_unknown(void *self, lrgd_vec x)
{
  (void)x;
  atomic_store((atomic_int *)self, 1);
  return NAN;
}

static const char *no_complaint(void *self)
{
  (void)self;
  return NULL;
}

static size_t none_unanswered(void *self)
{
  (void)self;
  return 0;
}

/* ---- the run ---- */

/* Only values can be replayed, not derivatives that the user gives. */
static bool can_replay(const lr_run *run)
{
  const lr_answers *a = &run->oracle.answers;
  return !a->slopes && !a->gradient && lr_run_begins_warm(run) &&
         lr_run_first_is_inside(run);
}

static lrgd_status prepare(lr_run *trial, const lr_run *run, atomic_int *stop)
{
  const lr_answers answers = {.value = stop_at_unknown,
                              .complaint = no_complaint,
                              .unanswered = none_unanswered,
                              .self = stop};
  lrgd_options o = run->asked;
  o.method = LRGD_METHOD_QUASI_NEWTON;
  o.progress = NULL;
  o.max_evals = LRGD_UNSET; /* evaluations answered from memory cost nothing */
  o.target = LRGD_UNSET_REAL;
  lrgd_status status =
      lr_run_init(trial, run->space, &answers, &o, &run->allocator);
  if (status != LRGD_OK) return status;
  lr_oracle_set_bounds(&trial->oracle, run->oracle.box);
  trial->learned = run->learned; /* borrowed */
  trial->learned.warm =
      trial->learned.known.n; /* the replay begins at the first */
  /* points on a line, which measured noise, are not steps */
  trial->learned.measured = true;
  return LRGD_OK;
}

static lr_code follow(lr_run *trial, lr_code (*method)(lr_run *run),
                      atomic_int *stop)
{
  const lr_known *known = &trial->learned.known;
  lrgd_vec first = {trial->points, LR_RUN_HEARD};
  trial->space->ops->put(trial->space, first, 0, known->p, known->x);
  LR_TRY(lr_run_start(trial, first, stop));
  return method(trial);
}

static bool judge(const lr_run *run, const lr_run *trial)
{
  const lr_known *known = &run->learned.known;
  const lr_replay_view v = {.recalled = (double)trial->oracle.recalled,
                            .p = (double)known->p,
                            .first = known->f[0],
                            .lowest = known->f[run->learned.warm],
                            .reached = trial->record.heard_f};
  return lr_auto_replays(run->policy, &v);
}

/* A trial run; run->learned.replays tells what became of it. */
static lr_code try_method(lr_run *run, lr_code (*method)(lr_run *run))
{
  lr_run trial;
  atomic_int stop = 0;
  lrgd_status status = prepare(&trial, run, &stop);
  if (status == LRGD_OK && follow(&trial, method, &stop) == LR_FAULT)
    status = trial.oracle.ending.error.status;
  if (status == LRGD_OK) run->learned.replays = judge(run, &trial);
  trial.learned = (lr_run_learned){0};
  lr_run_clear(&trial);
  if (status == LRGD_OK) return LR_GO;
  return lr_oracle_fault(&run->oracle, status, "known evaluations: %s",
                         lrgd_status_text(status));
}

lr_code lr_replay(lr_run *run, lr_code (*method)(lr_run *run))
{
  /* derivatives cannot be replayed: no trial run is made */
  if (!can_replay(run)) return LR_GO;
  run->learned.unopened = false;
  LR_TRY(try_method(run, method));
  if (run->learned.replays || !lr_interpolation_phase_suits(run)) return LR_GO;
  /* `auto` takes quasi-Newton without an opening where an embedding trails */
  run->learned.unopened = true;
  LR_TRY(try_method(run, method));
  run->learned.unopened = run->learned.replays;
  return LR_GO;
}
