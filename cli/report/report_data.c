/* Reads the data of a report from the journal's rows and settings. */
#include "report_data.h"

#include "cli/run/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool numbers_add(cli_numbers *numbers, double number)
{
  if (numbers->count == numbers->room) {
    size_t room = numbers->room == 0 ? 256 : 2 * numbers->room;
    double *grown = realloc(numbers->at, room * sizeof *grown);
    if (grown == NULL) return false;
    numbers->at = grown;
    numbers->room = room;
  }
  numbers->at[numbers->count++] = number;
  return true;
}

/* ---- rows ---- */

/* The first line of a recorded failure; the rest is the program's stderr. */
static char *cause_of(const char *why)
{
  if (why == NULL || *why == '\0') return strdup("the answer was not finite");
  return strndup(why, strcspn(why, "\n"));
}

static bool count_cause(report_rows *rows, const lrgd_journal_row *row)
{
  char *line = cause_of(row->why);
  if (line == NULL) return false;
  size_t i = 0;
  while (i < rows->cause_count && strcmp(rows->causes[i].line, line) != 0) i++;
  if (i == REPORT_CAUSES) {
    rows->other_causes++;
    free(line);
    return true;
  }
  report_cause *cause = &rows->causes[i];
  if (i == rows->cause_count) {
    *cause = (report_cause){.line = line, .first = row->sequence};
    rows->cause_count++;
  } else {
    free(line);
  }
  cause->count++;
  cause->last = row->sequence;
  return true;
}

static bool keep_failure(report_rows *rows, const lrgd_journal_row *row)
{
  if (rows->failure_count == REPORT_FAILURES) return true;
  char *why = strdup(row->why != NULL ? row->why : "the answer was not finite");
  if (why == NULL) return false;
  rows->failures[rows->failure_count++] = (report_failure){row->sequence, why};
  return true;
}

typedef struct reading {
  report_rows *rows;
  bool lost; /* out of memory */
} reading;

static int take_row(const lrgd_journal_row *row, void *user)
{
  reading *to = user;
  report_rows *rows = to->rows;
  bool good = numbers_add(&rows->sequence, (double)row->sequence) &&
              numbers_add(&rows->f, isfinite(row->f) ? row->f : NAN);
  rows->kinds[row->kind]++;
  if (row->seconds > 0) rows->seconds += row->seconds;
  if (good && !isfinite(row->f))
    good = count_cause(rows, row) && keep_failure(rows, row);
  to->lost = !good;
  return to->lost;
}

static lrgd_status read_rows(report_data *data, lrgd_error *error)
{
  reading to = {.rows = &data->rows};
  lrgd_status status =
      lrgd_journal_rows(data->journal, 1, take_row, &to, error);
  return status == LRGD_OK && to.lost ? fail_memory(error) : status;
}

static void free_rows(report_rows *rows)
{
  free(rows->sequence.at);
  free(rows->f.at);
  for (size_t i = 0; i < rows->cause_count; i++) free(rows->causes[i].line);
  for (size_t i = 0; i < rows->failure_count; i++) free(rows->failures[i].why);
}

/* ---- settings ---- */

static bool is_finite(const double *bound, size_t i)
{
  return bound != NULL && isfinite(bound[i]);
}

/* Computes half the width of each input's box, if every input has one and none
 * is scaled already. */
static lrgd_status find_width(report_data *data, lrgd_error *error)
{
  const cli_inputs *inputs = &data->inputs;
  bool all = data->p > 0 && !data->scaled;
  for (size_t i = 0; i < data->p; i++) {
    bool lower = is_finite(inputs->lower, i),
         upper = is_finite(inputs->upper, i);
    data->bounded = data->bounded || lower || upper;
    all = all && lower && upper && inputs->upper[i] > inputs->lower[i];
  }
  if (!all) return LRGD_OK;
  data->width = malloc(data->p * sizeof *data->width);
  if (data->width == NULL) return fail_memory(error);
  for (size_t i = 0; i < data->p; i++)
    data->width[i] = 0.5 * (inputs->upper[i] - inputs->lower[i]);
  return LRGD_OK;
}

/* Reads the settings.  A journal of another program has none of these, and is
 * shown without inputs. */
static lrgd_status read_settings(report_data *data, lrgd_error *error)
{
  lrgd_error reason = {.text = ""};
  report_path *path = &data->path;
  lrgd_status status = recorded_options(data->journal, &data->options, &reason);
  if (status == LRGD_OK)
    status = recorded_inputs(data->journal, data->p, &data->inputs, &reason);
  if (status == LRGD_ERR_NOMEM) return fail_memory(error);
  data->has_inputs = status == LRGD_OK;
  if (!data->has_inputs) {
    memcpy(path->why_not, reason.text, sizeof path->why_not);
    data->options = lrgd_options_default();
    return LRGD_OK;
  }
  data->scaled = data->inputs.scale != NULL || data->inputs.log_count > 0;
  data->differences =
      data->rows.kinds[LRGD_KIND_SLOPES] == 0 &&
      data->rows.kinds[LRGD_KIND_GRADIENTS] == 0 &&
      strcmp(recorded_text(data->journal, "oracle"), "complex") != 0;
  return find_width(data, error);
}

/* ---- the best point ---- */

/* Finds the lowest point of the journal, if the replay has none. */
static lrgd_status find_best(report_data *data, lrgd_error *error)
{
  const lrgd_journal_summary *summary = &data->summary;
  if (data->x != NULL) return LRGD_OK;
  data->f = summary->best_f;
  if (summary->best_sequence == 0 || isnan(summary->best_f)) return LRGD_OK;
  data->x = malloc(data->p * sizeof *data->x);
  if (data->x == NULL) return fail_memory(error);
  return lrgd_journal_point(data->journal, summary->best_sequence, data->x,
                            error);
}

bool report_is_limited(const report_data *data)
{
  return data->outputs.of != NULL;
}

/* Reads outputs: where there are limits, the best point is not the lowest. */
static lrgd_status read_outputs(report_data *data, lrgd_error *error)
{
  recorded_outputs *outputs = &data->outputs;
  lrgd_status status = recorded_outputs_read(outputs, data->journal, error);
  if (status != LRGD_OK || outputs->of == NULL) return status;
  data->summary.best_sequence = outputs->best;
  data->summary.best_f =
      outputs->best > 0 ? outputs->y[outputs->of->limits.objective] : NAN;
  return LRGD_OK;
}

const char *report_state(const report_data *data)
{
  if (data->holder.in_use) return "running";
  const char *outcome = data->summary.outcome;
  return outcome[0] != '\0' ? outcome : "interrupted";
}

/* Whether the journal is not that of a run: a diagnosis has no solver, a
 * comparison has several. */
static bool is_no_run(report_data *data)
{
  data->compared = lrgd_journal_setting(data->journal, "comparison") != NULL;
  data->diagnosed = lrgd_journal_setting(data->journal, "diagnosis") != NULL;
  if (!data->diagnosed && !data->compared) return false;
  snprintf(data->path.why_not, sizeof data->path.why_not, "%s",
           data->compared
               ? "this is the journal of lrgd compare, which runs several "
                 "methods one after the other"
               : "this is the journal of lrgd diagnose, which samples f "
                 "and minimises nothing");
  return true;
}

/* Reads everything that rows and settings contain. */
static lrgd_status read_journal(report_data *data, const char *file,
                                lrgd_error *error)
{
  *data = (struct report_data){.file = file, .f = NAN};
  lrgd_status status = lrgd_journal_open_readonly(&data->journal, file, error);
  if (status == LRGD_OK)
    status = lrgd_journal_find_holder(file, &data->holder, error);
  if (status == LRGD_OK)
    status = lrgd_journal_summarize(data->journal, &data->summary, error);
  data->p = data->summary.dimension;
  if (status == LRGD_OK) status = read_rows(data, error);
  if (status == LRGD_OK) status = read_outputs(data, error);
  return status == LRGD_OK ? read_settings(data, error) : status;
}

static lrgd_status read_diagnosis(report_data *data, const char *file,
                                  lrgd_error *error)
{
  report_data of;
  lrgd_status status = read_journal(&of, file, error);
  if (status == LRGD_OK) status = report_study_of(data, &of, error);
  report_data_free(&of);
  return status;
}

lrgd_status report_data_read(report_data *data, const char *file,
                             const char *diagnosis, lrgd_error *error)
{
  lrgd_status status = read_journal(data, file, error);
  if (status == LRGD_OK && diagnosis != NULL)
    status = read_diagnosis(data, diagnosis, error);
  bool minimised = status == LRGD_OK && !is_no_run(data);
  if (minimised && data->has_inputs) status = report_replay(data, error);
  /* a run that cannot be replayed is shown from its rows */
  if (status == LRGD_OK && !minimised && diagnosis == NULL &&
      report_study_of(data, data, error) == LRGD_ERR_NOMEM)
    status = LRGD_ERR_NOMEM;
  if (status == LRGD_OK) status = find_best(data, error);
  return status;
}

void report_data_free(report_data *data)
{
  lrgd_journal_close(&data->journal);
  uncertainty_destroy(&data->uncertainty);
  misfit_destroy(&data->misfit);
  recorded_outputs_free(&data->outputs);
  inputs_free(&data->inputs);
  free_rows(&data->rows);
  free(data->path.stands);
  free(data->path.phases);
  free(data->width);
  directions_free(&data->directions);
  free(data->first.at);
  free(data->second.at);
  free(data->value.at);
  free(data->x);
  *data = (struct report_data){0};
}
