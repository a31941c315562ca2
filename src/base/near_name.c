/* Compares names as people write them, with dashes and typing errors. */
#include "base/near_name.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 64 };

static char plain(char c)
{
  return c == '-' ? '_' : c;
}

bool lr_same_name(const char *name, const char *given)
{
  given += strspn(given, "-");
  for (; *name && plain(*name) == plain(*given); name++) given++;
  return *name == *given;
}

static size_t least(size_t a, size_t b, size_t c)
{
  size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Computes the edit distance row by row, from the distances between
 * prefixes. */
size_t lr_name_distance(const char *a, const char *b)
{
  size_t row[LONGEST], n = strlen(b);
  if (n + 1 > LONGEST) return SIZE_MAX;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; a[i - 1]; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t above = row[j];
      size_t changed = plain(a[i - 1]) != plain(b[j - 1]);
      row[j] = least(above + 1, row[j - 1] + 1, diagonal + changed);
      diagonal = above;
    }
  }
  return row[n];
}
