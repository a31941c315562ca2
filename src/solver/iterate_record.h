/* What a run records and reports: the best point, decisions, the callback, the
 * certificate, and its end. */
#ifndef LR_ITERATE_RECORD_H
#define LR_ITERATE_RECORD_H

#include "solver/run_state.h"

/* Records a decision and reports it to the callback. */
void lr_run_decide(lr_run *run, lrgd_decision decision);
void lr_run_tell(lr_run *run, lrgd_event event);
/* Records the noise estimate as a decision, once, where there is noise. */
void lr_run_tell_noise(lr_run *run);
/* For methods that choose their own steps: reports step options that have no
 * effect. */
void lr_run_tell_unused(lr_run *run);

/* A point other than the iterate has a value: copies it if it is the best, ends
 * the run if it reaches the target. */
lr_code lr_run_offer(lr_run *run, const lr_point *point);

/* Called with every value, including those of differences: keeps the lowest and
 * its point. */
void lr_run_hear(void *run, lrgd_vec x, double f);

/* Counts the value at a point, whatever follows; the first is the start's. */
lr_code lr_run_count(lr_run *run, const lr_point *point);

/* Records a point of the run that has a value: as the best, if it is; ends the
 * run if it reaches the target. */
lr_code lr_run_record(lr_run *run, const lr_point *point);

/* f and the gradient norm at the iterate are known: updates the best point,
 * checks target and stall, calls the callback.  The first norm sets tol. */
lr_code lr_run_look(lr_run *run, double grad_norm);

/* Whether the run has converged above the lowest value it has seen, by more
 * than noise and the steps of its differences explain. */
bool lr_run_is_above(lr_run *run);

/* At the end of a run: returns the lowest value ever evaluated, also one of a
 * difference.  A certified point stays if it is as low within the noise;
 * otherwise its certificate is dropped. */
void lr_run_deliver(lr_run *run);

/* At the end of a run: counts the value at the iterate even if its gradient
 * failed, and copies the iterate into the run's own memory. */
void lr_run_leave(lr_run *run);

/* The user's stopping rule on the decrease: whether the last step lowered f by
 * less than stop_decrease; and the end of a run for that reason.  A small
 * decrease certifies nothing: the outcome is stalled. */
bool lr_run_slow(const lr_run *run);
lr_code lr_run_end_slow(lr_run *run);

/* Measures the decrease of a move that began at f, where the user set
 * stop_decrease: finite differences need the value anyway.  Where it fails, the
 * next gradient halves the move. */
lr_code lr_run_measure_fall(lr_run *run, double f);

/* Ends one of the paper's algorithms by its own stopping rule, a small
 * gradient; norm: which gradient that is.  That certifies nothing: the outcome
 * is stalled. */
lr_code lr_run_end_as_written(lr_run *run, lrgd_norm norm);

/* Ends the run at the iterate, |grad f| being at most bound with the given
 * confidence; as stalled where that does not meet the tolerance. */
lr_code lr_run_converged(lr_run *run, double bound, double confidence,
                         int64_t probes);

/* Reports a bound from probes; ends the run, as above, where the bound is
 * within the tolerance. */
lr_code lr_run_certified(lr_run *run, double bound);

/* Makes the iterate the point to be returned, with this bound on |grad f|,
 * unless a value was lower by more than noise. */
void lr_run_settle(lr_run *run, double bound, double confidence,
                   int64_t probes);

/* The kind of norm by which this run measures gradients. */
lrgd_norm lr_run_norm(const lr_run *run);

#endif
