/* The certificate by probes, asked for where the gradient is known. */
#include "api/solver_state.h"
#include "certificate/certificate.h"
#include "check.h"

enum { P = 200, TIMES = 400 };

/* f = slope x_1, which no direction of an empty basis sees. */
static double plane(size_t p, const double *x, void *user)
{
  (void)p;
  return *(const double *)user * x[0];
}

/* What one look says where |grad f| is `slope` and 1 is asked; *values: how
 * many it asked for. */
static double look(double slope, int seed, double *values)
{
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_solver *s;
  double bound = NAN;
  f.value = plane;
  f.user = &slope;
  o.method = LRGD_METHOD_QUASI_NEWTON;
  o.tol = 1;
  o.noise = 0;
  o.seed = seed;
  check(lrgd_solver_create(&s, &f, &o, NULL) == LRGD_OK, "made");
  lr_run *run = &s->run;
  lrgd_vec x = lr_run_work(run, LR_WORK_GRADIENT);
  run->space->ops->scale(run->space, x, 0);
  check(lr_run_start(run, x, &s->stop) == LR_GO &&
            lr_oracle_value(&run->oracle, &run->at, LRGD_PURPOSE_DESCEND) ==
                LR_GO,
        "started");
  run->goal.tol = 1;
  run->progress.grad_norm = 0; /* inside of nothing */
  check(lr_check_outside(run, &run->U, 0, true, &bound) == LR_GO, "looked");
  *values += (double)lr_oracle_spent(&run->oracle);
  (void)lrgd_solver_destroy(&s);
  return bound;
}

TEST("a gradient of half the tolerance is certified, one above it seldom")
{
  static const struct {
    double slope;
    int least, most; /* certificates in a hundred */
    double values;   /* on average, at most */
  } cases[] = {
      {0.1,  100, 100, 10},
      {0.5,  97,  100, 30},
      {1.01, 0,   5,   20},
      {2,    0,   1,   12}
  };
  for (int i = 0; i < 4; i++) {
    int given = 0, wrong = 0;
    double values = 0;
    for (int seed = 0; seed < TIMES; seed++) {
      double bound = look(cases[i].slope, seed, &values);
      given += bound <= 1;
      wrong += bound < cases[i].slope;
    }
    check(100 * given >= cases[i].least * TIMES &&
              100 * given <= cases[i].most * TIMES,
          "%g: %d of %d are given", cases[i].slope, given, TIMES);
    check(100 * wrong <= 5 * TIMES, "%g: %d of %d are wrong", cases[i].slope,
          wrong, TIMES);
    check(values / TIMES <= cases[i].values, "%g: %g values", cases[i].slope,
          values / TIMES);
  }
}
