/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) and Box-Muller. */
#include "base/random.h"

#include <math.h>

static void philox_round(uint32_t c[4], const uint32_t key[2])
{
  uint64_t a = UINT64_C(0xD2511F53) * c[0];
  uint64_t b = UINT64_C(0xCD9E8D57) * c[2];
  uint32_t c1 = c[1], c3 = c[3];
  c[0] = (uint32_t)(b >> 32) ^ c1 ^ key[0];
  c[1] = (uint32_t)b;
  c[2] = (uint32_t)(a >> 32) ^ c3 ^ key[1];
  c[3] = (uint32_t)a;
}

static void philox(uint64_t seed, uint64_t stream, uint64_t counter,
                   uint32_t out[4])
{
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  out[0] = (uint32_t)counter;
  out[1] = (uint32_t)(counter >> 32);
  out[2] = (uint32_t)stream;
  out[3] = (uint32_t)(stream >> 32);
  for (int round = 0; round < 10; round++) {
    philox_round(out, key);
    key[0] += UINT32_C(0x9E3779B9);
    key[1] += UINT32_C(0xBB67AE85);
  }
}

void lr_gaussian_pair(uint64_t seed, uint64_t stream, uint64_t pair,
                      double z[2])
{
  uint32_t r[4];
  philox(seed, stream, pair, r);
  /* 53 random bits each; the first in (0, 1], so its logarithm is finite */
  uint64_t a = ((uint64_t)r[0] << 21) ^ (r[1] >> 11);
  uint64_t b = ((uint64_t)r[2] << 21) ^ (r[3] >> 11);
  double u = ((double)a + 1.0) * 0x1p-53;
  double radius = sqrt(-2.0 * log(u));
  double angle = 6.283185307179586477 * ((double)b * 0x1p-53);
  z[0] = radius * cos(angle);
  z[1] = radius * sin(angle);
}
