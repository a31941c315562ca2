/* A fit by tanh units within two limits: p = hidden * (inputs + 2) weights,
 *   N(s) = sum_j w_j tanh(W_j . s + b_j),
 * and the outputs
 *   f = mean over samples of (N(s_i) - y_i)^2,
 *   the mean square of the weights, at most `size` of that of the truth, and
 *   the mean of N over the first quarter of the samples, at most its value at
 *   the truth less `lower` times the spread of y.
 * y comes from the truth, a network of the same shape; both limits cut it off.
 * The start is half of the truth plus noise.  x = (W by rows, b, w). */
#include "base/elementary.h"
#include "base/vector.h"
#include "kind.h"

#include <math.h>

static const lr_parameter parameters[] = {
    {"inputs", "7",   "d; the dimension is p = hidden * (inputs + 2)"     },
    {"hidden", "8",   "tanh units"                                        },
    {"n",      "200", "samples"                                           },
    {"size",   "0.7", "limit of the mean square of weights; > 0"          },
    {"lower",  "0.3", "how far the limit of the mean lies below the truth"},
    {"noise",  "0.2", "of the start, beside half of the truth"            },
    {"draw",   "1",   "seed of samples, truth and start"                  },
};

typedef struct fit {
  size_t n, d, h;
  const double *S, *y; /* d x n: one sample after the other; n */
} fit;

static double network(const fit *f, const double *x, const double *s)
{
  const double *b = x + f->h * f->d, *w = b + f->h;
  double sum = 0;
  for (size_t j = 0; j < f->h; j++)
    sum += w[j] * lr_tanh(lr_dot(f->d, x + j * f->d, s) + b[j]);
  return sum;
}

static void answer(size_t p, const double *x, size_t m, double *y, void *user)
{
  const fit *f = ((const lr_problem *)user)->data;
  size_t quarter = f->n / 4;
  (void)m;
  y[0] = y[2] = 0;
  y[1] = lr_dot(p, x, x) / (double)p;
  for (size_t i = 0; i < f->n; i++) {
    double at = network(f, x, f->S + i * f->d), far = at - f->y[i];
    y[0] += far * far / (double)f->n;
    if (i < quarter) y[2] += at / (double)quarter;
  }
}

/* Samples and truth, y, and the start. */
static void draw(lr_problem *problem, fit *f, uint64_t seed, double noise,
                 double *S, double *y, double *truth)
{
  size_t p = problem->callbacks.dimension;
  lr_dice_normals((lr_dice){seed, LR_STREAM_SAMPLES}, f->n * f->d, S);
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, truth);
  lr_scale(f->h * f->d, 1 / sqrt((double)f->d), truth);
  lr_dice_normals((lr_dice){seed, LR_STREAM_START}, p, problem->start);
  lr_scale(p, noise, problem->start);
  lr_axpy(p, 0.5, truth, problem->start);
  for (size_t i = 0; i < f->n; i++) y[i] = network(f, truth, S + i * f->d);
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t d = lr_reader_size(reader, "inputs", 1, 1000);
  size_t h = lr_reader_size(reader, "hidden", 1, 1000);
  size_t n = lr_reader_size(reader, "n", 4, 1000000), p = h * (d + 2);
  double size = lr_reader_positive(reader, "size");
  double below = lr_reader_real(reader, "lower", -INFINITY);
  double noise = lr_reader_real(reader, "noise", 0);
  uint64_t seed = lr_reader_size(reader, "draw", 0, 1000000);
  double low[3], high[3], spread = 0;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  fit *f = lr_problem_bytes(problem, reader, sizeof *f);
  double *S = lr_problem_numbers(problem, reader, d, n);
  double *y = lr_problem_numbers(problem, reader, n, 1);
  double *truth = lr_problem_numbers(problem, reader, p, 1);
  if (reader->status) return reader->status;
  *f = (fit){.n = n, .d = d, .h = h, .S = S, .y = y};
  problem->data = f;
  draw(problem, f, seed, noise, S, y, truth);
  spread = lr_norm(n, y) / sqrt((double)n);
  answer(p, truth, 3, high, problem);
  high[0] = INFINITY, high[1] *= size, high[2] -= below * spread;
  for (size_t i = 0; i < 3; i++) low[i] = -INFINITY;
  return lr_problem_give_limits(problem, reader, 3, answer, low, high);
}

const lr_problem_kind lr_kind_limited_fit = {
    "limited-fit", "a fit by tanh units within two limits", parameters,
    sizeof parameters / sizeof parameters[0], build};
