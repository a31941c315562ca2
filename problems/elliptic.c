/* - div(a grad u) = 1 on the unit square with log a a Gaussian random field of
 * p terms; f is the average of u over the right side (Constantine, Dow and
 * Wang, 2014).  u = 0 on the other three sides, no flux through the right one.
 *
 * Bilinear elements on n x n cells, a constant on each: K(a) u = b with K a
 * band matrix, f = c . u.  One factorisation gives the gradient too: with
 * K v = c, df/da_e = -v . K_e u.
 *
 * In the literature the inputs are standard normal; here they are uniform with
 * the same variance, which bounds them by sqrt(3).
 * The covariance exp(-|s - t|_1 / length) has eigenfunctions that are products
 * of cosines and sines (Ghanem and Spanos, 1991). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "band.h"
#include "base/elementary.h"
#include "base/vector.h"
#include "kind.h"

static const lr_parameter parameters[] = {
    {"p",      "100", "terms of the random field; at most 400"   },
    {"length", "1",   "correlation length of the field"          },
    {"cells",  "16",  "of the mesh, along one side; from 4 to 64"},
};

enum { MODES = 40, TERMS = 400 };

typedef struct field {
  size_t n;  /* cells along a side */
  size_t p;  /* terms */
  double *B; /* n*n x p: log a = B x */
} field;

/* ---- the random field ---- */

/* One mode on [0, 1], even or odd about the middle. */
typedef struct mode {
  double omega, lambda, norm;
  int odd;
} mode;

/* c = w tan(w/2) (even), w = -c tan(w/2) (odd), decreasing forms of them. */
static double equation(double w, double c, int odd)
{
  return odd ? w * lr_cos(0.5 * w) + c * lr_sin(0.5 * w)
             : c * lr_cos(0.5 * w) - w * lr_sin(0.5 * w);
}

static mode find_mode(int index, double c)
{
  const double pi = LR_PI;
  mode m = {.odd = index % 2};
  double low = index * pi, high = low + pi;
  double sign = equation(low + 1e-9, c, m.odd) > 0 ? 1 : -1;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    if (sign * equation(middle, c, m.odd) > 0)
      low = middle;
    else
      high = middle;
  }
  m.omega = low;
  m.lambda = 2 * c / (low * low + c * c);
  m.norm = sqrt(0.5 + (m.odd ? -1 : 1) * lr_sin(low) / (2 * low));
  return m;
}

static double mode_at(const mode *m, double s)
{
  double t = m->omega * (s - 0.5);
  return (m->odd ? lr_sin(t) : lr_cos(t)) / m->norm;
}

/* The p largest products lambda_i lambda_j, largest first, as i * MODES + j. */
static void largest_products(const mode *modes, size_t p, int *pairs)
{
  char taken[MODES * MODES] = {0};
  for (size_t k = 0; k < p; k++) {
    double largest = -1;
    for (int m = 0; m < MODES * MODES; m++) {
      double product = modes[m / MODES].lambda * modes[m % MODES].lambda;
      if (taken[m] || !(product > largest)) continue;
      largest = product;
      pairs[k] = m;
    }
    taken[pairs[k]] = 1;
  }
}

static void fill_field(field *f, double length)
{
  mode modes[MODES];
  int pairs[TERMS];
  for (int i = 0; i < MODES; i++) modes[i] = find_mode(i, 1 / length);
  largest_products(modes, f->p, pairs);
  for (size_t k = 0; k < f->p; k++) {
    const mode *a = &modes[pairs[k] / MODES], *b = &modes[pairs[k] % MODES];
    double scale = sqrt(a->lambda * b->lambda), h = 1 / (double)f->n;
    for (size_t e = 0; e < f->n * f->n; e++) {
      size_t i = e / f->n, j = e % f->n;
      double s = ((double)i + 0.5) * h, t = ((double)j + 0.5) * h;
      f->B[k * f->n * f->n + e] = scale * mode_at(a, s) * mode_at(b, t);
    }
  }
}

/* ---- the equation ---- */

/* The bilinear element: corners (0,0), (1,0), (0,1), (1,1). */
static const double element[4][4] = {
    {4,  -1, -1, -2},
    {-1, 4,  -2, -1},
    {-1, -2, 4,  -1},
    {-2, -1, -1, 4 },
};

/* Scratch of one evaluation: a (n*n), K, u and v. */
typedef struct solution {
  size_t n;
  lr_band K;
  double *a, *u, *v;
} solution;

/* The unknown at corner c of cell e = i n + j (i along x), or -1 on the sides
 * where u = 0. */
static long unknown(size_t n, size_t e, int c)
{
  size_t i = e / n + (size_t)(c & 1), j = e % n + (size_t)(c >> 1);
  if (i == 0 || j == 0 || j == n) return -1;
  return (long)((i - 1) * (n - 1) + j - 1);
}

static void assemble(solution *s)
{
  size_t n = s->n;
  double h = 1 / (double)n;
  for (size_t e = 0; e < n * n; e++)
    for (int c = 0; c < 4; c++) {
      long row = unknown(n, e, c);
      if (row < 0) continue;
      s->u[row] += 0.25 * h * h;
      for (int d = 0; d < 4; d++) {
        long column = unknown(n, e, d);
        if (column < 0 || column > row) continue;
        *lr_band_at(&s->K, (size_t)row, (size_t)column) +=
            s->a[e] * element[c][d] / 6;
      }
    }
  for (size_t j = 0; j + 1 < n; j++) s->v[(n - 1) * (n - 1) + j] = h;
}

/* df/d log a_e = -a_e v . K_e u, into a. */
static void differentiate(solution *s)
{
  for (size_t e = 0; e < s->n * s->n; e++) {
    double sum = 0;
    for (int c = 0; c < 4; c++)
      for (int d = 0; d < 4; d++) {
        long row = unknown(s->n, e, c), column = unknown(s->n, e, d);
        if (row >= 0 && column >= 0)
          sum += s->v[row] * element[c][d] / 6 * s->u[column];
      }
    s->a[e] *= -sum;
  }
}

/* f at x and, where g is not NULL, its gradient. */
static double evaluate(const field *f, const double *x, double *g)
{
  size_t n = f->n, cells = n * n, rows = n * (n - 1);
  solution s = {
      .n = n, .K = {.rows = rows, .band = n}
  };
  double *all = calloc(cells + rows * (n + 3), sizeof *all), q = NAN;
  if (!all) return NAN;
  s.a = all;
  s.u = s.a + cells;
  s.v = s.u + rows;
  s.K.A = s.v + rows;
  memset(s.a, 0, cells * sizeof *s.a);
  lr_gemv(cells, f->p, f->B, cells, x, s.a);
  for (size_t e = 0; e < cells; e++) s.a[e] = lr_exp(s.a[e]);
  assemble(&s);
  if (lr_band_factorise(&s.K)) {
    lr_band_solve(&s.K, s.u);
    q = lr_dot(rows, s.v, s.u);
    if (g) {
      lr_band_solve(&s.K, s.v);
      differentiate(&s);
      lr_gemv_t(cells, f->p, f->B, cells, s.a, g);
    }
  }
  free(all);
  return q;
}

static double elliptic_value(size_t p, const double *x, void *user)
{
  (void)p;
  return evaluate(((const lr_problem *)user)->data, x, NULL);
}

static double elliptic_gradient(size_t p, const double *x, double *g,
                                void *user)
{
  double f;
  for (size_t i = 0; i < p; i++) g[i] = NAN;
  f = evaluate(((const lr_problem *)user)->data, x, g);
  return f;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_size(reader, "p", 1, TERMS);
  size_t n = lr_reader_size(reader, "cells", 4, 64);
  double length = lr_reader_positive(reader, "length"), *lower, *upper;
  field *f;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  f = lr_problem_bytes(problem, reader, sizeof *f);
  if (reader->status) return reader->status;
  *f = (field){.n = n, .p = p};
  f->B = lr_problem_numbers(problem, reader, n * n, p);
  if (reader->status) return reader->status;
  fill_field(f, length);
  problem->data = f;
  lower = lr_problem_numbers(problem, reader, p, 1);
  upper = lr_problem_numbers(problem, reader, p, 1);
  if (reader->status) return reader->status;
  for (size_t i = 0; i < p; i++) {
    lower[i] = -sqrt(3);
    upper[i] = sqrt(3);
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = upper;
  lr_problem_answers(problem, elliptic_value, elliptic_gradient);
  return LRGD_OK;
}

const lr_problem_kind lr_kind_elliptic = {
    "elliptic", "diffusion in a random field of p terms", parameters,
    sizeof parameters / sizeof parameters[0], build};
