/* Projections on a box together with A x = b: which coordinates of the nearest
 * point are at bounds is exact, as certificates depend on it. */
#include "polytope/polytope.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { INPUTS = 9, ROWS = 2, TIMES = 200 };

typedef struct setting {
  double R[ROWS * INPUTS], t[ROWS], lower[INPUTS], upper[INPUTS], x[INPUTS];
  lr_polytope P;
} setting;

/* Orthonormal rows, by Gram-Schmidt twice. */
static void make_rows(setting *s, uint64_t seed, const double *size)
{
  lr_gaussian(seed, 1, 0, ROWS * INPUTS, s->R);
  for (int i = 0; i < ROWS; i++) {
    double *row = s->R + i * INPUTS;
    for (int j = 0; j < INPUTS; j++) row[j] /= size[j];
    for (int k = 0; k < 2 * i; k++) {
      const double *other = s->R + k % i * INPUTS;
      lr_axpy(INPUTS, -lr_dot(INPUTS, other, row), other, row);
    }
    lr_scale(INPUTS, 1 / lr_norm(INPUTS, row), row);
  }
}

/* A box of sizes between 1 and 1e4, a plane through a point inside it, and a
 * point outside both. */
static void make(setting *s, uint64_t seed)
{
  double size[INPUTS], inside[INPUTS], share[INPUTS];
  lr_gaussian(seed, 2, 0, INPUTS, share);
  for (int j = 0; j < INPUTS; j++) {
    size[j] = pow(10, 4.0 * j / (INPUTS - 1));
    s->lower[j] = size[j] * (share[j] - 1);
    s->upper[j] = size[j] * (share[j] + 1);
    inside[j] = size[j] * (share[j] + 0.5 * sin(7 * share[j]));
  }
  make_rows(s, seed, size);
  for (int i = 0; i < ROWS; i++)
    s->t[i] = lr_dot(INPUTS, s->R + i * INPUTS, inside);
  lr_gaussian(seed, 3, 0, INPUTS, s->x);
  for (int j = 0; j < INPUTS; j++) s->x[j] = 3 * size[j] * s->x[j];
  require(lr_polytope_init(&s->P, INPUTS, ROWS, s->R, s->t, s->lower, s->upper,
                           lr_policy_current(), &lr_malloc) == LRGD_OK,
          "memory");
}

TEST("a projected point is at its bounds exactly, or clearly away from them")
{
  int at = 0;
  for (uint64_t seed = 1; seed <= TIMES; seed++) {
    setting s;
    make(&s, seed);
    (void)lr_polytope_project(&s.P, s.x);
    for (int j = 0; j < INPUTS; j++) {
      double gap = fmin(s.x[j] - s.lower[j], s.upper[j] - s.x[j]);
      at += gap == 0;
      check(gap == 0 || gap > 1e-12, "seed %d, input %d: %g beside a bound",
            (int)seed, j, gap);
    }
    lr_polytope_clear(&s.P);
  }
  check(at > TIMES, "bounds hold %d inputs of %d", at, TIMES * INPUTS);
}

TEST("a point of the polytope is its own projection, to the last bit")
{
  for (uint64_t seed = 1; seed <= TIMES; seed++) {
    setting s;
    double before[INPUTS];
    make(&s, seed);
    (void)lr_polytope_project(&s.P, s.x);
    memcpy(before, s.x, sizeof before);
    double off = lr_polytope_project(&s.P, s.x);
    check(memcmp(before, s.x, sizeof before) == 0, "seed %d: it moved",
          (int)seed);
    check(off <= 1e-10, "seed %d: %g off the plane", (int)seed, off);
    lr_polytope_clear(&s.P);
  }
}
