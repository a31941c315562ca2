/* Statuses, outcomes and the sentences that go with them. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

lrgd_status lr_fail(lrgd_error *error, lrgd_status status, const char *format,
                    ...)
{
  if (!error) return status;
  error->status = status;
  va_list args;
  va_start(args, format);
  (void)vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return status;
}

/* The text of every status; a test checks that none of the header's is
 * missing. */
static const char *const status_texts[] = {
    [LRGD_OK] = "ok",
    [LRGD_ERR_INVALID] = "invalid argument",
    [LRGD_ERR_NOMEM] = "out of memory",
    [LRGD_ERR_NUMERIC] = "linear algebra failed",
    [LRGD_ERR_ORACLE] = "a callback broke its contract",
    [LRGD_ERR_BUSY] = "the solver is running",
    [LRGD_ERR_SPAWN] = "the program cannot be started",
    [LRGD_ERR_STORAGE] = "storage failed",
    [LRGD_ERR_REFUSED] = "the journal was refused",
    [LRGD_ERR_LOCKED] = "the journal is in use",
};

static const char *const outcome_words[] = {
    [LRGD_OUTCOME_CONVERGED] = "converged",
    [LRGD_OUTCOME_TARGET] = "target",
    [LRGD_OUTCOME_BUDGET] = "budget",
    [LRGD_OUTCOME_STALLED] = "stalled",
    [LRGD_OUTCOME_STOPPED] = "stopped",
    [LRGD_OUTCOME_UNBOUNDED] = "unbounded",
    [LRGD_OUTCOME_FAILED] = "failed",
};

static const char *const stall_words[] = {
    [LRGD_STALL_NONE] = "none",
    [LRGD_STALL_CONSTANT] = "constant",
    [LRGD_STALL_NOISE] = "noise",
    [LRGD_STALL_ROUNDING] = "rounding",
    [LRGD_STALL_NO_DECREASE] = "no_decrease",
    [LRGD_STALL_SLOW] = "slow",
    [LRGD_STALL_ELSEWHERE] = "elsewhere",
    [LRGD_STALL_UNEVALUABLE] = "unevaluable",
    [LRGD_STALL_RANK] = "rank",
    [LRGD_STALL_UNCERTIFIED] = "uncertified",
    [LRGD_STALL_INFEASIBLE] = "infeasible",
};

const char *lrgd_status_text(lrgd_status status)
{
  size_t n = sizeof status_texts / sizeof *status_texts;
  return (size_t)status < n ? status_texts[status] : "unknown status";
}

const char *lrgd_outcome_text(lrgd_outcome outcome)
{
  size_t n = sizeof outcome_words / sizeof *outcome_words;
  return (size_t)outcome < n ? outcome_words[outcome] : "unknown outcome";
}

const char *lrgd_stall_text(lrgd_stall stall)
{
  size_t n = sizeof stall_words / sizeof *stall_words;
  return (size_t)stall < n ? stall_words[stall] : "unknown reason";
}

#define LR_TEXT(x) #x
#define LR_VERSION(a, b, c) LR_TEXT(a) "." LR_TEXT(b) "." LR_TEXT(c)

const char *lrgd_version(void)
{
  return LR_VERSION(LRGD_VERSION_MAJOR, LRGD_VERSION_MINOR, LRGD_VERSION_PATCH);
}
