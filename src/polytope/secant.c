/* Limited-memory BFGS: B = scale I + sum (c c' - a a') over the pairs kept
 * (Nocedal and Wright, Numerical Optimization, 7.2). */
#include "polytope/secant.h"

#include "base/memory.h"
#include "base/vector.h"
#include "polytope/polytope_rules.h"

#include <math.h>
#include <string.h>

lrgd_status lr_secant_init(lr_secant *B, size_t p, size_t most,
                           const lr_policy *policy, const lrgd_allocator *a)
{
  *B = (lr_secant){
      .p = p, .most = most, .scale = 1, .policy = policy, .allocator = *a};
  B->s = lr_alloc(a, p * (most + 1), 4 * sizeof *B->s);
  if (!B->s) return LRGD_ERR_NOMEM;
  B->y = B->s + p * (most + 1);
  B->a = B->y + p * (most + 1);
  B->c = B->a + p * (most + 1);
  return LRGD_OK;
}

void lr_secant_clear(lr_secant *B)
{
  if (B->s) lr_free(&B->allocator, B->s);
  *B = (lr_secant){0};
}

void lr_secant_forget(lr_secant *B, double scale)
{
  B->n = 0;
  B->scale = scale;
}

/* out = B v with the first n pairs. */
static void times(const lr_secant *B, size_t n, const double *v, double *out)
{
  size_t p = B->p;
  for (size_t i = 0; i < p; i++) out[i] = B->scale * v[i];
  for (size_t j = 0; j < n; j++) {
    const double *a = B->a + j * p, *c = B->c + j * p;
    lr_axpy(p, lr_dot(p, c, v), c, out);
    lr_axpy(p, -lr_dot(p, a, v), a, out);
  }
}

void lr_secant_times(const lr_secant *B, const double *v, double *out)
{
  times(B, B->n, v, out);
}

/* Column j of a and c, from pair j and the columns before. */
static void build(lr_secant *B, size_t j)
{
  size_t p = B->p;
  const double *s = B->s + j * p, *y = B->y + j * p;
  double *a = B->a + j * p, *c = B->c + j * p;
  times(B, j, s, a);
  double bent = lr_dot(p, s, a), seen = lr_dot(p, s, y);
  memcpy(c, y, p * sizeof *c);
  lr_scale(p, 1 / sqrt(bent), a);
  lr_scale(p, 1 / sqrt(seen), c);
}

/* Powell's damping: y <- y + share (B s - y), so that s'y stays positive. */
static void damp(const lr_secant *B, const double *s, double *y)
{
  size_t p = B->p;
  double *bs = B->a + B->n * p; /* the next column is unused */
  lr_secant_times(B, s, bs);
  double bent = lr_dot(p, s, bs), seen = lr_dot(p, s, y);
  double keep = lr_polytope_damping(B->policy, bent, seen);
  if (keep == 1) return;
  for (size_t i = 0; i < p; i++) y[i] = keep * y[i] + (1 - keep) * bs[i];
}

void lr_secant_learn(lr_secant *B, const double *s, double *y)
{
  size_t p = B->p;
  double size = lr_dot(p, s, s), seen = lr_dot(p, s, y);
  if (!(size > 0)) return;
  /* damped, since the measured change may be an error */
  if (B->n == 0 && seen > 0)
    B->scale = lr_polytope_scale(B->policy, B->scale, lr_dot(p, y, y), seen);
  damp(B, s, y);
  if (!(lr_dot(p, s, y) > 0)) return;
  if (B->n == B->most) { /* discards the oldest pair */
    B->n--;
    memmove(B->s, B->s + p, B->n * p * sizeof *B->s);
    memmove(B->y, B->y + p, B->n * p * sizeof *B->y);
  }
  memcpy(B->s + B->n * p, s, p * sizeof *s);
  memcpy(B->y + B->n * p, y, p * sizeof *y);
  B->n++;
  for (size_t j = B->n < B->most ? B->n - 1 : 0; j < B->n; j++) build(B, j);
}
