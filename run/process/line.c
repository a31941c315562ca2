/* A line of numbers: writing and reading. */
#include "line.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int lr_line_append(lr_bytes *line, size_t n, const double *x)
{
  size_t most;
  if (__builtin_mul_overflow(n, (size_t)LR_NUMBER_SIZE, &most)) return 0;
  if (!lr_bytes_reserve(line, most + 1)) return 0;
  char *to = line->data + line->size;
  for (size_t i = 0; i < n; i++) {
    if (to > line->data) *to++ = ' ';
    to += lr_number_write(to, x[i]);
  }
  line->size = (size_t)(to - line->data);
  return 1;
}

static int is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* "not a number at byte 7: 'nan'" */
static int refuse(char *why, size_t size, const char *what, const char *line,
                  const char *at, const char *end)
{
  const char *stop = at;
  while (stop < end && !is_blank(*stop) && stop - at < 40) stop++;
  (void)snprintf(why, size, "%s at byte %zu of the answer: '", what,
                 (size_t)(at - line) + 1);
  lr_show(why, size - 1, at, (size_t)(stop - at), 0);
  size_t n = strlen(why);
  why[n] = '\'';
  why[n + 1] = 0;
  return 0;
}

/* Whether it begins as nan or inf do, which programs print where they have no
 * value. */
static int names_no_number(const char *s, const char *end)
{
  if (s < end && (*s == '-' || *s == '+')) s++;
  return end - s >= 3 &&
         (strncasecmp(s, "nan", 3) == 0 || strncasecmp(s, "inf", 3) == 0);
}

/* One number, followed by a space or the end.  NULL: refused. */
static const char *read_one(const char *s, const char *end, double *x,
                            const char **what)
{
  const char *stop = lr_number_end(s, end);
  *what = names_no_number(s, end) ? "not a finite number" : "not a number";
  if (!stop || (stop < end && !is_blank(*stop))) return NULL;
  *what = "a number beyond all bounds";
  return lr_number_convert(s, stop, x) ? stop : NULL;
}

int lr_line_read(const char *line, size_t length, size_t count, double *x,
                 char *why, size_t why_size)
{
  const char *end = line + length;
  size_t found = 0;
  for (const char *s = line;; found++) {
    while (s < end && is_blank(*s)) s++;
    if (s == end) break;
    double number;
    const char *what;
    const char *stop = read_one(s, end, &number, &what);
    if (!stop) return refuse(why, why_size, what, line, s, end);
    if (found < count) x[found] = number;
    s = stop;
  }
  if (found == count) return 1;
  (void)snprintf(why, why_size, "%zu number%s expected, %zu answered", count,
                 count == 1 ? "" : "s", found);
  if (found == 0) (void)snprintf(why, why_size, "an empty line for an answer");
  return 0;
}

/* Whether the text is nan, inf or infinity, with or without a sign. */
static int is_no_number(const char *s, size_t length)
{
  static const char *const words[] = {"nan", "inf", "infinity"};
  if (length > 0 && (*s == '-' || *s == '+')) s++, length--;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (length == strlen(words[i]) && !strncasecmp(s, words[i], length))
      return 1;
  return 0;
}

size_t lr_line_read_partial(const char *line, size_t length, size_t count,
                            double *x)
{
  const char *s = line, *end = line + length, *what;
  size_t missing = 0;
  for (size_t i = 0; i < count; i++) {
    while (s < end && is_blank(*s)) s++;
    const char *stop = s;
    while (stop < end && !is_blank(*stop)) stop++;
    if (stop == s) return 0;
    if (is_no_number(s, (size_t)(stop - s)))
      x[i] = NAN, missing++;
    else if (read_one(s, end, &x[i], &what) != stop)
      return 0;
    s = stop;
  }
  while (s < end && is_blank(*s)) s++;
  return s == end && missing < count ? missing : 0;
}

int lr_line_tells_failure(const char *line, size_t length, size_t count)
{
  const char *end = line + length;
  size_t found = 0, others = 0;
  for (const char *s = line;; found++) {
    while (s < end && is_blank(*s)) s++;
    if (s == end) break;
    const char *stop = s;
    while (stop < end && !is_blank(*stop)) stop++;
    int other = is_no_number(s, (size_t)(stop - s));
    if (!other && lr_number_end(s, end) != stop) return 0;
    others += (size_t)other;
    s = stop;
  }
  return found == count || (found == 1 && others == 1);
}

size_t lr_line_words(const char *line, size_t length)
{
  size_t words = 0;
  for (size_t i = 0; i < length; i++)
    words += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]));
  return words;
}

int lr_line_agrees(const char *line, size_t length, size_t count,
                   const double *x, int alone)
{
  const double within = 1e-6; /* a hundred times single precision */
  const char *s = line, *end = line + length, *what;
  double largest = 0;
  for (size_t i = alone ? 1 : 0; i < count; i++)
    largest = fmax(largest, fabs(x[i]));
  for (size_t i = 0; i < count; i++) {
    double number, scale = i == 0 && alone ? fabs(x[0]) : largest;
    while (s < end && is_blank(*s)) s++;
    s = s < end ? read_one(s, end, &number, &what) : NULL;
    if (!s || !(fabs(number - x[i]) <= within * scale)) return 0;
  }
  return 1;
}
