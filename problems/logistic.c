/* f(x) = 1/n sum_i log(1 + exp(-y_i a_i . x)) + lambda/2 |x|^2: logistic
 * regression on n samples whose features a_i lie in an r-dimensional space.
 * Labels y_i = +-1 follow a random direction; a part of them is flipped, which
 * keeps the samples from being separable (then there would be no minimiser).
 * lambda > 0 touches every direction: the rank is p, but from the start 0 the
 * gradients stay in r dimensions. */
#include <limits.h>
#include <math.h>

#include "analytic.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",      "100", "dimension: number of features"                        },
    {"rank",   "5",   "dimension of the space the features lie in; at most p"},
    {"n",      "200", "samples"                                              },
    {"lambda", "0",   "ridge: lambda/2 |x|^2 is added; >= 0"                 },
    {"flip",   "0.1", "part of the labels that is flipped; from 0 to 0.5"    },
    {"seed",   "1",   "of samples and labels"                                },
};

/* log(1 + exp(-m)) at the margin m = y t, by the branch that cannot overflow */
static double phi(double t, double y, double *slope)
{
  double margin = y * t, small = lr_exp(-fabs(margin));
  if (slope) *slope = -y * (margin > 0 ? small : 1) / (1 + small);
  return lr_log1p(small) + (margin > 0 ? 0 : -margin);
}

static double complex phi_complex(double complex t, double y)
{
  double complex margin = y * t;
  if (creal(margin) > 0) return lr_clog(1 + lr_cexp(-margin));
  return lr_clog(1 + lr_cexp(margin)) - margin;
}

static lrgd_status draw(lr_problem *problem, lr_reader *reader, lr_samples *s,
                        double flip, uint64_t seed)
{
  double *C = lr_problem_numbers(problem, reader, s->n, s->q);
  double *y = lr_problem_numbers(problem, reader, s->n, 1);
  lr_dice direction = {seed, LR_STREAM_CENTRE}, coin = {seed, LR_STREAM_LABELS};
  if (reader->status) return reader->status;
  lr_dice_normals((lr_dice){seed, LR_STREAM_SAMPLES}, s->n * s->q, C);
  for (size_t i = 0; i < s->n; i++) {
    double t = 0;
    for (size_t j = 0; j < s->q; j++)
      t += C[i + j * s->n] * lr_dice_normal(direction, j);
    y[i] = (t > 0) == (lr_dice_uniform(coin, i) > flip) ? 1 : -1;
  }
  s->C = C;
  s->y = y;
  return reader->status;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t rank = lr_reader_rank(reader, "rank", p);
  size_t n = lr_reader_size(reader, "n", 1, INT_MAX);
  double lambda = lr_reader_real(reader, "lambda", 0);
  double flip = lr_reader_real(reader, "flip", 0);
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = rank,
                    .tail = 0.5 * lambda,
                    .h = lr_samples_h,
                    .h_complex = lr_samples_h_complex};
  lr_samples *s;
  if (!(flip <= 0.5))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "flip %.60s is more than 0.5",
                   lr_reader_text(reader, "flip", NULL));
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  f.A = lr_random_basis(problem, reader, rank, seed);
  if (reader->status) return reader->status;
  *s = (lr_samples){.n = n, .q = rank, .phi = phi, .phi_complex = phi_complex};
  f.data = s;
  if (draw(problem, reader, s, flip, seed)) return reader->status;
  problem->rank = lambda > 0 ? p : n < rank ? n : rank;
  /* phi'' <= 1/4 */
  problem->smoothness =
      lr_gram_bound(problem, reader, n, rank, s->C) / (4 * (double)n) + lambda;
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_logistic = {
    "logistic", "logistic regression on features of low rank", parameters,
    sizeof parameters / sizeof parameters[0], build};
