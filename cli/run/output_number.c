/* Reads --read, and the numbers it describes in output files: by a POSIX
 * extended regular expression, line by line, or by column and row. */
#include "output_number.h"

#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "deck.h"

#include <stdlib.h>
#include <string.h>

void pick_free(cli_pick *pick)
{
  if (pick->by_regex) regfree(&pick->regex);
  free(pick->name);
  free(pick->file);
  *pick = (struct cli_pick){0};
}

/* ---- the flag ---- */

static lrgd_status bad(lrgd_error *error, const char *text)
{
  return fail(error, LRGD_ERR_INVALID,
              "--read \"%.100s\": write NAME=FILE:/REGEX/ or NAME=FILE:column "
              "N[,row M]",
              text);
}

static lrgd_status read_regex(cli_pick *pick, const char *from, size_t length,
                              lrgd_error *error)
{
  char *pattern = strndup(from, length), reason[128];
  if (pattern == NULL) return fail_memory(error);
  int failure = regcomp(&pick->regex, pattern, REG_EXTENDED);
  free(pattern);
  if (failure != 0) {
    (void)regerror(failure, &pick->regex, reason, sizeof reason);
    return fail(error, LRGD_ERR_INVALID, "--read %s: /%.*s/: %s", pick->name,
                (int)(length < 100 ? length : 100), from, reason);
  }
  pick->by_regex = true;
  if (pick->regex.re_nsub > 0) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "--read %s: /%.*s/ has no group; put the number in (...)",
              pick->name, (int)(length < 100 ? length : 100), from);
}

/* Reads N or N,row M. */
static bool read_column(cli_pick *pick, const char *text)
{
  char number[24] = "";
  int64_t column, row = 0;
  size_t length = strcspn(text, ",");
  if (length >= sizeof number) return false;
  memcpy(number, text, length);
  const char *rest = text + length;
  if (!text_integer(number, 1, INT32_MAX, &column)) return false;
  if (*rest == ',') {
    for (rest++; *rest == ' ';) rest++;
    if (strncmp(rest, "row ", 4) != 0 ||
        !text_integer(rest + 4, 1, INT32_MAX, &row))
      return false;
  }
  pick->column = (size_t)column;
  pick->row = (size_t)row;
  return true;
}

/* The end of the file's name: at ":/" or ":column ". */
static const char *end_of_file(const char *from)
{
  const char *regex = strstr(from, ":/"), *column = strstr(from, ":column ");
  if (regex == NULL) return column;
  return column != NULL && column < regex ? column : regex;
}

lrgd_status pick_read(cli_pick *pick, const char *text, lrgd_error *error)
{
  *pick = (struct cli_pick){0};
  const char *equals = strchr(text, '=');
  const char *end = equals != NULL ? end_of_file(equals + 1) : NULL;
  if (end == NULL || equals == text) return bad(error, text);
  pick->name = strndup(text, (size_t)(equals - text));
  pick->file = strndup(equals + 1, (size_t)(end - equals) - 1);
  lrgd_status status = LRGD_OK;
  size_t length = strlen(end);
  if (pick->name == NULL || pick->file == NULL)
    status = fail_memory(error);
  else if (!path_is_inside(pick->file))
    status = bad(error, text);
  else if (end[1] == '/')
    status = length > 3 && end[length - 1] == '/'
                 ? read_regex(pick, end + 2, length - 3, error)
                 : bad(error, text);
  else if (!read_column(pick, end + strlen(":column ")))
    status = bad(error, text);
  if (status != LRGD_OK) pick_free(pick);
  return status;
}

/* ---- a file ---- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r' ||
         c == '\n';
}

/* Reads a number as simulators write it: 1.5D+03 is 1.5e+03. */
static bool to_number(const char *from, size_t length, double *number)
{
  char text[64] = "";
  while (length > 0 && is_blank(*from)) from++, length--;
  while (length > 0 && is_blank(from[length - 1])) length--;
  if (length == 0 || length >= sizeof text) return false;
  memcpy(text, from, length);
  char *d = strpbrk(text, "dD");
  if (d != NULL) *d = 'e';
  return text_number(text, number);
}

/* The word in a column, counted from 1; its length is 0 where there is none. */
static const char *word_at(const char *line, size_t column, size_t *length)
{
  for (size_t i = 0;; i++, line += *length) {
    while (*line != '\0' && is_blank(*line)) line++;
    *length = 0;
    while (line[*length] != '\0' && !is_blank(line[*length])) ++*length;
    if (*length == 0 || i + 1 == column) return line;
  }
}

/* The match so far. */
typedef struct found {
  size_t row; /* number of nonempty lines */
  char text[64];
  bool any;
} found;

static void keep(found *to, const char *from, size_t length)
{
  if (length >= sizeof to->text) length = sizeof to->text - 1;
  memcpy(to->text, from, length);
  to->text[length] = '\0';
  to->any = true;
}

static void look_for_regex(const cli_pick *pick, const char *line, found *to)
{
  regmatch_t match[2];
  const char *at = line;
  while (regexec(&pick->regex, at, 2, match, at > line ? REG_NOTBOL : 0) == 0) {
    if (match[1].rm_so >= 0)
      keep(to, at + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
    if (at[match[0].rm_eo] == '\0') return;
    at += match[0].rm_eo > 0 ? match[0].rm_eo : 1;
  }
}

static void look_for_column(const cli_pick *pick, const char *line, found *to)
{
  size_t length;
  (void)word_at(line, 1, &length);
  if (length == 0 || line[strspn(line, " \t")] == '#') return;
  to->row++;
  if (pick->row != 0 && to->row != pick->row) return;
  const char *word = word_at(line, pick->column, &length);
  to->any = false;
  if (length > 0) keep(to, word, length);
}

static bool nothing(const cli_pick *pick, const found *seen, char *why,
                    size_t size)
{
  if (pick->by_regex)
    (void)snprintf(why, size, "%.60s: no line of \"%.80s\" matches", pick->name,
                   pick->file);
  else
    (void)snprintf(why, size,
                   "%.60s: \"%.80s\" has no column %zu in row %zu (it has %zu "
                   "rows)",
                   pick->name, pick->file, pick->column,
                   pick->row > 0 ? pick->row : seen->row, seen->row);
  return false;
}

bool pick_number(const cli_pick *pick, const char *folder, double *number,
                 char *why, size_t size)
{
  found seen = {0};
  char *path = malloc(strlen(folder) + strlen(pick->file) + 2), *line = NULL;
  size_t room = 0;
  FILE *file = NULL;
  if (path != NULL) {
    (void)sprintf(path, "%s/%s", folder, pick->file);
    file = file_open(path, "r");
  }
  free(path);
  if (file == NULL) {
    (void)snprintf(why, size, "%.60s: the program left no \"%.80s\": %s",
                   pick->name, pick->file, file_trouble());
    return false;
  }
  for (ssize_t n; (n = getline(&line, &room, file)) >= 0;) {
    if (n > 0 && line[n - 1] == '\n') line[n - 1] = '\0';
    if (pick->by_regex) look_for_regex(pick, line, &seen);
    if (!pick->by_regex) look_for_column(pick, line, &seen);
  }
  free(line);
  (void)fclose(file);
  if (!seen.any) return nothing(pick, &seen, why, size);
  if (to_number(seen.text, strlen(seen.text), number)) return true;
  (void)snprintf(why, size, "%.60s: '%.40s' in \"%.80s\" is not a number",
                 pick->name, seen.text, pick->file);
  return false;
}
