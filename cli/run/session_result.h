/* A session's state, and its result: printed, saved and drawn. */
#ifndef CLI_SESSION_RESULT_H
#define CLI_SESSION_RESULT_H

#include "budget.h"
#include "events.h"
#include "learn.h"
#include "misfit.h"
#include "record.h"
#include "session.h"
#include "solve.h"
#include "trace.h"

typedef struct cli_session {
  const cli_flags *flags;
  cli_source *source;
  const cli_where *where;
  cli_budget budget;
  cli_progress progress;
  cli_events *events;
  cli_learned learned;
  cli_record record;
  lrgd_journal *journal;
  /* summary of the journal at the beginning, then at the end */
  lrgd_journal_summary kept;
  lrgd_variables *transform;
  cli_misfit *misfit; /* NULL: there are no observations */
  /* the source's problem, wrapped by misfit and journal */
  lrgd_problem problem;
  cli_trace trace;
} cli_session;

/* The ranks that evaluate; NULL: this process does. */
const cli_ranks *session_ranks(const cli_source *source);

/* Prints the result, saves and plots; returns an exit_code. */
int session_give(const cli_session *session, const cli_run *run);

#endif
