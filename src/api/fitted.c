/* Queries of a solver on residuals, after a run. */
#include "api/solver_state.h"

#include <math.h>
#include <string.h>

size_t lrgd_solver_residual_count(const lrgd_solver *solver)
{
  return lr_solver_valid(solver) ? solver->run.oracle.answers.residual_count
                                 : 0;
}

lrgd_status lrgd_solver_residuals(const lrgd_solver *solver, double *r)
{
  size_t m = lrgd_solver_residual_count(solver);
  if (m == 0 || !r) return LRGD_ERR_INVALID;
  const lr_answers *answers = &solver->run.oracle.answers;
  const lr_run_fitted *fitted = &solver->run.fitted;
  const double *lowest = answers->lowest_residuals(answers->self);
  if (fitted->F && fitted->f == solver->run.record.best_f) lowest = fitted->F;
  if (!lowest) return LRGD_ERR_INVALID;
  memcpy(r, lowest, m * sizeof *r);
  return LRGD_OK;
}

double lrgd_solver_violation(const lrgd_solver *solver)
{
  if (!lr_solver_valid(solver) || !lr_run_is_constrained(&solver->run))
    return NAN;
  return solver->run.limited.violation;
}

lrgd_status lrgd_solver_multipliers(const lrgd_solver *solver,
                                    double *multipliers)
{
  if (!lr_solver_valid(solver) || !multipliers) return LRGD_ERR_INVALID;
  const double *known = solver->run.limited.multipliers;
  if (!known) return LRGD_ERR_INVALID;
  memcpy(multipliers, known,
         solver->run.oracle.answers.outputs->m * sizeof *known);
  return LRGD_OK;
}

lrgd_status lrgd_solver_jacobian(const lrgd_solver *solver, double *J)
{
  if (!lr_solver_valid(solver) || !J) return LRGD_ERR_INVALID;
  const lr_run_fitted *fitted = &solver->run.fitted;
  if (!fitted->J || fitted->k != solver->run.U.k) return LRGD_ERR_INVALID;
  memcpy(J, fitted->J, fitted->m * fitted->k * sizeof *J);
  return LRGD_OK;
}
