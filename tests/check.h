/* check.h: all a test program needs.  One test file is one program.
 *
 *   #include "check.h"
 *
 *   TEST("a basis of full rank spans everything")
 *   {
 *     check(rank == 3, "rank is %zu", rank);
 *     check_near(f, 2.5, 1e-12, "the value at the end");
 *   }
 *
 * Tests run in the order of the file; main() is here.  With arguments, only
 * the tests whose sentence contains one of them run.  The last line is always
 * "N passed, N failed" and counts tests, not checks; exit status 0 when none
 * failed.
 *
 * Every check takes a sentence (a printf format) saying what is claimed,
 * returns whether it held, and lets the test go on; require() leaves it.
 * Knows nothing of lrgd.  Checks belong to the main thread.
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__)
#define CHECK_FORMAT(at) __attribute__((format(printf, at, at + 1)))
#else
#define CHECK_FORMAT(at)
#endif

#if defined(__SANITIZE_ADDRESS__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif

/* How often a run is repeated: n times, and a fifth of that under sanitizers,
 * which take ten times as long and look for errors of memory, not of chance. */
#define CHECK_RUNS(n) (CHECK_SANITIZED ? ((n) + 4) / 5 : (n))

typedef struct check_test {
  const char *sentence;
  void (*run)(void);
  struct check_test *next;
} check_test;

static check_test *check_first, **check_last = &check_first;
static int check_broken; /* checks that did not hold in the test running */

#define CHECK_JOIN_(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN_(a, b)

/* Registers the body that follows before main() starts.  __COUNTER__: a header
 * may have tests too, at lines where its reader has some. */
#define TEST(text) CHECK_TEST(text, __COUNTER__)
#define CHECK_TEST(text, n)                                                    \
  static void CHECK_JOIN(test_run_, n)(void);                                  \
  __attribute__((constructor)) static void CHECK_JOIN(test_add_, n)(void)      \
  {                                                                            \
    static check_test test = {text, CHECK_JOIN(test_run_, n), NULL};           \
    *check_last = &test;                                                       \
    check_last = &test.next;                                                   \
  }                                                                            \
  static void CHECK_JOIN(test_run_, n)(void)

/* check(condition, "what is claimed", ...) */
#define check(condition, ...)                                                  \
  check_that(!!(condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

/* As check, but ends the test when it does not hold. */
#define require(condition, ...)                                                \
  do {                                                                         \
    if (!check(condition, __VA_ARGS__)) return;                                \
  } while (0)

/* |got - want| <= relative * |want|; NaN never passes, equal infinities do. */
#define check_near(got, want, relative, ...)                                   \
  check_distance((got), (want), (relative)*fabs((double)(want)), __FILE__,     \
                 __LINE__, #got, __VA_ARGS__)

/* |got - want| <= absolute: for what should be zero. */
#define check_within(got, want, absolute, ...)                                 \
  check_distance((got), (want), (absolute), __FILE__, __LINE__, #got,          \
                 __VA_ARGS__)

/* Two whole numbers of any type are equal (and below 2^63). */
#define check_int(got, want, ...)                                              \
  check_same((long long)(got), (long long)(want), __FILE__, __LINE__, #got,    \
             __VA_ARGS__)

/* Two strings are equal; NULL equals only NULL. */
#define check_text(got, want, ...)                                             \
  check_words((got), (want), __FILE__, __LINE__, #got, __VA_ARGS__)

CHECK_FORMAT(4)
static inline void check_complain(const char *file, int line, const char *what,
                                  const char *format, ...)
{
  va_list list;
  check_broken++;
  printf("\n  %s:%d: ", file, line);
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n    %s", what);
}

/* The caller's sentence, cut to fit: only called when a check has failed. */
#define CHECK_SENTENCE(buffer, format)                                         \
  do {                                                                         \
    va_list list_;                                                             \
    va_start(list_, format);                                                   \
    vsnprintf(buffer, sizeof buffer, format, list_);                           \
    va_end(list_);                                                             \
  } while (0)

CHECK_FORMAT(5)
static inline bool check_that(bool holds, const char *file, int line,
                              const char *what, const char *format, ...)
{
  char sentence[512];
  if (holds) return true;
  CHECK_SENTENCE(sentence, format);
  check_complain(file, line, what, "%s", sentence);
  return false;
}

CHECK_FORMAT(7)
static inline bool check_distance(double got, double want, double allowed,
                                  const char *file, int line, const char *what,
                                  const char *format, ...)
{
  char sentence[512];
  if (got == want || fabs(got - want) <= allowed) return true;
  CHECK_SENTENCE(sentence, format);
  check_complain(file, line, what, "%s", sentence);
  printf(" is %.17g, not %.17g (off by %.3g, allowed %.3g)", got, want,
         fabs(got - want), allowed);
  return false;
}

CHECK_FORMAT(6)
static inline bool check_same(long long got, long long want, const char *file,
                              int line, const char *what, const char *format,
                              ...)
{
  char sentence[512];
  if (got == want) return true;
  CHECK_SENTENCE(sentence, format);
  check_complain(file, line, what, "%s", sentence);
  printf(" is %lld, not %lld", got, want);
  return false;
}

CHECK_FORMAT(6)
static inline bool check_words(const char *got, const char *want,
                               const char *file, int line, const char *what,
                               const char *format, ...)
{
  char sentence[512];
  if (got == want || (got && want && strcmp(got, want) == 0)) return true;
  CHECK_SENTENCE(sentence, format);
  check_complain(file, line, what, "%s", sentence);
  printf("\n    is  \"%s\"\n    not \"%s\"", got ? got : "(null)",
         want ? want : "(null)");
  return false;
}

static inline bool check_wanted(const char *sentence, int argc, char **argv)
{
  if (argc < 2) return true;
  for (int i = 1; i < argc; i++)
    if (strstr(sentence, argv[i])) return true;
  return false;
}

int main(int argc, char **argv)
{
  int passed = 0, failed = 0;
  for (check_test *test = check_first; test; test = test->next) {
    if (!check_wanted(test->sentence, argc, argv)) continue;
    /* flushed first, so that a crash, or a fork in the test, is no trouble */
    printf("%s", test->sentence);
    fflush(stdout);
    check_broken = 0;
    test->run();
    printf(check_broken ? "\n  FAILED\n" : ": ok\n");
    fflush(stdout);
    if (check_broken)
      failed++;
    else
      passed++;
  }
  printf("%d passed, %d failed\n", passed, failed);
  /* no test at all is no success: a filter that matches nothing says so */
  return failed || !passed ? 1 : 0;
}

#endif
