/* Questions about the state of a diagnosis: is f noisy, what budget is left,
 * which problem is evaluated? */
#include "analysis/diagnosis_state.h"

#include <float.h>
#include <math.h>

/* Whether noise is more than so many roundings of f: every function has those,
 * and they matter only where the tolerance cannot be reached. */
bool lr_diagnosis_noisy(const lrgd_diagnosis *s)
{
  lr_oracle quiet = s->standalone.oracle; /* read only */
  quiet.differences.noise = 0;
  if (quiet.answers.gradient || quiet.answers.slopes) return false;
  double rounding = fmax(lr_oracle_level(&quiet, s->centre.f),
                         DBL_EPSILON * (s->highest - s->lowest));
  return lr_diagnosis_noise_matters(s->standalone.oracle.policy,
                                    s->result.noise, rounding);
}

/* Evaluations left of the user's budget.  The budget ends trial runs and
 * decides nothing else, so that a diagnosis resumed with a larger budget
 * repeats the same evaluations first. */
uint64_t lr_diagnosis_budget(const lrgd_diagnosis *s)
{
  int64_t most = s->standalone.options.max_evals;
  uint64_t paid = s->result.evaluations;
  if (most == LRGD_UNSET) return UINT64_MAX >> 1;
  return (uint64_t)most > paid ? (uint64_t)most - paid : 0;
}

const lrgd_problem *lr_diagnosis_asked(const lrgd_diagnosis *s)
{
  return s->scaled ? lrgd_composite_problem(s->scaled) : &s->given.problem;
}

lrgd_status lrgd_diagnosis_ridge(const lrgd_diagnosis *study, size_t r,
                                 lrgd_composite **sigma, lrgd_error *error)
{
  if (!study || !sigma || r == 0 || r > study->spectrum.U.k)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "%zu directions asked for, %zu are "
                   "known",
                   r, study ? study->spectrum.U.k : 0);
  return lrgd_composite_reduce(
      sigma, lr_diagnosis_asked(study), study->x0, r,
      lr_standalone_oracle_data(study->spectrum.U.block, 0), error);
}
