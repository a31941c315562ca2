/* Asking, counting, budget; and what the user gave, used in the cheapest way.
 * Known here: prices.  Not known: subspaces, steps, methods. */
#include "oracle/oracle.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "space/vec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double lr_oracle_seconds(const lr_oracle *o)
{
  return now() - o->start_time;
}

lrgd_status lr_oracle_init(lr_oracle *o, lrgd_space *space,
                           const lr_answers *answers,
                           const lrgd_options *options, const lrgd_allocator *a)
{
  *o = (lr_oracle){
      .space = space, .answers = *answers, .options = options, .allocator = *a};
  /* Batches are as large as 32 MiB of points allow, and never depend on how
   * many workers answer them: the path of a run must not.  Who answers one
   * point at a time needs no more room than for a pair. */
  bool many = answers->values || answers->slopes;
  size_t p = space->dimension, batch = many ? ((size_t)1 << 22) / p : 2;
  o->batch = batch < 2 ? 2 : batch > 256 ? 256 : batch;
  if (o->batch > 2 * p + 8) o->batch = 2 * p + 8;
  o->points = space->ops->make(space, o->batch);
  o->dir = space->ops->make(space, 4);
  o->values = lr_alloc(a, o->batch + 1, sizeof *o->values);
  o->steps = lr_alloc(a, o->batch, sizeof *o->steps);
  o->slopes = lr_alloc(a, o->batch, sizeof *o->slopes);
  bool all = o->points && o->dir && o->values && o->steps && o->slopes;
  return all ? LRGD_OK : LRGD_ERR_NOMEM;
}

void lr_oracle_clear(lr_oracle *o)
{
  if (!o->space) return;
  o->space->ops->free(o->space, o->points);
  o->space->ops->free(o->space, o->dir);
  lr_free(&o->allocator, o->values);
  lr_free(&o->allocator, o->steps);
  lr_free(&o->allocator, o->slopes);
  *o = (lr_oracle){0};
}

void lr_oracle_restart(lr_oracle *o, atomic_int *stop)
{
  o->counts = (lrgd_counts){0};
  o->recalled = 0;
  o->stop = stop;
  o->start_time = now();
  o->noise = 0;
  o->unit = 1;
  o->in_unit = false;
  o->f_scale = 0;
  o->x_scale = 0;
  o->digits = 0;
  o->low = INFINITY;
  o->high = -INFINITY;
  o->refusals = (lr_sentinel){.first = NAN, .number = NAN};
  o->cliffs = 0;
  o->gradient_id = o->scale_id = o->wanted_id = o->partial_id = 0;
  o->errors = (lr_errors){0};
  o->slope_noise = NAN;
  o->widen = 1;
  o->partial = NULL;
  o->wanted.block = NULL;
  o->fold = (lrgd_box){
      {NULL, 0},
      {NULL, 0}
  };
  o->two_sided = o->options->differences == LRGD_DIFFERENCES_CENTRAL;
  o->forgiving = o->doubted = o->incomplete = false;
  o->stretch = 1;
  o->next_id = 1;
  o->stall = LRGD_STALL_NONE;
  o->end = o->held = (lrgd_decision){.kind = LRGD_DECISION_KIND_NONE};
  (void)fegetenv(&o->fenv);
}

lr_difference_settings lr_oracle_difference_settings(const lr_oracle *o)
{
  return (lr_difference_settings){.noise = lr_oracle_users(o, o->noise),
                                  .stretch = o->stretch,
                                  .two_sided = o->two_sided,
                                  .doubted = o->doubted,
                                  .wanted = o->wanted};
}

void lr_oracle_set_differences(lr_oracle *o, const lr_difference_settings *b)
{
  o->noise = lr_oracle_own(o, b->noise);
  o->stretch = b->stretch;
  o->two_sided = b->two_sided;
  o->doubted = b->doubted;
  o->wanted = b->wanted;
}

void lr_oracle_show(lr_oracle *o, lrgd_vec y, lrgd_vec x)
{
  if (!o->fold.lower.block) {
    o->space->ops->copy(o->space, y, x, 1);
    return;
  }
  o->space->ops->map_to_box(o->space, y, x, o->fold);
  lr_oracle_contain(o, y); /* a bound may be too large to be folded at */
}

/* The point itself, or its folded image. */
static lrgd_vec seen(lr_oracle *o, lrgd_vec x)
{
  lrgd_vec y = {o->dir, 2};
  if (!o->fold.lower.block) return x;
  lr_oracle_show(o, y, x);
  return y;
}

void lr_oracle_rename(lr_oracle *o, lr_point *at)
{
  at->id = o->next_id++;
  at->f = NAN;
}

lr_code lr_oracle_end(lr_oracle *o, lrgd_outcome outcome, lrgd_decision end)
{
  o->outcome = outcome;
  o->stall = LRGD_STALL_NONE;
  o->end = end;
  o->held = (lrgd_decision){.kind = LRGD_DECISION_KIND_NONE};
  return LR_END;
}

lr_code lr_oracle_stall(lr_oracle *o, lrgd_stall reason, lrgd_decision end)
{
  (void)lr_oracle_end(o, LRGD_OUTCOME_STALLED, end);
  o->stall = reason;
  return LR_END;
}

lr_code lr_oracle_fault(lr_oracle *o, lrgd_status status, const char *format,
                        ...)
{
  va_list args;
  va_start(args, format);
  (void)vsnprintf(o->error.text, sizeof o->error.text, format, args);
  va_end(args);
  o->error.status = status;
  return LR_FAULT;
}

/* ---- may we ask, and what was answered ---- */

/* Where many processes share the run, one that sees a reason to end it ends it
 * for all. */
static bool any(const lr_oracle *o, bool mine)
{
  return LR_HAS(o->space, agree) ? o->space->ops->agree(o->space, mine) : mine;
}

static bool time_is_over(const lr_oracle *o)
{
  return lr_given(o->options->max_seconds) &&
         lr_oracle_seconds(o) > o->options->max_seconds;
}

static lr_code stopped(lr_oracle *o)
{
  return lr_oracle_end(o, LRGD_OUTCOME_STOPPED,
                       (lrgd_decision){.kind = LRGD_DECISION_KIND_STOPPED});
}

lr_code lr_oracle_afford(lr_oracle *o, uint64_t n)
{
  bool stop = atomic_load(o->stop) != 0, over = time_is_over(o);
  bool end = any(o, stop || over); /* and only then which of the two */
  if (end && any(o, stop)) return stopped(o);
  const lrgd_options *opt = o->options;
  uint64_t used = lrgd_counts_evaluations(&o->counts);
  if (opt->max_evals != LRGD_UNSET && used + n > (uint64_t)opt->max_evals)
    return lr_oracle_end(
        o, LRGD_OUTCOME_BUDGET,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_EVALUATIONS_USED,
                        .count = used,
                        .limit = (double)opt->max_evals,
                        .level = (double)n});
  if (end)
    return lr_oracle_end(
        o, LRGD_OUTCOME_BUDGET,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_SECONDS_USED,
                        .limit = opt->max_seconds});
  return LR_GO;
}

static void count(lr_oracle *o, lrgd_kind kind, lrgd_purpose why, uint64_t n)
{
  o->counts.evaluations[kind][why] += n;
}

/* After every callback: the run's floating-point environment again, and
 * whether the callback kept its contract. */
static lr_code returned(lr_oracle *o)
{
  (void)fesetenv(&o->fenv);
  const char *complaint = o->answers.complaint(o->answers.self);
  if (!complaint) return LR_GO;
  return lr_oracle_fault(o, LRGD_ERR_ORACLE, "%s", complaint);
}

/* Whether an answer is a value of f.  -Inf ends the run, anything else that is
 * not finite is a failure, which is counted; a refusal is one that is not. */
static lr_code judge(lr_oracle *o, lrgd_vec x, double f, bool finite)
{
  if (f == -INFINITY || lr_oracle_falls_for_ever(o, x, f))
    return lr_oracle_end(o, LRGD_OUTCOME_UNBOUNDED,
                         (lrgd_decision){.kind = LRGD_DECISION_KIND_UNBOUNDED,
                                         .value = lr_oracle_users(o, f)});
  if (finite && lr_finite(f)) {
    if (!(o->f_scale > 0)) o->f_scale = fabs(f);
    if (!(o->x_scale > 0)) o->x_scale = lr_scale_of(o->space, x);
    lr_oracle_read_digits(o, lr_oracle_users(o, f));
    o->refusals.same += f == o->refusals.first;
    if (!(f >= o->refusals.number)) return LR_GO;
    o->refusals.count++;
    return LR_NOVALUE;
  }
  if (any(o, atomic_load(o->stop) != 0)) /* it may be unanswered for that */
    return stopped(o);
  o->counts.failures++;
  int64_t most = o->options->max_failures;
  if (most != LRGD_UNSET && o->counts.failures > (uint64_t)most)
    return lr_oracle_end(
        o, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_FAILURES_USED,
                        .count = o->counts.failures,
                        .limit = (double)most});
  return LR_NOVALUE;
}

/* ---- values ---- */

static bool recalls(lr_oracle *o, lrgd_vec x, double *f)
{
  return o->recall && o->recall(o->self, x, f);
}

/* A value as the user gave it, into the unit of the run. */
static void take_value(lr_oracle *o, double *f)
{
  lr_oracle_choose_unit(o, *f);
  *f = lr_oracle_own(o, *f);
}

/* One attempt at the value of column 0 of x. */
static lr_code attempt_value(lr_oracle *o, lrgd_vec x, lrgd_purpose why,
                             double *f)
{
  bool known = recalls(o, x, f);
  o->recalled += known;
  if (!known) {
    LR_TRY(lr_oracle_afford(o, 1));
    count(o, LRGD_KIND_VALUES, why, 1);
    if (o->answers.value)
      *f = o->answers.value(o->answers.self, x);
    else
      o->answers.values(o->answers.self, x, 1, f);
    LR_TRY(returned(o));
  }
  take_value(o, f);
  if (o->hear && lr_finite(*f)) o->hear(o->self, x, *f);
  return judge(o, x, *f, true);
}

/* Asks again where the answer failed, but not where it was a refusal. */
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

/* The values of m columns that nobody knows, in one batch. */
static lr_code ask_batch(lr_oracle *o, lrgd_vec X, size_t m, lrgd_purpose why,
                         double *f)
{
  count(o, LRGD_KIND_VALUES, why, m);
  o->answers.values(o->answers.self, X, m, f);
  LR_TRY(returned(o));
  for (size_t i = 0; i < m; i++) {
    lrgd_vec x = {X.block, X.col + i};
    take_value(o, &f[i]);
    lr_code code = judge(o, x, f[i], true);
    if (o->hear && lr_finite(f[i])) o->hear(o->self, x, f[i]);
    if (code == LR_NOVALUE) code = retry_value(o, x, why, &f[i]);
    if (code != LR_NOVALUE) LR_TRY(code);
  }
  return LR_GO;
}

/* How many of m columns come before the next one whose value was paid for
 * before, or that cannot be asked for: f is NaN there. */
static size_t unknown(lr_oracle *o, lrgd_vec X, size_t m, const double *f)
{
  double known;
  size_t n = 0;
  while (n < m && !isnan(f[n]) &&
         !recalls(o, (lrgd_vec){X.block, X.col + n}, &known))
    n++;
  return n;
}

/* The columns as they will be asked; f becomes NaN where they cannot be. */
static void admit(lr_oracle *o, lrgd_vec X, size_t m, double *f)
{
  for (size_t i = 0; i < m; i++) {
    lrgd_vec x = {X.block, X.col + i};
    if (o->fold.lower.block) o->space->ops->map_to_box(o->space, x, x, o->fold);
    f[i] = lr_oracle_admit(o, x) ? 0 : NAN;
  }
}

lr_code lr_oracle_ask_values(lr_oracle *o, lrgd_vec X, size_t m,
                             lrgd_purpose why, double *f)
{
  uint64_t price = 0;
  admit(o, X, m, f);
  for (size_t i = 0, n; i < m; i += n + 1)
    price += n = unknown(o, (lrgd_vec){X.block, X.col + i}, m - i, f + i);
  LR_TRY(lr_oracle_afford(o, price));
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

lr_code lr_oracle_around(lr_oracle *o, const lr_point *at, const double *h,
                         lrgd_purpose why, double *f)
{
  size_t p = o->space->dimension, most = o->answers.values ? o->batch : 1;
  for (size_t first = 0, next = 0; first < p; first = next) {
    size_t m = 0;
    for (next = first; next < p && m < most; next++) {
      lrgd_vec y = {o->points, m};
      if (h[next] == 0) continue;
      o->space->ops->copy(o->space, y, at->x, 1);
      (void)o->space->ops->add_at(o->space, y, next, h[next]);
      if (lr_oracle_boxed(o)) (void)o->space->ops->clip(o->space, y, o->box);
      m++;
    }
    if (m == 0) continue;
    LR_TRY(
        lr_oracle_ask_values(o, (lrgd_vec){o->points, 0}, m, why, o->values));
    for (size_t i = first, j = 0; i < next; i++)
      if (h[i] != 0) f[i] = o->values[j++];
  }
  return LR_GO;
}

/* ---- gradients and slopes as the user gives them ---- */

/* A value came with them. */
static void keep_value(lr_oracle *o, lr_point *at, double f)
{
  at->f = f;
  if (o->hear) o->hear(o->self, at->x, f);
}

/* The gradient of the point into column 1 of dir, unless it is there. */
static lr_code ask_gradient(lr_oracle *o, lr_point *at, lrgd_purpose why)
{
  lrgd_vec g = {o->dir, 1};
  if (o->gradient_id == at->id) return LR_GO;
  if (!lr_oracle_admit(o, at->x)) return LR_NOVALUE;
  lr_code code = LR_NOVALUE;
  for (int64_t i = 0; i <= o->options->retries && code == LR_NOVALUE; i++) {
    double f, norm;
    LR_TRY(lr_oracle_afford(o, 1));
    count(o, LRGD_KIND_GRADIENTS, why, 1);
    o->gradient_id = 0;
    f = o->answers.gradient(o->answers.self, at->x, g);
    LR_TRY(returned(o));
    take_value(o, &f);
    if (o->unit != 1) o->space->ops->scale(o->space, g, o->unit);
    code = judge(o, at->x, f, o->space->ops->measure(o->space, g, &norm) != 0);
    if (code == LR_GO) keep_value(o, at, f);
  }
  if (code == LR_GO) o->gradient_id = at->id;
  return code;
}

static lr_code ask_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                          lrgd_purpose why, double *d)
{
  lr_code code = LR_NOVALUE;
  if (!lr_oracle_admit(o, at->x)) return LR_NOVALUE;
  for (int64_t i = 0; i <= o->options->retries && code == LR_NOVALUE; i++) {
    LR_TRY(lr_oracle_afford(o, k));
    count(o, o->answers.slopes_kind, why, k);
    double f = o->answers.slopes(o->answers.self, at->x, U, k, d);
    LR_TRY(returned(o));
    take_value(o, &f);
    for (size_t j = 0; j < k; j++) d[j] = lr_oracle_own(o, d[j]);
    code = judge(o, at->x, f, lr_all_finite(d, k));
    if (code == LR_GO) keep_value(o, at, f);
  }
  return code;
}

/* ---- what methods ask for ---- */

lr_code lr_oracle_value(lr_oracle *o, lr_point *at, lrgd_purpose why)
{
  if (lr_finite(at->f)) return LR_GO;
  if (o->answers.value || o->answers.values) {
    lrgd_vec x = seen(o, at->x);
    if (!lr_oracle_admit(o, x)) return LR_NOVALUE;
    LR_TRY(ask_value(o, x, why, &at->f));
    if (!o->forgiving || !lr_oracle_refuses(o, x, at->f)) return LR_GO;
    at->f = NAN;
    return LR_NOVALUE;
  }
  if (o->answers.gradient) return ask_gradient(o, at, why);
  lrgd_vec u = {o->dir, 0};
  double d[2];
  if (o->wanted.block) {
    LR_TRY(ask_slopes(o, at, o->wanted, 1, why, d));
    o->wanted_slope = d[0];
    o->wanted_id = at->id;
    return LR_GO;
  }
  o->space->ops->scale(o->space, u, 0);
  (void)o->space->ops->add_at(o->space, u, 0, 1);
  return ask_slopes(o, at, u, 1, why, d);
}

void lr_oracle_tell(lr_oracle *o, lr_point *at, double f, double first)
{
  at->f = f;
  o->f_scale = fabs(first);
  lr_oracle_read_digits(o, first);
  lr_oracle_read_digits(o, f);
  if (o->hear) o->hear(o->self, at->x, f);
}

bool lr_oracle_had_slope(lr_oracle *o, const lr_point *at, lrgd_purpose why,
                         double *d)
{
  if (o->wanted_id != at->id) return false;
  *d = o->wanted_slope;
  o->counts.oracle_calls[why]++;
  return true;
}

lr_code lr_oracle_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                         lrgd_purpose why, double *d)
{
  return lr_oracle_slopes_hinted(o, at, U, k, why, NULL, d);
}

lr_code lr_oracle_slopes_hinted(lr_oracle *o, lr_point *at, lrgd_vec U,
                                size_t k, lrgd_purpose why, const double *c,
                                double *d)
{
  if (k == 0) return LR_GO;
  if (o->answers.slopes) {
    LR_TRY(ask_slopes(o, at, U, k, why, d));
  } else if (o->answers.gradient) {
    LR_TRY(ask_gradient(o, at, why));
    o->space->ops->dot(o->space, U, k, (lrgd_vec){o->dir, 1}, d);
    if (!lr_all_finite(d, k)) return LR_NOVALUE;
  } else {
    LR_TRY(lr_oracle_differences(o, at, U, k, why, c, d));
  }
  o->counts.oracle_calls[why] += k;
  return LR_GO;
}

/* The gradient from p slopes along the coordinates, a batch at a time. */
static lr_code gradient_from_slopes(lr_oracle *o, lr_point *at, lrgd_vec g,
                                    lrgd_purpose why)
{
  size_t p = o->space->dimension;
  LR_TRY(lr_oracle_afford(o, p));
  for (size_t first = 0; first < p; first += o->batch) {
    size_t m = p - first < o->batch ? p - first : o->batch;
    for (size_t j = 0; j < m; j++) {
      lrgd_vec e = {o->points, j};
      o->space->ops->scale(o->space, e, 0);
      (void)o->space->ops->add_at(o->space, e, first + j, 1);
    }
    LR_TRY(ask_slopes(o, at, (lrgd_vec){o->points, 0}, m, why, o->values));
    o->space->ops->put(o->space, g, first, m, o->values);
  }
  return LR_GO;
}

lr_code lr_oracle_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c)
{
  double norm;
  if (o->answers.gradient) {
    LR_TRY(ask_gradient(o, at, why));
    o->space->ops->copy(o->space, g, (lrgd_vec){o->dir, 1}, 1);
  } else if (o->answers.slopes) {
    LR_TRY(gradient_from_slopes(o, at, g, why));
  } else {
    LR_TRY(lr_oracle_coordinate_differences(o, at, g, why, c));
  }
  o->counts.oracle_calls[why] += o->space->dimension;
  return o->space->ops->measure(o->space, g, &norm) ? LR_GO : LR_NOVALUE;
}

/* ---- counts ---- */

uint64_t lrgd_counts_evaluations(const lrgd_counts *counts)
{
  uint64_t sum = 0;
  for (int kind = 0; counts && kind < LRGD_KIND_COUNT; kind++)
    for (int why = 0; why < LRGD_PURPOSE_COUNT; why++)
      sum += counts->evaluations[kind][why];
  return sum;
}

uint64_t lrgd_counts_oracle_calls(const lrgd_counts *counts)
{
  uint64_t sum = 0;
  for (int why = 0; counts && why < LRGD_PURPOSE_COUNT; why++)
    sum += counts->oracle_calls[why];
  return sum;
}

uint64_t lrgd_counts_of(const lrgd_counts *counts, lrgd_kind kind,
                        lrgd_purpose purpose)
{
  bool known = counts && (size_t)kind < LRGD_KIND_ROOM &&
               (size_t)purpose < LRGD_PURPOSE_ROOM;
  return known ? counts->evaluations[kind][purpose] : 0;
}

const char *lrgd_kind_text(lrgd_kind kind)
{
  static const char *const texts[] = {"values", "slopes", "gradients"};
  return (size_t)kind < LRGD_KIND_COUNT ? texts[kind] : "unknown kind";
}

const char *lrgd_purpose_text(lrgd_purpose purpose)
{
  static const char *const texts[] = {"identify", "descend", "search", "probe",
                                      "check"};
  return (size_t)purpose < LRGD_PURPOSE_COUNT ? texts[purpose]
                                              : "unknown purpose";
}
