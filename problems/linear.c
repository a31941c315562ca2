/* f(x) = slope * a . x with a random a of norm one: rank one, no minimum.  For
 * trying what happens when f is unbounded below. */
#include <math.h>

#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",     "100", "dimension"                },
    {"slope", "1",   "norm of the gradient; > 0"},
    {"seed",  "1",   "of the direction a"       },
};

static double linear_h(const void *data, const double *z, double *dz)
{
  const double *slope = data;
  if (dz) dz[0] = *slope;
  return *slope * z[0];
}

static double complex linear_h_complex(const void *data,
                                       const double complex *z)
{
  const double *slope = data;
  return *slope * z[0];
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  double slope = lr_reader_positive(reader, "slope");
  uint64_t seed = lr_reader_seed(reader);
  lr_composite f = {.q = 1, .h = linear_h, .h_complex = linear_h_complex};
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  f.A = lr_random_basis(problem, reader, 1, seed);
  f.data = lr_problem_copy(problem, reader, 1, &slope);
  problem->rank = 1;
  problem->minimum = -INFINITY;
  problem->smoothness = 0;
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_linear = {
    "linear", "a linear function: unbounded below", parameters,
    sizeof parameters / sizeof parameters[0], build};
