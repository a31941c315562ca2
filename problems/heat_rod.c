/* Calibration of a rod: -(k u')' = s on [0, 1], u = 0 at both ends, p cells of
 * conductivity k_i = exp(x_i), two ways to heat it, temperatures at a few
 * sensors.  f(x) = sum of (u - u^)^2 over sensors and ways to heat, divided by
 * the sum of u^^2, u^ from a smooth true x: there lies the minimum 0.  Few
 * sensors see few directions of x, but other ones at other x: the rank is p,
 * nearly all of f lies in a few directions.  Gradients by the adjoint. */
#include <math.h>

#include "base/elementary.h"
#include "kind.h"

static const lr_parameter parameters[] = {
    {"p",       "100", "dimension: number of cells; at least 2"       },
    {"sensors", "8",   "temperatures that are measured; below p"      },
    {"spread",  "0.5", "how much the true log conductivity varies; >0"},
    {"seed",    "1",   "of the true conductivities"                   },
};

enum { HEATINGS = 2 };

typedef struct rod {
  size_t p, sensors;
  const double *measured; /* HEATINGS x sensors */
  double scale;           /* 1 / sum of measured^2 */
} rod;

/* Sensor j is at this of the nodes 0 ... p - 2 between the p cells. */
static size_t sensor_at(const rod *r, size_t j)
{
  return (j + 1) * (r->p - 1) / (r->sensors + 1);
}

/* Heat at node i: evenly, or more to the right. */
static double heat(const rod *r, size_t way, size_t i)
{
  double at = (double)(i + 1) / (double)r->p;
  return way == 0 ? 1 : 2 * at;
}

/* Solves the tridiagonal system K u = b for nodes between cells: node i has
 * k_i and k_{i+1} beside it.  b becomes u; work has p numbers. */
static void solve(size_t p, const double *k, double *b, double *work)
{
  double n2 = (double)p * (double)p;
  double pivot = n2 * (k[0] + k[1]);
  b[0] /= pivot;
  for (size_t i = 1; i + 1 < p; i++) {
    work[i] = -n2 * k[i] / pivot;
    pivot = n2 * (k[i] + k[i + 1]) + n2 * k[i] * work[i];
    b[i] = (b[i] + n2 * k[i] * b[i - 1]) / pivot;
  }
  for (size_t i = p - 1; i-- > 1;) b[i - 1] -= work[i] * b[i];
}

static double temperature(size_t p, const double *u, size_t node)
{
  return node < p - 1 ? u[node] : 0; /* the ends, -1 and p - 1, are cold */
}

/* Adds to g what one heating gives: g_i -= k_i n^2 du_i dv_i, du and dv the
 * changes of temperature u and adjoint v over cell i. */
static void add_gradient(size_t p, const double *k, const double *u,
                         const double *v, double *g)
{
  double n2 = (double)p * (double)p;
  for (size_t i = 0; i < p; i++) {
    double du = temperature(p, u, i) - temperature(p, u, i - 1);
    double dv = temperature(p, v, i) - temperature(p, v, i - 1);
    g[i] -= k[i] * n2 * du * dv;
  }
}

/* room: k, u, v, work of p numbers each.  Simulates one heating into u. */
static void simulate(const rod *r, size_t way, double *room)
{
  for (size_t i = 0; i + 1 < r->p; i++) room[r->p + i] = heat(r, way, i);
  solve(r->p, room, room + r->p, room + 3 * r->p);
}

static double rod_value(const rod *r, const double *x, double *g, double *room)
{
  size_t p = r->p;
  double *u = room + p, *v = room + 2 * p, sum = 0;
  for (size_t i = 0; i < p; i++) room[i] = lr_exp(x[i]);
  for (size_t i = 0; g && i < p; i++) g[i] = 0;
  for (size_t way = 0; way < HEATINGS; way++) {
    simulate(r, way, room);
    for (size_t i = 0; i < p; i++) v[i] = 0;
    for (size_t j = 0; j < r->sensors; j++) {
      size_t at = sensor_at(r, j);
      double far = u[at] - r->measured[way * r->sensors + j];
      sum += far * far;
      v[at] += 2 * r->scale * far;
    }
    if (!g) continue;
    solve(p, room, v, room + 3 * p);
    add_gradient(p, room, u, v, g);
  }
  return r->scale * sum;
}

static double evaluate(size_t p, const double *x, double *g, void *user)
{
  const rod *r = ((const lr_problem *)user)->data;
  double small[4 * LR_SMALL], f = NAN;
  double *room = lr_room(small, sizeof small, 4 * p * sizeof *room);
  if (room) f = rod_value(r, x, g, room);
  for (size_t i = 0; !room && g && i < p; i++) g[i] = NAN;
  lr_room_free(room, small);
  return f;
}

static double value(size_t p, const double *x, void *user)
{
  return evaluate(p, x, NULL, user);
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  return evaluate(p, x, g, user);
}

/* F = sqrt(2 scale) times the differences of temperatures. */
static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const rod *r = ((const lr_problem *)user)->data;
  double small[4 * LR_SMALL], weight = sqrt(2 * r->scale);
  double *room = lr_room(small, sizeof small, 4 * p * sizeof *room);
  for (size_t i = 0; room && i < p; i++) room[i] = lr_exp(x[i]);
  for (size_t i = 0; i < m; i++) {
    size_t way = i / r->sensors;
    if (room && i % r->sensors == 0) simulate(r, way, room);
    F[i] = room ? weight *
                      (room[p + sensor_at(r, i % r->sensors)] - r->measured[i])
                : NAN;
  }
  lr_room_free(room, small);
}

/* A smooth curve: five sines, the slower the larger. */
static void draw_truth(size_t p, uint64_t seed, double spread, double *x)
{
  lr_dice dice = {seed, LR_STREAM_CENTRE};
  for (size_t i = 0; i < p; i++)
    for (size_t wave = 1; wave <= 5; wave++)
      x[i] += spread * lr_dice_normal(dice, wave) / (double)wave *
              lr_sin(LR_PI * (double)wave * ((double)i + 0.5) / (double)p);
}

static void measure(rod *r, const double *x, double *measured, double *room)
{
  double sum = 0;
  for (size_t i = 0; i < r->p; i++) room[i] = lr_exp(x[i]);
  for (size_t way = 0; way < HEATINGS; way++) {
    simulate(r, way, room);
    for (size_t j = 0; j < r->sensors; j++) {
      double u = room[r->p + sensor_at(r, j)];
      measured[way * r->sensors + j] = u;
      sum += u * u;
    }
  }
  r->measured = measured;
  r->scale = 1 / sum;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t sensors = lr_reader_size(reader, "sensors", 1, 1000000);
  double spread = lr_reader_positive(reader, "spread");
  uint64_t seed = lr_reader_seed(reader);
  double *best, *measured, *room;
  rod *r;
  if (sensors >= p)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "%zu sensors need more than %zu "
                   "cells",
                   sensors, p);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  best = lr_problem_numbers(problem, reader, p, 1);
  room = lr_problem_numbers(problem, reader, p, 4);
  measured = lr_problem_numbers(problem, reader, HEATINGS, sensors);
  r = lr_problem_bytes(problem, reader, sizeof *r);
  if (reader->status) return reader->status;
  *r = (rod){.p = p, .sensors = sensors};
  draw_truth(p, seed, spread, best);
  measure(r, best, measured, room);
  problem->data = r;
  problem->minimum = 0;
  problem->minimiser = best;
  lr_problem_answers(problem, value, gradient);
  lr_problem_give_residuals(problem, HEATINGS * sensors, residuals);
  return reader->status;
}

const lr_problem_kind lr_kind_heat_rod = {
    "heat-rod", "conductivities of a rod from a few temperatures", parameters,
    sizeof parameters / sizeof parameters[0], build};
