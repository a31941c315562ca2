/* Converts a model of the phases in rounds into a fit for the phases that
 * follow. */
#include "wide/wide_fit.h"

#include "base/memory.h"

#include <string.h>

lr_code lr_wide_fit(lr_run *run, lr_fit *fit, const lr_basis *V, size_t k,
                    const double *g, const double *B, size_t ld, double reach)
{
  const lrgd_allocator *a = &run->allocator;
  size_t p = run->space->dimension;
  lr_fit_clear(fit);
  *fit = (lr_fit){.allocator = *a, .p = p, .room = k, .reach = reach};
  fit->V = lr_alloc(a, p * k, sizeof *fit->V);
  fit->g = lr_alloc(a, k, sizeof *fit->g);
  fit->B = lr_alloc(a, k * k, sizeof *fit->B);
  if (!fit->V || !fit->g || !fit->B)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", k);
  for (size_t j = 0; j < k; j++) {
    run->space->ops->get(run->space, lr_basis_column(V, j), 0, p,
                         fit->V + j * p);
    memcpy(fit->B + j * k, B + j * ld, k * sizeof *fit->B);
  }
  memcpy(fit->g, g, k * sizeof *fit->g);
  fit->q = k;
  return LR_GO;
}
