/* Quantiles of chi^2 by bisection on the regularised incomplete gamma
 * function, whose power series (DLMF 8.11.4) has positive terms only. */
#include "base/chi2.h"

#include "base/elementary.h"

#include <float.h>
#include <math.h>

/* log Gamma(x) for x > 0 by Stirling's series (DLMF 5.11.1), whose next term is
 * below 1e-15 from x = 20 on.  (lgamma writes the global signgam.) */
static double log_gamma(double x)
{
  double below = 0;
  while (x < 20) {
    below += lr_log(x);
    x += 1;
  }
  double q = 1 / (x * x);
  double tail = 1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q / 1680));
  return (x - 0.5) * lr_log(x) - x + 0.91893853320467274178 + tail / x - below;
}

/* P(a, x) = x^a e^-x sum_n x^n / Gamma(a + n + 1). */
static double gamma_p(double a, double x)
{
  double term = lr_exp(a * lr_log(x) - x - log_gamma(a + 1)), sum = term;
  for (int n = 1; n < 10000; n++) {
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
