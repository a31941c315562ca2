/* Calls of the user's callbacks: values, gradients and directional derivatives
 * are counted, checked, and evaluated again where they fail.  This file knows
 * neither subspaces, nor steps, nor methods. */
#include "oracle/asking.h"

#include "base/finite.h"
#include "space/vec.h"

#include <math.h>

/* Counts the rounds that n simultaneous evaluations take. */
static void count_rounds(lr_oracle *o, uint64_t n)
{
  o->counts.rounds += (n + o->width - 1) / o->width;
}

/* Whether f at x was evaluated in advance, in a batch, and counted then. */
static bool was_asked(lr_oracle *o, lrgd_vec x, double *f)
{
  return o->answers.take_ahead && o->answers.take_ahead(o->answers.self, x, f);
}

/* Evaluates f at x once. */
static lr_code attempt_value(lr_oracle *o, lrgd_vec x, lrgd_purpose why,
                             double *f)
{
  if (lr_oracle_take_foreseen(o, x, f))
    return lr_finite(*f) ? LR_GO : LR_NOVALUE;
  if (o->flight.count > 0) lr_oracle_drain(o);
  bool known = lr_asking_recalls(o, x, f);
  o->recalled += known;
  if (!known && !was_asked(o, x, f)) {
    LR_TRY(lr_oracle_afford(o, 1));
    lr_asking_count(o, LRGD_KIND_VALUES, why, 1);
    count_rounds(o, 1);
    if (o->answers.value)
      *f = o->answers.value(o->answers.self, x);
    else
      o->answers.values(o->answers.self, x, 1, f);
    LR_TRY(lr_asking_returned(o));
    if (lr_asking_take_back(o, LRGD_KIND_VALUES, why) > 0)
      return lr_oracle_end_stopped(o);
  }
  lr_asking_take_value(o, f);
  if (o->listener.hear && lr_finite(*f))
    o->listener.hear(o->listener.self, x, *f);
  return lr_asking_judge(o, x, *f, true);
}

/* Evaluates n planned points by the user's callback. */
static lr_code ask_ahead(lr_oracle *o, size_t n, lrgd_purpose why)
{
  LR_TRY(lr_oracle_afford(o, n));
  lr_asking_count(o, LRGD_KIND_VALUES, why, n);
  count_rounds(o, n);
  o->answers.ask_ahead(o->answers.self, (lrgd_vec){o->room.points, 0}, n);
  LR_TRY(lr_asking_returned(o));
  if (lr_asking_take_back(o, LRGD_KIND_VALUES, why) > 0)
    return lr_oracle_end_stopped(o);
  return LR_GO;
}

/* Evaluates f at x again where that failed, but not where the answer was a
 * sentinel. */
static lr_code retry_value(lr_oracle *o, lrgd_vec x, lrgd_purpose why,
                           double *f)
{
  lr_code code = LR_NOVALUE;
  int64_t left = o->options->retries;
  for (; left > 0 && code == LR_NOVALUE && !lr_finite(*f); left--)
    code = attempt_value(o, x, why, f);
  if (code == LR_NOVALUE) *f = NAN;
  return code;
}

static lr_code ask_value(lr_oracle *o, lrgd_vec x, lrgd_purpose why, double *f)
{
  lr_code code = attempt_value(o, x, why, f);
  return code == LR_NOVALUE ? retry_value(o, x, why, f) : code;
}

/* Evaluates m columns, none of whose values is known, in one batch. */
static lr_code ask_batch(lr_oracle *o, lrgd_vec X, size_t m, lrgd_purpose why,
                         double *f)
{
  if (o->flight.count > 0) lr_oracle_drain(o);
  lr_asking_count(o, LRGD_KIND_VALUES, why, m);
  count_rounds(o, m);
  o->answers.values(o->answers.self, X, m, f);
  LR_TRY(lr_asking_returned(o));
  uint64_t none = lr_asking_take_back(o, LRGD_KIND_VALUES, why);
  for (size_t i = 0; i < m; i++) {
    lrgd_vec x = {X.block, X.col + i};
    if (none > 0 && !lr_finite(f[i]))
      continue; /* an unanswered question ends the run */
    lr_asking_take_value(o, &f[i]);
    lr_code code = lr_asking_judge(o, x, f[i], true);
    if (o->listener.hear && lr_finite(f[i]))
      o->listener.hear(o->listener.self, x, f[i]);
    if (code == LR_NOVALUE) code = retry_value(o, x, why, &f[i]);
    if (code != LR_NOVALUE) LR_TRY(code);
  }
  return none > 0 ? lr_oracle_end_stopped(o) : LR_GO;
}

/* The number of columns, at most m, before the next one whose value is known or
 * that cannot be evaluated (f is NaN there). */
static size_t unknown(lr_oracle *o, lrgd_vec X, size_t m, const double *f)
{
  double known;
  size_t n = 0, at;
  while (n < m && !isnan(f[n]) &&
         !lr_oracle_foresaw(o, (lrgd_vec){X.block, X.col + n}, &at) &&
         !lr_asking_recalls(o, (lrgd_vec){X.block, X.col + n}, &known))
    n++;
  return n;
}

/* Maps and projects columns to the points where f is evaluated; f becomes NaN
 * where they cannot be evaluated. */
static void admit(lr_oracle *o, lrgd_vec X, size_t m, double *f)
{
  for (size_t i = 0; i < m; i++) {
    lrgd_vec x = {X.block, X.col + i};
    if (o->fold.lower.block) o->space->ops->map_to_box(o->space, x, x, o->fold);
    f[i] = lr_oracle_admit(o, x) ? 0 : NAN;
  }
}

/* Evaluates m columns, by batches where the user's callback accepts them. */
static lr_code ask_columns(lr_oracle *o, lrgd_vec X, size_t m, lrgd_purpose why,
                           double *f)
{
  for (size_t i = 0, n; i < m; i += n) {
    lrgd_vec x = {X.block, X.col + i};
    n = o->answers.values ? unknown(o, x, m - i, f + i) : 1;
    lr_code code = LR_NOVALUE;
    if (n > 1)
      code = ask_batch(o, x, n, why, f + i);
    else if (!isnan(f[i]))
      code = ask_value(o, x, why, &f[i]);
    if (n == 0) n = 1;
    if (code != LR_NOVALUE) LR_TRY(code);
  }
  return LR_GO;
}

lr_code lr_oracle_ask_values(lr_oracle *o, lrgd_vec X, size_t m,
                             lrgd_purpose why, double *f)
{
  uint64_t price = 0;
  admit(o, X, m, f);
  for (size_t i = 0, n; i < m; i += n + 1)
    price += n = unknown(o, (lrgd_vec){X.block, X.col + i}, m - i, f + i);
  LR_TRY(lr_oracle_afford(o, price));
  uint64_t before = o->counts.rounds;
  lr_code code = ask_columns(o, X, m, why, f);
  uint64_t single = o->counts.rounds - before;
  if (o->answers.values) return code;
  /* a callback for one point has been called for each in turn */
  o->counts.rounds = before;
  count_rounds(o, single);
  return code;
}

lr_code lr_oracle_around(lr_oracle *o, const lr_point *at, const double *h,
                         lrgd_purpose why, double *f)
{
  size_t p = o->space->dimension;
  size_t most = o->answers.values || o->width > 1 ? o->room.batch : 1;
  for (size_t first = 0, next = 0; first < p; first = next) {
    size_t m = 0;
    for (next = first; next < p && m < most; next++) {
      lrgd_vec y = {o->room.points, m};
      if (h[next] == 0) continue;
      o->space->ops->copy(o->space, y, at->x, 1);
      (void)o->space->ops->add_at(o->space, y, next, h[next]);
      if (lr_oracle_boxed(o)) (void)o->space->ops->clip(o->space, y, o->box);
      m++;
    }
    if (m == 0) continue;
    LR_TRY(lr_oracle_ask_values(o, (lrgd_vec){o->room.points, 0}, m, why,
                                o->room.values));
    for (size_t i = first, j = 0; i < next; i++)
      if (h[i] != 0) f[i] = o->room.values[j++];
  }
  return LR_GO;
}

lr_code lr_oracle_ask_planned(lr_oracle *o, lrgd_purpose why)
{
  size_t n = o->ahead.planned;
  uint64_t left = lr_oracle_left(o);
  o->room.finite.block = NULL; /* the point placed last was planned, too */
  if (n > left) n = (size_t)left;
  if (n < 2) return LR_GO; /* a single point needs no batch */
  if (!o->ahead.points) return ask_ahead(o, n, why);
  lrgd_vec X = {o->ahead.points, 0};
  LR_TRY(lr_oracle_ask_values(o, X, n, why, o->ahead.f));
  lr_oracle_foresee(o, n);
  return LR_GO;
}

/* ---- gradients and directional derivatives that the user gives ---- */

/* Keeps the value that came with a derivative. */
static void keep_value(lr_oracle *o, lr_point *at, double f)
{
  at->f = f;
  if (o->listener.hear) o->listener.hear(o->listener.self, at->x, f);
}

/* Evaluates the gradient at the point into column 1 of dir, unless it is there.
 */
lr_code lr_oracle_ask_gradient(lr_oracle *o, lr_point *at, lrgd_purpose why)
{
  lrgd_vec g = {o->room.dir, 1};
  if (o->kept.gradient_id == at->id) return LR_GO;
  if (!lr_oracle_admit(o, at->x)) return LR_NOVALUE;
  lr_code code = LR_NOVALUE;
  for (int64_t i = 0; i <= o->options->retries && code == LR_NOVALUE; i++) {
    double f, norm;
    LR_TRY(lr_oracle_afford(o, 1));
    lr_asking_count(o, LRGD_KIND_GRADIENTS, why, 1);
    count_rounds(o, 1);
    o->kept.gradient_id = 0;
    f = o->answers.gradient(o->answers.self, at->x, g);
    LR_TRY(lr_asking_returned(o));
    if (lr_asking_take_back(o, LRGD_KIND_GRADIENTS, why) > 0)
      return lr_oracle_end_stopped(o);
    lr_asking_take_value(o, &f);
    if (o->seen.unit != 1) o->space->ops->scale(o->space, g, o->seen.unit);
    code = lr_asking_judge(o, at->x, f,
                           o->space->ops->measure(o->space, g, &norm) != 0);
    if (code == LR_GO) keep_value(o, at, f);
  }
  if (code == LR_GO) o->kept.gradient_id = at->id;
  return code;
}

lr_code lr_oracle_ask_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                             lrgd_purpose why, double *d)
{
  lr_code code = LR_NOVALUE;
  if (!lr_oracle_admit(o, at->x)) return LR_NOVALUE;
  for (int64_t i = 0; i <= o->options->retries && code == LR_NOVALUE; i++) {
    LR_TRY(lr_oracle_afford(o, k));
    lr_asking_count(o, o->answers.slopes_kind, why, k);
    count_rounds(o, k);
    double f = o->answers.slopes(o->answers.self, at->x, U, k, d);
    LR_TRY(lr_asking_returned(o));
    if (lr_asking_take_back(o, o->answers.slopes_kind, why) > 0)
      return lr_oracle_end_stopped(o);
    lr_asking_take_value(o, &f);
    for (size_t j = 0; j < k; j++) d[j] = lr_oracle_own(o, d[j]);
    code = lr_asking_judge(o, at->x, f, lr_all_finite(d, k));
    if (code == LR_GO) keep_value(o, at, f);
  }
  return code;
}

lr_code lr_oracle_correlate(lr_oracle *o, const double *v, double *y)
{
  o->answers.correlate(o->answers.self, v, y);
  LR_TRY(lr_asking_returned(o));
  if (lr_all_finite(y, o->space->dimension)) return LR_GO;
  return lr_oracle_fault(o, LRGD_ERR_ORACLE,
                         "the correlate callback wrote a number that is not "
                         "finite");
}

/* ---- values for methods ---- */

lr_code lr_oracle_value(lr_oracle *o, lr_point *at, lrgd_purpose why)
{
  if (lr_finite(at->f)) return LR_GO;
  if (o->answers.value || o->answers.values) {
    lrgd_vec x = lr_oracle_shown(o, at->x);
    if (!lr_oracle_admit(o, x)) return LR_NOVALUE;
    LR_TRY(ask_value(o, x, why, &at->f));
    if (!o->forgiving || !lr_oracle_refuses(o, x, at->f)) return LR_GO;
    at->f = NAN;
    return LR_NOVALUE;
  }
  if (o->answers.gradient) return lr_oracle_ask_gradient(o, at, why);
  lrgd_vec u = {o->room.dir, 0};
  double d[2];
  if (o->differences.wanted.block) {
    LR_TRY(lr_oracle_ask_slopes(o, at, o->differences.wanted, 1, why, d));
    o->kept.wanted_slope = d[0];
    o->kept.wanted_id = at->id;
    return LR_GO;
  }
  o->space->ops->scale(o->space, u, 0);
  (void)o->space->ops->add_at(o->space, u, 0, 1);
  return lr_oracle_ask_slopes(o, at, u, 1, why, d);
}

void lr_oracle_reseed(lr_oracle *o, uint64_t n)
{
  /* an odd multiplier: different numbers of evaluations give different seeds */
  o->seed = (uint64_t)o->options->seed + n * UINT64_C(0x9e3779b97f4a7c15);
}

void lr_oracle_tell(lr_oracle *o, lr_point *at, double f, double first)
{
  at->f = f;
  o->seen.f_scale = fabs(first);
  lr_oracle_read_digits(o, first);
  lr_oracle_read_digits(o, f);
  if (o->listener.hear) o->listener.hear(o->listener.self, at->x, f);
}

bool lr_oracle_had_slope(lr_oracle *o, const lr_point *at, lrgd_purpose why,
                         double *d)
{
  if (o->kept.wanted_id != at->id) return false;
  *d = o->kept.wanted_slope;
  o->counts.oracle_calls[why]++;
  return true;
}
