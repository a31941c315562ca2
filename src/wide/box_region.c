/* The trust-region subproblem in a box by conjugate gradients that drop each
 * bound they meet. */
#include "wide/box_region.h"

#include "base/memory.h"
#include "base/vector.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <string.h>

enum { PASSES = 4, TRIES = 14 };

lrgd_status lr_box_region_init(lr_box_region *b, const lr_policy *P,
                               const lrgd_allocator *a, size_t p)
{
  *b = (lr_box_region){.allocator = *a, .policy = P, .p = p};
  b->lower = lr_alloc(a, 7 * p + p * p, sizeof *b->lower);
  b->free = lr_alloc(a, p, sizeof *b->free);
  b->dense = lr_dense_create(a, p);
  if (!b->lower || !b->free || !b->dense) return LRGD_ERR_NOMEM;
  double **parts[] = {&b->upper, &b->d, &b->r, &b->s, &b->Hs, &b->e, &b->Q};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    *parts[i] = b->lower + (1 + i) * p;
  return LRGD_OK;
}

void lr_box_region_clear(lr_box_region *b)
{
  if (b->p == 0) return;
  lr_free(&b->allocator, b->lower);
  lr_free(&b->allocator, b->free);
  lr_dense_destroy(&b->dense);
  *b = (lr_box_region){.p = 0};
}

bool lr_box_region_set(lr_box_region *b, const double *g, const double *H)
{
  size_t p = b->p;
  b->g = g;
  b->H = H;
  memcpy(b->Q, H, p * p * sizeof *b->Q);
  if (lr_eigen(b->dense, p, b->Q, b->e) != LRGD_OK) return false;
  b->top = fmax(fmax(fabs(b->e[0]), fabs(b->e[p - 1])), 1e-300);
  b->least = fmax(0, -b->e[0]) * 1.01 + 1e-10 * b->top;
  return true;
}

/* ---- the minimum for one shift ---- */

static double free_square(const lr_box_region *b)
{
  double sum = 0;
  for (size_t i = 0; i < b->p; i++)
    if (b->free[i]) sum += b->r[i] * b->r[i];
  return sum;
}

/* s = minus the residual, zero along inputs at bounds. */
static void steepest(lr_box_region *b)
{
  for (size_t i = 0; i < b->p; i++) b->s[i] = b->free[i] ? -b->r[i] : 0;
}

/* The distance along s to the first bound, and its input. */
static double first_bound(const lr_box_region *b, size_t *at)
{
  double far = INFINITY;
  for (size_t i = 0; i < b->p; i++) {
    if (!b->free[i] || b->s[i] == 0) continue;
    double t = ((b->s[i] > 0 ? b->upper[i] : b->lower[i]) - b->d[i]) / b->s[i];
    if (t < far) {
      far = t;
      *at = i;
    }
  }
  return fmax(far, 0);
}

/* Conjugate gradients among the free inputs; an input that meets a bound stays
 * there. */
static void descend(lr_box_region *b, double shift)
{
  size_t p = b->p, at = 0;
  double rr = free_square(b), first = rr;
  steepest(b);
  for (size_t i = 0; i < 2 * p; i++) {
    lr_symv(p, b->H, p, b->s, b->Hs);
    lr_axpy(p, shift, b->s, b->Hs);
    double c = lr_dot(p, b->s, b->Hs), ss = lr_dot(p, b->s, b->s);
    double far = first_bound(b, &at), a = c > 1e-14 * ss ? rr / c : INFINITY;
    bool meets = a >= far;
    if (meets && isinf(far)) return;
    if (meets) a = far;
    lr_axpy(p, a, b->s, b->d);
    lr_axpy(p, a, b->Hs, b->r);
    if (meets) {
      b->d[at] = b->s[at] > 0 ? b->upper[at] : b->lower[at];
      b->free[at] = false;
      rr = free_square(b);
      if (rr <= 1e-12 * first) return;
      steepest(b);
      continue;
    }
    double next = free_square(b);
    if (next <= 1e-10 * first) return;
    for (size_t j = 0; j < p; j++)
      b->s[j] = b->free[j] ? next / rr * b->s[j] - b->r[j] : 0;
    rr = next;
  }
}

/* d = the minimum for that shift of the Hessian; returns |d|. */
static double minimum(lr_box_region *b, double shift)
{
  size_t p = b->p;
  double size = lr_norm(p, b->g);
  memset(b->d, 0, p * sizeof *b->d);
  memcpy(b->r, b->g, p * sizeof *b->r);
  for (int pass = 0; pass < PASSES; pass++) {
    for (size_t i = 0; i < p; i++)
      b->free[i] = !((b->d[i] <= b->lower[i] && b->r[i] > 0) ||
                     (b->d[i] >= b->upper[i] && b->r[i] < 0));
    double left = free_square(b);
    if (!(left > 1e-24 * size * size)) break;
    descend(b, shift);
  }
  return lr_norm(p, b->d);
}

double lr_box_region_step(lr_box_region *b, double radius, double *d)
{
  size_t p = b->p;
  double low = b->least, high = fmax(low, lr_norm(p, b->g) / radius);
  double length = minimum(b, low);
  high += 1e-3 * b->top;
  bool found = !lr_wide_exceeds(b->policy, length, radius);
  for (int i = 0; i < TRIES && !found; i++) {
    double shift = sqrt(low) * sqrt(high);
    length = minimum(b, shift);
    found = lr_wide_matches(b->policy, length, radius);
    if (length > radius)
      low = shift;
    else
      high = shift;
  }
  memcpy(d, b->d, p * sizeof *d);
  if (lr_wide_exceeds(b->policy, length, radius))
    lr_scale(p, radius / length, d);
  lr_symv(p, b->H, p, d, b->Hs);
  return -lr_dot(p, b->g, d) - 0.5 * lr_dot(p, d, b->Hs);
}
