/* Interrupts: the first stops the solver and keeps the result so far, the
 * second kills what still runs. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <lrgd/run.h>

/* To be called once, at the start of the program: opens closed standard
 * descriptors on /dev/null, and makes a broken pipe and the limit on file sizes
 * errors of write. */
void signals_prepare(void);

/* From now on SIGINT, SIGTERM and SIGHUP call stop(what), which must be
 * async-signal-safe, and stop the pool (NULL: none). */
typedef void (*signals_stop)(void *what);
void signals_watch(signals_stop stop, void *what, lrgd_pool *pool);
void signals_release(void);

/* The first signal received; 0: none. */
int signals_seen(void);

/* For ranks: the launcher signals all of them, but only one decides: from now
 * on those signals let the pool drain, and no more. */
void signals_leave_to_others(lrgd_pool *pool);

#endif
