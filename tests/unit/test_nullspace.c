/* Null spaces, and the linear constraints A theta = b made of them. */
#include "subspace/nullspace.h"
#include "unit_spaces.h"

enum { P = 12 };

static void fill(double *A, size_t n)
{
  uint64_t state = 5;
  for (size_t i = 0; i < n; i++) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    A[i] = (double)(state >> 11) * 0x1p-52 - 1;
  }
}

typedef struct room {
  lrgd_space *space;
  lr_basis N, R;
  lrgd_block *spare;
} room;

static room enter(void)
{
  room r = {.space = doubles(P)};
  r.spare = block_of(r.space, 1);
  if (lr_basis_init(&r.N, r.space, &lr_malloc, 1) != LRGD_OK ||
      lr_basis_init(&r.R, r.space, &lr_malloc, 1) != LRGD_OK)
    abort();
  return r;
}

static void leave(room *r)
{
  lr_basis_clear(&r->N);
  lr_basis_clear(&r->R);
  r->space->ops->free(r->space, r->spare);
  lrgd_space_destroy(&r->space);
}

static lrgd_status make(room *r, size_t m, const double *A)
{
  return lr_nullspace(&r->N, &r->R, m, A, 1, 1, (lrgd_vec){r->spare, 0});
}

/* The largest |a_i . n_j| over the norm of a_i. */
static double leak(const room *r, size_t m, const double *A)
{
  double worst = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < r->N.k; j++) {
      const double *a = A + i * P, *n = column(r->N.block, j);
      double sum = 0, norm = 0;
      for (int c = 0; c < P; c++) {
        sum += a[c] * n[c];
        norm += a[c] * a[c];
      }
      worst = fmax(worst, fabs(sum) / sqrt(norm));
    }
  return worst;
}

TEST("rows and null space together are an orthonormal basis of everything")
{
  double A[4 * P];
  room r = enter();
  fill(A, 4 * P);
  check(make(&r, 4, A) == LRGD_OK, "it works");
  check_int(r.R.k, 4, "rows");
  check_int(r.N.k, P - 4, "null space");
  check(defect(&r.R) < 1e-14 && defect(&r.N) < 1e-14, "both orthonormal");
  check(leak(&r, 4, A) < 1e-14, "A N is %g", leak(&r, 4, A));
  leave(&r);
}

TEST("dependent and zero rows count once or not at all")
{
  double A[5 * P];
  room r = enter();
  fill(A, 2 * P);
  for (int i = 0; i < P; i++) {
    A[2 * P + i] = A[i] - 3 * A[P + i];
    A[3 * P + i] = 0;
    A[4 * P + i] = 1e200 * A[i];
  }
  check(make(&r, 5, A) == LRGD_OK, "it works");
  check_int(r.R.k, 2, "rows");
  check_int(r.N.k, P - 2, "null space");
  check(leak(&r, 3, A) < 1e-14, "A N is %g", leak(&r, 3, A));
  leave(&r);
}

TEST("p independent rows leave nothing")
{
  double A[P * P];
  room r = enter();
  fill(A, P * P);
  check(make(&r, P, A) == LRGD_OK, "it works");
  check_int(r.R.k, P, "rows");
  check_int(r.N.k, 0, "null space");
  leave(&r);
}

/* ---- through the library ---- */

static double sphere(size_t p, const double *x, double *g, void *user)
{
  double sum = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    sum += (x[i] - 1) * (x[i] - 1);
    g[i] = 2 * (x[i] - 1);
  }
  return sum;
}

static lrgd_status constrained(size_t m, const double *A, const double *b,
                               double *x, lrgd_result *result,
                               lrgd_error *error)
{
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_solver *solver;
  problem.gradient = sphere;
  o.method = LRGD_METHOD_GD;
  o.tol = 1e-10;
  lrgd_status status = lrgd_solver_create(&solver, &problem, &o, error);
  if (status == LRGD_OK)
    status = lrgd_solver_set_constraints(solver, m, A, b, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(solver, x, x, result, error);
  (void)lrgd_solver_destroy(&solver);
  return status;
}

static double residual(size_t m, const double *A, const double *b,
                       const double *x)
{
  double worst = 0;
  for (size_t i = 0; i < m; i++) {
    double sum = -b[i];
    for (int j = 0; j < P; j++) sum += A[i * P + (size_t)j] * x[j];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

TEST("with A theta = b the end satisfies it, and is the nearest point to ones")
{
  double A[3 * P], b[3] = {1, -2, 0.5}, x[P] = {0}, c[3];
  lrgd_result result;
  lrgd_error error = {LRGD_OK, ""};
  fill(A, 3 * P);
  require(constrained(3, A, b, x, &result, &error) == LRGD_OK, "%s",
          error.text);
  check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
  check(residual(3, A, b, x) < 1e-13, "A x - b is %g", residual(3, A, b, x));
  /* optimal: x - 1 is a combination of rows, so orthogonal to the null space */
  room r = enter();
  check(make(&r, 3, A) == LRGD_OK, "null space");
  for (size_t j = 0; j < r.N.k; j++) {
    const double *n = column(r.N.block, j);
    c[0] = 0;
    for (int i = 0; i < P; i++) c[0] += n[i] * (x[i] - 1);
    check_within(c[0], 0, 1e-9, "slope along null direction %zu", j);
  }
  leave(&r);
}

TEST("a constraint that follows from the others is no contradiction")
{
  double A[3 * P], b[3] = {1, 1, 0}, x[P] = {0};
  lrgd_result result;
  lrgd_error error = {LRGD_OK, ""};
  fill(A, 2 * P);
  for (int i = 0; i < P; i++) A[2 * P + i] = A[i] - A[P + i];
  require(constrained(3, A, b, x, &result, &error) == LRGD_OK, "%s",
          error.text);
  check(residual(3, A, b, x) < 1e-13, "A x - b is %g", residual(3, A, b, x));
}

TEST("a constraint that contradicts the others is refused, with its number")
{
  double A[3 * P], b[3] = {1, 1, 0.25}, x[P] = {0};
  lrgd_error error = {LRGD_OK, ""};
  fill(A, 2 * P);
  for (int i = 0; i < P; i++) A[2 * P + i] = A[i] - A[P + i];
  check(constrained(3, A, b, x, NULL, &error) == LRGD_ERR_INVALID, "refused");
  check(strstr(error.text, "constraint 2") != NULL, "%s", error.text);
}

TEST("constraints that leave no direction are refused")
{
  double A[P * P], b[P] = {0}, x[P] = {0};
  lrgd_error error = {LRGD_OK, ""};
  fill(A, P * P);
  check(constrained(P, A, b, x, NULL, &error) == LRGD_ERR_INVALID, "refused");
  check(strstr(error.text, "12") != NULL, "%s", error.text);
}

TEST("constraints that are not finite are refused")
{
  double A[P] = {NAN}, b[1] = {0}, x[P] = {0};
  check(constrained(1, A, b, x, NULL, NULL) == LRGD_ERR_INVALID, "NaN in A");
  A[0] = 1;
  b[0] = INFINITY;
  check(constrained(1, A, b, x, NULL, NULL) == LRGD_ERR_INVALID, "Inf in b");
}
