/* What every call of the user's callbacks does; shared by ask.c and flight.c.
 */
#ifndef LR_ASKING_H
#define LR_ASKING_H

#include "oracle/oracle.h"

/* Adds n evaluations to the counts. */
void lr_asking_count(lr_oracle *o, lrgd_kind kind, lrgd_purpose why,
                     uint64_t n);

/* After every callback: restores the run's floating-point environment, and ends
 * the run if the callback broke its contract. */
LRGD_MUST_CHECK lr_code lr_asking_returned(lr_oracle *o);

/* Subtracts from the counts the evaluations of the last call that were never
 * made, as when a run is stopped; returns how many. */
uint64_t lr_asking_take_back(lr_oracle *o, lrgd_kind kind, lrgd_purpose why);

/* Whether f at x is known from before this run. */
bool lr_asking_recalls(lr_oracle *o, lrgd_vec x, double *f);

/* Converts a value from the user's unit into that of the run. */
void lr_asking_take_value(lr_oracle *o, double *f);

/* Decides whether an answer is a value of f.  -Inf ends the run; any other
 * answer that is not finite is a failure, which is counted; a known sentinel is
 * not a value, but not a failure either. */
LRGD_MUST_CHECK lr_code lr_asking_judge(lr_oracle *o, lrgd_vec x, double f,
                                        bool finite);

#endif
