/* Calibration of an ordinary differential equation: prey u and predators v,
 *   u' = a u - b u v,  v' = c u v - d v,
 * seen at times 1 ... T.  The six unknowns (the logarithms of a, b, c, d and
 * of the populations at time 0) are sums of p parameters that a modeller could
 * not tell apart, z = A^T x: a model with redundant parameters.
 * f(x) = mean square of log u - log u^ and log v - log v^, u^ and v^ from the
 * true z = 0 at which the minimum 0 lies; prior > 0 adds prior |x|^2. */
#include <math.h>

#include "analytic.h"
#include "embedded.h"

static const lr_parameter parameters[] = {
    {"p",     "100", "dimension; at least 6"                     },
    {"prior", "0",   "weight of |x|^2; 0 leaves the rank 6; >= 0"},
    {"seed",  "1",   "of the embedding A"                        },
};

enum { WIDTH = 6, TIMES = 12, STEPS = 20, SEEN = 2 * TIMES };

/* a, b, c, d, u(0), v(0) at z = 0 */
static const double truth[WIDTH] = {0.9, 0.4, 0.3, 0.8, 2, 1.5};

/* In logarithms, U = log u and V = log v: U' = a - b e^V, V' = c e^U - d. */
static void slope(const double complex *rate, const double complex *state,
                  double complex *to)
{
  to[0] = rate[0] - rate[1] * lr_cexp(state[1]);
  to[1] = rate[2] * lr_cexp(state[0]) - rate[3];
}

/* One step of the classic method of Runge and Kutta. */
static void advance(const double complex *rate, double h, double complex *state)
{
  static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double complex k[2] = {0, 0}, sum[2] = {0, 0};
  for (int stage = 0; stage < 4; stage++) {
    double complex at[2] = {state[0] + part[stage] * h * k[0],
                            state[1] + part[stage] * h * k[1]};
    slope(rate, at, k);
    sum[0] += weight[stage] * k[0];
    sum[1] += weight[stage] * k[1];
  }
  state[0] += h / 6 * sum[0];
  state[1] += h / 6 * sum[1];
}

static void simulate(const double complex *z, double complex *seen)
{
  double complex rate[4], state[2];
  for (size_t j = 0; j < 4; j++) rate[j] = truth[j] * lr_cexp(z[j]);
  for (size_t j = 0; j < 2; j++) state[j] = lr_clog(truth[4 + j]) + z[4 + j];
  for (size_t i = 0; i < TIMES; i++) {
    for (int step = 0; step < STEPS; step++) advance(rate, 1.0 / STEPS, state);
    seen[2 * i] = state[0];
    seen[2 * i + 1] = state[1];
  }
}

static double complex misfit(size_t n, const double complex *z,
                             const void *data)
{
  const double *measured = data;
  double complex seen[SEEN], sum = 0;
  (void)n;
  simulate(z, seen);
  for (size_t i = 0; i < SEEN; i++) {
    double complex far = seen[i] - measured[i];
    sum += far * far;
  }
  return sum / SEEN;
}

/* F = sqrt(2 / SEEN) times the differences; then, with a prior,
 * sqrt(2 prior) x. */
static void residuals(size_t p, const double *x, size_t m, double *F,
                      void *user)
{
  const lr_composite *f = ((const lr_problem *)user)->data;
  const lr_core_formula *formula = f->data;
  const double *measured = formula->data;
  double z[WIDTH];
  double complex at[WIDTH], seen[SEEN];
  lr_composite_project(f, p, x, z);
  for (size_t j = 0; j < WIDTH; j++) at[j] = z[j];
  simulate(at, seen);
  for (size_t i = 0; i < SEEN; i++)
    F[i] = sqrt(2.0 / SEEN) * (creal(seen[i]) - measured[i]);
  for (size_t i = 0; m > SEEN && i < p; i++)
    F[SEEN + i] = sqrt(2 * formula->prior) * x[i];
}

static const double start[] = {0.3, -0.2, 0.25, -0.15, 0.2, -0.3};
static const double minimiser[] = {0, 0, 0, 0, 0, 0};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t p = lr_reader_dimension(reader);
  double prior = lr_reader_real(reader, "prior", 0);
  lr_core_formula formula = {WIDTH, WIDTH,  start, minimiser,
                             0,     misfit, NULL,  prior};
  double complex none[WIDTH] = {0}, seen[SEEN];
  double *measured = lr_problem_numbers(problem, reader, SEEN, 1);
  lr_embedded_check(reader, WIDTH, p);
  if (reader->status) return reader->status;
  simulate(none, seen);
  for (size_t i = 0; i < SEEN; i++) measured[i] = creal(seen[i]);
  formula.data = measured;
  lr_problem_give_residuals(problem, SEEN + (prior > 0 ? p : 0), residuals);
  return lr_embedded_build(problem, reader, p, &formula);
}

const lr_problem_kind lr_kind_predator = {
    "predator", "predators and prey: a model with redundant parameters",
    parameters, sizeof parameters / sizeof parameters[0], build};
