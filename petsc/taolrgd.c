/* A type of PETSc's TAO: -tao_type lrgd, for PETSc 3.18 with real numbers.
 *
 * The solver runs in slices of its own that lie as those of the solution do:
 * nothing is ever gathered, and the program's functions see Vecs of its own
 * kind.  Known here: TAO.  Not known: how lrgd minimises; the options are read
 * off its table.
 *
 * Two programs load it: one that was never told of it (-dll_prepend
 * libtaolrgd.so), and one that calls TaoLRGDRegister(). */
#include "taolrgd.h"
#include "tao_residuals.h"
#include "tao_type.h"

#include <float.h>
#include <lrgd/mpi.h>
#include <math.h>
#include <petsc/private/taoimpl.h>
#include <string.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "lrgd minimises over real numbers of double precision"
#endif

enum { X, LOWER, UPPER, COLUMNS };
enum { SEEN = 8 }; /* gradients whose norm is remembered */

/* A run. */
typedef struct session {
  Tao tao;
  lrgd_space *space;
  lrgd_block *block;
  lrgd_solver *solver;
  lrgd_box box;
  Vec at, slope;   /* what the program is shown */
  PetscBool given; /* gradients are */
  /* the program gives residuals in place of an objective; alone: on one rank,
   * where lrgd is told them one by one */
  PetscBool squares, alone;
  tao_residuals residuals;
  /* the last gradients: their values, and norms in the box */
  double f[SEEN], norm[SEEN];
  size_t seen;
  double lowest; /* of the values: tao->gradient is there */
  PetscInt told; /* monitors, so often */
  double shown;  /* the last norm that was known */
  PetscErrorCode trouble;
} session;

/* ---- between a Vec and a slice ---- */

static PetscErrorCode to_vec(lrgd_vec from, Vec to)
{
  PetscScalar *data;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(to, &n));
  PetscCall(VecGetArrayWrite(to, &data));
  PetscCall(PetscArraycpy(data, (const double *)lrgd_host_data(from), n));
  PetscCall(VecRestoreArrayWrite(to, &data));
  PetscFunctionReturn(0);
}

static PetscErrorCode from_vec(Vec from, lrgd_vec to)
{
  const PetscScalar *data;
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(from, &n));
  PetscCall(VecGetArrayRead(from, &data));
  PetscCall(PetscArraycpy((double *)lrgd_host_data(to), data, n));
  PetscCall(VecRestoreArrayRead(from, &data));
  PetscFunctionReturn(0);
}

/* PETSc's infinity is a number. */
static PetscErrorCode bound_from_vec(Vec from, lrgd_vec to)
{
  double *data = lrgd_host_data(to);
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(from_vec(from, to));
  PetscCall(VecGetLocalSize(from, &n));
  for (PetscInt i = 0; i < n; i++)
    if (fabs(data[i]) >= PETSC_INFINITY) data[i] = copysign(INFINITY, data[i]);
  PetscFunctionReturn(0);
}

/* ---- the program's functions ---- */

/* An error of the program ends the run, and is its error in the end. */
static double failed(session *s, PetscErrorCode error)
{
  s->trouble = error;
  lrgd_solver_stop(s->solver);
  return NAN;
}

static double value(lrgd_vec x, void *user)
{
  session *s = user;
  PetscReal f = NAN;
  PetscErrorCode error = to_vec(x, s->at);
  if (!error)
    error = s->squares ? tao_residuals_value(&s->residuals, s->at, &f)
                       : TaoComputeObjective(s->tao, s->at, &f);
  return error ? failed(s, error) : f;
}

static PetscErrorCode compute_residuals(session *s, const double *x, double *r)
{
  PetscScalar *to;
  const PetscScalar *from;
  PetscInt p, m = s->residuals.m;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(s->at, &p));
  PetscCall(VecGetArrayWrite(s->at, &to));
  PetscCall(PetscArraycpy(to, x, p));
  PetscCall(VecRestoreArrayWrite(s->at, &to));
  PetscCall(tao_residuals_compute(&s->residuals, s->at));
  PetscCall(VecGetArrayRead(s->residuals.weighted, &from));
  PetscCall(PetscArraycpy(r, from, m));
  PetscCall(VecRestoreArrayRead(s->residuals.weighted, &from));
  PetscFunctionReturn(0);
}

static void residuals(size_t p, const double *x, size_t m, double *r,
                      void *user)
{
  session *s = user;
  PetscErrorCode error = compute_residuals(s, x, r);
  (void)p;
  if (error) (void)failed(s, error);
  for (size_t i = 0; error && i < m; i++) r[i] = NAN;
}

/* Norm of g without what a bound holds; and the gradient of the lowest value
 * is kept for who asks TAO for it. */
static PetscErrorCode remember(session *s, double f, lrgd_vec x, lrgd_vec g)
{
  const lrgd_space_ops *ops = s->space->ops;
  double norm = NAN;
  PetscFunctionBegin;
  if (s->box.lower.block)
    norm = ops->free_norm(s->space, g, x, s->box);
  else if (!ops->measure(s->space, g, &norm))
    norm = NAN;
  s->f[s->seen % SEEN] = f;
  s->norm[s->seen++ % SEEN] = norm;
  if (f < s->lowest) {
    s->lowest = f;
    PetscCall(VecCopy(s->slope, s->tao->gradient));
  }
  PetscFunctionReturn(0);
}

static double gradient(lrgd_vec x, lrgd_vec g, void *user)
{
  session *s = user;
  PetscReal f = NAN;
  PetscErrorCode error = to_vec(x, s->at);
  if (!error)
    error = s->squares
                ? tao_residuals_gradient(&s->residuals, s->at, &f, s->slope)
                : TaoComputeObjectiveAndGradient(s->tao, s->at, &f, s->slope);
  if (!error) error = from_vec(s->slope, g);
  if (!error) error = remember(s, f, x, g);
  return error ? failed(s, error) : f;
}

/* ---- monitors and tolerances ---- */

/* The norm of the gradient where the value is f; NaN where none was asked. */
static double norm_at(const session *s, double f)
{
  for (size_t i = 1; i <= SEEN && i <= s->seen; i++)
    if (s->f[(s->seen - i) % SEEN] == f) return s->norm[(s->seen - i) % SEEN];
  return NAN;
}

static PetscBool by_gradient(TaoConvergedReason reason)
{
  return (PetscBool)(reason == TAO_CONVERGED_GATOL ||
                     reason == TAO_CONVERGED_GRTOL ||
                     reason == TAO_CONVERGED_GTTOL);
}

/* What is shown as the residual: the norm of the gradient where it is known,
 * else that within the subspace; before either, PETSc's infinity, as a NaN is
 * an error there. */
static double residual(session *s, const lrgd_progress *p, double whole)
{
  double norm = isnan(whole) ? p->grad_norm : whole;
  if (!isfinite(norm)) return s->shown > 0 ? s->shown : PETSC_INFINITY;
  if (!(s->shown > 0)) s->tao->gnorm0 = norm; /* what -tao_gttol refers to */
  s->shown = norm;
  return norm;
}

/* Only the norm of a whole gradient ends a run: without gradients that is left
 * to lrgd's certificate. */
static PetscErrorCode tell(session *s, const lrgd_progress *p)
{
  Tao tao = s->tao;
  double whole = norm_at(s, p->f), norm;
  PetscFunctionBegin;
  if (!isfinite(p->f) || tao->reason != TAO_CONTINUE_ITERATING)
    PetscFunctionReturn(0);
  tao->niter = s->told++;
  norm = residual(s, p, whole);
  PetscCall(TaoLogConvergenceHistory(tao, p->f, norm, 0, tao->ksp_its));
  PetscCall(TaoMonitor(tao, tao->niter, p->f, norm, 0, 1));
  PetscUseTypeMethod(tao, convergencetest, tao->cnvP);
  if (isnan(whole) && by_gradient(tao->reason))
    tao->reason = TAO_CONTINUE_ITERATING;
  if (tao->reason != TAO_CONTINUE_ITERATING) lrgd_solver_stop(s->solver);
  PetscFunctionReturn(0);
}

static void progress(const lrgd_progress *p, void *user)
{
  session *s = user;
  if (p->event != LRGD_EVENT_ITERATION || s->trouble) return;
  PetscErrorCode error = tell(s, p);
  if (error) (void)failed(s, error);
}

/* How lrgd's end is called in TAO, where TAO's own tests did not end it. */
static TaoConvergedReason reason_for(lrgd_outcome outcome)
{
  switch (outcome) {
  case LRGD_OUTCOME_CONVERGED: return TAO_CONVERGED_GATOL;
  case LRGD_OUTCOME_TARGET: return TAO_CONVERGED_MINF;
  case LRGD_OUTCOME_BUDGET: return TAO_DIVERGED_MAXFCN;
  case LRGD_OUTCOME_STALLED: return TAO_DIVERGED_LS_FAILURE;
  case LRGD_OUTCOME_UNBOUNDED: return TAO_DIVERGED_NAN;
  case LRGD_OUTCOME_FAILED: return TAO_DIVERGED_NAN;
  case LRGD_OUTCOME_STOPPED: break;
  }
  return TAO_DIVERGED_USER;
}

/* The last point: TAO's tests once more, then what lrgd says. */
static PetscErrorCode conclude(session *s, const lrgd_result *result)
{
  Tao tao = s->tao;
  double whole = norm_at(s, result->f);
  PetscFunctionBegin;
  tao->fc = result->f;
  if (!isnan(whole)) tao->residual = whole;
  if (tao->reason != TAO_CONTINUE_ITERATING) PetscFunctionReturn(0);
  if (isnan(whole) && isfinite(result->grad_norm))
    tao->residual = result->grad_norm;
  PetscUseTypeMethod(tao, convergencetest, tao->cnvP);
  if (tao->reason == TAO_CONTINUE_ITERATING ||
      (isnan(whole) && by_gradient(tao->reason)))
    tao->reason = reason_for(result->outcome);
  PetscFunctionReturn(0);
}

/* ---- a run ---- */

/* The solution and the bounds into the columns of a block. */
static PetscErrorCode furnish(session *s)
{
  Tao tao = s->tao;
  MPI_Comm comm = PetscObjectComm((PetscObject)tao);
  PetscInt n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(tao->solution, &n));
  s->space = lrgd_mpi_space_of(comm, (size_t)n);
  if (s->space) s->block = s->space->ops->make(s->space, COLUMNS);
  PetscCheck(s->block, comm, PETSC_ERR_MEM, "lrgd: no memory for %d columns",
             COLUMNS);
  PetscCall(from_vec(tao->solution, (lrgd_vec){s->block, X}));
  PetscCall(TaoComputeVariableBounds(tao));
  if (tao->bounded && tao->XL && tao->XU) {
    s->box = (lrgd_box){
        {s->block, LOWER},
        {s->block, UPPER}
    };
    PetscCall(bound_from_vec(tao->XL, s->box.lower));
    PetscCall(bound_from_vec(tao->XU, s->box.upper));
    (void)s->space->ops->clip(s->space, (lrgd_vec){s->block, X}, s->box);
  }
  PetscFunctionReturn(0);
}

static lrgd_options with_progress(session *s, lrgd_options options)
{
  Tao tao = s->tao;
  if (options.max_evals == LRGD_UNSET && tao->max_funcs_changed &&
      tao->max_funcs > 0)
    options.max_evals = tao->max_funcs;
  options.progress = progress;
  options.progress_user = s;
  return options;
}

/* TAO's tolerances and limits, where -tao_lrgd_... says nothing else.  TAO's
 * usual gradient of 1e-8 is below what differences of residuals can show: it
 * holds for them only where the program or the user asks for it. */
static lrgd_options options_for(session *s)
{
  Tao tao = s->tao;
  lrgd_options options = ((TAO_LRGD *)tao->data)->options;
  if (s->alone && !tao->gatol_changed) return with_progress(s, options);
  if (options.tol == LRGD_UNSET_REAL && tao->gatol > 0)
    options.tol = tao->gatol;
  else if (options.tol == LRGD_UNSET_REAL && s->given)
    options.tol = DBL_MIN; /* -tao_gatol 0: the other tests are TAO's */
  return with_progress(s, options);
}

/* The run in lrgd, on slices. */
static lrgd_status run_in_space(session *s, const lrgd_options *options,
                                lrgd_result *result, lrgd_error *error)
{
  lrgd_space_problem problem = lrgd_space_problem_default(s->space);
  lrgd_status status;
  problem.box = s->box;
  problem.user = s;
  if (s->given)
    problem.gradient = gradient;
  else
    problem.value = value;
  status = lrgd_solver_create_in(&s->solver, &problem, options, error);
  if (status != LRGD_OK) return status;
  return lrgd_solver_solve_in(s->solver, (lrgd_vec){s->block, X}, result,
                              error);
}

/* The run in lrgd on residuals: one rank, whose slice is all of x. */
static lrgd_status run_residuals(session *s, const lrgd_options *options,
                                 lrgd_result *result, lrgd_error *error)
{
  double *x = lrgd_host_data((lrgd_vec){s->block, X});
  PetscInt p = 0;
  lrgd_status status;
  (void)VecGetLocalSize(s->at, &p);
  lrgd_problem problem = lrgd_problem_default((size_t)p);
  problem.user = s;
  problem.residuals = residuals;
  problem.residual_count = (size_t)s->residuals.m;
  if (s->box.lower.block) {
    problem.lower = lrgd_host_data(s->box.lower);
    problem.upper = lrgd_host_data(s->box.upper);
  }
  status = lrgd_solver_create(&s->solver, &problem, options, error);
  if (status != LRGD_OK) return status;
  return lrgd_solver_solve(s->solver, x, x, result, error);
}

static PetscErrorCode solve(session *s)
{
  Tao tao = s->tao;
  TAO_LRGD *lr = tao->data;
  lrgd_error error;
  lrgd_options options = options_for(s);
  lrgd_status status;
  PetscFunctionBegin;
  status = s->alone ? run_residuals(s, &options, &lr->result, &error)
                    : run_in_space(s, &options, &lr->result, &error);
  PetscCall(s->trouble);
  if (status != LRGD_OK) PetscCall(tao_refused(tao, &error));
  lr->traffic = lrgd_mpi_count(s->space);
  lr->ran = PETSC_TRUE;
  PetscCall(to_vec((lrgd_vec){s->block, X}, tao->solution));
  PetscCall(conclude(s, &lr->result));
  PetscFunctionReturn(0);
}

/* Where gradients are to be had.  Residuals on one rank need none: a model of
 * F learns from each of their values. */
static PetscErrorCode look_at_program(session *s)
{
  Tao tao = s->tao;
  PetscMPIInt ranks;
  PetscFunctionBegin;
  s->given = (PetscBool)(tao->ops->computegradient ||
                         tao->ops->computeobjectiveandgradient);
  s->squares = tao_has_residuals(tao);
  if (!s->squares) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)tao), &ranks));
  s->alone = (PetscBool)(ranks == 1);
  s->given =
      (PetscBool)(!s->alone && tao->ops->computeresidualjacobian != NULL);
  PetscCall(tao_residuals_begin(tao, &s->residuals));
  PetscFunctionReturn(0);
}

static PetscErrorCode TaoSolve_LRGD(Tao tao)
{
  session s = {.tao = tao, .lowest = INFINITY};
  PetscErrorCode error;
  PetscFunctionBegin;
  tao->reason = TAO_CONTINUE_ITERATING;
  PetscCall(VecDuplicate(tao->solution, &s.at));
  PetscCall(VecDuplicate(tao->solution, &s.slope));
  error = look_at_program(&s);
  if (!error) error = furnish(&s);
  if (!error) error = solve(&s);
  (void)lrgd_solver_destroy(&s.solver);
  if (s.space) s.space->ops->free(s.space, s.block);
  lrgd_space_destroy(&s.space);
  PetscCall(tao_residuals_end(&s.residuals));
  PetscCall(VecDestroy(&s.at));
  PetscCall(VecDestroy(&s.slope));
  PetscCall(error);
  PetscFunctionReturn(0);
}

/* ---- the type ---- */

static PetscErrorCode TaoSetUp_LRGD(Tao tao)
{
  PetscFunctionBegin;
  if (!tao->gradient) PetscCall(VecDuplicate(tao->solution, &tao->gradient));
  PetscFunctionReturn(0);
}

static PetscErrorCode TaoDestroy_LRGD(Tao tao)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(tao->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode TaoCreate_LRGD(Tao tao)
{
  TAO_LRGD *lr;
  PetscFunctionBegin;
  PetscCall(PetscNew(&lr));
  lr->options = lrgd_options_default();
  tao->data = lr;
  tao->ops->setup = TaoSetUp_LRGD;
  tao->ops->solve = TaoSolve_LRGD;
  tao->ops->view = tao_show;
  tao->ops->setfromoptions = tao_read_options;
  tao->ops->destroy = TaoDestroy_LRGD;
  /* differences take more than TAO's usual limits; -tao_max_... still count */
  if (!tao->max_it_changed) tao->max_it = PETSC_MAX_INT;
  if (!tao->max_funcs_changed) tao->max_funcs = PETSC_MAX_INT;
  PetscFunctionReturn(0);
}

PetscErrorCode TaoLRGDRegister(void)
{
  PetscFunctionBegin;
  PetscCall(TaoRegister(TAOLRGD, TaoCreate_LRGD));
  PetscFunctionReturn(0);
}

/* What PETSc looks for in a library named libtaolrgd. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_taolrgd(void);
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_taolrgd(void)
{
  PetscFunctionBegin;
  PetscCall(TaoLRGDRegister());
  PetscFunctionReturn(0);
}
