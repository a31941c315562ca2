/* Callbacks that do what they may not. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plain.h"

/* What a naughty callback does at each call, and to whom. */
typedef struct naughty {
  void (*deed)(struct naughty *n);
  lrgd_solver *solver;
  lrgd_status status; /* of what it tried */
  int deeds;
} naughty;

static double naughty_value(size_t p, const double *x, void *user)
{
  naughty *n = user;
  n->deed(n);
  n->deeds++;
  return plain_value(p, x, NULL);
}

/* Solves with a callback that does the deed; the outcome is handed back. */
static bool before_too; /* the deed is done before the solve, too */

static lrgd_status misbehave(void (*deed)(naughty *), int method, naughty *n,
                             double *x, lrgd_result *result)
{
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(method);
  *n = (naughty){.deed = deed};
  problem.value = naughty_value;
  problem.user = n;
  if (lrgd_solver_create(&n->solver, &problem, &o, NULL) != LRGD_OK) abort();
  memset(x, 0, PLAIN_P * sizeof *x);
  if (before_too) deed(n);
  lrgd_status status = lrgd_solver_solve(n->solver, x, x, result, NULL);
  (void)lrgd_solver_destroy(&n->solver);
  return status;
}

static void nest(naughty *n)
{
  double x[PLAIN_P] = {0};
  lrgd_problem problem = plain(NULL);
  lrgd_options o = plain_options(LRGD_METHOD_LRGD);
  lrgd_result result;
  n->status = lrgd_minimize(&problem, &o, x, &result, NULL);
  if (result.outcome != LRGD_OUTCOME_CONVERGED) n->status = LRGD_ERR_ORACLE;
}

TEST("row 16: a callback may minimise something else")
{
  naughty n;
  double x[PLAIN_P];
  lrgd_result result;
  check(misbehave(nest, LRGD_METHOD_LRGD, &n, x, &result) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_CONVERGED,
        "the outer run: %s", result.message);
  check(n.status == LRGD_OK && n.deeds > 0, "the inner runs");
}

static void solve_again(naughty *n)
{
  double x[PLAIN_P] = {0};
  lrgd_error error = {LRGD_OK, ""};
  n->status = lrgd_solver_solve(n->solver, x, x, NULL, &error);
  if (!strstr(error.text, "running")) n->status = LRGD_OK;
}

TEST("row 17: solving with the solver that is running is refused as busy")
{
  naughty n;
  double x[PLAIN_P];
  lrgd_result result;
  for (int m = 0; m < PLAIN_METHODS; m++) {
    check(misbehave(solve_again, m, &n, x, &result) == LRGD_OK &&
              result.outcome == LRGD_OUTCOME_CONVERGED,
          "method %d goes on: %s", m, result.message);
    check(n.status == LRGD_ERR_BUSY, "method %d: %s", m,
          lrgd_status_text(n.status));
  }
}

static void change_basis(naughty *n)
{
  double W[PLAIN_P] = {1};
  n->status = lrgd_solver_set_basis(n->solver, 1, W, NULL);
  if (lrgd_solver_set_constraints(n->solver, 1, W, W, NULL) != LRGD_ERR_BUSY)
    n->status = LRGD_OK;
}

TEST("row 17: changing the basis of a running solver is refused as busy")
{
  naughty n;
  double x[PLAIN_P];
  lrgd_result result;
  check(misbehave(change_basis, LRGD_METHOD_GD, &n, x, &result) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_CONVERGED,
        "%s", result.message);
  check(n.status == LRGD_ERR_BUSY, "%s", lrgd_status_text(n.status));
}

static void destroy(naughty *n)
{
  lrgd_solver *mine = n->solver;
  n->status = lrgd_solver_destroy(&mine);
  if (mine != n->solver) n->status = LRGD_OK; /* it may not be cleared */
}

TEST("row 18: a callback cannot destroy its own solver")
{
  naughty n;
  double x[PLAIN_P];
  lrgd_result result;
  for (int m = 0; m < PLAIN_METHODS; m++) {
    check(misbehave(destroy, m, &n, x, &result) == LRGD_OK &&
              result.outcome == LRGD_OUTCOME_CONVERGED,
          "method %d goes on: %s", m, result.message);
    check(n.status == LRGD_ERR_BUSY, "method %d: %s", m,
          lrgd_status_text(n.status));
  }
}

/* ---- the floating-point environment ---- */

static void round_up(naughty *n)
{
  (void)n;
  (void)fesetround(FE_UPWARD);
}

TEST("row 25: a callback that changes the rounding changes nothing of the run")
{
  naughty n;
  double x[PLAIN_P], y[PLAIN_P] = {0};
  lrgd_result result, want;
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(LRGD_METHOD_LRGD);
  problem.value = plain_value;
  check(plain_run(&problem, &o, y, &want) == LRGD_OK, "as it should be");
  (void)misbehave(round_up, LRGD_METHOD_LRGD, &n, x, &result);
  check_int(fegetround(), FE_TONEAREST, "the rounding after the run");
  (void)fesetround(FE_TONEAREST);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
  /* the callback's own sums are rounded upward */
  for (int i = 0; i < PLAIN_P; i++)
    check_within(x[i], y[i], 1e-6, "coordinate %d", i);
}

static void trap_all(naughty *n)
{
  (void)n;
  (void)feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}

/* Whether a child that runs this ends well. */
static bool survives(void (*deed)(naughty *), int method, bool before)
{
  (void)fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    naughty n;
    double x[PLAIN_P];
    lrgd_result result;
    before_too = before;
    lrgd_status status = misbehave(deed, method, &n, x, &result);
    _exit(status == LRGD_OK && result.outcome == LRGD_OUTCOME_CONVERGED ? 0
                                                                        : 1);
  }
  int how = 0;
  (void)waitpid(child, &how, 0);
  if (WIFSIGNALED(how)) printf("\n  signal %d", WTERMSIG(how));
  return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

TEST("row 25: a callback that makes exceptions trap does not trap the run")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    check(survives(trap_all, m, false), "method %d", m);
}

TEST(
    "row 25: a caller whose floating-point exceptions trap does not trap "
    "the run")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    check(survives(trap_all, m, true), "method %d", m);
}

static void flush_to_zero(naughty *n)
{
  (void)n;
#if defined(__x86_64__)
  uint32_t csr;
  __asm__ volatile("stmxcsr %0" : "=m"(csr));
  csr |= 0x8040; /* flush to zero, denormals are zero: crtfastmath */
  __asm__ volatile("ldmxcsr %0" : : "m"(csr));
#endif
}

TEST("row 26: a program that flushes denormals to zero converges all the same")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    check(survives(flush_to_zero, m, true), "method %d", m);
}

/* ---- guard_callbacks ---- */

typedef struct vandal {
  bool x, end; /* what it writes to */
  int calls;
} vandal;

static double vandal_value(size_t p, const double *x, void *user)
{
  vandal *v = user;
  if (++v->calls > 3 && v->x) ((double *)(uintptr_t)x)[p / 2] += 1e-9;
  return plain_value(p, x, NULL);
}

static void vandal_values(size_t p, size_t m, const double *X, double *f,
                          void *user)
{
  for (size_t i = 0; i < m; i++) f[i] = vandal_value(p, X + i * p, user);
  if (((vandal *)user)->end && m > 1) f[m] = 7;
}

static double vandal_gradient(size_t p, const double *x, double *g, void *user)
{
  vandal *v = user;
  double f = plain_gradient(p, x, g, NULL);
  if (v->x) ((double *)(uintptr_t)x)[0] = 42;
  if (v->end) g[p] = 7;
  return f;
}

static double vandal_slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  vandal *v = user;
  double f = plain_slopes(p, x, k, U, d, NULL);
  if (v->x) ((double *)(uintptr_t)x)[0] = 42;
  if (v->end) d[k] = 7;
  return f;
}

enum { BY_VALUE, BY_BATCH, BY_GRADIENT, BY_SLOPES, WAYS };

static lrgd_status vandalise(int way, bool x, bool end, int method)
{
  vandal v = {x, end, 0};
  double start[PLAIN_P] = {0};
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(method);
  problem.user = &v;
  if (way == BY_VALUE) problem.value = vandal_value;
  if (way == BY_BATCH) problem.values = vandal_values;
  if (way == BY_GRADIENT) problem.gradient = vandal_gradient;
  if (way == BY_SLOPES) problem.slopes = vandal_slopes;
  o.guard_callbacks = 1;
  return plain_run(&problem, &o, start, NULL);
}

TEST("row 23: writing past the end of an output is a broken contract")
{
  for (int way = BY_BATCH; way < WAYS; way++)
    for (int m = LRGD_METHOD_GD; m <= LRGD_METHOD_ADAPTIVE; m++) {
      check(vandalise(way, false, true, m) == LRGD_ERR_ORACLE, "way %d", way);
      check(strstr(plain_sentence, "past the end") != NULL, "way %d: %s", way,
            plain_sentence);
    }
}

TEST("row 24: changing x is a broken contract")
{
  for (int way = 0; way < WAYS; way++)
    for (int m = LRGD_METHOD_GD; m <= LRGD_METHOD_ADAPTIVE; m++) {
      check(vandalise(way, true, false, m) == LRGD_ERR_ORACLE, "way %d", way);
      check(strstr(plain_sentence, "changed x") != NULL, "way %d: %s", way,
            plain_sentence);
    }
}

TEST("rows 23, 24: callbacks that keep their contract pass the guard")
{
  for (int way = 0; way < WAYS; way++)
    for (int m = 0; m < PLAIN_METHODS; m++)
      check(vandalise(way, false, false, m) == LRGD_OK, "way %d: %s", way,
            plain_sentence);
}

TEST("row 24: after a broken contract the solver can be used again")
{
  vandal v = {true, false, 0};
  double x[PLAIN_P] = {0};
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  lrgd_options o = plain_options(LRGD_METHOD_GD);
  lrgd_solver *solver;
  problem.gradient = vandal_gradient;
  problem.user = &v;
  o.guard_callbacks = 1;
  require(lrgd_solver_create(&solver, &problem, &o, NULL) == LRGD_OK, "made");
  check(lrgd_solver_solve(solver, x, x, NULL, NULL) == LRGD_ERR_ORACLE,
        "broken");
  v.x = false;
  check(lrgd_solver_solve(solver, x, x, NULL, NULL) == LRGD_OK, "kept");
  (void)lrgd_solver_destroy(&solver);
}

/* ---- the progress callback ---- */

typedef struct nosy {
  lrgd_solver *solver;
  lrgd_status status;
  int told;
} nosy;

static void meddle(const lrgd_progress *progress, void *user)
{
  nosy *n = user;
  double x[PLAIN_P] = {0};
  (void)progress;
  n->told++;
  n->status = lrgd_solver_solve(n->solver, x, x, NULL, NULL);
  for (size_t i = 0; i < lrgd_solver_phase_count(n->solver); i++)
    if (!lrgd_solver_phase(n->solver, i)) n->status = LRGD_OK;
  if (n->told == 3) lrgd_solver_stop(n->solver);
}

TEST(
    "row 29: a progress callback may query and stop the solver, and is "
    "refused all else as busy")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    nosy n = {NULL, LRGD_OK, 0};
    double x[PLAIN_P] = {0};
    lrgd_problem problem = plain(NULL);
    lrgd_options o = plain_options(m);
    lrgd_result result;
    o.progress = meddle;
    o.progress_user = &n;
    o.tol = 1e-14;
    require(lrgd_solver_create(&n.solver, &problem, &o, NULL) == LRGD_OK,
            "made");
    check(lrgd_solver_solve(n.solver, x, x, &result, NULL) == LRGD_OK,
          "method %d: solved", m);
    check(n.told > 0 && n.status == LRGD_ERR_BUSY, "method %d: busy", m);
    if (n.told > 4)
      check(result.outcome == LRGD_OUTCOME_STOPPED ||
                result.outcome == LRGD_OUTCOME_CONVERGED,
            "method %d: %s", m, result.message);
    (void)lrgd_solver_destroy(&n.solver);
  }
}
