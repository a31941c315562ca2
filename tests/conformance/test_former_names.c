/* Programs that were written with former names of the public interface. */
#include <lrgd/deprecated.h>

#include <lrgd/analysis.h>

#include "check.h"

static double sphere(size_t p, const double *x, void *user)
{
  double sum = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) sum += x[i] * x[i];
  return sum;
}

TEST("a diagnosis asked for by its former names makes no trial runs")
{
  lrgd_problem f = lrgd_problem_default(3);
  lrgd_study_options want = lrgd_study_options_default();
  lrgd_study *study = NULL;
  const double start[] = {1, 2, 3};
  f.value = sphere;
  check_int(want.rehearse, 1, "trial runs are the default");
  want.rehearse = 0;
  check_int(lrgd_study_cost(&f, NULL, &want).rehearsing, 0, "none planned");
  check_int(lrgd_study_create(&study, &f, NULL, &want, start, NULL), LRGD_OK,
            "created");
  check(lrgd_study_get(study)->evaluations > 0, "it evaluated f");
  lrgd_study_destroy(&study);
}

TEST("the theorems take their constants by the former names")
{
  lrgd_premises of = {.p = 10, .r = 1, .L = 1, .mu = 1, .Delta0 = 1};
  of.epsilon = 0.1;
  of.sigma_r = of.least_sample = 1;
  lrgd_theorem_cell cell = {
      .premises = of, .promise = lrgd_theorem_promise(LRGD_THEOREM_3_1, &of)};
  check(cell.promise.holds && cell.promise.bound > 10, "more than p r calls");
  check_int(LRGD_METHOD_KRYLOV, LRGD_METHOD_QUASI_NEWTON, "the method");
}
