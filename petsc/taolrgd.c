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

/* What the type holds while it lives: the options, and how the last run
 * ended. */
typedef struct TAO_LRGD {
  lrgd_options options;
  lrgd_result result;
  lrgd_mpi_traffic traffic;
  PetscBool ran;
} TAO_LRGD;

/* A run. */
typedef struct session {
  Tao tao;
  lrgd_space *space;
  lrgd_block *block;
  lrgd_solver *solver;
  lrgd_box box;
  Vec at, slope;   /* what the program is shown */
  PetscBool given; /* gradients are */
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
  if (!error) error = TaoComputeObjective(s->tao, s->at, &f);
  return error ? failed(s, error) : f;
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
    error = TaoComputeObjectiveAndGradient(s->tao, s->at, &f, s->slope);
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

static PetscErrorCode refused(Tao tao, const lrgd_error *error)
{
  SETERRQ(PetscObjectComm((PetscObject)tao), PETSC_ERR_ARG_WRONG, "%s",
          error->text);
}

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

/* TAO's tolerances and limits, where -tao_lrgd_... says nothing else. */
static lrgd_options options_for(session *s)
{
  Tao tao = s->tao;
  lrgd_options options = ((TAO_LRGD *)tao->data)->options;
  if (options.tol == LRGD_UNSET_REAL && tao->gatol > 0)
    options.tol = tao->gatol;
  else if (options.tol == LRGD_UNSET_REAL && s->given)
    options.tol = DBL_MIN; /* -tao_gatol 0: the other tests are TAO's */
  if (options.max_evals == LRGD_UNSET && tao->max_funcs_changed &&
      tao->max_funcs > 0)
    options.max_evals = tao->max_funcs;
  options.progress = progress;
  options.progress_user = s;
  return options;
}

static PetscErrorCode solve(session *s)
{
  Tao tao = s->tao;
  TAO_LRGD *lr = tao->data;
  lrgd_error error;
  lrgd_vec x = {s->block, X};
  lrgd_options options = options_for(s);
  lrgd_space_problem problem = lrgd_space_problem_default(s->space);
  problem.box = s->box;
  problem.user = s;
  PetscFunctionBegin;
  if (s->given)
    problem.gradient = gradient;
  else
    problem.value = value;
  if (lrgd_solver_create_in(&s->solver, &problem, &options, &error) != LRGD_OK)
    PetscCall(refused(tao, &error));
  lrgd_status status = lrgd_solver_solve_in(s->solver, x, &lr->result, &error);
  PetscCall(s->trouble);
  if (status != LRGD_OK) PetscCall(refused(tao, &error));
  lr->traffic = lrgd_mpi_count(s->space);
  lr->ran = PETSC_TRUE;
  PetscCall(to_vec(x, tao->solution));
  PetscCall(conclude(s, &lr->result));
  PetscFunctionReturn(0);
}

static PetscErrorCode TaoSolve_LRGD(Tao tao)
{
  session s = {.tao = tao, .lowest = INFINITY};
  PetscErrorCode error;
  PetscFunctionBegin;
  s.given = (PetscBool)(tao->ops->computegradient ||
                        tao->ops->computeobjectiveandgradient);
  tao->reason = TAO_CONTINUE_ITERATING;
  PetscCall(VecDuplicate(tao->solution, &s.at));
  PetscCall(VecDuplicate(tao->solution, &s.slope));
  error = furnish(&s);
  if (!error) error = solve(&s);
  (void)lrgd_solver_destroy(&s.solver);
  if (s.space) s.space->ops->free(s.space, s.block);
  lrgd_space_destroy(&s.space);
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

/* -tao_lrgd_NAME for every row of the table. */
static PetscErrorCode
TaoSetFromOptions_LRGD(Tao tao, PetscOptionItems *PetscOptionsObject)
{
  TAO_LRGD *lr = tao->data;
  char flag[64], text[128], given[128];
  lrgd_error error;
  PetscBool set;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject,
                        "lrgd: few directions, found by itself");
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const lrgd_option *row = lrgd_option_at(i);
    PetscCall(PetscSNPrintf(flag, sizeof flag, "-tao_lrgd_%s", row->name));
    if (lrgd_options_get(&lr->options, row->name, text, sizeof text)) continue;
    PetscCall(PetscOptionsString(flag, row->help, "TaoLRGDRegister", text,
                                 given, sizeof given, &set));
    if (set && lrgd_options_set(&lr->options, row->name, given, &error))
      PetscCall(refused(tao, &error));
  }
  PetscOptionsHeadEnd();
  PetscFunctionReturn(0);
}

/* What was set, and what the last run cost. */
static PetscErrorCode TaoView_LRGD(Tao tao, PetscViewer viewer)
{
  const TAO_LRGD *lr = tao->data;
  lrgd_options plain = lrgd_options_default();
  char text[128], usual[128];
  PetscBool ascii;
  PetscFunctionBegin;
  PetscCall(
      PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  for (size_t i = 0; i < lrgd_option_count(); i++) {
    const char *name = lrgd_option_at(i)->name;
    if (lrgd_options_get(&lr->options, name, text, sizeof text) ||
        lrgd_options_get(&plain, name, usual, sizeof usual))
      continue;
    if (strcmp(name, "method") == 0 || strcmp(text, usual) != 0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n", name, text));
  }
  if (!lr->ran) PetscFunctionReturn(0);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n",
                                   lrgd_outcome_text(lr->result.outcome),
                                   lr->result.message));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  directions: %zu, evaluations: %" PRIu64 "\n", lr->result.rank,
      lrgd_counts_evaluations(&lr->result.counts)));
  if (lr->result.certificate.valid)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  |gradient| <= %g with confidence %g\n",
                                     lr->result.certificate.grad_norm_bound,
                                     lr->result.certificate.confidence));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  sent by each rank: %" PRIu64
                                   " reductions, %" PRIu64 " bytes\n",
                                   lr->traffic.reductions, lr->traffic.bytes));
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
  tao->ops->view = TaoView_LRGD;
  tao->ops->setfromoptions = TaoSetFromOptions_LRGD;
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
