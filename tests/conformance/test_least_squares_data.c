/* Method auto on residuals of which more is known than their values. */
#include "darcy.h"
#include "rod.h"

#include "check.h"

#include <stdlib.h>

/* ---- prior information ---- */

typedef struct fit {
  double read[ROD_READINGS];
  rod_prior prior;
  size_t calls, reached; /* reached: calls until f - least <= 1e-6 of the gap */
  double first, lowest, least;
} fit;

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  fit *t = user;
  (void)p;
  double f = rod_prior_f(&t->prior.rows, x);
  rod_simulate(x, r);
  for (size_t i = 0; i < m; i++) {
    r[i] = 100 * (r[i] - t->read[i]);
    f += 0.5 * r[i] * r[i];
  }
  t->calls++;
  if (t->calls == 1) t->first = f;
  if (t->calls == 1 || f < t->lowest) t->lowest = f;
  if (t->reached == 0 && f - t->least <= 1e-6 * (t->first - t->least))
    t->reached = t->calls;
}

static lrgd_result solve(fit *t, lrgd_options o, double *x)
{
  lrgd_problem f = lrgd_problem_default(ROD_CELLS);
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  f.residuals = residuals, f.residual_count = ROD_READINGS, f.user = t;
  f.prior = &t->prior.rows;
  check(lrgd_minimize(&f, &o, x, &result, &error) == LRGD_OK, "%s", error.text);
  check_int(lrgd_counts_evaluations(&result.counts), t->calls, "the counts");
  return result;
}

TEST("with prior information a rod comes to 1e-6 of its gap")
{
  static fit t;
  double least = 0;
  for (unsigned seed = 0; seed <= 12; seed++) {
    double x[ROD_CELLS] = {0};
    lrgd_options o = lrgd_options_default();
    o.seed = seed;
    t = (fit){.least = seed > 0 ? least : -INFINITY};
    rod_read(t.read);
    rod_tell(&t.prior, 0.1, 1);
    if (seed == 0) o.tol = 1e-9; /* this run tells the minimum */
    o.max_evals = seed == 0 ? 1500 : 400;
    lrgd_result result = solve(&t, o, x);
    if (seed == 0) least = t.lowest;
    if (seed == 0) continue;
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
    check(t.reached > 0 && t.reached <= 5 * ROD_CELLS, "after %zu evaluations",
          t.reached);
    double r[ROD_READINGS];
    t.calls = 1, t.lowest = INFINITY;
    residuals(ROD_CELLS, x, ROD_READINGS, r, &t);
    check_near(result.f, t.lowest, 1e-12, "f has the prior");
  }
}

TEST("residuals and Jacobian of a solver end with the prior rows")
{
  static fit t;
  lrgd_problem f = lrgd_problem_default(ROD_CELLS);
  lrgd_solver *solver = NULL;
  lrgd_result result;
  lrgd_options o = lrgd_options_default();
  size_t all = ROD_READINGS + ROD_ROWS;
  double x[ROD_CELLS] = {0}, *r = malloc(all * sizeof *r);
  t = (fit){.least = -INFINITY};
  rod_read(t.read);
  rod_tell(&t.prior, 0.1, 1);
  f.residuals = residuals, f.residual_count = ROD_READINGS, f.user = &t;
  f.prior = &t.prior.rows;
  o.max_evals = 30;
  require(lrgd_solver_create(&solver, &f, &o, NULL) == LRGD_OK, "a solver");
  /* copied: what the caller does to them afterwards does not matter */
  memset(t.prior.coefficient, 0, sizeof t.prior.coefficient);
  t.prior.rows.count = 0;
  require(lrgd_solver_solve(solver, x, x, &result, NULL) == LRGD_OK, "solves");
  require(lrgd_solver_residual_count(solver) == all, "residuals and rows");
  require(lrgd_solver_residuals(solver, r) == LRGD_OK, "the residuals");
  for (size_t i = 0; i < ROD_CELLS; i++)
    check_within(r[ROD_READINGS + i], 0.1 * x[i], 1e-14, "row %zu", i);
  for (size_t i = 0; i + 1 < ROD_CELLS; i++)
    check_within(r[ROD_READINGS + ROD_CELLS + i], x[i + 1] - x[i], 1e-14,
                 "row %zu", ROD_CELLS + i);
  size_t k = lrgd_solver_basis_size(solver);
  double *U = malloc(k * ROD_CELLS * sizeof *U),
         *J = malloc(k * all * sizeof *J);
  require(lrgd_solver_basis(solver, U) == LRGD_OK, "the basis");
  require(lrgd_solver_jacobian(solver, J) == LRGD_OK, "the Jacobian");
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < ROD_CELLS; i++)
      check_within(J[j * all + ROD_READINGS + i], 0.1 * U[j * ROD_CELLS + i],
                   1e-13, "column %zu of row %zu is exact", j, i);
  free(U), free(J), free(r);
  check(lrgd_solver_destroy(&solver) == LRGD_OK, "destroyed");
}

TEST("malformed prior information is refused with a message")
{
  size_t begin[] = {0, 1}, input[] = {0};
  double one[] = {1}, bad[] = {NAN}, minus[] = {-1};
  lrgd_prior good = {1, begin, input, one, one, NULL}, p;
  lrgd_problem f = lrgd_problem_default(ROD_CELLS);
  lrgd_solver *solver = NULL;
  lrgd_error error = {LRGD_OK, ""};
  f.residuals = residuals, f.residual_count = ROD_READINGS, f.prior = &p;
  for (int i = 0; i < 6; i++) {
    size_t late[] = {1, 1}, back[] = {0, 0}, outside[] = {ROD_CELLS};
    p = good;
    if (i == 1) p.begin = late;
    if (i == 2) p.input = outside;
    if (i == 3) p.coefficient = bad;
    if (i == 4) p.weight = minus;
    if (i == 5) p.target = bad;
    lrgd_status status = lrgd_solver_create(&solver, &f, NULL, &error);
    check_int(status, i == 0 ? LRGD_OK : LRGD_ERR_INVALID, "case %d: %s", i,
              error.text);
    check(i == 0 || strncmp(error.text, "prior: ", 7) == 0, "%s", error.text);
    p = good, p.begin = back; /* a row without entries is a constant */
    if (i == 0) check(lrgd_solver_destroy(&solver) == LRGD_OK, "destroyed");
  }
}

/* ---- correlated inputs ---- */

typedef struct field {
  darcy truth;
  size_t calls, reached; /* calls until f is 1e-3 of the first */
  double first;
  size_t correlated; /* calls of the operator */
  bool shuffled;     /* the order of the inputs means nothing */
} field;

/* The inputs in another order. */
static void shuffle(size_t p, const double *x, double *y)
{
  unsigned state = 7;
  memcpy(y, x, p * sizeof *y);
  for (size_t i = p - 1; i > 0; i--) {
    size_t j = (size_t)(chance_share(&state) * (double)(i + 1));
    double swap = y[i];
    y[i] = y[j], y[j] = swap;
  }
}

static void heads(size_t p, const double *x, size_t m, double *r, void *user)
{
  field *t = user;
  double f = 0, y[DARCY_CELLS];
  if (t->shuffled) shuffle(p, x, y);
  darcy_simulate(&t->truth, t->shuffled ? y : x, r);
  for (size_t i = 0; i < m; i++) {
    r[i] -= t->truth.head[i];
    f += 0.5 * r[i] * r[i];
  }
  if (t->calls++ == 0) t->first = f;
  if (t->reached == 0 && f <= 1e-3 * t->first) t->reached = t->calls;
}

/* Each number becomes the mean of its 3 x 3 neighbours, twice. */
static void smooth(size_t p, const double *v, double *y, void *user)
{
  field *t = user;
  double z[DARCY_CELLS];
  const int s = DARCY_SIDE;
  t->correlated++;
  memcpy(z, v, p * sizeof *z);
  for (int times = 0; times < 2; times++, memcpy(z, y, p * sizeof *z))
    for (int i = 0; i < DARCY_CELLS; i++) {
      double sum = 0;
      for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++) {
          int row = i / s + a, column = i % s + b;
          if (row >= 0 && row < s && column >= 0 && column < s)
            sum += z[row * s + column] / 9;
        }
      y[i] = sum;
    }
}

enum { SEEDS = 31 };

typedef enum how { UNTOLD, SHUFFLED, COORDINATES, OPERATOR } how;

/* The median over seeds of the evaluations to 1e-3. */
static size_t median_reached(how drawn)
{
  size_t took[SEEDS];
  double X[2 * DARCY_CELLS];
  for (int i = 0; i < DARCY_CELLS; i++)
    X[2 * i] = i / DARCY_SIDE, X[2 * i + 1] = i % DARCY_SIDE;
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    double x[DARCY_CELLS] = {0};
    field t = {.shuffled = drawn == SHUFFLED};
    lrgd_problem f = lrgd_problem_default(DARCY_CELLS);
    lrgd_options o = lrgd_options_default();
    lrgd_result result;
    darcy_make(&t.truth, seed);
    f.residuals = heads, f.residual_count = DARCY_WELLS, f.user = &t;
    if (drawn == COORDINATES)
      f.coordinates = X, f.coordinate_count = 2, f.correlation_length = 3;
    if (drawn == OPERATOR) f.correlate = smooth;
    o.seed = seed, o.max_evals = 2 * DARCY_CELLS;
    check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "runs");
    check(drawn != OPERATOR || t.correlated > 3, "the operator is asked");
    took[seed - 1] = t.reached > 0 ? t.reached : 2 * DARCY_CELLS;
  }
  for (size_t i = 0; i < SEEDS; i++)
    for (size_t j = i + 1; j < SEEDS; j++)
      if (took[j] < took[i]) {
        size_t swap = took[i];
        took[i] = took[j], took[j] = swap;
      }
  return took[SEEDS / 2];
}

TEST("correlated directions find a smooth field with a third of its cells")
{
  size_t plain = median_reached(SHUFFLED);
  size_t correlated = median_reached(COORDINATES);
  size_t smoothed = median_reached(OPERATOR);
  check(correlated <= DARCY_CELLS / 3, "%zu evaluations", correlated);
  check(4 * correlated < 3 * plain, "%zu, where independent ones took %zu",
        correlated, plain);
  check(smoothed < plain, "%zu with an operator, not %zu", smoothed, plain);
}

/* ---- the order of inputs ---- */

typedef struct ordered {
  double read[ROD_READINGS];
  size_t calls, reached; /* calls until f is 1e-3 of the first */
  double first;
  bool shuffled;
} ordered;

static void gauges(size_t p, const double *x, size_t m, double *r, void *user)
{
  ordered *t = user;
  double f = 0, y[ROD_CELLS];
  if (t->shuffled) shuffle(p, x, y);
  rod_simulate(t->shuffled ? y : x, r);
  for (size_t i = 0; i < m; i++) {
    r[i] -= t->read[i];
    f += 0.5 * r[i] * r[i];
  }
  if (t->calls++ == 0) t->first = f;
  if (t->reached == 0 && f <= 1e-3 * t->first) t->reached = t->calls;
}

/* The evaluations to 1e-3, on average over seeds. */
static double mean_reached(bool shuffled)
{
  double sum = 0;
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    double x[ROD_CELLS] = {0};
    ordered t = {.shuffled = shuffled};
    lrgd_problem f = lrgd_problem_default(ROD_CELLS);
    lrgd_options o = lrgd_options_default();
    lrgd_result result;
    rod_read(t.read);
    f.residuals = gauges, f.residual_count = ROD_READINGS, f.user = &t;
    o.seed = seed, o.max_evals = 2 * ROD_CELLS;
    check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "runs");
    sum += t.reached > 0 ? (double)t.reached : 2 * ROD_CELLS;
  }
  return sum / SEEDS;
}

TEST(
    "without being told, a run finds that neighbouring cells of a rod "
    "change F alike")
{
  double found = mean_reached(false), none = mean_reached(true);
  check(found <= ROD_CELLS / 2., "%g evaluations", found);
  check(found < 0.75 * none, "%g, and %g in any order", found, none);
}

static void broken(size_t p, const double *v, double *y, void *user)
{
  (void)v, (void)user;
  for (size_t i = 0; i < p; i++) y[i] = NAN;
}

static void nothing(size_t p, const double *v, double *y, void *user)
{
  (void)v, (void)user;
  memset(y, 0, p * sizeof *y);
}

TEST(
    "a correlation operator that returns NaN is an error, one that "
    "returns zero does no harm")
{
  static field t;
  lrgd_problem f = lrgd_problem_default(DARCY_CELLS);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  lrgd_error error = {LRGD_OK, ""};
  double x[DARCY_CELLS] = {0};
  darcy_make(&t.truth, 1);
  f.residuals = heads, f.residual_count = DARCY_WELLS, f.user = &t;
  f.correlate = broken, o.max_evals = 40;
  check_int(lrgd_minimize(&f, &o, x, &result, &error), LRGD_ERR_ORACLE,
            "status");
  check(strstr(error.text, "correlate"), "%s", error.text);
  f.correlate = nothing;
  memset(x, 0, sizeof x);
  check_int(lrgd_minimize(&f, &o, x, &result, &error), LRGD_OK, "status");
  check(result.f < 0.5 * t.first, "f is %g", result.f);
  f.correlate = NULL, f.coordinate_count = 1, f.coordinates = x;
  check_int(lrgd_minimize(&f, &o, x, &result, &error), LRGD_ERR_INVALID,
            "a length must be given: %s", error.text);
}
