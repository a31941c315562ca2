/* Keeping workers in step: see step.c. */
#ifndef LR_RUN_STEP_H
#define LR_RUN_STEP_H

#include "pool.h"

/* The worker wrote what belongs to no question: it is ended, and the question
 * fails once it has. */
void lr_step_lost(lrgd_pool *pool, lr_slot *slot);

/* Sends the line break that was held back, where the worker has read all
 * before it. */
void lr_step_complete(lrgd_pool *pool, lr_slot *slot);

/* The same, for a moment: a worker at rest reads at once. */
void lr_step_begin(lrgd_pool *pool, lr_slot *slot);

/* When to look again whether it has read; INFINITY: no need. */
double lr_step_look_at_s(const lr_slot *slot, double now_s);

/* The line of this length is an answer: it is kept with its question. */
void lr_step_keep(lr_slot *slot, size_t length, uint64_t settled_as);

/* The worker of a slot in doubt has ended: puts the question before to a new
 * one.  0: it cannot. */
int lr_step_ask_again(lrgd_pool *pool, lr_slot *slot);

/* It was asked again: the question that lost its turn fails, and the pool stops
 * unless the answers agree. */
void lr_step_checked(lrgd_pool *pool, lr_slot *slot, int agrees);

/* A worker has ended, with nothing to do: was there one answer too many? */
void lr_step_last_words(lrgd_pool *pool, lr_slot *slot);

#endif
