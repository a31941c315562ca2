/* What a run keeps and tells of itself: the best point, decisions, the
 * callback, the certificate, and that it has ended. */
#ifndef LR_ITERATE_RECORD_H
#define LR_ITERATE_RECORD_H

#include "solver/run_state.h"

/* Keeps a decision and tells the callback of it. */
void lr_run_decide(lr_run *run, lrgd_decision decision);
void lr_run_tell(lr_run *run, lrgd_event event);
/* The noise of f was estimated: a decision where there is some, once. */
void lr_run_tell_noise(lr_run *run);
/* For methods that choose their steps themselves: options for those that do not
 * are not passed over in silence. */
void lr_run_tell_unused(lr_run *run);

/* A point the run does not stand on has a value: keeps it if it is the best
 * (a copy), ends the run if it is good enough. */
lr_code lr_run_offer(lr_run *run, const lr_point *point);

/* A value was answered, be it asked for a slope only: the lowest of all, and
 * where, is kept. */
void lr_run_hear(void *run, lrgd_vec x, double f);

/* The value at a point is known and counts, whatever follows: the first is the
 * start's. */
lr_code lr_run_count(lr_run *run, const lr_point *point);

/* A value is known at a point of the run: is it the best, or good enough? */
lr_code lr_run_record(lr_run *run, const lr_point *point);

/* f and a gradient are known where the run stands: best point, target, stall,
 * callback.  The first norm seen sets tol. */
lr_code lr_run_look(lr_run *run, double grad_norm);

/* Whether the run has converged above the lowest value that was ever answered,
 * by more than noise and the steps of its differences explain. */
bool lr_run_is_above(lr_run *run);

/* The run has ended, however it did: the lowest value ever answered is what it
 * returns, be it one that was asked for a slope only.  A certified point stays
 * where it is as low within the noise; where it is not, its certificate goes.
 */
void lr_run_deliver(lr_run *run);

/* The run is over: a value that was paid for where it stands counts even if
 * its slopes never came, and it stands on a point of its own. */
void lr_run_leave(lr_run *run);

/* The user's stopping rule on the decrease: whether the last step lowered f by
 * less than stop_decrease; and the end of a run for that reason.  A small
 * decrease certifies nothing: the outcome is stalled. */
bool lr_run_slow(const lr_run *run);
lr_code lr_run_end_slow(lr_run *run);

/* What the move that began at a value of f lowered it by, where that rule asks:
 * the value is paid for now, and needed there anyhow where slopes are
 * differences.  A point without a value is left to the next look, which halves
 * the move. */
lr_code lr_run_measure_fall(lr_run *run, double f);

/* The end of one of the paper's algorithms as it is written: the gradient last
 * measured is small, the norm being of what was measured.  That certifies
 * nothing: the outcome is stalled. */
lr_code lr_run_end_as_written(lr_run *run, lrgd_norm norm);

/* Ends the run where it stands, grad f being at most bound with the given
 * confidence; as stalled where that is not what was asked for. */
lr_code lr_run_converged(lr_run *run, double bound, double confidence,
                         int64_t probes);

/* Tells of a bound that the last probes gave; ends the run, as above, where it
 * is small enough. */
lr_code lr_run_certified(lr_run *run, double bound);

/* The present point is the one to be returned, if nothing lower (by more than
 * noise) was seen, and this is what is known of grad f there. */
void lr_run_settle(lr_run *run, double bound, double confidence,
                   int64_t probes);

/* What a gradient norm of this run is the norm of. */
lrgd_norm lr_run_norm(const lr_run *run);

#endif
