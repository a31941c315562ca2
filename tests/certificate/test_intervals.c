/* Intervals of a fit: how often 95 % of them hold the truth. */
#include "base/random.h"
#include "check.h"

#include <lrgd/analysis.h>

enum { INPUTS = 4, TIMES = 40, SETS = 500, LATER = 3 };

/* Two decays, mildly nonlinear over the width of their uncertainty. */
static const double truth[INPUTS] = {2.5, 1.3, 1, 0.2};
static const double start[INPUTS] = {2, 1, 1.5, 0.3};
static const double error = 0.02; /* of a measurement */

static double curve(const double *x, double t)
{
  return x[0] * exp(-x[1] * t) + x[2] * exp(-x[3] * t);
}

typedef struct data {
  double y[TIMES];
  double weight;
} data;

static void misfits(size_t p, const double *x, size_t m, double *r, void *user)
{
  const data *d = user;
  (void)p;
  for (size_t i = 0; i < m; i++)
    r[i] = d->weight * (curve(x, 0.1 * (double)i) - d->y[i]);
}

static void measure(data *d, uint64_t set)
{
  lr_gaussian(20, set, 0, TIMES, d->y);
  for (size_t i = 0; i < TIMES; i++)
    d->y[i] = curve(truth, 0.1 * (double)i) + error * d->y[i];
}

typedef struct fitted {
  double x[INPUTS], U[INPUTS * INPUTS], J[TIMES * INPUTS];
  lrgd_fit fit;
} fitted;

/* Fits one set of data; what is borrowed stays in *to. */
static bool fit(fitted *to, data *d, const double *lower, const double *upper)
{
  lrgd_problem problem = lrgd_problem_default(INPUTS);
  lrgd_solver *solver;
  lrgd_result result;
  problem.user = d;
  problem.residuals = misfits, problem.residual_count = TIMES;
  problem.lower = lower, problem.upper = upper;
  if (lrgd_solver_create(&solver, &problem, NULL, NULL) != LRGD_OK)
    return false;
  bool good =
      lrgd_solver_solve(solver, start, to->x, &result, NULL) == LRGD_OK &&
      lrgd_solver_basis_size(solver) == INPUTS &&
      lrgd_solver_basis(solver, to->U) == LRGD_OK &&
      lrgd_solver_jacobian(solver, to->J) == LRGD_OK;
  to->fit = lrgd_fit_default();
  to->fit.dimension = to->fit.directions = INPUTS, to->fit.residuals = TIMES;
  to->fit.basis = to->U, to->fit.jacobian = to->J, to->fit.f = result.f;
  (void)lrgd_solver_destroy(&solver);
  return good;
}

/* Derivatives of the curve at t by central differences, along U. */
static void slopes_at(const fitted *at, double t, double *slopes)
{
  for (size_t j = 0; j < INPUTS; j++) {
    double right[INPUTS], left[INPUTS], h = 1e-5;
    for (size_t i = 0; i < INPUTS; i++) {
      right[i] = at->x[i] + h * at->U[i + j * INPUTS];
      left[i] = at->x[i] - h * at->U[i + j * INPUTS];
    }
    slopes[j] = (curve(right, t) - curve(left, t)) / (2 * h);
  }
}

/* Adds to covered, one for each input and each later time. */
static bool cover(data *d, int covered[INPUTS + LATER])
{
  fitted at;
  lrgd_uncertainty *u;
  double deviations[INPUTS];
  if (!fit(&at, d, NULL, NULL)) return false;
  if (lrgd_uncertainty_create(&u, &at.fit, NULL) != LRGD_OK) return false;
  lrgd_uncertainty_deviations(u, deviations);
  for (size_t i = 0; i < INPUTS; i++)
    covered[i] += fabs(at.x[i] - truth[i]) <= 1.96 * deviations[i];
  for (size_t i = 0; i < LATER; i++) {
    double slopes[INPUTS], after = NAN, t = 4 + (double)i;
    slopes_at(&at, t, slopes);
    (void)!lrgd_uncertainty_predict(u, 1, slopes, NULL, NULL, &after);
    covered[INPUTS + i] +=
        fabs(curve(at.x, t) - curve(truth, t)) <= 1.96 * after;
  }
  lrgd_uncertainty_destroy(&u);
  return true;
}

TEST("95 % intervals of inputs and predictions hold the truth in 95 +- 3 %")
{
  int covered[INPUTS + LATER] = {0}, fits = 0;
  for (uint64_t set = 0; set < SETS; set++) {
    data d = {.weight = set % 2 == 0 ? 1 / error : 1};
    measure(&d, set);
    fits += cover(&d, covered);
  }
  check_int(fits, SETS, "every fit has a Jacobian in all directions");
  for (int i = 0; i < INPUTS + LATER; i++)
    check(100 * covered[i] >= 92 * SETS && 100 * covered[i] <= 98 * SETS,
          "number %d: %.1f %% of %d", i, 100.0 * covered[i] / SETS, SETS);
}

TEST("with bounds of unequal width the Jacobian is by the inputs as given")
{
  const double lower[] = {0, 0, 0, 0}, upper[] = {1000, 30, 7, 2};
  data d = {.weight = 1};
  fitted at;
  double full[TIMES * INPUTS] = {0}, most = 0;
  measure(&d, 7);
  require(fit(&at, &d, lower, upper), "a fit within bounds");
  for (size_t j = 0; j < INPUTS; j++)
    for (size_t l = 0; l < INPUTS; l++) {
      double product = 0;
      for (size_t i = 0; i < INPUTS; i++)
        product += at.U[i + j * INPUTS] * at.U[i + l * INPUTS];
      check_near(product, j == l ? 1 : 0, 1e-13, "U'U at %zu, %zu", j, l);
      for (size_t i = 0; i < TIMES; i++)
        full[i + l * TIMES] += at.J[i + j * TIMES] * at.U[l + j * INPUTS];
    }
  for (size_t i = 0; i < TIMES; i++) {
    double t = 0.1 * (double)i, by_x1 = exp(-at.x[1] * t);
    most = fmax(most, fabs(full[i] - by_x1));
    most = fmax(most, fabs(full[i + TIMES] + at.x[0] * t * by_x1));
  }
  check(most < 0.05, "wrong by %g at most, of 1", most);
}
