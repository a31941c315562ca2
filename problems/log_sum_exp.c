/* f(x) = mu log sum_i (exp(t_i / mu) + exp(-t_i / mu)), t = C A^T (x - c): a
 * smooth maximum of |t_1| ... |t_m|.  The terms come in pairs so that the
 * minimum is known: by symmetry the gradient is 0 at c, f is convex, and
 * f(c) = mu log(2 m).  Rows of C have norm one, so L = 1/mu from above:
 * the Hessian is at most sum_i w_i c_i c_i^T / mu with weights of sum one. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "analytic.h"
#include "base/vector.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension"                                          },
    {"rank", "5",   "dimension of the space the t_i depend on; at most p"},
    {"m",    "50",  "pairs of terms; at least rank"                      },
    {"mu",   "1",   "smoothing: small is close to the maximum; > 0"      },
    {"seed", "1",   "of C, A and c"                                      },
};

typedef struct terms {
  size_t m, q;
  const double *C; /* m x q by columns; rows divided by mu */
  double mu;
} terms;

/* Replaces the rows t_i by the weights exp(t - top) - exp(-t - top) and
 * returns the sum of exp(t - top) + exp(-t - top). */
static double weigh(size_t rows, double *t, double top)
{
  double sum = 0;
  for (size_t i = 0; i < rows; i++) {
    double up = lr_exp(t[i] - top), down = lr_exp(-t[i] - top);
    sum += up + down;
    t[i] = up - down;
  }
  return sum;
}

/* One pass over blocks of rows; top is the largest |t_i| so far, and what was
 * summed before a larger one came is scaled down to it. */
static double terms_h(const void *data, const double *z, double *dz)
{
  const terms *s = data;
  double t[LR_SMALL], top = 0, sum = 0;
  for (size_t j = 0; dz && j < s->q; j++) dz[j] = 0;
  for (size_t first = 0; first < s->m; first += LR_SMALL) {
    size_t rows = s->m - first < LR_SMALL ? s->m - first : LR_SMALL;
    double before = top;
    memset(t, 0, rows * sizeof *t);
    lr_gemv(rows, s->q, s->C + first, s->m, z, t);
    for (size_t i = 0; i < rows; i++) top = fmax(top, fabs(t[i]));
    sum = sum * lr_exp(before - top) + weigh(rows, t, top);
    if (!dz) continue;
    lr_scale(s->q, lr_exp(before - top), dz);
    for (size_t j = 0; j < s->q; j++)
      dz[j] += s->mu * lr_dot(rows, s->C + j * s->m + first, t);
  }
  if (dz) lr_scale(s->q, 1 / sum, dz);
  return s->mu * (top + lr_log(sum));
}

static double complex terms_h_complex(const void *data, const double complex *z)
{
  const terms *s = data;
  double complex sum = 0;
  double top = 0;
  for (size_t i = 0; i < s->m; i++)
    top = fmax(top, fabs(creal(lr_samples_row(s->m, s->q, s->C, i, z))));
  for (size_t i = 0; i < s->m; i++) {
    double complex t = lr_samples_row(s->m, s->q, s->C, i, z);
    sum += lr_cexp(t - top) + lr_cexp(-t - top);
  }
  return s->mu * (top + lr_clog(sum));
}

static double *draw_rows(lr_problem *problem, lr_reader *reader, const terms *s,
                         uint64_t seed)
{
  double *C = lr_problem_numbers(problem, reader, s->m, s->q);
  if (!C) return NULL;
  lr_dice_normals((lr_dice){seed, LR_STREAM_SAMPLES}, s->m * s->q, C);
  for (size_t i = 0; i < s->m; i++) {
    double squares = 0;
    for (size_t j = 0; j < s->q; j++)
      squares += C[j * s->m + i] * C[j * s->m + i];
    for (size_t j = 0; j < s->q; j++)
      C[j * s->m + i] *= 1 / (sqrt(squares) * s->mu);
  }
  return C;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t rank = lr_reader_rank(reader, "rank", p);
  size_t m = lr_reader_size(reader, "m", 1, INT_MAX);
  double mu = lr_reader_positive(reader, "mu"), *c;
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = rank, .h = terms_h, .h_complex = terms_h_complex};
  terms *s;
  if (m < rank)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "rank %zu exceeds the number of pairs m %zu", rank, m);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  c = lr_problem_numbers(problem, reader, p, 1);
  s = lr_problem_bytes(problem, reader, sizeof *s);
  f.A = lr_random_basis(problem, reader, rank, seed);
  if (reader->status) return reader->status;
  *s = (terms){.m = m, .q = rank, .mu = mu};
  s->C = draw_rows(problem, reader, s, seed);
  f.data = s;
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, c);
  f.shift = lr_composite_shift(problem, reader, &f, c);
  problem->rank = rank;
  problem->minimum = mu * lr_log(2 * (double)m);
  problem->minimiser = c;
  problem->smoothness = 1 / mu;
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_log_sum_exp = {
    "log-sum-exp", "smooth maximum of the sizes of linear functions",
    parameters, sizeof parameters / sizeof parameters[0], build};
