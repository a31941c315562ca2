/* Answers in which some residuals are missing (NaN).  Such a point has no f: it
 * is neither a base nor the best, so that all f are of the same sum.  The known
 * residuals update the model; the missing ones are assumed to be as predicted.
 * Certificates use complete answers alone. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/finite.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A huge number in place of a residual marks that it is missing. */
static bool is_there(const lr_least_squares *s, double y)
{
  return lr_finite(y) && !lr_ls_is_marker(s->policy, fabs(y));
}

/* Whether some of the measured residuals are known, and some are missing. */
static bool is_partial(const lr_least_squares *s, const double *y)
{
  size_t there = 0;
  for (size_t i = 0; i < s->M.n; i++) there += is_there(s, y[i]);
  return there > 0 && there < s->M.n;
}

void lr_ls_keep_side(lr_least_squares *s, int side, const double *y, bool *some)
{
  const lr_residual_model *M = &s->M;
  *some |= is_partial(s, y);
  if (side > 0) return;
  if (!s->sides)
    s->sides = lr_alloc(&s->run->allocator, M->m, sizeof *s->sides);
  if (s->sides) memcpy(s->sides, y, M->m * sizeof *y);
}

void lr_ls_put_sides_together(lr_least_squares *s, double *y)
{
  const lr_residual_model *M = &s->M;
  for (size_t i = 0; i < M->n; i++) {
    if (is_there(s, y[i])) continue;
    double other = s->sides ? s->sides[i] : M->F[i];
    y[i] = is_there(s, other) ? 2 * M->F[i] - other : M->F[i];
  }
  s->fresh = 0; /* not all of J was measured at this base */
}

void lr_ls_learn_partial(lr_least_squares *s, const double *y, double *e)
{
  lr_residual_model *M = &s->M;
  if (!is_partial(s, y)) return;
  for (size_t i = 0; i < M->m; i++)
    e[i] = i < M->n && is_there(s, y[i]) ? y[i] - e[i] : 0;
  lr_residual_model_learn(M, s->z, e, false);
  s->fresh = 0;
}
