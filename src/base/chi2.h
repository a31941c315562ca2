/* The chi-squared distribution, for certificates. */
#ifndef LR_CHI2_H
#define LR_CHI2_H

/* x with P(chi^2_m <= x) = q, for m >= 1 and 0 < q < 1. */
double lr_chi2_quantile(double m, double q);

#endif
