/* Log conductivities of a field from heads in wells: steady flow by Darcy's
 * law, div(exp(x) grad h) = -q, in a square of side x side cells, p = side^2.
 * h is 1 on the left and 0 on the right, nothing crosses the other two sides,
 * and q is even.  f = |F|^2 / 2 with
 *   F_w = (h - h^) / scale
 * in the wells, h^ from a true field with a correlation of some cells, scale
 * such that f is 1 where x = 0 (the start); then, with a prior, sqrt(prior)
 * times the differences of neighbours.  Finite volumes; fewer wells than
 * inputs, so that without a prior the minimum 0 is attained on a surface. */
#include <math.h>
#include <stdlib.h>

#include "band.h"
#include "base/elementary.h"
#include "kind.h"

static const lr_parameter parameters[] = {
    {"side",   "15", "cells along a side, p = side^2; from 4 to 60"    },
    {"wells",  "30", "heads measured; at most p"                       },
    {"spread", "1",  "how much the true log conductivity varies; >0"   },
    {"prior",  "0",  "weight of the differences of neighbours; >= 0"   },
    {"seed",   "1",  "of the true field and of the places of the wells"},
};

typedef struct field {
  size_t side, wells;
  double prior, scale;
  const size_t *well;     /* cells */
  const double *measured; /* heads there */
} field;

/* Scratch of one evaluation: conductivities, heads, adjoint, matrix. */
typedef struct scratch {
  double *k, *h, *v, *A;
} scratch;

static size_t scratch_size(size_t side)
{
  return side * side * (3 + side + 1);
}

static scratch divide(size_t side, double *room)
{
  size_t p = side * side;
  if (!room) return (scratch){NULL, NULL, NULL, NULL};
  return (scratch){room, room + p, room + 2 * p, room + 3 * p};
}

/* Between neighbours flow sees two half cells, one behind the other. */
static double between(double a, double b)
{
  return 2 * a * b / (a + b);
}

static int assemble(size_t side, const scratch *s)
{
  lr_band m = {side * side, side, s->A};
  for (size_t i = 0; i < m.rows * (side + 1); i++) s->A[i] = 0;
  for (size_t e = 0; e < m.rows; e++) {
    for (int aside = 0; aside < 2; aside++) {
      size_t step = aside ? 1 : side, other = e - step;
      double flow;
      if (aside ? e % side == 0 : e < side) continue;
      flow = between(s->k[e], s->k[other]);
      *lr_band_at(&m, e, e) += flow;
      *lr_band_at(&m, other, other) += flow;
      *lr_band_at(&m, e, other) -= flow;
    }
    if (e < side || e >= m.rows - side) *lr_band_at(&m, e, e) += 2 * s->k[e];
  }
  return lr_band_factorise(&m);
}

/* Heads for x; 0: there are none. */
static int simulate(size_t side, const double *x, const scratch *s)
{
  size_t p = side * side;
  lr_band m = {p, side, s->A};
  for (size_t e = 0; e < p; e++) s->k[e] = lr_exp(x[e]);
  if (!assemble(side, s)) return 0;
  for (size_t e = 0; e < p; e++)
    s->h[e] = 1 / (double)p + (e < side ? 2 * s->k[e] : 0);
  lr_band_solve(&m, s->h);
  return 1;
}

/* The share of neighbours e and other in v^T (dA/dx) h, for x_e. */
static double share(const scratch *s, size_t e, size_t other)
{
  double sum = s->k[e] + s->k[other];
  double slope = 2 * s->k[other] * s->k[other] / (sum * sum) * s->k[e];
  return slope * (s->h[e] - s->h[other]) * (s->v[e] - s->v[other]);
}

/* dh_w/dx_e = -v^T (dA/dx_e h - db/dx_e), A v = e_w; for v of any right side
 * the sum over it. */
static double sensitivity(size_t side, const scratch *s, size_t e)
{
  size_t p = side * side;
  double sum = 0;
  if (e >= side) sum += share(s, e, e - side);
  if (e + side < p) sum += share(s, e, e + side);
  if (e % side) sum += share(s, e, e - 1);
  if ((e + 1) % side) sum += share(s, e, e + 1);
  if (e < side) sum += 2 * s->k[e] * (s->h[e] - 1) * s->v[e];
  if (e >= p - side) sum += 2 * s->k[e] * s->h[e] * s->v[e];
  return -sum;
}

/* The prior's rows, in a fixed order: each cell against the one before it and
 * the one beside it.  Writes F, or adds J^T F to g; returns |F|^2 / 2. */
static double add_prior(const field *f, const double *x, double *F, double *g)
{
  size_t side = f->side, p = side * side, row = f->wells;
  double weight = sqrt(f->prior), sum = 0;
  for (size_t e = 0; f->prior > 0 && e < 2 * p; e++) {
    size_t at = e / 2, step = e % 2 ? 1 : side;
    double rest;
    if (e % 2 ? at % side == 0 : at < side) continue;
    rest = weight * (x[at] - x[at - step]);
    sum += 0.5 * rest * rest;
    if (F) F[row++] = rest;
    if (!g) continue;
    g[at] += weight * rest;
    g[at - step] -= weight * rest;
  }
  return sum;
}

static double misfit(const field *f, const scratch *s, size_t w)
{
  return (s->h[f->well[w]] - f->measured[w]) / f->scale;
}

static double evaluate(const field *f, const double *x, double *g,
                       const scratch *s)
{
  size_t p = f->side * f->side;
  lr_band m = {p, f->side, s->A};
  double sum = 0;
  if (!simulate(f->side, x, s)) return NAN;
  for (size_t e = 0; e < p; e++) s->v[e] = 0;
  for (size_t w = 0; w < f->wells; w++) {
    double far = misfit(f, s, w);
    sum += 0.5 * far * far;
    s->v[f->well[w]] += far / f->scale;
  }
  if (g) lr_band_solve(&m, s->v);
  for (size_t e = 0; g && e < p; e++) g[e] = sensitivity(f->side, s, e);
  return sum + add_prior(f, x, NULL, g);
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const field *f = ((const lr_problem *)user)->data;
  double *room = malloc(scratch_size(f->side) * sizeof *room), value = NAN;
  scratch s = divide(f->side, room);
  for (size_t i = 0; g && i < p; i++) g[i] = NAN;
  if (room) value = evaluate(f, x, g, &s);
  free(room);
  return value;
}

static double value(size_t p, const double *x, void *user)
{
  return gradient(p, x, NULL, user);
}

static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const field *f = ((const lr_problem *)user)->data;
  double *room = malloc(scratch_size(f->side) * sizeof *room);
  scratch s = divide(f->side, room);
  int able = room && simulate(f->side, x, &s);
  (void)p;
  (void)m;
  for (size_t w = 0; w < f->wells; w++) F[w] = able ? misfit(f, &s, w) : NAN;
  add_prior(f, x, F, NULL);
  free(room);
}

/* ---- building ---- */

/* Waves along and across, the slower the larger. */
static void draw_truth(size_t side, uint64_t seed, double spread, double *x)
{
  enum { WAVES = 6 };
  lr_dice dice = {seed, LR_STREAM_CENTRE};
  for (size_t e = 0; e < side * side; e++) {
    double a = ((double)(e / side) + 0.5) / (double)side;
    double b = ((double)(e % side) + 0.5) / (double)side;
    for (uint64_t i = 0; i < WAVES; i++)
      for (uint64_t j = i == 0; j < WAVES; j++)
        x[e] += spread * lr_dice_normal(dice, WAVES * i + j) /
                (double)(1 + i + j) * lr_cos(LR_PI * (double)i * a) *
                lr_cos(LR_PI * (double)j * b);
  }
}

/* Different cells, by a shuffle of all. */
static void draw_wells(size_t p, size_t wells, uint64_t seed, size_t *cells)
{
  lr_dice dice = {seed, LR_STREAM_SAMPLES};
  for (size_t e = 0; e < p; e++) cells[e] = e;
  for (size_t w = 0; w < wells; w++) {
    size_t left = p - w;
    size_t pick = w + (size_t)((double)left * (1 - lr_dice_uniform(dice, w)));
    size_t cell = cells[pick];
    cells[pick] = cells[w];
    cells[w] = cell;
  }
}

/* Heads of the true field; and the scale, from those where x = 0. */
static int measure(field *f, const double *truth, const double *start,
                   double *measured, const scratch *s)
{
  double sum = 0;
  if (!simulate(f->side, truth, s)) return 0;
  for (size_t w = 0; w < f->wells; w++) measured[w] = s->h[f->well[w]];
  if (!simulate(f->side, start, s)) return 0;
  for (size_t w = 0; w < f->wells; w++) {
    double far = s->h[f->well[w]] - measured[w];
    sum += 0.5 * far * far;
  }
  f->scale = sqrt(sum);
  f->measured = measured;
  return sum > 0;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t side = lr_reader_size(reader, "side", 4, 60), p = side * side;
  size_t wells = lr_reader_size(reader, "wells", 1, p);
  double spread = lr_reader_positive(reader, "spread");
  double weight = lr_reader_real(reader, "prior", 0);
  uint64_t seed = lr_reader_seed(reader);
  double *truth, *measured, *room;
  size_t *cells;
  field *f;
  scratch s;
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  truth = lr_problem_numbers(problem, reader, p, 1);
  measured = lr_problem_numbers(problem, reader, wells, 1);
  room = lr_problem_numbers(problem, reader, scratch_size(side), 1);
  cells = lr_problem_bytes(problem, reader, p * sizeof *cells);
  f = lr_problem_bytes(problem, reader, sizeof *f);
  if (reader->status) return reader->status;
  *f = (field){.side = side, .wells = wells, .prior = weight, .well = cells};
  draw_truth(side, seed, spread, truth);
  draw_wells(p, wells, seed, cells);
  s = divide(side, room);
  if (!measure(f, truth, problem->start, measured, &s))
    return lr_reader_fail(reader, LRGD_ERR_INVALID, "darcy: no flow");
  problem->data = f;
  problem->minimum = weight > 0 ? NAN : 0;
  problem->minimiser = weight > 0 ? NULL : truth;
  lr_problem_answers(problem, value, gradient);
  lr_problem_give_residuals(
      problem, wells + (weight > 0 ? 2 * side * (side - 1) : 0), residuals);
  return reader->status;
}

const lr_problem_kind lr_kind_darcy = {
    "darcy", "conductivities of a field from heads, by Darcy's law", parameters,
    sizeof parameters / sizeof parameters[0], build};
