/* Words, lines of numbers, and what is safe to show. */
#include "check.h"

#include "process/line.h"

#include "base/number.h"

#include <locale.h>
#include <stdlib.h>

static const char *split(const char *command)
{
  static char joined[200];
  char **words;
  lrgd_error error;
  joined[0] = 0;
  if (lr_words_split(command, &words, &error)) return "refused";
  for (char **word = words; *word; word++) {
    strcat(joined, *word);
    strcat(joined, "|");
  }
  free(words);
  return joined;
}

TEST("a command is split as a shell splits quotes, and nothing else is done")
{
  check_text(split("sim -a 1"), "sim|-a|1|", "blanks");
  check_text(split("  sim\t\n x "), "sim|x|", "other blanks");
  check_text(split("'a b' \"c d\" e\\ f"), "a b|c d|e f|", "quotes");
  check_text(split("a'b'\"c\"d"), "abcd|", "quotes within a word");
  check_text(split("x '' \"\""), "x|||", "empty words");
  check_text(split("'\\n' \"\\n\\\"\\\\\""), "\\n|\\n\"\\|", "backslashes");
  check_text(split("x $HOME * ; `y` > z"), "x|$HOME|*|;|`y`|>|z|", "no shell");
  check_text(split("x\\"), "x\\|", "a last backslash");
  check_text(split("'x"), "refused", "an open quote");
  check_text(split("\"x\\\""), "refused", "an open quote after an escape");
  check_text(split("   "), "refused", "nothing");
  check_text(split("''"), "refused", "no name");
}

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Numbers of all sizes, round ones and ties among them. */
static double some_number(int i)
{
  double x;
  uint64_t bits = draw();
  switch (i % 5) {
  case 0: memcpy(&x, &bits, sizeof x); return x;
  case 1: return (double)(bits >> 11) * 0x1p-53;
  case 2: return ldexp((double)(bits % 2000001) - 1e6, -(int)(draw() % 50));
  case 3: return pow(10, (double)(bits % 80) - 45);
  default: return (double)(bits % 100000) / pow(10, (double)(bits >> 61));
  }
}

TEST("a number is written as %.17g writes it")
{
  char ours[64], theirs[64];
  for (int i = 0; i < 500000; i++) {
    double x = some_number(i);
    size_t n = lr_number_write(ours, x);
    ours[n] = 0;
    snprintf(theirs, sizeof theirs, "%.17g", x);
    require(n < LR_NUMBER_SIZE && !strcmp(ours, theirs), "%s is %s", theirs,
            ours);
  }
  const double special[] = {0,
                            -0.0,
                            1,
                            1e16,
                            1e17,
                            123456,
                            5e-324,
                            1e-5,
                            1e-4,
                            0x1p-1022,
                            1.7976931348623157e308,
                            9007199254740993.0,
                            99999999999999999.0,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            -NAN};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    ours[lr_number_write(ours, special[i])] = 0;
    snprintf(theirs, sizeof theirs, "%.17g", special[i]);
    check_text(ours, theirs, "a special number");
  }
}

static int reads(const char *line, size_t count, double *x)
{
  char why[256], text[300];
  size_t n = (size_t)snprintf(text, sizeof text, "%s\n", line) - 1;
  return lr_line_read(text, n, count, x, why, sizeof why);
}

TEST("a line of numbers is read strictly")
{
  double x[3];
  static const char *const good[] = {"1",     "-1.5", "+2.",   ".5",
                                     "1e5",   "1E-5", " 3 \t", "4\r",
                                     "1e+05", "007",  "1e-999"};
  static const char *const bad[] = {
      "",      "abc", "1.0abc", "1,5",      "0x10", "0x1p3", "1e",    "nan",
      "inf",   "-",   "1e999",  "1 2",      ".",    "1d0",   "1.5.2", "--1",
      "1e5.5", "1_0", "NaN",    "infinity", "1\v",  "+-1",   "e5",    "1e+"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    check(reads(good[i], 1, x), "'%s' is a number", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check(!reads(bad[i], 1, x), "'%s' is not one number", bad[i]);
  check(reads("1 2\t3", 3, x) && x[0] == 1 && x[2] == 3, "three numbers");
}

static size_t missing(const char *line, size_t count, double *x)
{
  return lr_line_read_partial(line, strlen(line), count, x);
}

TEST("of a line of residuals some may be missing")
{
  double x[3];
  check_int(missing("1 nan -3e2 \t", 3, x), 1, "one is");
  check(x[0] == 1 && isnan(x[1]) && x[2] == -300, "%g %g", x[0], x[2]);
  check_int(missing("-inf 2 NaN", 3, x), 2, "two are");
  static const char *const others[] = {"1 2 3",     "nan nan nan", "1 nan",
                                       "1 nan 3 4", "1 none 3",    "",
                                       "nan",       "1 nan 3x"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    check_int(missing(others[i], 3, x), 0, "%s", others[i]);
}

TEST("any bytes are refused or read, and never beyond their end")
{
  double x[4];
  char why[64], line[33];
  static const char letters[] = "0123456789.eE+- \tnaif\0\r,xX";
  for (int i = 0; i < 300000; i++) {
    size_t n = draw() % 32;
    for (size_t j = 0; j < n; j++)
      line[j] = letters[draw() % (sizeof letters - 1)];
    line[n] = '\n';
    if (lr_line_read(line, n, 2, x, why, sizeof why))
      require(isfinite(x[0]) && isfinite(x[1]), "only numbers come through");
  }
}

TEST("words of a line are counted, whatever they are")
{
  check(lr_line_words("", 0) == 0 && lr_line_words(" \t\r", 3) == 0, "none");
  check(lr_line_words("1", 1) == 1 && lr_line_words(" 1 nan\t3 ", 9) == 3,
        "between blanks");
}

TEST(
    "a repeated answer agrees up to rounding, each number by its own "
    "scale")
{
  const double gradient[] = {1e-9, 4, 5}, residuals[] = {1e-9, 4, 5};
  const char *again = "1.1e-9 4 5", *other = "1e-9 4.1 5";
  check(!lr_line_agrees(again, strlen(again), 3, gradient, 1),
        "f has a scale of its own");
  check(lr_line_agrees(again, strlen(again), 3, residuals, 0),
        "residuals have one together");
  check(!lr_line_agrees(other, strlen(other), 3, residuals, 0), "another one");
}

TEST("what is written is read back to the last bit, in any locale")
{
  static const char *const locales[] = {"C", "de_DE.UTF-8", "ps_AF.UTF-8"};
  for (size_t l = 0; l < 3; l++) {
    if (!setlocale(LC_ALL, locales[l])) continue;
    double x[64], y[64];
    lr_bytes line = {0};
    char why[100];
    for (int i = 0; i < 64; i++) do
        x[i] = some_number(i);
      while (!isfinite(x[i]));
    require(lr_line_append(&line, 64, x), "there is memory");
    line.data[line.size] = '\n';
    check(lr_line_read(line.data, line.size, 64, y, why, sizeof why),
          "in %s: %s", locales[l], why);
    check(!memcmp(x, y, sizeof x), "in %s the same bits", locales[l]);
    lr_bytes_free(&line);
  }
  (void)setlocale(LC_ALL, "C");
}

static const char *shown(const char *bytes, size_t n)
{
  static char text[200];
  text[0] = 0;
  lr_show(text, sizeof text, bytes, n, 1);
  return text;
}

TEST("what could steer a terminal is shown as bytes")
{
  check_text(shown("a\tb\nc", 5), "a\tb\nc", "plain text");
  check_text(shown("\033[31m", 5), "\\x1b[31m", "an escape");
  check_text(shown("\r\b\177\0", 4), "\\x0d\\x08\\x7f\\x00", "controls");
  check_text(shown("\303\251\342\202\254", 5), "\303\251\342\202\254", "UTF-8");
  check_text(shown("\302\233", 2), "\\xc2\\x9b", "a control in UTF-8");
  check_text(shown("\377\303", 2), "\\xff\\xc3", "no UTF-8");
  check_text(shown("\342\200\256", 3), "\\xe2\\x80\\xae", "right to left");
  check_text(shown("\330\234", 2), "\\xd8\\x9c", "an Arabic mark");
  check_text(shown("\342\200\216", 3), "\\xe2\\x80\\x8e", "a mark");
  check_text(shown("\342\201\246", 3), "\\xe2\\x81\\xa6", "an isolate");
  check_text(shown("\355\240\200", 3), "\\xed\\xa0\\x80", "a surrogate");
  check_text(shown("\360\200\200\201", 4), "\\xf0\\x80\\x80\\x81",
             "longer than it need be");
  check_text(shown("\364\220\200\200", 4), "\\xf4\\x90\\x80\\x80",
             "beyond the last character");
  check_text(shown("\360\237\230\200", 4), "\360\237\230\200", "a face");
}

TEST("a tail keeps the last bytes, from a whole line on")
{
  static lr_tail tail;
  static char text[LR_SHOWN_SIZE(LR_TAIL_SIZE)];
  for (int i = 0; i < 3000; i++) {
    char line[20];
    int n = snprintf(line, sizeof line, "line %d\n", i);
    lr_tail_put(&tail, line, (size_t)n);
  }
  lr_tail_show(&tail, text, sizeof text);
  check(!strncmp(text, "line ", 5), "starts with a whole line");
  check(strstr(text, "line 2999") != NULL, "has the last line");
  check(strlen(text) > LR_TAIL_SIZE - 20, "keeps what it can");
}
