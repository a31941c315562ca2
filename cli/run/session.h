/* One session of a run: a subject minimised, with a journal or without, and
 * its result given.  minimize begins runs, resume goes on with them. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "problem_source.h"

/* The flags a session is read from, beside the subject's. */
#define SESSION_FLAGS                                                          \
  FLAG_REISSUE, FLAG_STORAGE_WAIT, FLAG_EVENTS, FLAG_PLOT, FLAG_SAVE,          \
      FLAG_JSON, FLAG_QUIET

typedef struct cli_where {
  const char *journal; /* NULL: none */
  bool must_exist;     /* do not begin a new one */
  const char *learned; /* from which journals, as recorded; NULL: not yet */
  bool verified;       /* and that a point of theirs was asked again first */
  bool new_path;       /* go on as a new path where the run departs, or has
                          other settings */
} cli_where;

/* --storage-wait; *seconds stays as it is without it. */
LRGD_MUST_CHECK lrgd_status session_wait(const cli_flags *flags,
                                         double *seconds, lrgd_error *error);

/* What can be found wrong before anything is opened. */
LRGD_MUST_CHECK lrgd_status session_check(const cli_flags *flags,
                                          lrgd_error *error);

/* Starts the subject's program, solves, gives the result; returns an
 * exit_code.  subject has been read, and is not destroyed. */
int session_run(const cli_flags *flags, cli_subject *subject,
                const cli_where *where);

#endif
