/* Calibration of a signalling pathway of a cell: three levels of kinases as
 * Huang and Ferrell (1996) have them, with a second branch and two feedbacks.
 * Each of the STEPS steps is S + E <-> SE -> P + E by mass action; the p = 48
 * inputs are the logarithms of its three rates in units of usual ones.  Four
 * active kinases, free or bound, are measured at TIMES times for two doses of
 * the signal.
 *   f = sum of (y - y^)^2 over sum of y^^2 + prior * mean square of x,
 * y^ from a true x: minimum 0 without the prior.
 *
 * The equations are stiff: Rosenbrock's method of second order (ROS2; Verwer
 * and others, 1999), its steps as long as a tolerance allows (of the step of
 * first order in it: the error is much smaller).  y is printed with so many
 * digits. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"tolerance", "3e-3", "of the integrator, for one step; >0"          },
    {"spread",    "0.5",  "how much the true log rates vary; >0"         },
    {"prior",     "1e-4", "weight of the mean square of x; >= 0"         },
    {"digits",    "6",    "significant digits of what is printed; 0: all"},
    {"seed",      "1",    "of the true rates"                            },
};

enum {
  STEPS = 16, /* of the pathway: as many bound pairs */
  FREE = 16,  /* proteins that are not bound */
  ALL = STEPS + FREE,
  RATES = 3, /* binding, parting, turning */
  INPUTS = RATES * STEPS,
  DOSES = 2,
  TIMES = 10,
  SEEN = 4,
  RESULTS = DOSES * TIMES * SEEN,
  TRIED_MOST = 5000 /* steps from one measurement to the next */
};

/* The three kinases of the main branch (X), that of the other one (Y), each
 * with its active forms; the signal, and what takes phosphate off again. */
enum { X1, X1A, X2, X2P, X2A, X3, X3P, X3A, Y, YP, YA, SIGNAL, O1, O2, O3, OY };

static const int step_of[STEPS][3] = {
  /* substrate, enzyme, product */
    {X1,  SIGNAL, X1A},
    {X1A, O1,     X1 },
    {X2,  X1A,    X2P},
    {X2P, X1A,    X2A},
    {X2P, O2,     X2 },
    {X2A, O2,     X2P},
    {X3,  X2A,    X3P},
    {X3P, X2A,    X3A},
    {X3P, O3,     X3 },
    {X3A, O3,     X3P},
    {Y,   X1A,    YP },
    {YP,  X1A,    YA },
    {YP,  OY,     Y  },
    {YA,  OY,     YP },
    {X1A, X3A,    X1 }, /* turns the pathway off
  */
    {X1,  YA,     X1A}, /* turns it on */
};

static const int seen_of[SEEN] = {X1A, X2A, X3A, YA};

/* minutes, micromoles a litre */
static const double usual[RATES] = {20, 3, 3};
static const double time_of[TIMES] = {1, 2, 4, 6, 8, 10, 15, 20, 25, 30};
static const double dose_of[DOSES] = {0.02, 0.1};

typedef struct pathway {
  lr_simulator base;
  double tolerance, prior, scale;
  double measured[RESULTS];
} pathway;

/* ---- the equations; bound pairs come first, then what is free ---- */

static void slope(const double *rate, const double *y, double *dy)
{
  const double *free = y + STEPS;
  double *change = dy + STEPS;
  for (int i = 0; i < ALL; i++) dy[i] = 0;
  for (int i = 0; i < STEPS; i++) {
    const int *who = step_of[i];
    double bind = rate[RATES * i] * free[who[0]] * free[who[1]];
    double part = rate[RATES * i + 1] * y[i], turn = rate[RATES * i + 2] * y[i];
    dy[i] = bind - part - turn;
    change[who[0]] += part - bind;
    change[who[1]] += part + turn - bind;
    change[who[2]] += turn;
  }
}

/* M = 1 - h J */
static void jacobian(const double *rate, const double *y, double h,
                     double M[ALL][ALL])
{
  const double *free = y + STEPS;
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < ALL; j++) M[i][j] = i == j;
  for (int i = 0; i < STEPS; i++) {
    const int *who = step_of[i];
    int s = STEPS + who[0], e = STEPS + who[1], q = STEPS + who[2];
    double to_s = h * rate[RATES * i] * free[who[1]];
    double to_e = h * rate[RATES * i] * free[who[0]];
    double part = h * rate[RATES * i + 1], turn = h * rate[RATES * i + 2];
    M[i][i] += part + turn;
    M[i][s] -= to_s;
    M[i][e] -= to_e;
    M[s][i] -= part;
    M[s][s] += to_s;
    M[s][e] += to_e;
    M[e][i] -= part + turn;
    M[e][s] += to_s;
    M[e][e] += to_e;
    M[q][i] -= turn;
  }
}

/* Where row and column k go on behind the diagonal: bound pairs know nothing
 * of each other. */
static int after(int k)
{
  return k < STEPS ? STEPS : k + 1;
}

/* Gauss without exchanges. */
static void factorise(double M[ALL][ALL])
{
  for (int k = 0; k < ALL; k++)
    for (int i = after(k); i < ALL; i++) {
      if (M[i][k] == 0) continue;
      M[i][k] /= M[k][k];
      for (int j = after(k); j < ALL; j++) M[i][j] -= M[i][k] * M[k][j];
    }
}

static void solve(double M[ALL][ALL], double *b)
{
  for (int i = STEPS; i < ALL; i++)
    for (int j = 0; j < i; j++) b[i] -= M[i][j] * b[j];
  for (int i = ALL; i-- > 0;) {
    for (int j = after(i); j < ALL; j++) b[i] -= M[i][j] * b[j];
    b[i] /= M[i][i];
  }
}

/* Tries a step of h from y to next.  Returns what it differs from one of first
 * order, in units of the tolerance. */
static double try_step(const double *rate, const double *y, double h,
                       double tolerance, double *next)
{
  const double gamma = 1 - sqrt(0.5);
  double M[ALL][ALL], k1[ALL], k2[ALL], worst = 0;
  jacobian(rate, y, gamma * h, M);
  factorise(M);
  slope(rate, y, k1);
  solve(M, k1);
  for (int i = 0; i < ALL; i++) next[i] = y[i] + h * k1[i];
  slope(rate, next, k2);
  for (int i = 0; i < ALL; i++) k2[i] -= 2 * k1[i];
  solve(M, k2);
  for (int i = 0; i < ALL; i++) {
    double more = 0.5 * h * (k1[i] + k2[i]);
    next[i] += more;
    if (!isfinite(next[i])) return INFINITY;
    worst = fmax(worst, fabs(more) / (tolerance * (0.1 + fabs(y[i]))));
  }
  return worst;
}

/* From t to end; *h is the step to try first, and next time.  0: it takes too
 * many steps. */
static int advance(const double *rate, double t, double end, double tolerance,
                   double *h, double *y)
{
  double next[ALL];
  for (int tried = 0; tried < TRIED_MOST && t < end; tried++) {
    int last = t + *h >= end;
    double length = last ? end - t : *h;
    double error = try_step(rate, y, length, tolerance, next);
    if (error <= 1) {
      t = last ? end : t + length;
      memcpy(y, next, sizeof next);
    }
    if (error > 1 || !last)
      *h = length * fmin(4, fmax(0.1, 0.9 / sqrt(error + 1e-10)));
  }
  return t >= end;
}

/* ---- measurements ---- */

/* One protein, free or bound. */
static double amount(const double *y, int protein)
{
  double sum = y[STEPS + protein];
  for (int i = 0; i < STEPS; i++)
    if (step_of[i][0] == protein || step_of[i][1] == protein) sum += y[i];
  return sum;
}

/* One dose; 0 where the integrator gives up. */
static int follow(const double *rate, double dose, double tolerance,
                  size_t digits, double *results)
{
  static const double before[FREE] = {
      [X1] = 0.3, [X2] = 1.2, [X3] = 1.2, [Y] = 0.8,
      [O1] = 0.1, [O2] = 0.1, [O3] = 0.1, [OY] = 0.1};
  double y[ALL] = {0}, h = 0.01;
  for (int i = 0; i < FREE; i++) y[STEPS + i] = before[i];
  y[STEPS + SIGNAL] = dose;
  for (int n = 0; n < TIMES; n++) {
    double t = n ? time_of[n - 1] : 0;
    if (!advance(rate, t, time_of[n], tolerance, &h, y)) return 0;
    for (int s = 0; s < SEEN; s++)
      *results++ = lr_printed(amount(y, seen_of[s]), digits);
  }
  return 1;
}

static int simulate(const pathway *s, const double *x, size_t digits,
                    double results[RESULTS])
{
  double rate[INPUTS];
  for (int i = 0; i < INPUTS; i++) rate[i] = usual[i % RATES] * lr_exp(x[i]);
  for (int d = 0; d < DOSES; d++)
    if (!follow(rate, dose_of[d], s->tolerance, digits,
                results + d * TIMES * SEEN))
      return 0;
  return 1;
}

static double run(const lr_simulator *base, const double *x, size_t digits)
{
  const pathway *s = (const pathway *)base;
  double results[RESULTS], sum = 0, squares = 0;
  if (!simulate(s, x, digits, results)) return NAN;
  for (int i = 0; i < RESULTS; i++) {
    double far = results[i] - s->measured[i];
    sum += far * far;
  }
  for (int i = 0; i < INPUTS; i++) squares += x[i] * x[i];
  return s->scale * sum + s->prior * squares / INPUTS;
}

/* F = sqrt(2 scale) times the differences of results; then, with a prior,
 * sqrt(2 prior / INPUTS) x. */
static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const pathway *s = ((const lr_problem *)user)->data;
  double results[RESULTS];
  int able = simulate(s, x, s->base.digits, results);
  for (size_t i = 0; i < RESULTS; i++)
    F[i] = able ? sqrt(2 * s->scale) * (results[i] - s->measured[i]) : NAN;
  for (size_t i = 0; m > RESULTS && i < p; i++)
    F[RESULTS + i] = sqrt(2 * s->prior / INPUTS) * x[i];
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  double spread = lr_reader_positive(reader, "spread"), *truth, sum = 0;
  double tolerance = lr_reader_positive(reader, "tolerance");
  double weight = lr_reader_real(reader, "prior", 0);
  size_t digits = lr_reader_digits(reader);
  lr_dice dice = {lr_reader_seed(reader), LR_STREAM_CENTRE};
  pathway *s;
  if (lr_problem_begin(problem, reader, INPUTS)) return reader->status;
  truth = lr_problem_numbers(problem, reader, INPUTS, 1);
  s = lr_problem_bytes(problem, reader, sizeof *s);
  lr_simulator_box(problem, reader, 3);
  if (reader->status) return reader->status;
  s->base = (lr_simulator){run, digits, 1e-3};
  s->tolerance = tolerance;
  s->prior = weight;
  for (size_t i = 0; i < INPUTS; i++)
    truth[i] = fmin(fmax(spread * lr_dice_normal(dice, i), -2.5), 2.5);
  if (!simulate(s, truth, digits, s->measured))
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "tolerance %g takes more than %d steps", tolerance,
                   TRIED_MOST);
  for (int i = 0; i < RESULTS; i++) sum += s->measured[i] * s->measured[i];
  s->scale = 1 / sum;
  if (weight == 0) {
    problem->minimum = 0;
    problem->minimiser = truth;
  }
  lr_simulator_answers(problem, &s->base);
  lr_problem_give_residuals(problem, RESULTS + (weight > 0 ? INPUTS : 0),
                            residuals);
  return reader->status;
}

const lr_problem_kind lr_kind_pathway = {
    "pathway", "rates of a signalling pathway of a cell, a stiff ODE",
    parameters, sizeof parameters / sizeof parameters[0], build};
