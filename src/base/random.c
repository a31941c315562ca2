/* Random numbers in bulk.  Written as plain loops over chunks, which compilers
 * turn into vector code: a random direction must cost no more than a few
 * evaluations' worth of work on p numbers. */
#include "base/random.h"

#include "base/elementary.h"
#include "base/normal.h"
#include "base/wide.h"

#include <math.h>
#include <stdbool.h>

enum { CHUNK = 256, BLOCKS = CHUNK / 4 };

void lr_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t out[4])
{
  lr_philox_words(seed, stream, block, out);
}

/* The random words of blocks first .. first + n - 1, BLOCKS at most, in the
 * order of words: the results of lr_philox, many at a time. */
LR_WIDE static void philox_many(uint64_t seed, uint64_t stream, uint64_t first,
                                size_t n, uint32_t c[4][BLOCKS])
{
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  for (size_t i = 0; i < n; i++) {
    c[0][i] = (uint32_t)(first + i);
    c[1][i] = (uint32_t)((first + i) >> 32);
    c[2][i] = (uint32_t)stream;
    c[3][i] = (uint32_t)(stream >> 32);
  }
  for (uint32_t round = 0; round < 10; round++) {
    for (size_t i = 0; i < n; i++) {
      uint64_t a = UINT64_C(0xD2511F53) * c[0][i];
      uint64_t b = UINT64_C(0xCD9E8D57) * c[2][i];
      c[0][i] = (uint32_t)(b >> 32) ^ c[1][i] ^ key0;
      c[1][i] = (uint32_t)b;
      c[2][i] = (uint32_t)(a >> 32) ^ c[3][i] ^ key1;
      c[3][i] = (uint32_t)a;
    }
    key0 += UINT32_C(0x9E3779B9);
    key1 += UINT32_C(0xBB67AE85);
  }
}

/* Computes the numbers in the tails of the distribution, 15 % of all, which are
 * gathered first. */
LR_WIDE static void mend_tails(size_t n, const double *q, double *z)
{
  double far[CHUNK];
  uint32_t at[CHUNK];
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    at[count] = (uint32_t)i;
    count += fabs(q[i]) > 0.425;
  }
  for (size_t i = 0; i < count; i++) far[i] = 0.5 - fabs(q[at[i]]);
  for (size_t i = 0; i < count; i++)
    far[i] = lr_quantile_tail(-lr_log_normal(far[i]));
  for (size_t i = 0; i < count; i++) z[at[i]] = copysign(far[i], q[at[i]]);
}

/* Numbers 4 block .. of whole blocks, CHUNK at most. */
LR_WIDE static void fill(uint64_t seed, uint64_t stream, uint64_t block,
                         size_t blocks, double *z)
{
  double q[CHUNK];
  uint32_t words[4][BLOCKS];
  philox_many(seed, stream, block, blocks, words);
  for (size_t i = 0; i < blocks; i++)
    for (size_t j = 0; j < 4; j++) q[4 * i + j] = lr_centred(words[j][i]);
  for (size_t i = 0; i < 4 * blocks; i++) z[i] = lr_quantile_middle(q[i]);
  mend_tails(4 * blocks, q, z);
}

void lr_gaussian(uint64_t seed, uint64_t stream, uint64_t first, size_t n,
                 double *z)
{
  double part[CHUNK];
  for (size_t done = 0; done < n;) {
    uint64_t at = first + done, block = at / 4;
    size_t skip = (size_t)(at % 4), take = CHUNK - skip;
    if (take > n - done) take = n - done;
    bool whole = take == CHUNK;
    fill(seed, stream, block, (skip + take + 3) / 4, whole ? z + done : part);
    for (size_t i = 0; !whole && i < take; i++) z[done + i] = part[skip + i];
    done += take;
  }
}
