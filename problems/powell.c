/* Powell's singular function (1962), extended to groups of four variables as
 * problem 22 of More, Garbow and Hillstrom (1981): the Hessian has rank two at
 * the minimum 0, so methods slow down as they come close. */
#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",    "100", "dimension"                                      },
    {"n",    "4",
     "variables of Powell's function: 4, 8, ..., at most p; the rank"},
    {"seed", "1",   "of the embedding A"                             },
};

/* (a + 10 b)^2 + 5 (c - d)^2 + (b - 2 c)^4 + 10 (a - d)^4 */
static double group(const double *z, double *dz)
{
  double s = z[0] + 10 * z[1], t = z[2] - z[3];
  double u = z[1] - 2 * z[2], v = z[0] - z[3];
  double u3 = u * u * u, v3 = v * v * v;
  dz[0] = 2 * s + 40 * v3;
  dz[1] = 20 * s + 4 * u3;
  dz[2] = 10 * t - 8 * u3;
  dz[3] = -10 * t - 40 * v3;
  return s * s + 5 * t * t + u3 * u + 10 * v3 * v;
}

static double complex group_complex(const double complex *z)
{
  double complex s = z[0] + 10 * z[1], t = z[2] - z[3];
  double complex u = z[1] - 2 * z[2], v = z[0] - z[3];
  return s * s + 5 * t * t + u * u * u * u + 10 * v * v * v * v;
}

static const double start[] = {3, -1, 0, 1}, minimiser[] = {0, 0, 0, 0};
static const lr_classic classic = {4, start, minimiser, group, group_complex};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  size_t n = lr_classic_size(reader, &classic, p);
  return lr_classic_build(problem, reader, p, n, &classic);
}

const lr_problem_kind lr_kind_powell = {
    "powell", "Powell's singular function in n of p directions", parameters,
    sizeof parameters / sizeof parameters[0], build};
