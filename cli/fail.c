/* How a failure is told: one sentence, one exit status.
 * Knows the exit statuses; does not know what failed. */
#include "cli.h"

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

/* The length of the UTF-8 character that starts here, which ASCII is not; 0:
 * none, or one of the controls U+0080 to U+009F. */
static size_t letter_length(const unsigned char *c)
{
  size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  if (c[0] < 0xc2 || c[0] > 0xf4 || (c[0] == 0xc2 && c[1] < 0xa0)) return 0;
  for (size_t i = 1; i < n; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  return n;
}

void put_safe(FILE *file, const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  while (*c != '\0') {
    size_t n = *c < 0x80 ? *c >= 0x20 && *c != 0x7f : letter_length(c);
    if (n == 0) fprintf(file, "\\x%02x", *c++);
    for (; n > 0; n--) fputc(*c++, file);
  }
}

/* A line as one piece, so that those of several processes do not mix. */
void say(const char *format, ...)
{
  char text[1024], *line = NULL;
  size_t length = 0;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  FILE *memory = open_memstream(&line, &length), *file;
  file = memory ? memory : stderr;
  fputs("lrgd: ", file);
  put_safe(file, text);
  fputc('\n', file);
  if (memory && fclose(memory) == 0) fwrite(line, 1, length, stderr);
  free(line);
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
