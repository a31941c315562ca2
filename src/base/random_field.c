/* A random field as a sum of plane waves. */
#include "base/random_field.h"

#include "base/elementary.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_DIMENSIONS = 8 };

lrgd_status lr_random_field_check(size_t p, size_t d, const double *points,
                                  double length, lrgd_error *error)
{
  if (d > MOST_DIMENSIONS || !points)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "coordinates of %zu numbers an input; give 1 to %d", d,
                   MOST_DIMENSIONS);
  if (!(length > 0) || !lr_finite(length))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "the correlation length is %g; it must be > 0", length);
  for (size_t i = 0; i < p * d; i++)
    if (!lr_finite(points[i] / length))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "coordinate %zu of input %zu (the first is 1) is %g",
                     i % d + 1, i / d + 1, points[i]);
  return LRGD_OK;
}

lrgd_status lr_random_field_init(lr_random_field *field, size_t p, size_t d,
                                 const double *points, double length,
                                 const lrgd_allocator *a)
{
  *field = (lr_random_field){.allocator = *a, .p = p, .d = d};
  if (d == 0) return LRGD_OK;
  field->points = lr_alloc_raw(a, p * d, sizeof *field->points);
  if (!field->points) return LRGD_ERR_NOMEM;
  for (size_t i = 0; i < p * d; i++) field->points[i] = points[i] / length;
  return LRGD_OK;
}

void lr_random_field_clear(lr_random_field *field)
{
  if (field->points) lr_free(&field->allocator, field->points);
  *field = (lr_random_field){0};
}

void lr_random_field_draw(const lr_random_field *field, size_t waves,
                          uint64_t seed, uint64_t stream, double *z)
{
  size_t d = field->d, n = d + 3;
  double g[MOST_DIMENSIONS + 3];
  memset(z, 0, field->p * sizeof *z);
  for (size_t w = 0; w < waves; w++) {
    lr_gaussian(seed, stream, w * n, n, g);
    /* d Gaussian numbers divided by another one follow the multivariate Cauchy
     * distribution */
    double width = fmax(fabs(g[d]), 1e-9), a = g[d + 1], b = g[d + 2];
    for (size_t i = 0; i < field->p; i++) {
      double phase = lr_dot(d, g, field->points + i * d) / width;
      z[i] += a * lr_cos(phase) + b * lr_sin(phase);
    }
  }
  lr_scale(field->p, 1 / sqrt((double)waves), z);
}
