/* Synchronisation with workers: see worker_sync.c. */
#ifndef LR_RUN_STEP_H
#define LR_RUN_STEP_H

#include "pool.h"

/* The worker wrote a stray line: it is terminated, and the request fails once
 * it has ended. */
void lr_step_lost(lrgd_pool *pool, lr_slot *slot);

/* Sends the line break that was held back, where the worker has read all
 * before it. */
void lr_step_complete(lrgd_pool *pool, lr_slot *slot);

/* Waits a moment for the worker to read: an idle one reads at once. */
void lr_step_begin(lrgd_pool *pool, lr_slot *slot);

/* When to check again whether it has read; INFINITY: no need. */
double lr_step_look_at_s(const lr_slot *slot, double now_s);

/* Stores a line of this length as the answer to the last request. */
void lr_step_keep(lr_slot *slot, size_t length, uint64_t settled_as);

/* For a slot in doubt whose worker has ended: sends the last answered request
 * to a new worker.  0: none can be started. */
int lr_step_ask_again(lrgd_pool *pool, lr_slot *slot);

/* The repeated evaluation is done: the request that it displaced fails, and the
 * pool stops unless the answers agree. */
void lr_step_checked(lrgd_pool *pool, lr_slot *slot, int agrees);

/* An idle worker has ended: checks whether it wrote one answer too many. */
void lr_step_last_words(lrgd_pool *pool, lr_slot *slot);

#endif
