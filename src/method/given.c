/* A subspace given by the user: a basis, or linear constraints A x = b whose
 * null space it is (the paper's Motivation 4).  Knows nothing of methods. */
#include "base/finite.h"
#include "base/memory.h"
#include "method/solver.h"
#include "subspace/nullspace.h"

#include <math.h>

void lr_solver_forget_given(lrgd_solver *s)
{
  lr_basis_clear(&s->run.domain);
  lr_basis_clear(&s->rows);
  lr_free(&s->allocator, s->targets);
  s->targets = NULL;
}

/* A point moved into a box leaves the subspace, as does one that is known. */
static lrgd_status refuse_other(const lrgd_solver *s, lrgd_error *error)
{
  if (s->run.known.n > 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "a basis or constraints cannot be set where evaluations "
                   "were learned from: lrgd_solver_learn of none forgets them");
  if (!s->run.oracle.box.lower.block) return LRGD_OK;
  return lr_fail(error, LRGD_ERR_INVALID,
                 "bounds together with a basis or constraints are not "
                 "supported: a point at a bound leaves the subspace");
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
    status = lr_basis_append(&run->domain, w, 1e-10, &kept);
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
  lrgd_status status = refuse_other(solver, error);
  if (status == LRGD_OK) status = take_basis(solver, q, W, error);
  if (status != LRGD_OK) lr_solver_forget_given(solver);
  lr_solver_leave(solver);
  return status;
}

/* targets = R'x for the x nearest 0 with A x = b: solved row by row, as R was
 * made from the rows in order. */
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
      size += fabs(c[j] * s->targets[j]); /* of what may have cancelled */
    }
    bool fresh = done < R->k && fabs(c[done]) > 1e-10 * norm;
    if (fresh) {
      s->targets[done] = (b[i] - known) / c[done];
      done++;
    } else if (fabs(b[i] - known) > 1e-8 * size) {
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
  lrgd_status status = refuse_other(solver, error);
  if (status == LRGD_OK) status = take_constraints(solver, m, A, b, error);
  if (status != LRGD_OK) lr_solver_forget_given(solver);
  lr_solver_leave(solver);
  return status;
}

void lr_solver_satisfy(lrgd_solver *s, lrgd_vec x)
{
  lr_basis *R = &s->rows;
  if (R->k == 0) return;
  lr_basis_project(R, x, R->c);
  for (size_t j = 0; j < R->k; j++) R->c[j] = s->targets[j] - R->c[j];
  lr_basis_expand(R, x, R->c);
}
