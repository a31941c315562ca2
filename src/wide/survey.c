/* The survey of a box, by rounds.
 *
 * The model changes by as little as new values demand (Powell, Math. Program.
 * 100, 2004), with a ridge that grows with the sixth power of the distance: any
 * number of values may be used, near ones dominate, and no geometry has to be
 * maintained.  With y = values - the last model at points d_i (in radii) from
 * the best one,
 *   K = c dd' + (dd').^2 / 2 + ridge,  K lambda = y,
 *   g += c d' lambda,  H += d' diag(lambda) d.
 * A round evaluates the minimum of the model for several radii, and points
 * around the first of these along a random orthonormal cycle. */
#include "wide/survey.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "wide/box_region.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANDINGS = 4 };

/* A known point near the best one. */
typedef struct neighbour {
  double distance;
  size_t at;
} neighbour;

/* Over 20 members: the points known, the model with the letters of the formula
 * above, and the arrays of one round. */
typedef struct survey {
  lr_rounds *rounds;
  lr_run *run;
  lr_frame *frame;
  /* best: the index of the lowest of `count` known points */
  size_t p, count, room, best;
  double *points, *f;
  double *g, *H;    /* the model at the best point */
  double *model_at; /* the base point of the last model */
  double radius;
  lr_box_region region;
  size_t landings; /* in this round ... */
  double lengths[LANDINGS], promised;
  double *cycle; /* p orthonormal directions, ... */
  size_t turn;   /* ... of which `turn` have been used */
  uint64_t draws;
  neighbour *near;
  size_t most; /* the most neighbours a model uses */
  double *K, *d, *y, *step;
  size_t cut;   /* value of `count` 2 p values ago, ... */
  double cut_f; /* ... and the lowest value then */
} survey;

static double *point(const survey *q, size_t i)
{
  return q->points + i * q->p;
}

/* ---- memory ---- */

static lr_code open(survey *q)
{
  const lrgd_allocator *a = &q->run->allocator;
  size_t p = q->p, width = q->rounds->width;
  q->most = 2 * p + 1 + width;
  q->room = (size_t)(q->run->policy->dfo_longest) * p + 2 * width + 2 * p + 2;
  q->points = lr_alloc(a, q->room * (p + 1) + 1, sizeof *q->points);
  q->g = lr_alloc(a, p * (2 * p + 3), sizeof *q->g);
  q->K = lr_alloc(a, q->most * (q->most + p + 2), sizeof *q->K);
  q->near = lr_alloc(a, q->room, sizeof *q->near);
  if (!q->points || !q->g || !q->K || !q->near ||
      lr_box_region_init(&q->region, q->run->policy, a, p) != LRGD_OK)
    return lr_oracle_fault(&q->run->oracle, LRGD_ERR_NOMEM,
                           "out of memory for a survey in dimension %zu", p);
  q->f = q->points + q->room * p;
  q->H = q->g + p;
  q->model_at = q->H + p * p;
  q->cycle = q->model_at + p;
  q->step = q->cycle + p * p;
  q->d = q->K + q->most * q->most;
  q->y = q->d + q->most * p;
  return LR_GO;
}

static void close(survey *q)
{
  const lrgd_allocator *a = &q->run->allocator;
  lr_free(a, q->points);
  lr_free(a, q->g);
  lr_free(a, q->K);
  lr_free(a, q->near);
  lr_box_region_clear(&q->region);
}

/* ---- rounds ---- */

static void place(void *self, size_t i, lrgd_vec x)
{
  survey *q = self;
  lr_frame_to(q->frame, point(q, q->count + i), x);
}

/* Evaluates the n points after the known ones.  A point without a value gets
 * the highest known value. *best: the lowest of them. */
static lr_code ask(survey *q, size_t n, size_t *best)
{
  double high = -INFINITY;
  LR_TRY(lr_rounds_ask(q->rounds, n, place, q, q->f + q->count));
  for (size_t i = 0; i < q->count + n; i++)
    if (lr_finite(q->f[i])) high = fmax(high, q->f[i]);
  *best = q->count;
  for (size_t i = q->count; i < q->count + n; i++) {
    if (!lr_finite(q->f[i])) q->f[i] = high;
    if (q->f[i] < q->f[*best]) *best = i;
  }
  q->count += n;
  if (!(q->f[*best] < q->f[q->best])) return LR_GO;
  q->best = *best;
  lrgd_vec x = {q->rounds->points, 0};
  lr_frame_to(q->frame, point(q, q->best), x);
  return lr_rounds_arrive(q->rounds, x, q->f[q->best]);
}

/* Builds the first model: p values around the start, and some on the opposite
 * side, which fill up the last round. */
static lr_code begin(survey *q)
{
  size_t p = q->p, width = q->rounds->width, best;
  size_t left = (width - p % width) % width, n = p;
  double D = q->radius, *z = q->points;
  for (size_t i = 0; i < p + (left < p ? left : p); i++) {
    size_t j = i % p;
    double to = z[j] + (z[j] + D <= 1 ? D : -D);
    if (i >= p) to = 2 * z[j] - to;
    if (fabs(to) > 1) continue;
    double *y = point(q, 1 + (i < p ? i : n++));
    memcpy(y, z, p * sizeof *y);
    y[j] = to;
  }
  LR_TRY(ask(q, n, &best));
  for (size_t j = 0; j < p; j++)
    q->g[j] = (q->f[1 + j] - q->f[0]) / (point(q, 1 + j)[j] - z[j]);
  memcpy(q->model_at, z, p * sizeof *z);
  return LR_GO;
}

/* ---- the model ---- */

static int by_distance(const void *a, const void *b)
{
  const neighbour *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Finds the known points nearest to the best one; returns their number. */
static size_t find_near(survey *q)
{
  size_t p = q->p, n = 0;
  for (size_t i = 0; i < q->count; i++) {
    if (i == q->best) continue;
    memcpy(q->step, point(q, i), p * sizeof *q->step);
    lr_axpy(p, -1, point(q, q->best), q->step);
    q->near[n++] = (neighbour){lr_norm(p, q->step), i};
  }
  qsort(q->near, n, sizeof *q->near, by_distance);
  return n < q->most ? n : q->most;
}

/* Moves the base of the model to the best point. */
static void move_model(survey *q)
{
  size_t p = q->p;
  memcpy(q->step, point(q, q->best), p * sizeof *q->step);
  lr_axpy(p, -1, q->model_at, q->step);
  for (size_t j = 0; j < p; j++) q->g[j] += lr_dot(p, q->H + j * p, q->step);
  memcpy(q->model_at, point(q, q->best), p * sizeof *q->step);
}

/* d = the neighbours' displacements in radii, y = their values minus the
 * model's. */
static void set_rows(survey *q, size_t n)
{
  size_t p = q->p;
  for (size_t i = 0; i < n; i++) {
    double *d = q->d + i * p;
    memcpy(d, point(q, q->near[i].at), p * sizeof *d);
    lr_axpy(p, -1, point(q, q->best), d);
    lr_symv(p, q->H, p, d, q->step);
    q->y[i] = q->f[q->near[i].at] - q->f[q->best] - lr_dot(p, d, q->g) -
              0.5 * lr_dot(p, d, q->step);
    lr_scale(p, 1 / q->radius, d);
  }
}

/* Fills the lower half of K, scaled to a unit diagonal by w = K_ii^-1/2, which
 * is stored after y. */
static void set_kernel(survey *q, size_t n)
{
  const lr_policy *P = q->run->policy;
  double *w = q->y + q->most;
  for (size_t j = 0; j < n; j++) {
    double *column = q->K + j * n;
    lr_gemv_t(q->p, n - j, q->d + j * q->p, q->p, q->d + j * q->p, column + j);
    for (size_t i = j; i < n; i++)
      column[i] = P->survey_linear * column[i] + 0.5 * column[i] * column[i];
    column[j] += lr_survey_ridge(P, q->near[j].distance / q->radius);
    w[j] = 1 / sqrt(column[j]);
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) q->K[j * n + i] *= w[i] * w[j];
}

/* y = K^-1 y by the Cholesky factor of the scaled K, which is overwritten.
 * False: K is not positive definite within rounding. */
static bool solve(survey *q, size_t n)
{
  double *K = q->K, *y = q->y, *w = y + q->most;
  for (size_t j = 0; j < n; j++) {
    double *c = K + j * n;
    if (!(c[j] > 1e-14)) return false;
    lr_scale(n - j, 1 / sqrt(c[j]), c + j);
    for (size_t i = j + 1; i < n; i++)
      lr_axpy(n - i, -c[i], c + i, K + i * n + i);
  }
  for (size_t j = 0; j < n; j++) y[j] *= w[j];
  for (size_t j = 0; j < n; j++) {
    y[j] /= K[j * n + j];
    lr_axpy(n - j - 1, -y[j], K + j * n + j + 1, y + j + 1);
  }
  for (size_t j = n; j-- > 0;)
    y[j] =
        (y[j] - lr_dot(n - j - 1, K + j * n + j + 1, y + j + 1)) / K[j * n + j];
  for (size_t j = 0; j < n; j++) y[j] *= w[j];
  return true;
}

static void learn(survey *q)
{
  size_t p = q->p, n = find_near(q);
  double D = q->radius;
  move_model(q);
  set_rows(q, n);
  set_kernel(q, n);
  if (!solve(q, n)) return;
  for (size_t i = 0; i < n; i++) {
    const double *d = q->d + i * p;
    lr_axpy(p, q->run->policy->survey_linear * q->y[i] / D, d, q->g);
    for (size_t j = 0; j < p; j++)
      lr_axpy(p, q->y[i] / (D * D) * d[j], d, q->H + j * p);
  }
}

/* ---- the points of a round ---- */

/* The next direction of an orthonormal cycle. */
static const double *next_direction(survey *q)
{
  size_t p = q->p;
  if (q->turn < p) return q->cycle + q->turn++ * p;
  lrgd_space *space = q->run->space;
  lrgd_vec w = {q->rounds->points, 0};
  for (size_t j = 0; j < p; j++) {
    double *u = q->cycle + j * p, size;
    space->ops->gaussian(space, w, q->run->oracle.seed,
                         LR_STREAM_SURVEY + q->draws++);
    space->ops->get(space, w, 0, p, u);
    for (int again = 0; again < 2; again++)
      for (size_t i = 0; i < j; i++)
        lr_axpy(p, -lr_dot(p, q->cycle + i * p, u), q->cycle + i * p, u);
    size = lr_norm(p, u);
    if (size > 0) lr_scale(p, 1 / size, u);
  }
  q->turn = 1;
  return q->cycle;
}

/* Adds the minima of the model for several radii to the round; *first: index of
 * the first. */
static void land(survey *q)
{
  size_t p = q->p, most = lr_survey_landings(q->run->policy, q->rounds->width);
  const double *x = point(q, q->best);
  for (size_t i = 0; i < p; i++) {
    q->region.lower[i] = -1 - x[i];
    q->region.upper[i] = 1 - x[i];
  }
  q->landings = 0;
  if (!lr_box_region_set(&q->region, q->g, q->H)) return;
  for (size_t l = 0; l < most; l++) {
    double *to = point(q, q->count + q->landings);
    double fall =
        lr_box_region_step(&q->region, q->radius * lr_wide_length(l), q->step);
    bool differs = true;
    for (size_t j = 0; j < p; j++) to[j] = x[j] + q->step[j];
    double size = lr_norm(p, q->step);
    for (size_t k = 0; k < q->landings && differs; k++) {
      memcpy(q->step, to, p * sizeof *q->step);
      lr_axpy(p, -1, point(q, q->count + k), q->step);
      differs = lr_wide_differs(q->run->policy, lr_norm(p, q->step), size);
    }
    if (!differs) continue;
    if (q->landings == 0) q->promised = fall;
    q->lengths[q->landings++] = size;
  }
}

/* Fills the round with points around the first landing. */
static void explore(survey *q)
{
  size_t p = q->p;
  const double *first = point(q, q->landings > 0 ? q->count : q->best);
  double far = q->run->policy->survey_spread * q->radius;
  for (size_t i = q->landings; i < q->rounds->width; i++) {
    double *to = point(q, q->count + i);
    const double *u = next_direction(q);
    for (size_t j = 0; j < p; j++)
      to[j] = fmin(fmax(first[j] + far * u[j], -1), 1);
  }
}

static lr_code iterate(survey *q)
{
  const lr_policy *P = q->run->policy;
  size_t width = q->rounds->width, n = q->count, best;
  double f = q->f[q->best];
  learn(q);
  land(q);
  explore(q);
  LR_TRY(ask(q, width, &best));
  bool landing = best < n + q->landings;
  double step = landing ? q->lengths[best - n] : 0;
  q->radius = lr_survey_radius(P, q->radius, f - q->f[best], q->promised,
                               landing, step, (double)width, (double)q->p);
  q->radius = fmin(q->radius, P->dfo_first_radius * sqrt((double)q->p));
  return LR_GO;
}

/* Whether the survey ends: 2 p values have brought a negligible decrease, the
 * memory is full, or the radius is too small. */
static bool ends(survey *q)
{
  double low = q->f[q->best];
  bool full = q->count + q->rounds->width > q->room;
  if (full || lr_survey_is_fine(q->run->policy, q->radius)) return true;
  if (q->count < q->cut + 2 * q->p) return false;
  bool little = lr_survey_ends(q->run->policy, q->cut_f - low, q->f[0] - low);
  q->cut = q->count;
  q->cut_f = low;
  return little;
}

static lr_code go(survey *q)
{
  lr_run *run = q->run;
  LR_TRY(lr_oracle_value(&run->oracle, &q->rounds->here, LRGD_PURPOSE_DESCEND));
  lr_run_stand(run, &q->rounds->here);
  LR_TRY(lr_run_count(run, &q->rounds->here));
  lr_frame_from(q->frame, q->rounds->here.x, q->points);
  q->f[0] = q->cut_f = q->rounds->here.f;
  q->count = 1;
  LR_TRY(begin(q));
  q->cut = q->count;
  while (!ends(q)) LR_TRY(iterate(q));
  return LR_GO;
}

lr_code lr_survey(lr_rounds *rounds, lr_frame *frame, double *radius)
{
  lr_run *run = rounds->run;
  survey q = {.rounds = rounds,
              .run = run,
              .frame = frame,
              .p = frame->p,
              .turn = frame->p,
              .radius = run->policy->dfo_first_radius,
              .draws = run->progress.attempt << 32};
  run->whole = true;
  lr_code code = open(&q);
  if (code == LR_GO) code = go(&q);
  *radius = q.radius;
  close(&q);
  return code;
}
