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
  cli_subject *subject;
  const cli_where *where;
  cli_budget budget;
  cli_progress progress;
  cli_events *events;
  cli_learned learned;
  cli_record record;
  lrgd_journal *journal;
  lrgd_journal_summary kept; /* the journal at the beginning, then at the end */
  lrgd_variables *transform;
  cli_misfit *misfit;   /* NULL: nothing was observed */
  lrgd_problem problem; /* the subject's, as the journal answers it */
  cli_trace trace;
} cli_session;

/* The ranks that evaluate; NULL: this process does. */
const cli_ranks *session_ranks(const cli_subject *subject);

/* Prints the result, saves and plots; returns an exit_code. */
int session_give(const cli_session *session, const cli_run *run);

#endif
