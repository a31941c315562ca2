/* One suite for every method with every step and every kind of oracle: it ends
 * at the minimum, or says honestly that it does not. */
#include "certificate/watched.h"

enum { MOST = 40 };

/* One combination on one problem. */
typedef struct trial {
  const lr_problem *problem;
  const lrgd_problem *f;
  int method, step;
  ask_kind kind;
  double x[MOST], tol;
  watched w;
  lrgd_options options;
  lrgd_result result;
  lrgd_error error;
  lrgd_status status;
} trial;

static void run(trial *t, int64_t rank)
{
  double L = lr_problem_smoothness(t->problem);
  lrgd_problem seen = watch(&t->w, t->f, t->kind);
  t->options = chosen(t->method, t->step, rank, 1 / (isfinite(L) ? L : 1000));
  t->options.max_evals = 20000;
  memcpy(t->x, lr_problem_start(t->problem), t->f->dimension * sizeof *t->x);
  t->tol = 1e-6 * true_norm(t->f, t->x); /* what unset tol comes to */
  t->status = lrgd_minimize(&seen, &t->options, t->x, &t->result, &t->error);
}

typedef void (*verdict)(const trial *t, const char *who);

static void all_on(const char *line, verdict judge)
{
  lr_problem *problem = made(line);
  const lrgd_problem *f = lr_problem_callbacks(problem);
  int64_t rank = (int64_t)lr_problem_rank(problem);
  for (int m = 0; m < METHODS; m++)
    for (int s = 0; s < STEPS; s++)
      for (int k = 0; k < ASK_KINDS; k++) {
        char who[128];
        trial t = {.problem = problem, .f = f, .method = m, .step = s};
        t.kind = (ask_kind)k;
        if (!combines(m, s) || (k == ASK_COMPLEX && !f->complex_value))
          continue;
        (void)snprintf(who, sizeof who, "%.30s, %s, %s, %s", line,
                       method_names[m], step_names[s], ask_names[k]);
        run(&t, rank > 0 ? rank : 1);
        if (check(t.status == LRGD_OK, "%s: %s", who, t.error.text))
          judge(&t, who);
      }
  lr_problem_destroy(&problem);
}

static void at_minimum(const trial *t, const char *who)
{
  double min = lr_problem_minimum(t->problem);
  check(t->result.outcome == LRGD_OUTCOME_CONVERGED, "%s: %s", who,
        t->result.message);
  check(t->result.f <= min + 1e-6 * (1 + fabs(min)), "%s: f is %g above", who,
        t->result.f - min);
}

TEST("every combination minimises a quadratic of rank 3")
{
  all_on("quadratic p=12 rank=3 kappa=10", at_minimum);
}

TEST("every combination minimises least squares of rank 3")
{
  all_on("least-squares p=12 rank=3", at_minimum);
}

TEST("every combination minimises a ridge function of rank 3")
{
  all_on("ridge p=12 rank=3 sigma=logcosh", at_minimum);
}

TEST("every combination minimises log-sum-exp of rank 3")
{
  all_on("log-sum-exp p=12 rank=3", at_minimum);
}

TEST("every combination minimises where an embedding pays: p = 40, rank 2")
{
  all_on("quadratic p=40 rank=2 kappa=10", at_minimum);
}

/* An end that is no success says so, and gives the best there was. */
static void honest(const trial *t, const char *who)
{
  lrgd_outcome outcome = t->result.outcome;
  double start = watched_f(t->f, t->kind, lr_problem_start(t->problem));
  check(outcome == LRGD_OUTCOME_CONVERGED || outcome == LRGD_OUTCOME_STALLED ||
            outcome == LRGD_OUTCOME_BUDGET,
        "%s: %s", who, lrgd_outcome_text(outcome));
  check(t->result.message[0] != '\0', "%s: there is a sentence", who);
  check(t->result.f <= start, "%s: f is above its start", who);
  /* a value oracle sees the gradient through differences */
  if (outcome == LRGD_OUTCOME_CONVERGED)
    check(true_norm(t->f, t->x) <= 1.5 * t->tol, "%s: |grad f| is %g, not %g",
          who, true_norm(t->f, t->x), t->tol);
}

TEST("in Rosenbrock's valley every combination reports what it reached")
{
  all_on("rosenbrock p=12", honest);
}

TEST("on Powell's singular function every combination reports what it reached")
{
  all_on("powell p=12", honest);
}

TEST("on a function of full rank every combination reports what it reached")
{
  all_on("quadratic p=12 rank=3 tail=0.5", honest);
}

TEST("in a box every combination reports what it reached")
{
  all_on("product p=5 lower=0.5 upper=1.5", honest);
}

static void fast(const trial *t, const char *who)
{
  if (t->step != LRGD_STEP_BFGS && t->step != LRGD_STEP_AUTO) return;
  if (t->method == LRGD_METHOD_GD && t->step == LRGD_STEP_AUTO) return;
  check(t->result.outcome == LRGD_OUTCOME_CONVERGED, "%s: %s", who,
        t->result.message);
  check(t->result.f < 1e-6, "%s: f is %g", who, t->result.f);
}

TEST("BFGS, the default step, goes down the valley")
{
  all_on("rosenbrock p=12", fast);
}

TEST("with gradients, quasi-Newton needs fewer than a quadratic has curvatures")
{
  /* secant pairs are exact on a quadratic: a wrong update takes 1.4 times r */
  for (int seed = 1; seed <= 3; seed++) {
    char line[64];
    (void)snprintf(line, sizeof line, "quadratic p=40 rank=30 kappa=10 seed=%d",
                   seed);
    lr_problem *problem = made(line);
    trial t = {.problem = problem, .f = lr_problem_callbacks(problem)};
    t.method = LRGD_METHOD_QUASI_NEWTON, t.step = LRGD_STEP_AUTO;
    t.kind = ASK_GRADIENT;
    run(&t, 30);
    at_minimum(&t, line);
    uint64_t paid = lrgd_counts_evaluations(&t.result.counts);
    check(paid <= 30, "%s: %llu evaluations", line, (unsigned long long)paid);
    lr_problem_destroy(&problem);
  }
}

TEST("solving twice with one solver gives the same run twice")
{
  lr_problem *problem = made("rosenbrock p=12");
  for (int m = 0; m < METHODS; m++)
    for (int s = 0; s < STEPS && combines(m, s); s++) {
      watched w;
      lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), ASK_SLOPES);
      lrgd_options o = chosen(m, s, 2, 1e-3);
      lrgd_result first, second;
      lrgd_solver *solver;
      double a[12], b[12];
      o.max_evals = 2000;
      require(lrgd_solver_create(&solver, &seen, &o, NULL) == LRGD_OK, "made");
      check(lrgd_solver_solve(solver, lr_problem_start(problem), a, &first,
                              NULL) == LRGD_OK &&
                lrgd_solver_solve(solver, lr_problem_start(problem), b, &second,
                                  NULL) == LRGD_OK,
            "%s, %s", method_names[m], step_names[s]);
      check(memcmp(a, b, sizeof a) == 0 && first.f == second.f &&
                memcmp(&first.counts, &second.counts, sizeof first.counts) == 0,
            "%s, %s: the second run is the first", method_names[m],
            step_names[s]);
      (void)lrgd_solver_destroy(&solver);
    }
  lr_problem_destroy(&problem);
}

TEST("the same seed gives the same run, another seed another one")
{
  lr_problem *problem = made("quadratic p=12 rank=3 kappa=10");
  double x[3][12];
  for (int i = 0; i < 3; i++) {
    watched w;
    lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), ASK_VALUE);
    lrgd_options o = chosen(LRGD_METHOD_LRGD, LRGD_STEP_BFGS, 3, 0);
    o.seed = i == 2 ? 2 : 1;
    memcpy(x[i], lr_problem_start(problem), sizeof x[i]);
    check(lrgd_minimize(&seen, &o, x[i], NULL, NULL) == LRGD_OK, "run %d", i);
  }
  check(memcmp(x[0], x[1], sizeof x[0]) == 0, "the same");
  check(memcmp(x[0], x[2], sizeof x[0]) != 0, "another");
  lr_problem_destroy(&problem);
}

TEST("a batch gives the path that single values give")
{
  lr_problem *problem = made("ridge p=12 rank=3 sigma=cosh");
  for (int m = 0; m < METHODS; m++) {
    double x[2][12];
    for (int i = 0; i < 2; i++) {
      watched w;
      lrgd_problem seen =
          watch(&w, lr_problem_callbacks(problem), i ? ASK_BATCH : ASK_VALUE);
      lrgd_options o = chosen(m, LRGD_STEP_BFGS, 3, 0);
      memcpy(x[i], lr_problem_start(problem), sizeof x[i]);
      check(lrgd_minimize(&seen, &o, x[i], NULL, NULL) == LRGD_OK, "%s",
            method_names[m]);
    }
    check(memcmp(x[0], x[1], sizeof x[0]) == 0, "%s", method_names[m]);
  }
  lr_problem_destroy(&problem);
}
