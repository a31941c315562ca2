/* The evaluations of journals, in memory, as known evaluations for a solver. */
#include "journal_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most numbers of points and derivatives, 512 MiB; of more, the last are
 * kept, which are near a minimum. */
static const size_t most_numbers = (size_t)1 << 26;

struct lrgd_knowledge {
  size_t p, count, room;
  lrgd_evaluation *evaluations;
  double **owned;    /* one block for each: point, then direction, gradient or
                        residuals */
  size_t *residuals; /* number of residuals of each evaluation */
};

lrgd_status lrgd_knowledge_create(lrgd_knowledge **knowledge, size_t dimension,
                                  lrgd_error *error)
{
  if (!knowledge || dimension == 0)
    return lr_run_fail(error, LRGD_ERR_INVALID,
                       "knowledge is NULL or the dimension 0");
  *knowledge = calloc(1, sizeof **knowledge);
  if (!*knowledge) return lr_run_fail(error, LRGD_ERR_NOMEM, "out of memory");
  (*knowledge)->p = dimension;
  return LRGD_OK;
}

void lrgd_knowledge_destroy(lrgd_knowledge **knowledge)
{
  if (!knowledge || !*knowledge) return;
  for (size_t i = 0; i < (*knowledge)->count; i++) free((*knowledge)->owned[i]);
  free((*knowledge)->owned);
  free((*knowledge)->residuals);
  free((*knowledge)->evaluations);
  free(*knowledge);
  *knowledge = NULL;
}

static int grow(lrgd_knowledge *k)
{
  size_t room = k->room > 0 ? 2 * k->room : 64;
  lrgd_evaluation *more = realloc(k->evaluations, room * sizeof *more);
  if (more) k->evaluations = more;
  double **owned = more ? realloc(k->owned, room * sizeof *owned) : NULL;
  if (owned) k->owned = owned;
  size_t *counts = owned ? realloc(k->residuals, room * sizeof *counts) : NULL;
  if (counts) k->residuals = counts;
  if (counts) k->room = room;
  return counts != NULL;
}

/* One pass over a journal. */
typedef struct reader {
  lrgd_knowledge *into;
  int short_of; /* memory */
} reader;

/* Values at complex points are not values of f, and failures cannot be used by
 * a model. */
static int take(const lrgd_stored *stored, void *user)
{
  reader *r = user;
  lrgd_knowledge *k = r->into;
  size_t m = stored->residual_count;
  if ((isnan(stored->f) && m == 0) || stored->is_complex) return 0;
  const double *with = m > 0                                 ? NULL
                       : stored->kind == LRGD_KIND_GRADIENTS ? stored->d
                       : stored->kind == LRGD_KIND_SLOPES    ? stored->u
                                                             : NULL;
  double *x = malloc(((with ? 2 : 1) * k->p + m) * sizeof *x);
  r->short_of = !x || (k->count == k->room && !grow(k));
  if (r->short_of) {
    free(x);
    return 1;
  }
  lrgd_evaluation e = {.x = x, .f = stored->f};
  memcpy(x, stored->x, k->p * sizeof *x);
  if (with) memcpy(x + k->p, with, k->p * sizeof *x);
  if (with && stored->kind == LRGD_KIND_GRADIENTS) e.gradient = x + k->p;
  if (stored->kind == LRGD_KIND_SLOPES && with && stored->d) {
    e.direction = x + k->p;
    e.slope = stored->d[0];
  }
  if (m > 0) memcpy(x + k->p, stored->residuals, m * sizeof *x);
  k->residuals[k->count] = m;
  k->owned[k->count] = x;
  k->evaluations[k->count++] = e;
  return 0;
}

lrgd_status lrgd_knowledge_add(lrgd_knowledge *knowledge, lrgd_journal *journal,
                               uint64_t first, uint64_t last, lrgd_error *error)
{
  lrgd_journal_summary summary;
  if (!knowledge || !journal)
    return lr_run_fail(error, LRGD_ERR_INVALID, "knowledge or journal is NULL");
  lrgd_status status = lrgd_journal_summarize(journal, &summary, error);
  if (status) return status;
  if (summary.dimension != knowledge->p)
    return lr_run_fail(error, LRGD_ERR_REFUSED,
                       "the journal is of a function of %zu inputs, this one "
                       "has %zu",
                       summary.dimension, knowledge->p);
  uint64_t most = most_numbers / (2 * knowledge->p) + 2;
  reader r = {.into = knowledge};
  if (last > summary.rows) last = summary.rows;
  if (last > most && first < last - most + 1) first = last - most + 1;
  if (first <= last)
    status = lrgd_journal_each(journal, first, last, take, &r, error);
  if (!status && r.short_of)
    return lr_run_fail(error, LRGD_ERR_NOMEM,
                       "out of memory for %llu evaluations of %zu inputs",
                       (unsigned long long)last, knowledge->p);
  return status;
}

size_t lrgd_knowledge_count(const lrgd_knowledge *knowledge)
{
  return knowledge ? knowledge->count : 0;
}

const lrgd_evaluation *
lrgd_knowledge_evaluations(const lrgd_knowledge *knowledge)
{
  return knowledge ? knowledge->evaluations : NULL;
}

const double *lrgd_knowledge_residuals(const lrgd_knowledge *knowledge,
                                       size_t i, size_t *count)
{
  size_t m = knowledge && i < knowledge->count ? knowledge->residuals[i] : 0;
  if (count) *count = m;
  return m > 0 ? knowledge->owned[i] + knowledge->p : NULL;
}
