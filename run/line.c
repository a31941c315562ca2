/* A line of numbers.  Knows nothing of who writes or reads it.
 *
 * Writing: 17 digits of x = m 2^e.  With k the decimal exponent of x they are
 * the integer nearest to x 10^n, n = 16 - k, that is m 5^n 2^(e + n).  For
 * 0 <= n <= 55 the factor 5^n fits 128 bits, the product 192, and the digits
 * come out exactly, half to even, as printf's do.  That is 1e-39 .. 1e17; the
 * rest goes through printf, ten times slower. */
#include "line.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, MOST_FIVES = 55 };

/* 5^n: two exact factors below 2^64 each. */
static wide power_of_five(int n)
{
  static const uint64_t fives[28] = {1ull,
                                     5ull,
                                     25ull,
                                     125ull,
                                     625ull,
                                     3125ull,
                                     15625ull,
                                     78125ull,
                                     390625ull,
                                     1953125ull,
                                     9765625ull,
                                     48828125ull,
                                     244140625ull,
                                     1220703125ull,
                                     6103515625ull,
                                     30517578125ull,
                                     152587890625ull,
                                     762939453125ull,
                                     3814697265625ull,
                                     19073486328125ull,
                                     95367431640625ull,
                                     476837158203125ull,
                                     2384185791015625ull,
                                     11920928955078125ull,
                                     59604644775390625ull,
                                     298023223876953125ull,
                                     1490116119384765625ull,
                                     7450580596923828125ull};
  if (n <= 27) return fives[n];
  wide high = fives[n - 28 < 27 ? n - 28 : 27];
  return (wide)fives[27] * 5 * high;
}

/* The integer nearest to m f 2^-s, 0 <= s < 192, half to even; the caller
 * knows that it fits 64 bits. */
static uint64_t scaled(uint64_t m, wide f, int s)
{
  wide low = (wide)m * (uint64_t)f;
  wide high = (wide)m * (uint64_t)(f >> 64) + (low >> 64);
  uint64_t word0 = (uint64_t)low;
  if (s == 0) return word0;
  wide half, rest,
      whole; /* whole = product >> s, rest = the bits shifted out */
  if (s < 64) {
    whole = (high << (64 - s)) | (word0 >> s);
    rest = word0 & ((UINT64_C(1) << s) - 1);
    half = (wide)1 << (s - 1);
    return (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
  }
  s -= 64;
  whole = s < 128 ? high >> s : 0;
  rest = s ? high << (128 - s) : 0; /* left-aligned, word0 below it */
  half = (wide)1 << 127;
  if (s == 0) { /* the rest is word0 alone */
    const uint64_t middle = UINT64_C(1) << 63;
    return (uint64_t)whole +
           (word0 > middle || (word0 == middle && (whole & 1)));
  }
  int above = rest > half || (rest == half && word0);
  return (uint64_t)whole + (above || (rest == half && !word0 && (whole & 1)));
}

/* The 17 digits of x > 0 as an integer, and the exponent k of the first.
 * 0: out of the range this way covers. */
static uint64_t digits_exactly(uint64_t bits, int *k)
{
  int biased = (int)(bits >> 52);
  if (biased == 0) return 0; /* denormal */
  uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | (UINT64_C(1) << 52);
  int e = biased - 1075;
  /* floor(log10(2^(e + 52))) is k or k - 1; 78913 / 2^18 is log10(2) */
  int guess = (int)(((e + 52) * INT64_C(78913)) >> 18);
  for (int tries = 0; tries < 2; tries++, guess++) {
    int n = 16 - guess;
    if (n < 0 || n > MOST_FIVES) return 0;
    int shift = -(e + n);
    if (shift < -10) return 0;
    uint64_t d = shift >= 0 ? scaled(m, power_of_five(n), shift)
                            : scaled(m, power_of_five(n), 0) << -shift;
    *k = guess;
    if (d < UINT64_C(100000000000000000)) return d;
  }
  return 0;
}

/* The same through printf, whose point may be any character of the locale. */
static uint64_t digits_by_printf(double x, int *k)
{
  char text[64];
  (void)snprintf(text, sizeof text, "%.16e", x);
  char *exponent = strrchr(text, 'e');
  *k = (int)strtol(exponent + 1, NULL, 10);
  uint64_t d = 0;
  for (const char *s = text; s < exponent; s++)
    if (*s >= '0' && *s <= '9') d = 10 * d + (uint64_t)(*s - '0');
  return d;
}

static char *write_exponent(char *to, int k)
{
  *to++ = 'e';
  *to++ = k < 0 ? '-' : '+';
  int size = k < 0 ? -k : k;
  if (size >= 100) *to++ = (char)('0' + size / 100);
  *to++ = (char)('0' + size / 10 % 10);
  *to++ = (char)('0' + size % 10);
  return to;
}

/* n > 0 significant digits, the first worth 10^k, laid out as %g does. */
static char *lay_out(char *to, const char *digits, int n, int k)
{
  int scientific = k < -4 || k >= DIGITS;
  int before = scientific ? 1 : k + 1; /* digits before the point */
  if (before <= 0) {
    *to++ = '0';
    *to++ = '.';
    for (int i = before; i < 0; i++) *to++ = '0';
    memcpy(to, digits, (size_t)n);
    return to + n;
  }
  for (int i = 0; i < before; i++) *to++ = (char)(i < n ? digits[i] : '0');
  if (n > before) {
    *to++ = '.';
    memcpy(to, digits + before, (size_t)(n - before));
    to += n - before;
  }
  return scientific ? write_exponent(to, k) : to;
}

/* The last n digits of value, n of them. */
static void write_digits(char *to, uint32_t value, int n)
{
  for (int i = n - 1; i >= 0; i--, value /= 10)
    to[i] = (char)('0' + (int)(value % 10));
}

size_t lr_number_write(char *text, double x)
{
  char *to = text;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (bits >> 63) *to++ = '-';
  bits &= UINT64_MAX >> 1;
  if (bits == 0) {
    *to++ = '0';
    return (size_t)(to - text);
  }
  int k = 0;
  uint64_t d = digits_exactly(bits, &k);
  if (d == 0) {
    memcpy(&x, &bits, sizeof bits);
    d = digits_by_printf(x, &k);
  }
  char digits[DIGITS];
  /* two halves of 32 bits: shorter divisions, and two at a time */
  write_digits(digits, (uint32_t)(d / 100000000), DIGITS - 8);
  write_digits(digits + DIGITS - 8, (uint32_t)(d % 100000000), 8);
  int n = DIGITS;
  while (n > 1 && digits[n - 1] == '0') n--;
  return (size_t)(lay_out(to, digits, n, k) - text);
}

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

static locale_t c_locale;

static void make_c_locale(void)
{
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static const char *skip_digits(const char *s, const char *end)
{
  while (s < end && *s >= '0' && *s <= '9') s++;
  return s;
}

/* Where a decimal number that starts at s ends; NULL: none starts there. */
static const char *number_end(const char *s, const char *end)
{
  if (s < end && (*s == '+' || *s == '-')) s++;
  const char *whole = s;
  s = skip_digits(s, end);
  size_t digits = (size_t)(s - whole);
  if (s < end && *s == '.') {
    const char *part = ++s;
    s = skip_digits(s, end);
    digits += (size_t)(s - part);
  }
  if (digits == 0) return NULL;
  if (s < end && (*s == 'e' || *s == 'E')) {
    const char *power = s + 1;
    if (power < end && (*power == '+' || *power == '-')) power++;
    s = skip_digits(power, end);
    if (s == power) return NULL;
  }
  return s;
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

/* One number, which a blank or the end follows.  NULL: refused. */
static const char *read_one(const char *s, const char *end, double *x,
                            const char **what)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, make_c_locale);
  const char *stop = number_end(s, end);
  *what = "not a number";
  if (!stop || (stop < end && !is_blank(*stop))) return NULL;
  /* strtod stops at the blank or line end that is known to follow */
  *x = c_locale ? strtod_l(s, NULL, c_locale) : strtod(s, NULL);
  *what = "a number beyond all bounds";
  return *x <= 1.7976931348623157e308 && *x >= -1.7976931348623157e308 ? stop
                                                                       : NULL;
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
