/* Method auto on residuals whose derivatives the user gives: the Jacobian, or
 * derivatives along directions. */
#include "residual_fit.h"

#include <stdlib.h>

/* J = D A of `made`, m x p by rows, times the unit of the residuals. */
static void all_derivatives(const double *x, double *J)
{
  static double D[NUMBERS * ROWS];
  double y[ROWS], r[NUMBERS];
  inner(&made, x, y);
  outer(&made, y, r, D);
  for (size_t i = 0; i < made.m; i++)
    for (size_t j = 0; j < made.p; j++) {
      double sum = 0;
      for (size_t k = 0; k < made.r; k++)
        sum += D[k * made.m + i] * made.A[k * made.p + j];
      J[i * made.p + j] = made.unit * sum;
    }
}

static size_t jacobians, slopes;
static double wrong;          /* added to the derivatives by one input */
static size_t missing, lasts; /* J has no value from that on, so many times */

static void jacobian(size_t p, const double *x, size_t m, double *r, double *J,
                     void *user)
{
  jacobians++;
  residuals(p, x, m, r, user);
  all_derivatives(x, J);
  for (size_t i = 0; i < m; i++) J[i * p] += wrong;
  if (jacobians >= missing && jacobians < missing + lasts) J[p - 1] = NAN;
}

static void along(size_t p, const double *x, size_t k, const double *U,
                  size_t m, double *r, double *D, void *user)
{
  static double J[NUMBERS * MOST];
  slopes += k;
  residuals(p, x, m, r, user);
  made.calls += k - 1; /* each direction is an evaluation */
  all_derivatives(x, J);
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < m; i++) {
      D[j * m + i] = 0;
      for (size_t l = 0; l < p; l++)
        D[j * m + i] += J[i * p + l] * U[j * p + l];
    }
}

typedef enum given { JACOBIAN, BOTH, SLOPES, SLOPES_BOTH } given;

static lrgd_problem given_problem(given what)
{
  lrgd_problem f = lrgd_problem_default(made.p);
  f.residual_count = made.m, f.user = &made;
  f.lower = made.lower, f.upper = made.upper;
  if (what == BOTH || what == SLOPES_BOTH) f.residuals = residuals;
  if (what == JACOBIAN || what == BOTH) f.residual_jacobian = jacobian;
  if (what == SLOPES || what == SLOPES_BOTH) f.residual_slopes = along;
  return f;
}

static lrgd_result fit_with(given what, lrgd_options o, double *x)
{
  lrgd_problem f = given_problem(what);
  lrgd_result result = {.f = NAN};
  lrgd_error error = {LRGD_OK, ""};
  jacobians = slopes = 0;
  check(lrgd_minimize(&f, &o, x, &result, &error) == LRGD_OK, "%s", error.text);
  check_int(lrgd_counts_evaluations(&result.counts), made.calls, "the counts");
  check_int(made.outside, 0, "points outside");
  return result;
}

/* Evaluations of one kind. */
static uint64_t of_kind(const lrgd_result *result, lrgd_kind kind)
{
  uint64_t sum = 0;
  for (int why = 0; why < LRGD_PURPOSE_COUNT; why++)
    sum += lrgd_counts_of(&result->counts, kind, (lrgd_purpose)why);
  return sum;
}

TEST("with a Jacobian a linear problem takes one step, and is certified")
{
  for (int box = 0; box < 2; box++)
    for (unsigned seed = 1; seed <= 3; seed++) {
      static double x[MOST], low[MOST], high[MOST];
      memset(x, 0, sizeof x);
      make(&made, LINEAR, 200, 8, 0.3, seed);
      for (size_t i = 0; i < made.p; i++) low[i] = -50, high[i] = 50;
      if (box) made.lower = low, made.upper = high;
      lrgd_result result = fit_with(JACOBIAN, lrgd_options_default(), x);
      check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
      check(steepness(&made, x) <= result.certificate.grad_norm_bound,
            "%g above %g", steepness(&made, x),
            result.certificate.grad_norm_bound);
      check(made.calls <= 6, "%zu evaluations", made.calls);
      check_int(of_kind(&result, LRGD_KIND_GRADIENTS), made.calls, "gradients");
    }
}

TEST("a Jacobian beside residuals is asked for at iterates only")
{
  for (unsigned seed = 1; seed <= 3; seed++) {
    static double x[MOST];
    memset(x, 0, sizeof x);
    make(&made, CURVED, 400, 10, 0.1, seed);
    lrgd_result result = fit_with(BOTH, lrgd_options_default(), x);
    check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    check(steepness(&made, x) <= result.certificate.grad_norm_bound,
          "%g above %g", steepness(&made, x),
          result.certificate.grad_norm_bound);
    check_int(of_kind(&result, LRGD_KIND_GRADIENTS), jacobians, "gradients");
    check(jacobians < made.calls - jacobians, "%zu Jacobians, %zu evaluations",
          jacobians, made.calls);
    check(made.calls <= 30, "%zu evaluations", made.calls);
  }
}

TEST("a Jacobian serves few inputs, curved valleys and bounds")
{
  for (unsigned seed = 1; seed <= 5; seed++) {
    static double x[MOST], low[MOST], high[MOST];
    lrgd_options o = lrgd_options_default();
    o.max_evals = 300;
    make(&made, TRIDIAGONAL, 12, 12, 0, seed);
    start_at_minus_one(&made, x);
    lrgd_result few = fit_with(JACOBIAN, o, x);
    check_int(few.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    make(&made, CURVED, 60, 10, 0.2, seed);
    memset(x, 0, sizeof x);
    for (size_t i = 0; i < made.p; i++) low[i] = -0.05, high[i] = 0.2;
    made.lower = low, made.upper = high;
    lrgd_result boxed = fit_with(JACOBIAN, o, x);
    check_int(boxed.outcome, LRGD_OUTCOME_CONVERGED, "in a box");
    check(steepness(&made, x) <= boxed.certificate.grad_norm_bound,
          "%g above %g", steepness(&made, x),
          boxed.certificate.grad_norm_bound);
    check(made.calls <= 60, "%zu evaluations in a box", made.calls);
  }
}

TEST("derivatives along directions take the place of differences")
{
  int wrong_bounds = 0; /* of 6 with a confidence of 0.95 */
  for (int both = 0; both < 2; both++)
    for (unsigned seed = 1; seed <= 3; seed++) {
      static double x[MOST];
      lrgd_options o = lrgd_options_default();
      o.max_evals = 400, o.seed = seed;
      memset(x, 0, sizeof x);
      make(&made, LINEAR, 300, 6, 0, seed);
      lrgd_result linear = fit_with(both ? SLOPES_BOTH : SLOPES, o, x);
      check(linear.f <= 1e-12 * made.first, "f is %g of %g", linear.f,
            made.first);
      check(made.reached <= 11, "%zu evaluations to 1e-6", made.reached);
      memset(x, 0, sizeof x);
      make(&made, CURVED, 300, 6, 0.2, seed);
      lrgd_result curved = fit_with(both ? SLOPES_BOTH : SLOPES, o, x);
      check_int(curved.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
      wrong_bounds += steepness(&made, x) > curved.certificate.grad_norm_bound;
      check_int(of_kind(&curved, LRGD_KIND_SLOPES), slopes, "slopes");
    }
  check(wrong_bounds <= 1, "%d of 6 bounds are false", wrong_bounds);
}

TEST("a Jacobian that contradicts the residuals is reported")
{
  double x[30] = {0};
  lrgd_options o = lrgd_options_default();
  o.max_evals = 2000;
  make(&made, CURVED, 30, 4, 0.5, 6);
  wrong = -40;
  lrgd_problem f = given_problem(BOTH);
  lrgd_result result;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
  wrong = 0;
  check(result.outcome == LRGD_OUTCOME_STALLED &&
            strstr(result.message, "not that of the residuals"),
        "%s (%s)", result.message, lrgd_stall_text(result.stall));
}

TEST("prior information and losses have their derivatives too")
{
  for (int what = JACOBIAN; what <= SLOPES_BOTH; what++) {
    static double x[MOST], y[MOST];
    size_t begin[] = {0, 1, 3}, input[] = {0, 1, 2};
    double coefficient[] = {1, 1, -1}, target[] = {0.5, 0.1};
    lrgd_prior prior = {2, begin, input, coefficient, target, NULL};
    lrgd_options o = lrgd_options_default();
    lrgd_result with, without;
    o.loss = LRGD_LOSS_SOFT_L1, o.loss_scale = 0.5, o.max_evals = 2000;
    memset(x, 0, sizeof x), memset(y, 0, sizeof y);
    make(&made, CURVED, 40, 5, 0.5, 4);
    lrgd_problem f = given_problem((given)what);
    f.prior = &prior;
    check(lrgd_minimize(&f, &o, x, &with, NULL) == LRGD_OK, "a run");
    lrgd_problem g = lrgd_problem_default(made.p);
    g.residuals = residuals, g.residual_count = made.m, g.user = &made;
    g.prior = &prior;
    check(lrgd_minimize(&g, &o, y, &without, NULL) == LRGD_OK, "a run");
    check_int(with.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    check_near(with.f, without.f, 1e-6 * without.f, "the minimum");
  }
}

TEST("other methods have the gradient and the slopes of f")
{
  for (int what = JACOBIAN; what <= SLOPES_BOTH; what++) {
    double x[20] = {0};
    lrgd_options o = lrgd_options_default();
    lrgd_result result;
    o.method = LRGD_METHOD_QUASI_NEWTON, o.max_evals = 5000;
    make(&made, CURVED, 20, 4, 0.5, 2);
    lrgd_problem f = given_problem((given)what);
    check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
    check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    check(steepness(&made, x) <= 1.01 * result.certificate.grad_norm_bound,
          "%g above %g", steepness(&made, x),
          result.certificate.grad_norm_bound);
  }
}

/* Derivatives of NaN beyond |x[0]| = 1/2, where F itself has a value. */
static void partial(size_t p, const double *x, size_t m, double *r, double *J,
                    void *user)
{
  jacobian(p, x, m, r, J, user);
  if (x[0] > 1e-3) J[m * p - 1] = NAN;
}

TEST("a Jacobian that is not finite is a failure, and one too long an error")
{
  double x[30] = {0};
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  o.max_evals = 200;
  make(&made, LINEAR, 30, 4, 0.1, 5);
  lrgd_problem f = given_problem(JACOBIAN);
  f.residual_jacobian = partial;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "a run");
  check(isfinite(result.f) && result.counts.failures > 0 &&
            result.f <= made.first,
        "f is %g, %llu failures", result.f,
        (unsigned long long)result.counts.failures);
  f.residual_slopes = along;
  check(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_ERR_INVALID, "both");
}

/* An allocator whose n-th allocation fails. */
typedef struct short_memory {
  size_t calls, fail_at;
} short_memory;

static void *short_alloc(size_t bytes, void *user)
{
  short_memory *m = user;
  return ++m->calls == m->fail_at ? NULL : malloc(bytes);
}

static void short_free(void *memory, void *user)
{
  (void)user;
  free(memory);
}

TEST("memory that runs short is no failed evaluation")
{
  bool passed = false;
  for (size_t n = 1; !passed && check_broken <= 5; n++) {
    double x[30] = {0};
    short_memory m = {.fail_at = n};
    lrgd_allocator allocator = {short_alloc, short_free, &m};
    lrgd_options o = lrgd_options_default();
    lrgd_result result = {.f = NAN};
    lrgd_error error = {LRGD_OK, ""};
    make(&made, CURVED, 30, 4, 0.1, 5);
    lrgd_problem f = given_problem(SLOPES);
    o.allocator = &allocator;
    o.method = LRGD_METHOD_LRGD; /* asks for several slopes together */
    o.rank = 4;
    o.max_evals = 100;
    lrgd_status status = lrgd_minimize(&f, &o, x, &result, &error);
    passed = m.calls < n;
    /* what a run leaves behind for the next one may be missing */
    check(status == LRGD_OK || (status == LRGD_ERR_NOMEM && !passed),
          "allocation %zu: %s", n, error.text);
    check_int(result.counts.failures, 0, "allocation %zu", n);
  }
}

TEST("scales and logarithms of inputs are those of derivatives too")
{
  for (int what = JACOBIAN; what <= SLOPES; what += SLOPES) {
    double x[12], z[12], scale[12];
    unsigned char log[12] = {0};
    lrgd_variables *variables;
    lrgd_result result;
    lrgd_options o = lrgd_options_default();
    o.max_evals = 400;
    make(&made, CURVED, 12, 4, 0.1, 3);
    for (size_t i = 0; i < 12; i++)
      scale[i] = 1 + (double)i, log[i] = i % 3 == 0, x[i] = 0.5;
    lrgd_problem f = given_problem((given)what);
    require(lrgd_variables_create(&variables, &f, scale, log, NULL) == LRGD_OK,
            "variables");
    lrgd_variables_into(variables, x, z);
    lrgd_variables_wrap(variables, &f);
    check(lrgd_minimize(&f, &o, z, &result, NULL) == LRGD_OK, "a run");
    check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
    lrgd_variables_back(variables, z, x);
    check(steepness(&made, x) <= 1e-2, "%g", steepness(&made, x));
    lrgd_variables_destroy(&variables);
  }
}

TEST("a Jacobian without a value at some point does not end the run")
{
  for (int kind = 0; kind < 2; kind++)
    for (missing = 1; missing <= 5; missing++)
      for (lasts = 1; lasts <= 3; lasts += 2) {
        static double x[MOST];
        lrgd_options o = lrgd_options_default();
        o.max_evals = 400;
        make(&made, kind ? TRIDIAGONAL : CURVED, kind ? 12 : 60, kind ? 12 : 10,
             0, 3);
        memset(x, 0, sizeof x);
        if (kind) start_at_minus_one(&made, x);
        lrgd_result result = fit_with(BOTH, o, x);
        check_int(result.outcome, LRGD_OUTCOME_CONVERGED, "the outcome");
        check(steepness(&made, x) <= result.certificate.grad_norm_bound,
              "%g above %g", steepness(&made, x),
              result.certificate.grad_norm_bound);
        /* J that is asked for together with F makes the step a failure */
        if (missing == 1) continue;
        memset(x, 0, sizeof x);
        if (kind) start_at_minus_one(&made, x);
        made.calls = 0;
        check_int(fit_with(JACOBIAN, o, x).outcome, LRGD_OUTCOME_CONVERGED,
                  "the outcome with J alone");
      }
  missing = lasts = 0;
}
