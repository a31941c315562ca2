/* The model of an embedding, by rounds.
 *
 * The directions u_1, u_2, ... of a random embedding depend on no value, and
 * neither do the points that determine the quadratic in them:
 *   g_i = (f(t u_i) - f(-t u_i)) / 2t,
 *   B_ii = (f(t u_i) + f(-t u_i) - 2 f0) / t^2,
 *   B_ij = (f(t u_i + t u_j) - f(t u_i) - f(t u_j) + f0) / t^2.
 * These points are queued column by column and evaluated W at a time: rounds
 * are always full, and a round may end inside a column.  When the subspace is
 * complete, or its rank too high: wide_rules.c. */
#include "wide/span.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/vector.h"
#include "subspace/probe.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <string.h>

enum { LANDINGS = 3, LAST = 4 };

/* One point of the queue: x0 for i < 0; else t u_i, -t u_i (back), or t u_i + t
 * u_j. */
typedef struct entry {
  int i, j;
  bool back;
} entry;

typedef struct stream {
  lr_span *s;
  double t;        /* the difference step */
  entry next;      /* the head of the queue */
  entry *asked;    /* points of this round, after its landings */
  size_t landings; /* landings in this round */
  size_t promised; /* landings planned for the next round */
  size_t landed;   /* landings of the next round that have been started */
  double *land;    /* coordinates in V of LANDINGS points */
  double *plus, *minus, *pairs; /* f at t u_i, at -t u_i, at t (u_i + u_j) */
  double *f;                    /* the values of the round */
  double best;                  /* the lowest value at a landing */
  /* share of curvature not explained by earlier columns, newest first */
  double shares[LAST];
  size_t columns; /* columns for which that share is known */
  uint64_t draws;
  bool more;        /* the queue may open another direction */
  bool asked_noise; /* the noise of f has been measured */
} stream;

/* ---- the queue ---- */

static double *pair(const stream *q, int i, int j)
{
  return &q->pairs[(size_t)j * q->s->most + (size_t)i];
}

static double *place_of(stream *q, const entry *e)
{
  if (e->i < 0) return &q->s->start.f;
  if (e->back) return &q->minus[e->i];
  return e->i == e->j ? &q->plus[e->i] : pair(q, e->i, e->j);
}

/* Draws direction j, if another one is allowed; returns whether V has a column
 * j. */
static lr_code draw(stream *q, size_t j)
{
  lr_span *s = q->s;
  lr_run *run = s->run;
  double norm;
  if (j < s->V.k) return LR_GO;
  q->more = j < s->most;
  if (!q->more) return LR_GO;
  if (j == s->V.capacity && lr_basis_reserve(&s->V, 2 * j) != LRGD_OK)
    return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu directions", 2 * j);
  lrgd_vec u = lr_basis_column(&s->V, j);
  q->more = lr_probe_direction(&s->V, &run->domain, u, (lrgd_vec){s->spare, 0},
                               run->oracle.seed, q->draws++, &norm);
  if (q->more) s->V.k++;
  return LR_GO;
}

/* Takes the next point from the queue. *none: the queue is empty. */
static lr_code take(stream *q, entry *e, bool *none)
{
  *e = q->next;
  *none = false;
  if (e->i >= 0) LR_TRY(draw(q, (size_t)e->j));
  *none = e->i >= 0 && !q->more && (size_t)e->j >= q->s->V.k;
  if (*none) return LR_GO;
  entry *n = &q->next;
  if (e->i < 0) /* f0, then u_0, -u_0, u_1, -u_1, u_0 + u_1, ... */
    *n = (entry){0, 0, false};
  else if (e->i == e->j && !e->back)
    n->back = true;
  else if (e->back)
    *n = e->j == 0 ? (entry){1, 1, false} : (entry){0, e->j, false};
  else if (e->i + 1 < e->j)
    n->i++;
  else
    *n = (entry){e->j + 1, e->j + 1, false};
  return LR_GO;
}

static void place(void *self, size_t i, lrgd_vec x)
{
  stream *q = self;
  lr_span *s = q->s;
  lrgd_space *space = s->run->space;
  if (i < q->landings) {
    lr_span_place(s, q->land + i * s->most, s->k, x);
    return;
  }
  const entry *e = &q->asked[i - q->landings];
  double t = e->back ? -q->t : q->t;
  space->ops->copy(space, x, s->start.x, 1);
  if (e->i < 0) return;
  space->ops->add(space, x, lr_basis_column(&s->V, (size_t)e->i), 1, &t);
  if (e->i != e->j)
    space->ops->add(space, x, lr_basis_column(&s->V, (size_t)e->j), 1, &t);
}

/* ---- the model ---- */

/* Derivatives along directions without curvature would send a landing astray.
 */
static lr_region_errors errors(const stream *q)
{
  return (lr_region_errors){.curvature = q->s->blur, .slope = INFINITY};
}

static bool is_complete(const stream *q, size_t j)
{
  if (!lr_finite(q->plus[j]) || !lr_finite(q->minus[j])) return false;
  for (size_t i = 0; i < j; i++)
    if (!lr_finite(*pair(q, (int)i, (int)j))) return false;
  return true;
}

static void set_column(stream *q, size_t j)
{
  lr_span *s = q->s;
  double t = q->t, f0 = s->start.f;
  s->g[j] = (q->plus[j] - q->minus[j]) / (2 * t);
  s->B[j * s->most + j] = (q->plus[j] + q->minus[j] - 2 * f0) / (t * t);
  for (size_t i = 0; i < j; i++) {
    double f = *pair(q, (int)i, (int)j);
    s->B[j * s->most + i] = s->B[i * s->most + j] =
        (f - q->plus[i] - q->plus[j] + f0) / (t * t);
  }
}

/* Records the share of column j's curvature that earlier columns do not
 * explain. */
static void note_share(stream *q, size_t j)
{
  lr_span *s = q->s;
  const double *b = s->B + j * s->most;
  double share = 1;
  if (j == 0) return;
  if (b[j] != 0 && lr_region_set(&s->region, j, s->g, s->B, s->most, errors(q)))
    share = fabs(1 - lr_region_explains(&s->region, b) / b[j]);
  memmove(q->shares + 1, q->shares, (LAST - 1) * sizeof *q->shares);
  q->shares[0] = share;
  q->columns++;
}

static double median_share(const stream *q)
{
  double last[LAST];
  memcpy(last, q->shares, sizeof last);
  lr_sort(last, LAST);
  return 0.5 * (last[LAST / 2 - 1] + last[LAST / 2]);
}

/* Noise that the user did not tell looks like a high rank.  It is measured
 * once, where the rank seems high, and ends the stream where it makes up a
 * share of the second differences that matters. */
static lr_code look_for_noise(stream *q, bool *end)
{
  lr_span *s = q->s;
  lr_oracle *o = &s->run->oracle;
  const lr_policy *P = s->run->policy;
  double p = (double)lr_run_dimension(s->run), top = 0;
  if (q->asked_noise || q->columns < LAST || *end) return LR_GO;
  if (!lr_stream_is_high(P, (double)s->k, median_share(q), p)) return LR_GO;
  q->asked_noise = true;
  LR_TRY(lr_oracle_measure_noise(o, &s->start, q->draws++));
  for (size_t j = 0; j < s->k; j++)
    top = fmax(top, fabs(s->B[j * (s->most + 1)]));
  s->noisy = lr_stream_is_noise(P, o->differences.noise, q->t, top);
  *end = *end || s->noisy;
  return LR_GO;
}

/* Adds completed columns to the model.  *end: no further direction; *low:
 * because the model is complete. */
static void learn(stream *q, bool *end, bool *low)
{
  lr_span *s = q->s;
  const lr_policy *P = s->run->policy;
  for (; s->k < s->V.k && is_complete(q, s->k); s->k++) {
    s->blur = lr_span_blur(s, s->start.f, s->k + 1, q->t);
    set_column(q, s->k);
    note_share(q, s->k);
    *low = *low || (q->columns > 1 &&
                    lr_stream_complete(P, q->shares[0], q->shares[1]));
  }
  size_t p = lr_run_dimension(s->run);
  *low = *low || s->k == p;
  *end = *low || (!q->more && s->k >= s->V.k) ||
         (q->columns >= LAST &&
          lr_stream_too_dear(P, (double)s->k, median_share(q), (double)p));
}

/* Chooses the landings of the next round, if they promise enough: the minimum
 * of the model, and shorter steps towards it.  Sets the radius to the length of
 * the longest. */
static void foresee(stream *q)
{
  lr_span *s = q->s;
  const lr_policy *P = s->run->policy;
  double f0 = s->start.f, gained = f0 - fmin(q->best, f0);
  q->promised = 0;
  if (!lr_region_set(&s->region, s->k, s->g, s->B, s->most, errors(q))) return;
  double size = 0, p = (double)lr_run_dimension(s->run);
  double far = lr_stream_far(P, s->unit, p);
  bool convex = lr_region_is_convex(&s->region);
  double fall = lr_region_step(&s->region, convex ? INFINITY : far, q->land);
  size = lr_norm(s->k, q->land);
  s->radius = convex ? size : far;
  if (!lr_stream_lands(P, fall, gained) || !(size > 0)) return;
  q->promised = LANDINGS;
  for (size_t i = 1; i < LANDINGS; i++)
    (void)lr_region_step(&s->region, ldexp(size, -(int)i),
                         q->land + i * s->most);
}

/* ---- rounds ---- */

static lr_code ask_round(stream *q, bool *whole)
{
  lr_span *s = q->s;
  size_t width = s->rounds->width,
         most = lr_stream_landings(s->run->policy, width), n = 0;
  bool none = false;
  q->landings = q->promised < most ? q->promised : most;
  q->promised = 0;
  while (q->landings + n < width || n == 0) {
    LR_TRY(take(q, &q->asked[n], &none));
    if (none) break;
    n++;
  }
  LR_TRY(lr_rounds_ask(s->rounds, q->landings + n, place, q, q->f));
  *whole = true;
  for (size_t i = 0; i < q->landings; i++)
    if (q->f[i] < q->best) q->best = q->f[i];
  for (size_t i = 0; i < n; i++) {
    double f = q->f[q->landings + i];
    *place_of(q, &q->asked[i]) = f;
    *whole = *whole && lr_finite(f);
  }
  return LR_GO;
}

static lr_code begin(stream *q)
{
  lr_run *run = q->s->run;
  if (!lr_finite(q->s->start.f)) return LR_NOVALUE;
  lr_run_stand(run, &q->s->start);
  return lr_run_count(run, &q->s->start);
}

/* ---- one by one ---- */

enum { LANDING = -2 }; /* in place of an entry */

/* Starts points as long as there are free places: landings, then entries. */
static lr_code start_points(stream *q)
{
  lr_span *s = q->s;
  size_t most = lr_stream_landings(s->run->policy, s->rounds->width), at;
  while (lr_rounds_free(s->rounds) > 0) {
    entry e = {LANDING, 0, false};
    bool none = false, lands = q->landed < q->promised && q->landed < most;
    if (!lands) LR_TRY(take(q, &e, &none));
    if (none) return LR_GO;
    q->landings = lands ? q->landed + 1 : 0;
    q->asked[s->rounds->width] = e; /* where `place` finds it */
    size_t i = lands ? q->landed++ : s->rounds->width;
    LR_TRY(lr_rounds_start(s->rounds, place, q, i, &at));
    q->asked[at] = e;
  }
  return LR_GO;
}

/* Waits for a point, and keeps its value.  *whole: it has one. */
static lr_code finish_point(stream *q, bool *whole)
{
  size_t at;
  double f;
  LR_TRY(lr_rounds_finish(q->s->rounds, &at, &f));
  const entry *e = &q->asked[at];
  if (e->i == LANDING) {
    if (f < q->best) q->best = f;
    return LR_GO;
  }
  *place_of(q, e) = f;
  *whole = lr_finite(f);
  return e->i == -1 ? begin(q) : LR_GO;
}

/* The noise is measured by points of its own: those under way come first. */
static lr_code look_for_noise_alone(stream *q, bool *end, bool *whole)
{
  if (q->asked_noise || q->columns < LAST || *end) return LR_GO;
  double p = (double)lr_run_dimension(q->s->run);
  if (!lr_stream_is_high(q->s->run->policy, (double)q->s->k, median_share(q),
                         p))
    return LR_GO;
  while (*whole && lr_rounds_under_way(q->s->rounds) > 0)
    LR_TRY(finish_point(q, whole));
  return *whole ? look_for_noise(q, end) : LR_GO;
}

/* The queue without rounds: a value is used as soon as it comes. */
static lr_code go_async(stream *q, bool *low)
{
  bool end = false, whole = true;
  while (!end) {
    LR_TRY(start_points(q));
    if (lr_rounds_under_way(q->s->rounds) == 0) return LR_GO;
    LR_TRY(finish_point(q, &whole));
    if (!whole) return LR_GO;
    if (!lr_finite(q->s->start.f)) continue;
    size_t before = q->s->k;
    learn(q, &end, low);
    LR_TRY(look_for_noise_alone(q, &end, &whole));
    if (!whole) return LR_GO;
    if (q->s->k > before) {
      foresee(q);
      q->landed = 0;
    }
  }
  return LR_GO;
}

/* ---- by rounds ---- */

static lr_code go(stream *q, bool *low)
{
  bool end = false, whole = true, first = true;
  while (!end) {
    LR_TRY(ask_round(q, &whole));
    if (first) LR_TRY(begin(q));
    first = false;
    if (!whole) return LR_GO;
    size_t before = q->s->k;
    learn(q, &end, low);
    LR_TRY(look_for_noise(q, &end));
    if (q->s->k > before) foresee(q);
  }
  return LR_GO;
}

lr_code lr_stream(lr_span *s, bool *low)
{
  lr_run *run = s->run;
  const lrgd_allocator *a = &run->allocator;
  size_t n = s->most, width = s->rounds->width;
  stream q = {
      .s = s,
      .t = lr_stream_step(run->policy, s->unit),
      .next = {-1, -1, false},
      .best = INFINITY,
      .more = true,
      .draws = LR_STREAM_WIDE + (run->progress.attempt << 32)
  };
  *low = false;
  q.asked = lr_alloc(a, width + 1, sizeof *q.asked);
  q.f = lr_alloc(a, width + 1 + LANDINGS, sizeof *q.f);
  q.pairs = lr_alloc(a, n * (n + 2 + LANDINGS), sizeof *q.pairs);
  lr_code code = LR_FAULT;
  bool async = lr_rounds_async(s->rounds);
  if (q.asked && q.f && q.pairs) {
    q.plus = q.pairs + n * n;
    q.minus = q.plus + n;
    q.land = q.minus + n;
    for (size_t i = 0; i < n * (n + 2); i++) q.pairs[i] = NAN;
    code = async ? go_async(&q, low) : go(&q, low);
    lr_oracle_drain(&run->oracle);
  } else {
    (void)lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                          "out of memory for the entries of %zu columns", n);
  }
  lr_free(a, q.asked);
  lr_free(a, q.f);
  lr_free(a, q.pairs);
  s->V.k = s->k;
  s->f = s->start.f;
  /* the mean square along random directions is |g|^2 / p */
  if (s->k > 0)
    s->slope = lr_norm(s->k, s->g) *
               sqrt((double)lr_run_dimension(run) / (double)s->k);
  return code;
}
