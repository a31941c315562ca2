/* Records of an embedding, and the estimates computed from them. */
#include "auto/embedding_history.h"

#include <math.h>

static double mean_of_last(const double *ring, size_t window, uint64_t count)
{
  double sum = 0;
  size_t n = count < window ? (size_t)count : window;
  for (size_t i = 0; i < n; i++) sum += ring[i];
  return n > 0 ? sum / (double)n : 0;
}

/* ---- predictions ---- */

void lr_predictions_add(lr_predictions *s, bool right)
{
  s->right[s->count % LR_STEPS_KEPT] = right;
  s->sum += right;
  s->count++;
}

double lr_predictions_recent(const lr_predictions *s, double last)
{
  uint64_t window = lr_policy_entries(last, LR_STEPS_KEPT);
  uint64_t n = s->count < window ? s->count : window;
  double sum = 0;
  for (uint64_t i = 1; i <= n; i++)
    sum += s->right[(s->count - i) % LR_STEPS_KEPT];
  return n > 0 ? sum / (double)n : 0;
}

double lr_predictions_right(const lr_predictions *s)
{
  return s->count > 0 ? s->sum / (double)s->count : 0;
}

bool lr_predictions_quadratic(const lr_policy *P, const lr_predictions *s)
{
  if ((double)s->count < P->quadratic_least_steps) return false;
  return lr_predictions_right(s) >= P->quadratic_overall;
}

bool lr_predictions_curved(const lr_policy *P, const lr_predictions *s)
{
  return s->count > 0 && lr_predictions_right(s) < P->quadratic_overall;
}

bool lr_predictions_support_rank(const lr_policy *P, const lr_predictions *s)
{
  return lr_predictions_recent(s, P->wait_window) >= P->wait_predicted;
}

/* ---- columns ---- */

double lr_embedding_price(const lr_policy *P, double rank)
{
  /* k derivatives for each column, and a few values more */
  return 0.5 * rank * rank + P->embedding_price_per_rank * rank;
}

bool lr_columns_add(const lr_policy *P, lr_columns *c, size_t k, double p,
                    double unexplained)
{
  size_t window = lr_policy_entries(P->column_window, LR_WINDOW);
  c->unexplained[c->count % window] = unexplained;
  c->count++;
  double n = (double)(c->count < window ? c->count : window);
  double left = 1 - mean_of_last(c->unexplained, window, c->count);
  /* a mean over the last n columns is the share at k - n/2 columns */
  c->rank[k] = ((double)k - 0.5 * n) / fmax(left, P->rank_least_explained);
  bool high = (double)k >= P->rank_least_directions &&
              lr_embedding_price(P, c->rank[k]) > P->rank_highest_price * p;
  c->above = high ? c->above + 1 : 0;
  return c->above >= P->rank_estimates_in_a_row;
}

double lr_columns_unexplained(const lr_policy *P, const lr_columns *c)
{
  size_t window = lr_policy_entries(P->column_window, LR_WINDOW);
  uint64_t n = c->count;
  if (n < 2) return 1;
  double last = 0.5 * (c->unexplained[(n - 1) % window] +
                       c->unexplained[(n - 2) % window]);
  return fmax(last, P->span_unexplained);
}

double lr_columns_early_rank(const lr_policy *P, const lr_columns *c, size_t k)
{
  double r[LR_EARLY_KEPT]; /* in ascending order */
  size_t first = (size_t)P->early_rank_first;
  size_t n = lr_policy_entries(P->early_rank_estimates, LR_EARLY_KEPT);
  if (k < first + n) return 0;
  for (size_t i = 0; i < n; i++) {
    double x = c->rank[first + i];
    size_t j = i;
    for (; j > 0 && r[j - 1] > x; j--) r[j] = r[j - 1];
    r[j] = x;
  }
  return 0.5 * (r[(n - 1) / 2] + r[n / 2]);
}

/* ---- probes ---- */

void lr_outside_add(const lr_policy *P, lr_outside *o, size_t k, double p,
                    double derivative)
{
  size_t window = lr_policy_entries(P->probe_window, LR_WINDOW);
  o->squares[o->probes % window] = derivative * derivative;
  o->probes++;
  o->now = (p - (double)k) * mean_of_last(o->squares, window, o->probes);
  if ((double)o->probes != P->first_estimate_probes) return;
  o->reference = o->now;
  if (!(o->first > 0)) o->first = o->now; /* an earlier run may have set it */
}
