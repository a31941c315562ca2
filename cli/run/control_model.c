/* The sections on prior information, and on the model's command and files. */
#include "control_sections.h"

#include <stdlib.h>
#include <string.h>

/* ---- prior information ---- */

/* The words of an equation, which "&" continues on the next line. */
typedef struct equation {
  const char *at;
  bool more; /* a word has been read and not used yet */
  size_t length;
} equation;

static bool continues(const pest_reading *r)
{
  for (size_t i = r->next; i < r->end; i++) {
    const char *at = r->to->text.lines[i];
    if (pest_word(&at) > 0) return *at == '&';
  }
  return false;
}

static void next_word(pest_reading *r, equation *e)
{
  e->at += e->length;
  e->length = pest_word(&e->at);
  if (e->length == 0 && continues(r)) {
    e->at = pest_next_line(r);
    (void)pest_word(&e->at);
    e->at++;
    e->length = pest_word(&e->at);
  }
  e->more = e->length > 0;
}

static lrgd_status add_term(pest_reading *r, const equation *e, double factor,
                            lrgd_error *error)
{
  pest_case *to = r->to;
  char name[PEST_NAME_SIZE];
  size_t length = e->length;
  const char *at = e->at;
  bool is_log = length > 5 && pest_is(at, 4, "log(") && at[length - 1] == ')';
  if (is_log) at += 4, length -= 5;
  size_t i = pest_name(at, length, name)
                 ? pest_index_find(&to->parameter_names, name)
                 : SIZE_MAX;
  if (i == SIZE_MAX)
    return pest_refuse(error, &to->text, r->line,
                       "prior information names \"%.*s\", which is no "
                       "parameter",
                       (int)(length < 40 ? length : 40), at);
  pest_transform transform = to->parameters[i].transform;
  if (transform > PEST_LOG)
    return pest_refuse(error, &to->text, r->line,
                       "prior information names %s, which is %s", name,
                       transform == PEST_FIXED ? "fixed" : "tied");
  if (is_log != (transform == PEST_LOG))
    return pest_refuse(error, &to->text, r->line,
                       is_log ? "log(%s): the parameter is not "
                                "log-transformed"
                              : "%s is log-transformed: prior information "
                                "has log(...) of it",
                       name);
  pest_term *grown =
      realloc(to->terms, (to->term_count + 1) * sizeof *to->terms);
  if (grown == NULL) return fail_memory(error);
  to->terms = grown;
  to->terms[to->term_count++] =
      (pest_term){.parameter = i, .factor = factor, .log = is_log};
  return LRGD_OK;
}

static lrgd_status expected(const pest_reading *r, const equation *e,
                            const char *what, lrgd_error *error)
{
  if (!e->more)
    return pest_refuse(error, &r->to->text, r->line,
                       "the equation ends where %s should be", what);
  return pest_refuse(error, &r->to->text, r->line,
                     "\"%.*s\" stands where %s should be",
                     (int)(e->length < 40 ? e->length : 40), e->at, what);
}

/* factor * parameter [+ ...] = */
static lrgd_status read_terms(pest_reading *r, equation *e, lrgd_error *error)
{
  double sign = 1;
  for (;;) {
    double factor;
    next_word(r, e);
    if (!e->more || !pest_number(e->at, e->length, &factor))
      return expected(r, e, "a factor", error);
    next_word(r, e);
    if (!e->more || !pest_is(e->at, e->length, "*"))
      return expected(r, e, "\"*\"", error);
    next_word(r, e);
    if (!e->more) return expected(r, e, "a parameter", error);
    lrgd_status status = add_term(r, e, sign * factor, error);
    if (status != LRGD_OK) return status;
    next_word(r, e);
    if (e->more && pest_is(e->at, e->length, "=")) return LRGD_OK;
    bool minus = e->more && pest_is(e->at, e->length, "-");
    if (!minus && (!e->more || !pest_is(e->at, e->length, "+")))
      return expected(r, e, "\"+\", \"-\" or \"=\"", error);
    sign = minus ? -1 : 1;
  }
}

static lrgd_status read_equation(pest_reading *r, const char *line,
                                 cli_observation *to, lrgd_error *error)
{
  equation e = {.at = line};
  next_word(r, &e);
  if (!pest_name(e.at, e.length, to->name))
    return expected(r, &e, "a name of at most 63 letters", error);
  if (pest_index_find(&r->to->observation_names, to->name) != SIZE_MAX)
    return pest_refuse(error, &r->to->text, r->line,
                       "\"%s\" is an observation already", to->name);
  lrgd_status status = read_terms(r, &e, error);
  if (status != LRGD_OK) return status;
  next_word(r, &e);
  if (!e.more || !pest_number(e.at, e.length, &to->value))
    return expected(r, &e, "PIVAL, a number,", error);
  next_word(r, &e);
  if (!e.more || !pest_number(e.at, e.length, &to->weight) || to->weight < 0)
    return expected(r, &e, "WEIGHT, a number >= 0,", error);
  next_word(r, &e);
  if (!e.more || !pest_name(e.at, e.length, to->group))
    return expected(r, &e, "OBGNME, a group,", error);
  next_word(r, &e);
  return e.more ? expected(r, &e, "the end of the line", error) : LRGD_OK;
}

lrgd_status pest_read_prior(pest_reading *r, lrgd_error *error)
{
  pest_case *to = r->to;
  const char *line;
  to->term_ends = calloc(r->prior_count + 1, sizeof *to->term_ends);
  if (to->term_ends == NULL) return fail_memory(error);
  while ((line = pest_next_line(r)) != NULL) {
    if (to->prior_count == r->prior_count)
      return pest_refuse(error, &to->text, r->line,
                         "one equation too many; NPRIOR is %zu",
                         r->prior_count);
    lrgd_status status = read_equation(
        r, line, &to->observations[to->observation_count + to->prior_count],
        error);
    if (status != LRGD_OK) return status;
    to->term_ends[to->prior_count++] = to->term_count;
  }
  return LRGD_OK;
}

/* ---- the model ---- */

lrgd_status pest_read_command(pest_reading *r, lrgd_error *error)
{
  const char *line = pest_next_line(r);
  if (line == NULL)
    return pest_refuse(error, &r->to->text, r->next > 0 ? r->next - 1 : 0,
                       "there is no command of the model");
  r->to->command = strdup(line);
  if (r->to->command == NULL) return fail_memory(error);
  if (pest_next_line(r) == NULL) return LRGD_OK;
  return pest_refuse(error, &r->to->text, r->line,
                     "a second command of the model, which is not supported");
}

static lrgd_status read_pairs(pest_reading *r, pest_pair **pairs, size_t *count,
                              size_t most, const char *what, lrgd_error *error)
{
  const char *at;
  while (*count < most && (at = pest_next_line(r)) != NULL) {
    pest_pair *grown = realloc(*pairs, (*count + 1) * sizeof **pairs);
    if (grown == NULL) return fail_memory(error);
    *pairs = grown;
    size_t length = pest_take_word(r, &at, what, error);
    if (length == 0) return LRGD_ERR_INVALID;
    char *ours = strndup(at, length);
    at += length;
    length = pest_take_word(r, &at, "a file of the model", error);
    char *models = length > 0 ? strndup(at, length) : NULL;
    grown[*count] = (pest_pair){ours, models};
    ++*count;
    if (length == 0) return LRGD_ERR_INVALID;
    if (ours == NULL || models == NULL) return fail_memory(error);
  }
  return LRGD_OK;
}

static lrgd_status expect_end(pest_reading *r, const char *what,
                              lrgd_error *error)
{
  if (pest_next_line(r) == NULL) return LRGD_OK;
  return pest_refuse(error, &r->to->text, r->line,
                     "one file too many: the control data say how many %s "
                     "there are",
                     what);
}

lrgd_status pest_read_inputs(pest_reading *r, lrgd_error *error)
{
  lrgd_status status = read_pairs(r, &r->to->inputs, &r->to->input_count,
                                  r->template_count, "a template", error);
  return status == LRGD_OK ? expect_end(r, "templates", error) : status;
}

lrgd_status pest_read_outputs(pest_reading *r, lrgd_error *error)
{
  lrgd_status status =
      read_pairs(r, &r->to->outputs, &r->to->output_count, r->instruction_count,
                 "an instruction file", error);
  return status == LRGD_OK ? expect_end(r, "instruction files", error) : status;
}

lrgd_status pest_read_files(pest_reading *r, lrgd_error *error)
{
  lrgd_status status = read_pairs(r, &r->to->inputs, &r->to->input_count,
                                  r->template_count, "a template", error);
  return status == LRGD_OK ? pest_read_outputs(r, error) : status;
}
