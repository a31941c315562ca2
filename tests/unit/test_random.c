/* Counter-based random numbers: Philox 4x32-10 and the inverse normal law. */
#include "base/random.h"

#include <stdlib.h>

#include "check.h"

TEST("the words are those of Random123's known answers")
{
  static const struct {
    uint64_t counter, stream, seed;
    uint32_t words[4];
  } known[] = {
      {0,                            0, 0,          {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {UINT64_MAX,
       UINT64_MAX,                      UINT64_MAX,
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}                                             },
      {UINT64_C(0x85a308d3243f6a88),
       UINT64_C(0x0370734413198a2e),
       UINT64_C(0x299f31d0a4093822),
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}                                             },
  };
  for (size_t i = 0; i < 3; i++) {
    uint32_t got[4];
    lr_philox(known[i].seed, known[i].stream, known[i].counter, got);
    check(memcmp(got, known[i].words, sizeof got) == 0, "vector %zu", i);
  }
}

enum { PAIRS = 100000 };

static void moments(uint64_t seed, uint64_t stream, double m[5])
{
  for (int k = 0; k < 5; k++) m[k] = 0;
  for (uint64_t i = 0; i < PAIRS; i++) {
    double z[2];
    lr_gaussian(seed, stream, 2 * i, 2, z);
    for (int j = 0; j < 2; j++)
      for (int k = 1; k < 5; k++) m[k] += pow(z[j], k) / (2 * PAIRS);
  }
}

TEST("two hundred thousand numbers have the moments of the normal law")
{
  double m[5], n = 2 * PAIRS;
  moments(1, 1, m);
  /* five standard errors: variances 1, 2, 15 and 96 over n */
  check_within(m[1], 0, 5 * sqrt(1 / n), "mean");
  check_within(m[2], 1, 5 * sqrt(2 / n), "variance");
  check_within(m[3], 0, 5 * sqrt(15 / n), "third moment");
  check_within(m[4], 3, 5 * sqrt(96 / n), "fourth moment");
}

/* Of the numbers with the same index in two streams. */
static double correlation(uint64_t s1, uint64_t t1, uint64_t s2, uint64_t t2)
{
  double sum = 0;
  for (uint64_t i = 0; i < PAIRS; i++) {
    double a[2], b[2];
    lr_gaussian(s1, t1, 2 * i, 2, a);
    lr_gaussian(s2, t2, 2 * i, 2, b);
    sum += a[0] * b[0] + a[1] * b[1];
  }
  return sum / (2 * PAIRS);
}

TEST("neighbouring seeds and streams have nothing in common")
{
  double allowed = 5 / sqrt(2 * PAIRS);
  check_within(correlation(1, 1, 1, 2), 0, allowed, "streams 1 and 2");
  check_within(correlation(1, 1, 2, 1), 0, allowed, "seeds 1 and 2");
  check_within(correlation(1, 2, 2, 1), 0, allowed, "seed and stream swapped");
}

TEST("consecutive random numbers are uncorrelated")
{
  double sum = 0;
  for (uint64_t i = 0; i < PAIRS; i++) {
    double z[2];
    lr_gaussian(3, 5, 2 * i, 2, z);
    sum += z[0] * z[1] / PAIRS;
  }
  check_within(sum, 0, 5 / sqrt(PAIRS), "correlation");
}

TEST("a number does not depend on what was drawn before it")
{
  double forth[1000], back[1000];
  lr_gaussian(9, 7, 3, 1000, forth);
  for (size_t i = 1000; i-- > 0;) lr_gaussian(9, 7, 3 + i, 1, &back[i]);
  check(memcmp(forth, back, sizeof forth) == 0, "forth and back are the same");
}

TEST("no number is infinite or beyond 6.3")
{
  double largest = 0;
  for (uint64_t i = 0; i < PAIRS; i++) {
    double z[2];
    lr_gaussian(11, 0, 2 * i, 2, z);
    largest = fmax(largest, fmax(fabs(z[0]), fabs(z[1])));
  }
  check(largest > 3.5 && largest < 6.3, "the largest is %g", largest);
}

TEST("a Gaussian number is the normal quantile of its random bits")
{
  for (uint64_t i = 0; i < 20000; i++) {
    uint32_t bits[4];
    double z[4];
    lr_philox(5, 2, i, bits);
    lr_gaussian(5, 2, 4 * i, 4, z);
    double want = ((double)bits[i % 4] + 0.5) / 0x1p32;
    double got = 0.5 * erfc(-z[i % 4] / sqrt(2));
    check_within(got, want, 1e-14 + 1e-13 * want, "number %d", (int)i);
  }
}

/* FNV-1a of the bits: vector code of any width, by any compiler, gives them. */
TEST("the numbers have the same bits on every machine")
{
  static double z[100003];
  uint64_t sum = UINT64_C(0xcbf29ce484222325), bits;
  size_t n = sizeof z / sizeof *z;
  lr_gaussian(17, 4, 1, n, z);
  for (size_t i = 0; i < n; i++) {
    memcpy(&bits, &z[i], sizeof bits);
    for (int j = 0; j < 8; j++, bits >>= 8)
      sum = (sum ^ (bits & 255)) * UINT64_C(0x100000001b3);
  }
  check(sum == UINT64_C(0x3d586d03ccdec8e9), "0x%016llx",
        (unsigned long long)sum);
}
