/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011), and normal numbers by
 * the inverse of their distribution, AS 241 (Wichura, Applied Statistics 37,
 * 1988).  32 bits a number: |z| stays below 6.3.  One number at a time, for the
 * loops of random.c and for kernels on a GPU: the same bits on both. */
#ifndef LR_NORMAL_H
#define LR_NORMAL_H

#include "base/elementary.h"

#include <math.h>
#include <stdint.h>

LR_INSIDE void lr_philox_round(uint32_t c[4], uint32_t key0, uint32_t key1)
{
  uint64_t a = UINT64_C(0xD2511F53) * c[0];
  uint64_t b = UINT64_C(0xCD9E8D57) * c[2];
  uint32_t c1 = c[1], c3 = c[3];
  c[0] = (uint32_t)(b >> 32) ^ c1 ^ key0;
  c[1] = (uint32_t)b;
  c[2] = (uint32_t)(a >> 32) ^ c3 ^ key1;
  c[3] = (uint32_t)a;
}

/* The block of random bits behind the numbers 4 block .. 4 block + 3. */
LR_INSIDE void lr_philox_words(uint64_t seed, uint64_t stream, uint64_t block,
                               uint32_t out[4])
{
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  out[0] = (uint32_t)block;
  out[1] = (uint32_t)(block >> 32);
  out[2] = (uint32_t)stream;
  out[3] = (uint32_t)(stream >> 32);
  for (uint32_t round = 0; round < 10; round++) {
    lr_philox_round(out, key0, key1);
    key0 += UINT32_C(0x9E3779B9);
    key1 += UINT32_C(0xBB67AE85);
  }
}

/* The middle of one of 2^32 equal parts of (-1/2, 1/2). */
LR_INSIDE double lr_centred(uint32_t word)
{
  return ((double)word + 0.5) * 0x1p-32 - 0.5;
}

/* z with P(Z <= z) = 1/2 + q, for |q| <= 0.425. */
LR_INSIDE double lr_quantile_middle(double q)
{
  double r = 0.180625 - q * q;
  double a = 2.5090809287301226727e+3, b = 5.2264952788528545610e+3;
  a = a * r + 3.3430575583588128105e+4;
  a = a * r + 6.7265770927008700853e+4;
  a = a * r + 4.5921953931549871457e+4;
  a = a * r + 1.3731693765509461125e+4;
  a = a * r + 1.9715909503065514427e+3;
  a = a * r + 1.3314166789178437745e+2;
  a = a * r + 3.3871328727963666080e+0;
  b = b * r + 2.8729085735721942674e+4;
  b = b * r + 3.9307895800092710610e+4;
  b = b * r + 2.1213794301586595867e+4;
  b = b * r + 5.3941960214247511077e+3;
  b = b * r + 6.8718700749205790830e+2;
  b = b * r + 4.2313330701600911252e+1;
  b = b * r + 1.0;
  return q * a / b;
}

/* |z| for 0.425 < |q| < 1/2 - 1e-11, from s = -log(1/2 - |q|). */
LR_INSIDE double lr_quantile_tail(double s)
{
  double r = sqrt(s) - 1.6;
  double c = 7.74545014278341407640e-4, d = 1.05075007164441684324e-9;
  c = c * r + 2.27238449892691845833e-2;
  c = c * r + 2.41780725177450611770e-1;
  c = c * r + 1.27045825245236838258e+0;
  c = c * r + 3.64784832476320460504e+0;
  c = c * r + 5.76949722146069140550e+0;
  c = c * r + 4.63033784615654529590e+0;
  c = c * r + 1.42343711074968357734e+0;
  d = d * r + 5.47593808499534494600e-4;
  d = d * r + 1.51986665636164571966e-2;
  d = d * r + 1.48103976427480074590e-1;
  d = d * r + 6.89767334985100004550e-1;
  d = d * r + 1.67638483018380384940e+0;
  d = d * r + 2.05319162663775882187e+0;
  d = d * r + 1.0;
  return c / d;
}

LR_INSIDE double lr_quantile(double q)
{
  if (fabs(q) <= 0.425) return lr_quantile_middle(q);
  return copysign(lr_quantile_tail(-lr_log_normal(0.5 - fabs(q))), q);
}

#endif
