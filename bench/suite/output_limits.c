/* Problems with limits on outputs: scales, violations, and the minima that no
 * expression gives. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* limited-quadratic rank=10 limits=5: p plays no part in the minimum, as all
 * outputs vary along ten coordinates.  There it is a convex problem, which
 * SciPy's SLSQP solved from three starts with exact derivatives, to 1e-11, and
 * its trust-constr to 1e-9, to the same numbers. */
static const struct {
  uint64_t seed;
  double minimum;
} limited[] = {
    {101, 1.27663748489 },
    {102, 1.70171027403 },
    {103, 0.36243253915 },
    {104, 0.586892811191},
    {105, 0.562314855747},
    {106, 2.88185742698 },
    {107, 3.0472691265  },
    {108, 5.62590385707 },
    {109, 2.12051565018 },
    {110, 1.0668129336  },
};

/* Plates and fits, from SciPy's SLSQP with derivatives by differences of sixth
 * order: from the start, from its own end and from two points near that, it
 * ended at the same minimum. */
static const struct {
  const char *line;
  double minimum;
} smooth[] = {
    {"limited-plate length=5 width=5",   1.824065707239  },
    {"limited-plate length=10 width=6",  1.540059174475  },
    {"limited-plate length=10 width=10", 1.585791495754  },
    {"limited-fit inputs=3 hidden=5",    0.231849134313  },
    {"limited-fit inputs=7 hidden=8",    0.0716744297098 },
    {"limited-fit inputs=8 hidden=10",   0.079579465991  },
    {"limited-fit inputs=18 hidden=10",  0.08366281658281},
};

static double limited_minimum(const bench_case *from, uint64_t seed)
{
  for (size_t i = 0; i < sizeof smooth / sizeof smooth[0]; i++)
    if (strcmp(from->line, smooth[i].line) == 0) return smooth[i].minimum;
  if (!strstr(from->line, "rank=10 limits=5")) return NAN;
  for (size_t i = 0; i < sizeof limited / sizeof limited[0]; i++)
    if (limited[i].seed == seed) return limited[i].minimum;
  return NAN;
}

/* Sets the scales as the library does: the larger of the two limits in absolute
 * value, or the output at x0. */
static void set_scales(bench_problem *problem)
{
  const lrgd_limits *limits = problem->f.limits;
  for (size_t i = 0; i < problem->m; i++) {
    double low = isfinite(limits->lower[i]) ? fabs(limits->lower[i]) : 0;
    double high = isfinite(limits->upper[i]) ? fabs(limits->upper[i]) : 0;
    double at = fabs(problem->scale[i]);
    problem->scale[i] = fmax(low, high);
    if (problem->scale[i] == 0) problem->scale[i] = at > 0 ? at : 1;
  }
}

lrgd_status bench_limits_prepare(bench_problem *problem, const bench_case *from,
                                 uint64_t seed)
{
  problem->m = problem->f.residual_count;
  problem->scale = malloc(problem->m * sizeof *problem->scale);
  if (!problem->scale) return LRGD_ERR_NOMEM;
  problem->f.residuals(problem->p, problem->x0, problem->m, problem->scale,
                       problem->f.user);
  set_scales(problem);
  problem->minimum = lr_problem_minimum(problem->made);
  if (isnan(problem->minimum)) problem->minimum = limited_minimum(from, seed);
  problem->f0 = problem->minimum + fmax(1, fabs(problem->minimum));
  return LRGD_OK;
}

double bench_violation(const bench_problem *problem, const double *y)
{
  const lrgd_limits *limits = problem->f.limits;
  double most = 0;
  for (size_t i = 0; i < problem->m; i++) {
    double out = fmax(limits->lower[i] - y[i], y[i] - limits->upper[i]);
    if (!isfinite(y[i])) return INFINITY;
    most = fmax(most, out / problem->scale[i]);
  }
  return most;
}

bool bench_has_equations(const bench_problem *problem)
{
  const lrgd_limits *limits = problem->f.limits;
  for (size_t i = 0; limits && i < problem->m; i++)
    if (limits->lower[i] == limits->upper[i]) return true;
  return false;
}
