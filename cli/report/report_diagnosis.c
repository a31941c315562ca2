/* Uses the diagnosis of a run's function: the diagnosis is replayed on its
 * journal.  Where a run has only derivatives along random directions, only a
 * diagnosis shows which inputs matter. */
#include "report_data.h"

#include "cli/run/record.h"
#include "cli/run/transform.h"

#include <lrgd/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- whether it is of the same function ---- */

static bool same(size_t p, const double *a, const double *b)
{
  if (a == NULL || b == NULL) return a == b;
  return memcmp(a, b, p * sizeof *a) == 0;
}

/* Whether the diagnosis used the same variables (--scale and --log), to which
 * its directions refer.  A journal without inputs is refused elsewhere. */
static bool same_variables(const report_data *run, const report_data *of)
{
  const cli_inputs *a = &run->inputs, *b = &of->inputs;
  if (!of->has_inputs) return true;
  if (!run->has_inputs) return !of->scaled;
  return same(run->p, a->scale, b->scale) && a->log_count == b->log_count &&
         (a->log_count == 0 || same(a->log_count, a->log, b->log));
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
  if (!same_variables(run, of))
    return fail(error, LRGD_ERR_INVALID,
                "%.300s was made in other variables (--scale, --log) than the "
                "run",
                of->file);
  if (run->has_inputs && of->has_inputs &&
      (!same(run->p, run->inputs.lower, of->inputs.lower) ||
       !same(run->p, run->inputs.upper, of->inputs.upper)))
    return fail(error, LRGD_ERR_INVALID,
                "%.300s was made with other bounds than the run", of->file);
  return LRGD_OK;
}

/* ---- the diagnosis ---- */

static lrgd_diagnosis_options recorded_wishes(const report_data *of)
{
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  want.confidence = of->options.confidence;
  (void)sscanf(recorded_text(of->journal, "diagnosis"),
               "gradients=%zu held-out=%zu radius=%lf", &want.gradients,
               &want.held_out, &want.radius);
  return want;
}

/* The journal has no more answers: stops the replay. */
static void on_end(lrgd_status status, void *study)
{
  (void)status;
  lrgd_diagnosis_stop(study);
}

/* The replay of a diagnosis. */
typedef struct again {
  const report_data *of;
  lrgd_variables *transform; /* NULL: none */
  lrgd_problem problem;      /* the problem in the diagnosis's variables */
  double *start;             /* the start in those variables */
  lrgd_diagnosis *study;
} again;

static lrgd_status prepare(again *a, lrgd_error *error)
{
  const report_data *of = a->of;
  a->problem = report_problem(of);
  a->start = malloc(of->p * sizeof *a->start);
  if (a->start == NULL) return fail_memory(error);
  memcpy(a->start, of->inputs.start, of->p * sizeof *a->start);
  lrgd_status status =
      transform_create(&a->transform, &of->inputs, &a->problem, error);
  if (status == LRGD_OK)
    status =
        lrgd_journal_wrap(of->journal, &a->problem, NULL, &a->problem, error);
  if (status != LRGD_OK || a->transform == NULL) return status;
  lrgd_variables_wrap(a->transform, &a->problem);
  lrgd_variables_into(a->transform, of->inputs.start, a->start);
  return LRGD_OK;
}

static lrgd_status study_again(again *a, lrgd_error *error)
{
  lrgd_journal *journal = a->of->journal;
  lrgd_options options = a->of->options;
  options.max_seconds = LRGD_UNSET_REAL;
  lrgd_diagnosis_options want = recorded_wishes(a->of);
  lrgd_status status = prepare(a, error);
  if (status == LRGD_OK)
    status = lrgd_diagnosis_open(&a->study, &a->problem, &options, &want,
                                 a->start, error);
  if (status != LRGD_OK) return status;
  lrgd_journal_on_fatal(journal, on_end, a->study);
  status = lrgd_diagnosis_run(a->study, error);
  lrgd_journal_on_fatal(journal, NULL, NULL);
  if (status == LRGD_OK) status = lrgd_journal_status(journal, error);
  return status;
}

/* ---- the findings ---- */

static lrgd_status keep_directions(cli_directions *to, size_t p,
                                   const lrgd_diagnosis *study,
                                   lrgd_error *error)
{
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  size_t values = found->count, count = 0;
  if (values > DIRECTIONS_VALUES) values = DIRECTIONS_VALUES;
  while (count < values && count < DIRECTIONS_MOST &&
         found->spectrum[count] > found->tolerance * found->tolerance)
    count++;
  if (count == 0) return LRGD_OK;
  double *W = malloc(p * count * sizeof *W);
  if (W == NULL) return fail_memory(error);
  if (lrgd_diagnosis_directions(study, count, W) != LRGD_OK) {
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

/* Computes half the width of each box in the diagnosis's variables, to which
 * its directions refer; without --scale and --log the run has them. */
static lrgd_status keep_width(report_data *run, const again *a,
                              lrgd_error *error)
{
  if (run->width != NULL || !lrgd_diagnosis_is_boxed(a->study)) return LRGD_OK;
  run->width = malloc(run->p * sizeof *run->width);
  if (run->width == NULL) return fail_memory(error);
  for (size_t i = 0; i < run->p; i++)
    run->width[i] = 0.5 * (a->problem.upper[i] - a->problem.lower[i]);
  return LRGD_OK;
}

static lrgd_status keep_study(report_data *run, const again *a,
                              lrgd_error *error)
{
  const report_data *of = a->of;
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(a->study);
  report_study *to = &run->study;
  to->known = true;
  to->evaluations = of->summary.rows;
  to->descent = found->predicted_calls[LRGD_PREDICTED_GD];
  to->descent_floor = found->calls_floor[LRGD_PREDICTED_GD];
  snprintf(to->file, sizeof to->file, "%s", of->file);
  snprintf(to->verdict, sizeof to->verdict, "%s", found->verdict);
  lrgd_status status = keep_width(run, a, error);
  if (status != LRGD_OK) return status;
  return keep_directions(&run->directions, run->p, a->study, error);
}

lrgd_status report_study_of(report_data *run, const report_data *of,
                            lrgd_error *error)
{
  again a = {.of = of};
  lrgd_status status = compare(run, of, error);
  if (status == LRGD_OK && !of->has_inputs)
    status = fail(error, LRGD_ERR_INVALID, "%s", of->path.why_not);
  if (status == LRGD_OK) status = study_again(&a, error);
  if (status == LRGD_OK) status = keep_study(run, &a, error);
  lrgd_diagnosis_destroy(&a.study);
  lrgd_variables_destroy(&a.transform);
  free(a.start);
  return status;
}
