/* What known evaluations save: twelve problems, and runs of another seed or
 * another method that know the first half of a run to the same target. */
#include <problems.h>

#include "witness.h"

static lr_problem *made(const char *line)
{
  char words[256], *rest = NULL, *word;
  lr_setting settings[12];
  size_t count = 0;
  lr_problem *problem = NULL;
  lrgd_error error = {.text = ""};
  (void)snprintf(words, sizeof words, "%s", line);
  const char *kind = strtok_r(words, " ", &rest);
  while (count < 12 && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  if (lr_problem_create(&problem, kind, settings, count, &error) != LRGD_OK) {
    fprintf(stderr, "%s: %s\n", line, error.text);
    abort();
  }
  return problem;
}

static const char *const lines[] = {
    "quadratic p=60 rank=4 kappa=50",
    "quadratic p=40 rank=6 tail=1e-3",
    "rosenbrock p=50 n=4",
    "ridge p=80 rank=5",
    "powell p=40 n=4",
    "log-sum-exp p=60 rank=4",
    "logistic p=50 rank=4 lambda=0.01",
    "beale p=60",
    "heat-rod", /* from here on in a box */
    "predator",
    "exponentials",
    "hiv",
};
enum { LINES = sizeof lines / sizeof *lines, SEEDS = CHECK_RUNS(3) };

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n)
{
  qsort(x, (size_t)n, sizeof *x, by_size);
  return 0.5 * (x[n / 2] + x[(n - 1) / 2]);
}

/* Values until the target, with some of the evaluations of a run before known;
 * 0 where it is not reached.  around: half the side of a box around the start;
 * 0: the problem's own bounds.  w: forgotten by the caller. */
static size_t price_within(witness *w, const lr_problem *problem, int method,
                           double target, int64_t seed, told what,
                           double around)
{
  const lrgd_problem *f = lr_problem_callbacks(problem);
  double *x = copied(lr_problem_start(problem), f->dimension);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  lrgd_problem seen = watch(w, f, ASK_VALUE);
  double *lower = NULL, *upper = NULL;
  if (around > 0) {
    seen.lower = lower = copied(x, f->dimension);
    seen.upper = upper = copied(x, f->dimension);
    for (size_t i = 0; i < f->dimension; i++) {
      lower[i] -= around;
      upper[i] += around;
    }
  }
  w->target = target;
  o.method = method;
  if (method == LRGD_METHOD_LRGD) o.rank = 6;
  o.seed = seed;
  o.target = target;
  o.max_evals = 6000;
  check(run(&seen, &o, what, x, &result, &error) == LRGD_OK, "%s", error.text);
  free(x);
  free(lower);
  free(upper);
  return w->reached;
}

/* The lowest value that a long run finds, where the minimum is not known.  The
 * run is made once for each line. */
static double least(const lr_problem *problem, const char *line)
{
  static double found[LINES];
  static bool known[LINES];
  double min = lr_problem_minimum(problem);
  int l = 0;
  witness w;
  if (!isnan(min)) return min;
  while (lines[l] != line) l++;
  if (known[l]) return found[l];
  (void)price_within(&w, problem, LRGD_METHOD_AUTO, -1e300, 5, (told){0}, 0);
  found[l] = lowest(&w, w.count);
  known[l] = true;
  forget(&w);
  return found[l];
}

/* A method, and the one of the run before it. */
typedef struct pair {
  const char *name;
  int before, method;
  double around; /* half the side of a box of the run before; 0: none */
  double within; /* the same of the runs after it */
} pair;

/* Evaluations to the target, of two runs. */
typedef struct prices {
  double fresh, learned;
} prices;

/* A run; one with another seed that knows its first half, or half of all that
 * it asked where it never came to the target; and one with that seed that knows
 * nothing. */
static prices compare(const pair *two, const lr_problem *problem, double target,
                      int64_t seed)
{
  witness first, w;
  size_t before = price_within(&first, problem, two->before, target, seed,
                               (told){0}, two->around);
  size_t fresh = price_within(&w, problem, two->method, target, seed + 100,
                              (told){0}, two->within);
  forget(&w);
  told half = {(before > 0 ? before : first.count) / 2, first.asked, 0};
  size_t learned = price_within(&w, problem, two->method, target, seed + 100,
                                half, two->within);
  check(fresh > 0 && learned > 0, "%s: the target is reached", two->name);
  forget(&w);
  forget(&first);
  return (prices){(double)fresh, (double)learned};
}

/* The share of a fresh run's evaluations that the learned one takes, by the
 * medians over seeds. */
static double share(const pair *two, const char *line)
{
  lr_problem *problem = made(line);
  const lrgd_problem *f = lr_problem_callbacks(problem);
  double min = least(problem, line), fresh[SEEDS], learned[SEEDS];
  double from = f->value(f->dimension, lr_problem_start(problem), f->user);
  for (int i = 0; i < SEEDS; i++) {
    prices p = compare(two, problem, min + 1e-4 * (from - min), 1 + i);
    fresh[i] = p.fresh;
    learned[i] = p.learned;
  }
  double a = median(fresh, SEEDS), b = median(learned, SEEDS);
  printf("\n  %-33s %5.0f fresh, %5.0f learned: %.2f", line, a, b, b / a);
  lr_problem_destroy(&problem);
  return b / a;
}

/* The largest share of a fresh run.  Of powell's four directions in 40 inputs a
 * fresh embedding needs half of what quasi-Newton needs, and other methods
 * leave no model for it: a run that goes on with theirs, though shorter than
 * one of theirs, is longer than that. */
static double largest(const pair *two, const char *line)
{
  bool others = two->method == LRGD_METHOD_AUTO && two->before != two->method;
  return others && strncmp(line, "powell", 6) == 0 ? 1.6 : 1.1;
}

/* On no problem more than a tenth above a fresh run; at most `most` of it by
 * the median over problems. */
static void check_savings(pair two, double most)
{
  enum { TRIED = CHECK_RUNS(LINES) };
  double shares[TRIED];
  printf("\n  %s", two.name);
  for (int i = 0; i < TRIED; i++) {
    shares[i] = share(&two, lines[i]);
    /* one seed, under sanitizers, is no median */
    check(CHECK_SANITIZED || shares[i] <= largest(&two, lines[i]),
          "%s, %s: %.2f of a fresh run", two.name, lines[i], shares[i]);
  }
  double middle = median(shares, TRIED);
  printf("\n  median %.2f, largest %.2f\n", middle, shares[TRIED - 1]);
  check(CHECK_SANITIZED || middle <= most, "%s: the median is %.2f", two.name,
        middle);
}

TEST("half of a run saves much of one with another seed")
{
  check_savings(
      (pair){"auto after auto", LRGD_METHOD_AUTO, LRGD_METHOD_AUTO, 0, 0},
      0.62);
}

TEST("half of a run of quasi-Newton saves much of one with another seed")
{
  check_savings((pair){"quasi-newton after quasi-newton",
                       LRGD_METHOD_QUASI_NEWTON, LRGD_METHOD_QUASI_NEWTON, 0,
                       0},
                0.55);
}

TEST("half of a run of quasi-Newton saves much of one of auto")
{
  check_savings((pair){"auto after quasi-newton", LRGD_METHOD_QUASI_NEWTON,
                       LRGD_METHOD_AUTO, 0, 0},
                0.62);
}

TEST("half of a run of auto saves much of one of quasi-Newton")
{
  check_savings((pair){"quasi-newton after auto", LRGD_METHOD_AUTO,
                       LRGD_METHOD_QUASI_NEWTON, 0, 0},
                0.62);
}

TEST(
    "half of a run of Algorithm 3 saves much of one of auto and of "
    "quasi-Newton")
{
  check_savings((pair){"quasi-newton after adaptive", LRGD_METHOD_ADAPTIVE,
                       LRGD_METHOD_QUASI_NEWTON, 0, 0},
                0.62);
  check_savings((pair){"auto after adaptive", LRGD_METHOD_ADAPTIVE,
                       LRGD_METHOD_AUTO, 0, 0},
                0.62);
}

/* A fresh embedding needs little more than one gradient: quasi-Newton, which
 * made what is known, is no way to go on with. */
TEST(
    "known evaluations of quasi-Newton do not lengthen a run of auto "
    "where gradients are expensive")
{
  lr_problem *problem = made("rosenbrock p=105 n=2");
  const lrgd_problem *f = lr_problem_callbacks(problem);
  const pair both = {"auto after quasi-newton", LRGD_METHOD_QUASI_NEWTON,
                     LRGD_METHOD_AUTO, 0, 0};
  double target =
      1e-4 * f->value(f->dimension, lr_problem_start(problem), f->user);
  double fresh[SEEDS], learned[SEEDS];
  for (int i = 0; i < SEEDS; i++) {
    prices p = compare(&both, problem, target, 1 + i);
    fresh[i] = p.fresh;
    learned[i] = p.learned;
  }
  double a = median(fresh, SEEDS), b = median(learned, SEEDS);
  check(CHECK_SANITIZED || b <= 1.1 * a, "%.0f of %.0f", b, a);
  lr_problem_destroy(&problem);
}

/* A short embedding, and then quasi-Newton without the interpolation with which
 * it opens in a box where it is not preceded by one: both go on with that. */
TEST(
    "a run continues from one whose embedding was slower than "
    "quasi-Newton in a box")
{
  const pair both[] = {
      {"auto after auto",         LRGD_METHOD_AUTO, LRGD_METHOD_AUTO,         0, 0},
      {"quasi-newton after auto", LRGD_METHOD_AUTO, LRGD_METHOD_QUASI_NEWTON, 0,
       0                                                                          }
  };
  lr_problem *problem = made("elliptic cells=6");
  const lrgd_problem *f = lr_problem_callbacks(problem);
  double from = f->value(f->dimension, lr_problem_start(problem), f->user);
  double min = 1.56455e-3; /* found by runs of 6,000 evaluations */
  for (int i = 0; i < CHECK_RUNS(2); i++) {
    prices p = compare(&both[i], problem, min + 1e-4 * (from - min), 1);
    check(p.learned <= 0.7 * p.fresh, "%s: %.0f of %.0f", both[i].name,
          p.learned, p.fresh);
  }
  lr_problem_destroy(&problem);
}

/* In a box an embedding works in mapped coordinates, along which f curves in
 * all inputs: that it trailed there is no reason to begin without one. */
TEST(
    "known evaluations of a run in a box do not lengthen one without a "
    "box")
{
  const pair both = {"auto after auto in a box", LRGD_METHOD_AUTO,
                     LRGD_METHOD_AUTO, 2, 0};
  const char *const low_rank[] = {"quadratic p=61 rank=6 kappa=1000",
                                  "rosenbrock p=105 n=2", "powell p=104 n=8"};
  for (int i = 0; i < CHECK_RUNS(3); i++) {
    double left = share(&both, low_rank[i]);
    check(CHECK_SANITIZED || left <= 1, "%.2f of a fresh run", left);
  }
}

/* Bounds far from all that was known change nothing about f, and little about
 * the coordinates that an embedding works in. */
TEST("half of a run without bounds serves one within wide bounds")
{
  const pair both = {"auto within bounds after auto", LRGD_METHOD_AUTO,
                     LRGD_METHOD_AUTO, 0, 1000};
  const char *const low_rank[] = {"quadratic p=61 rank=6 kappa=1000",
                                  "log-sum-exp p=107 rank=4", lines[0]};
  for (int i = 0; i < CHECK_RUNS(3); i++) {
    double left = share(&both, low_rank[i]);
    check(CHECK_SANITIZED || left <= 1.1, "%.2f of a fresh run", left);
  }
}

/* Half of a run of Algorithm 1 are gradients at sample points, and where its
 * subspace is no way to the target a descent to a point much lower. */
TEST("half of a run of Algorithm 1 saves a third of one of auto")
{
  check_savings(
      (pair){"auto after lrgd", LRGD_METHOD_LRGD, LRGD_METHOD_AUTO, 0, 0}, 0.7);
}

TEST("a run continues from the end of a run of Algorithm 1 in a box")
{
  const pair both = {"auto after lrgd", LRGD_METHOD_LRGD, LRGD_METHOD_AUTO, 0,
                     0};
  double left = share(&both, lines[LINES - 1]);
  check(CHECK_SANITIZED || left <= 0.9, "%.2f of a fresh run", left);
}
