/* Renewal of J: all of J is measured again where f decreases more slowly than
 * it would after that. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool lr_ls_columns_new(lr_least_squares *s, bool *saturated)
{
  size_t last = lr_ls_new_columns(s->policy), k = s->M.k;
  lr_novelty n = lr_residual_model_novelty(&s->M, last);
  /* with m columns or more there is nothing outside */
  *saturated = k > 1 && k <= s->M.m && s->M.n == s->M.m &&
               lr_ls_is_saturated(s->policy, n.last, n.doubt);
  return k < 2 * last || lr_ls_is_new(s->policy, n.most);
}

/* Records f and the number of evaluations. */
static lr_code note(lr_least_squares *s)
{
  lr_ls_track *t = &s->track;
  const lrgd_allocator *a = &s->run->allocator;
  if (t->count == t->room) {
    size_t room = t->room > 0 ? 2 * t->room : 64;
    uint64_t *evaluations = lr_alloc_raw(a, room, sizeof *evaluations);
    double *f = lr_alloc_raw(a, room, sizeof *f);
    if (!evaluations || !f) {
      lr_free(a, evaluations);
      lr_free(a, f);
      return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                             "out of memory for %zu values of f", room);
    }
    if (t->count > 0) {
      memcpy(evaluations, t->evaluations, t->count * sizeof *evaluations);
      memcpy(f, t->f, t->count * sizeof *f);
    }
    lr_free(a, t->evaluations);
    lr_free(a, t->f);
    t->evaluations = evaluations, t->f = f, t->room = room;
  }
  t->evaluations[t->count] = lr_ls_evaluations(s);
  t->f[t->count++] = s->M.f;
  return LR_GO;
}

/* The last recorded f at or before an evaluation; NaN: there is none. */
static double f_before(const lr_ls_track *t, double evaluation)
{
  for (size_t i = t->count; i-- > 0;)
    if ((double)t->evaluations[i] <= evaluation) return t->f[i];
  return NAN;
}

/* The largest decrease of log f per evaluation since the last renewal, whose
 * own evaluations count too. */
static double last_rate(const lr_least_squares *s)
{
  const lr_ls_track *t = &s->track;
  double most = 0;
  for (size_t i = 0; i < t->count; i++) {
    if (t->evaluations[i] <= s->sweeps.last || !(t->f[i] > 0)) continue;
    double paid =
        (double)(t->evaluations[i] - s->sweeps.last) + s->sweeps.price;
    most = fmax(most, lr_log(s->sweeps.f / t->f[i]) / paid);
  }
  return most;
}

/* Whether V is the axes and input j is at an active bound: then F' along it
 * need not be more accurate. */
static bool is_held(const lr_least_squares *s, size_t j)
{
  const lr_residual_model *M = &s->M;
  if (!s->axes || !lr_ls_boxed(s)) return false;
  const double *b = lrgd_host_data(s->at.x);
  bool below = b[j] <= lr_ls_lower(s)[j], above = b[j] >= lr_ls_upper(s)[j];
  if (!below && !above) return false;
  double slope = lr_dot(M->m, M->J + j * M->m, M->G);
  double deviation =
      M->c * sqrt(2 * lr_residual_model_uncertain_f(M) * M->P[j * M->room + j]);
  return lr_ls_pushes(s->policy, below ? slope : -slope, deviation);
}

/* The evaluations that a renewal of J takes. */
static double price_of_J(lr_least_squares *s)
{
  bool full, is_new = lr_ls_columns_new(s, &full);
  size_t n = is_new ? s->M.p : s->M.k;
  for (size_t j = 0; s->axes && j < s->M.k; j++) n -= is_held(s, j);
  return (double)n + 1;
}

lr_code lr_ls_is_slow(lr_least_squares *s, bool *slow)
{
  double now = (double)lr_ls_evaluations(s);
  *slow = false;
  LR_TRY(note(s));
  if (!(s->M.f > 0)) return LR_GO;
  lr_ls_decrease d = {.price = price_of_J(s)};
  double window = lr_ls_window(s->policy, d.price);
  double old = f_before(&s->track, now - window);
  if (isnan(old)) return LR_GO;
  d.rate = lr_log(old / s->M.f) / window;
  d.since = now - (double)s->sweeps.last;
  d.grown = s->sweeps.grown > 0 ? now - (double)s->sweeps.grown : INFINITY;
  if (s->sweeps.last > 0) d.last_rate = fmax(last_rate(s), 1e-300);
  *slow = lr_ls_sweeps(s->policy, &d);
  return LR_GO;
}

/* Returns to the start, whose columns are known there; all others are
 * uncertain. */
static void go_back(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  double far = s->reach * s->reach;
  memcpy(lrgd_host_data(s->at.x), s->start.x, M->p * sizeof(double));
  lr_oracle_know(&s->run->oracle, &s->at, s->start.f);
  s->run->progress.stood = s->start.f;
  lr_run_stand(s->run, &s->at);
  lr_residual_model_set_base(M, s->start.F);
  memcpy(M->J, s->start.J, M->m * s->start.k * sizeof *M->J);
  lr_residual_model_rewritten(M);
  for (size_t j = 0; j < M->k; j++) {
    memset(M->P + j * M->room, 0, M->k * sizeof *M->P);
    M->P[j * M->room + j] = lr_ls_back(s->policy, j < s->start.k) * far;
  }
  M->c = fmax(s->bend, s->least_c);
  s->sweeps.f = M->f;
}

/* Restricts V to the singular directions of J along which F changes: the others
 * need not be measured, and count as outside V. */
static lr_code restrict_to_range(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  size_t k = M->k, n = 0;
  double *W;
  lrgd_status status = lr_residual_model_new_directions(M, &W);
  if (status == LRGD_OK) {
    const double *size = W + k * k;
    while (n < k && lr_ls_matters(s->policy, size[n], size[0])) n++;
    status = lr_residual_model_restrict(M, W, n > 0 ? n : 1);
    s->start.k = 0; /* these columns belonged to another V */
  }
  lr_free(&M->allocator, W);
  if (status == LRGD_OK) return LR_GO;
  return lr_oracle_fault(&s->run->oracle, status,
                         "no singular directions of %zu", k);
}

/* The unit vector of direction j of V. */
static const double *only(lr_least_squares *s, size_t j)
{
  memset(s->w, 0, s->M.k * sizeof *s->w);
  s->w[j] = 1;
  return s->w;
}

/* The variance of a column measured by one difference, in units of c^2;
 * *share: that of noise in it. */
static double column_variance(const lr_least_squares *s, double *share)
{
  double ratio = s->M.noise / s->M.c, t = lr_ls_difference_length(s);
  double noise2 = 2 * ratio * ratio / (t * t), sum = noise2 + 0.25 * t * t;
  *share = noise2 / sum;
  return sum;
}

/* Measures F' along direction j of V; its former derivative is not used. */
static lr_code measure_anew(lr_least_squares *s, size_t j, bool *done)
{
  lr_residual_model *M = &s->M;
  double *P = M->P + j * M->room, before = P[j];
  for (size_t i = 0; i < M->k; i++) P[i] = M->P[i * M->room + j] = 0;
  /* no prior counts beside the measurement, however noisy that is */
  double share, measured = column_variance(s, &share);
  P[j] = fmax(lr_ls_back(s->policy, false) * s->reach * s->reach,
              measured / sqrt(DBL_EPSILON));
  LR_TRY(lr_ls_refresh(s, only(s, j), done));
  if (!*done) M->P[j * M->room + j] = before;
  return LR_GO;
}

/* Measures directions `first` to `end` of V, except those at active bounds,
 * which are marked in s->boxed; their points are evaluated side by side.
 * *first: where there was no room for more. */
static lr_code measure_some(lr_least_squares *s, size_t *first, bool anew)
{
  bool done, more = true;
  bool plans = !lr_ls_has_slopes(s) && lr_oracle_begin_plan(&s->run->oracle);
  size_t end = *first;
  for (; end < s->M.k && more; end += more) {
    s->boxed[end] = !anew && is_held(s, end);
    if (plans && s->boxed[end] == 0) more = lr_ls_plan_refresh(s, only(s, end));
  }
  if (end == *first) end++;
  LR_TRY(lr_oracle_ask_planned(&s->run->oracle, LRGD_PURPOSE_IDENTIFY));
  for (size_t j = *first; j < end; j++)
    if (anew) {
      LR_TRY(measure_anew(s, j, &done));
      if (!done) s->fresh = 0;
    } else if (s->boxed[j] == 0) {
      LR_TRY(lr_ls_refresh(s, only(s, j), &done));
    }
  *first = end;
  return LR_GO;
}

/* Measures F' again along direction `first` of V and all later ones. */
static lr_code measure(lr_least_squares *s, size_t first, bool anew)
{
  while (first < s->M.k) LR_TRY(measure_some(s, &first, anew));
  return LR_GO;
}

/* Measures J again.  Columns measured at the start are kept there; elsewhere
 * all directions along which F changes are measured.  Within bounds all of V
 * is: bounds may block a step along the range of J', and other directions lead
 * around them. */
static lr_code renew(lr_least_squares *s, bool at_start, bool anew)
{
  bool all = lr_ls_boxed(s) || s->axes;
  if (!at_start && !all) LR_TRY(restrict_to_range(s));
  LR_TRY(measure(s, at_start ? s->start.k : 0, anew));
  if (s->few && s->axes) lr_ls_rescale(s);
  return LR_GO;
}

/* Adds new directions, several at a time, as long as their columns are new. */
static lr_code grow_all(lr_least_squares *s)
{
  size_t some = lr_ls_new_columns(s->policy);
  for (double failed = 0; s->M.k < s->M.p;) {
    bool grown, full;
    if (!lr_ls_columns_new(s, &full)) return LR_GO;
    LR_TRY(lr_ls_plan_columns(s, some, false));
    for (size_t i = 0; i < some && s->M.k < s->M.p; i++) {
      if (lr_ls_gives_up_growing(s->policy, failed)) return LR_GO;
      LR_TRY(lr_ls_grow(s, &grown));
      failed = grown ? 0 : failed + 1;
    }
  }
  return LR_GO;
}

void lr_ls_note_renewal(lr_least_squares *s, double price)
{
  s->sweeps.f = s->M.f;
  s->sweeps.last = lr_ls_evaluations(s);
  s->sweeps.price = price;
}

lr_code lr_ls_renew(lr_least_squares *s)
{
  uint64_t begun = lr_ls_evaluations(s);
  s->fresh = s->at.id;
  s->fresh_c = s->M.c;
  (void)column_variance(s, &s->fresh_noise);
  LR_TRY(renew(s, false, true));
  lr_ls_note_renewal(s, (double)(lr_ls_evaluations(s) - begun));
  return LR_GO;
}

lr_code lr_ls_sweep(lr_least_squares *s)
{
  uint64_t begun = lr_ls_evaluations(s);
  bool full, grows = s->M.k < s->M.p && lr_ls_columns_new(s, &full);
  s->sweeps.f = s->M.f;
  if (!grows) {
    bool back = s->sweeps.last == 0 && s->start.J && s->start.k > 0 &&
                lr_ls_returns(s->policy, s->M.f,
                              lr_residual_model_cost(&s->M, s->start.F));
    if (back) go_back(s);
    LR_TRY(renew(s, back, false));
  }
  LR_TRY(grow_all(s));
  s->sweeps.grown = lr_ls_evaluations(s);
  if (grows) return LR_GO;
  s->sweeps.grown = 0;
  s->sweeps.last = lr_ls_evaluations(s);
  s->sweeps.price = (double)(s->sweeps.last - begun);
  s->M.c = fmax(lr_ls_trust_again(s->policy, s->M.c), s->least_c);
  return LR_GO;
}
