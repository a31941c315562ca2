/* Bases and solvers in spaces other than host doubles: here, floats. */
#include "base/memory.h"
#include "space/vec.h"
#include "subspace/basis.h"

#include <float.h>
#include <lrgd/space.h>
#include <stdlib.h>

#include "check.h"

enum { P = 64 };

typedef struct room {
  lrgd_space *space;
  lrgd_block *x;
} room;

static room enter(void)
{
  room r = {.space = lrgd_host_space(P, LRGD_SCALAR_FLOAT, NULL)};
  if (!r.space) abort();
  r.x = r.space->ops->make(r.space, 3);
  if (!r.x) abort();
  return r;
}

static void leave(room *r)
{
  r->space->ops->free(r->space, r->x);
  lrgd_space_destroy(&r->space);
}

TEST("a float vector of any size is normalised to norm one")
{
  static const double sizes[] = {1e-44, 1e-40, 1e-38, 1e-20, 1, 1e20, 1e38};
  room r = enter();
  for (int i = 0; i < 7; i++) {
    lrgd_vec y = {r.x, 0};
    float *data = lrgd_host_data(y);
    double norm = 0, was = 0;
    for (int j = 0; j < P; j++) data[j] = (float)(j % 2 ? -sizes[i] : sizes[i]);
    check(lr_normalise(r.space, y, &was), "size %g", sizes[i]);
    check(r.space->ops->measure(r.space, y, &norm), "finite at %g", sizes[i]);
    check_near(norm, 1, 1e-5, "norm at %g", sizes[i]);
    check_near(was, 8 * sizes[i], sizes[i] < 1e-38 ? 0.2 : 1e-5,
               "the norm it had at %g", sizes[i]);
  }
  leave(&r);
}

TEST("a float basis is orthonormal to a few roundings of floats")
{
  room r = enter();
  lr_basis U;
  bool kept;
  double G[100];
  require(lr_basis_init(&U, r.space, &lr_malloc, 4) == LRGD_OK, "made");
  for (uint64_t j = 0; j < 10; j++) {
    r.space->ops->gaussian(r.space, (lrgd_vec){r.x, 0}, 1, j);
    check(lr_basis_append(&U, (lrgd_vec){r.x, 0}, 1e-4, &kept) == LRGD_OK &&
              kept,
          "direction %d", (int)j);
  }
  r.space->ops->gram(r.space, lr_basis_column(&U, 0), 10, G);
  for (int i = 0; i < 100; i++)
    check_within(G[i], i % 11 == 0, 8 * FLT_EPSILON * sqrt(P), "entry %d", i);
  lr_basis_clear(&U);
  leave(&r);
}

/* f = sum over three blocks of coordinates of (mean - target)^2: rank 3. */
static double three(lrgd_vec x, lrgd_vec g, void *user)
{
  const float *at = lrgd_host_data(x);
  float *out = lrgd_host_data(g);
  double sum = 0;
  ++*(int *)user;
  for (int b = 0; b < 3; b++) {
    double mean = 0, d;
    for (int i = b * 20; i < b * 20 + 20; i++) mean += at[i] / 20;
    d = mean - (b + 1);
    sum += d * d;
    for (int i = b * 20; i < b * 20 + 20; i++) out[i] = (float)(d / 10);
  }
  for (int i = 60; i < P; i++) out[i] = 0;
  return sum;
}

static double three_slopes(lrgd_vec x, lrgd_vec U, size_t k, double *d,
                           void *user)
{
  float g[P];
  double f;
  lrgd_space *space = lrgd_host_space(P, LRGD_SCALAR_FLOAT, NULL);
  lrgd_block *block = space->ops->make(space, 1);
  f = three(x, (lrgd_vec){block, 0}, user);
  memcpy(g, lrgd_host_data((lrgd_vec){block, 0}), sizeof g);
  for (size_t j = 0; j < k; j++) {
    const float *u = lrgd_host_data((lrgd_vec){U.block, U.col + j});
    d[j] = 0;
    for (int i = 0; i < P; i++) d[j] += (double)u[i] * g[i];
  }
  space->ops->free(space, block);
  lrgd_space_destroy(&space);
  return f;
}

static void minimise(int method, bool slopes)
{
  room r = enter();
  int asked = 0;
  lrgd_space_problem problem = lrgd_space_problem_default(r.space);
  problem.user = &asked;
  lrgd_options o = lrgd_options_default();
  lrgd_solver *solver = NULL;
  lrgd_result result = {0};
  lrgd_error error = {LRGD_OK, ""};
  if (slopes)
    problem.slopes = three_slopes;
  else
    problem.gradient = three;
  o.method = method;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED) o.rank = 3;
  o.tol = 1e-4;
  o.rank_cut = 1e-4; /* floats have seven digits */
  r.space->ops->scale(r.space, (lrgd_vec){r.x, 1}, 0);
  require(lrgd_solver_create_in(&solver, &problem, &o, &error) == LRGD_OK, "%s",
          error.text);
  check(lrgd_solver_solve_in(solver, (lrgd_vec){r.x, 1}, &result, &error) ==
            LRGD_OK,
        "%s", error.text);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "method %d: %s", method,
        result.message);
  check(result.f < 1e-6, "method %d: f is %g", method, result.f);
  (void)lrgd_solver_destroy(&solver);
  leave(&r);
}

TEST("every method minimises in a space of floats")
{
  for (int method = LRGD_METHOD_AUTO; method <= LRGD_METHOD_QUASI_NEWTON;
       method++) {
    minimise(method, false);
    minimise(method, true);
  }
}

TEST("a start that is not finite is refused in any space")
{
  room r = enter();
  int asked = 0;
  lrgd_space_problem problem = lrgd_space_problem_default(r.space);
  problem.gradient = three;
  problem.user = &asked;
  lrgd_options o = lrgd_options_default();
  lrgd_solver *solver = NULL;
  o.method = LRGD_METHOD_GD;
  require(lrgd_solver_create_in(&solver, &problem, &o, NULL) == LRGD_OK,
          "made");
  r.space->ops->scale(r.space, (lrgd_vec){r.x, 1}, 0);
  ((float *)lrgd_host_data((lrgd_vec){r.x, 1}))[5] = NAN;
  check(lrgd_solver_solve_in(solver, (lrgd_vec){r.x, 1}, NULL, NULL) ==
            LRGD_ERR_INVALID,
        "NaN");
  check_int(asked, 0, "callbacks");
  double x[P] = {0};
  check(lrgd_solver_solve(solver, x, x, NULL, NULL) == LRGD_ERR_INVALID,
        "host doubles are not this solver's vectors");
  (void)lrgd_solver_destroy(&solver);
  leave(&r);
}
