/* How a failure is told: one sentence, one exit status.
 * Knows the exit statuses; does not know what failed. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lrgd_status fail(lrgd_error *error, lrgd_status status, const char *format, ...)
{
  if (error == NULL) return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return status;
}

lrgd_status fail_memory(lrgd_error *error)
{
  return fail(error, LRGD_ERR_NOMEM, "out of memory");
}

/* Text may come from a program or a file: nothing in it may drive the
 * terminal.  Bytes of UTF-8 pass. */
static void put_escaped(const char *text)
{
  for (const char *c = text; *c != '\0'; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte < 0x20 || byte == 0x7f)
      fprintf(stderr, "\\x%02x", byte);
    else
      fputc(byte, stderr);
  }
}

void say(const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fputs("lrgd: ", stderr);
  put_escaped(text);
  fputc('\n', stderr);
}

static int exit_of_status(lrgd_status status)
{
  switch (status) {
  case LRGD_OK: return EXIT_FINE;
  case LRGD_ERR_INVALID:
  case LRGD_ERR_SPAWN: return EXIT_USAGE;
  case LRGD_ERR_ORACLE: return EXIT_PROBLEM;
  case LRGD_ERR_STORAGE: return EXIT_STORAGE;
  case LRGD_ERR_REFUSED: return EXIT_REFUSED;
  case LRGD_ERR_LOCKED: return EXIT_LOCKED;
  case LRGD_ERR_NOMEM:
  case LRGD_ERR_NUMERIC:
  case LRGD_ERR_BUSY: break;
  }
  return EXIT_INTERNAL;
}

int exit_with(const lrgd_error *error)
{
  say("%s",
      error->text[0] != '\0' ? error->text : lrgd_status_text(error->status));
  return exit_of_status(error->status);
}

int exit_of_outcome(lrgd_outcome outcome)
{
  switch (outcome) {
  case LRGD_CONVERGED:
  case LRGD_TARGET: return EXIT_FINE;
  case LRGD_BUDGET:
  case LRGD_STALLED:
  case LRGD_STOPPED: return EXIT_SHORT;
  case LRGD_UNBOUNDED: return EXIT_UNBOUNDED;
  case LRGD_FAILED: return EXIT_PROBLEM;
  }
  return EXIT_INTERNAL;
}

int finish_output(int code)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  say("cannot write to standard output: %s",
      errno != 0 ? strerror(errno) : "write error");
  return EXIT_STORAGE;
}
