/* The paper's algorithms as they are written: every question that the library
 * asks is compared with those of a straight transcription, on functions of this
 * test's own. */
#include <lrgd/lrgd.h>
#include <stdlib.h>

#include "check.h"

/* ---- functions of p variables and their gradients ---- */

enum { P = 7, MOST = 4000 };

/* Rank 3, not convex, with three directions of its own. */
static double ridge(const double *x, double *g)
{
  double s[3] = {0, 0, 0}, f, t[3];
  for (int i = 0; i < P; i++) {
    s[0] += cos(1.3 * i) * x[i];
    s[1] += sin(0.4 * i + 1) * x[i];
    s[2] += 0.2 * (i - 3) * x[i];
  }
  f = log(cosh(s[0] - 1)) + 0.5 * (s[1] + 0.3) * (s[1] + 0.3) + cos(s[2]);
  t[0] = tanh(s[0] - 1);
  t[1] = s[1] + 0.3;
  t[2] = -sin(s[2]);
  for (int i = 0; i < P; i++)
    g[i] = cos(1.3 * i) * t[0] + sin(0.4 * i + 1) * t[1] + 0.2 * (i - 3) * t[2];
  return f;
}

/* A quadratic of full rank whose curvatures are 1, 2, ... p. */
static double bowl(const double *x, double *g)
{
  double f = 0;
  for (int i = 0; i < P; i++) {
    double c = 1 + i, y = x[i] - 0.1 * i;
    g[i] = c * y;
    f += 0.5 * c * y * y;
  }
  return f;
}

/* Rank 2, whatever the rank that is asked for. */
static double thin(const double *x, double *g)
{
  double a = x[0] + x[1] - 1, b = x[2] - 2 * x[3];
  for (int i = 0; i < P; i++) g[i] = 0;
  g[0] = g[1] = a;
  g[2] = b;
  g[3] = -2 * b;
  return 0.5 * (a * a + b * b);
}

typedef double (*function)(const double *x, double *g);

/* ---- what is asked: a point, and along how many directions; 0: a value ----
 */

typedef struct asked {
  function f;
  size_t n, evaluations;
  double x[MOST][P];
  size_t along[MOST];
  double U[MOST][P]; /* the first of them */
} asked;

static void note(asked *a, const double *x, size_t k, const double *U)
{
  if (a->n == MOST) abort();
  memcpy(a->x[a->n], x, P * sizeof *x);
  if (k > 0) memcpy(a->U[a->n], U, P * sizeof *U);
  a->along[a->n++] = k;
  a->evaluations += k > 0 ? k : 1;
}

static double value(size_t p, const double *x, void *user)
{
  double g[P];
  (void)p;
  note(user, x, 0, NULL);
  return ((asked *)user)->f(x, g);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  double g[P], f = ((asked *)user)->f(x, g);
  note(user, x, k, U);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return f;
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  (void)p;
  note(user, x, 0, NULL);
  return ((asked *)user)->f(x, g);
}

static double dot(const double *a, const double *b)
{
  double s = 0;
  for (int i = 0; i < P; i++) s += a[i] * b[i];
  return s;
}

/* ---- the transcriptions ---- */

/* What they keep: the points at which whole gradients are taken, with 1, and
 * those at which slopes inside H are, with 0; and the calls. */
typedef struct transcript {
  size_t n, calls;
  double x[MOST][P];
  int whole[MOST];
  double theta[P];
} transcript;

static void keep(transcript *t, const double *x, int whole, size_t calls)
{
  if (t->n == MOST) abort();
  memcpy(t->x[t->n], x, P * sizeof *x);
  t->whole[t->n++] = whole;
  t->calls += calls;
}

/* An orthonormal basis of the span of n vectors: the projection onto it is the
 * same for each, so Gram-Schmidt does for the singular vectors. */
static size_t orthonormal(double (*U)[P], size_t n)
{
  size_t k = 0;
  for (size_t j = 0; j < n; j++) {
    double u[P], before = sqrt(dot(U[j], U[j]));
    memcpy(u, U[j], sizeof u);
    for (int twice = 0; twice < 2; twice++)
      for (size_t i = 0; i < k; i++) {
        double c = dot(u, U[i]);
        for (int l = 0; l < P; l++) u[l] -= c * U[i][l];
      }
    double norm = sqrt(dot(u, u));
    if (!(norm > 1e-10 * before)) continue;
    for (int l = 0; l < P; l++) U[k][l] = u[l] / norm;
    k++;
  }
  return k;
}

/* The projection of the gradient g onto the span of U; its norm. */
static double project(double (*U)[P], size_t k, const double *g, double *to)
{
  double h[P] = {0};
  for (size_t j = 0; j < k; j++)
    for (int i = 0; i < P; i++) h[i] += dot(g, U[j]) * U[j][i];
  memcpy(to, h, sizeof h);
  return sqrt(dot(h, h));
}

static void step(double *theta, double alpha, const double *h)
{
  for (int i = 0; i < P; i++) theta[i] -= alpha * h[i];
}

/* Algorithm 1: T iterations, or until the gradient in H is at most tol. */
static void algorithm_1(transcript *t, function f, size_t r, const double *X,
                        double alpha, size_t T, double tol)
{
  double G[P][P], g[P], h[P];
  t->n = t->calls = 0;
  for (size_t j = 0; j < r; j++) { /* pick r points, evaluate gradients */
    f(X + j * P, g);
    keep(t, X + j * P, 1, P);
    double norm = sqrt(dot(g, g));
    for (int i = 0; i < P; i++) G[j][i] = g[i] / norm;
  }
  size_t k = orthonormal(G, r); /* H = span(u_1 ... u_r) */
  for (size_t s = 0; s < T; s++) {
    f(t->theta, g);
    keep(t, t->theta, 0, r); /* r of them also where k is less */
    if (project(G, k, g, h) <= tol) return;
    step(t->theta, alpha, h);
  }
}

/* Algorithm 2, mended: the gradients before each of the r steps span H, the
 * inner loop is a do ... while. */
static void algorithm_2(transcript *t, function f, size_t r, double alpha,
                        double tol)
{
  double U[P][P], g[P], h[P], norm;
  t->n = t->calls = 0;
  for (;;) {
    for (size_t j = 0; j < r; j++) {
      f(t->theta, g);
      keep(t, t->theta, 1, P);
      if (j == 0 && sqrt(dot(g, g)) <= tol) return;
      memcpy(U[j], g, sizeof g);
      step(t->theta, alpha, g);
    }
    size_t k = orthonormal(U, r);
    do {
      f(t->theta, g);
      keep(t, t->theta, 0, k);
      norm = project(U, k, g, h);
      step(t->theta, alpha, h);
    } while (norm > tol);
  }
}

/* Algorithm 3, mended: u' is made orthogonal and normalised, and the gradient
 * that gives it ends the run where it is small. */
static void algorithm_3(transcript *t, function f, double alpha, double tol)
{
  double U[P + 1][P], g[P], h[P], norm;
  size_t k = 0;
  t->n = t->calls = 0;
  for (;;) {
    f(t->theta, g);
    keep(t, t->theta, 1, P);
    if (sqrt(dot(g, g)) <= tol) return;
    memcpy(U[k], g, sizeof g);
    k = orthonormal(U, k < P ? k + 1 : k);
    do {
      f(t->theta, g);
      keep(t, t->theta, 0, k);
      norm = project(U, k, g, h);
      step(t->theta, alpha, h);
    } while (norm > tol);
  }
}

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

TEST("with whole gradients, each look asks for one at the same points")
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

TEST("a flat look asks for nothing more")
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

TEST("Algorithm 2 as written, with its slips mended, call for call")
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

TEST("Algorithm 3 as written, with its slips mended, call for call")
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

TEST("samples outside the bounds are refused, and none brings back our own")
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
