/* Error messages: one sentence, one exit status. */
#include "cli.h"

#include "base/shown.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

void put_safe_part(FILE *file, const char *text, size_t length)
{
  while (length > 0) {
    size_t n = lr_shown_length(text, length), taken = n > 0 ? n : 1;
    if (n > 0)
      fwrite(text, 1, n, file);
    else
      fprintf(file, "\\x%02x", (unsigned char)*text);
    text += taken;
    length -= taken;
  }
}

void put_safe(FILE *file, const char *text)
{
  put_safe_part(file, text, strlen(text));
}

/* Writes a line by a single call, so that lines of several processes do not
 * mix. */
void say(const char *format, ...)
{
  char some[1024], *line = NULL;
  size_t length = 0;
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(some, sizeof some, format, arguments);
  va_end(arguments);
  char *whole = wanted >= (int)sizeof some ? malloc((size_t)wanted + 1) : NULL;
  va_start(arguments, format);
  if (whole) vsnprintf(whole, (size_t)wanted + 1, format, arguments);
  va_end(arguments);
  FILE *memory = open_memstream(&line, &length), *file;
  file = memory ? memory : stderr;
  fputs("lrgd: ", file);
  put_safe(file, whole ? whole : some);
  fputc('\n', file);
  if (memory && fclose(memory) == 0) fwrite(line, 1, length, stderr);
  free(line);
  free(whole);
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
  case LRGD_OUTCOME_CONVERGED:
  case LRGD_OUTCOME_TARGET: return EXIT_FINE;
  case LRGD_OUTCOME_BUDGET:
  case LRGD_OUTCOME_STALLED:
  case LRGD_OUTCOME_STOPPED: return EXIT_SHORT;
  case LRGD_OUTCOME_UNBOUNDED: return EXIT_UNBOUNDED;
  case LRGD_OUTCOME_FAILED: return EXIT_PROBLEM;
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
