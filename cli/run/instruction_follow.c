/* Follows instructions through a model's output. */
#include "instruction_file.h"

#include <stdlib.h>
#include <string.h>

/* The cursor: after letter number `column` of line `line`. */
typedef struct cursor {
  const pest_instructions *of;
  pest_text output;
  size_t lines;  /* lines read so far; 0: none */
  size_t column; /* letters before the cursor */
  double *values;
} cursor;

static lrgd_status lost(const cursor *c, const pest_instruction *at,
                        const char *what, lrgd_error *error)
{
  return fail(error, LRGD_ERR_ORACLE, "%.100s:%zu: %s (%.100s:%zu)",
              c->output.path, c->lines, what, c->of->text.path, at->line + 1);
}

static const char *line_of(const cursor *c)
{
  return c->lines > 0 ? c->output.lines[c->lines - 1] : "";
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* Whether a letter separates words: commas do, like blanks. */
static bool parts(char c)
{
  return is_blank(c) || c == ',';
}

/* ---- markers ---- */

/* The letters up to the end of the marker, searched from `column`; 0: it is not
 * there. */
static size_t behind(const char *line, size_t column,
                     const pest_instruction *at)
{
  size_t length = strlen(line);
  for (size_t i = column; i + at->length <= length; i++)
    if (memcmp(line + i, at->marker, at->length) == 0) return i + at->length;
  return 0;
}

/* Whether the line has the primary marker and those that follow it directly;
 * *column is the end of the first. */
static bool has_markers(const cursor *c, const char *line, size_t number,
                        size_t *column)
{
  const pest_instruction *at = &c->of->at[number];
  size_t reached = behind(line, 0, at);
  *column = reached;
  for (size_t i = number + 1;
       reached > 0 && i < c->of->count && c->of->at[i].kind == PEST_SECONDARY;
       i++)
    reached = behind(line, reached, &c->of->at[i]);
  return reached > 0;
}

static lrgd_status find_primary(cursor *c, size_t number, lrgd_error *error)
{
  size_t column;
  while (c->lines < c->output.count)
    if (has_markers(c, c->output.lines[c->lines++], number, &column)) {
      c->column = column;
      return LRGD_OK;
    }
  return lost(c, &c->of->at[number],
              "the file ends before a line has the "
              "primary marker",
              error);
}

/* ---- moves ---- */

static lrgd_status advance(cursor *c, const pest_instruction *at,
                           lrgd_error *error)
{
  if (at->a > c->output.count - c->lines)
    return lost(c, at, "the file ends before the line that is wanted", error);
  c->lines += at->a;
  c->column = 0;
  return LRGD_OK;
}

static lrgd_status skip_blanks(cursor *c, const pest_instruction *at,
                               lrgd_error *error)
{
  const char *line = line_of(c);
  size_t i = c->column;
  while (line[i] != '\0' && !is_blank(line[i])) i++;
  while (is_blank(line[i])) i++;
  if (line[i] == '\0') return lost(c, at, "no word follows the blanks", error);
  c->column = i;
  return LRGD_OK;
}

/* ---- values ---- */

static lrgd_status keep(cursor *c, const pest_instruction *at, const char *word,
                        size_t length, lrgd_error *error)
{
  double ignored;
  double *to =
      at->observation != SIZE_MAX ? &c->values[at->observation] : &ignored;
  if (at->observation == SIZE_MAX || pest_number(word, length, to))
    return LRGD_OK;
  char text[80];
  (void)snprintf(text, sizeof text, "\"%.*s\" is no number",
                 (int)(length < 40 ? length : 40), word);
  return lost(c, at, text, error);
}

static lrgd_status take_fixed(cursor *c, const pest_instruction *at,
                              lrgd_error *error)
{
  const char *line = line_of(c);
  size_t length = strlen(line), first = at->a - 1, end = at->b;
  if (end > length) end = length;
  while (first < end && is_blank(line[first])) first++;
  while (end > first && is_blank(line[end - 1])) end--;
  if (first >= end) return lost(c, at, "nothing stands in the columns", error);
  c->column = at->b < length ? at->b : length;
  return keep(c, at, line + first, end - first, error);
}

static lrgd_status take_semi_fixed(cursor *c, const pest_instruction *at,
                                   lrgd_error *error)
{
  const char *line = line_of(c);
  size_t length = strlen(line), first = at->a - 1, last = at->b;
  if (last > length) last = length;
  while (first < last && parts(line[first])) first++;
  if (first >= last) return lost(c, at, "nothing stands in the columns", error);
  while (first > 0 && !parts(line[first - 1])) first--;
  size_t end = first;
  while (end < length && !parts(line[end])) end++;
  c->column = end;
  return keep(c, at, line + first, end - first, error);
}

/* Reads the next word; a secondary marker that follows ends it too. */
static lrgd_status take_free(cursor *c, size_t number, lrgd_error *error)
{
  const pest_instruction *at = &c->of->at[number];
  const char *line = line_of(c);
  size_t first = c->column;
  while (parts(line[first])) first++;
  size_t end = first;
  while (line[end] != '\0' && !parts(line[end])) end++;
  if (end == first) return lost(c, at, "the line ends before a number", error);
  const pest_instruction *next = number + 1 < c->of->count ? at + 1 : NULL;
  if (next != NULL && next->kind == PEST_SECONDARY) {
    size_t marker = behind(line, first + 1, next);
    if (marker > 0 && marker - next->length < end) end = marker - next->length;
  }
  c->column = end;
  return keep(c, at, line + first, end - first, error);
}

/* ---- all instructions of a file ---- */

static lrgd_status follow(cursor *c, size_t number, lrgd_error *error)
{
  const pest_instruction *at = &c->of->at[number];
  if (c->lines == 0 && at->kind > PEST_PRIMARY)
    return lost(c, at, "no line was reached: begin with l1 or a marker", error);
  switch (at->kind) {
  case PEST_LINES: return advance(c, at, error);
  case PEST_PRIMARY: return find_primary(c, number, error);
  case PEST_SECONDARY: {
    size_t column = behind(line_of(c), c->column, at);
    if (column == 0) return lost(c, at, "the marker is not there", error);
    c->column = column;
    return LRGD_OK;
  }
  case PEST_WHITESPACE: return skip_blanks(c, at, error);
  case PEST_TAB:
    if (at->a > strlen(line_of(c)))
      return lost(c, at, "the line has fewer columns", error);
    c->column = at->a;
    return LRGD_OK;
  case PEST_FIXED_FIELD: return take_fixed(c, at, error);
  case PEST_SEMI_FIXED: return take_semi_fixed(c, at, error);
  case PEST_FREE: return take_free(c, number, error);
  }
  return LRGD_ERR_INVALID;
}

lrgd_status pest_instructions_follow(const pest_instructions *of,
                                     const char *path, double *values,
                                     lrgd_error *error)
{
  cursor c = {.of = of, .values = values};
  lrgd_status status = pest_text_read(&c.output, path, "model's output", error);
  if (status != LRGD_OK) return status;
  for (size_t i = 0; i < of->count && status == LRGD_OK; i++)
    status = follow(&c, i, error);
  pest_text_free(&c.output);
  return status;
}
