/* Quantiles of chi^2 by bisection on the regularised incomplete gamma
 * function, whose power series (DLMF 8.11.4) has positive terms only. */
#include "base/chi2.h"

#include <float.h>
#include <math.h>

/* P(a, x) = x^a e^-x sum_n x^n / Gamma(a + n + 1). */
static double gamma_p(double a, double x)
{
  double term = exp(a * log(x) - x - lgamma(a + 1)), sum = term;
  for (double n = 1; n < 10000; n++) {
    term *= x / (a + n);
    sum += term;
    if (term < DBL_EPSILON * sum) break;
  }
  return sum;
}

double lr_chi2_quantile(double m, double q)
{
  double low = 0, high = m;
  while (gamma_p(0.5 * m, 0.5 * high) < q) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
    double middle = 0.5 * (low + high);
    if (gamma_p(0.5 * m, 0.5 * middle) < q)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}
