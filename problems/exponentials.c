/* A sum of decays fitted to a curve: n = p / 2 terms a_j exp(-k_j t),
 * x = (a_1 ... a_n, log k_1 ... log k_n), seen at m times from 0.01 to 10 in
 * equal ratios.  f(x) = mean square of the difference to the curve of a true
 * x: there lies the minimum 0.  Decays are hard to tell apart: the eigenvalues
 * of the Hessian fall by orders of magnitude, one after the other. */
#include <limits.h>
#include <math.h>

#include "base/elementary.h"
#include "kind.h"

static const lr_parameter parameters[] = {
    {"p",    "50", "dimension: even, two for each term"},
    {"m",    "60", "times"                             },
    {"seed", "1",  "of the true terms and of the start"},
};

typedef struct decays {
  size_t n, m;
  const double *t, *y; /* m numbers each */
} decays;

static double curve(const decays *d, const double *x, double t)
{
  double sum = 0;
  for (size_t j = 0; j < d->n; j++)
    sum += x[j] * lr_exp(-lr_exp(x[d->n + j]) * t);
  return sum;
}

static void add_gradient(const decays *d, const double *x, double t,
                         double weight, double *g)
{
  for (size_t j = 0; j < d->n; j++) {
    double rate = lr_exp(x[d->n + j]), fall = lr_exp(-rate * t);
    g[j] += weight * fall;
    g[d->n + j] -= weight * x[j] * fall * rate * t;
  }
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const decays *d = ((const lr_problem *)user)->data;
  double sum = 0;
  for (size_t i = 0; g && i < p; i++) g[i] = 0;
  for (size_t i = 0; i < d->m; i++) {
    double far = curve(d, x, d->t[i]) - d->y[i];
    sum += far * far;
    if (g) add_gradient(d, x, d->t[i], 2 * far / (double)d->m, g);
  }
  return sum / (double)d->m;
}

static double value(size_t p, const double *x, void *user)
{
  return gradient(p, x, NULL, user);
}

static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const decays *d = ((const lr_problem *)user)->data;
  (void)p;
  for (size_t i = 0; i < m; i++)
    F[i] = sqrt(2 / (double)m) * (curve(d, x, d->t[i]) - d->y[i]);
}

/* True rates cover the times seen, amplitudes are of either sign but mostly
 * positive; the start is off by a fifth or so in everything. */
static void draw(const decays *d, uint64_t seed, double *best, double *start)
{
  lr_dice dice = {seed, LR_STREAM_CENTRE}, off = {seed, LR_STREAM_START};
  size_t n = d->n;
  for (size_t j = 0; j < n; j++) {
    double at = ((double)j + 0.5) / (double)n;
    best[j] = (1 + 0.5 * lr_dice_normal(dice, j)) / (double)n;
    best[n + j] =
        lr_log(0.1) + at * lr_log(1e3) + 0.3 * lr_dice_normal(dice, n + j);
    start[j] = best[j] + 0.5 / (double)n * lr_dice_normal(off, j);
    start[n + j] = best[n + j] + 0.3 * lr_dice_normal(off, n + j);
  }
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t m = lr_reader_size(reader, "m", 2, INT_MAX);
  uint64_t seed = lr_reader_seed(reader);
  double *t, *y, *best;
  decays *d;
  if (p % 2 != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "p %zu is not even", p);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  t = lr_problem_numbers(problem, reader, m, 1);
  y = lr_problem_numbers(problem, reader, m, 1);
  best = lr_problem_numbers(problem, reader, p, 1);
  d = lr_problem_bytes(problem, reader, sizeof *d);
  if (reader->status) return reader->status;
  *d = (decays){p / 2, m, t, y};
  draw(d, seed, best, problem->start);
  for (size_t i = 0; i < m; i++) {
    t[i] = 0.01 * lr_pow(1e3, (double)i / ((double)m - 1));
    y[i] = curve(d, best, t[i]);
  }
  problem->data = d;
  problem->minimum = 0;
  problem->minimiser = best;
  lr_problem_answers(problem, value, gradient);
  lr_problem_give_residuals(problem, m, residuals);
  return reader->status;
}

const lr_problem_kind lr_kind_exponentials = {
    "exponentials", "a sum of decays fitted to a curve", parameters,
    sizeof parameters / sizeof parameters[0], build};
