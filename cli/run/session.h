/* One session of a run: a problem minimised, with or without a journal, and its
 * result printed. minimize begins runs, resume continues them. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "problem_source.h"

/* The flags of a session, besides those of the problem source. */
#define SESSION_FLAGS                                                          \
  FLAG_REISSUE, FLAG_STORAGE_WAIT, FLAG_EVENTS, FLAG_PLOT, FLAG_SAVE,          \
      FLAG_JSON, FLAG_CSV, FLAG_QUIET, FLAG_VERBOSE

typedef struct cli_where {
  const char *journal; /* NULL: none */
  bool must_exist;     /* fail if it does not exist */
  const char
      *learned;  /* the recorded sources of known evaluations; NULL: none yet */
  bool verified; /* a known point has been evaluated again to verify f */
  /* continue as a new path if the run departs, or has other settings */
  bool new_path;
} cli_where;

/* Reads --storage-wait into *seconds, which stays as it is without the flag. */
LRGD_MUST_CHECK lrgd_status session_wait(const cli_flags *flags,
                                         double *seconds, lrgd_error *error);

/* Checks flags before anything is opened. */
LRGD_MUST_CHECK lrgd_status session_check(const cli_flags *flags,
                                          lrgd_error *error);

/* Starts the program, solves, prints the result; returns an exit_code. source
 * has been read, and is not destroyed. */
int session_run(const cli_flags *flags, cli_source *source,
                const cli_where *where);
/* Runs the source that the flags describe: reads it first, and destroys it.
 * inputs: its inputs, whose ownership is taken; NULL: as in the flags. pest:
 * the PEST case it belongs to; NULL: none. */
int session_begin(const cli_flags *flags, cli_inputs *inputs,
                  const struct pest_case *pest);

#endif
