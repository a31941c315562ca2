/* Every allocation of a study fails in turn: a status and a sentence, nothing
 * leaked, nothing broken. */
#include <lrgd/analysis.h>

#include "check.h"

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

static long left = -1; /* allocations that go well; < 0: all */

static bool fails(void)
{
  if (left < 0) return false;
  if (left == 0) return true;
  left--;
  return false;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : __real_calloc(count, size);
}

enum { P = 20 };

static double two_ridges(size_t p, const double *x, void *user)
{
  double s = 0, t = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    s += x[i];
    t += x[i] * (double)i;
  }
  return s * s + 0.1 * t * t + s;
}

/* Does everything with n allocations; whether that was enough. */
static bool with(long n, const lrgd_problem *f)
{
  const double x[P] = {0};
  lrgd_diagnosis *study = NULL;
  lrgd_theorem_cell cell;
  lrgd_local local;
  lrgd_composite *sigma = NULL;
  lrgd_logarithms logs;
  lrgd_error error = {LRGD_OK, ""};
  left = n;
  lrgd_status status = lrgd_diagnosis_create(&study, f, NULL, NULL, x, &error);
  if (status == LRGD_OK) status = lrgd_diagnosis_logarithms(study, &logs);
  if (status == LRGD_OK)
    status = lrgd_diagnosis_ridge(study, 1, &sigma, &error);
  if (status == LRGD_OK)
    status = lrgd_theorem_run(&cell, LRGD_THEOREM_3_2, P, 5, 1, &error);
  if (status == LRGD_OK)
    status = lrgd_local_diagnosis(&local, f, NULL, x, 3, &error);
  if (status == LRGD_OK) lrgd_local_free(&local);
  lrgd_composite_destroy(&sigma);
  lrgd_diagnosis_destroy(&study);
  bool enough = left != 0;
  left = -1;
  if (status != LRGD_OK)
    check_int(status, LRGD_ERR_NOMEM, "%ld: %s", n, error.text);
  check(enough || status == LRGD_ERR_NOMEM || n > 0, "%ld: told", n);
  return enough && status == LRGD_OK;
}

TEST("every allocation may fail")
{
  double lower[P], upper[P];
  lrgd_problem f = lrgd_problem_default(P);
  f.value = two_ridges;
  for (int i = 0; i < P; i++) {
    lower[i] = -1;
    upper[i] = 2;
  }
  for (int boxed = 0; boxed < 2; boxed++) {
    f.lower = boxed ? lower : NULL;
    f.upper = boxed ? upper : NULL;
    long n = 0;
    while (n < 5000 && !with(n, &f)) n++;
    check(n > 100 && n < 5000, "%ld allocations", n);
  }
}
