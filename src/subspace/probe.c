/* Gaussian probes orthogonal to a basis. */
#include "subspace/probe.h"

#include "base/chi2.h"
#include "space/vec.h"

#include <math.h>

bool lr_probe_direction(lr_basis *U, lr_basis *domain, lrgd_vec w,
                        lrgd_vec spare, uint64_t seed, uint64_t stream,
                        double *norm)
{
  lrgd_space *space = U->space;
  space->ops->gaussian(space, w, seed, stream);
  if (domain && domain->k > 0) { /* w <- W W'w */
    space->ops->copy(space, spare, w, 1);
    lr_basis_project(domain, spare, domain->c);
    space->ops->scale(space, w, 0);
    lr_basis_expand(domain, w, domain->c);
  }
  double before, left = lr_basis_reject_from(U, w, &before);
  /* of p - k random numbers only rounding is left: U spans the whole space */
  if (!(left > 1e-8 * before)) return false;
  if (norm) *norm = left;
  return lr_normalise_known(space, w, left);
}

double lr_probe_bound(double S, size_t m, double delta)
{
  return sqrt(S / lr_chi2_quantile((double)m, delta));
}

double lr_probe_share(double delta, uint64_t look)
{
  double j = (double)look;
  return delta / (j * (j + 1));
}
