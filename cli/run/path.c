/* Continues a journal as a new path: its start, and its settings. */
#include "path.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The best stored point so far. */
typedef struct choice {
  const lrgd_problem *problem;
  double *x; /* p numbers */
  double f;  /* NaN: none yet */
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

/* Within the bounds comes first, then f. */
static int consider(const lrgd_stored *stored, void *user)
{
  choice *best = user;
  best->known++;
  if (isnan(stored->f) || stored->is_complex) return 0;
  bool inside = is_inside(best->problem, stored->x);
  if (best->inside && !inside) return 0;
  if (inside == best->inside && stored->f >= best->f) return 0;
  memcpy(best->x, stored->x, stored->p * sizeof *best->x);
  best->f = stored->f;
  best->inside = inside;
  return 0;
}

lrgd_status learn_stored(lrgd_journal *journal, cli_subject *subject,
                         bool keep_start, uint64_t *known, lrgd_error *error)
{
  size_t p = subject->problem.dimension;
  choice best = {
      .problem = &subject->problem, .x = malloc(p * sizeof *best.x), .f = NAN};
  if (best.x == NULL) return fail_memory(error);
  lrgd_status status =
      lrgd_journal_each(journal, 1, UINT64_MAX, consider, &best, error);
  if (status == LRGD_OK && !keep_start && !isnan(best.f))
    memcpy(subject->inputs.start, best.x, p * sizeof *best.x);
  *known = best.known;
  free(best.x);
  return status;
}

lrgd_status path_begin(lrgd_journal *journal, cli_subject *subject,
                       const cli_flags *flags, cli_record *record,
                       const cli_learned *learned, const char *why,
                       lrgd_error *error)
{
  uint64_t known = 0;
  char count[TEXT_COUNT_SIZE];
  bool keep_start = flags_has(flags, FLAG_START);
  lrgd_status status =
      learn_stored(journal, subject, keep_start, &known, error);
  if (status != LRGD_OK) return status;
  record_free(record);
  status = record_make(record, flags, subject, error);
  if (status == LRGD_OK) learn_record(learned, record);
  if (status == LRGD_OK)
    status = lrgd_journal_begin_path(journal, record->settings, record->count,
                                     why, error);
  if (status == LRGD_OK)
    say("%s: going on as a new path that knows the %s evaluation%s stored", why,
        text_count(count, known), known == 1 ? "" : "s");
  return status;
}
