/* Reads outputs and their limits from a journal. */
#include "recorded_outputs.h"

#include "cli/base/cli_text.h"
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the limits ---- */

static const double *recorded_numbers(const lrgd_journal *journal,
                                      const char *key, size_t *count)
{
  const lrgd_setting *setting = lrgd_journal_setting(journal, key);
  *count = setting != NULL && setting->numbers != NULL ? setting->count : 0;
  return *count > 0 ? setting->numbers : NULL;
}

lrgd_status recorded_limits(cli_outputs **outputs, const lrgd_journal *journal,
                            lrgd_error *error)
{
  size_t upper, cells;
  outputs_text from = {.names = recorded_text(journal, "answers"),
                       .objective = recorded_text(journal, "objective")};
  *outputs = NULL;
  from.lower = recorded_numbers(journal, "output_lower", &from.count);
  from.upper = recorded_numbers(journal, "output_upper", &upper);
  from.A = recorded_numbers(journal, "at_most", &cells);
  from.b = recorded_numbers(journal, "at_most_values", &from.rows);
  from.maximize = strcmp(recorded_text(journal, "maximize"), "yes") == 0;
  if (*from.names == '\0' || from.count == 0 || upper != from.count)
    /* the journal is of another program or of an earlier version */
    return LRGD_OK;
  if (from.rows > 0) from.p = cells / from.rows;
  if (from.rows * from.p != cells)
    return fail(error, LRGD_ERR_INVALID,
                "the journal's linear limits have %zu coefficients in %zu rows",
                cells, from.rows);
  return outputs_recall(outputs, &from, error);
}

/* ---- the evaluations ---- */

typedef struct reading {
  recorded_outputs *to;
  /* the last path of the journal, whose best evaluation is wanted */
  uint64_t path;
  double *scale; /* m numbers; NULL: no evaluation has an answer so far */
  double f;      /* f of the best evaluation so far */
  size_t room;
  bool lost; /* out of memory */
} reading;

/* Sets the scales as the solver has them: the larger limit by size, or the
 * first answer. */
static bool set_scale(reading *r, const double *y)
{
  const cli_outputs *o = r->to->of;
  r->scale = malloc(o->count * sizeof *r->scale);
  if (r->scale == NULL) return false;
  for (size_t i = 0; i < o->count; i++) {
    double low = isfinite(o->lower[i]) ? fabs(o->lower[i]) : 0;
    double high = isfinite(o->upper[i]) ? fabs(o->upper[i]) : 0;
    r->scale[i] = fmax(low, high);
    if (r->scale[i] == 0) r->scale[i] = y[i] != 0 ? fabs(y[i]) : 1;
  }
  return true;
}

static double violation_of(const reading *r, const double *y)
{
  const cli_outputs *o = r->to->of;
  double most = 0;
  for (size_t i = 0; i < o->count; i++) {
    double out = fmax(o->lower[i] - y[i], y[i] - o->upper[i]);
    most = fmax(most, out / r->scale[i]);
  }
  return most;
}

/* Returns whether f with this violation is better than the best so far. */
static bool is_better(const reading *r, double f, double violation)
{
  const recorded_outputs *to = r->to;
  bool met = violation <= LRGD_FEASIBLE;
  bool lower = to->of->limits.maximize ? f > r->f : f < r->f;
  if (to->best == 0) return true;
  if (met != (to->violation <= LRGD_FEASIBLE)) return met;
  if (met) return lower;
  return violation < to->violation || (violation == to->violation && lower);
}

static bool keep(reading *r, double violation)
{
  recorded_outputs *to = r->to;
  if (to->count == r->room) {
    size_t room = r->room == 0 ? 256 : 2 * r->room;
    double *more = realloc(to->violations, room * sizeof *more);
    if (more == NULL) return false;
    to->violations = more;
    r->room = room;
  }
  to->violations[to->count++] = violation;
  return true;
}

static bool take(reading *r, const lrgd_stored *row)
{
  recorded_outputs *to = r->to;
  size_t m = to->of->count;
  if (row->residual_count != m || isnan(row->f)) return keep(r, NAN);
  const double *y = row->residuals;
  if (r->scale == NULL && !set_scale(r, y)) return false;
  double violation = violation_of(r, y), f = y[to->of->limits.objective];
  if (!keep(r, violation)) return false;
  if (row->path != r->path || !is_better(r, f, violation)) return true;
  to->best = row->sequence;
  to->violation = violation;
  r->f = f;
  memcpy(to->y, y, m * sizeof *y);
  return true;
}

static int take_row(const lrgd_stored *row, void *user)
{
  reading *r = user;
  r->lost = !take(r, row);
  return r->lost;
}

/* Takes the multipliers of the last models; a run that goes on, or was killed,
 * has none. */
static lrgd_status take_multipliers(recorded_outputs *outputs,
                                    const lrgd_journal *journal,
                                    const lrgd_journal_summary *summary,
                                    lrgd_error *error)
{
  size_t count;
  const double *kept =
      recorded_numbers(journal, LRGD_SETTING_MULTIPLIERS, &count);
  if (kept == NULL || count != outputs->of->count ||
      summary->outcome[0] == '\0')
    return LRGD_OK;
  outputs->multipliers = malloc(count * sizeof *kept);
  if (outputs->multipliers == NULL) return fail_memory(error);
  memcpy(outputs->multipliers, kept, count * sizeof *kept);
  return LRGD_OK;
}

lrgd_status recorded_outputs_read(recorded_outputs *outputs,
                                  lrgd_journal *journal, lrgd_error *error)
{
  *outputs = (struct recorded_outputs){.violation = NAN};
  lrgd_journal_summary summary;
  lrgd_status status = recorded_limits(&outputs->of, journal, error);
  if (status == LRGD_OK)
    status = lrgd_journal_summarize(journal, &summary, error);
  if (status != LRGD_OK || outputs->of == NULL) return status;
  outputs->y = malloc(outputs->of->count * sizeof *outputs->y);
  if (outputs->y == NULL) return fail_memory(error);
  reading r = {.to = outputs, .path = summary.paths};
  status = lrgd_journal_each(journal, 1, UINT64_MAX, take_row, &r, error);
  free(r.scale);
  if (status == LRGD_OK && r.lost) return fail_memory(error);
  return status == LRGD_OK ? take_multipliers(outputs, journal, &summary, error)
                           : status;
}

void recorded_outputs_free(recorded_outputs *outputs)
{
  outputs_destroy(&outputs->of);
  free(outputs->y);
  free(outputs->multipliers);
  free(outputs->violations);
  *outputs = (struct recorded_outputs){.violation = NAN};
}
