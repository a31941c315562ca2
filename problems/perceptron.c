/* Regression by a network with one hidden layer of h tanh units:
 *   f(x) = 1/(2n) sum_i (w . tanh(W s_i + b) + a - y_i)^2,
 * x = (W by rows: h x d, b: h, w: h, a: 1), so p = h (d + 2) + 1.
 * Answers y come from a random network of the same shape, plus noise: without
 * noise the minimum is 0.  The inputs s_i lie in a space of `latent`
 * dimensions: every row of W matters only there, and the rank is
 * h (latent + 2) + 1, given samples enough. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "analytic.h"
#include "base/vector.h"
#include "composite.h"

static const lr_parameter parameters[] = {
    {"inputs", "20",  "d; the dimension is p = hidden * (inputs + 2) + 1"       },
    {"hidden", "4",   "h, tanh units"                                           },
    {"latent", "2",   "dimension of the space the inputs lie in; at most inputs"},
    {"n",      "100", "samples"                                                 },
    {"noise",  "0",   "standard deviation of the noise in y; >= 0"              },
    {"seed",   "1",   "of samples, answers and start"                           },
};

typedef struct network {
  size_t n, d, h;
  const double *S; /* d x n: one sample after the other */
  const double *y; /* n numbers */
} network;

/* Answers minus targets go to e (n); the units' outputs to T (h x n). */
static void forward(const network *net, const double *x, double *T, double *e)
{
  size_t n = net->n, d = net->d, h = net->h;
  const double *b = x + h * d, *w = b + h, *a = w + h;
  for (size_t i = 0; i < n; i++) { /* W by rows is W^T (d x h) by columns */
    lr_gemv_t(d, h, x, d, net->S + i * d, T + i * h);
    lr_axpy(h, 1, b, T + i * h);
  }
  for (size_t i = 0; i < h * n; i++) T[i] = lr_tanh(T[i]);
  lr_gemv_t(h, n, T, h, w, e);
  for (size_t i = 0; i < n; i++) e[i] += *a - net->y[i];
}

/* dW = S D^T, db = D 1, dw = T e, da = 1 . e (all over n) with the errors
 * sent back, D_ji = e_i w_j (1 - T_ji^2); T is overwritten by D. */
static void backward(const network *net, const double *x, double *T,
                     const double *e, double *g)
{
  size_t n = net->n, d = net->d, h = net->h;
  const double *w = x + h * d + h;
  double *db = g + h * d, *dw = db + h, *da = dw + h;
  double part = 1 / (double)n;
  memset(dw, 0, h * sizeof *dw);
  lr_gemv(h, n, T, h, e, dw);
  lr_scale(h, part, dw);
  *da = 0;
  for (size_t j = 0; j < h; j++) db[j] = 0;
  for (size_t i = 0; i < n; i++) {
    *da += part * e[i];
    for (size_t j = 0; j < h; j++) {
      double *t = &T[i * h + j];
      *t = part * e[i] * w[j] * (1 - *t * *t);
      db[j] += *t;
    }
  }
  memset(g, 0, d * h * sizeof *g);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < h; j++)
      lr_axpy(d, T[i * h + j], net->S + i * d, g + j * d);
}

/* f(x), and its gradient where g is not NULL. */
static double evaluate(const network *net, size_t p, const double *x, double *g)
{
  size_t need = net->n * (net->h + 1);
  double small[2 * LR_SMALL], f = NAN;
  double *T = lr_room(small, sizeof small, need * sizeof *T), *e;
  for (size_t i = 0; g && !T && i < p; i++) g[i] = NAN;
  if (!T) return NAN;
  e = T + net->n * net->h;
  forward(net, x, T, e);
  f = lr_dot(net->n, e, e) / (2 * (double)net->n);
  if (g) backward(net, x, T, e, g);
  lr_room_free(T, small);
  return f;
}

static double network_value(size_t p, const double *x, void *user)
{
  return evaluate(((const lr_problem *)user)->data, p, x, NULL);
}

static double network_gradient(size_t p, const double *x, double *g, void *user)
{
  return evaluate(((const lr_problem *)user)->data, p, x, g);
}

static double complex at(const lrgd_complex *x)
{
  return x->re + x->im * I;
}

static lrgd_complex network_complex(size_t p, const lrgd_complex *x, void *user)
{
  const network *net = ((const lr_problem *)user)->data;
  size_t d = net->d, h = net->h;
  double complex sum = 0;
  for (size_t i = 0; i < net->n; i++) {
    double complex e = at(&x[p - 1]) - net->y[i];
    for (size_t j = 0; j < h; j++) {
      double complex t = at(&x[h * d + j]);
      for (size_t l = 0; l < d; l++) t += at(&x[j * d + l]) * net->S[i * d + l];
      e += at(&x[h * d + h + j]) * lr_ctanh(t);
    }
    sum += e * e;
  }
  sum /= 2 * (double)net->n;
  return (lrgd_complex){creal(sum), cimag(sum)};
}

/* Inputs S = B Z: B (d x latent) orthonormal, Z Gaussian. */
static double *draw_inputs(lr_problem *problem, lr_reader *reader,
                           const network *net, size_t latent, uint64_t seed)
{
  double *S = lr_problem_numbers(problem, reader, net->d, net->n);
  double *B = lr_problem_numbers(problem, reader, net->d, latent);
  double *Z = lr_problem_numbers(problem, reader, latent, net->n);
  double *work = lr_problem_numbers(problem, reader, latent, 1);
  if (reader->status) return NULL;
  lr_dice_normals((lr_dice){seed, LR_STREAM_A}, net->d * latent, B);
  lr_dice_normals((lr_dice){seed, LR_STREAM_SAMPLES}, latent * net->n, Z);
  lr_orthonormalise(net->d, latent, B, work);
  lr_gemm(net->d, net->n, latent, B, net->d, Z, S, net->d);
  return S;
}

/* y: what the network at x answers, plus noise. */
static lrgd_status draw_answers(lr_problem *problem, lr_reader *reader,
                                network *net, const double *x, lr_dice dice)
{
  double noise = lr_reader_real(reader, "noise", 0);
  double *zero = lr_problem_numbers(problem, reader, net->n, 1);
  double *y = lr_problem_numbers(problem, reader, net->n, 1);
  double *T = lr_problem_numbers(problem, reader, net->h, net->n);
  if (reader->status) return reader->status;
  net->y = zero;
  forward(net, x, T, y);
  for (size_t i = 0; i < net->n; i++) y[i] += noise * lr_dice_normal(dice, i);
  net->y = y;
  if (noise == 0) {
    problem->minimum = 0;
    problem->minimiser = x;
  }
  return reader->status;
}

static lrgd_status draw(lr_problem *problem, lr_reader *reader, network *net,
                        size_t latent)
{
  size_t p = problem->callbacks.dimension;
  uint64_t seed = lr_reader_seed(reader);
  double *teacher = lr_problem_numbers(problem, reader, p, 1);
  net->S = draw_inputs(problem, reader, net, latent, seed);
  if (reader->status) return reader->status;
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, p, teacher);
  lr_dice_normals((lr_dice){seed, LR_STREAM_START}, p, problem->start);
  /* small but not 0, where all units would be alike */
  lr_scale(p, 0.5, problem->start);
  return draw_answers(problem, reader, net, teacher,
                      (lr_dice){seed, LR_STREAM_NOISE});
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  enum { MOST = 30000 }; /* so that h (d + 2) + 1 and h n stay below 2^31 */
  size_t d = lr_reader_size(reader, "inputs", 1, MOST);
  size_t h = lr_reader_size(reader, "hidden", 1, MOST);
  size_t n = lr_reader_size(reader, "n", 1, MOST);
  size_t latent = lr_reader_size(reader, "latent", 1, MOST);
  network *net;
  if (latent > d)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "latent %zu exceeds inputs %zu",
                   latent, d);
  if (lr_problem_begin(problem, reader, h * (d + 2) + 1)) return reader->status;
  net = lr_problem_bytes(problem, reader, sizeof *net);
  if (!net) return reader->status;
  *net = (network){.n = n, .d = d, .h = h};
  if (draw(problem, reader, net, latent)) return reader->status;
  problem->data = net;
  problem->rank = n >= latent ? h * (latent + 2) + 1 : 0;
  lr_problem_answers(problem, network_value, network_gradient);
  problem->callbacks.complex_value = network_complex;
  return LRGD_OK;
}

const lr_problem_kind lr_kind_perceptron = {
    "network", "regression by a network with one hidden tanh layer", parameters,
    sizeof parameters / sizeof parameters[0], build};
