/* Prior information, as sparse rows. */
#include "oracle/known_rows.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/status.h"

#include <limits.h>
#include <string.h>

/* ---- checks ---- */

static lrgd_status check_row(const lrgd_prior *prior, size_t i, size_t p,
                             lrgd_error *error)
{
  double weight = prior->weight ? prior->weight[i] : 1;
  if (prior->begin[i + 1] < prior->begin[i])
    return lr_fail(error, LRGD_ERR_INVALID,
                   "prior: row %zu ends at entry %zu, before it begins at %zu",
                   i + 1, prior->begin[i + 1], prior->begin[i]);
  if (!lr_finite(prior->target[i]) || !(weight >= 0) || !lr_finite(weight))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "prior: row %zu has the value %g and the weight %g; they "
                   "must be finite, and the weight >= 0",
                   i + 1, prior->target[i], weight);
  for (size_t e = prior->begin[i]; e < prior->begin[i + 1]; e++)
    if (prior->input[e] >= p || !lr_finite(prior->coefficient[e]))
      return lr_fail(error, LRGD_ERR_INVALID,
                     "prior: row %zu has the coefficient %g for input %zu of "
                     "%zu (the first is 1)",
                     i + 1, prior->coefficient[e], prior->input[e] + 1, p);
  return LRGD_OK;
}

lrgd_status lr_known_rows_check(const lrgd_prior *prior, size_t p,
                                lrgd_error *error)
{
  lrgd_status status = LRGD_OK;
  if (!prior) return LRGD_OK;
  if (prior->count > INT_MAX)
    return lr_fail(error, LRGD_ERR_INVALID, "prior: %zu rows; at most %d",
                   prior->count, INT_MAX);
  if (prior->count > 0 && (!prior->begin || !prior->target))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "prior: %zu rows without begin or target", prior->count);
  if (prior->count > 0 && prior->begin[0] != 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "prior: the first row begins at entry %zu, not at 0",
                   prior->begin[0]);
  bool empty = prior->count == 0 || prior->begin[prior->count] == 0;
  if (!empty && (!prior->input || !prior->coefficient))
    return lr_fail(error, LRGD_ERR_INVALID,
                   "prior: %zu rows without input or coefficient",
                   prior->count);
  for (size_t i = 0; i < prior->count && status == LRGD_OK; i++)
    status = check_row(prior, i, p, error);
  return status;
}

/* ---- creation and destruction ---- */

static void fill(lr_known_rows *rows, const lrgd_prior *prior)
{
  size_t q = rows->count, n = prior->begin[q];
  memcpy(rows->begin, prior->begin, (q + 1) * sizeof *rows->begin);
  if (n > 0) memcpy(rows->input, prior->input, n * sizeof *rows->input);
  for (size_t i = 0; i < q; i++) {
    double weight = prior->weight ? prior->weight[i] : 1;
    rows->target[i] = weight * prior->target[i];
    for (size_t e = prior->begin[i]; e < prior->begin[i + 1]; e++)
      rows->coefficient[e] = weight * prior->coefficient[e];
  }
}

lrgd_status lr_known_rows_init(lr_known_rows *rows, const lrgd_prior *prior,
                               size_t p, const lrgd_allocator *a)
{
  *rows = (lr_known_rows){.allocator = *a, .p = p};
  if (!prior || prior->count == 0) return LRGD_OK;
  size_t q = rows->count = prior->count, n = prior->begin[q];
  rows->begin = lr_alloc_raw(a, q + 1 + n, sizeof *rows->begin);
  rows->target = lr_alloc_raw(a, q + n, sizeof *rows->target);
  if (!rows->begin || !rows->target) {
    lr_known_rows_clear(rows);
    return LRGD_ERR_NOMEM;
  }
  rows->input = rows->begin + q + 1;
  rows->coefficient = rows->target + q;
  fill(rows, prior);
  return LRGD_OK;
}

void lr_known_rows_clear(lr_known_rows *rows)
{
  if (rows->count == 0) return;
  lr_free(&rows->allocator, rows->begin);
  lr_free(&rows->allocator, rows->target);
  *rows = (lr_known_rows){0};
}

/* ---- values ---- */

void lr_known_rows_at(const lr_known_rows *rows, const double *x, double *r)
{
  for (size_t i = 0; i < rows->count; i++) {
    double sum = 0;
    for (size_t e = rows->begin[i]; e < rows->begin[i + 1]; e++)
      sum += rows->coefficient[e] * x[rows->input[e]];
    r[i] = sum - rows->target[i];
  }
}

void lr_known_rows_along(const lr_known_rows *rows, const double *scale,
                         const double *u, double *y)
{
  for (size_t i = 0; i < rows->count; i++) {
    y[i] = 0;
    for (size_t e = rows->begin[i]; e < rows->begin[i + 1]; e++) {
      size_t j = rows->input[e];
      y[i] += rows->coefficient[e] * (scale ? scale[j] : 1) * u[j];
    }
  }
}

void lr_known_rows_back(const lr_known_rows *rows, const double *scale,
                        const double *r, double *g)
{
  memset(g, 0, rows->p * sizeof *g);
  for (size_t i = 0; i < rows->count; i++)
    for (size_t e = rows->begin[i]; e < rows->begin[i + 1]; e++)
      g[rows->input[e]] += rows->coefficient[e] * r[i];
  for (size_t i = 0; scale && i < rows->p; i++) g[i] *= scale[i];
}
