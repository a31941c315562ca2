/* Low rank with limits: t = A'x, A p x r with orthonormal columns; the
 * objective is sum k_i (t_i - c_i)^2 / 2 + sum (t_i - c_i)^4 / 40 with
 * curvatures k_i from 1 to `condition`, and q outputs b_j't + t'C_j t / 4 stay
 * below limits that cut the minimum off.  All outputs vary along the r columns
 * of A alone. */
#include "base/elementary.h"
#include "base/vector.h"
#include "kind.h"

#include <limits.h>
#include <math.h>

static const lr_parameter parameters[] = {
    {"p",         "1000", "dimension"                               },
    {"rank",      "10",   "directions along which outputs vary"     },
    {"limits",    "5",    "outputs with limits; 0: none"            },
    {"condition", "10",   "ratio of the curvatures of the objective"},
    {"seed",      "1",    "of everything that is random"            },
};

typedef struct family {
  size_t r, q;
  const double *A, *c, *k; /* p x r, r, r */
  const double *b, *C;     /* r x q; r x r x q, symmetric */
} family;

static void answer(size_t p, const double *x, size_t m, double *y, void *user)
{
  const family *f = ((const lr_problem *)user)->data;
  double small[LR_SMALL], *t;
  size_t r = f->r;
  (void)m;
  t = lr_room(small, sizeof small, 2 * r * sizeof *t);
  for (size_t j = 0; j <= f->q; j++) y[j] = NAN;
  if (!t) return;
  double *s = t + r;
  lr_gemv_t(p, r, f->A, p, x, t);
  y[0] = 0;
  for (size_t i = 0; i < r; i++) {
    double d = t[i] - f->c[i];
    y[0] += 0.5 * f->k[i] * d * d + d * d * d * d / 40;
  }
  for (size_t j = 0; j < f->q; j++) {
    for (size_t i = 0; i < r; i++) s[i] = lr_dot(r, f->C + (j * r + i) * r, t);
    y[j + 1] = lr_dot(r, f->b + j * r, t) + 0.25 * lr_dot(r, t, s);
  }
  lr_room_free(t, small);
}

/* f alone, where there are no limits. */
static double value(size_t p, const double *x, void *user)
{
  double f;
  answer(p, x, 1, &f, user);
  return f;
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const family *f = ((const lr_problem *)user)->data;
  double small[LR_SMALL], sum = 0;
  double *t = lr_room(small, sizeof small, f->r * sizeof *t);
  if (!t) return NAN;
  lr_gemv_t(p, f->r, f->A, p, x, t);
  for (size_t i = 0; i < p; i++) g[i] = 0;
  for (size_t i = 0; i < f->r; i++) {
    double d = t[i] - f->c[i];
    sum += 0.5 * f->k[i] * d * d + d * d * d * d / 40;
    lr_axpy(p, f->k[i] * d + d * d * d / 10, f->A + i * p, g);
  }
  lr_room_free(t, small);
  return sum;
}

/* Without limits f is least, 0, at A c. */
static lrgd_status give_value(lr_problem *problem, lr_reader *reader,
                              const double *best)
{
  problem->minimiser =
      lr_problem_copy(problem, reader, problem->callbacks.dimension, best);
  problem->minimum = 0;
  lr_problem_answers(problem, value, gradient);
  return reader->status;
}

/* C = D D' / r, D random: convex outputs. */
static void draw_curvature(lr_dice dice, size_t r, double *C, double *D)
{
  lr_dice_normals(dice, r * r, D);
  for (size_t i = 0; i < r; i++)
    for (size_t j = 0; j < r; j++)
      C[i * r + j] = lr_dot(r, D + i * r, D + j * r) / (double)r;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t r = lr_reader_rank(reader, "rank", p);
  size_t q = lr_reader_size(reader, "limits", 0, 64);
  double condition = lr_reader_positive(reader, "condition");
  uint64_t seed = lr_reader_seed(reader);
  double lower[65], upper[65] = {INFINITY};
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  double *A = lr_random_basis(problem, reader, r, seed);
  double *c = lr_problem_numbers(problem, reader, r, 2), *k;
  double *b = lr_problem_numbers(problem, reader, r, q + 1);
  double *C = lr_problem_numbers(problem, reader, r * r, q + 1);
  family *f = lr_problem_bytes(problem, reader, sizeof *f);
  if (reader->status) return reader->status;
  k = c + r;
  lr_dice_normals((lr_dice){seed, LR_STREAM_CENTRE}, r, c);
  lr_dice_normals((lr_dice){seed, LR_STREAM_LABELS}, r * q, b);
  for (size_t i = 0; i < r; i++)
    k[i] = lr_pow(condition, r > 1 ? (double)i / ((double)r - 1) : 0);
  for (size_t j = 0; j < q; j++)
    draw_curvature((lr_dice){seed + 1000 * (j + 1), LR_STREAM_NOISE}, r,
                   C + j * r * r, C + q * r * r);
  *f = (family){r, q, A, c, k, b, C};
  problem->data = f;
  problem->rank = r;
  for (size_t j = 0; j <= q; j++) lower[j] = -INFINITY;
  /* towards c an output grows: half of what it is there is allowed */
  double at[65];
  for (size_t i = 0; i < r; i++) lr_axpy(p, c[i], A + i * p, problem->start);
  answer(p, problem->start, q + 1, at, problem);
  if (q == 0 && give_value(problem, reader, problem->start))
    return reader->status;
  for (size_t i = 0; i < p; i++) problem->start[i] = 0;
  for (size_t j = 1; j <= q; j++) upper[j] = at[j] > 0 ? 0.5 * at[j] : 0.5;
  if (q == 0) return reader->status;
  return lr_problem_give_limits(problem, reader, q + 1, answer, lower, upper);
}

const lr_problem_kind lr_kind_limited_quadratic = {
    "limited-quadratic", "low rank with limits on outputs", parameters,
    sizeof parameters / sizeof parameters[0], build};
