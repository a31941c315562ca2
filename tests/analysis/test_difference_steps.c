/* Momentum and adaptive steps: their recurrences, their rates, and that every
 * method can use them. */
#include "step/step.h"

#include "base/memory.h"
#include "check.h"
#include "make_problem.h"

static const lrgd_step accelerated[] = {LRGD_STEP_HEAVY_BALL,
                                        LRGD_STEP_NESTEROV, LRGD_STEP_ADAGRAD,
                                        LRGD_STEP_ADAM};
enum { RULES = sizeof accelerated / sizeof accelerated[0] };

/* f = 1/2 sum h_i x_i^2 in two dimensions, stepped through by hand. */
static const double h[2] = {4, 1};

static void walk(const lr_step_ops *ops, lr_step_given given, int steps,
                 double x[2])
{
  lr_step s;
  lr_step_init(&s, ops, &given, &lr_malloc);
  require(lr_step_reset(&s, 2) == LRGD_OK, "memory");
  lr_restricted none = {0};
  for (int i = 0; i < steps; i++) {
    double d[2] = {h[0] * x[0], h[1] * x[1]}, z[2], fz;
    lr_code code = lr_step_take(&s, &none, 0, d, z, &fz);
    require(code == LR_GO, "step %d", i);
    x[0] += z[0];
    x[1] += z[1];
  }
  lr_step_clear(&s);
}

TEST("the heavy ball follows x+ = x - alpha g + beta (x - x-)")
{
  double x[2] = {1, -2}, want[2] = {1, -2}, last[2] = {1, -2};
  walk(&lr_step_heavy_ball, (lr_step_given){.alpha = 0.1, .momentum = 0.3}, 6,
       x);
  for (int t = 0; t < 6; t++)
    for (int i = 0; i < 2; i++) {
      double next = want[i] - 0.1 * h[i] * want[i] + 0.3 * (want[i] - last[i]);
      last[i] = want[i];
      want[i] = next;
    }
  check_near(x[0], want[0], 1e-14, "along the steep coordinate");
  check_near(x[1], want[1], 1e-14, "along the flat one");
}

TEST("Nesterov's y follows x+ = y - alpha g(y), y+ = x+ + beta (x+ - x)")
{
  double y[2] = {1, -2}, x[2] = {1, -2}, want[2] = {1, -2};
  walk(&lr_step_nesterov, (lr_step_given){.alpha = 0.1, .momentum = 0.3}, 6, y);
  for (int t = 0; t < 6; t++)
    for (int i = 0; i < 2; i++) {
      double next = want[i] - 0.1 * h[i] * want[i];
      want[i] = next + 0.3 * (next - x[i]);
      x[i] = next;
    }
  check_near(y[0], want[0], 1e-14, "along the steep coordinate");
  check_near(y[1], want[1], 1e-14, "along the flat one");
}

TEST("AdaGrad divides by the root of all squares so far")
{
  double x[2] = {1, -2}, want[2] = {1, -2}, sum[2] = {0, 0};
  walk(&lr_step_adagrad, (lr_step_given){.alpha = 0.1}, 6, x);
  for (int t = 0; t < 6; t++)
    for (int i = 0; i < 2; i++) {
      double d = h[i] * want[i];
      sum[i] += d * d;
      want[i] -= 0.1 * d / sqrt(sum[i]);
    }
  check_near(x[0], want[0], 1e-13, "first coordinate");
  check_near(x[1], want[1], 1e-13, "second coordinate");
}

TEST("Adam moves by its bias-corrected means")
{
  double x[2] = {1, -2}, want[2] = {1, -2}, m[2] = {0, 0}, v[2] = {0, 0};
  walk(&lr_step_adam, (lr_step_given){.alpha = 0.1}, 6, x);
  for (int t = 1; t <= 6; t++)
    for (int i = 0; i < 2; i++) {
      double d = h[i] * want[i];
      m[i] = 0.9 * m[i] + 0.1 * d;
      v[i] = 0.999 * v[i] + 0.001 * d * d;
      want[i] -=
          0.1 * (m[i] / (1 - pow(0.9, t))) / sqrt(v[i] / (1 - pow(0.999, t)));
    }
  /* eps is 1e-8 of |d| */
  check_near(x[0], want[0], 1e-6, "first coordinate");
  check_near(x[1], want[1], 1e-6, "second coordinate");
}

static lrgd_result solve(const char *line, lrgd_options options)
{
  lr_problem *problem;
  lrgd_result result = {.outcome = LRGD_OUTCOME_FAILED};
  lrgd_error error = {LRGD_OK, ""};
  double x[1000];
  if (!check(make(&problem, line, &error) == LRGD_OK, "%s", error.text))
    return result;
  lrgd_problem f = *lr_problem_callbacks(problem);
  f.value = NULL;
  f.values = NULL;
  f.complex_value = NULL;
  f.slopes = NULL;
  memcpy(x, lr_problem_start(problem), f.dimension * sizeof *x);
  check(lrgd_minimize(&f, &options, x, &result, &error) == LRGD_OK, "%s: %s",
        line, error.text);
  lr_problem_destroy(&problem);
  return result;
}

/* Iterations to f - f* <= 1e-10 inside H, mu = 1, alpha = 1/kappa. */
static double iterations(lrgd_step step, double kappa)
{
  char line[80];
  (void)snprintf(line, sizeof line, "quadratic p=40 rank=4 kappa=%g", kappa);
  lrgd_options o = lrgd_options_default();
  o.method = LRGD_METHOD_LRGD;
  o.rank = 4;
  o.step = step;
  o.alpha = 1 / kappa;
  o.mu = 1;
  o.epsilon = 1e-10;
  lrgd_result result = solve(line, o);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s: %s", line,
        result.message);
  return (double)result.iterations;
}

TEST("momentum needs sqrt(kappa) steps where plain descent needs kappa")
{
  double gd =
      iterations(LRGD_STEP_FIXED, 4e3) / iterations(LRGD_STEP_FIXED, 40);
  double ball = iterations(LRGD_STEP_HEAVY_BALL, 4e3) /
                iterations(LRGD_STEP_HEAVY_BALL, 40);
  double nesterov =
      iterations(LRGD_STEP_NESTEROV, 4e3) / iterations(LRGD_STEP_NESTEROV, 40);
  check(gd > 80 && gd < 120, "fixed: 100 times kappa, %g times the steps", gd);
  check(ball > 7 && ball < 14, "heavy ball: %g", ball);
  check(nesterov > 7 && nesterov < 14, "Nesterov: %g", nesterov);
}

TEST(
    "every method converges with every accelerated step rule without a "
    "given length")
{
  const lrgd_method methods[] = {LRGD_METHOD_GD, LRGD_METHOD_LRGD,
                                 LRGD_METHOD_ITERATED, LRGD_METHOD_ADAPTIVE};
  const char *const problems[] = {"quadratic p=30 rank=3 kappa=30",
                                  "ridge p=30 rank=3", "logistic p=30 rank=3"};
  for (int m = 0; m < 4; m++)
    for (int s = 0; s < RULES; s++)
      for (int i = 0; i < 3; i++) {
        lrgd_options o = lrgd_options_default();
        o.method = methods[m];
        if (methods[m] != LRGD_METHOD_ADAPTIVE) o.rank = 3;
        o.step = accelerated[s];
        o.max_iterations = 20000;
        lrgd_result result = solve(problems[i], o);
        check(result.outcome == LRGD_OUTCOME_CONVERGED,
              "%s, method %d, step %d: %s", problems[i], m, s, result.message);
      }
}

TEST("in a box momentum is kept over steps that no bound shortens")
{
  for (int s = 0; s < RULES; s++) {
    lrgd_options o = lrgd_options_default();
    o.method = LRGD_METHOD_GD;
    o.step = accelerated[s];
    lrgd_result result = solve("product p=6", o);
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "step %d: %s", s,
          result.message);
    check_near(result.f, pow(0.5, 6), 1e-12, "the corner, with step %d", s);
  }
}
