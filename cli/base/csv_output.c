/* Fields of CSV. */
#include "csv_output.h"

#include "cli_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void end(bool last)
{
  putchar(last ? '\n' : ',');
}

/* A line break within a field is a blank: a row is a line for every reader, and
 * a control character reaches no terminal. */
void csv_text(const char *text, bool last)
{
  bool quoted = strpbrk(text, ",\"\n\r") != NULL;
  if (quoted) putchar('"');
  for (const char *at = text; *at != '\0'; at++) {
    unsigned char letter = (unsigned char)*at;
    if (letter == '"') putchar('"');
    putchar(letter < 32 || letter == 127 ? ' ' : letter);
  }
  if (quoted) putchar('"');
  end(last);
}

void csv_number(double number, bool last)
{
  char text[TEXT_REAL_SIZE];
  if (!isnan(number)) fputs(text_real(text, number), stdout);
  end(last);
}

void csv_count(uint64_t count, bool last)
{
  printf("%" PRIu64, count);
  end(last);
}

lrgd_status csv_alone(bool csv, bool json, lrgd_error *error)
{
  if (csv && json)
    return fail(error, LRGD_ERR_INVALID, "--csv or --json, not both");
  return LRGD_OK;
}
