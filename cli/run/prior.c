/* Reads prior information, in the notation of PEST's control files.  A wrong
 * line is named with its file and number. */
#include "prior.h"

#include "base/elementary.h"
#include "cli/base/cli_text.h"
#include "cli/base/files.h"
#include "cli/base/lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void prior_free(cli_prior *prior)
{
  free(prior->at);
  free(prior->begin);
  free(prior->terms);
  free(prior->text);
  free(prior->input);
  free(prior->coefficient);
  free(prior->target);
  *prior = (struct cli_prior){0};
}

/* ---- reading ---- */

typedef struct reading {
  const char *path; /* for messages */
  size_t number;    /* number of the line being read */
  const cli_prior_inputs *inputs;
  size_t rows, terms; /* capacities */
  size_t term_count;
} reading;

static lrgd_status refuse(const reading *r, lrgd_error *error, const char *word,
                          const char *what)
{
  return fail(error, LRGD_ERR_INVALID, "%s:%zu: \"%.40s\" %s", r->path,
              r->number, word, what);
}

/* Doubles the capacity *room of an array with entries of that size, if it is
 * used up. */
static bool grow(void **array, size_t *room, size_t count, size_t size)
{
  if (count < *room) return true;
  size_t more = *room == 0 ? 64 : 2 * *room;
  void *grown = realloc(*array, more * size);
  if (grown == NULL) return false;
  *array = grown;
  *room = more;
  return true;
}

static bool is_log(const cli_prior_inputs *inputs, size_t i)
{
  for (size_t k = 0; k < inputs->log_count; k++)
    if ((size_t)inputs->log[k] == i + 1) return true;
  return false;
}

/* The number of an input, counted from 1; 0: there is none of that name. */
static size_t number_of(const cli_prior_inputs *inputs, const char *name)
{
  size_t length = strlen(name), number = 1;
  int64_t numbered = 0;
  if (inputs->names == NULL && *name == 'x' &&
      text_integer(name + 1, 1, (int64_t)inputs->p, &numbered))
    return (size_t)numbered;
  const char *at = inputs->names != NULL ? inputs->names : "";
  for (; *at != '\0'; number++, at += strcspn(at, "\n") + 1)
    if (strncmp(at, name, length) == 0 && at[length] == '\n') return number;
  return 0;
}

/* The name of input i, not terminated; *length. */
static const char *name_of(const cli_prior_inputs *inputs, size_t i,
                           char number[24], int *length)
{
  const char *at = inputs->names;
  if (at == NULL) {
    *length = snprintf(number, 24, "x%zu", i + 1);
    return number;
  }
  for (; i > 0; i--) at += strcspn(at, "\n") + 1;
  *length = (int)strcspn(at, "\n");
  return at;
}

/* Reads "name" or "log(name)" without surrounding blanks. */
static lrgd_status take_input(const reading *r, char *word,
                              cli_prior_term *term, lrgd_error *error)
{
  char *name = word;
  size_t length = strlen(word);
  term->log =
      length > 5 && strncmp(word, "log(", 4) == 0 && word[length - 1] == ')';
  if (term->log) word[length - 1] = '\0', name = word + 4;
  term->input = number_of(r->inputs, name);
  if (term->input == 0)
    return refuse(r, error, name,
                  r->inputs->names != NULL ? "is none of --names"
                                           : "is no input: x1, x2, ...");
  term->input--;
  bool log = is_log(r->inputs, term->input);
  if (log && !term->log)
    return refuse(r, error, name,
                  "is under --log: the equation must have log(...) of it");
  if (!log && term->log)
    return refuse(r, error, name,
                  "is not under --log: the equation must have it as it is");
  return LRGD_OK;
}

static lrgd_status take_term(cli_prior *prior, reading *r, double sign,
                             char *text, lrgd_error *error)
{
  char *star = strchr(text, '*'), *word = star != NULL ? star + 1 : text;
  cli_prior_term term = {.coefficient = 1};
  if (star != NULL) *star = '\0';
  if (star != NULL && !text_number(text, &term.coefficient))
    return refuse(r, error, text, "is not a finite number, a coefficient");
  term.coefficient *= sign;
  lrgd_status status = take_input(r, word, &term, error);
  if (status != LRGD_OK) return status;
  if (!grow((void **)&prior->terms, &r->terms, r->term_count,
            sizeof *prior->terms))
    return fail_memory(error);
  prior->terms[r->term_count++] = term;
  return LRGD_OK;
}

/* The end of a term: the next + or - that is not the sign of an exponent. */
static char *term_end(char *text)
{
  for (char *c = text; *c != '\0'; c++) {
    bool exponent = c > text + 1 && (c[-1] == 'e' || c[-1] == 'E') &&
                    ((c[-2] >= '0' && c[-2] <= '9') || c[-2] == '.');
    if ((*c == '+' || *c == '-') && !exponent) return c;
  }
  return text + strlen(text);
}

static void remove_blanks(char *text)
{
  char *to = text;
  for (const char *c = text; *c != '\0'; c++)
    if (*c != ' ' && *c != '\t' && *c != '\r') *to++ = *c;
  *to = '\0';
}

/* Reads terms with + or - between them. */
static lrgd_status take_sum(cli_prior *prior, reading *r, char *text,
                            lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  remove_blanks(text);
  if (*text == '\0') return refuse(r, error, "=", "has no input before it");
  while (*text != '\0' && status == LRGD_OK) {
    double sign = *text == '-' ? -1 : 1;
    if (*text == '-' || *text == '+') text++;
    char *end = term_end(text), after = *end;
    *end = '\0';
    status = take_term(prior, r, sign, text, error);
    *end = after;
    text = end;
  }
  return status;
}

/* Reads "value weight group" after the equals sign. */
static lrgd_status take_value(const reading *r, char *text, cli_observation *to,
                              lrgd_error *error)
{
  char *words[4] = {0}, *rest = NULL;
  size_t count = 0;
  for (char *word = strtok_r(text, " \t\r", &rest); word != NULL && count < 4;
       word = strtok_r(NULL, " \t\r", &rest))
    words[count++] = word;
  if (count == 0 || !text_number(words[0], &to->value))
    return refuse(r, error, count > 0 ? words[0] : "=",
                  "has no finite number: the value of an equation");
  to->weight = 1;
  if (count > 1 && (!text_number(words[1], &to->weight) || to->weight < 0))
    return refuse(r, error, words[1], "is not a weight, a finite number >= 0");
  const char *group = count > 2 ? words[2] : "prior";
  if (count > 3)
    return refuse(r, error, words[3],
                  "is one word too many: ... = VALUE [WEIGHT [GROUP]]");
  if (strlen(group) >= OBSERVATION_NAME_SIZE)
    return refuse(r, error, group, "is too long a name; 63 bytes are the most");
  (void)snprintf(to->group, sizeof to->group, "%s", group);
  return LRGD_OK;
}

static lrgd_status take_row(cli_prior *prior, reading *r, char *line,
                            lrgd_error *error)
{
  size_t i = prior->count;
  line += strspn(line, " \t\r");
  size_t length = strcspn(line, " \t");
  char *equals = strchr(line, '=');
  if (equals == NULL || line[length] == '\0' || line + length > equals)
    return refuse(r, error, line,
                  "is no equation: NAME COEFFICIENT*INPUT + ... = VALUE "
                  "[WEIGHT [GROUP]]");
  if (length >= OBSERVATION_NAME_SIZE)
    return refuse(r, error, line, "is too long a name; 63 bytes are the most");
  *equals = '\0';
  prior->at[i] = (cli_observation){0};
  (void)snprintf(prior->at[i].name, sizeof prior->at[i].name, "%.*s",
                 (int)length, line);
  lrgd_status status = take_sum(prior, r, line + length, error);
  if (status == LRGD_OK)
    status = take_value(r, equals + 1, &prior->at[i], error);
  if (status != LRGD_OK) return status;
  prior->begin[++prior->count] = r->term_count;
  return LRGD_OK;
}

static lrgd_status add_line(cli_prior *prior, reading *r, char *line,
                            lrgd_error *error)
{
  size_t room = r->rows;
  r->number++;
  line[strcspn(line, "#")] = '\0';
  if (line[strspn(line, " \t\r")] == '\0') return LRGD_OK;
  if (!grow((void **)&prior->at, &r->rows, prior->count, sizeof *prior->at))
    return fail_memory(error);
  if (r->rows != room) {
    size_t *begin = realloc(prior->begin, (r->rows + 1) * sizeof *prior->begin);
    if (begin == NULL) return fail_memory(error);
    prior->begin = begin;
    prior->begin[0] = 0;
  }
  return take_row(prior, r, line, error);
}

/* ---- as text ---- */

static int print_term(char *to, const cli_prior_term *term,
                      const cli_prior_inputs *inputs, bool first)
{
  char number[24];
  int length;
  const char *name = name_of(inputs, term->input, number, &length);
  const char *sign = term->coefficient < 0 ? "- " : first ? "" : "+ ";
  return sprintf(to, term->log ? "%s%.17g*log(%.*s) " : "%s%.17g*%.*s ", sign,
                 fabs(term->coefficient), length, name);
}

/* Writes the rows as lines that add_line can read. */
static bool print_text(cli_prior *prior, const cli_prior_inputs *inputs)
{
  size_t terms = prior->begin[prior->count];
  size_t size = prior->count * (2 * OBSERVATION_NAME_SIZE + 64) +
                terms * (OBSERVATION_NAME_SIZE + 40) + 1;
  char *to = prior->text = malloc(size);
  if (to == NULL) return false;
  *to = '\0';
  for (size_t i = 0; i < prior->count; i++) {
    const cli_observation *at = &prior->at[i];
    to += sprintf(to, "%s ", at->name);
    for (size_t e = prior->begin[i]; e < prior->begin[i + 1]; e++)
      to += print_term(to, &prior->terms[e], inputs, e == prior->begin[i]);
    to += sprintf(to, "= %.17g %.17g %s\n", at->value, at->weight, at->group);
  }
  return true;
}

/* ---- the whole file ---- */

static lrgd_status read_file(cli_prior *prior, reading *r, FILE *file,
                             lrgd_error *error)
{
  char buffer[LINE_SIZE], *line;
  bool bad;
  cli_lines lines = {.path = r->path, .file = file};
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK &&
         (line = lines_next(&lines, buffer, &bad)) != NULL) {
    if (bad)
      return fail(error, LRGD_ERR_INVALID,
                  "%s:%zu: a line of text has at most %d characters", r->path,
                  lines.number, LINE_SIZE - 1);
    r->number = lines.number - 1;
    status = add_line(prior, r, line, error);
  }
  if (status == LRGD_OK && ferror(file))
    status = fail(error, LRGD_ERR_INVALID, "%s: %s", r->path, strerror(errno));
  return status;
}

static lrgd_status finish(cli_prior *prior, const reading *r,
                          lrgd_status status, lrgd_error *error)
{
  if (status == LRGD_OK && prior->count == 0)
    status = fail(error, LRGD_ERR_INVALID, "%s: no equation is in it", r->path);
  if (status == LRGD_OK && !print_text(prior, r->inputs))
    status = fail_memory(error);
  if (status != LRGD_OK) prior_free(prior);
  return status;
}

lrgd_status prior_read(cli_prior *prior, const char *path,
                       const cli_prior_inputs *inputs, lrgd_error *error)
{
  reading r = {.path = path, .inputs = inputs};
  *prior = (struct cli_prior){0};
  FILE *file = file_open(path, "r");
  if (file == NULL)
    return fail(error, LRGD_ERR_INVALID, "--prior: \"%s\" cannot be read: %s",
                path, file_trouble());
  lrgd_status status = read_file(prior, &r, file, error);
  fclose(file);
  return finish(prior, &r, status, error);
}

lrgd_status prior_recall(cli_prior *prior, const char *text,
                         const cli_prior_inputs *inputs, lrgd_error *error)
{
  reading r = {.path = "prior", .inputs = inputs};
  char *copy = strdup(text), *next = NULL;
  lrgd_status status = copy != NULL ? LRGD_OK : fail_memory(error);
  *prior = (struct cli_prior){0};
  for (char *line = copy; status == LRGD_OK && line != NULL && *line != '\0';
       line = next) {
    size_t length = strcspn(line, "\n");
    next = line[length] == '\n' ? line + length + 1 : NULL;
    line[length] = '\0';
    status = add_line(prior, &r, line, error);
  }
  free(copy);
  return finish(prior, &r, status, error);
}

/* ---- rows and sums for the solver ---- */

const lrgd_prior *prior_rows(cli_prior *prior, const double *scale,
                             lrgd_status *status)
{
  size_t q = prior->count, n = q > 0 ? prior->begin[q] : 0;
  *status = LRGD_OK;
  if (q == 0) return NULL;
  free(prior->input), free(prior->coefficient), free(prior->target);
  prior->input = malloc((n + 1) * sizeof *prior->input);
  prior->coefficient = malloc((n + 1) * sizeof *prior->coefficient);
  prior->target = malloc(2 * q * sizeof *prior->target);
  if (prior->input == NULL || prior->coefficient == NULL ||
      prior->target == NULL) {
    *status = LRGD_ERR_NOMEM;
    return NULL;
  }
  prior->weight = prior->target + q;
  for (size_t e = 0; e < n; e++) {
    const cli_prior_term *term = &prior->terms[e];
    double unit = scale != NULL ? scale[term->input] : 1;
    prior->input[e] = term->input;
    prior->coefficient[e] =
        term->coefficient * (term->log ? unit / lr_log(10) : unit);
  }
  for (size_t i = 0; i < q; i++) {
    prior->target[i] = prior->at[i].value;
    prior->weight[i] = prior->at[i].weight;
  }
  prior->rows = (lrgd_prior){q,
                             prior->begin,
                             prior->input,
                             prior->coefficient,
                             prior->target,
                             prior->weight};
  return &prior->rows;
}

void prior_sums(const cli_prior *prior, const double *x, double *sums)
{
  for (size_t i = 0; i < prior->count; i++) {
    sums[i] = 0;
    for (size_t e = prior->begin[i]; e < prior->begin[i + 1]; e++) {
      const cli_prior_term *term = &prior->terms[e];
      double at = x[term->input];
      sums[i] += term->coefficient * (term->log ? lr_log(at) / lr_log(10) : at);
    }
  }
}

double prior_cost(const cli_prior *prior, const double *x)
{
  double cost = 0;
  for (size_t i = 0; i < prior->count; i++) {
    cli_prior row = *prior; /* one row at a time, so that no memory is needed */
    double sum;
    row.begin += i, row.count = 1;
    prior_sums(&row, x, &sum);
    double residual = prior->at[i].weight * (sum - prior->at[i].value);
    cost += 0.5 * residual * residual;
  }
  return cost;
}
