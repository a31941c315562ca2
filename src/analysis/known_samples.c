/* Evaluations of f known before the diagnosis.
 *
 * They are used twice.  An evaluation at exactly a known point is answered from
 * memory, for samples and trial runs alike, and is counted as before: predicted
 * costs stay the same.  And whole gradients, given or by differences along all
 * inputs, enlarge the span of the samples.  Points of a run are not random:
 * they can show that f has a direction, but not that it has no others, and none
 * becomes a held-out point. */
#include "analysis/diagnosis_state.h"
#include "base/memory.h"
#include "learn/fit_rules.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

/* The index of the known evaluation at a point, or known.n.  Where f is noisy
 * each is used once only: twice, it would look like a value that repeats. */
static size_t recall(lrgd_diagnosis *s, const double *x)
{
  lr_memory *m = &s->memory;
  size_t i =
      m->known.n == 0 || m->closed ? m->known.n : lr_known_find(&m->known, x);
  if (i == m->known.n || (m->given[i] && !m->again)) return m->known.n;
  return i;
}

static double give(lrgd_diagnosis *s, size_t i)
{
  s->memory.given[i] = 1;
  s->memory.recalled++;
  return s->memory.known.f[i];
}

static double value(size_t p, const double *x, void *user)
{
  lrgd_diagnosis *s = user;
  const lrgd_problem *inner = &s->memory.inner;
  size_t i = recall(s, x);
  return i < s->memory.known.n ? give(s, i) : inner->value(p, x, inner->user);
}

/* Evaluates a batch: known points are answered from memory, and each run of
 * unknown points in between is one batch. */
static void values(size_t p, size_t m, const double *X, double *f, void *user)
{
  lrgd_diagnosis *s = user;
  const lrgd_problem *inner = &s->memory.inner;
  size_t first = 0;
  for (size_t j = 0; j <= m; j++) {
    size_t i = j < m ? recall(s, X + j * p) : 0;
    if (j < m && i == s->memory.known.n) continue;
    if (j > first)
      inner->values(p, j - first, X + first * p, f + first, inner->user);
    if (j < m) f[j] = give(s, i);
    first = j + 1;
  }
}

static double gradient(size_t p, const double *x, double *g, void *user)
{
  lrgd_diagnosis *s = user;
  const lrgd_problem *inner = &s->memory.inner;
  const lr_known *known = &s->memory.known;
  size_t i = recall(s, x);
  if (i == known->n || known->kind[i] != LR_KNOWN_GRADIENT)
    return inner->gradient(p, x, g, inner->user);
  memcpy(g, known->v + i * p, p * sizeof *g);
  return give(s, i);
}

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  const lrgd_problem *inner = &((lrgd_diagnosis *)user)->memory.inner;
  return inner->slopes(p, x, k, U, d, inner->user);
}

static lrgd_complex complex_value(size_t p, const lrgd_complex *x, void *user)
{
  const lrgd_problem *inner = &((lrgd_diagnosis *)user)->memory.inner;
  return inner->complex_value(p, x, inner->user);
}

static size_t unanswered(void *user)
{
  const lrgd_problem *inner = &((lrgd_diagnosis *)user)->memory.inner;
  return inner->unanswered(inner->user);
}

void lr_diagnosis_remember(lrgd_diagnosis *s)
{
  lrgd_problem *f = &s->given.problem;
  s->memory.inner = *f;
  f->user = s;
  if (f->value) f->value = value;
  if (f->values) f->values = values;
  if (f->gradient) f->gradient = gradient;
  if (f->slopes) f->slopes = slopes;
  if (f->complex_value) f->complex_value = complex_value;
  if (f->unanswered) f->unanswered = unanswered;
}

lrgd_status lrgd_diagnosis_learn(lrgd_diagnosis *study, size_t n,
                                 const lrgd_evaluation *evaluations, int verify,
                                 lrgd_error *error)
{
  if (!study || (n > 0 && !evaluations))
    return lr_fail(error, LRGD_ERR_INVALID, "study or evaluations is NULL");
  if (study->ran)
    return lr_fail(error, LRGD_ERR_INVALID, "the study was run already");
  lr_memory *m = &study->memory;
  lr_diagnosis_forget_known(study);
  lrgd_status status = lr_known_init(&m->known, &study->standalone.allocator,
                                     study->p, n, evaluations);
  if (status == LRGD_OK && m->known.n > 0) {
    m->given =
        lr_alloc(&study->standalone.allocator, m->known.n, sizeof *m->given);
    if (!m->given) status = LRGD_ERR_NOMEM;
  }
  m->verify = verify != 0;
  if (status == LRGD_OK) return LRGD_OK;
  lr_diagnosis_forget_known(study);
  return lr_fail(error, status, "out of memory for %zu evaluations", n);
}

void lr_diagnosis_forget_known(lrgd_diagnosis *s)
{
  lr_free(&s->standalone.allocator, s->memory.given);
  s->memory.given = NULL;
  lr_known_clear(&s->memory.known);
}

uint64_t lrgd_diagnosis_recalled(const lrgd_diagnosis *study)
{
  return study ? study->memory.recalled : 0;
}

size_t lrgd_diagnosis_known_gradients(const lrgd_diagnosis *study)
{
  return study ? study->memory.gradients : 0;
}

/* ---- the same function? ---- */

/* y = a known point in the scaled inputs of the diagnosis. */
static void into(const lrgd_diagnosis *s, const double *x, double *y)
{
  for (size_t i = 0; i < s->p; i++) {
    double low = s->region.boxed ? s->given.lower[i] : 0,
           high = s->region.boxed ? s->given.upper[i] : 0;
    y[i] = s->region.boxed ? (x[i] - 0.5 * (low + high)) / (0.5 * (high - low))
                           : x[i];
  }
}

static void stand_on(lrgd_diagnosis *s, const double *x)
{
  s->trial.x = (lrgd_vec){s->points, LR_TRIAL};
  into(s, x, lr_standalone_oracle_data(s->points, LR_TRIAL));
  lr_oracle_rename(&s->standalone.oracle, &s->trial);
}

lr_code lr_diagnosis_verify(lrgd_diagnosis *s)
{
  lr_memory *m = &s->memory;
  size_t low = lr_known_lowest(&m->known, s->given.lower, s->given.upper);
  if (!m->verify || low == m->known.n) return LR_GO;
  stand_on(s, m->known.x + low * s->p);
  m->closed = true;
  lr_code code =
      lr_oracle_value(&s->standalone.oracle, &s->trial, LRGD_PURPOSE_CHECK);
  m->closed = false;
  if (code != LR_GO && code != LR_NOVALUE) return code;
  double there = m->known.f[low], descent = fabs(m->known.f[0] - there);
  double most =
      lr_fit_agreement(lr_policy_current(), there, descent, s->result.noise);
  if (code == LR_GO && fabs(s->trial.f - there) <= most) return LR_GO;
  return lr_oracle_fault(&s->standalone.oracle, LRGD_ERR_REFUSED,
                         "what is known is of another function: at a point "
                         "where f was %.17g it is %.17g here",
                         there, s->trial.f);
}

/* ---- gradients ---- */

static bool inside(const lrgd_diagnosis *s, const double *x)
{
  double sum = 0;
  if (s->region.boxed)
    return lr_known_inside(&s->memory.known,
                           (size_t)(x - s->memory.known.x) / s->p,
                           s->given.lower, s->given.upper);
  for (size_t i = 0; i < s->p; i++)
    sum += (x[i] - s->x0[i]) * (x[i] - s->x0[i]);
  return sqrt(sum) <= s->region.radius;
}

/* In how many inputs two points differ, up to `most`; a is the first of these
 * inputs, b the last. */
static size_t differ(size_t p, const double *x, const double *y, size_t most,
                     size_t *a, size_t *b)
{
  size_t count = 0;
  for (size_t i = 0; i < p && count <= most; i++) {
    if (x[i] == y[i]) continue;
    if (count++ == 0) *a = i;
    *b = i;
  }
  return count;
}

/* The base point of two consecutive differences: it equals the first point in
 * all but one of the two inputs in which they differ. n: none is known. */
static size_t hub(const lrgd_diagnosis *s, size_t j, double *x)
{
  const lr_known *k = &s->memory.known;
  size_t p = s->p, ends[2];
  const double *one = k->x + j * p, *two = one + p;
  if (differ(p, one, two, 2, &ends[0], &ends[1]) != 2) return k->n;
  for (int side = 0; side < 2; side++) {
    memcpy(x, one, p * sizeof *x);
    x[ends[side]] = two[ends[side]];
    size_t found = lr_known_find(k, x);
    if (found < k->n) return found;
  }
  return k->n;
}

/* g = the gradient at a known point, from the differences that begin with
 * number j and have steps within a factor of 2 of those of this diagnosis.
 * Returns the number of differences; p: g is complete. */
static size_t difference(lrgd_diagnosis *s, size_t at, size_t j, double *g)
{
  const lr_known *k = &s->memory.known;
  size_t p = s->p, count = 0, a = 0, b = 0;
  stand_on(s, k->x + at * p);
  double reach = lr_oracle_reach(&s->standalone.oracle, &s->trial, 0);
  for (size_t i = 0; i < p; i++) g[i] = NAN;
  for (; j < k->n && count < p; j++) {
    const double *x = k->x + at * p, *y = k->x + j * p;
    if (differ(p, x, y, 1, &a, &b) != 1 || !isnan(g[a])) break;
    double unit =
        s->region.boxed ? 0.5 * (s->given.upper[a] - s->given.lower[a]) : 1;
    double step = (y[a] - x[a]) / unit;
    if (!lr_diagnosis_same_step(s->standalone.oracle.policy, step, reach))
      break;
    g[a] = (k->f[j] - k->f[at]) / step;
    count++;
  }
  return count;
}

/* Moves the trial to the point of known gradient number *next or later, and
 * copies that gradient to g. */
static bool next_gradient(lrgd_diagnosis *s, size_t *next, double *g,
                          double *room)
{
  const lr_known *k = &s->memory.known;
  size_t p = s->p;
  while (*next < k->n) {
    size_t j = (*next)++, at = j;
    bool given = k->kind[j] == LR_KNOWN_GRADIENT;
    if (!given) at = j + 1 < k->n ? hub(s, j, room) : k->n;
    if (at == k->n || !inside(s, k->x + at * p)) continue;
    size_t whole = given ? p : difference(s, at, j, g);
    if (whole < p) continue;
    if (!given) *next = j + p;
    for (size_t i = 0; given && i < p; i++)
      g[i] =
          k->v[j * p + i] *
          (s->region.boxed ? 0.5 * (s->given.upper[i] - s->given.lower[i]) : 1);
    stand_on(s, k->x + at * p);
    s->trial.f = k->f[at];
    return true;
  }
  return false;
}

/* The errors of these gradients do not include noise, as the noise of the
 * differences is unknown. */
lr_code lr_diagnosis_sample_known(lrgd_diagnosis *s)
{
  lr_memory *m = &s->memory;
  size_t next = 0;
  if (m->known.n == 0 || s->samples.n > 0 || lr_diagnosis_noisy(s))
    return LR_GO;
  double *room = lr_alloc(&s->standalone.allocator, s->p, sizeof *room);
  if (!room)
    return lr_oracle_fault(&s->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory");
  lr_code code = LR_GO;
  while (code == LR_GO &&
         lr_diagnosis_takes_known(s->standalone.oracle.policy, s->samples.n,
                                  s->samples.most) &&
         next_gradient(s, &next,
                       lr_standalone_oracle_data(s->samples.G, s->samples.n),
                       room))
    code = lr_diagnosis_note_known(s);
  m->gradients = s->samples.n;
  lr_free(&s->standalone.allocator, room);
  return code;
}
