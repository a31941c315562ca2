/* Strict numbers, nearest names, readable counts.
 * The program never calls setlocale, so strtod reads the C locale's numbers
 * whatever the environment says. */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_digits(const char *c)
{
  while (isdigit((unsigned char)*c)) c++;
  return c;
}

static const char *skip_sign(const char *c)
{
  return *c == '+' || *c == '-' ? c + 1 : c;
}

/* strtod also takes blanks, hexadecimal, inf and nan: the shape is checked
 * first. */
static bool is_decimal(const char *text)
{
  const char *start = skip_sign(text);
  const char *c = skip_digits(start);
  size_t digits = (size_t)(c - start);
  if (*c == '.') {
    start = c + 1;
    c = skip_digits(start);
    digits += (size_t)(c - start);
  }
  if (digits == 0) return false;
  if (*c == 'e' || *c == 'E') {
    start = skip_sign(c + 1);
    c = skip_digits(start);
    if (c == start) return false;
  }
  return *c == '\0';
}

bool text_number(const char *text, double *number)
{
  if (!is_decimal(text)) return false;
  double value = strtod(text, NULL);
  if (!isfinite(value)) return false;
  *number = value;
  return true;
}

bool text_bound(const char *text, double *number)
{
  if (strcmp(skip_sign(text), "inf") != 0) return text_number(text, number);
  *number = text[0] == '-' ? -INFINITY : INFINITY;
  return true;
}

bool text_integer(const char *text, int64_t least, int64_t most,
                  int64_t *number)
{
  const char *digits = skip_sign(text);
  if (*digits == '\0' || *skip_digits(digits) != '\0') return false;
  errno = 0;
  long long value = strtoll(text, NULL, 10);
  if (errno != 0 || value < least || value > most) return false;
  *number = value;
  return true;
}

/* Levenshtein distance; names longer than the row are far away. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t row[NEAREST_SIZE];
  size_t width = strlen(b);
  if (width >= NEAREST_SIZE || strlen(a) >= NEAREST_SIZE) return NEAREST_SIZE;
  for (size_t j = 0; j <= width; j++) row[j] = j;
  for (size_t i = 1; a[i - 1] != '\0'; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= width; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[width];
}

nearest nearest_to(const char *wanted)
{
  /* Up to a third of the letters may be wrong, and one in any case. */
  return (nearest){.wanted = wanted, .distance = strlen(wanted) / 3 + 2};
}

void nearest_offer(nearest *search, const char *name)
{
  size_t distance = edit_distance(search->wanted, name);
  if (distance >= search->distance) return;
  search->distance = distance;
  snprintf(search->name, sizeof search->name, "%s", name);
}

char *text_count(char buffer[TEXT_COUNT_SIZE], uint64_t count)
{
  char digits[TEXT_COUNT_SIZE];
  int length =
      snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
  char *out = buffer;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) *out++ = ',';
    *out++ = digits[i];
  }
  *out = '\0';
  return buffer;
}
