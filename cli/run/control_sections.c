/* The sections on control data, parameters, observations, and the model's
 * command and files. */
#include "control_sections.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines and words ---- */

const char *pest_next_line(pest_reading *r)
{
  while (r->next < r->end) {
    const char *line = r->to->text.lines[r->next];
    r->line = r->next++;
    const char *at = line;
    size_t length = pest_word(&at);
    if (length > 0 && *at != '#' && strncmp(at, "++", 2) != 0) return line;
  }
  return NULL;
}

size_t pest_take_word(pest_reading *r, const char **at, const char *what,
                      lrgd_error *error)
{
  size_t length = pest_word(at);
  if (length == 0)
    (void)pest_refuse(error, &r->to->text, r->line,
                      "the line ends where %s should be", what);
  return length;
}

bool pest_take_name(pest_reading *r, const char **at, const char *what,
                    char name[PEST_NAME_SIZE], lrgd_error *error)
{
  size_t length = pest_take_word(r, at, what, error);
  if (length == 0) return false;
  bool good = pest_name(*at, length, name);
  if (!good)
    (void)pest_refuse(error, &r->to->text, r->line,
                      "\"%.40s...\" is too long a name; %d letters are the "
                      "most",
                      *at, PEST_NAME_SIZE - 1);
  *at += length;
  return good;
}

bool pest_take_number(pest_reading *r, const char **at, const char *what,
                      double *number, lrgd_error *error)
{
  size_t length = pest_take_word(r, at, what, error);
  if (length == 0) return false;
  bool good = pest_number(*at, length, number);
  if (!good)
    (void)pest_refuse(error, &r->to->text, r->line,
                      "\"%.*s\" is no number, which %s must be",
                      (int)(length < 40 ? length : 40), *at, what);
  *at += length;
  return good;
}

static bool take_count(pest_reading *r, const char **at, const char *what,
                       size_t *count, lrgd_error *error)
{
  size_t length = pest_take_word(r, at, what, error);
  if (length == 0) return false;
  bool good = pest_count(*at, length, count);
  if (!good)
    (void)pest_refuse(error, &r->to->text, r->line,
                      "\"%.*s\" is no whole number, which %s must be",
                      (int)(length < 40 ? length : 40), *at, what);
  *at += length;
  return good;
}

static lrgd_status end_early(const pest_reading *r, const char *what,
                             lrgd_error *error)
{
  return pest_refuse(error, &r->to->text, r->end > 0 ? r->end - 1 : 0,
                     "the section ends where %s should be", what);
}

/* ---- control data ---- */

static lrgd_status read_mode(pest_reading *r, lrgd_error *error)
{
  const char *at = pest_next_line(r);
  if (at == NULL) return end_early(r, "RSTFLE and PESTMODE", error);
  size_t length = pest_take_word(r, &at, "RSTFLE", error);
  if (length == 0) return LRGD_ERR_INVALID;
  at += length;
  length = pest_take_word(r, &at, "PESTMODE", error);
  if (length == 0) return LRGD_ERR_INVALID;
  if (pest_is(at, length, "estimation")) return LRGD_OK;
  return pest_refuse(error, &r->to->text, r->line,
                     "pestmode \"%.*s\" is not supported: \"estimation\" is, "
                     "with prior information of fixed weights",
                     (int)(length < 40 ? length : 40), at);
}

static lrgd_status read_sizes(pest_reading *r, lrgd_error *error)
{
  size_t groups;
  const char *at = pest_next_line(r);
  if (at == NULL) return end_early(r, "NPAR NOBS NPARGP NPRIOR NOBSGP", error);
  if (!take_count(r, &at, "NPAR", &r->parameter_count, error) ||
      !take_count(r, &at, "NOBS", &r->observation_count, error) ||
      !take_count(r, &at, "NPARGP", &groups, error) ||
      !take_count(r, &at, "NPRIOR", &r->prior_count, error))
    return LRGD_ERR_INVALID;
  if (r->parameter_count > 0 && r->observation_count > 0) return LRGD_OK;
  return pest_refuse(error, &r->to->text, r->line,
                     "NPAR is %zu and NOBS %zu; both must be positive",
                     r->parameter_count, r->observation_count);
}

/* NUMCOM and JACFILE: more than one command, or a model that computes its own
 * derivatives. */
static lrgd_status check_commands(pest_reading *r, const char *at,
                                  lrgd_error *error)
{
  static const char *const names[] = {"NUMCOM", "JACFILE"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    size_t number, length = pest_word(&at);
    if (length == 0 || !pest_count(at, length, &number)) return LRGD_OK;
    if (number > 1 - i)
      return pest_refuse(error, &r->to->text, r->line,
                         "%s %zu is not supported: the model is one command, "
                         "and derivatives are differences",
                         names[i], number);
    at += length;
  }
  return LRGD_OK;
}

static lrgd_status read_format(pest_reading *r, lrgd_error *error)
{
  const char *at = pest_next_line(r);
  if (at == NULL) return end_early(r, "NTPLFLE NINSFLE PRECIS DPOINT", error);
  if (!take_count(r, &at, "NTPLFLE", &r->template_count, error) ||
      !take_count(r, &at, "NINSFLE", &r->instruction_count, error))
    return LRGD_ERR_INVALID;
  size_t length = pest_take_word(r, &at, "PRECIS", error);
  if (length == 0) return LRGD_ERR_INVALID;
  if (!pest_is(at, length, "single") && !pest_is(at, length, "double"))
    return pest_refuse(error, &r->to->text, r->line,
                       "\"%.*s\" is neither single nor double, which PRECIS "
                       "must be",
                       (int)(length < 40 ? length : 40), at);
  at += length;
  length = pest_take_word(r, &at, "DPOINT", error);
  if (length == 0) return LRGD_ERR_INVALID;
  r->to->point = pest_is(at, length, "point");
  if (!r->to->point && !pest_is(at, length, "nopoint"))
    return pest_refuse(error, &r->to->text, r->line,
                       "\"%.*s\" is neither point nor nopoint, which DPOINT "
                       "must be",
                       (int)(length < 40 ? length : 40), at);
  return check_commands(r, at + length, error);
}

lrgd_status pest_read_control(pest_reading *r, lrgd_error *error)
{
  lrgd_status status = read_mode(r, error);
  if (status == LRGD_OK) status = read_sizes(r, error);
  if (status == LRGD_OK) status = read_format(r, error);
  return status; /* the other lines control PEST's algorithm */
}

/* ---- parameters ---- */

/* Skips the increments of differences, which lrgd chooses itself. */
lrgd_status pest_read_groups(pest_reading *r, lrgd_error *error)
{
  char name[PEST_NAME_SIZE];
  const char *at;
  while ((at = pest_next_line(r)) != NULL)
    if (!pest_take_name(r, &at, "PARGPNME", name, error))
      return LRGD_ERR_INVALID;
  return LRGD_OK;
}

static lrgd_status read_transform(pest_reading *r, const char **at,
                                  pest_transform *to, lrgd_error *error)
{
  static const char *const names[] = {"none", "log", "fixed", "tied"};
  size_t length = pest_take_word(r, at, "PARTRANS", error);
  if (length == 0) return LRGD_ERR_INVALID;
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    if (!pest_is(*at, length, names[i])) continue;
    *to = (enum pest_transform)i;
    *at += length;
    return LRGD_OK;
  }
  return pest_refuse(error, &r->to->text, r->line,
                     "\"%.*s\" is none of none, log, fixed and tied, which "
                     "PARTRANS must be",
                     (int)(length < 40 ? length : 40), *at);
}

static lrgd_status check_parameter(pest_reading *r, const pest_parameter *at,
                                   lrgd_error *error)
{
  const pest_text *text = &r->to->text;
  if (at->transform <= PEST_LOG && !(at->lower <= at->upper))
    return pest_refuse(error, text, r->line,
                       "%s has the lower bound %g above the upper bound %g",
                       at->name, at->lower, at->upper);
  if (at->transform <= PEST_LOG &&
      (at->start < at->lower || at->start > at->upper))
    return pest_refuse(error, text, r->line,
                       "%s starts at %g, outside its bounds %g and %g",
                       at->name, at->start, at->lower, at->upper);
  if (at->transform == PEST_LOG && !(at->lower > 0))
    return pest_refuse(error, text, r->line,
                       "%s is log-transformed, and its lower bound is %g; it "
                       "must be > 0",
                       at->name, at->lower);
  if (at->scale == 0)
    return pest_refuse(error, text, r->line, "SCALE of %s is 0", at->name);
  return LRGD_OK;
}

static lrgd_status read_parameter(pest_reading *r, pest_parameter *to,
                                  lrgd_error *error)
{
  char group[PEST_NAME_SIZE];
  const char *at = pest_next_line(r);
  if (at == NULL) return end_early(r, "a parameter", error);
  to->line = r->line;
  if (!pest_take_name(r, &at, "PARNME", to->name, error))
    return LRGD_ERR_INVALID;
  lrgd_status status = read_transform(r, &at, &to->transform, error);
  if (status != LRGD_OK) return status;
  size_t length = pest_take_word(r, &at, "PARCHGLIM", error);
  if (length == 0) return LRGD_ERR_INVALID;
  at += length;
  if (!pest_take_number(r, &at, "PARVAL1", &to->start, error) ||
      !pest_take_number(r, &at, "PARLBND", &to->lower, error) ||
      !pest_take_number(r, &at, "PARUBND", &to->upper, error) ||
      !pest_take_name(r, &at, "PARGP", group, error) ||
      !pest_take_number(r, &at, "SCALE", &to->scale, error) ||
      !pest_take_number(r, &at, "OFFSET", &to->offset, error))
    return LRGD_ERR_INVALID;
  return check_parameter(r, to, error);
}

/* A line "PARNME PARTIED". */
static lrgd_status read_tie(pest_reading *r, const char *at, lrgd_error *error)
{
  pest_case *to = r->to;
  char name[PEST_NAME_SIZE], other[PEST_NAME_SIZE];
  if (!pest_take_name(r, &at, "a tied parameter", name, error) ||
      !pest_take_name(r, &at, "PARTIED", other, error))
    return LRGD_ERR_INVALID;
  size_t i = pest_index_find(&to->parameter_names, name);
  size_t parent = pest_index_find(&to->parameter_names, other);
  if (i == SIZE_MAX || to->parameters[i].transform != PEST_TIED)
    return pest_refuse(error, &to->text, r->line,
                       "\"%s\" is no parameter with PARTRANS tied", name);
  if (parent == SIZE_MAX || to->parameters[parent].transform == PEST_TIED)
    return pest_refuse(error, &to->text, r->line,
                       "%s is tied to \"%s\", which is %s", name, other,
                       parent == SIZE_MAX ? "no parameter" : "tied itself");
  if (to->parameters[parent].start == 0)
    return pest_refuse(error, &to->text, r->line,
                       "%s is tied to %s, which starts at 0: they have no "
                       "ratio",
                       name, other);
  to->parameters[i].parent = parent;
  return LRGD_OK;
}

static lrgd_status read_ties(pest_reading *r, lrgd_error *error)
{
  pest_case *to = r->to;
  const char *line;
  for (size_t i = 0; i < to->parameter_count; i++)
    to->parameters[i].parent = SIZE_MAX;
  while ((line = pest_next_line(r)) != NULL) {
    lrgd_status status = read_tie(r, line, error);
    if (status != LRGD_OK) return status;
  }
  for (size_t i = 0; i < to->parameter_count; i++)
    if (to->parameters[i].transform == PEST_TIED &&
        to->parameters[i].parent == SIZE_MAX)
      return pest_refuse(error, &to->text, to->parameters[i].line,
                         "%s is tied, and no line says to what",
                         to->parameters[i].name);
  return LRGD_OK;
}

lrgd_status pest_read_parameters(pest_reading *r, lrgd_error *error)
{
  pest_case *to = r->to;
  const char *twice;
  if (r->parameter_count > r->end - r->next)
    return end_early(r, "more parameters", error);
  to->parameters = calloc(r->parameter_count, sizeof *to->parameters);
  if (to->parameters == NULL) return fail_memory(error);
  for (size_t i = 0; i < r->parameter_count; i++) {
    lrgd_status status = read_parameter(r, &to->parameters[i], error);
    if (status != LRGD_OK) return status;
    to->parameter_count++;
  }
  if (!pest_index_make(&to->parameter_names, to->parameters[0].name,
                       sizeof *to->parameters, to->parameter_count, &twice))
    return fail_memory(error);
  if (twice != NULL)
    return fail(error, LRGD_ERR_INVALID,
                "%.200s: the parameter \"%s\" is there twice", to->text.path,
                twice);
  return read_ties(r, error);
}

/* ---- observations ---- */

lrgd_status pest_read_observation_groups(pest_reading *r, lrgd_error *error)
{
  char name[PEST_NAME_SIZE];
  const char *at;
  while ((at = pest_next_line(r)) != NULL) {
    if (!pest_take_name(r, &at, "OBGNME", name, error)) return LRGD_ERR_INVALID;
    size_t length = pest_word(&at);
    double target;
    if (length > 0 && *at != '#' && !pest_number(at, length, &target))
      return pest_refuse(error, &r->to->text, r->line,
                         "group %s has a covariance matrix, which is not "
                         "supported: give weights",
                         name);
  }
  return LRGD_OK;
}

static lrgd_status read_observation(pest_reading *r, cli_observation *to,
                                    lrgd_error *error)
{
  const char *at = pest_next_line(r);
  if (at == NULL) return end_early(r, "an observation", error);
  if (!pest_take_name(r, &at, "OBSNME", to->name, error) ||
      !pest_take_number(r, &at, "OBSVAL", &to->value, error) ||
      !pest_take_number(r, &at, "WEIGHT", &to->weight, error) ||
      !pest_take_name(r, &at, "OBGNME", to->group, error))
    return LRGD_ERR_INVALID;
  if (to->weight < 0)
    return pest_refuse(error, &r->to->text, r->line,
                       "the weight of %s is %g; it must not be negative",
                       to->name, to->weight);
  if (strcmp(to->name, "dum") == 0)
    return pest_refuse(error, &r->to->text, r->line,
                       "\"dum\" stands for what is not observed, and is no "
                       "name");
  return LRGD_OK;
}

lrgd_status pest_read_observations(pest_reading *r, lrgd_error *error)
{
  pest_case *to = r->to;
  const char *twice;
  size_t all = r->observation_count + r->prior_count;
  if (r->observation_count > r->end - r->next)
    return end_early(r, "more observations", error);
  if (r->prior_count > to->text.count)
    return fail(error, LRGD_ERR_INVALID,
                "%.200s: there are fewer than %zu lines of prior information",
                to->text.path, r->prior_count);
  to->observations = calloc(all, sizeof *to->observations);
  if (to->observations == NULL) return fail_memory(error);
  for (size_t i = 0; i < r->observation_count; i++) {
    lrgd_status status = read_observation(r, &to->observations[i], error);
    if (status != LRGD_OK) return status;
    to->observation_count++;
  }
  if (pest_next_line(r) != NULL)
    return pest_refuse(error, &to->text, r->line,
                       "one observation too many; the control data say %zu",
                       r->observation_count);
  if (!pest_index_make(&to->observation_names, to->observations[0].name,
                       sizeof *to->observations, to->observation_count, &twice))
    return fail_memory(error);
  if (twice == NULL) return LRGD_OK;
  return fail(error, LRGD_ERR_INVALID,
              "%.200s: the observation \"%s\" is there twice", to->text.path,
              twice);
}
