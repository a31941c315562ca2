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

const char *lrgd_status_text(lrgd_status status)
{
  static const char *const texts[] = {
#define LRGD_X(name, text) text,
      LRGD_STATUS_LIST(LRGD_X)
#undef LRGD_X
  };
  size_t n = sizeof texts / sizeof *texts;
  return (size_t)status < n ? texts[status] : "unknown status";
}

const char *lrgd_outcome_text(lrgd_outcome outcome)
{
  static const char *const words[] = {
#define LRGD_X(name, word) word,
      LRGD_OUTCOME_LIST(LRGD_X)
#undef LRGD_X
  };
  size_t n = sizeof words / sizeof *words;
  return (size_t)outcome < n ? words[outcome] : "unknown outcome";
}

#define LR_TEXT(x) #x
#define LR_VERSION(a, b, c) LR_TEXT(a) "." LR_TEXT(b) "." LR_TEXT(c)

const char *lrgd_version(void)
{
  return LR_VERSION(LRGD_VERSION_MAJOR, LRGD_VERSION_MINOR, LRGD_VERSION_PATCH);
}
