/* Reads PEST's control file.  Sections that control PEST's own algorithm are
 * skipped; a section that would change the problem is refused. */
#include "control_file.h"

#include "control_sections.h"

#include <stdlib.h>
#include <string.h>

void pest_case_free(pest_case *old)
{
  for (size_t i = 0; i < old->input_count + old->output_count; i++) {
    pest_pair *pair = i < old->input_count
                          ? &old->inputs[i]
                          : &old->outputs[i - old->input_count];
    free(pair->ours);
    free(pair->models);
  }
  free(old->inputs);
  free(old->outputs);
  free(old->command);
  free(old->parameters);
  free(old->adjustable);
  free(old->observations);
  free(old->terms);
  free(old->term_ends);
  free(old->folder);
  pest_index_free(&old->parameter_names);
  pest_index_free(&old->observation_names);
  pest_text_free(&old->text);
  *old = (struct pest_case){0};
}

/* ---- sections ---- */

typedef lrgd_status (*section_reader)(pest_reading *r, lrgd_error *error);

typedef struct known_section {
  const char *name;
  section_reader read; /* NULL: it controls PEST's algorithm, and is skipped */
  bool needed;
} known_section;

/* Sections are read in this order, whatever their order in the file. */
static const known_section sections[] = {
    {"control data",                 pest_read_control,            true },
    {"parameter groups",             pest_read_groups,             false},
    {"parameter data",               pest_read_parameters,         true },
    {"observation groups",           pest_read_observation_groups, false},
    {"observation data",             pest_read_observations,       true },
    {"prior information",            pest_read_prior,              false},
    {"model command line",           pest_read_command,            true },
    {"model input/output",           pest_read_files,              false},
    {"model input",                  pest_read_inputs,             false},
    {"model output",                 pest_read_outputs,            false},
    {"automatic user intervention",  NULL,                         false},
    {"singular value decomposition", NULL,                         false},
    {"lsqr",                         NULL,                         false},
    {"svd assist",                   NULL,                         false},
    {"sensitivity reuse",            NULL,                         false},
    {"regularisation",               NULL,                         false},
    {"regularization",               NULL,                         false},
    {"predictive analysis",          NULL,                         false},
    {"pareto",                       NULL,                         false},
};

static bool is_heading(const char *line)
{
  return line[0] == '*' && (line[1] == ' ' || line[1] == '\t');
}

/* Whether a line is the heading of the section: the words of its name, in
 * either case, separated by any blanks. */
static bool names_section(const char *line, const char *name)
{
  const char *at = line + 1, *to = name;
  for (size_t length; (length = pest_word(&at)) > 0; at += length) {
    size_t wanted = pest_word(&to);
    char word[40];
    if (wanted != length || wanted >= sizeof word) return false;
    memcpy(word, to, wanted);
    word[wanted] = '\0';
    if (!pest_is(at, length, word)) return false;
    to += wanted;
  }
  return pest_word(&to) == 0;
}

static lrgd_status check_heading(const pest_text *text, size_t line,
                                 lrgd_error *error)
{
  const char *heading = text->lines[line];
  for (size_t i = 0; i < COUNT_OF(sections); i++)
    if (names_section(heading, sections[i].name)) return LRGD_OK;
  if (strstr(heading, "external") != NULL || strstr(heading, "keyword") != NULL)
    return pest_refuse(error, text, line,
                       "\"%.60s\" is of version 2 of PEST++'s control files, "
                       "which is not supported: write it as version 1",
                       heading);
  return pest_refuse(error, text, line,
                     "the section \"%.60s\" is not supported", heading);
}

/* Finds a section; first: the line after its heading, SIZE_MAX: there is
 * none. */
static lrgd_status find_section(const pest_text *text, const char *name,
                                size_t *first, size_t *end, lrgd_error *error)
{
  *first = SIZE_MAX;
  for (size_t i = 1; i < text->count; i++) {
    if (!is_heading(text->lines[i]) || !names_section(text->lines[i], name))
      continue;
    if (*first != SIZE_MAX)
      return pest_refuse(error, text, i, "a second section \"* %s\"", name);
    *first = *end = i + 1;
    while (*end < text->count && !is_heading(text->lines[*end])) ++*end;
  }
  return LRGD_OK;
}

static lrgd_status read_sections(pest_reading *r, lrgd_error *error)
{
  const pest_text *text = &r->to->text;
  lrgd_status status = LRGD_OK;
  for (size_t i = 1; i < text->count && status == LRGD_OK; i++)
    if (is_heading(text->lines[i])) status = check_heading(text, i, error);
  for (size_t i = 0; i < COUNT_OF(sections) && status == LRGD_OK; i++) {
    size_t first;
    status = find_section(text, sections[i].name, &first, &r->end, error);
    if (status != LRGD_OK || (first == SIZE_MAX && !sections[i].needed))
      continue;
    if (first == SIZE_MAX)
      return fail(error, LRGD_ERR_INVALID,
                  "%.200s: there is no section \"* %s\"", text->path,
                  sections[i].name);
    r->next = first;
    if (sections[i].read != NULL) status = sections[i].read(r, error);
  }
  return status;
}

/* ---- the whole file ---- */

static lrgd_status check_counts(const pest_reading *r, lrgd_error *error)
{
  const pest_case *to = r->to;
  const struct {
    size_t said, read;
    const char *what;
  } counts[] = {
      {r->template_count,    to->input_count,  "template files"            },
      {r->instruction_count, to->output_count, "instruction files"         },
      {r->prior_count,       to->prior_count,  "lines of prior information"},
  };
  for (size_t i = 0; i < COUNT_OF(counts); i++)
    if (counts[i].said != counts[i].read)
      return fail(error, LRGD_ERR_INVALID,
                  "%.200s: %zu %s; the control data say %zu", to->text.path,
                  counts[i].read, counts[i].what, counts[i].said);
  return LRGD_OK;
}

static bool list_adjustable(pest_case *to)
{
  to->adjustable = calloc(to->parameter_count + 1, sizeof *to->adjustable);
  if (to->adjustable == NULL) return false;
  for (size_t i = 0; i < to->parameter_count; i++)
    if (to->parameters[i].transform <= PEST_LOG)
      to->adjustable[to->adjustable_count++] = i;
  return true;
}

static lrgd_status check_case(const pest_reading *r, lrgd_error *error)
{
  const pest_case *to = r->to;
  double most = 0;
  size_t all = to->observation_count + to->prior_count;
  for (size_t i = 0; i < all; i++)
    if (to->observations[i].weight > most) most = to->observations[i].weight;
  if (to->adjustable_count == 0)
    return fail(error, LRGD_ERR_INVALID,
                "%.200s: every parameter is fixed or tied: there is nothing to "
                "estimate",
                to->text.path);
  if (!(most > 0))
    return fail(error, LRGD_ERR_INVALID, "%.200s: every weight is 0",
                to->text.path);
  return check_counts(r, error);
}

static char *folder_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return strdup(".");
  return strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

static lrgd_status read_case(pest_case *to, lrgd_error *error)
{
  const pest_text *text = &to->text;
  pest_reading r = {.to = to};
  const char *first = text->count > 0 ? text->lines[0] : "";
  size_t length = pest_word(&first);
  if (!pest_is(first, length, "pcf"))
    return fail(error, LRGD_ERR_INVALID,
                "%.200s:1: a control file begins with \"pcf\"", text->path);
  lrgd_status status = read_sections(&r, error);
  if (status == LRGD_OK && !list_adjustable(to)) status = fail_memory(error);
  return status == LRGD_OK ? check_case(&r, error) : status;
}

lrgd_status pest_case_read(pest_case *to, const char *path, lrgd_error *error)
{
  *to = (struct pest_case){.folder = folder_of(path)};
  lrgd_status status = to->folder != NULL ? LRGD_OK : fail_memory(error);
  if (status == LRGD_OK)
    status = pest_text_read(&to->text, path, "control file", error);
  if (status == LRGD_OK) status = read_case(to, error);
  if (status != LRGD_OK) pest_case_free(to);
  return status;
}

/* ---- values ---- */

void pest_case_values(const pest_case *of, const double *x, double *values)
{
  for (size_t i = 0; i < of->parameter_count; i++)
    values[i] = of->parameters[i].start;
  for (size_t k = 0; k < of->adjustable_count; k++)
    values[of->adjustable[k]] = x[k];
  for (size_t i = 0; i < of->parameter_count; i++) {
    const pest_parameter *at = &of->parameters[i];
    if (at->transform != PEST_TIED) continue;
    values[i] =
        at->start / of->parameters[at->parent].start * values[at->parent];
  }
}
