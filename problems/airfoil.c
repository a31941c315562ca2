/* A wing section of given pressures: p bumps (Hicks and Henne, 1978), half of
 * them on either side, make the section NACA 0012 thicker or thinner there, and
 * the flow around it is computed with panels.  f = mean square of the pressure
 * coefficients' difference to those of a true x, over that of the pressure
 * coefficients: minimum 0.  Neighbouring bumps overlap: few combinations of
 * them matter much.  Pressures are printed with so many digits. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "panels.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"p",      "36",  "dimension: bumps, an even number"             },
    {"panels", "80",  "of the section; even, from 10 to 200"         },
    {"alpha",  "2",   "angle of attack in degrees"                   },
    {"height", "0.1", "of a bump for x = 1, in local thicknesses; >0"},
    {"spread", "0.4", "how much the true x varies; >0"               },
    {"digits", "5",   "significant digits of the pressures; 0: all"  },
    {"seed",   "1",   "of the true bumps"                            },
};

enum { BUMPS_MOST = 400 };

typedef double complex number;

static const double h_imaginary = 1e-40;

typedef struct airfoil {
  size_t p, n, digits; /* n panels */
  double alpha, height, scale;
  const double *measured; /* n pressure coefficients */
} airfoil;

/* NACA 0012 with a closed trailing edge: half its thickness at t. */
static double naca_0012(double t)
{
  return 0.6 * (0.2969 * sqrt(t) - 0.1260 * t - 0.3516 * t * t +
                0.2843 * t * t * t - 0.1036 * t * t * t * t);
}

/* sin(pi t^m)^3, largest at the middle of the b-th of half the bumps. */
static double bump(const airfoil *s, size_t b, double t)
{
  size_t half = s->p / 2;
  double top = ((double)b + 0.5) / (double)half;
  double wave = lr_sin(LR_PI * lr_pow(t, lr_log(0.5) / lr_log(top)));
  return wave * wave * wave;
}

/* Node i of the section: from the trailing edge along the lower side to the
 * nose and back, closer together where it bends (cosine spacing). */
static void place(const airfoil *s, const double *x, size_t moved, size_t i,
                  number *at)
{
  double turn = 2 * LR_PI * (double)i / (double)s->n;
  double t = 0.5 * (1 + lr_cos(turn)), half = naca_0012(t);
  size_t upper = 2 * i > s->n, first = upper ? s->p / 2 : 0;
  number more = 1;
  if (i == 0 || i == s->n || 2 * i == s->n) half = 0; /* the two ends */
  for (size_t b = 0; b < s->p / 2 && half > 0; b++) {
    number size = x[first + b] + (first + b == moved ? h_imaginary * I : 0);
    more += s->height * size * bump(s, b, t);
  }
  at[0] = t;
  at[1] = more * (upper ? half : -half);
}

/* Scratch of one evaluation, in numbers: nodes, speeds, panels. */
static size_t room_of(const airfoil *s)
{
  return 2 * (s->n + 1) + s->n + lr_panels_room(s->n);
}

/* Pressure coefficients 1 - v^2. */
static int pressures(const airfoil *s, const double *x, size_t moved,
                     number *room, const number **cp)
{
  number *nx = room, *ny = nx + s->n + 1, *speed = ny + s->n + 1;
  for (size_t i = 0; i <= s->n; i++) {
    number at[2];
    place(s, x, moved, i, at);
    nx[i] = at[0];
    ny[i] = at[1];
  }
  if (!lr_panels_speed(s->n, nx, ny, s->alpha, speed, speed + s->n)) return 0;
  for (size_t i = 0; i < s->n; i++) speed[i] = 1 - speed[i] * speed[i];
  *cp = speed;
  return 1;
}

/* f as printed; *slope its derivative along the input that moves. */
static double misfit(const airfoil *s, const double *x, size_t moved,
                     number *room, double *slope)
{
  const number *cp;
  double sum = 0, change = 0;
  if (!pressures(s, x, moved, room, &cp)) return NAN;
  for (size_t i = 0; i < s->n; i++) {
    double far = lr_printed(creal(cp[i]), s->digits) - s->measured[i];
    sum += far * far;
    change += 2 * far * cimag(cp[i]) / h_imaginary;
  }
  *slope = s->scale * change;
  return s->scale * sum;
}

static double value(size_t p, const double *x, void *user)
{
  const airfoil *s = ((const lr_problem *)user)->data;
  number *room = malloc(room_of(s) * sizeof *room);
  double slope, f = room ? misfit(s, x, p, room, &slope) : NAN;
  free(room);
  return f;
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const airfoil *s = ((const lr_problem *)user)->data;
  number *room = malloc(room_of(s) * sizeof *room);
  double f = NAN;
  for (size_t i = 0; i < p; i++) g[i] = NAN;
  for (size_t i = 0; room && i < p; i++) f = misfit(s, x, i, room, &g[i]);
  free(room);
  return f;
}

static lrgd_status measure(airfoil *s, lr_reader *reader, const double *x,
                           double *measured)
{
  number *room = malloc(room_of(s) * sizeof *room);
  const number *cp = NULL;
  double sum = 0;
  if (!room)
    return lr_reader_fail(reader, LRGD_ERR_NOMEM,
                          "airfoil: no memory for %zu numbers", room_of(s));
  if (!pressures(s, x, s->p, room, &cp))
    lr_reader_fail(reader, LRGD_ERR_INVALID, "no flow around %zu panels", s->n);
  for (size_t i = 0; cp && i < s->n; i++) {
    measured[i] = lr_printed(creal(cp[i]), s->digits);
    sum += measured[i] * measured[i];
  }
  s->measured = measured;
  s->scale = 1 / sum;
  free(room);
  return reader->status;
}

static void read(airfoil *s, lr_reader *reader)
{
  s->p = lr_reader_size(reader, "p", 2, BUMPS_MOST);
  s->n = lr_reader_size(reader, "panels", 10, LR_PANELS_MOST);
  s->alpha = lr_reader_real(reader, "alpha", -90) * LR_PI / 180;
  s->height = lr_reader_positive(reader, "height");
  s->digits = lr_reader_digits(reader);
  if (s->p % 2 != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "p %zu is not even", s->p);
  if (s->n % 2 != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "panels %zu is not even", s->n);
}

static void draw_truth(const airfoil *s, uint64_t seed, double spread,
                       double *x)
{
  lr_dice dice = {seed, LR_STREAM_CENTRE};
  for (size_t i = 0; i < s->p; i++)
    x[i] = fmin(fmax(spread * lr_dice_normal(dice, i), -0.9), 0.9);
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  airfoil read_in = {.p = 0}, *s;
  double spread = lr_reader_positive(reader, "spread"), *truth, *measured;
  uint64_t seed = lr_reader_seed(reader);
  read(&read_in, reader);
  if (lr_problem_begin(problem, reader, read_in.p)) return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  truth = lr_problem_numbers(problem, reader, read_in.p, 1);
  measured = lr_problem_numbers(problem, reader, read_in.n, 1);
  lr_simulator_box(problem, reader, 1);
  if (reader->status) return reader->status;
  *s = read_in;
  draw_truth(s, seed, spread, truth);
  problem->data = s;
  problem->minimum = 0;
  problem->minimiser = truth;
  lr_problem_answers(problem, value, gradient);
  return measure(s, reader, truth, measured);
}

const lr_problem_kind lr_kind_airfoil = {
    "airfoil", "a wing section of given pressures, by a panel method",
    parameters, sizeof parameters / sizeof parameters[0], build};
