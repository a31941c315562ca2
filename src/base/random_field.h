/* Correlated random numbers: a Gaussian random field of exponential covariance
 * exp(-|x - y| / length), at given points of a space of d dimensions. */
#ifndef LR_RANDOM_FIELD_H
#define LR_RANDOM_FIELD_H

#include <lrgd/lrgd.h>

typedef struct lr_random_field {
  lrgd_allocator allocator;
  size_t p, d;    /* points, and coordinates of each */
  double *points; /* p x d, in units of the length, point after point */
} lr_random_field;

/* Whether the points are finite and the length positive. */
LRGD_MUST_CHECK lrgd_status lr_random_field_check(size_t p, size_t d,
                                                  const double *points,
                                                  double length,
                                                  lrgd_error *error);

/* Copies the points; they have been checked.  d = 0: there is no field. */
LRGD_MUST_CHECK lrgd_status lr_random_field_init(lr_random_field *field,
                                                 size_t p, size_t d,
                                                 const double *points,
                                                 double length,
                                                 const lrgd_allocator *a);
void lr_random_field_clear(lr_random_field *field);

/* z: the field at the p points, a function of seed and stream.  It is a sum of
 * so many plane waves whose wave vectors are drawn from the spectrum of the
 * covariance, the multivariate Cauchy distribution (Shinozuka and Jan's
 * method): p x waves operations, and no p x p matrix, whatever p. */
void lr_random_field_draw(const lr_random_field *field, size_t waves,
                          uint64_t seed, uint64_t stream, double *z);

#endif
