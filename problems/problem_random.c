/* Random numbers and matrices as functions of a seed: no state, any order.
 * The mixing function is that of splitmix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", 2014). */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "kind.h"

static uint64_t mix(uint64_t v)
{
  v += UINT64_C(0x9e3779b97f4a7c15);
  v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
  return v ^ (v >> 31);
}

double lr_dice_uniform(lr_dice dice, uint64_t index)
{
  uint64_t bits = mix(mix(mix(dice.seed) ^ dice.stream) ^ index);
  return (double)((bits >> 11) + 1) * 0x1p-53;
}

/* Box and Muller's transform of two uniform numbers. */
double lr_dice_normal(lr_dice dice, uint64_t index)
{
  const double two_pi = 2 * LR_PI;
  double radius = sqrt(-2 * lr_log(lr_dice_uniform(dice, 2 * index)));
  return radius * lr_cos(two_pi * lr_dice_uniform(dice, 2 * index + 1));
}

void lr_dice_normals(lr_dice dice, size_t count, double *numbers)
{
  for (size_t i = 0; i < count; i++) numbers[i] = lr_dice_normal(dice, i);
}

/* Gram-Schmidt, every column twice: once leaves a loss of orthogonality that
 * grows with the condition of A, twice is enough (Kahan; Parlett, 1980). */
void lr_orthonormalise(size_t p, size_t q, double *A, double *work)
{
  for (size_t j = 0; j < q; j++) {
    double *a = A + j * p;
    for (int pass = 0; pass < 2 && j > 0; pass++) {
      lr_gemv_t(p, j, A, p, a, work);
      lr_scale(j, -1, work);
      lr_gemv(p, j, A, p, work, a);
    }
    lr_scale(p, 1 / lr_norm(p, a), a);
  }
}

double *lr_random_basis(lr_problem *problem, lr_reader *reader, size_t q,
                        uint64_t seed)
{
  size_t p = problem->callbacks.dimension;
  double *A = lr_problem_numbers(problem, reader, p, q);
  double *work = lr_problem_numbers(problem, reader, q, 1);
  if (reader->status) return NULL;
  lr_dice_normals((lr_dice){seed, LR_STREAM_A}, p * q, A);
  lr_orthonormalise(p, q, A, work);
  return A;
}

/* For M = C^T C and m = 2^steps: lambda_1 <= |M^m|_F^(1/m) <= q^(1/2m)
 * lambda_1, so 16 squarings give a bound from above that is 1e-4 off at most
 * for any q up to 2000, and cost 32 q^3.  Each power is scaled to norm one. */
double lr_gram_bound(lr_problem *problem, lr_reader *reader, size_t n, size_t q,
                     const double *C)
{
  enum { STEPS = 16, MOST = 2000 };
  double *M, *square, norm, log_norm = 0;
  if (q > MOST) return NAN;
  M = lr_problem_numbers(problem, reader, q, q);
  square = lr_problem_numbers(problem, reader, q, q);
  if (reader->status) return NAN;
  for (size_t j = 0; j < q; j++) lr_gemv_t(n, q, C, n, C + j * n, M + j * q);
  for (int step = 0; step <= STEPS; step++) {
    norm = lr_norm(q * q, M);
    if (!(norm > 0)) return 0;
    log_norm += ldexp(lr_log(norm), -step);
    lr_scale(q * q, 1 / norm, M);
    lr_gemm(q, q, q, M, q, M, square, q);
    memcpy(M, square, q * q * sizeof *M);
  }
  return lr_exp(log_norm) * (1 + 1e-12); /* the rounding of log and exp */
}
