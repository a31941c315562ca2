/* Reads and fills templates. */
#include "template_file.h"

#include "cli/base/files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pest_template_free(pest_template *old)
{
  pest_text_free(&old->text);
  free(old->spaces);
  *old = (struct pest_template){0};
}

/* ---- reading ---- */

/* The letter after "ptf" in the first line; 0: there is none. */
static char delimiter_of(const pest_text *text)
{
  const char *at = text->count > 0 ? text->lines[0] : "";
  size_t length = pest_word(&at);
  if (!pest_is(at, length, "ptf")) return '\0';
  at += length;
  return pest_word(&at) == 1 ? *at : '\0';
}

static lrgd_status add_space(pest_template *to, pest_space space,
                             const pest_index *parameters, lrgd_error *error)
{
  const char *at = to->text.lines[space.line] + space.first + 1;
  char name[PEST_NAME_SIZE];
  size_t length = pest_word(&at), inside = space.end - space.first - 2;
  const char *end = to->text.lines[space.line] + space.end - 1;
  if (at + length > end) length = at < end ? (size_t)(end - at) : 0;
  space.parameter = pest_name(at, length, name)
                        ? pest_index_find(parameters, name)
                        : SIZE_MAX;
  if (space.parameter == SIZE_MAX)
    return pest_refuse(error, &to->text, space.line,
                       "\"%.*s\" between delimiters is no parameter",
                       (int)(inside < 60 ? inside : 60),
                       to->text.lines[space.line] + space.first + 1);
  pest_space *grown = realloc(to->spaces, (to->count + 1) * sizeof *to->spaces);
  if (grown == NULL) return fail_memory(error);
  to->spaces = grown;
  to->spaces[to->count++] = space;
  return LRGD_OK;
}

static lrgd_status read_line(pest_template *to, size_t line, char delimiter,
                             const pest_index *parameters, lrgd_error *error)
{
  const char *text = to->text.lines[line], *at = text;
  while ((at = strchr(at, delimiter)) != NULL) {
    const char *close = strchr(at + 1, delimiter);
    if (close == NULL)
      return pest_refuse(error, &to->text, line,
                         "the delimiter %c opens a space that is not closed",
                         delimiter);
    pest_space space = {.line = line,
                        .first = (size_t)(at - text),
                        .end = (size_t)(close - text) + 1};
    lrgd_status status = add_space(to, space, parameters, error);
    if (status != LRGD_OK) return status;
    at = close + 1;
  }
  return LRGD_OK;
}

lrgd_status pest_template_read(pest_template *to, const char *path,
                               const pest_index *parameters, bool *used,
                               lrgd_error *error)
{
  *to = (struct pest_template){0};
  lrgd_status status = pest_text_read(&to->text, path, "template", error);
  if (status != LRGD_OK) return status;
  char delimiter = delimiter_of(&to->text);
  if (delimiter == '\0')
    status =
        fail(error, LRGD_ERR_INVALID,
             "%.200s:1: a template begins with \"ptf\" and a delimiter", path);
  for (size_t i = 1; i < to->text.count && status == LRGD_OK; i++)
    status = read_line(to, i, delimiter, parameters, error);
  for (size_t i = 0; i < to->count && status == LRGD_OK; i++)
    used[to->spaces[i].parameter] = true;
  if (status != LRGD_OK) pest_template_free(to);
  return status;
}

/* ---- numbers ---- */

/* Removes superfluous letters from printf's output: plus sign and leading zeros
 * of an exponent and, where `tight`, the zero before a point. */
static void shorten(char *text, bool tight)
{
  char *e = strchr(text, 'e');
  if (e != NULL) {
    char *from = e + 1, *to = e + 1;
    if (*from == '-') to++, from++;
    if (*from == '+') from++;
    while (from[0] == '0' && from[1] != '\0') from++;
    memmove(to, from, strlen(from) + 1);
  }
  char *zero = text + (*text == '-');
  if (tight && zero[0] == '0' && zero[1] == '.')
    memmove(zero, zero + 1, strlen(zero));
}

/* Inserts a point after the mantissa, if it has none. */
static void add_point(char *text)
{
  char *end = text + strcspn(text, "e");
  if (memchr(text, '.', (size_t)(end - text)) != NULL) return;
  memmove(end + 1, end, strlen(end) + 1);
  *end = '.';
}

bool pest_put_number(char *to, size_t width, double number, bool point)
{
  char text[48];
  if (!isfinite(number)) return false;
  for (int digits = 17; digits > 0; digits--)
    for (int way = 0; way < 3; way++) {
      (void)snprintf(text, sizeof text, way == 2 ? "%.*e" : "%.*g",
                     way == 2 ? digits - 1 : digits, number);
      shorten(text, way > 0);
      if (point) add_point(text);
      size_t length = strlen(text);
      if (length > width) continue;
      memset(to, ' ', width - length);
      memcpy(to + width - length, text, length);
      return true;
    }
  return false;
}

/* ---- writing ---- */

/* Writes line i with its spaces filled; *next is the first of these. */
static lrgd_status put_line(const pest_template *of, size_t i, size_t *next,
                            const double *values, bool point, FILE *file,
                            lrgd_error *error)
{
  const char *line = of->text.lines[i];
  size_t at = 0;
  for (; *next < of->count && of->spaces[*next].line == i; ++*next) {
    const pest_space *space = &of->spaces[*next];
    char text[256];
    size_t width = space->end - space->first, used = width;
    if (used > sizeof text) used = sizeof text;
    double value = values[space->parameter];
    if (!pest_put_number(text, used, value, point))
      return pest_refuse(error, &of->text, i,
                         "%.17g does not go into %zu letters", value, width);
    (void)fwrite(line + at, 1, space->first - at, file);
    fprintf(file, "%*s", (int)(width - used), "");
    (void)fwrite(text, 1, used, file);
    at = space->end;
  }
  fprintf(file, "%s\n", line + at);
  return LRGD_OK;
}

lrgd_status pest_template_write(const pest_template *of, const char *path,
                                const double *values, bool point,
                                lrgd_error *error)
{
  size_t next = 0;
  lrgd_status status = LRGD_OK;
  FILE *file = file_open(path, "w");
  if (file == NULL)
    return fail(error, LRGD_ERR_STORAGE,
                "the model's input \"%s\" cannot be written: %s", path,
                file_trouble());
  for (size_t i = 1; i < of->text.count && status == LRGD_OK; i++)
    status = put_line(of, i, &next, values, point, file, error);
  bool bad = ferror(file) != 0;
  if ((fclose(file) != 0 || bad) && status == LRGD_OK)
    status = fail(error, LRGD_ERR_STORAGE,
                  "the model's input \"%s\" cannot be written: %s", path,
                  strerror(errno));
  return status;
}
