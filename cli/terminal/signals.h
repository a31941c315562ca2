/* Interrupts: the first stops the solver and keeps the result so far, the
 * second kills what still runs. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <lrgd/run.h>

/* Once, at the start of the program: closed standard descriptors are opened on
 * /dev/null; a broken pipe and the file size limit become write errors. */
void signals_prepare(void);

/* From now on SIGINT, SIGTERM and SIGHUP call stop(what), which must be safe
 * in a handler, and stop the pool (which may be NULL). */
typedef void (*signals_stop)(void *what);
void signals_watch(signals_stop stop, void *what, lrgd_pool *pool);
void signals_release(void);

/* The first signal that came, 0 if none did. */
int signals_seen(void);

/* For ranks: the launcher signals all of them, but only one decides: from now
 * on those signals let the pool drain, and no more. */
void signals_leave_to_others(lrgd_pool *pool);

#endif
