/* Quantiles of chi^2, on which every certificate stands. */
#include "base/chi2.h"
#include "check.h"

/* P(chi^2_m <= x) for even m: exp(-y) sum_{i >= m/2} y^i / i!, y = x/2. */
static double even_cdf(int m, double x)
{
  double y = 0.5 * x, term = exp(-y), sum = 0;
  for (int i = 0; i < 400; i++) {
    if (i >= m / 2) sum += term;
    term *= y / (i + 1);
  }
  return sum;
}

TEST("quantiles are those of the printed tables")
{
  static const struct {
    double m, q, x;
  } table[] = {
      {1,   0.95, 3.841458820694124 },
      {1,   0.05, 0.003932140000019 },
      {5,   0.05, 1.145476226061769 },
      {10,  0.05, 3.940299136119061 },
      {20,  0.05, 10.850811394182585},
      {10,  0.95, 18.307038053275146},
      {100, 0.95, 124.34211340400407},
      {1,   0.5,  0.454936423119573 },
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_near(lr_chi2_quantile(table[i].m, table[i].q), table[i].x, 1e-10,
               "the %g quantile of chi^2_%g", table[i].q, table[i].m);
}

TEST("the 3 % quantiles at 4, 8 and 16 degrees are 0.535, 2.310 and 7.163")
{
  check_within(lr_chi2_quantile(4, 0.03), 0.535, 5e-4, "m = 4");
  check_within(lr_chi2_quantile(8, 0.03), 2.310, 5e-4, "m = 8");
  check_within(lr_chi2_quantile(16, 0.03), 7.163, 5e-4, "m = 16");
}

TEST("with two degrees the quantile is -2 log(1 - q)")
{
  for (double q = 1e-12; q < 1; q *= 3)
    check_near(lr_chi2_quantile(2, q), -2 * log1p(-q), 1e-9, "q = %g", q);
}

TEST("the distribution function at a quantile is what was asked for")
{
  for (int m = 2; m <= 64; m += 2)
    for (double q = 1e-9; q < 0.9999; q = q < 0.3 ? 10 * q : 0.5 * (1 + q))
      check_near(even_cdf(m, lr_chi2_quantile(m, q)), q, 1e-9, "m = %d, q = %g",
                 m, q);
}

TEST("quantiles rise with q and with the degrees of freedom")
{
  for (double m = 1; m < 40; m++) {
    check(lr_chi2_quantile(m, 0.05) < lr_chi2_quantile(m, 0.06), "m = %g", m);
    check(lr_chi2_quantile(m, 0.05) < lr_chi2_quantile(m + 1, 0.05), "m = %g",
          m);
  }
}

TEST("a thousand looks later the quantile is still a positive number")
{
  double x = lr_chi2_quantile(8, 0.05 / (1000.0 * 1001));
  check(x > 0 && x < 0.1, "it is %g", x);
}

TEST("quantiles are right for many thousand degrees of freedom")
{
  double m = 20000; /* Wilson and Hilferty, good to 1e-6 here */
  double wh =
      m * pow(1 - 2 / (9 * m) - 1.6448536269514722 * sqrt(2 / (9 * m)), 3);
  check_near(lr_chi2_quantile(m, 0.05), wh, 1e-6, "m = %g", m);
}
