/* One row per option: default, range, words.  Everything that lists options
 * (flags, journal, Python, documentation) reads these rows. */
#include "base/options.h"

#include "base/choices.h"
#include "base/finite.h"
#include "base/near_name.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>

/* The range of a number; tests are written so that NaN fails them. */
typedef enum range {
  ANY,
  POSITIVE,
  NOT_NEGATIVE,
  ONE_UP,
  OPEN_UNIT,
  ZERO_OR_ONE,
  WIDTH
} range;

#define TEXT_ANY "any number"
#define TEXT_POSITIVE "> 0"
#define TEXT_NOT_NEGATIVE ">= 0"
#define TEXT_ONE_UP ">= 1"
#define TEXT_OPEN_UNIT "between 0 and 1"
#define TEXT_ZERO_OR_ONE "0 or 1"
#define TEXT_WIDTH "from 1 to 65536"

typedef struct row {
  lrgd_option shown;
  size_t offset;
  range range;
  double fallback; /* integers too; UNSET where the option may be unset */
} row;

#define UNSET LRGD_UNSET_REAL /* in a row, for integers too */
#define COMMON(name, type, help, choices, unset, range, fallback, may_change)  \
  {                                                                            \
    {sizeof(lrgd_option), #name, type, TEXT_##range, help, choices, unset,     \
     may_change},                                                              \
        offsetof(lrgd_options, name), range, fallback                          \
  }
#define INTEGER(name, range, fallback, unset, help)                            \
  COMMON(name, LRGD_OPTION_TYPE_INTEGER, help, NULL, unset, range, fallback, 0)
#define REAL(name, range, fallback, unset, help)                               \
  COMMON(name, LRGD_OPTION_TYPE_REAL, help, NULL, unset, range, fallback, 0)
#define CHOICE(name, fallback, choices, help)                                  \
  COMMON(name, LRGD_OPTION_TYPE_CHOICE, help, choices, NULL, ANY, fallback, 0)
#define SWITCH(name, help)                                                     \
  COMMON(name, LRGD_OPTION_TYPE_SWITCH, help, NULL, NULL, ZERO_OR_ONE, 0, 0)
/* Rows of options that may end a run but never change its path. */
#define ENDING_INTEGER(name, range, fallback, unset, help)                     \
  COMMON(name, LRGD_OPTION_TYPE_INTEGER, help, NULL, unset, range, fallback, 1)
#define ENDING_REAL(name, range, fallback, unset, help)                        \
  COMMON(name, LRGD_OPTION_TYPE_REAL, help, NULL, unset, range, fallback, 1)

/* Joins the words of a list of choices.h with '|'. */
#define OR_WORD(enumerator, word, symbol) "|" word

/* clang-format off */
static const row rows[] = {
  CHOICE(method, LRGD_METHOD_AUTO, &("" LR_METHODS(OR_WORD))[1],
    "auto needs to be told nothing; gd; Algorithms 1, 2, 3 of the paper"),
  INTEGER(rank, ONE_UP, UNSET, "auto",
    "number of directions r to work in"),
  CHOICE(step, LRGD_STEP_AUTO, "auto" LR_STEPS(OR_WORD),
    "how to move inside the subspace; auto: fixed where alpha is given (the "
    "methods auto and quasi-newton move their own way)"),
  REAL(alpha, POSITIVE, UNSET, "auto",
    "length of a fixed step, or the first one tried (not auto, quasi-newton)"),
  REAL(momentum, OPEN_UNIT, UNSET, "auto",
    "share of the last move kept: heavy-ball, nesterov, adam"),
  REAL(tol, POSITIVE, UNSET, "auto",
    "stop when |grad f| is at most this; auto: 1e-6 of the first measured"),
  REAL(epsilon, POSITIVE, UNSET, "none",
    "with mu: stop when |grad f| is at most sqrt(2 mu epsilon)"),
  REAL(mu, POSITIVE, UNSET, "none",
    "strong convexity of f, with epsilon"),
  ENDING_REAL(target, ANY, UNSET, "none",
    "stop when f is at most this"),
  ENDING_INTEGER(max_evals, NOT_NEGATIVE, UNSET, "none",
    "never ask for more evaluations than this"),
  ENDING_INTEGER(max_iterations, ONE_UP, 1000000, NULL,
    "end after so many iterations"),
  ENDING_REAL(max_seconds, POSITIVE, UNSET, "none",
    "end after so many seconds"),
  REAL(noise, NOT_NEGATIVE, 0, "estimate",
    "standard deviation of the noise in f"),
  CHOICE(differences, LRGD_DIFFERENCES_FORWARD, "forward|central",
    "how slopes are made of values"),
  CHOICE(identify, LRGD_IDENTIFY_SVD, "svd|qr|gram-schmidt",
    "how directions are made of sampled gradients"),
  REAL(oversample, ONE_UP, 1, NULL,
    "gradients sampled for each direction wanted"),
  REAL(sample_radius, POSITIVE, 0.1, NULL,
    "how far off sample points lie, in units of the scale of x"),
  REAL(rank_cut, OPEN_UNIT, 1e-10, NULL,
    "drop directions whose singular value is below this share of the first"),
  CHOICE(growth, LRGD_GROWTH_ONE, "one|double",
    "how adaptive enlarges its subspace"),
  INTEGER(probes, ONE_UP, 8, NULL,
    "slopes a certificate spends outside the subspace"),
  REAL(confidence, OPEN_UNIT, 0.95, NULL,
    "probability with which a certificate holds"),
  INTEGER(stall_iterations, ONE_UP, 100, NULL,
    "end after so many iterations without a decrease"),
  INTEGER(restarts, NOT_NEGATIVE, 0, NULL,
    "run again so often from points around the start, keep the best"),
  INTEGER(retries, NOT_NEGATIVE, 0, NULL,
    "ask again so often where an evaluation failed"),
  ENDING_INTEGER(max_failures, NOT_NEGATIVE, UNSET, "none",
    "give up after so many failed evaluations"),
  INTEGER(seed, NOT_NEGATIVE, 1, NULL,
    "seed of all random numbers"),
  ENDING_INTEGER(guard_callbacks, NOT_NEGATIVE, 0, NULL,
    "1: check that callbacks write only where they may"),
  REAL(stop_decrease, POSITIVE, UNSET, "none",
    "end when a step lowers f by less than this; in iterated and adaptive "
    "that ends a round, and the run when a round lowers f no more than that"),
  SWITCH(verbatim,
    "the paper's algorithms as they are written (lrgd, iterated, adaptive, gd): "
    "fixed steps alpha, no probes, no growth of the rank, no certificate"),
  CHOICE(loss, LRGD_LOSS_LINEAR, "linear|huber|soft_l1|cauchy|arctan",
    "what large residuals count: linear, their squares; the others less"),
  REAL(loss_scale, POSITIVE, 1, NULL,
    "residuals up to some this size count by their squares, whatever the loss"),
  INTEGER(width, WIDTH, 1, NULL,
    "evaluations that are asked for together, a round; the path depends on it. "
    "The command and Python begin with as many as there are jobs or ranks"),
  SWITCH(async,
    "with a width of 3 and more: do not wait for whole rounds; the path depends "
    "on the order of answers, which a journal keeps"),
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows };

size_t lrgd_option_count(void)
{
  return ROWS;
}

const lrgd_option *lrgd_option_at(size_t index)
{
  return index < ROWS ? &rows[index].shown : NULL;
}

static int64_t *integer_at(lrgd_options *o, const row *r)
{
  return (int64_t *)(void *)((char *)o + r->offset);
}

static double *real_at(lrgd_options *o, const row *r)
{
  return (double *)(void *)((char *)o + r->offset);
}

static void set_default(lrgd_options *o, const row *r)
{
  bool unset = r->fallback == LRGD_UNSET_REAL;
  if (r->shown.type == LRGD_OPTION_TYPE_REAL)
    *real_at(o, r) = r->fallback;
  else
    *integer_at(o, r) = unset ? LRGD_UNSET : (int64_t)r->fallback;
}

void lrgd_options_init(lrgd_options *options, size_t size)
{
  lrgd_options o = {.struct_size = sizeof o};
  for (size_t i = 0; i < ROWS; i++) set_default(&o, &rows[i]);
  lr_sized_give(options, size, &o, sizeof o);
}

void lrgd_problem_init(lrgd_problem *problem, size_t size, size_t dimension)
{
  lrgd_problem p = {.struct_size = sizeof p, .dimension = dimension};
  lr_sized_give(problem, size, &p, sizeof p);
}

lrgd_status lr_problem_take(lrgd_problem *to, const lrgd_problem *from,
                            lrgd_error *error)
{
  *to = (lrgd_problem){.struct_size = sizeof *to};
  if (!from) return lr_fail(error, LRGD_ERR_INVALID, "the problem is NULL");
  return lr_sized_take(to, sizeof *to, from, "problem", error)
             ? LRGD_OK
             : LRGD_ERR_INVALID;
}

static bool in_range(range r, double x)
{
  if (!lr_finite(x)) return false;
  switch (r) {
  case POSITIVE: return x > 0;
  case NOT_NEGATIVE: return x >= 0;
  case ONE_UP: return x >= 1;
  case OPEN_UNIT: return x > 0 && x < 1;
  case ZERO_OR_ONE: return x == 0 || x == 1;
  case WIDTH: return x >= 1 && x <= 65536;
  default: return true;
  }
}

/* The index of word in a list of choices, or -1. */
static int choice_index(const char *choices, const char *former)
{
  const char *word = lr_present_name(former);
  size_t n = strlen(word);
  int index = 0;
  for (const char *c = choices; c; index++) {
    const char *bar = strchr(c, '|');
    size_t length = bar ? (size_t)(bar - c) : strlen(c);
    if (length == n && memcmp(c, word, n) == 0) return index;
    c = bar ? bar + 1 : NULL;
  }
  return -1;
}

static int choice_count(const char *choices)
{
  int count = 1;
  for (const char *c = choices; *c; c++) count += *c == '|';
  return count;
}

static lrgd_status check_row(lrgd_options *o, const row *r, lrgd_error *error)
{
  const char *name = r->shown.name;
  bool real = r->shown.type == LRGD_OPTION_TYPE_REAL;
  int64_t n = real ? 0 : *integer_at(o, r);
  double x = real ? *real_at(o, r) : (double)n;
  if (r->shown.unset && (real ? !lr_given(x) : n == LRGD_UNSET)) return LRGD_OK;
  if (r->shown.type == LRGD_OPTION_TYPE_CHOICE) {
    if (n >= 0 && n < choice_count(r->shown.choices)) return LRGD_OK;
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%s is %" PRId64 "; it must be one of %s", name, n,
                   r->shown.choices);
  }
  if (in_range(r->range, x)) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID, "%s is %g; it must be %s", name, x,
                 r->shown.range);
}

lrgd_status lr_options_check(lrgd_options *to, const lrgd_options *from,
                             lrgd_error *error)
{
  *to = lrgd_options_default();
  if (from && !lr_sized_take(to, sizeof *to, from, "options", error))
    return LRGD_ERR_INVALID;
  for (size_t i = 0; i < ROWS; i++) {
    lrgd_status status = check_row(to, &rows[i], error);
    if (status != LRGD_OK) return status;
  }
  if (to->allocator && (!to->allocator->alloc || !to->allocator->free))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the allocator needs both alloc and free");
  return LRGD_OK;
}

static const row *find_row(const char *name)
{
  for (size_t i = 0; name && i < ROWS; i++)
    if (lr_same_name(rows[i].shown.name, name)) return &rows[i];
  return NULL;
}

/* Reports that there is no such option, and names a similar one whose name
 * differs in at most a third of its letters. */
static lrgd_status no_option(const char *name, lrgd_error *error)
{
  const char *near = NULL;
  if (!name) name = "(null)";
  name += strspn(name, "-");
  size_t nearest = strlen(name) / 3 + 1;
  for (size_t i = 0; i < ROWS; i++) {
    size_t away = lr_name_distance(name, rows[i].shown.name);
    if (away >= nearest) continue;
    nearest = away;
    near = rows[i].shown.name;
  }
  return lr_fail(error, LRGD_ERR_INVALID, "there is no option '%s'%s%s%s", name,
                 near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
}

/* Copies a struct that may be shorter or longer than ours.  False: it is no
 * lrgd_options, or is too short to contain the row's member. */
static bool copy_for(const lrgd_options *from, const row *r, lrgd_options *to)
{
  if (from->struct_size < r->offset + sizeof(double)) return false;
  *to = lrgd_options_default();
  return lr_sized_take(to, sizeof *to, from, "options", NULL);
}

/* Reads a whole number, which may be written as 1e3. */
static bool read_whole(const char *text, int64_t *n)
{
  double x;
  if (!lr_read_real(text, &x) || x != floor(x) || fabs(x) > 0x1p53)
    return false;
  *n = (int64_t)x;
  return true;
}

/* Reads text into the row's member without checking the range. */
static bool read_row(lrgd_options *o, const row *r, const char *text)
{
  bool real = r->shown.type == LRGD_OPTION_TYPE_REAL;
  if (r->shown.unset && strcmp(text, r->shown.unset) == 0) {
    if (real)
      *real_at(o, r) = LRGD_UNSET_REAL;
    else
      *integer_at(o, r) = LRGD_UNSET;
    return true;
  }
  if (real) return lr_read_real(text, real_at(o, r));
  if (r->shown.type != LRGD_OPTION_TYPE_CHOICE)
    return lr_read_integer(text, integer_at(o, r)) ||
           read_whole(text, integer_at(o, r));
  int index = choice_index(r->shown.choices, text);
  *integer_at(o, r) = index;
  return index >= 0;
}

lrgd_status lrgd_options_set(lrgd_options *options, const char *name,
                             const char *text, lrgd_error *error)
{
  const row *r = find_row(name);
  if (!r) return no_option(name, error);
  if (!options || !text)
    return lr_fail(error, LRGD_ERR_INVALID, "no options, or no text for %s",
                   name);
  lrgd_options changed;
  if (!copy_for(options, r, &changed))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "options.struct_size is %zu: it has no %s",
                   options->struct_size, name);
  if (!read_row(&changed, r, text))
    return lr_fail(error, LRGD_ERR_INVALID, "%s is '%.60s'; it must be %s%s%s",
                   name, text, r->shown.choices ? "one of " : "a number, ",
                   r->shown.choices ? r->shown.choices : r->shown.range,
                   r->shown.type == LRGD_OPTION_TYPE_INTEGER ? ", whole" : "");
  lrgd_status status = check_row(&changed, r, error);
  if (status == LRGD_OK)
    memcpy((char *)options + r->offset, (char *)&changed + r->offset,
           sizeof(double));
  return status;
}

lrgd_status lrgd_options_get(const lrgd_options *options, const char *name,
                             char *text, size_t size)
{
  const row *r = find_row(name);
  if (!options || !text || !r) return LRGD_ERR_INVALID;
  lrgd_options o;
  if (!copy_for(options, r, &o) || check_row(&o, r, NULL) != LRGD_OK)
    return LRGD_ERR_INVALID;
  bool real = r->shown.type == LRGD_OPTION_TYPE_REAL;
  int64_t n = real ? 0 : *integer_at(&o, r);
  bool unset = real ? !lr_given(*real_at(&o, r)) : n == LRGD_UNSET;
  int length;
  if (r->shown.unset && unset)
    length = snprintf(text, size, "%s", r->shown.unset);
  else if (real)
    length = lr_write_real(text, size, *real_at(&o, r));
  else if (r->shown.type != LRGD_OPTION_TYPE_CHOICE)
    length = snprintf(text, size, "%" PRId64, n);
  else {
    const char *word = r->shown.choices;
    for (int64_t i = 0; i < n; i++) word = strchr(word, '|') + 1;
    length = snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
  }
  return length >= 0 && (size_t)length < size ? LRGD_OK : LRGD_ERR_INVALID;
}
