/* Normalising and sizing vectors. */
#include "space/vec.h"

#include <math.h>

bool lr_normalise(lrgd_space *space, lrgd_vec y, double *norm)
{
  double n;
  if (!space->ops->measure(space, y, &n) || !(n > 0)) return false;
  if (norm) *norm = n;
  return lr_normalise_known(space, y, n);
}

bool lr_normalise_known(lrgd_space *space, lrgd_vec y, double n)
{
  /* 1/n is a normal number, of floats too, only for n in this range; scale
   * into it first */
  if (n > 0x1p100 || n < 0x1p-100) {
    int e = ilogb(n);
    space->ops->scale(space, y, scalbn(1, -e / 2));
    space->ops->scale(space, y, scalbn(1, -(e - e / 2)));
    if (!space->ops->measure(space, y, &n) || !(n > 0)) return false;
  }
  space->ops->scale(space, y, 1 / n);
  return true;
}

double lr_scale_of(lrgd_space *space, lrgd_vec x)
{
  double norm = 0;
  (void)space->ops->measure(space, x, &norm);
  return 1 + norm / sqrt((double)space->dimension);
}

bool lr_same(lrgd_space *space, lrgd_vec a, lrgd_vec b)
{
  double x[LR_FEW], y[LR_FEW];
  for (size_t i = 0, n; (n = lr_few(space, i)) > 0; i += n) {
    space->ops->get(space, a, i, n, x);
    space->ops->get(space, b, i, n, y);
    for (size_t j = 0; j < n; j++)
      if (x[j] != y[j]) return false;
  }
  return true;
}
