/* Continues a journal as a new path: its start, and its settings. */
#include "path.h"

#include "cli/base/cli_text.h"
#include "misfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The best stored point so far. */
typedef struct choice {
  const lrgd_problem *problem;
  cli_observations *observed; /* by which f is computed; NULL: as stored */
  const cli_prior *prior;     /* added to f; NULL: none */
  double *x;                  /* p numbers */
  double f;                   /* NaN: none yet */
  bool inside;
  uint64_t known;
} choice;

static bool is_inside(const lrgd_problem *problem, const double *x)
{
  for (size_t i = 0; i < problem->dimension; i++)
    if ((problem->lower != NULL && x[i] < problem->lower[i]) ||
        (problem->upper != NULL && x[i] > problem->upper[i]))
      return false;
  return true;
}

/* A point within the bounds is better than one outside; then the lower f is. */
static int consider(const lrgd_stored *stored, void *user)
{
  choice *best = user;
  best->known++;
  if (isnan(stored->f) || stored->is_complex) return 0;
  double f = stored->f;
  if (best->observed != NULL && stored->residual_count > 0)
    f = misfit_cost(stored->residual_count, stored->residuals, best->observed);
  f += prior_cost(best->prior, stored->x);
  bool inside = is_inside(best->problem, stored->x);
  if (best->inside && !inside) return 0;
  if (inside == best->inside && f >= best->f) return 0;
  memcpy(best->x, stored->x, stored->p * sizeof *best->x);
  best->f = f;
  best->inside = inside;
  return 0;
}

lrgd_status learn_stored(lrgd_journal *journal, cli_source *source,
                         bool keep_start, uint64_t *known, lrgd_error *error)
{
  size_t p = source->problem.dimension;
  choice best = {.problem = &source->problem,
                 .prior = &source->inputs.prior,
                 .x = malloc(p * sizeof *best.x),
                 .f = NAN};
  if (source->inputs.observations.count > 0)
    best.observed = &source->inputs.observations;
  if (best.x == NULL) return fail_memory(error);
  lrgd_status status =
      lrgd_journal_each(journal, 1, UINT64_MAX, consider, &best, error);
  if (status == LRGD_OK && !keep_start && !isnan(best.f))
    memcpy(source->inputs.start, best.x, p * sizeof *best.x);
  *known = best.known;
  free(best.x);
  return status;
}

static bool is_other(const lrgd_setting *stored, const double *numbers,
                     size_t count)
{
  return stored != NULL && stored->numbers != NULL &&
         (stored->count != count ||
          memcmp(stored->numbers, numbers, count * sizeof *numbers) != 0);
}

bool path_observes_otherwise(const lrgd_journal *journal,
                             const cli_source *source)
{
  const cli_observations *observed = &source->inputs.observations;
  if (observed->count == 0) return false;
  return is_other(lrgd_journal_setting(journal, "observations"),
                  observed->values, observed->count) ||
         is_other(lrgd_journal_setting(journal, "weights"), observed->weights,
                  observed->count);
}

lrgd_status path_begin(lrgd_journal *journal, cli_source *source,
                       const cli_flags *flags, cli_record *record,
                       const cli_learned *learned, const char *why,
                       lrgd_error *error)
{
  uint64_t known = 0;
  char count[TEXT_COUNT_SIZE];
  bool keep_start = flags_has(flags, FLAG_START);
  lrgd_status status = learn_stored(journal, source, keep_start, &known, error);
  if (status != LRGD_OK) return status;
  record_free(record);
  status = record_make(record, flags, source, error);
  if (status == LRGD_OK) learn_record(learned, record);
  cli_observations *observed = &source->inputs.observations;
  if (status == LRGD_OK)
    status = lrgd_journal_begin_path_valued(
        journal, record->settings, record->count, why,
        observed->count > 0 ? misfit_cost : NULL, observed, error);
  if (status == LRGD_OK && source->residuals)
    say("%s: going on as a new path, from %s", why,
        keep_start ? "the start given" : "the best point stored");
  else if (status == LRGD_OK)
    say("%s: going on as a new path that knows the %s evaluation%s stored", why,
        text_count(count, known), known == 1 ? "" : "s");
  return status;
}
