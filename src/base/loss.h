/* Robust losses of residuals, as SciPy's least_squares names and defines them:
 * f is half the sum of scale^2 rho((r / scale)^2). */
#ifndef LR_LOSS_H
#define LR_LOSS_H

#include <lrgd/lrgd.h>

typedef struct lr_loss {
  lrgd_loss kind;
  /* residuals up to about this size contribute by their squares */
  double scale;
} lr_loss;

/* f of n residuals. */
double lr_loss_cost(const lr_loss *loss, size_t n, const double *r);

/* rho' at a residual: its weight in a sum of squares that has the gradient of
 * the loss there, and is nowhere below it. */
double lr_loss_weight(const lr_loss *loss, double r);

#endif
