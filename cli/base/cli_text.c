/* Numbers, nearest names, counts with separators. */
#include "cli_text.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *skip_sign(const char *c)
{
  return *c == '+' || *c == '-' ? c + 1 : c;
}

bool text_number(const char *text, double *number)
{
  return lr_read_real(text, number);
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
  int64_t value;
  if (!lr_read_integer(text, &value) || value < least || value > most)
    return false;
  *number = value;
  return true;
}

/* Levenshtein's edit distance, where the exchange of two neighbouring letters
 * counts as one edit. Names too long for the arrays below count as distant. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t two[NEAREST_SIZE] = {0}, one[NEAREST_SIZE], row[NEAREST_SIZE];
  size_t width = strlen(b);
  if (width >= NEAREST_SIZE || strlen(a) >= NEAREST_SIZE) return NEAREST_SIZE;
  for (size_t j = 0; j <= width; j++) row[j] = j;
  for (size_t i = 1; a[i - 1] != '\0'; i++) {
    memcpy(one, row, sizeof row);
    row[0] = i;
    for (size_t j = 1; j <= width; j++) {
      size_t best = one[j - 1] + (a[i - 1] != b[j - 1]);
      if (one[j] + 1 < best) best = one[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && two[j - 2] + 1 < best) best = two[j - 2] + 1;
      row[j] = best;
    }
    memcpy(two, one, sizeof one);
  }
  return row[width];
}

nearest nearest_to(const char *wanted)
{
  /* a third of the letters may differ, and at least one */
  return (nearest){.wanted = wanted, .distance = strlen(wanted) / 3 + 2};
}

/* Whether one begins with the other: dimension for dim, conf for confidence. */
static bool is_abbreviation(const char *a, const char *b)
{
  size_t shorter = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
  return shorter > 2 && strncmp(a, b, shorter) == 0;
}

void nearest_offer(nearest *search, const char *name)
{
  size_t distance = edit_distance(search->wanted, name);
  if (distance > 1 && is_abbreviation(search->wanted, name)) distance = 1;
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

char *text_real(char buffer[TEXT_REAL_SIZE], double number)
{
  buffer[lr_number_shortest(buffer, number)] = '\0';
  return buffer;
}
