/* The curvature of F along the last steps. */
#include "least_squares/residual_bends.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

void lr_bends_init(lr_bends *B, size_t m, const lrgd_allocator *a)
{
  *B = (lr_bends){.allocator = *a, .m = m};
}

void lr_bends_clear(lr_bends *B)
{
  lr_free(&B->allocator, B->u);
  B->u = B->b = B->q = NULL;
  B->count = 0;
}

void lr_bends_forget(lr_bends *B)
{
  B->count = B->taken = 0;
}

void lr_bends_add(const lr_bends *B, size_t k, size_t n, const double *z,
                  double *r)
{
  for (size_t l = 0; l < B->count; l++) {
    double along = lr_dot(k, B->u + l * B->most, z);
    lr_axpy(n, along * along, B->b + l * B->m, r);
  }
}

void lr_bends_linearise(const lr_bends *B, size_t k, const double *z, double *A,
                        double *b)
{
  for (size_t l = 0; l < B->count; l++) {
    const double *u = B->u + l * B->most, *bend = B->b + l * B->m;
    double along = lr_dot(k, u, z);
    lr_axpy(B->m, -along * along, bend, b);
    for (size_t j = 0; j < k; j++)
      lr_axpy(B->m, 2 * along * u[j], bend, A + j * B->m);
  }
}

void lr_bends_judge(lr_bends *B, size_t k, size_t n, const double *z, double *e)
{
  if (B->count == 0) return;
  memset(B->q, 0, B->m * sizeof *B->q);
  lr_bends_add(B, k, n, z, B->q);
  double qq = lr_dot(n, B->q, B->q), eq = lr_dot(n, e, B->q);
  double without = lr_dot(n, e, e) + 2 * eq + qq; /* |e + q|^2 */
  if (!(qq > B->least * without)) return;
  double share = fmin(fmax(1 + eq / qq, 0), 1);
  lr_scale(B->m * B->count, share, B->b);
  lr_axpy(n, 1 - share, B->q, e);
}

static lrgd_status make_room(lr_bends *B)
{
  if (B->u) return LRGD_OK;
  size_t units = B->most * B->steps, bends = B->m * B->steps;
  B->u = lr_alloc(&B->allocator, units + bends + B->m, sizeof *B->u);
  if (!B->u) return LRGD_ERR_NOMEM;
  B->b = B->u + units;
  B->q = B->b + bends;
  return LRGD_OK;
}

lrgd_status lr_bends_take(lr_bends *B, size_t k, size_t n, const double *z,
                          double share, const double *e)
{
  double length = lr_norm(k, z);
  if (k > B->most || B->steps == 0 || !(length > 0)) return LRGD_OK;
  lrgd_status status = make_room(B);
  if (status != LRGD_OK) return status;
  size_t l = B->taken++ % B->steps; /* overwrites the oldest term */
  if (B->count < B->steps) B->count++;
  double *u = B->u + l * B->most, *b = B->b + l * B->m;
  memset(u, 0, B->most * sizeof *u);
  lr_axpy(k, 1 / length, z, u);
  memset(b, 0, B->m * sizeof *b);
  lr_axpy(n, share / (length * length), e, b);
  return LRGD_OK;
}

void lr_bends_turn(lr_bends *B, size_t k, const double *W, size_t n, double *y)
{
  for (size_t l = 0; l < B->count; l++) {
    double *u = B->u + l * B->most;
    lr_gemv_t(k, n, W, k, u, y);
    memset(u, 0, B->most * sizeof *u);
    memcpy(u, y, n * sizeof *u);
  }
}

void lr_bends_stretch(lr_bends *B, size_t k, const double *scale)
{
  for (size_t l = 0; l < B->count; l++)
    for (size_t j = 0; j < k; j++) B->u[l * B->most + j] *= scale[j];
}
