/* The paper's algorithms as they are written: every question that the library
 * asks is compared with those of a straight transcription, on functions of this
 * test's own. */
#include "transcribed.h"

/* ---- running and comparing ---- */

typedef enum answer { SLOPES, GRADIENT, VALUE } answer;

static asked seen; /* too large for a small stack */
static transcript told;

static const double start[P] = {0.9, -0.4, 0.3, 0.7, -0.2, 0.5, -0.8};
static const double points[4 * P] = {
    0.2, 0.1,  -0.5, 1.1, 0.3,  0.0, 0.4,  -1,  0.6,  0.2, 0.9, -0.7, 0.1, 0.8,
    0.5, -0.9, 0.7,  0.2, -0.1, 0.6, -0.3, 0.4, -0.6, 1.2, 0.3, 0.1,  0.9, 0.2};

static lrgd_options chosen(lrgd_method method, int64_t r, double alpha)
{
  lrgd_options o = lrgd_options_default();
  o.method = method;
  if (r > 0) o.rank = r;
  o.alpha = alpha;
  o.verbatim = 1;
  return o;
}

static lrgd_result run(function f, answer kind, const lrgd_options *o, size_t n,
                       double *x)
{
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_solver *solver = NULL;
  lrgd_result result = {0};
  lrgd_error error = {LRGD_OK, ""};
  seen.f = f;
  seen.n = seen.evaluations = 0;
  problem.user = &seen;
  if (kind == SLOPES) problem.slopes = slopes;
  if (kind == GRADIENT) problem.gradient = gradient;
  if (kind == VALUE) problem.value = value;
  memcpy(x, start, sizeof start);
  bool good = lrgd_solver_create(&solver, &problem, o, &error) == LRGD_OK &&
              (n == 0 ||
               lrgd_solver_set_samples(solver, n, points, &error) == LRGD_OK) &&
              lrgd_solver_solve(solver, x, x, &result, &error) == LRGD_OK;
  check(good, "%s", error.text);
  (void)lrgd_solver_destroy(&solver);
  return result;
}

static double apart(const double *a, const double *b)
{
  double most = 0;
  for (int i = 0; i < P; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* Every question, one after the other; slopes are asked for at once. */
static void compare_slopes(const char *name, size_t extra)
{
  check_int(seen.n, told.n + extra, "%s: questions", name);
  for (size_t i = 0; i < told.n && i < seen.n; i++) {
    double away = apart(seen.x[i], told.x[i]);
    if (!check(away <= 1e-12, "%s: question %d is asked %g away", name, (int)i,
               away) ||
        !check((seen.along[i] == P) == (told.whole[i] == 1),
               "%s: question %d, along %d directions", name, (int)i,
               (int)seen.along[i]))
      return;
  }
}

TEST("Algorithm 1 as written, call for call: T iterations")
{
  static const function functions[] = {ridge, bowl, thin};
  for (int i = 0; i < 3; i++)
    for (int64_t r = 1; r <= 4; r++) {
      char name[40];
      double x[P];
      lrgd_options o = chosen(LRGD_METHOD_LRGD, r, 0.05);
      o.max_iterations = 25;
      o.tol = 1e-12;
      (void)snprintf(name, sizeof name, "function %d, rank %d", i, (int)r);
      memcpy(told.theta, start, sizeof start);
      algorithm_1(&told, functions[i], (size_t)r, points, 0.05, 25, 1e-12);
      lrgd_result result = run(functions[i], SLOPES, &o, (size_t)r, x);
      compare_slopes(name, 1); /* the value where the last step led */
      check_int(lrgd_counts_oracle_calls(&result.counts), told.calls,
                "%s: p r + r T calls", name);
      check_int(told.calls, (size_t)r * (P + 25), "%s: the formula", name);
      check(apart(x, told.theta) <= 1e-12, "%s: theta is theirs", name);
      check_int(result.iterations, 25, "%s: iterations", name);
      check(result.outcome == LRGD_OUTCOME_BUDGET && !result.certificate.valid,
            "%s: %s", name, result.message);
    }
}

TEST(
    "Algorithm 1 as written ends where the gradient in H is small, uncertified")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 2, 0.1);
  o.tol = 1e-3;
  memcpy(told.theta, start, sizeof start);
  algorithm_1(&told, bowl, 2, points, 0.1, MOST, 1e-3);
  lrgd_result result = run(bowl, SLOPES, &o, 2, x);
  compare_slopes("bowl", 0);
  check_int(lrgd_counts_oracle_calls(&result.counts), told.calls, "calls");
  check(apart(x, told.theta) <= 1e-12, "theta is theirs");
  check(result.outcome == LRGD_OUTCOME_STALLED && !result.certificate.valid,
        "a small gradient in H certifies nothing: %s", result.message);
  check_int(result.rank, 2, "the rank does not grow");
}

TEST(
    "with whole gradients, the same points are evaluated, one gradient "
    "each")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 3, 0.1);
  o.tol = 1e-6;
  memcpy(told.theta, start, sizeof start);
  algorithm_1(&told, ridge, 3, points, 0.1, MOST, 1e-6);
  (void)run(ridge, GRADIENT, &o, 3, x);
  check_int(seen.n, told.n, "questions");
  for (size_t i = 0; i < told.n && i < seen.n; i++)
    check(apart(seen.x[i], told.x[i]) <= 1e-12, "question %d", (int)i);
}

TEST("with values alone, each slope is one difference and nothing is added")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 3, 0.1);
  o.max_iterations = 20;
  lrgd_result result = run(ridge, VALUE, &o, 3, x);
  check_int(seen.evaluations, 3 * (P + 1) + 20 * (3 + 1) + 1,
            "a value and p or r differences at each point, and the last value");
  check_int(lrgd_counts_oracle_calls(&result.counts), 3 * P + 20 * 3, "calls");
  memcpy(told.theta, start, sizeof start);
  algorithm_1(&told, ridge, 3, points, 0.1, 20, 0);
  check(apart(x, told.theta) < 1e-6, "theta, but for differences: %g",
        apart(x, told.theta));
}

TEST("where f is flat an iteration costs two slopes and a value, no more")
{
  /* from where thin is flat, the gradient in H is zero at once */
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 2, 0.1);
  o.max_iterations = 200; /* far beyond where differences see nothing */
  o.tol = 1e-300;
  o.stall_iterations = 1000;
  (void)run(thin, VALUE, &o, 2, x);
  check_int(seen.evaluations, 2 * (P + 1) + 200 * (2 + 1) + 1, "evaluations");
}

TEST("without samples r points around the start are drawn, and not the start")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 3, 0.05);
  o.max_iterations = 5;
  lrgd_result result = run(bowl, SLOPES, &o, 0, x);
  check_int(lrgd_counts_oracle_calls(&result.counts), 3 * P + 5 * 3, "calls");
  for (int j = 0; j < 3; j++)
    check(seen.along[j] == P && apart(seen.x[j], start) > 1e-3, "point %d", j);
  double first[P];
  memcpy(first, seen.x[0], sizeof first);
  o.seed = 2;
  (void)run(bowl, SLOPES, &o, 0, x);
  check(apart(first, seen.x[0]) > 1e-3, "another seed, other points");
}

TEST("Algorithm 2 as written, but for its errors, call for call")
{
  for (int64_t r = 1; r <= 3; r++) {
    double x[P];
    lrgd_options o = chosen(LRGD_METHOD_ITERATED, r, 0.1);
    o.tol = 1e-2;
    memcpy(told.theta, start, sizeof start);
    algorithm_2(&told, bowl, (size_t)r, 0.1, 1e-2);
    lrgd_result result = run(bowl, SLOPES, &o, 0, x);
    compare_slopes("iterated", 0);
    check_int(lrgd_counts_oracle_calls(&result.counts), told.calls, "calls");
    check(apart(x, told.theta) <= 1e-12, "theta");
    check(result.outcome == LRGD_OUTCOME_CONVERGED,
          "a whole gradient was seen to be small: %s", result.message);
  }
}

TEST("Algorithm 3 as written, but for its errors, call for call")
{
  static const function functions[] = {ridge, bowl};
  for (int i = 0; i < 2; i++) {
    double x[P];
    lrgd_options o = chosen(LRGD_METHOD_ADAPTIVE, 0, 0.1);
    o.tol = 1e-3;
    memcpy(told.theta, start, sizeof start);
    algorithm_3(&told, functions[i], 0.1, 1e-3);
    lrgd_result result = run(functions[i], SLOPES, &o, 0, x);
    compare_slopes("adaptive", 0);
    check_int(lrgd_counts_oracle_calls(&result.counts), told.calls, "calls");
    check(apart(x, told.theta) <= 1e-12, "theta");
  }
}

TEST("Algorithm 2 by differences measures nothing twice, and claims nothing")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_ITERATED, 2, 0.1);
  o.tol = 1e-2;
  lrgd_result result = run(bowl, VALUE, &o, 0, x);
  memcpy(told.theta, start, sizeof start);
  algorithm_2(&told, bowl, 2, 0.1, 1e-2);
  check_int(lrgd_counts_oracle_calls(&result.counts), told.calls, "calls");
  check(result.outcome == LRGD_OUTCOME_STALLED && !result.certificate.valid,
        "%s", result.message);
}

/* A function that cannot be evaluated beyond a wall. */
static double walled(const double *x, double *g)
{
  double f = bowl(x, g);
  return x[0] < 0.5 ? NAN : f;
}

TEST("where f cannot be evaluated on the way, nothing is halved")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_GD, 0, 0.1);
  lrgd_result result = run(walled, SLOPES, &o, 0, x);
  check(result.outcome == LRGD_OUTCOME_FAILED, "%s", result.message);
  check(apart(seen.x[seen.n - 1], x) > 1e-3, "the last iterate is returned");
}

/* ---- samples without verbatim ---- */

TEST("samples are where the gradients of lrgd are taken, verbatim or not")
{
  double x[P];
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 3, 0.1);
  o.verbatim = 0;
  lrgd_result result = run(ridge, SLOPES, &o, 4, x);
  for (size_t j = 0; j < 4; j++)
    check(seen.along[j] == P && apart(seen.x[j], points + j * P) == 0,
          "sample %d", (int)j);
  check(apart(seen.x[4], start) == 0 && seen.along[4] < P, "then the start");
  check(result.outcome == LRGD_OUTCOME_CONVERGED && result.certificate.valid,
        "%s", result.message);
}

/* ---- what is refused ---- */

static void refused(const lrgd_options *o, size_t n, const double *X,
                    const char *why)
{
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_solver *solver = NULL;
  lrgd_error error = {LRGD_OK, ""};
  problem.value = value;
  lrgd_status status = lrgd_solver_create(&solver, &problem, o, &error);
  if (status == LRGD_OK && n > 0)
    status = lrgd_solver_set_samples(solver, n, X, &error);
  check(status == LRGD_ERR_INVALID && strstr(error.text, why), "%s: %s", why,
        error.text);
  (void)lrgd_solver_destroy(&solver);
}

TEST("verbatim is refused where the paper has nothing of the kind")
{
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 2, 0.1), bad = o;
  bad.method = LRGD_METHOD_AUTO;
  refused(&bad, 0, NULL, "method lrgd, iterated");
  bad = o;
  bad.alpha = LRGD_UNSET_REAL;
  refused(&bad, 0, NULL, "needs alpha");
  bad = o;
  bad.step = LRGD_STEP_BFGS;
  refused(&bad, 0, NULL, "fixed steps");
  bad = o;
  bad.oversample = 2;
  refused(&bad, 0, NULL, "oversample is 2");
  bad = o;
  bad.verbatim = 2;
  refused(&bad, 0, NULL, "verbatim is 2; it must be 0 or 1");
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_solver *solver = NULL;
  lrgd_error error = {LRGD_OK, ""};
  problem.value = value;
  problem.lower = start;
  check(lrgd_solver_create(&solver, &problem, &o, &error) == LRGD_ERR_INVALID &&
            strstr(error.text, "bounds"),
        "%s", error.text);
}

TEST("samples are refused with a sentence that says what is wrong with them")
{
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 3, 0.1);
  double wrong[4 * P];
  memcpy(wrong, points, sizeof wrong);
  wrong[P + 2] = NAN;
  refused(&o, 2, points, "2 samples, but rank 3");
  refused(&o, 4, points, "exactly as many");
  refused(&o, 3, wrong, "input 3 of sample 2");
  o.verbatim = 0;
  refused(&o, 2, points, "at least as many");
  o.method = LRGD_METHOD_ADAPTIVE;
  refused(&o, 3, points, "method lrgd only");
}

TEST(
    "samples outside the bounds are refused, and without samples the "
    "library draws its own")
{
  double low[P], x[P];
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_solver *solver = NULL;
  lrgd_error error = {LRGD_OK, ""};
  lrgd_options o = chosen(LRGD_METHOD_LRGD, 2, 0.1);
  lrgd_result result;
  o.verbatim = 0;
  for (int i = 0; i < P; i++) low[i] = -0.8;
  seen.f = bowl;
  seen.n = seen.evaluations = 0;
  problem.user = &seen;
  problem.slopes = slopes;
  problem.lower = low;
  require(lrgd_solver_create(&solver, &problem, &o, &error) == LRGD_OK, "%s",
          error.text);
  check(lrgd_solver_set_samples(solver, 2, points, &error) ==
                LRGD_ERR_INVALID &&
            strstr(error.text, "input 1 of sample 2") &&
            strstr(error.text, "-0.8"),
        "%s", error.text);
  check(lrgd_solver_set_samples(solver, 0, NULL, &error) == LRGD_OK, "%s",
        error.text);
  memcpy(x, start, sizeof x);
  check(lrgd_solver_solve(solver, x, x, &result, &error) == LRGD_OK &&
            apart(seen.x[0], start) == 0,
        "the first is the start again");
  (void)lrgd_solver_destroy(&solver);
}
