/* T-cells per cubic millimetre so many days after an infection with HIV: seven
 * differential equations, 27 rates within 2.5 % of their nominal values
 * (Hadjiandreou, Conejeros and Vassiliadis, 2007; Loudon and Pankavich, 2017).
 * Integrated by the classical Runge-Kutta rule with steps short enough for the
 * fastest rate, 2.45 a day. */
#include "analytic.h"
#include "formula.h"

#include <string.h>

enum { STATES = 7, INPUTS = 27, STEPS_A_DAY = 8 };
enum { T, TI, TL, M, MI, CTL, V };

/* s1 s2 s3, p1 C1, K1 .. K13, delta1 .. delta7, alpha1, psi */
enum { S = 0, P1 = 3, C1 = 4, K = 4, DELTA = 17, ALPHA = 25, PSI = 26 };
#define NOMINAL(X)                                                             \
  X(10), X(0.15), X(5), X(0.2), X(55.6), X(3.87e-3), X(1e-6), X(4.5e-4),       \
      X(7.45e-4), X(5.22e-4), X(3e-6), X(3.3e-4), X(6e-9), X(0.537), X(0.285), \
      X(7.79e-6), X(1e-6), X(4e-5), X(0.01), X(0.28), X(0.05), X(0.005),       \
      X(0.005), X(0.015), X(2.39), X(3e-4), X(0.97)
#define LESS(x) (0.975 * (x))
#define MORE(x) (1.025 * (x))
static const double lower[INPUTS] = {NOMINAL(LESS)};
static const double upper[INPUTS] = {NOMINAL(MORE)};

static const double healthy[STATES] = {1000, 0,         0, 0.15 / 0.005,
                                       0,    5 / 0.015, 1};

static void rates(const double complex *x, const double complex y[STATES],
                  double complex dy[STATES])
{
  const double complex *k = x + K, *delta = x + DELTA; /* counted from 1 */
  double complex infect = (k[1] * y[V] + k[2] * y[MI]) * y[T];
  dy[T] = x[S] + lr_cdiv(x[P1] * y[T] * y[V], x[C1] + y[V]) - delta[1] * y[T] -
          infect;
  dy[TI] = x[PSI] * infect + x[ALPHA] * y[TL] - delta[2] * y[TI] -
           k[3] * y[TI] * y[CTL];
  dy[TL] = (1 - x[PSI]) * infect - x[ALPHA] * y[TL] - delta[3] * y[TL];
  dy[M] = x[S + 1] + (k[4] - k[5]) * y[M] * y[V] - delta[4] * y[M];
  dy[MI] = k[5] * y[M] * y[V] - delta[5] * y[MI] - k[6] * y[MI] * y[CTL];
  dy[CTL] = x[S + 2] + (k[7] * y[TI] + k[8] * y[MI] - delta[6]) * y[CTL];
  dy[V] = k[9] * y[TI] + k[10] * y[MI] - k[11] * y[T] * y[V] -
          (k[12] + k[13]) * y[M] * y[V] - delta[7] * y[V];
}

static void step(const double complex *x, double dt, double complex y[STATES])
{
  static const double at[] = {0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double complex slope[STATES], sum[STATES] = {0}, stage[STATES];
  memcpy(stage, y, sizeof stage);
  for (int s = 0; s < 4; s++) {
    rates(x, stage, slope);
    for (int i = 0; i < STATES; i++) {
      sum[i] += weight[s] * slope[i];
      if (s < 3) stage[i] = y[i] + at[s] * dt * slope[i];
    }
  }
  for (int i = 0; i < STATES; i++) y[i] += dt / 6 * sum[i];
}

static double complex cells(const double complex *x, int days)
{
  double complex y[STATES];
  for (int i = 0; i < STATES; i++) y[i] = healthy[i];
  for (int i = 0; i < days * STEPS_A_DAY; i++) step(x, 1.0 / STEPS_A_DAY, y);
  return y[T];
}

static double complex acute(const double complex *x)
{
  return cells(x, 24);
}

static double complex chronic(const double complex *x)
{
  return cells(x, 140);
}

static double complex late(const double complex *x)
{
  return cells(x, 500);
}

/* K12 and K13 enter as their sum only. */
static const lr_formula formulas[] = {
    {INPUTS, lower, upper, acute,   26},
    {INPUTS, lower, upper, chronic, 26},
    {INPUTS, lower, upper, late,    26},
};
static const lr_parameter parameters[] = {
    {"units", "box", "physical|box: box scales each input to -1 .. 1"},
    {"days",  "24",  "24|140|500: when the cells are counted"        },
};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t days = lr_reader_choice(reader, "days", "24|140|500");
  return lr_formula_build(problem, reader, &formulas[days]);
}

const lr_problem_kind lr_kind_hiv = {
    "hiv", "T-cells some days after an infection, 27 inputs", parameters,
    sizeof parameters / sizeof parameters[0], build};
