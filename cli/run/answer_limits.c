/* Outputs with limits: their names, their expressions, and what is printed
 * about them. */
#include "answer_limits.h"

#include "cli/base/cli_text.h"
#include "equations.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int output_flags[] = {OUTPUT_FLAGS};

bool outputs_asked(const cli_flags *flags)
{
  for (size_t i = 0; i < COUNT_OF(output_flags); i++)
    if (flags_has(flags, (flag_id)output_flags[i])) return true;
  return false;
}

void outputs_destroy(cli_outputs **outputs)
{
  if (*outputs == NULL) return;
  for (size_t i = 0; i < (*outputs)->count; i++) free((*outputs)->names[i]);
  free((*outputs)->names);
  free((*outputs)->list);
  free((*outputs)->lower);
  free((*outputs)->upper);
  free((*outputs)->A);
  free((*outputs)->b);
  free(*outputs);
  *outputs = NULL;
}

static size_t find(const cli_outputs *o, const char *name, size_t length)
{
  size_t i = 0;
  while (i < o->count && (strlen(o->names[i]) != length ||
                          strncmp(o->names[i], name, length) != 0))
    i++;
  return i;
}

/* ---- names ---- */

static lrgd_status add_name(cli_outputs *o, const char *name, size_t length,
                            lrgd_error *error)
{
  if (length == 0 || strcspn(name, " \t<>=") < length)
    return fail(error, LRGD_ERR_INVALID,
                "'%.*s' is no name of an answer: names have no blanks and none "
                "of < > =",
                (int)length, name);
  if (find(o, name, length) < o->count)
    return fail(error, LRGD_ERR_INVALID, "there are two answers %.*s",
                (int)length, name);
  char **more = realloc(o->names, (o->count + 1) * sizeof *more);
  if (more == NULL) return fail_memory(error);
  o->names = more;
  more[o->count] = strndup(name, length);
  return more[o->count++] != NULL ? LRGD_OK : fail_memory(error);
}

/* Adds the names between commas. */
static lrgd_status add_names(cli_outputs *o, const char *text,
                             lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  while (text != NULL && status == LRGD_OK) {
    size_t length = strcspn(text, ",");
    status = add_name(o, text, length, error);
    text = text[length] == ',' ? text + length + 1 : NULL;
  }
  return status;
}

/* Reads the names given by --answers, or else those of --read. */
static lrgd_status read_names(cli_outputs *o, const cli_flags *flags,
                              lrgd_error *error)
{
  const char *text = flags_text(flags, FLAG_ANSWERS);
  lrgd_status status = LRGD_OK;
  size_t cursor = 0;
  if (text == NULL && !flags_has(flags, FLAG_READ))
    return fail(error, LRGD_ERR_INVALID,
                "--answers names the numbers of an answer: --answers "
                "mass,stress");
  status = add_names(o, text, error);
  if (flags_has(flags, FLAG_ANSWERS)) return status;
  while (status == LRGD_OK &&
         (text = flags_next(flags, FLAG_READ, &cursor)) != NULL)
    status = add_name(o, text, strcspn(text, "="), error);
  return status;
}

static lrgd_status unknown_answer(const cli_outputs *o, const char *flag,
                                  const char *name, size_t length,
                                  lrgd_error *error)
{
  return fail(error, LRGD_ERR_INVALID,
              "--%s: there is no answer %.*s among the %zu (the first is %s)",
              flag, (int)length, name, o->count, o->names[0]);
}

/* ---- constraints: NAME <= N, NAME >= N, NAME = N, N <= NAME <= N ---- */

static const char *skip(const char *at)
{
  while (isspace((unsigned char)*at)) at++;
  return at;
}

/* Reads a relation: -1 for <=, 1 for >=, 2 for =; 0: there is none here. */
static int read_relation(const char **at)
{
  *at = skip(*at);
  char first = **at;
  if (first != '<' && first != '>' && first != '=') return 0;
  *at += (*at)[1] == '=' ? 2 : 1;
  return first == '<' ? -1 : first == '>' ? 1 : 2;
}

typedef struct term {
  bool is_number;
  double number;
  size_t index;
} term;

static lrgd_status read_term(const cli_outputs *o, const char **at, term *t,
                             lrgd_error *error)
{
  *at = skip(*at);
  size_t length = strcspn(*at, " \t<>=");
  char text[64];
  t->index = find(o, *at, length);
  t->is_number = t->index == o->count;
  if (t->is_number) {
    (void)snprintf(text, sizeof text, "%.*s", (int)length, *at);
    if (length == 0 || length >= sizeof text || !text_number(text, &t->number))
      return unknown_answer(o, "constraint", *at, length, error);
  }
  *at += length;
  return LRGD_OK;
}

/* Sets a limit: output `relation` number, with the relation coded as above. */
static void limit(cli_outputs *o, size_t index, int relation, double number)
{
  if (relation != 1) o->upper[index] = fmin(o->upper[index], number);
  if (relation != -1) o->lower[index] = fmax(o->lower[index], number);
}

static lrgd_status read_constraint(cli_outputs *o, const char *text,
                                   lrgd_error *error)
{
  const char *at = text;
  term left, right;
  size_t relations = 0;
  lrgd_status status = read_term(o, &at, &left, error);
  while (status == LRGD_OK && *skip(at) != '\0') {
    int relation = read_relation(&at);
    if (relation == 0) break;
    status = read_term(o, &at, &right, error);
    if (status != LRGD_OK) return status;
    if (left.is_number == right.is_number) {
      relations = 0;
      break;
    }
    if (right.is_number)
      limit(o, left.index, relation, right.number);
    else
      limit(o, right.index, relation == 2 ? 2 : -relation, left.number);
    left = right;
    relations++;
  }
  if (status != LRGD_OK) return status;
  if (relations == 0 || relations > 2 || *skip(at) != '\0')
    return fail(error, LRGD_ERR_INVALID,
                "--constraint '%.60s' is none of 'NAME <= NUMBER', 'NAME >= "
                "NUMBER', 'NAME = NUMBER' and 'NUMBER <= NAME <= NUMBER'",
                text);
  return LRGD_OK;
}

static lrgd_status read_constraints(cli_outputs *o, const cli_flags *flags,
                                    lrgd_error *error)
{
  size_t cursor = 0;
  const char *text;
  lrgd_status status = LRGD_OK;
  while (status == LRGD_OK &&
         (text = flags_next(flags, FLAG_CONSTRAINT, &cursor)) != NULL)
    status = read_constraint(o, text, error);
  for (size_t i = 0; status == LRGD_OK && i < o->count; i++)
    if (o->lower[i] > o->upper[i])
      return fail(error, LRGD_ERR_INVALID,
                  "no value of %s is at least %g and at most %g", o->names[i],
                  o->lower[i], o->upper[i]);
  return status;
}

/* ---- reading all ---- */

static lrgd_status read_objective(cli_outputs *o, const cli_flags *flags,
                                  lrgd_error *error)
{
  const char *name = flags_text(flags, FLAG_OBJECTIVE);
  if (name == NULL) return LRGD_OK;
  o->limits.objective = find(o, name, strlen(name));
  return o->limits.objective < o->count
             ? LRGD_OK
             : unknown_answer(o, "objective", name, strlen(name), error);
}

static lrgd_status read_linear(cli_outputs *o, const cli_flags *flags, size_t p,
                               lrgd_error *error)
{
  cli_equations rows;
  if (flags_has(flags, FLAG_AT_MOST) &&
      (flags_has(flags, FLAG_LOG) || flags_has(flags, FLAG_SCALE)))
    return fail(error, LRGD_ERR_INVALID,
                "--at-most holds limits in x: give it without --%s",
                flags_has(flags, FLAG_LOG) ? "log" : "scale");
  lrgd_status status = equations_read(&rows, flags, FLAG_AT_MOST, p, error);
  o->A = rows.A, o->b = rows.b;
  o->limits.linear_count = rows.count;
  o->limits.linear = rows.A;
  o->limits.linear_most = rows.b;
  return status;
}

static lrgd_status list_names(cli_outputs *o, lrgd_error *error)
{
  size_t length = 1;
  for (size_t i = 0; i < o->count; i++) length += strlen(o->names[i]) + 1;
  o->list = malloc(length);
  if (o->list == NULL) return fail_memory(error);
  char *to = o->list;
  for (size_t i = 0; i < o->count; i++)
    to += snprintf(to, length - (size_t)(to - o->list), "%s%s",
                   i > 0 ? "," : "", o->names[i]);
  return LRGD_OK;
}

static lrgd_status make_limits(cli_outputs *o, lrgd_error *error)
{
  o->lower = malloc(o->count * sizeof *o->lower);
  o->upper = malloc(o->count * sizeof *o->upper);
  if (o->lower == NULL || o->upper == NULL) return fail_memory(error);
  for (size_t i = 0; i < o->count; i++)
    o->lower[i] = -INFINITY, o->upper[i] = INFINITY;
  o->limits.lower = o->lower;
  o->limits.upper = o->upper;
  return LRGD_OK;
}

lrgd_status outputs_read(cli_outputs **outputs, const cli_flags *flags,
                         size_t p, lrgd_error *error)
{
  *outputs = NULL;
  if (!outputs_asked(flags)) return LRGD_OK;
  cli_outputs *o = calloc(1, sizeof *o);
  if (o == NULL) return fail_memory(error);
  o->limits.maximize = flags_has(flags, FLAG_MAXIMIZE);
  lrgd_status status = read_names(o, flags, error);
  if (status == LRGD_OK) status = list_names(o, error);
  if (status == LRGD_OK) status = make_limits(o, error);
  if (status == LRGD_OK) status = read_objective(o, flags, error);
  if (status == LRGD_OK) status = read_constraints(o, flags, error);
  if (status == LRGD_OK) status = read_linear(o, flags, p, error);
  if (status != LRGD_OK) outputs_destroy(&o);
  *outputs = o;
  return status;
}

static lrgd_status recall_all(cli_outputs *o, const outputs_text *from,
                              lrgd_error *error)
{
  size_t cells = from->rows * from->p;
  lrgd_status status = add_names(o, from->names, error);
  if (status == LRGD_OK) status = make_limits(o, error);
  if (status != LRGD_OK) return status;
  size_t at = find(o, from->objective, strlen(from->objective));
  if (o->count != from->count || at == o->count)
    return fail(error, LRGD_ERR_INVALID,
                "the journal's limits are not those of its answers");
  o->limits.objective = at;
  o->limits.maximize = from->maximize;
  memcpy(o->lower, from->lower, o->count * sizeof *o->lower);
  memcpy(o->upper, from->upper, o->count * sizeof *o->upper);
  if (cells == 0) return LRGD_OK;
  o->A = malloc(cells * sizeof *o->A);
  o->b = malloc(from->rows * sizeof *o->b);
  if (o->A == NULL || o->b == NULL) return fail_memory(error);
  memcpy(o->A, from->A, cells * sizeof *o->A);
  memcpy(o->b, from->b, from->rows * sizeof *o->b);
  o->limits.linear_count = from->rows;
  o->limits.linear = o->A;
  o->limits.linear_most = o->b;
  return LRGD_OK;
}

lrgd_status outputs_recall(cli_outputs **outputs, const outputs_text *from,
                           lrgd_error *error)
{
  *outputs = calloc(1, sizeof **outputs);
  if (*outputs == NULL) return fail_memory(error);
  lrgd_status status = recall_all(*outputs, from, error);
  if (status != LRGD_OK) outputs_destroy(outputs);
  return status;
}

double outputs_f(size_t m, const double *y, void *user)
{
  const cli_outputs *o = user;
  for (size_t i = 0; i < m; i++)
    if (!isfinite(y[i])) return NAN;
  return y[o->limits.objective];
}

/* ---- output ---- */

void outputs_json(json_t **object, const cli_outputs *o, size_t m,
                  const double *y, const double *multipliers, double violation)
{
  json_t *values = json_object(), *prices = json_object();
  if (!(violation <= LRGD_FEASIBLE)) multipliers = NULL;
  for (size_t i = 0; i < m; i++) {
    json_put(&values, o->names[i], y ? json_double(y[i]) : json_null());
    if (multipliers && (isfinite(o->lower[i]) || isfinite(o->upper[i])))
      json_put(&prices, o->names[i], json_double(multipliers[i]));
  }
  json_put(object, "outputs", values);
  json_put(object, "violation", json_double(violation));
  json_put(object, "multipliers", prices);
}

const char *outputs_standing(double y, double lower, double upper, double price,
                             bool met)
{
  double size = fmax(isfinite(lower) ? fabs(lower) : 0,
                     isfinite(upper) ? fabs(upper) : 0);
  double most = LRGD_FEASIBLE * size;
  if (!met && (y < lower - most || y > upper + most)) return "violated";
  return price != 0 || lower == upper ? "active" : "";
}

char *outputs_price(const cli_outputs *o, size_t i, double price,
                    char text[OUTPUTS_PRICE])
{
  const char *more = o->limits.maximize ? "adds" : "saves";
  if (price < 0) more = o->limits.maximize ? "costs" : "adds";
  (void)snprintf(text, OUTPUTS_PRICE, "1 more %s%s %.3g of %.80s",
                 o->lower[i] == o->upper[i] ? "" : "allowed ", more,
                 fabs(price), o->names[o->limits.objective]);
  return text;
}

static void print_limit(const cli_outputs *o, size_t i, double y, double price,
                        bool met)
{
  char text[TEXT_REAL_SIZE], name[80];
  (void)snprintf(name, sizeof name, "    %-12s", o->names[i]);
  put_safe(stdout, name); /* it may come from a journal */
  printf("  %-12s", text_real(text, y));
  if (isfinite(o->lower[i]) && o->lower[i] == o->upper[i])
    printf("  = %s", text_real(text, o->lower[i]));
  else if (isfinite(o->lower[i]))
    printf("  >= %s", text_real(text, o->lower[i]));
  if (isfinite(o->upper[i]) && o->lower[i] != o->upper[i])
    printf("  <= %s", text_real(text, o->upper[i]));
  const char *word = outputs_standing(y, o->lower[i], o->upper[i], price, met);
  if (*word != '\0') printf("  %s", word);
  char gain[OUTPUTS_PRICE];
  if (price != 0) printf(": ");
  if (price != 0) put_safe(stdout, outputs_price(o, i, price, gain));
  putchar('\n');
}

void outputs_print(const cli_outputs *o, size_t m, const double *y,
                   const double *multipliers, double violation)
{
  if (y == NULL) return;
  bool met = violation <= LRGD_FEASIBLE;
  if (!met) multipliers = NULL;
  printf("  outputs       %s",
         met ? "all limits are met" : "NOT within their limits");
  if (violation > 0)
    printf("%s %.2g of their size", met ? " to" : ": outside by", violation);
  putchar('\n');
  for (size_t i = 0; i < m; i++)
    print_limit(o, i, y[i], multipliers ? multipliers[i] : 0, met);
}
