/* Studies of values that were printed: with few digits, which round by a share
 * of f.  It costs some 60,000 cheap evaluations. */
#include <lrgd/analysis.h>

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The distance of four exponentials from what is wanted of them, as a program
 * prints it. */
typedef struct printed {
  int digits;   /* 0: told in full */
  double steep; /* 0.01: f stays near 1; 0.1: from 0.1 to 1,000 */
  int seed;     /* 7: the rank is hard to see, and takes 37 gradients */
} printed;

static double blend(size_t p, const double *x, void *user)
{
  static const double wanted[] = {1.5, 0.8, 2, 1.1};
  const printed *how = user;
  char text[40];
  double f = 0;
  for (int j = 0; j < 4; j++) {
    double sum = 0;
    for (size_t i = 0; i < p; i++)
      sum += how->steep * cos(0.37 * (double)i * (j + 1) + j) * x[i];
    f += (exp(sum) - wanted[j]) * (exp(sum) - wanted[j]);
  }
  if (how->digits == 0) return f;
  (void)snprintf(text, sizeof text, "%.*g", how->digits, f);
  return strtod(text, NULL);
}

static void check_printed(const lrgd_diagnosis *study, printed how)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  const double *calls = found->predicted_calls;
  int n = how.digits;
  double missed = found->eta[3].median, tolerance = found->tolerance;
  check_int(found->exact_rank, 4, "%d digits: %s", n, found->verdict);
  check((found->noise > 0) == (n > 0), "%d digits: noise %g", n, found->noise);
  /* what is held to be error covers what is, and not much more */
  check(missed < tolerance && missed > tolerance / 100,
        "%d digits, %g: %g is missed, tolerance %g", n, how.steep, missed,
        tolerance);
  check(calls[LRGD_PREDICTED_AUTO] < 400, "%d digits: auto %g", n,
        calls[LRGD_PREDICTED_AUTO]);
  double lrgd = calls[LRGD_PREDICTED_LRGD]; /* or at least: */
  if (isnan(lrgd)) lrgd = found->calls_floor[LRGD_PREDICTED_LRGD];
  check(lrgd > 0 && lrgd < 2000, "%d digits: lrgd %g %s", n, lrgd,
        found->predicted_why[LRGD_PREDICTED_LRGD]);
  if (how.steep > 0.01 || how.seed > 1) return;
  check_int(found->samples, 10, "%d digits: 2 r + 2 gradients", n);
  check(found->evaluations <= 20 * 201 + 100 * 13 + 100,
        "%d digits: %g evaluations", n, (double)found->evaluations);
}

/* Exact zeros off the four directions are what is to be seen there, no reason
 * for longer steps; and what is rounded grows with f. */
TEST("values printed with 8 to 12 digits show rank 4, and calls are predicted")
{
  const printed known[] = {
      {0,  0.01, 1},
      {12, 0.01, 1},
      {12, 0.1,  1},
      {10, 0.1,  1},
      {9,  0.01, 1},
      {9,  0.1,  1},
      {8,  0.01, 1},
      {8,  0.01, 7}
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    printed how = known[i];
    double x0[200] = {0};
    lrgd_problem f = lrgd_problem_default(200);
    lrgd_options options = lrgd_options_default();
    lrgd_diagnosis *study = NULL;
    options.seed = how.seed;
    f.value = blend;
    f.user = &how;
    check_int(lrgd_diagnosis_create(&study, &f, &options, NULL, x0, NULL),
              LRGD_OK, "%d digits", how.digits);
    require(study, "%d digits", how.digits);
    check_printed(study, how);
    lrgd_diagnosis_destroy(&study);
  }
}

/* How a program may print f: so many places or digits, or in single
 * precision. */
typedef enum form { PLACES_6, PLACES_3, DIGITS_4, SINGLE, FORMS } form;

static const char *const form_names[] = {"%.6f", "%.3f", "%.3e", "float"};

static double written(form how, double f)
{
  char text[64];
  switch (how) {
  case PLACES_6: (void)snprintf(text, sizeof text, "%.6f", f); break;
  case PLACES_3: (void)snprintf(text, sizeof text, "%.3f", f); break;
  case DIGITS_4: (void)snprintf(text, sizeof text, "%.3e", f); break;
  default: return (double)(float)f;
  }
  return strtod(text, NULL);
}

/* Rank 5, curved more along some directions than along others. */
static double wells(size_t p, const double *x, void *user)
{
  double f = 0;
  for (int j = 0; j < 5; j++) {
    double t = -0.4;
    for (size_t i = 0; i < p; i++)
      t += 0.24 * cos(0.37 * (double)i * (j + 1) + j) * x[i];
    f += 0.5 * (j + 1) * t * t - 0.3 * cos(2 * t);
  }
  return written(*(const form *)user, f);
}

/* Few digits want long steps, over which f bends; one-sided differences make
 * of that what looks like a sixth direction. */
TEST("values with fixed places, 4 digits or in single precision show rank 5")
{
  for (int how = 0; how < FORMS; how++)
    for (int seed = 1; seed <= 3; seed++) {
      form user = (form)how;
      double x0[60] = {0};
      lrgd_problem f = lrgd_problem_default(60);
      lrgd_options options = lrgd_options_default();
      lrgd_diagnosis *study = NULL;
      options.seed = seed;
      f.value = wells;
      f.user = &user;
      check_int(lrgd_diagnosis_create(&study, &f, &options, NULL, x0, NULL),
                LRGD_OK, "%s", form_names[how]);
      require(study, "%s", form_names[how]);
      const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
      check_int(found->recommended_rank, 5, "%s, seed %d: %s", form_names[how],
                seed, found->verdict);
      check(found->noise > 0, "%s: noise %g", form_names[how], found->noise);
      /* tried on 5 variables, where noise ends it elsewhere */
      check(found->exact_rank == 0 ||
                (isnan(found->predicted_calls[LRGD_PREDICTED_LBFGS]) &&
                 found->predicted_why[LRGD_PREDICTED_LBFGS][0] != '\0'),
            "%s: lbfgs %g", form_names[how],
            found->predicted_calls[LRGD_PREDICTED_LBFGS]);
      lrgd_diagnosis_destroy(&study);
    }
}
