/* A subspace given by the user: a basis, or linear constraints A x = b whose
 * null space it is (the paper's Motivation 4). */
#include "api/solver_state.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "polytope/polytope_rules.h"
#include "subspace/nullspace.h"

#include <math.h>

void lr_solver_forget_given(lrgd_solver *s)
{
  s->run.polytope = NULL;
  lr_polytope_clear(&s->polytope);
  lr_basis_clear(&s->run.domain);
  lr_basis_clear(&s->rows);
  lr_free(&s->allocator, s->targets);
  s->targets = NULL;
}

/* Known evaluations may lie outside the subspace. */
static lrgd_status refuse_known(const lrgd_solver *s, lrgd_error *error)
{
  if (lr_run_is_constrained(&s->run))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a basis or equations A x = b do not go with limits on "
                   "outputs: give the equations as limits of outputs");
  if (s->run.learned.known.n > 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a basis or constraints cannot be set where evaluations "
                   "were learned from: lrgd_solver_learn of none forgets them");
  return LRGD_OK;
}

/* Clipping to a box may leave the subspace. */
static lrgd_status refuse_box(const lrgd_solver *s, lrgd_error *error)
{
  if (!s->run.oracle.box.lower.block) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "bounds together with a basis are not supported: a point at "
                 "a bound leaves its span; write it as equations A x = b, "
                 "which go with bounds");
}

/* Bounds together with A x = b have a method of their own. */
static lrgd_status check_both(const lrgd_solver *s, lrgd_error *error)
{
  static const char *const names[] = {"auto",     "gd",       "lrgd",
                                      "iterated", "adaptive", "quasi-newton"};
  int64_t method = s->run.options.method;
  if (!s->run.oracle.box.lower.block) return LRGD_OK;
  if (!s->host)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "bounds together with equations need vectors of host "
                   "doubles");
  if (method == LRGD_METHOD_AUTO || method == LRGD_METHOD_QUASI_NEWTON)
    return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "method %s cannot keep bounds and equations A x = b at once: "
                 "auto and quasi-newton can",
                 names[method]);
}

static lrgd_status take_basis(lrgd_solver *s, size_t q, const double *W,
                              lrgd_error *error)
{
  lr_run *run = &s->run;
  size_t p = s->space->dimension;
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  lr_solver_forget_given(s);
  lrgd_status status =
      lr_basis_init(&run->domain, s->space, &s->allocator, q < p ? q : p);
  for (size_t j = 0; j < q && status == LRGD_OK; j++) {
    bool kept;
    s->space->ops->put(s->space, w, 0, p, W + j * p);
    status =
        lr_basis_append(&run->domain, w, run->policy->rows_dependent, &kept);
  }
  if (status != LRGD_OK)
    return lr_fail(error, status, "out of memory for a basis of %zu", q);
  if (run->domain.k == 0)
    return lr_fail(error, LRGD_ERR_INVALID, "all %zu columns are zero", q);
  return lr_solver_check_method(&run->options, run->domain.k, error);
}

lrgd_status lrgd_solver_set_basis(lrgd_solver *solver, size_t q,
                                  const double *W, lrgd_error *error)
{
  if (!lr_solver_valid(solver) || !W || q == 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a basis needs a solver and at least one column");
  if (!lr_all_finite(W, q * solver->space->dimension))
    return lr_fail(error, LRGD_ERR_INVALID, "the basis is not finite");
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lrgd_status status = refuse_known(solver, error);
  if (status == LRGD_OK) status = refuse_box(solver, error);
  if (status == LRGD_OK) status = take_basis(solver, q, W, error);
  if (status != LRGD_OK) lr_solver_forget_given(solver);
  lr_solver_leave(solver);
  return status;
}

/* targets = R'x for the x with A x = b nearest to 0: solved row by row, since R
 * was made from the rows of A in their order. */
static lrgd_status find_targets(lrgd_solver *s, size_t m, const double *A,
                                const double *b, lrgd_error *error)
{
  size_t p = s->space->dimension, done = 0;
  lr_basis *R = &s->rows;
  lrgd_vec a = lr_run_work(&s->run, LR_WORK_EXTRA);
  s->targets = lr_alloc(&s->allocator, R->k + 1, sizeof *s->targets);
  double *c = lr_alloc(&s->allocator, R->k + 1, sizeof *c);
  lrgd_status status = s->targets && c ? LRGD_OK : LRGD_ERR_NOMEM;
  for (size_t i = 0; i < m && status == LRGD_OK; i++) {
    double norm = 0, known = 0, size = fabs(b[i]);
    s->space->ops->put(s->space, a, 0, p, A + i * p);
    (void)s->space->ops->measure(s->space, a, &norm);
    lr_basis_project(R, a, c);
    for (size_t j = 0; j < done; j++) {
      known += c[j] * s->targets[j];
      size += fabs(
          c[j] *
          s->targets[j]); /* the size of the terms that may have cancelled */
    }
    bool fresh =
        done < R->k && !lr_polytope_depends(s->run.policy, c[done], norm);
    if (fresh) {
      s->targets[done] = (b[i] - known) / c[done];
      done++;
    } else if (lr_polytope_contradicts(s->run.policy, b[i] - known, size)) {
      status = lr_fail(error, LRGD_ERR_INVALID,
                       "constraint %zu contradicts the others: %g is not %g", i,
                       known, b[i]);
    }
  }
  lr_free(&s->allocator, c);
  return status;
}

static lrgd_status take_constraints(lrgd_solver *s, size_t m, const double *A,
                                    const double *b, lrgd_error *error)
{
  lr_run *run = &s->run;
  size_t p = s->space->dimension;
  lr_solver_forget_given(s);
  lrgd_status status =
      lr_basis_init(&s->rows, s->space, &s->allocator, m < p ? m : p);
  if (status == LRGD_OK)
    status = lr_basis_init(&run->domain, s->space, &s->allocator, 1);
  if (status == LRGD_OK)
    status =
        lr_nullspace(&run->domain, &s->rows, m, A, (uint64_t)run->options.seed,
                     LR_STREAM_NULL, lr_run_work(run, LR_WORK_EXTRA));
  if (status == LRGD_OK) status = find_targets(s, m, A, b, error);
  if (status == LRGD_ERR_NOMEM)
    return lr_fail(error, status,
                   "out of memory: the constraints leave %zu "
                   "directions of %zu numbers",
                   p - s->rows.k, p);
  if (status != LRGD_OK) return status;
  if (run->domain.k == 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%zu independent constraints leave no direction in "
                   "dimension %zu",
                   s->rows.k, p);
  return lr_solver_check_method(&run->options, run->domain.k, error);
}

/* ---- with bounds ---- */

/* The range of a row's value within the bounds. */
static void range_of(const lrgd_solver *s, const double *a, double *least,
                     double *most)
{
  const double *lower = lrgd_host_data(s->run.oracle.box.lower);
  const double *upper = lrgd_host_data(s->run.oracle.box.upper);
  *least = *most = 0;
  for (size_t i = 0; i < s->space->dimension; i++) {
    if (a[i] == 0) continue;
    *least += a[i] * (a[i] > 0 ? lower[i] : upper[i]);
    *most += a[i] * (a[i] > 0 ? upper[i] : lower[i]);
  }
}

/* Reports with numbers that no point within the bounds satisfies A x = b. */
static lrgd_status say_infeasible(const lrgd_solver *s, size_t m,
                                  const double *A, const double *b,
                                  const double *x, lrgd_error *error)
{
  size_t p = s->space->dimension, worst = 0;
  double missed = 0, reached = 0;
  for (size_t i = 0; i < m; i++) {
    double least, most, sum = lr_dot(p, A + i * p, x);
    range_of(s, A + i * p, &least, &most);
    if (b[i] < least || b[i] > most)
      return lr_fail(error, LRGD_ERR_INVALID,
                     "no point satisfies the bounds and equation %zu (the "
                     "first is 1): between the bounds its left side is %g to "
                     "%g, and b is %g",
                     i + 1, least, most, b[i]);
    if (!(fabs(sum - b[i]) >= missed)) continue;
    missed = fabs(sum - b[i]);
    reached = sum;
    worst = i;
  }
  return lr_fail(error, LRGD_ERR_INVALID,
                 "no point satisfies the bounds and all %zu equations: at the "
                 "nearest one within the bounds equation %zu (the first is 1) "
                 "gives %g instead of %g",
                 m, worst + 1, reached, b[worst]);
}

static lrgd_status take_polytope(lrgd_solver *s, size_t m, const double *A,
                                 const double *b, lrgd_error *error)
{
  const lrgd_box box = s->run.oracle.box;
  size_t p = s->space->dimension;
  lrgd_vec w = lr_run_work(&s->run, LR_WORK_EXTRA);
  double *x = lrgd_host_data(w), norm = 0;
  lrgd_status status = lr_polytope_init(
      &s->polytope, p, s->rows.k, lrgd_host_data(lr_basis_column(&s->rows, 0)),
      s->targets, lrgd_host_data(box.lower), lrgd_host_data(box.upper),
      s->run.policy, &s->allocator);
  if (status != LRGD_OK)
    return lr_fail(error, status,
                   "out of memory for %zu equations within "
                   "bounds",
                   m);
  s->space->ops->scale(s->space, w, 0);
  double missed = lr_polytope_project(&s->polytope, x);
  (void)s->space->ops->measure(s->space, w, &norm);
  double size = norm + lr_norm(s->rows.k, s->targets);
  if (lr_polytope_infeasible(s->run.policy, missed, size))
    return say_infeasible(s, m, A, b, x, error);
  s->run.polytope = &s->polytope;
  return LRGD_OK;
}

lrgd_status lrgd_solver_set_constraints(lrgd_solver *solver, size_t m,
                                        const double *A, const double *b,
                                        lrgd_error *error)
{
  if (!lr_solver_valid(solver) || !A || !b || m == 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "constraints need a solver, A, b and at least one row");
  if (!lr_all_finite(A, m * solver->space->dimension) || !lr_all_finite(b, m))
    return lr_fail(error, LRGD_ERR_INVALID, "the constraints are not finite");
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lrgd_status status = refuse_known(solver, error);
  if (status == LRGD_OK) status = check_both(solver, error);
  if (status == LRGD_OK) status = take_constraints(solver, m, A, b, error);
  if (status == LRGD_OK && solver->run.oracle.box.lower.block)
    status = take_polytope(solver, m, A, b, error);
  if (status != LRGD_OK) lr_solver_forget_given(solver);
  lr_solver_leave(solver);
  return status;
}

void lr_solver_satisfy(lrgd_solver *s, lrgd_vec x)
{
  lr_basis *R = &s->rows;
  if (R->k == 0) return;
  if (s->run.polytope) {
    (void)lr_polytope_project(s->run.polytope, lrgd_host_data(x));
    return;
  }
  lr_basis_project(R, x, R->c);
  for (size_t j = 0; j < R->k; j++) R->c[j] = s->targets[j] - R->c[j];
  lr_basis_expand(R, x, R->c);
}
