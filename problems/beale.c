/* Beale's function (1958), problem 5 of More, Garbow and Hillstrom (1981): two
 * variables, flat far away, minimum 0 at (3, 1/2). */
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension; at least 2"},
    {"seed", "1",   "of the embedding A"   },
};

/* sum over i = 1, 2, 3 of (y_i - u (1 - v^i))^2, y = 1.5, 2.25, 2.625 */
static const double y[] = {1.5, 2.25, 2.625};

static double group(const double *z, double *dz)
{
  double sum = 0, power = 1; /* v^(i-1) */
  dz[0] = dz[1] = 0;
  for (int i = 0; i < 3; i++) {
    double rest = y[i] - z[0] * (1 - power * z[1]);
    sum += rest * rest;
    dz[0] -= 2 * rest * (1 - power * z[1]);
    dz[1] += 2 * rest * z[0] * (i + 1) * power;
    power *= z[1];
  }
  return sum;
}

static double complex group_complex(const double complex *z)
{
  double complex sum = 0, power = 1;
  for (int i = 0; i < 3; i++) {
    double complex rest = y[i] - z[0] * (1 - power * z[1]);
    sum += rest * rest;
    power *= z[1];
  }
  return sum;
}

static const double start[] = {1, 1}, minimiser[] = {3, 0.5};
static const lr_classic classic = {2, start, minimiser, group, group_complex};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  if (p < 2)
    lr_reader_fail(reader, LRGD_ERR_INVALID, "rank 2 exceeds dimension %zu", p);
  return lr_classic_build(problem, reader, p, 2, &classic);
}

const lr_problem_kind lr_kind_beale = {
    "beale", "Beale's function in 2 of p directions", parameters,
    sizeof parameters / sizeof parameters[0], build};
