/* Decimal numbers whatever the locale: strtod and printf follow the locale's
 * decimal point, so the point is exchanged on the way in and out. */
#include "base/number.h"

#include "base/finite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The grammar, checked by hand: [-+] digits [. digits] [e [-+] digits]. */
static size_t count_digits(const char *s)
{
  return strspn(s, "0123456789");
}

static bool is_decimal(const char *s)
{
  s += *s == '-' || *s == '+';
  size_t whole = count_digits(s), fraction = 0;
  s += whole;
  if (*s == '.') {
    fraction = count_digits(++s);
    s += fraction;
  }
  if (whole + fraction == 0) return false;
  if (*s == 'e' || *s == 'E') {
    s++;
    s += *s == '-' || *s == '+';
    size_t power = count_digits(s);
    if (power == 0) return false;
    s += power;
  }
  return *s == '\0';
}

/* The decimal point of the calling thread's locale, as printf writes it. */
static void find_point(char point[8])
{
  char probe[16];
  int length = snprintf(probe, sizeof probe, "%.1f", 0.0);
  size_t n = length > 2 && length < 10 ? (size_t)length - 2 : 1;
  memcpy(point, probe + 1, n);
  point[n] = '\0';
}

bool lr_read_real(const char *text, double *x)
{
  char buffer[512], point[8];
  size_t n = strlen(text);
  if (n + sizeof point >= sizeof buffer || !is_decimal(text)) return false;
  find_point(point);
  const char *dot = strchr(text, '.');
  size_t head = dot ? (size_t)(dot - text) : n;
  (void)snprintf(buffer, sizeof buffer, "%.*s%s%s", (int)head, text,
                 dot ? point : "", dot ? dot + 1 : "");
  char *end;
  double value = strtod(buffer, &end);
  if (*end != '\0' || !lr_finite(value)) return false;
  *x = value;
  return true;
}

bool lr_read_integer(const char *text, int64_t *n)
{
  const char *digits = text + (*text == '-' || *text == '+');
  size_t count = count_digits(digits);
  if (count == 0 || digits[count] != '\0') return false;
  errno = 0;
  long long value = strtoll(text, NULL, 10);
  if (errno == ERANGE || value == INT64_MIN) return false;
  *n = value;
  return true;
}

int lr_write_real(char *text, size_t size, double x)
{
  char buffer[64], point[8];
  find_point(point);
  int length = snprintf(buffer, sizeof buffer, "%.17g", x);
  if (length < 0 || strcmp(point, ".") == 0)
    return snprintf(text, size, "%s", buffer);
  char *at = strstr(buffer, point);
  if (!at) return snprintf(text, size, "%s", buffer);
  return snprintf(text, size, "%.*s.%s", (int)(at - buffer), buffer,
                  at + strlen(point));
}
