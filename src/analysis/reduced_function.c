/* Directions of the reduced function, and its twin. */
#include "analysis/reduced_function.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

lrgd_status lr_reduced_directions(const lrgd_diagnosis *s, size_t r, double **U)
{
  lrgd_vec w = {s->points, LR_SPARE};
  double *column = lr_standalone_oracle_data(s->points, LR_SPARE);
  lr_basis V = {0};
  bool kept = true;
  *U = lr_alloc(&s->standalone.allocator, s->p * r, sizeof **U);
  if (!*U) return LRGD_ERR_NOMEM;
  lrgd_status status =
      lr_basis_init(&V, s->standalone.space, &s->standalone.allocator, r);
  for (size_t j = 0; j < r && status == LRGD_OK && kept; j++) {
    const double *u = lr_standalone_oracle_data(s->spectrum.U.block, j);
    for (size_t i = 0; i < s->p; i++)
      column[i] = s->region.boxed
                      ? u[i] / (s->given.upper[i] - s->given.lower[i])
                      : u[i];
    /* 1e-12: below that the direction is dependent up to rounding */
    status = lr_basis_append(&V, w, 1e-12, &kept);
  }
  if (status == LRGD_OK && kept)
    memcpy(*U, lr_standalone_oracle_data(V.block, 0), s->p * r * sizeof **U);
  lr_basis_clear(&V);
  return status == LRGD_OK && !kept ? LRGD_ERR_NUMERIC : status;
}

lrgd_status lr_reduced_function(const lrgd_diagnosis *s, size_t r,
                                const double *V, double *base,
                                lrgd_composite **sigma, lrgd_error *error)
{
  double norm = lr_norm(s->p, s->given.start), *z = base + s->p;
  for (size_t j = 0; j < r; j++) z[j] = norm / sqrt((double)s->p);
  for (size_t i = 0; i < s->p; i++) {
    base[i] = s->given.start[i];
    for (size_t j = 0; j < r; j++) base[i] -= V[j * s->p + i] * z[j];
  }
  return lrgd_composite_reduce(sigma, &s->given.problem, base, r, V, error);
}

lrgd_status lr_reduced_twin(const lrgd_diagnosis *s, size_t r, const double *U,
                            double *base, lrgd_composite **twin,
                            lrgd_error *error)
{
  size_t p = s->p;
  double *V = lr_alloc(&s->standalone.allocator, p * r, sizeof *V);
  if (!V) return lr_fail(error, LRGD_ERR_NOMEM, "out of memory for a twin");
  for (size_t j = 0; j < r; j++) /* V = U (I - 2 w w'), w_i = 1 / sqrt(r) */
    for (size_t i = 0; i < p; i++) {
      double sum = 0;
      for (size_t k = 0; k < r; k++) sum += U[k * p + i];
      V[j * p + i] = U[j * p + i] - 2 * sum / (double)r;
    }
  lrgd_status status = lr_reduced_function(s, r, V, base, twin, error);
  lr_free(&s->standalone.allocator, V);
  return status;
}
