/* A filter to be trimmed: a ladder of sections (ladder.h), p = 6 for each, x
 * the logarithms of all parts in units of a nominal design.  f is the mean
 * square of the differences, in dB, to the response of a ladder with other,
 * true values: minimum 0.  Levels are printed with so many digits, as a
 * circuit simulator would.
 *
 * Voltage V and current I are carried from the load to the source, I += Y V
 * and V += Z I for every section: what the source must give for 1 V at the
 * load.  Derivatives are carried the other way: with w = dV_source/d(V, I)
 * before a part, dV_source/dZ = w_V I and dV_source/dY = w_I V. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "analytic.h"
#include "ladder.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"p",      "72",   "dimension: six for each section, at most 300" },
    {"spread", "0.35", "how much the true log values vary; >0"        },
    {"digits", "6",    "significant digits of what is printed; 0: all"},
    {"seed",   "1",    "of the true values"                           },
};

enum { SECTIONS_MOST = 50, INPUTS_MOST = LR_LADDER_PARTS * SECTIONS_MOST };

typedef double complex number;

typedef struct ladder {
  size_t sections, digits;
  double measured[LR_LADDER_ROWS];
} ladder;

double lr_ladder_nominal(size_t section, size_t part)
{
  static const double first[LR_LADDER_PARTS] = {20e-3, 300,   4e-9,
                                                40e-3, 30e-9, 800};
  int resistor = part == 1 || part == 5;
  return first[part] / (resistor ? 1 : lr_pow(2, 0.5 * (double)section));
}

/* One frequency: what the parts of a section are there, and the state on its
 * side of the load. */
typedef struct section {
  double part[LR_LADDER_PARTS];
  number along, ground; /* impedances: coil + resistor; all three in series */
  number beside;        /* admittance of the capacitor beside */
  number Z, Y;          /* of the two arms */
  number V, current;    /* behind this section, and the current before Z */
} section;

static void look(section *at, size_t s, const double *x, number omega)
{
  double *part = at->part;
  for (size_t i = 0; i < LR_LADDER_PARTS; i++)
    part[i] = lr_ladder_nominal(s, i) * lr_exp(x[LR_LADDER_PARTS * s + i]);
  at->along = omega * part[0] + part[1];
  at->beside = omega * part[2];
  at->ground = omega * part[3] + lr_cdiv(1, omega * part[4]) + part[5];
  at->Z = lr_cdiv(1, lr_cdiv(1, at->along) + at->beside);
  at->Y = lr_cdiv(1, at->ground);
}

static number omega_of(size_t row)
{
  return 2 * LR_PI * 100 * lr_pow(10, 0.1 * (double)row) * I;
}

/* V at the source for 1 V at the load. */
static number source(const ladder *c, const double *x, size_t row, section *at)
{
  number V = 1, current = 1.0 / LR_LADDER_OHMS;
  for (size_t s = c->sections; s-- > 0;) {
    look(&at[s], s, x, omega_of(row));
    at[s].V = V;
    current += at[s].Y * V;
    at[s].current = current;
    V += at[s].Z * current;
  }
  return V + LR_LADDER_OHMS * current;
}

static double level(number V)
{
  return -20 * lr_log10(lr_cabs(V));
}

/* Adds weight * d level / dx to g. */
static void add_gradient(const ladder *c, size_t row, const section *at,
                         number V, double weight, double *g)
{
  number wV = 1, wI = LR_LADDER_OHMS, omega = omega_of(row);
  double share = -20 / lr_log(10) * weight;
  for (size_t s = 0; s < c->sections; s++) {
    number dZ = lr_cdiv(wV * at[s].current, V), dY, d[LR_LADDER_PARTS];
    number along = lr_cdiv(at[s].Z, at[s].along);
    const double *part = at[s].part;
    wI += wV * at[s].Z;
    dY = lr_cdiv(-wI * at[s].V * at[s].Y * at[s].Y, V);
    wV += wI * at[s].Y;
    d[0] = dZ * along * along * omega * part[0];
    d[1] = dZ * along * along * part[1];
    d[2] = -dZ * at[s].Z * at[s].Z * at[s].beside;
    d[3] = dY * omega * part[3];
    d[4] = lr_cdiv(-dY, omega * part[4]);
    d[5] = dY * part[5];
    for (size_t i = 0; i < LR_LADDER_PARTS; i++)
      g[LR_LADDER_PARTS * s + i] += share * creal(d[i]);
  }
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const ladder *c = ((const lr_problem *)user)->data;
  section at[SECTIONS_MOST];
  double sum = 0;
  for (size_t i = 0; g && i < p; i++) g[i] = 0;
  for (size_t row = 0; row < LR_LADDER_ROWS; row++) {
    number V = source(c, x, row, at);
    double far = lr_printed(level(V), c->digits) - c->measured[row];
    sum += far * far;
    if (g) add_gradient(c, row, at, V, 2 * far / LR_LADDER_ROWS, g);
  }
  return sum / LR_LADDER_ROWS;
}

static double value(size_t p, const double *x, void *user)
{
  return gradient(p, x, NULL, user);
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_size(reader, "p", LR_LADDER_PARTS, INPUTS_MOST);
  double spread = lr_reader_positive(reader, "spread"), *truth;
  size_t digits = lr_reader_digits(reader);
  lr_dice dice = {lr_reader_seed(reader), LR_STREAM_CENTRE};
  section at[SECTIONS_MOST];
  ladder *c;
  if (p % LR_LADDER_PARTS != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "p %zu is not a multiple of %d", p,
                   LR_LADDER_PARTS);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  truth = lr_problem_numbers(problem, reader, p, 1);
  c = lr_problem_bytes(problem, reader, sizeof *c);
  lr_simulator_box(problem, reader, 1);
  if (reader->status) return reader->status;
  c->sections = p / LR_LADDER_PARTS;
  c->digits = digits;
  for (size_t i = 0; i < p; i++)
    truth[i] = fmin(fmax(spread * lr_dice_normal(dice, i), -0.9), 0.9);
  for (size_t row = 0; row < LR_LADDER_ROWS; row++)
    c->measured[row] = lr_printed(level(source(c, truth, row, at)), digits);
  problem->data = c;
  problem->minimum = 0;
  problem->minimiser = truth;
  lr_problem_answers(problem, value, gradient);
  return reader->status;
}

const lr_problem_kind lr_kind_ladder = {
    "ladder", "a filter of many parts, to be trimmed to a response", parameters,
    sizeof parameters / sizeof parameters[0], build};
