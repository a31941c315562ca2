/* f(x) = value everywhere: every point is a minimum, no gradient to follow. */
#include <math.h>

#include "composite.h"

static const lr_parameter parameters[] = {
    {"p",     "100", "dimension"},
    {"value", "1",   "of f"     },
};

/* q = 0: z and dz have no numbers; the type is that of every core.
 * NOLINTNEXTLINE(readability-non-const-parameter) */
static double constant_h(const void *data, const double *z, double *dz)
{
  const double *value = data;
  (void)z;
  (void)dz;
  return *value;
}

static double complex constant_h_complex(const void *data,
                                         const double complex *z)
{
  const double *value = data;
  (void)z;
  return *value;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  double value = lr_reader_real(reader, "value", -INFINITY);
  lr_composite f = {.q = 0, .h = constant_h, .h_complex = constant_h_complex};
  if (lr_problem_begin(problem, reader, p)) return reader->status;
  f.data = lr_problem_copy(problem, reader, 1, &value);
  problem->minimum = value;
  problem->minimiser = problem->start;
  problem->smoothness = 0;
  return lr_composite_install(problem, reader, &f);
}

const lr_problem_kind lr_kind_constant = {
    "constant", "the same value everywhere", parameters,
    sizeof parameters / sizeof parameters[0], build};
