/* Decimal numbers whatever the locale.  The one place that reads and writes
 * them; knows nothing of lines and options.
 *
 * Reading: the shape is checked here, as strtod also takes blanks, hexadecimals
 * and nan; strtod then finds the number, with the locale's point for ours.
 *
 * Writing: 17 digits of x = m 2^e.  With k the decimal exponent of x they are
 * the integer nearest to x 10^n, n = 16 - k, that is m 5^n 2^(e + n).  For
 * 0 <= n <= 55 the factor 5^n fits 128 bits, the product 192, and the digits
 * come out exactly, half to even, as printf's do.  That is 1e-39 .. 1e17; the
 * rest goes through printf, ten times slower. */
#include "base/number.h"

#include "base/finite.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static const char *skip_digits(const char *s, const char *end)
{
  while (s < end && *s >= '0' && *s <= '9') s++;
  return s;
}

static const char *skip_sign(const char *s, const char *end)
{
  return s < end && (*s == '-' || *s == '+') ? s + 1 : s;
}

const char *lr_number_end(const char *s, const char *end)
{
  s = skip_sign(s, end);
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
    const char *power = skip_sign(s + 1, end);
    s = skip_digits(power, end);
    if (s == power) return NULL;
  }
  return s;
}

/* A copy of the text in which the decimal point is that of the thread's
 * locale. */
static double convert_foreign(const char *s, size_t n, const char *point)
{
  char buffer[LR_NUMBER_MOST + 16];
  const char *dot = memchr(s, '.', n);
  size_t head = dot ? (size_t)(dot - s) : n;
  (void)snprintf(buffer, sizeof buffer, "%.*s%.8s%.*s", (int)head, s,
                 dot ? point : "", dot ? (int)(n - head - 1) : 0,
                 dot ? dot + 1 : "");
  return strtod(buffer, NULL);
}

bool lr_number_convert(const char *s, const char *end, double *x)
{
  size_t n = (size_t)(end - s);
  if (n > LR_NUMBER_MOST) return false;
  const char *point = nl_langinfo(RADIXCHAR);
  double value =
      strcmp(point, ".") == 0 ? strtod(s, NULL) : convert_foreign(s, n, point);
  if (!lr_finite(value)) return false;
  *x = value;
  return true;
}

bool lr_read_real(const char *text, double *x)
{
  const char *end = text + strlen(text);
  return lr_number_end(text, end) == end && lr_number_convert(text, end, x);
}

bool lr_read_integer(const char *text, int64_t *n)
{
  const char *end = text + strlen(text), *digits = skip_sign(text, end);
  if (digits == end || skip_digits(digits, end) != end) return false;
  errno = 0;
  long long value = strtoll(text, NULL, 10);
  if (errno == ERANGE || value == INT64_MIN) return false;
  *n = value;
  return true;
}

/* ---- writing ---- */

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

/* n digits of x > 0 through printf, whose point may be any character of the
 * locale; *back is the number that they are read as. */
static uint64_t digits_by_printf(double x, int n, int *k, double *back)
{
  char text[64];
  (void)snprintf(text, sizeof text, "%.*e", n - 1, x);
  *back = strtod(text, NULL);
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

/* Lays out n > 0 significant digits as %g does; the first has the value
 * 10^k. */
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

/* Writes the last n decimal digits of value. */
static void write_digits(char *to, uint32_t value, int n)
{
  for (int i = n - 1; i >= 0; i--, value /= 10)
    to[i] = (char)('0' + (int)(value % 10));
}

/* Writes zeros, infinities and NaN, and otherwise the sign only, leaving the
 * bits of the absolute value in *bits; 0: all is written. */
static char *write_special(char *to, double x, uint64_t *bits)
{
  memcpy(bits, &x, sizeof *bits);
  if (*bits >> 63) *to++ = '-';
  *bits &= UINT64_MAX >> 1;
  if (*bits == 0) *to++ = '0';
  if (*bits == 0 || lr_finite(x)) return to;
  memcpy(to, *bits << 12 ? "nan" : "inf", 3);
  *bits = 0;
  return to + 3;
}

/* Writes the 17 digits d without trailing zeros. */
static char *write_all(char *to, uint64_t d, int k)
{
  char digits[DIGITS];
  /* two halves of 32 bits: shorter divisions, and two at a time */
  write_digits(digits, (uint32_t)(d / 100000000), DIGITS - 8);
  write_digits(digits + DIGITS - 8, (uint32_t)(d % 100000000), 8);
  int n = DIGITS;
  while (n > 1 && digits[n - 1] == '0') n--;
  return lay_out(to, digits, n, k);
}

size_t lr_number_write(char *text, double x)
{
  uint64_t bits;
  char *to = write_special(text, x, &bits);
  if (bits == 0) return (size_t)(to - text);
  int k = 0;
  uint64_t d = digits_exactly(bits, &k);
  if (d == 0) {
    memcpy(&x, &bits, sizeof bits);
    d = digits_by_printf(x, DIGITS, &k, &x);
  }
  return (size_t)(write_all(to, d, k) - text);
}

/* Prints x with the fewest digits that read back as x: 15, 16 or 17 significant
 * digits are tried in this order, as 17 always suffice.  Subnormal numbers may
 * need fewer. */
size_t lr_number_shortest(char *text, double x)
{
  uint64_t bits, d = 0;
  char *to = write_special(text, x, &bits);
  if (bits == 0) return (size_t)(to - text);
  int k = 0;
  double size, back = 0;
  memcpy(&size, &bits, sizeof bits);
  int least = bits >> 52 == 0 ? 1 : DIGITS - 2;
  for (int n = least; n <= DIGITS && back != size; n++) {
    d = digits_by_printf(size, n, &k, &back);
    for (int i = n; i < DIGITS; i++) d *= 10;
  }
  return (size_t)(write_all(to, d, k) - text);
}

int lr_write_real(char *text, size_t size, double x)
{
  char buffer[LR_NUMBER_SIZE];
  buffer[lr_number_write(buffer, x)] = '\0';
  return snprintf(text, size, "%s", buffer);
}
