/* Compares the gradient that the user gives with values of f, where no step
 * decreases f.  Costs two values and a gradient, once in a run. */
#include "solver/gradient_check.h"

#include "base/finite.h"
#include "solver/solver_rules.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

/* Whether the user gives a gradient that can be compared, in coordinates
 * without a map. */
static bool has_gradient(const lr_run *run)
{
  const lr_oracle *o = &run->oracle;
  return o->answers.gradient && !o->plane && run->domain.k == 0 &&
         !run->options.verbatim;
}

/* f at x + t u; NaN where that leaves the box or cannot be evaluated. */
static lr_code value_at(lr_run *run, double t, lrgd_vec u, double *f)
{
  lrgd_space *space = run->space;
  lr_oracle *o = &run->oracle;
  lr_point beside = {.x = lr_run_work(run, LR_WORK_SEARCH)};
  *f = NAN;
  space->ops->axpy_into(space, beside.x, run->at.x, u, t);
  if (lr_oracle_boxed(o) && space->ops->clip(space, beside.x, o->box) > 0)
    return LR_GO;
  lr_oracle_rename(o, &beside);
  lr_code code = lr_oracle_value(o, &beside, LRGD_PURPOSE_CHECK);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  *f = beside.f;
  return LR_GO;
}

/* Two derivatives of f along the gradient: the one the user's gradient gives,
 * and the measured one; the latter is NaN where the two are consistent. */
static lr_code compare(lr_run *run, double *told, double *measured)
{
  lr_oracle *o = &run->oracle;
  lrgd_vec u = lr_run_work(run, LR_WORK_GRADIENT);
  double ahead, behind;
  *measured = NAN;
  lr_code code = lr_oracle_gradient(o, &run->at, u, LRGD_PURPOSE_CHECK, 0);
  if (code == LR_NOVALUE) return LR_GO;
  LR_TRY(code);
  if (!lr_normalise(run->space, u, told)) return LR_GO;
  double t = lr_solver_check_step(run->policy, o->seen.x_scale);
  LR_TRY(value_at(run, t, u, &ahead));
  LR_TRY(value_at(run, -t, u, &behind));
  double size = fmax(fabs(run->at.f), fmax(fabs(ahead), fabs(behind)));
  double error =
      lr_solver_check_error(run->policy, size, o->differences.noise, t);
  double up = (ahead - run->at.f) / t, down = (run->at.f - behind) / t;
  if (lr_solver_contradicts(run->policy, *told, up, down, error))
    *measured = 0.5 * (up + down);
  return LR_GO;
}

lr_code lr_run_no_decrease(lr_run *run, lrgd_decision why)
{
  double told = NAN, measured = NAN;
  if (has_gradient(run)) LR_TRY(compare(run, &told, &measured));
  if (lr_finite(measured))
    why = (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_CONTRADICTED,
                          .value = lr_run_told(run, measured),
                          .level = lr_run_told(run, told)};
  return lr_oracle_stall(&run->oracle, LRGD_STALL_NO_DECREASE, why);
}
