/* A thin plate in bending, held along one side, as a finite element program
 * would serve it: p = length x width square cells of thickness t_e = exp(x_e),
 * loads at a few points, deflections printed with so many digits.
 *
 * goal=fit: find the thicknesses from the deflections at a few points,
 *   f = sum of (w - w^)^2 over sum of w^^2, w^ from a smooth true x: minimum 0.
 * goal=weight: as stiff as can be for its weight,
 *   f = (F . w) / (F . w at x = 0) + weight * mean of t: bounds hold some.
 *
 * K(t) u = F with K = sum over cells of t_e^3 K_e (stiffness in units of
 * E / (12 (1 - nu^2))); with K v = df/du, df/dx_e = -3 t_e^3 v_e . K_e u_e. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "plate_mesh.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"length",  "16",  "cells from the held side to the free one"        },
    {"width",   "10",  "cells along the held side; p = length * width"   },
    {"goal",    "fit", "fit|weight: find thicknesses, or choose them"    },
    {"loads",   "2",   "points that are loaded, one after the other"     },
    {"sensors", "12",  "deflections that are measured, for each load"    },
    {"spread",  "0.3", "how much the true log thickness varies; >0"      },
    {"weight",  "1",   "of the mean thickness where it is chosen; >0"    },
    {"digits",  "7",   "significant digits of what is printed; 0: all"   },
    {"seed",    "1",   "of the true thicknesses and of the loaded points"},
};

enum { AT_CORNER = LR_PLATE_AT_CORNER, SIDE_MOST = LR_PLATE_SIDE_MOST };

typedef struct plate {
  size_t length, width, loads, sensors, digits;
  int choose;             /* goal=weight */
  double weight;          /* of the mean thickness */
  double scale;           /* of the squares, or of the compliance */
  const size_t *loaded;   /* unknowns that are loaded */
  const double *measured; /* loads x sensors; NULL: being measured */
  lr_plate_mesh mesh;
} plate;

/* ---- the equation ---- */

static void assemble(const plate *s, const double *x, const lr_band *K)
{
  for (size_t e = 0; e < s->length * s->width; e++)
    lr_plate_add_cell(&s->mesh, e, lr_exp(3 * x[e]), K);
}

/* The unknown that sensor n sees: a deflection, evenly over the plate. */
static size_t sensor_at(const plate *s, size_t n)
{
  size_t nodes = s->length * (s->width + 1);
  return AT_CORNER * ((n + 1) * (nodes - 1) / s->sensors);
}

/* g_e -= 3 t_e^3 v_e . K_e u_e */
static void add_gradient(const plate *s, const double *x, const double *u,
                         const double *v, double *g)
{
  for (size_t e = 0; e < s->length * s->width; e++) {
    long at[LR_PLATE_FREEDOMS];
    double sum = 0;
    lr_plate_unknowns(&s->mesh, e, at);
    for (int a = 0; a < LR_PLATE_FREEDOMS; a++)
      for (int b = 0; b < LR_PLATE_FREEDOMS; b++)
        if (at[a] >= 0 && at[b] >= 0)
          sum += v[at[a]] * s->mesh.K[a][b] * u[at[b]];
    g[e] -= 3 * lr_exp(3 * x[e]) * sum;
  }
}

/* ---- the two goals, for one load; dv = df/du (zero before) ---- */

static double misfit(const plate *s, size_t load, size_t digits,
                     const double *u, double *dv)
{
  double sum = 0;
  for (size_t n = 0; n < s->sensors; n++) {
    double w = lr_printed(u[sensor_at(s, n)], digits);
    double far = w - s->measured[load * s->sensors + n];
    sum += far * far;
    dv[sensor_at(s, n)] += 2 * s->scale * far;
  }
  return s->scale * sum;
}

static double compliance(const plate *s, size_t load, size_t digits,
                         const double *u, double *dv)
{
  dv[s->loaded[load]] = s->scale;
  return s->scale * lr_printed(u[s->loaded[load]], digits);
}

static double thickness(const plate *s, const double *x, double *g)
{
  size_t p = s->length * s->width;
  double sum = 0, share = s->weight / (double)p;
  for (size_t e = 0; s->choose && e < p; e++) {
    sum += lr_exp(x[e]);
    if (g) g[e] += share * lr_exp(x[e]);
  }
  return share * sum;
}

/* ---- f ---- */

/* Scratch of one evaluation. */
typedef struct scratch {
  lr_band K;
  double *u, *v;
} scratch;

static double *make_scratch(const plate *s, scratch *room)
{
  size_t rows = lr_plate_rows(&s->mesh), band = lr_plate_band(&s->mesh);
  double *all = calloc(rows * (band + 3), sizeof *all);
  *room = (scratch){
      {rows, band, all},
      NULL, NULL
  };
  if (!all) return NULL;
  room->u = all + rows * (band + 1);
  room->v = room->u + rows;
  return all;
}

static void deflect(const plate *s, size_t load, const scratch *room)
{
  for (size_t i = 0; i < room->K.rows; i++) room->u[i] = room->v[i] = 0;
  room->u[s->loaded[load]] = 1;
  lr_band_solve(&room->K, room->u);
}

static double evaluate(const plate *s, const double *x, double *g,
                       const scratch *room)
{
  double f = thickness(s, x, g);
  assemble(s, x, &room->K);
  if (!lr_band_factorise(&room->K)) return NAN;
  for (size_t load = 0; load < s->loads; load++) {
    deflect(s, load, room);
    f +=
        (s->choose ? compliance : misfit)(s, load, s->digits, room->u, room->v);
    if (!g) continue;
    lr_band_solve(&room->K, room->v);
    add_gradient(s, x, room->u, room->v, g);
  }
  return f;
}

static double plate_gradient(size_t p, const double *x, double *g, void *user)
{
  const plate *s = ((const lr_problem *)user)->data;
  scratch room;
  double *all = make_scratch(s, &room), f;
  for (size_t i = 0; g && i < p; i++) g[i] = all ? 0 : NAN;
  f = all ? evaluate(s, x, g, &room) : NAN;
  free(all);
  return f;
}

static double plate_value(size_t p, const double *x, void *user)
{
  return plate_gradient(p, x, NULL, user);
}

/* ---- making one ---- */

/* Waves along and across, the slower the larger. */
static double waves(lr_dice dice, double along, double across)
{
  enum { WAVES = 4 };
  const double pi = LR_PI;
  double sum = 0;
  for (uint64_t i = 0; i < WAVES; i++)
    for (uint64_t j = 0; j < WAVES; j++)
      sum += lr_dice_normal(dice, WAVES * i + j) / (double)(1 + i + j) *
             lr_cos(pi * (double)i * along) * lr_cos(pi * (double)j * across);
  return sum;
}

/* Well inside the box. */
static void draw_truth(const plate *s, uint64_t seed, double spread, double *x)
{
  lr_dice dice = {seed, LR_STREAM_CENTRE};
  for (size_t i = 0; i < s->length; i++)
    for (size_t j = 0; j < s->width; j++) {
      double along = ((double)i + 0.5) / (double)s->length;
      double across = ((double)j + 0.5) / (double)s->width;
      double wave = spread * waves(dice, along, across);
      x[i * s->width + j] = fmin(fmax(wave, -0.9), 0.9);
    }
}

/* Deflections in the half away from the held side. */
static void draw_loads(const plate *s, uint64_t seed, size_t *loaded)
{
  lr_dice dice = {seed, LR_STREAM_SAMPLES};
  size_t nodes = s->length * (s->width + 1);
  for (size_t i = 0; i < s->loads; i++)
    loaded[i] = AT_CORNER * (size_t)((1 - 0.5 * lr_dice_uniform(dice, i)) *
                                     (double)(nodes - 1));
}

/* What scales f: the compliance at x = 0, or the deflections measured at the
 * truth, as printed. */
static void measure(plate *s, const double *x, double *measured,
                    const scratch *room)
{
  double sum = 0;
  assemble(s, x, &room->K);
  if (!lr_band_factorise(&room->K)) return;
  for (size_t load = 0; load < s->loads; load++) {
    deflect(s, load, room);
    if (s->choose) sum += room->u[s->loaded[load]];
    for (size_t n = 0; !s->choose && n < s->sensors; n++) {
      double w = lr_printed(room->u[sensor_at(s, n)], s->digits);
      measured[load * s->sensors + n] = w;
      sum += w * w;
    }
  }
  s->measured = measured;
  s->scale = 1 / sum;
}

static void read(plate *s, lr_reader *reader)
{
  s->length = lr_reader_size(reader, "length", 2, SIDE_MOST);
  s->width = lr_reader_size(reader, "width", 1, SIDE_MOST);
  s->choose = lr_reader_choice(reader, "goal", "fit|weight") == 1;
  s->loads = lr_reader_size(reader, "loads", 1, SIDE_MOST);
  s->sensors = lr_reader_size(reader, "sensors", 1, SIDE_MOST);
  s->weight = lr_reader_positive(reader, "weight");
  s->digits = lr_reader_digits(reader);
}

/* x is the truth, or 0. */
static lrgd_status prepare(plate *s, lr_problem *problem, lr_reader *reader,
                           const double *x)
{
  double *measured = lr_problem_numbers(problem, reader, s->loads, s->sensors);
  scratch room;
  double *all = make_scratch(s, &room);
  if (!all)
    lr_reader_fail(reader, LRGD_ERR_NOMEM, "plate: no memory for %zu rows",
                   lr_plate_rows(&s->mesh));
  if (all && measured) measure(s, x, measured, &room);
  free(all);
  return reader->status;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  plate read_in = {.length = 0}, *s;
  double spread = lr_reader_positive(reader, "spread"), *truth;
  uint64_t seed = lr_reader_seed(reader);
  size_t *loaded;
  read(&read_in, reader);
  if (lr_problem_begin(problem, reader, read_in.length * read_in.width))
    return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  loaded = lr_problem_bytes(problem, reader, read_in.loads * sizeof *loaded);
  truth = lr_problem_numbers(problem, reader, problem->callbacks.dimension, 1);
  lr_simulator_box(problem, reader, 1);
  if (reader->status) return reader->status;
  *s = read_in;
  s->mesh = lr_plate_mesh_of(s->length, s->width);
  draw_loads(s, seed, loaded);
  s->loaded = loaded;
  if (!s->choose) {
    draw_truth(s, seed, spread, truth);
    problem->minimum = 0;
    problem->minimiser = truth;
  }
  problem->data = s;
  lr_problem_answers(problem, plate_value, plate_gradient);
  return prepare(s, problem, reader, truth);
}

const lr_problem_kind lr_kind_plate = {
    "plate", "thicknesses of a plate that bends, by finite elements",
    parameters, sizeof parameters / sizeof parameters[0], build};
