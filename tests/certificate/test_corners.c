/* Certificates at corners of the bounds under noise that nobody has told: there
 * only the signs of differences say that f increases inwards. */
#include "base/random.h"
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>

enum { INPUTS = 3, PROBLEMS = 400 };

/* f = (a'x - b)^2 in a box, with noise. */
typedef struct ridge {
  double a[INPUTS], lower[INPUTS], upper[INPUTS], start[INPUTS], b, noise;
  uint64_t seed, asked;
} ridge;

static double residual(const ridge *R, const double *x)
{
  double t = -R->b;
  for (int j = 0; j < INPUTS; j++) t += R->a[j] * x[j];
  return t;
}

static double value(size_t p, const double *x, void *user)
{
  ridge *R = user;
  double t = residual(R, x), error;
  (void)p;
  lr_gaussian(R->seed, 2, R->asked++, 1, &error);
  return t * t + R->noise * error;
}

/* The norm of the gradient without coordinates that bounds hold. */
static double norm_at(const ridge *R, const double *x)
{
  double t = residual(R, x), sum = 0;
  for (int j = 0; j < INPUTS; j++) {
    double g = 2 * t * R->a[j];
    bool held = g > 0 ? x[j] <= R->lower[j] : x[j] >= R->upper[j];
    if (!held) sum += g * g;
  }
  return sqrt(sum);
}

static ridge drawn(uint64_t seed)
{
  ridge R = {.seed = seed};
  double draws[3 * INPUTS + 2];
  lr_gaussian(seed, 1, 0, 3 * INPUTS + 2, draws);
  R.b = 3 * draws[3 * INPUTS];
  R.noise = pow(10, -5 + draws[3 * INPUTS + 1]);
  for (int j = 0; j < INPUTS; j++) {
    double width = pow(10, -0.25 + 0.4 * draws[INPUTS + j]);
    R.a[j] = draws[j];
    R.start[j] = draws[2 * INPUTS + j];
    R.lower[j] = R.start[j] - width * (double)(seed % 7) / 7;
    R.upper[j] = R.lower[j] + width;
  }
  return R;
}

TEST("at a corner of the bounds noise is measured before f is certified")
{
  static const lrgd_method methods[] = {LRGD_METHOD_GD, LRGD_METHOD_LRGD,
                                        LRGD_METHOD_ITERATED,
                                        LRGD_METHOD_ADAPTIVE};
  int wrong = 0, made = 0;
  for (int m = 0; m < 4; m++)
    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
      ridge R = drawn(seed);
      double x[INPUTS];
      lrgd_problem problem = lrgd_problem_default(INPUTS);
      lrgd_options o = lrgd_options_default();
      lrgd_result r;
      problem.value = value;
      problem.user = &R;
      problem.lower = R.lower, problem.upper = R.upper;
      o.method = methods[m];
      o.confidence = 0.999;
      o.max_evals = 1500;
      if (o.method == LRGD_METHOD_LRGD || o.method == LRGD_METHOD_ITERATED)
        o.rank = 1;
      for (int j = 0; j < INPUTS; j++) x[j] = R.start[j];
      check(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "runs");
      made += r.certificate.valid;
      wrong += r.certificate.valid &&
               norm_at(&R, x) > 2 * r.certificate.grad_norm_bound;
    }
  /* of 1,600 runs with a confidence of 0.999 */
  check(wrong <= 4, "%d of %d certificates are false", wrong, made);
  check(made >= 200, "%d certificates", made);
}
