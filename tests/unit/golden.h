/* Golden bits: inputs made by integer arithmetic and one division by a power of
 * two, and a hash (FNV-1a) of result bits.  Equal hashes on every machine are
 * what liblrgd promises. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GOLDEN_START UINT64_C(14695981039346656037)

/* Bits are taken by value, so that the order of bytes in memory is no matter.
 */
static inline uint64_t golden_bits(uint64_t hash, uint64_t bits)
{
  for (int i = 0; i < 8; i++, bits >>= 8)
    hash = (hash ^ (bits & 255)) * UINT64_C(1099511628211);
  return hash;
}

static inline uint64_t golden_hash(uint64_t hash, size_t n, const double *x)
{
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    hash = golden_bits(hash, bits);
  }
  return hash;
}

static inline uint64_t golden_hash_float(uint64_t hash, size_t n,
                                         const float *x)
{
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, x + i, sizeof bits);
    hash = golden_bits(hash, bits);
  }
  return hash;
}

/* Number i of a stream, in (-1, 1) and of 53 bits (splitmix64). */
static inline double golden_number(uint64_t stream, uint64_t i)
{
  uint64_t z = (stream << 32) + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)((int64_t)z >> 11) / 4503599627370496.0;
}

static inline void golden_fill(uint64_t stream, size_t n, double *x)
{
  for (size_t i = 0; i < n; i++) x[i] = golden_number(stream, i);
}

#endif
