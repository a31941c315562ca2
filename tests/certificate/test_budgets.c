/* Budgets are hard caps: never one evaluation more. */
#include "watched.h"

enum { MOST = 40, BUDGETS = 50 };

typedef struct spent {
  watched w;
  lrgd_result result;
  lrgd_status status;
  double x[MOST];
} spent;

static spent spend(const lr_problem *problem, ask_kind kind, lrgd_options o,
                   int64_t budget)
{
  spent s;
  lrgd_problem seen = watch(&s.w, lr_problem_callbacks(problem), kind);
  o.max_evals = budget;
  memcpy(s.x, lr_problem_start(problem), seen.dimension * sizeof *s.x);
  s.status = lrgd_minimize(&seen, &o, s.x, &s.result, NULL);
  return s;
}

/* Budgets 0 .. 50 with one choice of everything else. */
static void every_budget(const lr_problem *problem, ask_kind kind,
                         const lrgd_options *o, const char *who)
{
  double start =
      watched_f(lr_problem_callbacks(problem), kind, lr_problem_start(problem));
  for (int64_t budget = 0; budget <= BUDGETS; budget++) {
    spent s = spend(problem, kind, *o, budget);
    lrgd_outcome outcome = s.result.outcome;
    check(s.status == LRGD_OK, "%s, %d: status", who, (int)budget);
    check(watched_evaluations(&s.w) <= (uint64_t)budget,
          "%s: %d evaluations of %d", who, (int)watched_evaluations(&s.w),
          (int)budget);
    check_int(lrgd_counts_evaluations(&s.result.counts),
              watched_evaluations(&s.w), "%s, %d: counted", who, (int)budget);
    check(outcome == LRGD_OUTCOME_BUDGET || outcome == LRGD_OUTCOME_CONVERGED ||
              outcome == LRGD_OUTCOME_STALLED,
          "%s, %d: %s", who, (int)budget, s.result.message);
    if (s.w.calls > 0 && isfinite(s.result.f))
      check(s.result.f <= start, "%s, %d: f is %g", who, (int)budget,
            s.result.f);
  }
}

static void on_problem(const char *line, int64_t rank)
{
  lr_problem *problem = made(line);
  bool complex = lr_problem_callbacks(problem)->complex_value != NULL;
  for (int m = 0; m < METHODS; m++)
    for (int s = 0; s < STEPS && combines(m, s); s++)
      for (int k = 0; k < ASK_KINDS; k++) {
        char who[160];
        lrgd_options o = chosen(m, s, rank, 1e-4);
        if (k == ASK_COMPLEX && !complex) continue;
        (void)snprintf(who, sizeof who, "%s, %s, %s, %s", line, method_names[m],
                       step_names[s], ask_names[k]);
        every_budget(problem, (ask_kind)k, &o, who);
      }
  lr_problem_destroy(&problem);
}

TEST("budgets of 0 to 50 are kept by every method, step and oracle")
{
  on_problem("quadratic p=4 rank=2 kappa=10", 2);
}

TEST("budgets of 0 to 50 are kept in a valley of many steps")
{
  on_problem("rosenbrock p=3", 1);
}

TEST("budgets of 0 to 50 are kept in a box")
{
  on_problem("product p=3 lower=0.5 upper=1.5", 2);
}

TEST("budgets of 0 to 50 are kept where a method embeds: p = 40")
{
  lr_problem *problem = made("ridge p=40 rank=2 sigma=cosh");
  for (int k = 0; k < ASK_KINDS; k++) {
    lrgd_options o = chosen(LRGD_METHOD_AUTO, LRGD_STEP_AUTO, 0, 0);
    every_budget(problem, (ask_kind)k, &o, ask_names[k]);
  }
  lr_problem_destroy(&problem);
}

TEST("budgets are kept with central differences, noise estimated, retries")
{
  lr_problem *problem = made("ridge p=4 rank=2 sigma=cosh");
  for (int m = 0; m < METHODS; m++) {
    lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
    o.differences = LRGD_DIFFERENCES_CENTRAL;
    o.noise = LRGD_UNSET_REAL;
    o.retries = 2;
    every_budget(problem, ASK_VALUE, &o, method_names[m]);
    every_budget(problem, ASK_BATCH, &o, method_names[m]);
  }
  lr_problem_destroy(&problem);
}

TEST("with budget 0 nothing is evaluated, and the start is returned")
{
  lr_problem *problem = made("quadratic p=4 rank=2 kappa=10");
  for (int m = 0; m < METHODS; m++)
    for (int k = 0; k < ASK_KINDS; k++) {
      lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
      spent s = spend(problem, (ask_kind)k, o, 0);
      check(s.w.calls == 0, "%s: no call", method_names[m]);
      check(s.result.outcome == LRGD_OUTCOME_BUDGET, "%s: %s", method_names[m],
            s.result.message);
      check(isnan(s.result.f), "%s: f is not known", method_names[m]);
      check(memcmp(s.x, lr_problem_start(problem), 4 * sizeof *s.x) == 0,
            "%s: x is the start", method_names[m]);
    }
  lr_problem_destroy(&problem);
}

TEST("a larger budget gives a longer part of the same path")
{
  lr_problem *problem = made("rosenbrock p=6");
  double first = watched_f(lr_problem_callbacks(problem), ASK_VALUE,
                           lr_problem_start(problem));
  double rounding = 16 * DBL_EPSILON * first;
  for (int m = 0; m < METHODS; m++) {
    double last = INFINITY;
    for (int64_t budget = 20; budget <= 400; budget += 20) {
      lrgd_options o = chosen(m, LRGD_STEP_AUTO, 2, 0);
      spent s = spend(problem, ASK_VALUE, o, budget);
      if (isfinite(s.result.f)) {
        /* a certified point is given although a difference beside it was lower
         * by a rounding of what f was at the start */
        bool certified = s.result.outcome == LRGD_OUTCOME_CONVERGED;
        check(s.result.f <= last + (certified ? rounding : 0),
              "%s, %d: %g after %g", method_names[m], (int)budget, s.result.f,
              last);
        last = s.result.f;
      }
    }
  }
  lr_problem_destroy(&problem);
}

TEST("max_iterations ends a run after so many")
{
  lr_problem *problem = made("rosenbrock p=6");
  for (int m = LRGD_METHOD_GD; m <= LRGD_METHOD_ADAPTIVE; m++)
    for (int64_t most = 1; most < 6; most++) {
      lrgd_options o = chosen(m, LRGD_STEP_FIXED, 2, 1e-4);
      o.max_iterations = most;
      spent s = spend(problem, ASK_SLOPES, o, 1000000);
      check(s.result.iterations <= (uint64_t)most, "%s: %d of %d",
            method_names[m], (int)s.result.iterations, (int)most);
      check(s.result.outcome == LRGD_OUTCOME_BUDGET, "%s: %s", method_names[m],
            s.result.message);
    }
  lr_problem_destroy(&problem);
}
