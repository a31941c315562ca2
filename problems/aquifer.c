/* Calibration of a model of groundwater: a confined layer, 3 km by 2 km, 20 m
 * thick, between two rivers of given head, with rain; the other two sides let
 * nothing through.  The p inputs are log conductivities at pilot points, along
 * x across of them, in units of 5 m a day; between them they are interpolated.
 * Heads are measured in WELLS wells in three tests, in each of which two other
 * wells are pumped.
 *   f = mean square of the differences of heads, in square metres,
 *       + prior * mean square of the differences of neighbours in x:
 * minimum 0 without the prior.  Finite volumes on square cells of 100 m; heads
 * are printed with so many digits. */
#include <math.h>
#include <stdlib.h>

#include "band.h"
#include "base/elementary.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"along",  "10",   "pilot points from river to river; from 2 to 30"     },
    {"across", "10",   "pilot points along a river; p = along * across"     },
    {"spread", "1",    "how much the true log conductivity varies; >0"      },
    {"prior",  "1e-3", "weight of the differences of neighbours; >= 0"      },
    {"digits", "6",    "significant digits of the heads; 0: all"            },
    {"seed",   "1",    "of the true values, of the wells and what is pumped"},
};

enum {
  ALONG = 30, /* cells */
  ACROSS = 20,
  CELLS = ALONG * ACROSS,
  SIDE = 5, /* wells */
  WELLS = SIDE * SIDE,
  TESTS = 3,
  PUMPED = 2,
  HEADS = TESTS * WELLS,
  PILOTS_MOST = 30
};

/* m, days */
static const double cell = 100, usual = 5 * 20, rain = 3e-4;
static const double river[2] = {30, 26};

typedef struct aquifer {
  lr_simulator base;
  size_t along, across;
  double prior;
  size_t well[WELLS]; /* cells */
  size_t pumped[TESTS][PUMPED];
  double rate[TESTS][PUMPED]; /* cubic metres a day */
  double measured[HEADS];
} aquifer;

/* Scratch of one evaluation. */
typedef struct scratch {
  double T[CELLS], heads[CELLS], A[CELLS * (ACROSS + 1)];
} scratch;

/* Where among `count` pilot points cell i of n is: after *first, by the share
 * returned. */
static double between(size_t i, size_t n, size_t count, size_t *first)
{
  double at = ((double)i + 0.5) / (double)n * (double)(count - 1);
  *first = (size_t)at;
  return at - (double)*first;
}

/* Transmissivities, square metres a day. */
static void interpolate(const aquifer *s, const double *x, double *T)
{
  for (size_t e = 0; e < CELLS; e++) {
    size_t i, j;
    double a = between(e / ACROSS, ALONG, s->along, &i);
    double b = between(e % ACROSS, ACROSS, s->across, &j);
    const double *near = x + i * s->across + j, *next = near + s->across;
    T[e] = usual * lr_exp((1 - a) * ((1 - b) * near[0] + b * near[1]) +
                          a * ((1 - b) * next[0] + b * next[1]));
  }
}

/* Between neighbours flow sees two half cells, one behind the other. */
static void join(const lr_band *m, const double *T, size_t e, size_t before)
{
  double flow = 2 * T[e] * T[before] / (T[e] + T[before]);
  *lr_band_at(m, e, e) += flow;
  *lr_band_at(m, before, before) += flow;
  *lr_band_at(m, e, before) -= flow;
}

static int assemble(const lr_band *m, const double *T)
{
  for (size_t i = 0; i < CELLS * (ACROSS + 1); i++) m->A[i] = 0;
  for (size_t e = 0; e < CELLS; e++) {
    if (e % ACROSS) join(m, T, e, e - 1);
    if (e >= ACROSS) join(m, T, e, e - ACROSS);
    if (e < ACROSS || e >= CELLS - ACROSS) *lr_band_at(m, e, e) += 2 * T[e];
  }
  return lr_band_factorise(m);
}

static void solve(const aquifer *s, const lr_band *m, size_t test,
                  scratch *room)
{
  for (size_t e = 0; e < CELLS; e++) room->heads[e] = rain * cell * cell;
  for (size_t j = 0; j < ACROSS; j++) {
    size_t other = CELLS - ACROSS + j;
    room->heads[j] += 2 * room->T[j] * river[0];
    room->heads[other] += 2 * room->T[other] * river[1];
  }
  for (size_t k = 0; k < PUMPED; k++)
    room->heads[s->pumped[test][k]] -= s->rate[test][k];
  lr_band_solve(m, room->heads);
}

/* Heads in the wells as printed; 0 where there are none. */
static int simulate(const aquifer *s, const double *x, size_t digits,
                    scratch *room, double heads[HEADS])
{
  lr_band m = {CELLS, ACROSS, room->A};
  interpolate(s, x, room->T);
  if (!assemble(&m, room->T)) return 0;
  for (size_t test = 0; test < TESTS; test++) {
    solve(s, &m, test, room);
    for (size_t w = 0; w < WELLS; w++)
      heads[test * WELLS + w] = lr_printed(room->heads[s->well[w]], digits);
  }
  return 1;
}

static double prior(const aquifer *s, const double *x)
{
  double sum = 0, pairs = 0;
  for (size_t i = 0; i < s->along; i++)
    for (size_t j = 0; j < s->across; j++) {
      const double *at = x + i * s->across + j;
      double back = i ? at[0] - at[-(long)s->across] : 0;
      double aside = j ? at[0] - at[-1] : 0;
      sum += back * back + aside * aside;
      pairs += (i > 0) + (j > 0);
    }
  return s->prior * sum / pairs;
}

static double run(const lr_simulator *base, const double *x, size_t digits)
{
  const aquifer *s = (const aquifer *)base;
  scratch *room = malloc(sizeof *room);
  double heads[HEADS], sum = 0;
  int able = room && simulate(s, x, digits, room, heads);
  free(room);
  if (!able) return NAN;
  for (size_t i = 0; i < HEADS; i++) {
    double far = heads[i] - s->measured[i];
    sum += far * far;
  }
  return sum / HEADS + prior(s, x);
}

/* F = sqrt(2 / HEADS) times the differences of heads; then, with a prior, the
 * differences of neighbours in x. */
static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const aquifer *s = ((const lr_problem *)user)->data;
  scratch *room = malloc(sizeof *room);
  double heads[HEADS];
  int able = room && simulate(s, x, s->base.digits, room, heads);
  double weight = sqrt(2 * s->prior / (double)(m - HEADS + (m == HEADS)));
  double *to = F + HEADS;
  free(room);
  for (size_t i = 0; i < HEADS; i++)
    F[i] = able ? sqrt(2.0 / HEADS) * (heads[i] - s->measured[i]) : NAN;
  for (size_t e = 0; m > HEADS && e < p; e++) {
    if (e >= s->across) *to++ = weight * (x[e] - x[e - s->across]);
    if (e % s->across) *to++ = weight * (x[e] - x[e - 1]);
  }
}

/* Waves along and across, the slower the larger. */
static void draw_truth(const aquifer *s, uint64_t seed, double spread,
                       double *x)
{
  enum { WAVES = 6 };
  lr_dice dice = {seed, LR_STREAM_CENTRE};
  const double pi = LR_PI;
  for (size_t e = 0; e < s->along * s->across; e++) {
    double a = (double)(e / s->across) / (double)(s->along - 1), sum = 0;
    double b = (double)(e % s->across) / (double)(s->across - 1);
    for (uint64_t i = 0; i < WAVES; i++)
      for (uint64_t j = i == 0; j < WAVES; j++)
        sum += lr_dice_normal(dice, WAVES * i + j) / (double)(1 + i + j) *
               lr_cos(pi * (double)i * a) * lr_cos(pi * (double)j * b);
    x[e] = fmin(fmax(spread * sum, -2.5), 2.5);
  }
}

/* Five by five, each somewhere in its part of the field; the pumped ones are
 * not near the rivers. */
static void draw_wells(aquifer *s, uint64_t seed)
{
  lr_dice dice = {seed, LR_STREAM_SAMPLES};
  const size_t wide = ALONG / SIDE, high = ACROSS / SIDE;
  for (size_t w = 0; w < WELLS; w++) {
    size_t i = (size_t)((double)wide * (1 - lr_dice_uniform(dice, 2 * w)));
    size_t j = (size_t)((double)high * (1 - lr_dice_uniform(dice, 2 * w + 1)));
    s->well[w] = (w / SIDE * wide + i) * ACROSS + w % SIDE * high + j;
  }
  for (size_t k = 0; k < TESTS * PUMPED; k++) {
    size_t column = 1 + k % (SIDE - 2), first = 2 * WELLS + 2 * k;
    size_t w =
        column * SIDE + (size_t)(SIDE * (1 - lr_dice_uniform(dice, first)));
    s->pumped[k / PUMPED][k % PUMPED] = s->well[w];
    s->rate[k / PUMPED][k % PUMPED] =
        400 + 600 * lr_dice_uniform(dice, first + 1);
  }
}

static lrgd_status measure(aquifer *s, lr_reader *reader, const double *x)
{
  scratch *room = malloc(sizeof *room);
  if (!room)
    return lr_reader_fail(reader, LRGD_ERR_NOMEM,
                          "aquifer: no memory for %zu bytes", sizeof *room);
  if (!simulate(s, x, s->base.digits, room, s->measured))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "aquifer: no flow");
  free(room);
  return reader->status;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t along = lr_reader_size(reader, "along", 2, PILOTS_MOST);
  size_t across = lr_reader_size(reader, "across", 2, PILOTS_MOST);
  double spread = lr_reader_positive(reader, "spread"), *truth;
  double weight = lr_reader_real(reader, "prior", 0);
  size_t digits = lr_reader_digits(reader);
  uint64_t seed = lr_reader_seed(reader);
  aquifer *s;
  if (lr_problem_begin(problem, reader, along * across)) return reader->status;
  truth = lr_problem_numbers(problem, reader, along, across);
  s = lr_problem_bytes(problem, reader, sizeof *s);
  lr_simulator_box(problem, reader, 3);
  if (reader->status) return reader->status;
  s->base = (lr_simulator){run, digits, 1e-5};
  s->along = along;
  s->across = across;
  s->prior = weight;
  draw_truth(s, seed, spread, truth);
  draw_wells(s, seed);
  if (weight == 0) {
    problem->minimum = 0;
    problem->minimiser = truth;
  }
  lr_simulator_answers(problem, &s->base);
  lr_problem_give_residuals(
      problem, HEADS + (weight > 0 ? 2 * along * across - along - across : 0),
      residuals);
  return measure(s, reader, truth);
}

const lr_problem_kind lr_kind_aquifer = {
    "aquifer", "conductivities of an aquifer, from heads in wells", parameters,
    sizeof parameters / sizeof parameters[0], build};
