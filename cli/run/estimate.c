/* Computes the uncertainty of a fit at the end of a session. */
#include "estimate.h"

/* directions above which the uncertainty is computed on request only, as a
 * decomposition of so many takes some ten seconds */
enum { MANY = 1000 };

lrgd_status estimate_uncertainty(fit_uncertainty **made, const cli_flags *flags,
                                 const cli_source *source,
                                 const cli_misfit *misfit, const cli_run *run,
                                 lrgd_error *error)
{
  uncertainty_source from = {
      .solver = run->solver,
      .inputs = &source->inputs,
      .lower = source->problem.lower,
      .upper = source->problem.upper,
      .x = run->x,
      .simulated = misfit != NULL ? misfit_simulated(misfit) : NULL,
      .f = run->result.f,
      .p = run->p};
  bool asked = flags_has(flags, FLAG_COVARIANCE) ||
               flags_has(flags, FLAG_JACOBIAN) ||
               source->inputs.observations.predictions != NULL;
  *made = NULL;
  if (!asked && lrgd_solver_basis_size(run->solver) > MANY) return LRGD_OK;
  lrgd_status status = uncertainty_create(made, &from, error);
  if (status != LRGD_OK || *made != NULL || !asked) return status;
  return fail(error, LRGD_ERR_INVALID,
              "there is no Jacobian, and so no covariance and no uncertainty "
              "of predictions: that takes residuals, method auto, and a start "
              "that can be evaluated");
}

lrgd_status save_uncertainty(const fit_uncertainty *u, const cli_flags *flags,
                             lrgd_error *error)
{
  const char *covariance = flags_text(flags, FLAG_COVARIANCE);
  const char *jacobian = flags_text(flags, FLAG_JACOBIAN);
  lrgd_status status = LRGD_OK;
  if (u != NULL && covariance != NULL)
    status = uncertainty_write_covariance(u, covariance, error);
  if (u != NULL && jacobian != NULL && status == LRGD_OK)
    status = uncertainty_write_jacobian(u, jacobian, error);
  return status;
}
