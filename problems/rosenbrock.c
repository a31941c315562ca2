/* Rosenbrock's valley (1960), extended to pairs of variables as problem 21 of
 * More, Garbow and Hillstrom (1981): a long curved valley, minimum at ones. */
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension"                                                    },
    {"n",    "2",   "variables of Rosenbrock's function: even, at most p; the rank"},
    {"seed", "1",   "of the embedding A"                                           },
};

/* 100 (v - u^2)^2 + (1 - u)^2 */
static double group(const double *z, double *dz)
{
  double bend = z[1] - z[0] * z[0], rest = 1 - z[0];
  dz[0] = -400 * z[0] * bend - 2 * rest;
  dz[1] = 200 * bend;
  return 100 * bend * bend + rest * rest;
}

static double complex group_complex(const double complex *z)
{
  double complex bend = z[1] - z[0] * z[0], rest = 1 - z[0];
  return 100 * bend * bend + rest * rest;
}

static const double start[] = {-1.2, 1}, minimiser[] = {1, 1};
static const lr_classic classic = {2, start, minimiser, group, group_complex};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t n = lr_classic_size(reader, &classic, p);
  return lr_classic_build(problem, reader, p, n, &classic);
}

const lr_problem_kind lr_kind_rosenbrock = {
    "rosenbrock", "Rosenbrock's curved valley in n of p directions", parameters,
    sizeof parameters / sizeof parameters[0], build};
