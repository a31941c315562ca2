/* A sandwich plate of least mass within limits on deflections: p = length x
 * width cells with faces of thickness t_e, held along one side, with one load
 * after the other at places along the free half.  Outputs are the mean
 * thickness and, for each load, the deflections at all loaded places: at most
 * `share` of the largest such deflection of the plate of thickness 1, which is
 * the start.
 *
 * K(t) u = F with K = sum over cells of t_e K_e, as the faces of a sandwich
 * carry its bending.  (A solid plate, t_e^3, has many local minima.) */
#include <math.h>
#include <stdlib.h>

#include "kind.h"
#include "plate_mesh.h"

static const lr_parameter parameters[] = {
    {"length", "10",  "cells from the held side to the free one"         },
    {"width",  "6",   "cells along the held side; p = length * width"    },
    {"loads",  "3",   "places that are loaded; loads^2 limits, at most 8"},
    {"share",  "0.5", "of the largest deflection at thickness 1; > 0"    },
};

enum { LOADS_MOST = 8 };

typedef struct plate {
  lr_plate_mesh mesh;
  size_t loads;
  size_t loaded[LOADS_MOST]; /* unknowns */
} plate;

/* The mean thickness, and the deflections; NaN where K is not positive
 * definite. */
static void solve(const plate *s, const double *t, const lr_band *K, double *u,
                  double *y)
{
  size_t cells = s->mesh.length * s->mesh.width;
  double sum = 0;
  for (size_t e = 0; e < cells; e++) {
    sum += t[e];
    lr_plate_add_cell(&s->mesh, e, t[e], K);
  }
  if (!lr_band_factorise(K)) return;
  *y++ = sum / (double)cells;
  for (size_t load = 0; load < s->loads; load++) {
    for (size_t i = 0; i < K->rows; i++) u[i] = 0;
    u[s->loaded[load]] = 1;
    lr_band_solve(K, u);
    for (size_t k = 0; k < s->loads; k++) *y++ = u[s->loaded[k]];
  }
}

static void answer(size_t p, const double *x, size_t m, double *y, void *user)
{
  const plate *s = ((const lr_problem *)user)->data;
  size_t rows = lr_plate_rows(&s->mesh), band = lr_plate_band(&s->mesh);
  double *all = calloc(rows * (band + 2), sizeof *all);
  (void)p;
  for (size_t i = 0; i < m; i++) y[i] = NAN;
  if (!all) return;
  lr_band K = {rows, band, all};
  solve(s, x, &K, all + rows * (band + 1), y);
  free(all);
}

/* The deflections from the middle to the free end, on one side and the other in
 * turn. */
static void place_loads(plate *s)
{
  size_t along = s->mesh.length, across = s->mesh.width;
  for (size_t k = 0; k < s->loads; k++) {
    size_t i = along - k * along / (2 * s->loads);
    size_t j = k % 2 == 0 ? (k / 2) % (across + 1) : across - k / 2 % across;
    s->loaded[k] = LR_PLATE_AT_CORNER * ((i - 1) * (across + 1) + j);
  }
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t length = lr_reader_size(reader, "length", 2, LR_PLATE_SIDE_MOST);
  size_t width = lr_reader_size(reader, "width", 2, LR_PLATE_SIDE_MOST);
  size_t loads = lr_reader_size(reader, "loads", 1, LOADS_MOST);
  double share = lr_reader_positive(reader, "share"), most = 0;
  size_t p = length * width, m = 1 + loads * loads;
  double low[1 + LOADS_MOST * LOADS_MOST], high[1 + LOADS_MOST * LOADS_MOST];
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  plate *s = lr_problem_bytes(problem, reader, sizeof *s);
  double *lower = lr_problem_numbers(problem, reader, p, 2);
  if (reader->status) return reader->status;
  *s = (plate){.mesh = lr_plate_mesh_of(length, width), .loads = loads};
  place_loads(s);
  problem->data = s;
  for (size_t e = 0; e < p; e++) {
    problem->start[e] = 1;
    lower[e] = 0.3, lower[p + e] = 3;
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = lower + p;
  answer(p, problem->start, m, high, problem);
  for (size_t i = 1; i < m; i++) most = fmax(most, high[i]);
  for (size_t i = 0; i < m; i++) {
    high[i] = i == 0 ? INFINITY : share * most;
    low[i] = -INFINITY;
  }
  return lr_problem_give_limits(problem, reader, m, answer, low, high);
}

const lr_problem_kind lr_kind_limited_plate = {
    "limited-plate",
    "a sandwich plate of least mass within limits on deflections", parameters,
    sizeof parameters / sizeof parameters[0], build};
