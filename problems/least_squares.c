/* f(x) = |X x - y|^2 / (2 n) with X = C A^T of rank r: n samples whose p
 * features lie in an r-dimensional space (A: p x r orthonormal, C: n x r
 * Gaussian).  y = X c + noise, the noise made orthogonal to the columns of X,
 * so that c is a minimiser and the minimum is |noise|^2 / (2 n). */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",     "100", "dimension: number of features"             },
    {"rank",  "5",   "rank of the n x p matrix; at most p"       },
    {"n",     "200", "samples; at least rank"                    },
    {"noise", "0.1", "standard deviation of the noise in y; >= 0"},
    {"seed",  "1",   "of the matrix, c and the noise"            },
};

static double phi(double t, double y, double *slope)
{
  if (slope) *slope = t - y;
  return 0.5 * (t - y) * (t - y);
}

static double complex phi_complex(double complex t, double y)
{
  return 0.5 * (t - y) * (t - y);
}

/* y = noise * (e - Q Q^T e) for Gaussian e and Q spanning the columns of C;
 * returns |y|^2. */
static double draw_noise(lr_problem *problem, lr_reader *reader,
                         const lr_samples *s, lr_dice dice, double *y)
{
  double noise = lr_reader_real(reader, "noise", 0);
  double *Q = lr_problem_copy(problem, reader, s->n * s->q, s->C);
  double *work = lr_problem_numbers(problem, reader, s->q, 1);
  if (reader->status) return NAN;
  for (size_t i = 0; i < s->n; i++) y[i] = noise * lr_dice_normal(dice, i);
  lr_orthonormalise(s->n, s->q, Q, work);
  for (int pass = 0; pass < 2; pass++) {
    lr_gemv_t(s->n, s->q, Q, s->n, y, work);
    lr_scale(s->q, -1, work);
    lr_gemv(s->n, s->q, Q, s->n, work, y);
  }
  return lr_dot(s->n, y, y);
}

/* Samples and answers; the composite's A is there already. */
static lrgd_status draw(lr_problem *problem, lr_reader *reader, lr_composite *f,
                        lr_samples *s, uint64_t seed)
{
  size_t p = problem->callbacks.dimension, n = s->n;
  double *c = lr_problem_numbers(problem, reader, p, 1);
  double *C = lr_problem_numbers(problem, reader, n, s->q);
  double *y = lr_problem_numbers(problem, reader, n, 1), *z, squares;
  if (reader->status) return reader->status;
  lr_dice_normals((lr_dice){seed, LR_STREAM_SAMPLES}, n * s->q, C);
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, c);
  s->C = C;
  s->y = y;
  squares = draw_noise(problem, reader, s, (lr_dice){seed, LR_STREAM_NOISE}, y);
  z = lr_composite_shift(problem, reader, f, c);
  if (reader->status) return reader->status;
  lr_gemv(n, s->q, C, n, z, y);
  problem->minimiser = c;
  problem->minimum = squares / (2 * (double)n);
  problem->smoothness = lr_gram_bound(problem, reader, n, s->q, C) / (double)n;
  return reader->status;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t rank = lr_reader_rank(reader, "rank", p);
  size_t n = lr_reader_size(reader, "n", 1, INT_MAX);
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {
      .q = rank, .h = lr_samples_h, .h_complex = lr_samples_h_complex};
  lr_samples *s;
  if (n < rank)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "rank %zu exceeds the number of samples n %zu", rank, n);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  f.A = lr_random_basis(problem, reader, rank, seed);
  if (reader->status) return reader->status;
  *s = (lr_samples){.n = n, .q = rank, .phi = phi, .phi_complex = phi_complex};
  f.data = s;
  problem->rank = rank;
  if (draw(problem, reader, &f, s, seed)) return reader->status;
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_least_squares = {
    "least-squares", "linear regression on features of low rank", parameters,
    sizeof parameters / sizeof parameters[0], build};
