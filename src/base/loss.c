/* Losses and their derivatives. */
#include "base/loss.h"

#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>

/* rho(s). */
static double rho(lrgd_loss kind, double s)
{
  switch (kind) {
  case LRGD_LOSS_HUBER: return s <= 1 ? s : 2 * sqrt(s) - 1;
  case LRGD_LOSS_SOFT_L1: return 2 * s / (sqrt(1 + s) + 1);
  case LRGD_LOSS_CAUCHY: return lr_log1p(s);
  case LRGD_LOSS_ARCTAN: return lr_atan2(s, 1);
  default: return s;
  }
}

double lr_loss_cost(const lr_loss *loss, size_t n, const double *r)
{
  if (loss->kind == LRGD_LOSS_LINEAR) return 0.5 * lr_dot(n, r, r);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double t = r[i] / loss->scale;
    sum += rho(loss->kind, t * t);
  }
  return 0.5 * loss->scale * loss->scale * sum;
}

double lr_loss_weight(const lr_loss *loss, double r)
{
  double t = fabs(r) / loss->scale, s = t * t;
  switch (loss->kind) {
  case LRGD_LOSS_HUBER: return t <= 1 ? 1 : 1 / t;
  case LRGD_LOSS_SOFT_L1: return 1 / sqrt(1 + s);
  case LRGD_LOSS_CAUCHY: return 1 / (1 + s);
  case LRGD_LOSS_ARCTAN: return 1 / (1 + s * s);
  default: return 1;
  }
}
