/* Numbers as text: the same in every locale. */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "check.h"

static bool reads(const char *text)
{
  double x;
  return lr_read_real(text, &x);
}

TEST("decimal numbers are read")
{
  static const struct {
    const char *text;
    double x;
  } good[] = {
      {"0",                      0       },
      {"-0.0",                   -0.0    },
      {"12",                     12      },
      {"+7",                     7       },
      {".5",                     0.5     },
      {"5.",                     5       },
      {"1e3",                    1000    },
      {"1.5E-3",                 1.5e-3  },
      {"1e-400",                 0       },
      {"4.9e-324",               4.9e-324},
      {"1.7976931348623157e308", DBL_MAX },
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    double x = NAN;
    check(lr_read_real(good[i].text, &x) && x == good[i].x, "'%s' is %.17g",
          good[i].text, x);
  }
}

TEST("a text that is not wholly a number is refused")
{
  static const char *const bad[] = {
      "",     " ",   " 1",  "1 ",   "1x",    "1,5", "0x10", "1e",   "1e+",
      "nan",  "NaN", "inf", "-inf", "1e999", ".",   "-",    "+",    "1.2.3",
      "1e5.", "--1", "1_0", "1e5f", "\n1",   "1\n", "e5",   "0x1p3"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check(!reads(bad[i]), "'%s' is no number", bad[i]);
}

TEST("a text longer than any number is refused")
{
  char text[2000];
  memset(text, '1', sizeof text);
  text[sizeof text - 1] = '\0';
  check(!reads(text), "2,000 digits");
}

TEST("a refused text leaves the number alone")
{
  double x = 42;
  int64_t n = 42;
  check(!lr_read_real("1x", &x) && x == 42, "the real is %g", x);
  check(!lr_read_integer("1x", &n) && n == 42, "the integer");
}

TEST("whole numbers are read to the ends of their range")
{
  int64_t n = 0;
  check(lr_read_integer("9223372036854775807", &n) && n == INT64_MAX, "2^63-1");
  check(lr_read_integer("-9223372036854775807", &n) && n == -INT64_MAX,
        "-2^63+1");
  check(!lr_read_integer("9223372036854775808", &n), "2^63");
  check(!lr_read_integer("-9223372036854775808", &n),
        "-2^63, which stands for not given");
  check(!lr_read_integer("1.0", &n) && !lr_read_integer("1e3", &n) &&
            !lr_read_integer("", &n) && !lr_read_integer("-", &n) &&
            !lr_read_integer(" 1", &n),
        "and nothing but digits");
}

static const double hard[] = {0.1,
                              1.0 / 3,
                              -2.5e-310,
                              5e-324,
                              DBL_MAX,
                              -DBL_MAX,
                              DBL_MIN,
                              1e23,
                              0.30000000000000004,
                              123456789012345680.0,
                              1,
                              -0.0};

static void round_trip(const char *where)
{
  char text[64];
  for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
    double back = NAN;
    int length = lr_write_real(text, sizeof text, hard[i]);
    check_int(length, strlen(text), "%s: the length of '%s'", where, text);
    check(strspn(text, "0123456789.e+-") == strlen(text),
          "%s: '%s' is written as in C", where, text);
    check(lr_read_real(text, &back) && back == hard[i], "%s: '%s' reads back",
          where, text);
  }
}

TEST("numbers that are written read back to the last bit")
{
  round_trip("C");
}

TEST("the shortest digits that are read back are written where wanted")
{
  static const struct {
    double x;
    const char *text;
  } shortest[] = {
      {52.899999999999999,   "52.9"                   },
      {0.1 + 0.2,            "0.30000000000000004"    },
      {1.0 / 3,              "0.3333333333333333"     },
      {-1e-7,                "-1e-07"                 },
      {5e-324,               "5e-324"                 },
      {DBL_MAX,              "1.7976931348623157e+308"},
      {123456789012345680.0, "1.2345678901234568e+17" },
      {0,                    "0"                      },
      {-0.0,                 "-0"                     },
      {100,                  "100"                    },
      {(double)INFINITY,     "inf"                    },
      {9007199254740991.0,   "9007199254740991"       },
  };
  for (size_t i = 0; i < sizeof shortest / sizeof *shortest; i++) {
    char text[LR_NUMBER_SIZE];
    text[lr_number_shortest(text, shortest[i].x)] = '\0';
    check(strcmp(text, shortest[i].text) == 0, "%.17g is %s, written %s",
          shortest[i].x, shortest[i].text, text);
  }
  uint64_t bits = 1;
  for (int i = 0; i < 20000; i++) {
    char text[LR_NUMBER_SIZE];
    double x, back = 0;
    bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    text[lr_number_shortest(text, x)] = '\0';
    check(lr_read_real(text, &back) && back == x, "%.17g reads back from %s", x,
          text);
  }
}

TEST("a short buffer is reported as snprintf does")
{
  char text[4];
  check_int(lr_write_real(text, sizeof text, 0.125), 5, "0.125 needs five");
  check(strlen(text) < sizeof text, "and the text ends in its buffer");
}

/* Locales made for this test by CMakeLists.txt where localedef can: a comma
 * for a point, and a point of two bytes. */
static void in_locale(const char *name)
{
  double x = 0;
  if (!setlocale(LC_ALL, name)) {
    printf(" (no locale %s on this machine)", name);
    return;
  }
  check(strcmp(localeconv()->decimal_point, ".") != 0, "%s is foreign", name);
  round_trip(name);
  check(lr_read_real("1.5", &x) && x == 1.5, "%s: 1.5 is read", name);
  check(!lr_read_real("1,5", &x), "%s: 1,5 is refused", name);
  check(strcmp(setlocale(LC_ALL, NULL), name) == 0, "the locale stays");
  setlocale(LC_ALL, "C");
}

TEST("a decimal comma in the locale changes nothing")
{
  in_locale("de_DE.UTF-8");
}

TEST("a decimal point of two bytes changes nothing")
{
  in_locale("ps_AF.UTF-8");
}
