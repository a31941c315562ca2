/* Reads lines of text files. */
#include "lines.h"

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char *lines_next(cli_lines *lines, char line[LINE_SIZE], bool *bad)
{
  size_t length = 0;
  int c = getc(lines->file);
  if (c == EOF) return NULL;
  *bad = false;
  lines->number++;
  for (; c != EOF && c != '\n'; c = getc(lines->file)) {
    if (c == '\0' || length + 1 >= LINE_SIZE) *bad = true;
    if (*bad) return line[length] = '\0', line;
    line[length++] = (char)c;
  }
  while (length > 0 && is_blank(line[length - 1])) length--;
  line[length] = '\0';
  while (is_blank(*line)) line++;
  return line;
}
