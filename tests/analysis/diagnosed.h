/* A diagnosis of a built-in problem. */
#ifndef DIAGNOSED_H
#define DIAGNOSED_H

#include <lrgd/analysis.h>

#include "check.h"
#include "make_problem.h"

/* A study of a built-in problem, asked for values only; NULL where it failed.
 */
static inline lrgd_diagnosis *study_of(const char *line, lr_problem **made,
                                       const lrgd_options *options,
                                       bool trial_runs)
{
  lrgd_error error = {LRGD_OK, ""};
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  lrgd_diagnosis *study = NULL;
  want.trial_runs = trial_runs;
  if (!check(make(made, line, &error) == LRGD_OK, "%s: %s", line, error.text))
    return NULL;
  lrgd_problem f = *lr_problem_callbacks(*made);
  f.gradient = NULL;
  f.slopes = NULL;
  f.complex_value = NULL;
  lrgd_status status = lrgd_diagnosis_create(&study, &f, options, &want,
                                             lr_problem_start(*made), &error);
  check(status == LRGD_OK, "%s: %s", line, error.text);
  return study;
}

static inline void done(lrgd_diagnosis **study, lr_problem **made)
{
  lrgd_diagnosis_destroy(study);
  lr_problem_destroy(made);
}

#endif
