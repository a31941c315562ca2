/* A heated rod of 60 cells, whose logarithms of conductivity are the inputs.
 * Four gauges are read ten times. */
#ifndef LRGD_ROD_H
#define LRGD_ROD_H

#include "chance.h"

#include <lrgd/lrgd.h>
#include <math.h>
#include <stddef.h>

enum { ROD_CELLS = 60, ROD_GAUGES = 4, ROD_TIMES = 10, ROD_STEPS = 20 };
enum { ROD_READINGS = ROD_GAUGES * ROD_TIMES, ROD_ROWS = 2 * ROD_CELLS - 1 };

/* One implicit step of the temperatures u; k: conductivities. */
static inline void rod_step(const double *k, double *u)
{
  double b[ROD_CELLS], c[ROD_CELLS];
  const double lambda = 0.01 * 0.05 * ROD_CELLS * ROD_CELLS;
  size_t n = ROD_CELLS;
  for (size_t i = 0; i < n; i++) {
    double left = i > 0 ? 2 * k[i] * k[i - 1] / (k[i] + k[i - 1]) : 2 * k[0];
    double right =
        i + 1 < n ? 2 * k[i] * k[i + 1] / (k[i] + k[i + 1]) : 2 * k[n - 1];
    b[i] = 1 + lambda * (left + right);
    c[i] = -lambda * right;
    if (i == 0) u[0] += lambda * left; /* the heated end */
    double w = i > 0 ? c[i - 1] / b[i - 1] : 0;
    if (i > 0) b[i] -= w * c[i - 1];
    if (i > 0) u[i] -= w * u[i - 1];
  }
  u[n - 1] /= b[n - 1];
  for (size_t i = n - 1; i-- > 0;) u[i] = (u[i] - c[i] * u[i + 1]) / b[i];
}

static inline void rod_simulate(const double *x, double *y)
{
  double k[ROD_CELLS], u[ROD_CELLS] = {0};
  for (size_t i = 0; i < ROD_CELLS; i++) k[i] = exp(x[i]);
  for (size_t t = 0; t < ROD_TIMES; t++) {
    for (int i = 0; i < ROD_STEPS; i++) rod_step(k, u);
    for (size_t g = 0; g < ROD_GAUGES; g++)
      y[t * ROD_GAUGES + g] = u[(g + 1) * ROD_CELLS / (ROD_GAUGES + 1)];
  }
}

/* What the gauges read, with errors of 0.005. */
static inline void rod_read(double *y)
{
  double x[ROD_CELLS];
  unsigned state = 3;
  for (size_t i = 0; i < ROD_CELLS; i++)
    x[i] = sin(0.1 * (double)i) + 0.5 * cos(0.283 * (double)i);
  rod_simulate(x, y);
  for (size_t i = 0; i < ROD_READINGS; i++) y[i] += 0.005 * chance(&state);
}

/* Prior information: each input is near 0, neighbours are alike. */
typedef struct rod_prior {
  size_t begin[ROD_ROWS + 1], input[3 * ROD_CELLS];
  double coefficient[3 * ROD_CELLS], target[ROD_ROWS], weight[ROD_ROWS];
  lrgd_prior rows;
} rod_prior;

static inline void rod_tell(rod_prior *r, double near, double alike)
{
  size_t q = 0, e = 0;
  r->begin[0] = 0;
  for (size_t i = 0; i < ROD_CELLS; i++) {
    r->input[e] = i, r->coefficient[e++] = 1;
    r->target[q] = 0, r->weight[q] = near, r->begin[++q] = e;
  }
  for (size_t i = 0; i + 1 < ROD_CELLS; i++) {
    r->input[e] = i, r->coefficient[e++] = -1;
    r->input[e] = i + 1, r->coefficient[e++] = 1;
    r->target[q] = 0, r->weight[q] = alike, r->begin[++q] = e;
  }
  r->rows =
      (lrgd_prior){q, r->begin, r->input, r->coefficient, r->target, r->weight};
}

/* f of prior information. */
static inline double rod_prior_f(const lrgd_prior *rows, const double *x)
{
  double f = 0;
  for (size_t i = 0; i < rows->count; i++) {
    double sum = -rows->target[i];
    for (size_t e = rows->begin[i]; e < rows->begin[i + 1]; e++)
      sum += rows->coefficient[e] * x[rows->input[e]];
    f += 0.5 * rows->weight[i] * rows->weight[i] * sum * sum;
  }
  return f;
}

#endif
