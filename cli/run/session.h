/* One session of a run: a problem minimised, with or without a journal, and its
 * result printed. minimize begins runs, resume continues them. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "problem_source.h"

/* The flags of a session, beside those of the problem source. */
#define SESSION_FLAGS                                                          \
  FLAG_REISSUE, FLAG_STORAGE_WAIT, FLAG_EVENTS, FLAG_PLOT, FLAG_SAVE,          \
      FLAG_JSON, FLAG_CSV, FLAG_QUIET, FLAG_VERBOSE

typedef struct cli_where {
  const char *journal; /* NULL: none */
  bool must_exist;     /* do not begin a new one */
  const char
      *learned;  /* the recorded sources of known evaluations; NULL: none yet */
  bool verified; /* whether one of the known points was evaluated again first */
  bool new_path; /* continue as a new path where the run departs, or has other
                    settings */
} cli_where;

/* Reads --storage-wait into *seconds, which stays as it is without the flag. */
LRGD_MUST_CHECK lrgd_status session_wait(const cli_flags *flags,
                                         double *seconds, lrgd_error *error);

/* Checks flags before anything is opened. */
LRGD_MUST_CHECK lrgd_status session_check(const cli_flags *flags,
                                          lrgd_error *error);

/* Starts the program, solves, prints the result; returns an exit_code. subject
 * has been read, and is not destroyed. */
int session_run(const cli_flags *flags, cli_subject *subject,
                const cli_where *where);
/* The same for the subject that the flags name: reads it first, and destroys
 * it.  inputs: those it has, whose ownership is taken; NULL: the flags say.
 * pest: the case it comes from; NULL: none. */
int session_begin(const cli_flags *flags, cli_inputs *inputs,
                  const struct pest_case *pest);

#endif
