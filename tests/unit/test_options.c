/* The table of options: defaults, ranges, words, and older headers. */
#include "base/options.h"

#include <inttypes.h>
#include <stddef.h>

#include "check.h"

/* Whether the option called name is taken with this text. */
static bool takes(const char *name, const char *text)
{
  lrgd_options o = lrgd_options_default();
  return lrgd_options_set(&o, name, text, NULL) == LRGD_OK;
}

static lrgd_status checked(const lrgd_options *o, lrgd_error *error)
{
  lrgd_options to;
  return lr_options_check(&to, o, error);
}

TEST("the defaults are in range")
{
  lrgd_options o = lrgd_options_default();
  lrgd_error error = {LRGD_OK, ""};
  check(checked(&o, &error) == LRGD_OK, "%s", error.text);
  check(checked(NULL, &error) == LRGD_OK, "NULL stands for the defaults");
}

TEST("every row has a name, a range and one line of help")
{
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    check(row->name && *row->name && !strpbrk(row->name, "- "), "row %zu", i);
    check(row->range && *row->range, "range of %s", row->name);
    check(row->help && *row->help && !strchr(row->help, '\n'), "help of %s",
          row->name);
    check((row->type == LRGD_OPTION_TYPE_CHOICE) == (row->choices != NULL),
          "choices of %s", row->name);
  }
  check(!lrgd_option_at(lrgd_option_count()), "there is no row after the last");
}

TEST("what only ends a run may change between sessions")
{
  static const char *const steer[] = {"method", "rank", "tol", "seed"};
  static const char *const end[] = {"target", "max_evals", "max_seconds"};
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    for (size_t j = 0; j < sizeof steer / sizeof *steer; j++)
      check(strcmp(row->name, steer[j]) != 0 || !row->may_change, "%s",
            row->name);
    for (size_t j = 0; j < sizeof end / sizeof *end; j++)
      check(strcmp(row->name, end[j]) != 0 || row->may_change, "%s", row->name);
  }
}

/* Fields before the hooks, and those appended after them. */
enum {
  BEFORE = (offsetof(lrgd_options, progress) - offsetof(lrgd_options, method)) /
           sizeof(double),
  AFTER = (sizeof(lrgd_options) - offsetof(lrgd_options, stop_decrease)) /
          sizeof(double)
};

/* The i-th row's field. */
static double *field_at(lrgd_options *o, size_t i)
{
  size_t offset = i < BEFORE ? offsetof(lrgd_options, method)
                             : offsetof(lrgd_options, stop_decrease);
  return (double *)(void *)((char *)o + offset) + i % BEFORE;
}

TEST("every field of the struct but the hooks has a row")
{
  check_int(lrgd_option_count(), BEFORE + AFTER, "rows");
}

TEST("the former name of a method is still understood")
{
  lrgd_options o = lrgd_options_default();
  char text[32];
  check(lrgd_options_set(&o, "method", "krylov", NULL) == LRGD_OK, "taken");
  check_int(o.method, LRGD_METHOD_QUASI_NEWTON, "the method");
  check(lrgd_options_get(&o, "method", text, sizeof text) == LRGD_OK, "told");
  check(strcmp(text, "quasi-newton") == 0, "by its name: %s", text);
}

TEST("every default reads back as what was written")
{
  lrgd_options o = lrgd_options_default();
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const char *name = lrgd_option_at(i)->name;
    char first[64] = "", second[64] = "";
    lrgd_options again = lrgd_options_default();
    check(lrgd_options_get(&o, name, first, sizeof first) == LRGD_OK &&
              lrgd_options_set(&again, name, first, NULL) == LRGD_OK &&
              lrgd_options_get(&again, name, second, sizeof second) == LRGD_OK,
          "%s is '%s'", name, first);
    check_text(second, first, "%s", name);
  }
}

TEST("every choice can be set by its word, and reads back")
{
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    for (const char *c = row->choices; c;
         c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL) {
      char word[64], back[64] = "";
      lrgd_options o = lrgd_options_default();
      (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(c, "|"), c);
      check(lrgd_options_set(&o, row->name, word, NULL) == LRGD_OK, "%s=%s",
            row->name, word);
      check(lrgd_options_get(&o, row->name, back, sizeof back) == LRGD_OK,
            "%s reads back", row->name);
      check_text(back, word, "%s", row->name);
    }
    if (row->choices)
      check(!takes(row->name, "no-such-word") && !takes(row->name, "") &&
                !takes(row->name, row->choices),
            "%s takes only its words", row->name);
  }
}

TEST("numbers set by text arrive exactly")
{
  lrgd_options o = lrgd_options_default();
  check(lrgd_options_set(&o, "alpha", "0.1", NULL) == LRGD_OK && o.alpha == 0.1,
        "alpha is %.17g", o.alpha);
  check(lrgd_options_set(&o, "rank", "12", NULL) == LRGD_OK && o.rank == 12,
        "rank");
  check(lrgd_options_set(&o, "seed", "9007199254740993", NULL) == LRGD_OK &&
            o.seed == INT64_C(9007199254740993),
        "a seed beyond 2^53");
}

TEST("the word for not given takes a value back")
{
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    lrgd_options o = lrgd_options_default();
    char text[64] = "";
    if (!row->unset) continue;
    const char *some = row->type == LRGD_OPTION_TYPE_REAL ? "0.5" : "1";
    check(lrgd_options_set(&o, row->name, some, NULL) == LRGD_OK &&
              lrgd_options_set(&o, row->name, row->unset, NULL) == LRGD_OK &&
              lrgd_options_get(&o, row->name, text, sizeof text) == LRGD_OK,
          "%s=%s", row->name, row->unset);
    check_text(text, row->unset, "%s", row->name);
  }
}

/* Which of zero, a negative number and a half a range takes. */
static void check_range(const lrgd_option *row)
{
  const char *name = row->name, *range = row->range;
  bool any = strcmp(range, "any number") == 0;
  bool binary = strcmp(range, "0 or 1") == 0;
  bool zero = any || binary || strcmp(range, ">= 0") == 0;
  bool half = row->type == LRGD_OPTION_TYPE_REAL && strcmp(range, ">= 1") != 0;
  bool two = !binary && strcmp(range, "between 0 and 1") != 0;
  check(takes(name, "0") == zero, "%s (%s) and zero", name, range);
  check(takes(name, "-1") == any, "%s (%s) and minus one", name, range);
  check(takes(name, "0.5") == half, "%s (%s) and a half", name, range);
  check(takes(name, "2") == two, "%s (%s) and two", name, range);
  check(!takes(name, "nan") && !takes(name, "inf") && !takes(name, "1e999") &&
            !takes(name, "3x") && !takes(name, ""),
        "%s takes numbers only", name);
}

TEST("every row refuses what is out of its range")
{
  for (size_t i = 0; i < lrgd_option_count(); i++)
    if (!lrgd_option_at(i)->choices) check_range(lrgd_option_at(i));
}

TEST("every real in the struct is refused when it is NaN or infinite")
{
  static const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    if (row->type != LRGD_OPTION_TYPE_REAL) continue;
    for (size_t j = 0; j < 3; j++) {
      lrgd_options o = lrgd_options_default();
      lrgd_error error = {LRGD_OK, ""};
      *field_at(&o, i) = wrong[j];
      check(checked(&o, &error) == LRGD_ERR_INVALID, "%s is %g", row->name,
            wrong[j]);
      check(strstr(error.text, row->name) != NULL, "the sentence names it: %s",
            error.text);
    }
  }
}

TEST("an error text holds the option's name, the number and the range")
{
  lrgd_options o = lrgd_options_default();
  lrgd_error error = {LRGD_OK, ""};
  o.tol = -2.5;
  check(checked(&o, &error) == LRGD_ERR_INVALID &&
            error.status == LRGD_ERR_INVALID,
        "tol = -2.5 is refused");
  check_text(error.text, "tol is -2.5; it must be > 0", "the sentence");
  check(lrgd_options_set(&o, "method", "newton", &error) == LRGD_ERR_INVALID &&
            strstr(error.text, "newton") && strstr(error.text, "iterated"),
        "a word: %s", error.text);
  check(lrgd_options_set(&o, "speed", "1", &error) == LRGD_ERR_INVALID &&
            strstr(error.text, "speed"),
        "an unknown name: %s", error.text);
}

TEST("a refused text leaves the options alone")
{
  lrgd_options o = lrgd_options_default();
  o.tol = 0.5;
  check(lrgd_options_set(&o, "tol", "-1", NULL) != LRGD_OK && o.tol == 0.5,
        "tol is %g", o.tol);
}

TEST("a choice that no word stands for is refused, also when it is read")
{
  static const int64_t wrong[] = {-1, 77, INT64_MAX, LRGD_UNSET};
  for (size_t i = 0; i < 4; i++) {
    lrgd_options o = lrgd_options_default();
    lrgd_error error = {LRGD_OK, ""};
    char text[64];
    o.method = wrong[i];
    check(checked(&o, &error) == LRGD_ERR_INVALID, "method %" PRId64, wrong[i]);
    check(lrgd_options_get(&o, "method", text, sizeof text) == LRGD_ERR_INVALID,
          "method %" PRId64 " has no word", wrong[i]);
  }
}

TEST("a text longer than the buffer is refused, not cut")
{
  lrgd_options o = lrgd_options_default();
  char text[4];
  o.alpha = 0.1;
  check(lrgd_options_get(&o, "alpha", text, sizeof text) == LRGD_ERR_INVALID,
        "17 digits do not fit into four");
}

TEST("options of an older header, a smaller struct, get the new defaults")
{
  lrgd_options o = lrgd_options_default(), to;
  size_t cut = offsetof(lrgd_options, probes);
  o.rank = 7;
  memset((char *)&o + cut, 0xff, sizeof o - cut);
  o.struct_size = cut;
  check(lr_options_check(&to, &o, NULL) == LRGD_OK, "it is taken");
  check_int(to.rank, 7, "what the older header knew");
  check_int(to.probes, lrgd_options_default().probes, "what it did not");
  check(to.allocator == NULL && to.progress == NULL, "no hooks");
  check_int(to.struct_size, sizeof to, "the size is this library's");
}

TEST("setting an option of an older struct writes nothing behind it")
{
  lrgd_options o = lrgd_options_default(), before;
  size_t cut = offsetof(lrgd_options, probes);
  o.struct_size = cut;
  memset((char *)&o + cut, 0x5a, sizeof o - cut);
  before = o;
  check(lrgd_options_set(&o, "rank", "3", NULL) == LRGD_OK && o.rank == 3,
        "rank is there");
  check(memcmp((char *)&o + cut, (char *)&before + cut, sizeof o - cut) == 0,
        "nothing behind was touched");
  check(lrgd_options_set(&o, "probes", "3", NULL) == LRGD_ERR_INVALID,
        "probes is not there");
}

/* A struct of a header to come, which has one option more. */
typedef struct later {
  lrgd_options known;
  double option;
} later;

TEST("options of a newer header are taken as long as the rest is zero")
{
  later o;
  lrgd_options to;
  lrgd_error error = {LRGD_OK, ""};
  memset(&o, 0x5a, sizeof o);
  lrgd_options_init(&o.known, sizeof o);
  check_int(o.known.struct_size, sizeof o, "the size is the caller's");
  check(o.option == 0, "what the library does not know is %g", o.option);
  o.known.rank = 7;
  check(lr_options_check(&to, &o.known, &error) == LRGD_OK, "%s", error.text);
  check_int(to.rank, 7, "what the library knows");
  check_int(to.struct_size, sizeof to, "the size is this library's");
  check(lrgd_options_set(&o.known, "rank", "3", NULL) == LRGD_OK, "set");
  o.option = 1;
  check(lr_options_check(&to, &o.known, &error) == LRGD_ERR_INVALID &&
            strstr(error.text, "beyond") && strstr(error.text, "options"),
        "%s", error.text);
}

TEST("initialising a shorter struct writes nothing behind it")
{
  lrgd_options o, before;
  size_t cut = offsetof(lrgd_options, progress);
  memset(&o, 0x5a, sizeof o);
  before = o;
  lrgd_options_init(&o, cut);
  check_int(o.struct_size, cut, "the size is the caller's");
  check_int(o.probes, lrgd_options_default().probes, "a default");
  check(memcmp((char *)&o + cut, (char *)&before + cut, sizeof o - cut) == 0,
        "nothing behind was touched");
}

TEST("a struct_size of nonsense is refused")
{
  static const size_t sizes[] = {0, 1, 7, (size_t)1 << 20, SIZE_MAX};
  for (size_t i = 0; i < 5; i++) {
    lrgd_options o = lrgd_options_default();
    o.struct_size = sizes[i];
    check(checked(&o, NULL) == LRGD_ERR_INVALID, "struct_size %zu", sizes[i]);
  }
}

TEST("NULL names, texts and options are refused")
{
  lrgd_options o = lrgd_options_default();
  char text[8];
  check(lrgd_options_set(NULL, "rank", "1", NULL) == LRGD_ERR_INVALID, "set 1");
  check(lrgd_options_set(&o, NULL, "1", NULL) == LRGD_ERR_INVALID, "set 2");
  check(lrgd_options_set(&o, "rank", NULL, NULL) == LRGD_ERR_INVALID, "set 3");
  check(lrgd_options_get(NULL, "rank", text, 8) == LRGD_ERR_INVALID, "get 1");
  check(lrgd_options_get(&o, NULL, text, 8) == LRGD_ERR_INVALID, "get 2");
  check(lrgd_options_get(&o, "rank", NULL, 8) == LRGD_ERR_INVALID, "get 3");
}

TEST("statuses, outcomes, kinds and purposes have a text, and no number more")
{
  for (int i = LRGD_OK; i <= LRGD_ERR_LOCKED; i++)
    check(*lrgd_status_text((lrgd_status)i), "status %d", i);
  for (int i = LRGD_OUTCOME_CONVERGED; i <= LRGD_OUTCOME_FAILED; i++)
    check(*lrgd_outcome_text((lrgd_outcome)i), "outcome %d", i);
  check_text(lrgd_status_text((lrgd_status)999), "unknown status", "999");
  check_text(lrgd_outcome_text((lrgd_outcome)999), "unknown outcome", "999");
  check_text(lrgd_kind_text((lrgd_kind)999), "unknown kind", "999");
  check_text(lrgd_purpose_text((lrgd_purpose)999), "unknown purpose", "999");
}

TEST("options are known by the spelling of flags, and slips are told")
{
  lrgd_options o = lrgd_options_default();
  lrgd_error error = {.text = ""};
  check(lrgd_options_set(&o, "--max-evals", "7", &error) == LRGD_OK, "%s",
        error.text);
  check_int(o.max_evals, 7, "as a flag");
  check(lrgd_options_set(&o, "stop-decrease", "0.5", &error) == LRGD_OK, "%s",
        error.text);
  check(o.stop_decrease == 0.5, "without dashes before it");
  check(lrgd_options_set(&o, "max_eval", "7", &error) == LRGD_ERR_INVALID,
        "a slip");
  check_text(error.text,
             "there is no option 'max_eval'; did you mean 'max_evals'?",
             "near");
  check(lrgd_options_set(&o, "--tolx", "7", &error) == LRGD_ERR_INVALID,
        "a letter too many");
  check_text(error.text, "there is no option 'tolx'; did you mean 'tol'?",
             "near");
  check(lrgd_options_set(&o, "colour", "red", &error) == LRGD_ERR_INVALID,
        "none like it");
  check_text(error.text, "there is no option 'colour'", "far");
}
