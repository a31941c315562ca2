/* The callbacks by which a pool is a problem for a solver. */
#include "pool.h"

#include "base/sized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double ask_value(size_t p, const double *x, void *user)
{
  double f = NAN;
  lr_pool_ask(user,
              &(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_VALUE, p, 1, x,
                            NULL, &f, NULL, 0},
              NULL);
  return f;
}

static void ask_values(size_t p, size_t m, const double *X, double *f,
                       void *user)
{
  lr_pool_ask(user,
              &(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_VALUE, p, m, X,
                            NULL, f, NULL, 0},
              NULL);
}

static void start_value(size_t p, const double *x, uint64_t ticket, void *user)
{
  lr_pool_start_one(user, p, x, ticket);
}

static uint64_t finish_value(double *f, void *user)
{
  return lr_pool_finish_one(user, NULL, f);
}

static double ask_gradient(size_t p, const double *x, double *g, void *user)
{
  double f = NAN;
  lr_pool_ask(user,
              &(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_GRADIENT, p, 1, x,
                            NULL, &f, g, 0},
              NULL);
  return f;
}

static double ask_slopes(size_t p, const double *x, size_t k, const double *U,
                         double *d, void *user)
{
  double none = 0;
  double *zero = k ? NULL : calloc(p, sizeof *zero);
  size_t m = k ? k : 1;
  double *f = malloc(m * sizeof *f), result = NAN;
  if (f && (k || zero)) {
    lr_pool_ask(user,
                &(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_SLOPE, p, m, x,
                              k ? U : zero, f, k ? d : &none, 0},
                NULL);
    result = f[0];
    for (size_t i = 0; i < m && !isfinite(result); i++) result = f[i];
  } else {
    lrgd_pool *pool = user;
    lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for answers");
    pool->counts.unanswered += m;
    result = lrgd_unanswered();
  }
  free(f);
  free(zero);
  return result;
}

static void ask_residuals(size_t p, const double *x, size_t m, double *r,
                          void *user)
{
  double f = NAN;
  lr_pool_ask(user,
              &(lrgd_batch){sizeof(lrgd_batch), LRGD_ORACLE_RESIDUALS, p, 1, x,
                            NULL, &f, r, m},
              NULL);
}

static void ask_residual_batch(size_t p, size_t n, const double *X, size_t m,
                               double *R, void *user)
{
  double *f = malloc(n * sizeof *f);
  lrgd_batch batch = {
      sizeof batch, LRGD_ORACLE_RESIDUALS, p, n, X, NULL, f, R, m};
  if (f) {
    lr_pool_ask(user, &batch, NULL);
  } else {
    lrgd_pool *pool = user;
    lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for answers");
    pool->counts.unanswered += n;
  }
  free(f);
}

/* Asks for the k answers of a batch, each with m residuals and `each` numbers,
 * and copies residuals to r (NaN where an answer has failed) and the numbers
 * behind them to D. */
static void ask_derived(lrgd_pool *pool, lrgd_batch *batch, size_t k,
                        size_t each, double *r, double *D)
{
  size_t m = batch->residual_count, good = 0;
  double *d = malloc((each + 1) * k * sizeof *d);
  if (!d) {
    lr_pool_fail(pool, LRGD_ERR_NOMEM, "out of memory for answers");
    pool->counts.unanswered += k;
    return;
  }
  batch->f = d + each * k;
  batch->d = d;
  lr_pool_ask(pool, batch, NULL);
  for (size_t i = 0; i < k; i++)
    memcpy(D + i * (each - m), d + i * each + m, (each - m) * sizeof *d);
  while (good < k - 1 && isfinite(batch->f[good])) good++;
  memcpy(r, d + good * each, m * sizeof *d);
  free(d);
}

static void ask_jacobian(size_t p, const double *x, size_t m, double *r,
                         double *J, void *user)
{
  lrgd_batch batch = {.struct_size = sizeof batch,
                      .kind = LRGD_ORACLE_JACOBIAN,
                      .p = p,
                      .m = 1,
                      .x = x,
                      .residual_count = m};
  ask_derived(user, &batch, 1, m * (1 + p), r, J);
}

static void ask_residual_slopes(size_t p, const double *x, size_t k,
                                const double *U, size_t m, double *r, double *D,
                                void *user)
{
  lrgd_batch batch = {.struct_size = sizeof batch,
                      .kind = LRGD_ORACLE_RESIDUAL_SLOPE,
                      .p = p,
                      .m = k,
                      .x = x,
                      .u = U,
                      .residual_count = m};
  if (k) ask_derived(user, &batch, k, 2 * m, r, D);
}

lrgd_oracle lr_pool_residual_kind(const lrgd_pool *pool)
{
  int oracle = (int)pool->options.oracle;
  if (pool->options.residuals_beside || oracle == LRGD_ORACLE_VALUE)
    return LRGD_ORACLE_RESIDUALS;
  return oracle == LRGD_ORACLE_SLOPE ? LRGD_ORACLE_RESIDUAL_SLOPE
                                     : LRGD_ORACLE_JACOBIAN;
}

/* The callbacks for residuals, with their derivatives. */
static void set_residuals(const lrgd_pool *pool, lrgd_problem *made)
{
  int oracle = (int)pool->options.oracle;
  if (lr_pool_residual_kind(pool) == LRGD_ORACLE_RESIDUALS) {
    made->residuals = ask_residuals;
    made->residual_batch = ask_residual_batch;
  }
  if (oracle == LRGD_ORACLE_GRADIENT) made->residual_jacobian = ask_jacobian;
  if (oracle == LRGD_ORACLE_SLOPE) made->residual_slopes = ask_residual_slopes;
  made->residual_count = pool->residual_count;
}

/* Unanswered questions that the solver was not told of. */
static size_t unanswered(void *user)
{
  lrgd_pool *pool = user;
  uint64_t all = pool->counts.unanswered, news = all - pool->told_unanswered;
  pool->told_unanswered = all;
  return (size_t)news;
}

void lrgd_pool_problem_sized(lrgd_pool *pool, size_t dimension,
                             lrgd_problem *problem, size_t size)
{
  lrgd_problem made = lrgd_problem_default(dimension);
  made.user = pool;
  made.unanswered = pool ? unanswered : NULL;
  if (pool && pool->options.residuals) {
    set_residuals(pool, &made);
  } else if (pool) { /* otherwise there is no callback, and every solver
                        refuses the problem */
    int oracle = (int)pool->options.oracle;
    made.gradient = oracle == LRGD_ORACLE_GRADIENT ? ask_gradient : NULL;
    made.slopes = oracle == LRGD_ORACLE_SLOPE ? ask_slopes : NULL;
    int scalar = !made.gradient && !made.slopes;
    made.value = scalar ? ask_value : NULL;
    made.values = made.value ? ask_values : NULL;
    made.start = made.value ? start_value : NULL;
    made.finish = made.value ? finish_value : NULL;
  }
  lr_sized_give(problem, size, &made, sizeof made);
}

int lr_pool_owns(const lrgd_pool *pool, const lrgd_problem *problem)
{
  return problem->user == pool &&
         (problem->values == ask_values || problem->gradient == ask_gradient ||
          problem->slopes == ask_slopes ||
          problem->residuals == ask_residuals ||
          problem->residual_jacobian == ask_jacobian ||
          problem->residual_slopes == ask_residual_slopes);
}
