/* Calibration of a chain of n switches, each turned on by the one before, as
 * in the signalling of cells (Goldbeter and Koshland, 1981; Heinrich, Neel and
 * Rapoport, 2002):
 *   y_i' = a_i y_(i-1) (1 - y_i) / (K_i + 1 - y_i) - d_i y_i / (L_i + y_i),
 * y_0 = exp(-t / 4) from outside, y_i = 0 at t = 0.  The p = 4 n inputs are
 * the logarithms of a, d, K and L in units of usual ones; four of the switches
 * are seen at TIMES times.  Most combinations of the inputs leave hardly a
 * trace: a model with many redundant parameters.
 * f = sum of (y - y^)^2 over sum of y^^2, y^ from a true x: minimum 0.
 *
 * The integrator is that of Dormand and Prince (1980), its steps as long as a
 * tolerance allows.  Where x moves so that a step is refused that was taken, f
 * jumps, the more the looser the tolerance; and y is printed with so many
 * digits.  Gradients by the complex step, for the steps as they are taken. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"p",         "80",   "dimension: four for each switch, at most 400" },
    {"tolerance", "1e-4", "of the integrator, for one step; >0"          },
    {"spread",    "0.4",  "how much the true log parameters vary; >0"    },
    {"prior",     "0",    "weight of the mean square of x; >= 0"         },
    {"digits",    "7",    "significant digits of what is printed; 0: all"},
    {"seed",      "1",    "of the true parameters"                       },
};

enum {
  TIMES = 10,
  SEEN = 4,
  RESULTS = TIMES * SEEN,
  STAGES = 7,
  LEVELS_MOST = 100,
  INPUTS_MOST = 4 * LEVELS_MOST,
  INPUTS_LEAST = 4 * SEEN,
  STEPS_MOST = 5000
};

static const double horizon = 30, h_imaginary = 1e-40;
/* a, d, K, L where x = 0 */
static const double usual[4] = {6, 2, 0.5, 0.5};

typedef double complex number;

typedef struct cascade {
  size_t n, digits;
  double tolerance, prior, scale;
  double measured[RESULTS];
} cascade;

/* clang-format off */
/* Dormand and Prince: stage s is at time c[s]; the last row is the step. */
static const double c_at[STAGES] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double a_of[STAGES][STAGES - 1] = {
    {0},
    {0.2},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
/* fifth order less fourth */
static const double error_of[STAGES] = {71.0 / 57600,      0,
                                        -71.0 / 16695,     71.0 / 1920,
                                        -17253.0 / 339200, 22.0 / 525,
                                        -1.0 / 40};
/* clang-format on */

/* One run: the rates, and the state with its stages. */
typedef struct run {
  size_t n;
  number rate[4][LEVELS_MOST];
  number y[LEVELS_MOST], next[LEVELS_MOST];
  number k[STAGES][LEVELS_MOST];
} run;

/* The imaginary part is so small that its square is none. */
static number quotient(number above, number below)
{
  double r = creal(below);
  return above * conj(below) / (r * r);
}

static void slope(const run *r, double t, const number *y, number *dy)
{
  number before = lr_exp(-t / 4);
  for (size_t i = 0; i < r->n; i++) {
    number off = 1 - y[i];
    dy[i] = quotient(r->rate[0][i] * before * off, r->rate[2][i] + off) -
            quotient(r->rate[1][i] * y[i], r->rate[3][i] + y[i]);
    before = y[i];
  }
}

/* Tries a step of h from (t, y) to next; k[0] is there.  Returns the error in
 * units of the tolerance. */
static double try_step(run *r, double t, double h, double tolerance)
{
  double worst = 0;
  for (int s = 1; s < STAGES; s++) {
    for (size_t i = 0; i < r->n; i++) {
      number sum = 0;
      for (int j = 0; j < s; j++) sum += a_of[s][j] * r->k[j][i];
      r->next[i] = r->y[i] + h * sum;
    }
    slope(r, t + c_at[s] * h, r->next, r->k[s]);
  }
  for (size_t i = 0; i < r->n; i++) {
    double sum = 0;
    for (int s = 0; s < STAGES; s++) sum += error_of[s] * creal(r->k[s][i]);
    worst =
        fmax(worst, fabs(h * sum) / (tolerance * (1e-3 + lr_cabs(r->y[i]))));
    if (!isfinite(sum)) return INFINITY;
  }
  return worst;
}

/* From t to end; *h is the step to try first, and next time.  0: it takes too
 * many steps, as where the rates are far apart. */
static int advance(run *r, double t, double end, double *h, double tolerance)
{
  slope(r, t, r->y, r->k[0]);
  for (int step = 0; step < STEPS_MOST && t < end; step++) {
    int last = t + *h >= end;
    double length = last ? end - t : *h;
    double error = try_step(r, t, length, tolerance);
    if (error <= 1) {
      t = last ? end : t + length;
      memcpy(r->y, r->next, r->n * sizeof *r->y);
      memcpy(r->k[0], r->k[STAGES - 1], r->n * sizeof *r->y);
    }
    if (error > 1 || !last)
      *h = length * fmin(4, fmax(0.1, 0.9 * lr_pow(error + 1e-10, -0.2)));
    if (!(*h > 1e3 * DBL_EPSILON)) return 0;
  }
  return t >= end;
}

/* The switch that is seen as number s: the last of each quarter. */
static size_t seen_at(size_t n, size_t s)
{
  return (s + 1) * n / SEEN - 1;
}

static int simulate(const cascade *c, run *r, number *seen)
{
  double h = 0.01, t = 0;
  for (size_t i = 0; i < r->n; i++) r->y[i] = 0;
  for (size_t time = 0; time < TIMES; time++) {
    double end = horizon * ((double)time + 1) / TIMES;
    if (!advance(r, t, end, &h, c->tolerance)) return 0;
    t = end;
    for (size_t s = 0; s < SEEN; s++)
      seen[time * SEEN + s] = r->y[seen_at(r->n, s)];
  }
  return 1;
}

/* Input i is parameter i / n of switch i % n; the one called `moved` gets the
 * small imaginary part. */
static void set_rates(const cascade *c, run *r, const double *x, size_t moved)
{
  r->n = c->n;
  for (size_t i = 0; i < 4 * c->n; i++) {
    double rate = usual[i / c->n] * lr_exp(x[i]);
    r->rate[i / c->n][i % c->n] =
        rate + (i == moved ? h_imaginary * rate * I : 0);
  }
}

static number misfit(const cascade *c, run *r)
{
  number seen[RESULTS], sum = 0;
  if (!simulate(c, r, seen)) return NAN;
  for (size_t i = 0; i < RESULTS; i++) {
    double y = lr_printed(creal(seen[i]), c->digits);
    number far = y - c->measured[i] + cimag(seen[i]) * I;
    sum += far * far;
  }
  return c->scale * sum;
}

static double prior(const cascade *c, const double *x, double *g)
{
  size_t p = 4 * c->n;
  double sum = 0, share = c->prior / (double)p;
  for (size_t i = 0; i < p; i++) {
    sum += x[i] * x[i];
    if (g) g[i] += 2 * share * x[i];
  }
  return share * sum;
}

static double value(size_t p, const double *x, void *user)
{
  const cascade *c = ((const lr_problem *)user)->data;
  run *r = malloc(sizeof *r);
  double f;
  if (!r) return NAN;
  set_rates(c, r, x, p);
  f = creal(misfit(c, r)) + prior(c, x, NULL);
  free(r);
  return f;
}

/* F = sqrt(2 scale) times the differences of results; then, with a prior,
 * sqrt(2 prior / p) x. */
static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const cascade *c = ((const lr_problem *)user)->data;
  run *r = malloc(sizeof *r);
  number seen[RESULTS];
  int able = 0;
  if (r) {
    set_rates(c, r, x, p);
    able = simulate(c, r, seen);
  }
  for (size_t i = 0; i < RESULTS; i++)
    F[i] = !able ? NAN
                 : sqrt(2 * c->scale) *
                       (lr_printed(creal(seen[i]), c->digits) - c->measured[i]);
  for (size_t i = RESULTS; i < m; i++)
    F[i] = sqrt(2 * c->prior / (double)p) * x[i - RESULTS];
  free(r);
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  const cascade *c = ((const lr_problem *)user)->data;
  run *r = malloc(sizeof *r);
  double f = NAN;
  for (size_t i = 0; i < p; i++) g[i] = NAN;
  for (size_t i = 0; r && i < p; i++) {
    number at;
    set_rates(c, r, x, i);
    at = misfit(c, r);
    f = creal(at);
    g[i] = cimag(at) / h_imaginary;
  }
  free(r);
  return f + prior(c, x, g);
}

static lrgd_status measure(cascade *c, lr_reader *reader, const double *x)
{
  number seen[RESULTS];
  double sum = 0;
  run *r = malloc(sizeof *r);
  if (!r)
    return lr_reader_fail(reader, LRGD_ERR_NOMEM,
                          "cascade: no memory for %zu bytes", sizeof *r);
  set_rates(c, r, x, 4 * c->n);
  if (!simulate(c, r, seen))
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "tolerance %g takes more than %d steps", c->tolerance,
                   STEPS_MOST);
  for (size_t i = 0; !reader->status && i < RESULTS; i++) {
    c->measured[i] = lr_printed(creal(seen[i]), c->digits);
    sum += c->measured[i] * c->measured[i];
  }
  c->scale = 1 / sum;
  free(r);
  return reader->status;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_size(reader, "p", INPUTS_LEAST, INPUTS_MOST);
  double tolerance = lr_reader_positive(reader, "tolerance");
  double spread = lr_reader_positive(reader, "spread"), *truth;
  double weight = lr_reader_real(reader, "prior", 0);
  size_t digits = lr_reader_digits(reader);
  lr_dice dice = {lr_reader_seed(reader), LR_STREAM_CENTRE};
  cascade *c;
  if (p % 4 != 0)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "p %zu is not a multiple of 4", p);
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  truth = lr_problem_numbers(problem, reader, p, 1);
  c = lr_problem_bytes(problem, reader, sizeof *c);
  lr_simulator_box(problem, reader, 3);
  if (reader->status) return reader->status;
  c->n = p / 4;
  c->digits = digits;
  c->tolerance = tolerance;
  c->prior = weight;
  for (size_t i = 0; i < p; i++)
    truth[i] = fmin(fmax(spread * lr_dice_normal(dice, i), -2.5), 2.5);
  problem->data = c;
  if (weight == 0) {
    problem->minimum = 0;
    problem->minimiser = truth;
  }
  lr_problem_answers(problem, value, gradient);
  lr_problem_give_residuals(problem, RESULTS + (weight > 0 ? p : 0), residuals);
  return measure(c, reader, truth);
}

const lr_problem_kind lr_kind_cascade = {
    "cascade", "a chain of switches: an ODE with redundant parameters",
    parameters, sizeof parameters / sizeof parameters[0], build};
