/* Reads instruction files. */
#include "instruction_file.h"

#include <stdlib.h>
#include <string.h>

void pest_instructions_free(pest_instructions *old)
{
  pest_text_free(&old->text);
  free(old->at);
  *old = (struct pest_instructions){0};
}

typedef struct reading {
  pest_instructions *to;
  const pest_index *observations;
  bool *used;
  size_t line;
  bool first; /* no instruction of this line has been read yet */
  char marker;
} reading;

static lrgd_status add(reading *r, pest_instruction one, lrgd_error *error)
{
  pest_instructions *to = r->to;
  pest_instruction *grown = realloc(to->at, (to->count + 1) * sizeof *to->at);
  if (grown == NULL) return fail_memory(error);
  one.line = r->line;
  to->at = grown;
  to->at[to->count++] = one;
  r->first = false;
  return LRGD_OK;
}

static lrgd_status refuse(const reading *r, const char *at, const char *what,
                          lrgd_error *error)
{
  return pest_refuse(error, &r->to->text, r->line, "\"%.40s\" %s", at, what);
}

/* ---- names ---- */

static lrgd_status find_observation(reading *r, const char *at, size_t length,
                                    size_t *number, lrgd_error *error)
{
  char name[PEST_NAME_SIZE];
  *number = SIZE_MAX;
  if (pest_is(at, length, "dum")) return LRGD_OK;
  if (pest_name(at, length, name))
    *number = pest_index_find(r->observations, name);
  if (*number == SIZE_MAX)
    return pest_refuse(error, &r->to->text, r->line,
                       "\"%.*s\" is no observation of the control file",
                       (int)(length < 40 ? length : 40), at);
  if (r->used[*number])
    return pest_refuse(error, &r->to->text, r->line,
                       "the observation \"%s\" is read a second time", name);
  r->used[*number] = true;
  return LRGD_OK;
}

/* ---- instructions ---- */

/* Reads l5 or t5, from the letters of one word. */
static lrgd_status read_jump(reading *r, const char **at, lrgd_error *error)
{
  size_t length = pest_word(at), count;
  bool lines = pest_is(*at, 1, "l");
  if (!pest_count(*at + 1, length - 1, &count) || count == 0)
    return refuse(r, *at, "is no instruction: a whole number > 0 must follow",
                  error);
  if (lines && !r->first)
    return refuse(r, *at, "advances lines, and is not first of its line",
                  error);
  *at += length;
  return add(
      r, (pest_instruction){.kind = lines ? PEST_LINES : PEST_TAB, .a = count},
      error);
}

static lrgd_status read_marker(reading *r, const char **at, lrgd_error *error)
{
  const char *close = strchr(*at + 1, r->marker);
  if (close == NULL || close == *at + 1)
    return refuse(r, *at, "is a marker that is empty or not closed", error);
  pest_instruction one = {.kind = r->first ? PEST_PRIMARY : PEST_SECONDARY,
                          .marker = *at + 1,
                          .length = (size_t)(close - *at) - 1};
  *at = close + 1;
  return add(r, one, error);
}

static lrgd_status read_free(reading *r, const char **at, lrgd_error *error)
{
  const char *close = strchr(*at + 1, '!');
  pest_instruction one = {.kind = PEST_FREE};
  if (close == NULL)
    return refuse(r, *at, "is an observation without its second \"!\"", error);
  lrgd_status status = find_observation(r, *at + 1, (size_t)(close - *at) - 1,
                                        &one.observation, error);
  if (status != LRGD_OK) return status;
  *at = close + 1;
  return add(r, one, error);
}

/* Reads [name]a:b or (name)a:b. */
static lrgd_status read_columns(reading *r, const char **at, lrgd_error *error)
{
  bool fixed = **at == '[';
  const char *close = strchr(*at + 1, fixed ? ']' : ')');
  pest_instruction one = {.kind = fixed ? PEST_FIXED_FIELD : PEST_SEMI_FIXED};
  if (close == NULL)
    return refuse(r, *at, "is an observation whose bracket is not closed",
                  error);
  const char *from = close + 1, *colon = strchr(from, ':');
  const char *end = from;
  while (*end != '\0' && *end != ' ' && *end != '\t') end++;
  if (colon == NULL || colon > end ||
      !pest_count(from, (size_t)(colon - from), &one.a) ||
      !pest_count(colon + 1, (size_t)(end - colon) - 1, &one.b) || one.a == 0 ||
      one.b < one.a)
    return refuse(r, *at,
                  "has no columns: two whole numbers and a colon must follow "
                  "the bracket, the smaller first",
                  error);
  lrgd_status status = find_observation(r, *at + 1, (size_t)(close - *at) - 1,
                                        &one.observation, error);
  if (status != LRGD_OK) return status;
  *at = end;
  return add(r, one, error);
}

static lrgd_status read_one(reading *r, const char **at, lrgd_error *error)
{
  const char *from = *at;
  size_t length = pest_word(at);
  char next = length > 1 ? (*at)[1] : '\0';
  if (**at == r->marker) return read_marker(r, at, error);
  if (**at == '!') return read_free(r, at, error);
  if (**at == '[' || **at == '(') return read_columns(r, at, error);
  if (pest_is(*at, length, "w")) {
    *at += length;
    return add(r, (pest_instruction){.kind = PEST_WHITESPACE}, error);
  }
  if ((pest_is(*at, 1, "l") || pest_is(*at, 1, "t")) && next >= '0' &&
      next <= '9')
    return read_jump(r, at, error);
  return refuse(r, *at > from ? *at : from, "is no instruction", error);
}

static lrgd_status read_line(reading *r, lrgd_error *error)
{
  const char *at = r->to->text.lines[r->line];
  r->first = true;
  if (pest_word(&at) == 0) return LRGD_OK;
  if (*at == '&') { /* continues the line before */
    if (r->to->count == 0) return refuse(r, at, "continues no line", error);
    r->first = false;
    at++;
  }
  while (pest_word(&at) > 0) {
    lrgd_status status = read_one(r, &at, error);
    if (status != LRGD_OK) return status;
  }
  return LRGD_OK;
}

static char marker_of(const pest_text *text)
{
  const char *at = text->count > 0 ? text->lines[0] : "";
  size_t length = pest_word(&at);
  if (!pest_is(at, length, "pif") && !pest_is(at, length, "jif")) return '\0';
  at += length;
  return pest_word(&at) == 1 ? *at : '\0';
}

lrgd_status pest_instructions_read(pest_instructions *to, const char *path,
                                   const pest_index *observations, bool *used,
                                   lrgd_error *error)
{
  *to = (struct pest_instructions){0};
  lrgd_status status =
      pest_text_read(&to->text, path, "instruction file", error);
  if (status != LRGD_OK) return status;
  reading r = {.to = to,
               .observations = observations,
               .used = used,
               .marker = marker_of(&to->text)};
  if (r.marker == '\0' || strchr("!()[]&:", r.marker) != NULL)
    status = fail(error, LRGD_ERR_INVALID,
                  "%.200s:1: an instruction file begins with \"pif\" and the "
                  "delimiter of markers",
                  path);
  for (r.line = 1; r.line < to->text.count && status == LRGD_OK; r.line++)
    status = read_line(&r, error);
  if (status != LRGD_OK) pest_instructions_free(to);
  return status;
}
