/* --events FILE: events for other programs, one JSON object per line, flushed
 * line by line.  The key "event" is iteration, phase, evaluation or failure. */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include "cli/base/cli.h"

#include <lrgd/run.h>

typedef struct cli_events cli_events;

/* Appends to the file, so that the sessions of a run share one.  *events stays
 * NULL where path is NULL; all below accept NULL. */
LRGD_MUST_CHECK lrgd_status events_open(cli_events **events, const char *path,
                                        lrgd_error *error);

/* The number of evaluations before this session, from which numbering
 * continues. */
void events_continue(cli_events *events, uint64_t evaluations);

void events_progress(cli_events *events, const lrgd_progress *news);
void events_pool(cli_events *events, const lrgd_pool_event *event);

/* Wraps the problem to report its evaluations, where there is no pool.
 * problem's callbacks are replaced in place. */
void events_watch(cli_events *events, lrgd_problem *problem);

/* LRGD_ERR_STORAGE where a line could not be written. */
LRGD_MUST_CHECK lrgd_status events_close(cli_events **events,
                                         lrgd_error *error);

#endif
