/* Reads the settings of a problem: strict texts, one sentence per mistake.
 * Numbers are those of C whatever locale the process runs in. */
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kind.h"

lrgd_status lr_reader_fail(lr_reader *reader, lrgd_status status,
                           const char *format, ...)
{
  va_list list;
  if (reader->status) return reader->status;
  reader->status = status;
  if (!reader->error) return status;
  reader->error->status = status;
  va_start(list, format);
  vsnprintf(reader->error->text, sizeof reader->error->text, format, list);
  va_end(list);
  return status;
}

static const lr_parameter *find(const lr_problem_kind *kind, const char *name)
{
  for (size_t i = 0; name && i < kind->parameter_count; i++)
    if (strcmp(kind->parameters[i].name, name) == 0)
      return &kind->parameters[i];
  return NULL;
}

lrgd_status lr_reader_check_names(lr_reader *reader)
{
  const lr_problem_kind *kind = reader->kind;
  char known[256] = "";
  for (size_t i = 0, used = 0; i < kind->parameter_count; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                             i ? ", " : "", kind->parameters[i].name);
  for (size_t i = 0; i < reader->count; i++) {
    const lr_setting *setting = &reader->settings[i];
    if (!find(kind, setting->name))
      lr_reader_fail(reader, LRGD_ERR_INVALID,
                     "%s has no parameter '%.60s' (it has %s)", kind->name,
                     setting->name ? setting->name : "", known);
    else if (!setting->text)
      lr_reader_fail(reader, LRGD_ERR_INVALID, "%s is set to nothing",
                     setting->name);
  }
  return reader->status;
}

const char *lr_reader_text(lr_reader *reader, const char *name, int *given)
{
  for (size_t i = reader->count; i-- > 0;) {
    if (strcmp(reader->settings[i].name, name) != 0) continue;
    if (given) *given = 1;
    return reader->settings[i].text;
  }
  if (given) *given = 0;
  return find(reader->kind, name)->default_text;
}

static size_t digits(const char *text)
{
  size_t n = 0;
  while (text[n] >= '0' && text[n] <= '9') n++;
  return n;
}

/* The length of the decimal number that text begins with, 0 for none: a sign,
 * digits with at most one point, an exponent.  Not what else strtod takes:
 * blanks, hexadecimals, inf, nan. */
static size_t number_length(const char *text)
{
  size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0, whole, part = 0;
  whole = digits(text + at);
  at += whole;
  if (text[at] == '.') {
    part = digits(text + at + 1);
    at += part + 1;
  }
  if (whole + part == 0) return 0;
  if (text[at] == 'e' || text[at] == 'E') {
    size_t sign = text[at + 1] == '-' || text[at + 1] == '+' ? 1 : 0;
    size_t power = digits(text + at + 1 + sign);
    if (power == 0) return 0;
    at += 1 + sign + power;
  }
  return at;
}

/* strtod in the C locale, for this thread and this call only. */
static double convert(lr_reader *reader, const char *text)
{
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
  double number;
  if (plain == (locale_t)0) {
    lr_reader_fail(reader, LRGD_ERR_NOMEM, "no memory to read '%.60s'", text);
    return NAN;
  }
  before = uselocale(plain);
  number = strtod(text, NULL);
  uselocale(before);
  freelocale(plain);
  return number;
}

/* The number text begins with, which ends there or at a comma. */
static double read_number(lr_reader *reader, const char *name, const char *text,
                          size_t *length)
{
  double number;
  *length = number_length(text);
  if (*length == 0 || (text[*length] != '\0' && text[*length] != ',')) {
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s '%.60s' is not a number", name,
                   text);
    return NAN;
  }
  number = convert(reader, text);
  if (!isfinite(number))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %.60s is too large", name,
                   text);
  return number;
}

static double read_real(lr_reader *reader, const char *name)
{
  const char *text = lr_reader_text(reader, name, NULL);
  size_t length;
  double number = read_number(reader, name, text, &length);
  if (!reader->status && text[length] != '\0')
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s '%.60s' is not a number", name,
                   text);
  return number;
}

double lr_reader_real(lr_reader *reader, const char *name, double low)
{
  double number = read_real(reader, name);
  if (!reader->status && !(number >= low))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %.60s is less than %ld", name,
                   lr_reader_text(reader, name, NULL), (long)low);
  return number;
}

double lr_reader_positive(lr_reader *reader, const char *name)
{
  double number = read_real(reader, name);
  if (!(number > 0))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %.60s is not positive", name,
                   lr_reader_text(reader, name, NULL));
  return number;
}

static uint64_t read_whole(lr_reader *reader, const char *name)
{
  const char *text = lr_reader_text(reader, name, NULL);
  uint64_t number = 0;
  if (text[0] == '\0' || text[digits(text)] != '\0') {
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s '%.60s' is not a whole number",
                   name, text);
    return 0;
  }
  for (; *text; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (number > (INT64_MAX - digit) / 10) {
      lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %.60s is too large", name,
                     lr_reader_text(reader, name, NULL));
      return 0;
    }
    number = 10 * number + digit;
  }
  return number;
}

size_t lr_reader_size(lr_reader *reader, const char *name, size_t low,
                      size_t high)
{
  uint64_t number = read_whole(reader, name);
  if (number < low)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %zu is less than %zu", name,
                   (size_t)number, low);
  else if (number > high)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %zu is more than %zu", name,
                   (size_t)number, high);
  return (size_t)number;
}

size_t lr_reader_dimension(lr_reader *reader)
{
  return lr_reader_size(reader, "p", 1, INT_MAX);
}

size_t lr_reader_rank(lr_reader *reader, const char *name, size_t p)
{
  int given;
  size_t rank = lr_reader_size(reader, name, 1, INT_MAX);
  lr_reader_text(reader, name, &given);
  if (rank > p && given)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "%s %zu exceeds dimension %zu",
                   name, rank, p);
  return rank > p ? p : rank;
}

uint64_t lr_reader_seed(lr_reader *reader)
{
  return read_whole(reader, "seed");
}

size_t lr_reader_choice(lr_reader *reader, const char *name,
                        const char *choices)
{
  const char *text = lr_reader_text(reader, name, NULL), *at = choices;
  for (size_t place = 0;; place++) {
    size_t length = strcspn(at, "|");
    if (strlen(text) == length && strncmp(text, at, length) == 0) return place;
    if (at[length] == '\0') break;
    at += length + 1;
  }
  lr_reader_fail(reader, LRGD_ERR_INVALID, "%s '%.60s' is none of %s", name,
                 text, choices);
  return 0;
}

size_t lr_reader_list(lr_reader *reader, const char *name, size_t room,
                      double *numbers)
{
  const char *text = lr_reader_text(reader, name, NULL);
  size_t count = 0, length;
  if (text[0] == '\0') return 0;
  while (!reader->status) {
    double number = read_number(reader, name, text, &length);
    if (count < room) numbers[count] = number;
    count++;
    if (reader->status || text[length] == '\0') break;
    text += length + 1;
  }
  return count;
}
