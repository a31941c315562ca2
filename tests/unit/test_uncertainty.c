/* The linear uncertainty of a fit against closed forms. */
#include "check.h"

#include <lrgd/analysis.h>

static lrgd_uncertainty *make(lrgd_fit fit)
{
  lrgd_uncertainty *u;
  lrgd_error error = {.text = ""};
  check(lrgd_uncertainty_create(&u, &fit, &error) == LRGD_OK, "%s", error.text);
  return u;
}

/* A line a + b t at t = 0, 1, 2, 3: (J'J)^-1 = [0.7 -0.3; -0.3 0.2]. */
static const double line[] = {1, 1, 1, 1, 0, 1, 2, 3};

static lrgd_fit line_fit(void)
{
  lrgd_fit fit = lrgd_fit_default();
  fit.dimension = fit.directions = 2, fit.residuals = 4;
  fit.jacobian = line, fit.f = 0.5;
  return fit;
}

TEST("the covariance of a line is s^2 (J'J)^-1")
{
  lrgd_uncertainty *u = make(line_fit());
  lrgd_uncertainty_summary told = lrgd_uncertainty_summarize(u);
  double C[4], d[2], share[2], s[2], after;
  check_int((int)told.rank, 2, "rank");
  check_int((int)told.supported, 2, "supported combinations");
  check(told.estimated == 1 && told.prior == 0, "from the residuals alone");
  check_near(told.variance, 0.5, 1e-15, "2 f / (4 - 2)");
  lrgd_uncertainty_covariance(u, C);
  check_near(C[0], 0.35, 1e-14, "variance of a");
  check_near(C[1], -0.15, 1e-14, "covariance");
  check_near(C[3], 0.1, 1e-14, "variance of b");
  lrgd_uncertainty_deviations(u, d);
  check_near(d[1], sqrt(0.1), 1e-14, "deviation of b");
  lrgd_uncertainty_identifiability(u, share);
  check_near(share[0], 1, 1e-14, "a is determined");
  lrgd_uncertainty_singular_values(u, s);
  check_near(s[0] * s[0] + s[1] * s[1], 18, 1e-13, "|J|^2");
  check_near(told.condition, s[0] / s[1], 1e-14, "condition");
  check(lrgd_uncertainty_predict(u, 1, (double[]){1, 4}, NULL, NULL, &after) ==
            LRGD_OK,
        "a prediction");
  check_near(after, sqrt(0.5 * (0.7 - 2.4 + 3.2)), 1e-14, "the line at t = 4");
  lrgd_uncertainty_destroy(&u);
}

TEST("a prior is combined with the data as a Kalman filter does")
{
  /* one residual, x1 + x2, of variance 1/4; prior deviations 1 and 2 */
  lrgd_fit fit = lrgd_fit_default();
  fit.dimension = fit.directions = 2, fit.residuals = 1;
  fit.jacobian = (double[]){1, 1}, fit.variance = 0.25;
  fit.deviations = (double[]){1, 2};
  lrgd_uncertainty *u = make(fit);
  double C[4], share[2], before, after, gain = 1 / 5.25;
  lrgd_uncertainty_summary told = lrgd_uncertainty_summarize(u);
  check_int((int)told.supported, 1, "supported combinations");
  check(told.prior == 1 && told.estimated == 0, "as given");
  lrgd_uncertainty_covariance(u, C);
  check_near(C[0], 1 - gain, 1e-14, "variance of x1");
  check_near(C[1], -4 * gain, 1e-14, "covariance");
  check_near(C[3], 4 - 16 * gain, 1e-14, "variance of x2");
  lrgd_uncertainty_identifiability(u, share);
  check_near(share[0], 0.2, 1e-14, "x1 has a fifth of the combination");
  check_near(share[1], 0.8, 1e-14, "x2 has the rest");
  check(lrgd_uncertainty_predict(u, 1, (double[]){1, 1}, NULL, &before,
                                 &after) == LRGD_OK,
        "the sum");
  check_near(before, sqrt(5), 1e-14, "before");
  check_near(after, sqrt(5 - 25 * gain), 1e-14, "after");
  lrgd_uncertainty_destroy(&u);
}

TEST(
    "outside the basis the prior is kept, and without one inputs are "
    "undetermined")
{
  /* only x1 was looked at */
  lrgd_fit fit = lrgd_fit_default();
  fit.dimension = 2, fit.directions = 1, fit.residuals = 1;
  fit.basis = (double[]){1, 0}, fit.jacobian = (double[]){2};
  fit.variance = 1, fit.deviations = (double[]){1, 3};
  lrgd_uncertainty *u = make(fit);
  double d[2];
  lrgd_uncertainty_deviations(u, d);
  check_near(d[0], sqrt(0.2), 1e-14, "with one of deviation 1/2");
  check_near(d[1], 3, 1e-14, "as before");
  lrgd_uncertainty_destroy(&u);
  fit.deviations = NULL;
  u = make(fit);
  lrgd_uncertainty_deviations(u, d);
  check(isinf(d[0]) && isinf(d[1]), "without a prior");
  lrgd_uncertainty_destroy(&u);
}

TEST("a basis that is no axis gives what the axes give")
{
  const double c = 0.6, s = 0.8, V[] = {c, s, -s, c};
  double J[8], C[4], D[4], priors[] = {0.3, 5};
  for (int i = 0; i < 4; i++) {
    J[i] = line[i] * c + line[i + 4] * s;
    J[i + 4] = -line[i] * s + line[i + 4] * c;
  }
  for (int prior = 0; prior < 2; prior++) {
    lrgd_fit fit = line_fit();
    fit.deviations = prior ? priors : NULL;
    lrgd_uncertainty *u = make(fit);
    lrgd_uncertainty_covariance(u, C);
    lrgd_uncertainty_destroy(&u);
    fit.basis = V, fit.jacobian = J;
    u = make(fit);
    lrgd_uncertainty_covariance(u, D);
    lrgd_uncertainty_destroy(&u);
    for (int i = 0; i < 4; i++)
      check_near(D[i], C[i], 1e-13, "number %d, prior %d", i, prior);
  }
}

TEST("predictions tell what an observation removed or repeated changes")
{
  lrgd_fit fit = line_fit();
  fit.variance = 1;
  lrgd_uncertainty *u = make(fit);
  double after, b[] = {0, 1}, two = sqrt(2);
  check(lrgd_uncertainty_predict(u, 1, b, (double[]){1, 0, 0, 1}, NULL,
                                 &after) == LRGD_OK,
        "the outer two");
  check_near(after, sqrt(2.0 / 9), 1e-14, "the slope from two points");
  check(lrgd_uncertainty_predict(u, 1, b, (double[]){two, two, two, two}, NULL,
                                 &after) == LRGD_OK,
        "all of them twice");
  check_near(after, sqrt(0.1), 1e-14, "half the variance");
  check(lrgd_uncertainty_predict(u, 1, b, (double[]){1, 0, 0, 0}, NULL,
                                 &after) == LRGD_OK,
        "one point");
  check(isinf(after), "it does not tell a slope");
  lrgd_uncertainty_destroy(&u);
}

TEST("singular values below 1e-6 of the largest are errors of J")
{
  for (int above = 0; above < 2; above++) {
    double J[] = {1, 0, 0, above ? 1.2e-6 : 0.8e-6};
    lrgd_fit fit = lrgd_fit_default();
    fit.dimension = fit.directions = fit.residuals = 2, fit.jacobian = J;
    lrgd_uncertainty *u = make(fit);
    lrgd_uncertainty_summary told = lrgd_uncertainty_summarize(u);
    check_int((int)told.rank, 1 + above, "rank");
    check_near(told.variance, above ? 1 : 0, 1e-15,
               "1 where all observations are used up, else from f = 0");
    lrgd_uncertainty_destroy(&u);
  }
}

TEST("a prediction may lie 1e-6 of its square outside what is determined")
{
  lrgd_fit fit = lrgd_fit_default();
  fit.dimension = fit.directions = 2, fit.residuals = 1, fit.variance = 1;
  fit.jacobian = (double[]){1, 0};
  lrgd_uncertainty *u = make(fit);
  double after;
  check(lrgd_uncertainty_predict(u, 1, (double[]){1, sqrt(0.8e-6)}, NULL, NULL,
                                 &after) == LRGD_OK,
        "a little");
  check_near(after, 1, 1e-12, "determined");
  check(lrgd_uncertainty_predict(u, 1, (double[]){1, sqrt(1.2e-6)}, NULL, NULL,
                                 &after) == LRGD_OK,
        "more");
  check(isinf(after), "not determined");
  lrgd_uncertainty_destroy(&u);
}

TEST("wrong fits are refused with a sentence")
{
  lrgd_uncertainty *u;
  lrgd_error error = {.text = ""};
  lrgd_fit fit = line_fit();
  fit.directions = 3;
  check(lrgd_uncertainty_create(&u, &fit, &error) == LRGD_ERR_INVALID &&
            u == NULL && error.text[0] != '\0',
        "more directions than inputs");
  fit = line_fit(), fit.deviations = (double[]){1, 0};
  check(lrgd_uncertainty_create(&u, &fit, &error) == LRGD_ERR_INVALID,
        "a deviation of 0");
  fit = line_fit(), fit.jacobian = (double[]){NAN, 1, 1, 1, 1, 1, 1, 1};
  check(lrgd_uncertainty_create(&u, &fit, &error) == LRGD_ERR_INVALID,
        "a derivative that is no number");
  fit = line_fit(), fit.directions = 1;
  check(lrgd_uncertainty_create(&u, &fit, &error) == LRGD_ERR_INVALID,
        "fewer directions without a basis");
  check(lrgd_uncertainty_create(NULL, &fit, NULL) == LRGD_ERR_INVALID,
        "nowhere to put it");
  lrgd_uncertainty_destroy(NULL);
}
