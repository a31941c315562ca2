/* The lists of methods and step rules (base/choices.h), against the text of the
 * public header, where people read them. */
#include "base/choices.h"
#include "base/options.h"
#include "step/step.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

typedef struct entry {
  const char *enumerator, *word;
  int number;
} entry;

#define METHOD(enumerator, word, symbol)                                       \
  {"LRGD_METHOD_" #enumerator, word, LRGD_METHOD_##enumerator},
#define STEP(enumerator, word, symbol)                                         \
  {"LRGD_STEP_" #enumerator, word, LRGD_STEP_##enumerator},
static const entry methods[] = {LR_METHODS(METHOD)};
static const entry steps[] = {
    {"LRGD_STEP_AUTO", "auto", LRGD_STEP_AUTO},
    LR_STEPS(STEP)
};

/* The whole header, comments blanked; free() it. */
static char *header(void)
{
  enum { MOST = 1 << 18 };
  char *text = calloc(1, MOST);
  FILE *file = fopen(LRGD_HEADER, "r");
  if (!text || !file) abort();
  check(fread(text, 1, MOST - 1, file) < MOST - 1, "%d bytes", MOST);
  (void)fclose(file);
  for (char *from; (from = strstr(text, "/*"));) {
    char *to = strstr(from, "*/");
    if (!to) break;
    memset(from, ' ', (size_t)(to + 2 - from));
  }
  return text;
}

/* The enumerators between the braces behind `type` are those of the list, in
 * its order, and no more. */
static void is_listed(const char *type, const entry *list, size_t count)
{
  char *text = header(), *at = strstr(text, type), *end;
  size_t found = 0;
  check(at != NULL, "no %s", type);
  at = at ? strchr(at, '{') : NULL;
  end = at ? strchr(at, '}') : NULL;
  if (end) *end = '\0';
  for (char *word = end ? strtok(at, "{, \n") : NULL; word;
       word = strtok(NULL, "{, \n"), found++) {
    if (found < count) check_text(word, list[found].enumerator, "%s", type);
  }
  check(found == count, "%zu enumerators, %zu in the list", found, count);
  free(text);
}

TEST("the methods of the header are those of the list, in its order")
{
  is_listed("typedef enum lrgd_method", methods,
            sizeof methods / sizeof *methods);
}

TEST("the step rules of the header are those of the list, in its order")
{
  is_listed("typedef enum lrgd_step ", steps, sizeof steps / sizeof *steps);
}

TEST("every word of the lists is taken by its option, as its enumerator")
{
  lrgd_options o = lrgd_options_default();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check(!lrgd_options_set(&o, "method", methods[i].word, NULL), "%s",
          methods[i].word);
    check(o.method == methods[i].number && o.method == (int64_t)i, "%s",
          methods[i].word);
  }
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    check(!lrgd_options_set(&o, "step", steps[i].word, NULL), "%s",
          steps[i].word);
    check(o.step == steps[i].number && o.step == (int64_t)i, "%s",
          steps[i].word);
    check(!lr_step_of((lrgd_step)i) == (i == LRGD_STEP_AUTO), "%s",
          steps[i].word);
  }
}

TEST("a number that is no step rule has none")
{
  check(lr_step_of((lrgd_step)99) == NULL, "99");
}
