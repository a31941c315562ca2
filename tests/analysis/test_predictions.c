/* What diagnose foretells is what runs pay: a number within a factor of two, a
 * floor that is one, or "not known"; and low_rank is what the verdict says. */
#include "foretold.h"

#include "check.h"

typedef struct tally {
  int numbers, floors, unknown, told; /* told: of functions, for descent */
} tally;

/* "Do not use" is the beginning of every verdict against it. */
static bool advises(const lrgd_diagnosis_result *found)
{
  return strncmp(found->verdict, "Low-rank:", 9) == 0;
}

static bool within_two(double told, double paid)
{
  return told <= 2 * paid && paid <= 2 * told;
}

/* One method: pays for it as far as it takes to see. */
static void settle(const foretold *f, int i, const lrgd_diagnosis_result *found,
                   lrgd_predicted m, tally *sum)
{
  double told = found->predicted_evaluations[m];
  double calls = found->predicted_calls[m];
  double least = found->evaluations_floor[m];
  bool number = !isnan(told), floor = !number && !isnan(least);
  sum->numbers += number;
  sum->floors += floor;
  sum->unknown += !number && !floor;
  if (m == LRGD_PREDICTED_GD) sum->told += number || floor;
  check(number == (found->predicted_why[m][0] == '\0'), "%d, %s: why: %s", i,
        lrgd_predicted_text(m), found->predicted_why[m]);
  if (!number && !floor) return;
  lrgd_result r = foretold_pay(f, m, found->recommended_rank,
                               number ? 2.3 * told + 200 : 1.05 * least + 100);
  double paid = (double)lrgd_counts_evaluations(&r.counts);
  double called = (double)lrgd_counts_oracle_calls(&r.counts);
  bool cut = r.outcome == LRGD_OUTCOME_BUDGET;
  if (number)
    check(!cut && within_two(told, paid) && within_two(calls, called),
          "function %d, %s: %g evaluations and %g calls told, %s%g and %g paid",
          i, lrgd_predicted_text(m), told, calls, cut ? "more than " : "", paid,
          called);
  else
    check(cut || (paid >= least && called >= found->calls_floor[m]),
          "function %d, %s: at least %g told, %g paid", i,
          lrgd_predicted_text(m), least, paid);
}

/* Diagnoses one function, and pays for what it tells. */
static void try_function(const foretold *f, int i, tally *sum)
{
  lrgd_diagnosis *study;
  lrgd_error error = {.text = ""};
  if (!check(lrgd_diagnosis_create(&study, &f->problem, NULL, NULL, f->start,
                                   &error) == LRGD_OK,
             "function %d: %s", i, error.text))
    return;
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  check((found->low_rank != 0) == advises(found), "function %d: %s", i,
        found->verdict);
  for (int m = 0; m < LRGD_PREDICTED_COUNT; m++)
    settle(f, i, found, (lrgd_predicted)m, sum);
  lrgd_diagnosis_destroy(&study);
}

static tally tell_and_pay(int set, int from, int step)
{
  tally sum = {0};
  foretold *f = malloc(sizeof *f);
  for (int i = from; f && i < FORETOLD_SET; i += step) {
    foretold_make(f, set, i);
    try_function(f, i, &sum);
    foretold_free(f);
  }
  free(f);
  printf("  set %d: %d numbers, %d floors, %d not known\n", set, sum.numbers,
         sum.floors, sum.unknown);
  return sum;
}

#ifdef LRGD_SOAK
enum { STEP = 1 };
#else
enum { STEP = 3 };
#endif

TEST(
    "on functions not used for tuning predictions are within a factor of "
    "two, a lower bound or unknown")
{
  tally sum = tell_and_pay(2, 0, STEP);
  int all = sum.numbers + sum.floors + sum.unknown;
  check(10 * (sum.numbers + sum.floors) >= 7 * all,
        "%d of %d have a number or a floor", sum.numbers + sum.floors, all);
  check(10 * sum.told >= 7 * (all / LRGD_PREDICTED_COUNT),
        "descent has one on %d functions", sum.told);
}

TEST("predicted costs hold on the functions that the rules were tuned on")
{
  tally sum = tell_and_pay(1, 0, STEP);
  check(2 * sum.numbers > sum.floors + sum.unknown, "most are numbers");
}

/* kappa log(e^(t + 1) + e^-t), t = a'(x / size - m), with sizes from 0.01 to
 * 100: A holds a / size, b[0] is a'm. */
static double along_one(size_t p, const double *x, void *user)
{
  const foretold *f = user;
  double t = -f->b[0];
  for (size_t j = 0; j < p; j++) t += f->A[j] * x[j];
  double most = fmax(t + 1, -t);
  return f->kappa * (most + log(exp(t + 1 - most) + exp(-t - most)));
}

static void make_sized(foretold *f, int i)
{
  memset(f, 0, sizeof *f);
  f->state = (uint64_t)(7700 + i);
  f->p = 44 + (size_t)(20 * foretold_uniform(f));
  f->A = calloc(f->p, sizeof *f->A);
  f->b = calloc(1, sizeof *f->b);
  f->kappa = foretold_log(f, 1e-3, 1e4);
  for (size_t j = 0; j < f->p; j++) {
    double size = foretold_log(f, 0.01, 100), m = foretold_normal(f);
    double a = foretold_normal(f) / sqrt((double)f->p);
    f->A[j] = a / size;
    f->b[0] += a * m;
    f->start[j] = size * (m + foretold_normal(f));
  }
  f->problem = lrgd_problem_default(f->p);
  f->problem.value = along_one;
  f->problem.user = f;
}

TEST(
    "trial runs in few directions use difference steps that suit large "
    "inputs")
{
  tally sum = {0};
  foretold *f = malloc(sizeof *f);
  for (int i = 0; f && i < 24; i++) {
    make_sized(f, i);
    try_function(f, i, &sum);
    foretold_free(f);
  }
  free(f);
  /* where rounding decides, nothing is told; auto is always tried on f */
  check(sum.numbers + sum.floors >= 24, "%d are told",
        sum.numbers + sum.floors);
}

/* w_1 log(1 + t_1^2) + w_2 log(1 + t_2^2) + 10 u, where t = A (x / size) - b
 * and sizes are from 1 to 10: A holds the rows over the sizes.  The curvature
 * is large beside the gradient that one-sided differences resolve. */
static double two_wells(size_t p, const double *x, void *user)
{
  const foretold *f = user;
  double sum = f->kappa;
  for (size_t i = 0; i < 2; i++) {
    double t = -f->b[i];
    for (size_t j = 0; j < p; j++) t += f->A[i * p + j] * x[j];
    sum += f->w[i] * log1p(t * t);
  }
  return sum;
}

static void make_wells(foretold *f, int i)
{
  memset(f, 0, sizeof *f);
  f->state = (uint64_t)(8800 + i);
  f->p = 44 + (size_t)(20 * foretold_uniform(f));
  f->A = calloc(2 * f->p, sizeof *f->A);
  f->b = calloc(2, sizeof *f->b);
  f->w = calloc(2, sizeof *f->w);
  f->kappa = 10 * foretold_normal(f);
  for (size_t k = 0; k < 2; k++) f->w[k] = foretold_log(f, 0.1, 2);
  for (size_t j = 0; j < f->p; j++) {
    double size = foretold_log(f, 1, 10), m = foretold_normal(f);
    for (size_t k = 0; k < 2; k++) {
      double a = foretold_normal(f) / sqrt((double)f->p);
      f->A[k * f->p + j] = a / size;
      f->b[k] += a * m;
    }
    f->start[j] = size * (m + foretold_normal(f));
  }
  f->problem = lrgd_problem_default(f->p);
  f->problem.value = two_wells;
  f->problem.user = f;
}

TEST(
    "no cost is predicted where a trial run takes other differences than "
    "a run on f")
{
  tally sum = {0};
  foretold *f = malloc(sizeof *f);
  for (int i = 0; f && i < 40; i++) {
    make_wells(f, i);
    try_function(f, i, &sum);
    foretold_free(f);
  }
  free(f);
  check(sum.numbers + sum.floors >= 120, "%d are told",
        sum.numbers + sum.floors);
}
