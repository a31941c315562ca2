/* The trust-region subproblem by eigenvectors (More and Sorensen, SIAM J. Sci.
 * Stat. Comput. 4, 1983, without factorisations: k is small). */
#include "wide/region.h"

#include "base/memory.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

lrgd_status lr_region_init(lr_region *r, const lrgd_allocator *a, size_t most)
{
  *r = (lr_region){.allocator = *a, .most = most};
  r->Q = lr_alloc(a, most * most, sizeof *r->Q);
  r->lambda = lr_alloc(a, 3 * most, sizeof *r->lambda);
  r->dense = lr_dense_create(a, most);
  if (!r->Q || !r->lambda || !r->dense) return LRGD_ERR_NOMEM;
  r->a = r->lambda + most;
  r->z = r->a + most;
  return LRGD_OK;
}

void lr_region_clear(lr_region *r)
{
  if (r->most == 0) return;
  lr_free(&r->allocator, r->Q);
  lr_free(&r->allocator, r->lambda);
  lr_dense_destroy(&r->dense);
  *r = (lr_region){.most = 0};
}

bool lr_region_set(lr_region *r, size_t k, const double *g, const double *B,
                   size_t ld, lr_region_errors errors)
{
  /* relative rounding error of second differences and of the sums */
  const double rounding = 1e-7;
  r->k = k;
  for (size_t j = 0; j < k; j++)
    memcpy(r->Q + j * k, B + j * ld, k * sizeof *r->Q);
  if (k == 0 || lr_eigen(r->dense, k, r->Q, r->lambda) != LRGD_OK) return false;
  r->top = fmax(fabs(r->lambda[0]), fabs(r->lambda[k - 1]));
  double cut = fmax(fmax(rounding * r->top, errors.curvature), DBL_MIN);
  double slope = errors.slope + errors.slope_share * r->top;
  for (size_t j = 0; j < k; j++) {
    r->a[j] = lr_dot(k, r->Q + j * k, g);
    if (!(fabs(r->lambda[j]) <= cut)) continue;
    r->lambda[j] = cut;
    if (!(fabs(r->a[j]) > slope)) r->a[j] = 0;
  }
  return true;
}

bool lr_region_is_convex(const lr_region *r)
{
  for (size_t j = 0; j < r->k; j++)
    if (r->lambda[j] < 0) return false;
  return true;
}

static double lowest(const lr_region *r)
{
  double low = r->lambda[0]; /* negligible curvatures have been set to zero */
  for (size_t j = 1; j < r->k; j++) low = fmin(low, r->lambda[j]);
  return low;
}

/* z = -(Lambda + shift)^-1 Q'g; its norm. */
static double solve(const lr_region *r, double shift)
{
  for (size_t j = 0; j < r->k; j++)
    r->z[j] = r->a[j] == 0 ? 0 : -r->a[j] / (r->lambda[j] + shift);
  return lr_norm(r->k, r->z);
}

/* The hard case: fills up the radius along the lowest eigenvector. */
static void add_lowest(const lr_region *r, double radius)
{
  double size = lr_norm(r->k, r->z);
  double left = sqrt(fmax(radius * radius - size * size, 0));
  size_t low = 0;
  for (size_t j = 1; j < r->k; j++)
    if (r->lambda[j] < r->lambda[low]) low = j;
  r->z[low] += r->a[low] <= 0 ? left : -left;
}

static void minimise(const lr_region *r, double radius)
{
  double low = lowest(r), least = fmax(0, -low) + 1e-9 * r->top;
  if (low > 0 && solve(r, 0) <= radius) return;
  if (solve(r, least) <= radius) {
    add_lowest(r, radius);
    return;
  }
  double most = least + lr_norm(r->k, r->a) / radius + r->top;
  for (int i = 0; i < 60; i++) { /* bisection to the last digits */
    double middle = sqrt(least) * sqrt(most);
    if (solve(r, middle) > radius)
      least = middle;
    else
      most = middle;
  }
  (void)solve(r, most);
}

double lr_region_step(const lr_region *r, double radius, double *s)
{
  double fall = 0;
  minimise(r, radius);
  memset(s, 0, r->k * sizeof *s);
  for (size_t j = 0; j < r->k; j++) {
    lr_axpy(r->k, r->z[j], r->Q + j * r->k, s);
    fall -= r->a[j] * r->z[j] + 0.5 * r->lambda[j] * r->z[j] * r->z[j];
  }
  return fall;
}

double lr_region_explains(const lr_region *r, const double *b)
{
  double sum = 0;
  for (size_t j = 0; j < r->k; j++) {
    double c = lr_dot(r->k, r->Q + j * r->k, b);
    sum += c * c / r->lambda[j];
  }
  return sum;
}
