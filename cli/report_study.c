/* What a diagnosis knows of the function of a run: the study of its journal is
 * run again on the answers that it holds.  Where a run looked along random
 * directions only, nobody else can tell which inputs matter. */
#include "report_data.h"

#include "record.h"

#include <lrgd/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- is it of the same function? ---- */

static bool same(size_t p, const double *a, const double *b)
{
  if (a == NULL || b == NULL) return a == b;
  return memcmp(a, b, p * sizeof *a) == 0;
}

static lrgd_status compare(const report_data *run, const report_data *of,
                           lrgd_error *error)
{
  if (lrgd_journal_setting(of->journal, "diagnosis") == NULL)
    return fail(error, LRGD_ERR_INVALID,
                "%.300s is no journal of lrgd diagnose", of->file);
  if (run->p != of->p)
    return fail(error, LRGD_ERR_INVALID,
                "%.300s is about %zu inputs, the run has %zu", of->file, of->p,
                run->p);
  if (run->has_inputs && run->scaled)
    return fail(error, LRGD_ERR_INVALID,
                "the run is in variables of its own (--scale, --log), and a "
                "diagnosis is not");
  if (run->has_inputs && of->has_inputs &&
      (!same(run->p, run->inputs.lower, of->inputs.lower) ||
       !same(run->p, run->inputs.upper, of->inputs.upper)))
    return fail(error, LRGD_ERR_INVALID,
                "%.300s was made with other bounds than the run", of->file);
  return LRGD_OK;
}

/* ---- the study ---- */

static lrgd_study_options recorded_wishes(const report_data *of)
{
  lrgd_study_options want = lrgd_study_options_default();
  want.confidence = of->options.confidence;
  (void)sscanf(recorded_text(of->journal, "diagnosis"),
               "gradients=%zu held-out=%zu radius=%lf", &want.gradients,
               &want.held_out, &want.radius);
  return want;
}

/* The journal has no more answers: what is known so far is what it knew. */
static void on_end(lrgd_status status, void *study)
{
  (void)status;
  lrgd_study_stop(study);
}

static lrgd_status study_again(lrgd_study **study, const report_data *of,
                               lrgd_error *error)
{
  lrgd_problem problem = report_problem(of);
  lrgd_options options = of->options;
  options.max_seconds = LRGD_UNSET_REAL;
  lrgd_study_options want = recorded_wishes(of);
  lrgd_status status =
      lrgd_journal_wrap(of->journal, &problem, NULL, &problem, error);
  if (status == LRGD_OK)
    status = lrgd_study_open(study, &problem, &options, &want, of->inputs.start,
                             error);
  if (status != LRGD_OK) return status;
  lrgd_journal_on_fatal(of->journal, on_end, *study);
  status = lrgd_study_run(*study, error);
  lrgd_journal_on_fatal(of->journal, NULL, NULL);
  if (status == LRGD_OK) status = lrgd_journal_status(of->journal, error);
  return status;
}

/* ---- what it found ---- */

static lrgd_status keep_directions(cli_directions *to, size_t p,
                                   const lrgd_study *study, lrgd_error *error)
{
  const lrgd_study_result *found = lrgd_study_get(study);
  size_t values = found->count, count = 0;
  if (values > DIRECTIONS_VALUES) values = DIRECTIONS_VALUES;
  while (count < values && count < DIRECTIONS_MOST &&
         found->spectrum[count] > found->tolerance * found->tolerance)
    count++;
  if (count == 0) return LRGD_OK;
  double *W = malloc(p * count * sizeof *W);
  if (W == NULL) return fail_memory(error);
  if (lrgd_study_directions(study, count, W) != LRGD_OK) {
    free(W);
    return LRGD_OK;
  }
  *to = (cli_directions){.source = DIRECTIONS_STUDY,
                         .seen = found->samples,
                         .count = count,
                         .W = W,
                         .values = values,
                         .misfit = NAN,
                         .gd_steps = NAN};
  memcpy(to->spectrum, found->spectrum, values * sizeof *found->spectrum);
  return LRGD_OK;
}

static lrgd_status keep_study(report_data *run, const report_data *of,
                              const lrgd_study *study, lrgd_error *error)
{
  const lrgd_study_result *found = lrgd_study_get(study);
  report_study *to = &run->study;
  to->known = true;
  to->evaluations = of->summary.rows;
  to->descent = found->predicted_calls[LRGD_PREDICT_GD];
  to->descent_floor = found->calls_floor[LRGD_PREDICT_GD];
  snprintf(to->file, sizeof to->file, "%s", of->file);
  snprintf(to->verdict, sizeof to->verdict, "%s", found->verdict);
  return keep_directions(&run->directions, run->p, study, error);
}

lrgd_status report_study_of(report_data *run, const report_data *of,
                            lrgd_error *error)
{
  lrgd_study *study = NULL;
  lrgd_status status = compare(run, of, error);
  if (status == LRGD_OK && !of->has_inputs)
    status = fail(error, LRGD_ERR_INVALID, "%s", of->path.why_not);
  if (status == LRGD_OK) status = study_again(&study, of, error);
  if (status == LRGD_OK) status = keep_study(run, of, study, error);
  lrgd_study_destroy(&study);
  return status;
}
