/* Little-endian numbers and checksums of a journal's blobs. */
#include "codec.h"

#include <string.h>

void lr_put_u64(char *to, uint64_t value)
{
  for (int i = 0; i < 8; i++) to[i] = (char)(unsigned char)(value >> (8 * i));
}

uint64_t lr_get_u64(const char *from)
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++)
    value |= (uint64_t)(unsigned char)from[i] << (8 * i);
  return value;
}

void lr_put_doubles(char *to, const double *x, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    lr_put_u64(to + 8 * i, bits);
  }
}

void lr_get_doubles(double *x, const char *from, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = lr_get_u64(from + 8 * i);
    memcpy(x + i, &bits, sizeof bits);
  }
}

uint64_t lr_sum_u64(uint64_t sum, uint64_t value)
{
  sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ (sum >> 29);
}

uint64_t lr_sum_bytes(uint64_t sum, const void *bytes, size_t size)
{
  const char *from = bytes;
  char last[8] = {0};
  sum = lr_sum_u64(sum, size + 1); /* makes "ab","c" differ from "a","bc" */
  size_t i = 0;
  for (; i + 8 <= size; i += 8) sum = lr_sum_u64(sum, lr_get_u64(from + i));
  if (i < size) memcpy(last, from + i, size - i);
  return i < size ? lr_sum_u64(sum, lr_get_u64(last)) : sum;
}
