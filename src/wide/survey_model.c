/* The model of a survey. */
#include "wide/survey_model.h"

#include "base/memory.h"
#include "base/vector.h"
#include "wide/wide_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *point(const lr_survey_model *q, size_t i)
{
  return lr_survey_point(q, i);
}

/* ---- memory ---- */

static lr_code allocate(lr_survey_model *q)
{
  const lrgd_allocator *a = &q->run->allocator;
  size_t p = q->p, width = q->width;
  q->most = 2 * p + 1 + width;
  q->room = (size_t)(q->run->policy->dfo_longest) * p + 2 * width + 2 * p + 2;
  if (lr_oracle_async(&q->run->oracle))
    q->room += lr_survey_extra_room(q->run->policy, width);
  q->points = lr_alloc(a, q->room * (p + 1) + 1, sizeof *q->points);
  q->g = lr_alloc(a, p * (2 * p + 3 + LR_SURVEY_LANDINGS), sizeof *q->g);
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
  q->land = q->step + p;
  q->d = q->K + q->most * q->most;
  q->y = q->d + q->most * p;
  return LR_GO;
}

lr_code lr_survey_open(lr_survey_model *q, lr_run *run, size_t p,
                       lrgd_block *vector)
{
  *q = (lr_survey_model){.run = run,
                         .p = p,
                         .width = run->oracle.width,
                         .half = 1,
                         .window = 2 * p,
                         .turn = p,
                         .radius = run->policy->dfo_first_radius,
                         .draws = run->progress.attempt << 32,
                         .vector = vector};
  return allocate(q);
}

void lr_survey_close(lr_survey_model *q)
{
  const lrgd_allocator *a = &q->run->allocator;
  lr_free(a, q->points);
  lr_free(a, q->g);
  lr_free(a, q->K);
  lr_free(a, q->near);
  lr_box_region_clear(&q->region);
}

/* ---- the model ---- */

static int by_distance(const void *a, const void *b)
{
  const lr_neighbour *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Finds the known points nearest to the best one; returns their number. */
static size_t find_near(lr_survey_model *q)
{
  size_t p = q->p, n = 0;
  for (size_t i = 0; i < q->count; i++) {
    if (i == q->best) continue;
    memcpy(q->step, point(q, i), p * sizeof *q->step);
    lr_axpy(p, -1, point(q, q->best), q->step);
    q->near[n++] = (lr_neighbour){lr_norm(p, q->step), i};
  }
  qsort(q->near, n, sizeof *q->near, by_distance);
  return n < q->most ? n : q->most;
}

/* Moves the base of the model to the best point. */
static void move_model(lr_survey_model *q)
{
  size_t p = q->p;
  memcpy(q->step, point(q, q->best), p * sizeof *q->step);
  lr_axpy(p, -1, q->model_at, q->step);
  for (size_t j = 0; j < p; j++) q->g[j] += lr_dot(p, q->H + j * p, q->step);
  memcpy(q->model_at, point(q, q->best), p * sizeof *q->step);
}

/* d = the neighbours' displacements in radii, y = their values minus the
 * model's. */
static void set_rows(lr_survey_model *q, size_t n)
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
static void set_kernel(lr_survey_model *q, size_t n)
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
static bool solve(lr_survey_model *q, size_t n)
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

void lr_survey_learn(lr_survey_model *q)
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

/* ---- new points ---- */

/* The next direction of an orthonormal cycle. */
static const double *next_direction(lr_survey_model *q)
{
  size_t p = q->p;
  if (q->turn < p) return q->cycle + q->turn++ * p;
  lrgd_space *space = q->run->space;
  lrgd_vec w = {q->vector, 0};
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

static bool differs(lr_survey_model *q, const double *to, double size)
{
  for (size_t k = 0; k < q->landings; k++) {
    memcpy(q->step, to, q->p * sizeof *q->step);
    lr_axpy(q->p, -1, q->land + k * q->p, q->step);
    if (!lr_wide_differs(q->run->policy, lr_norm(q->p, q->step), size))
      return false;
  }
  return true;
}

void lr_survey_land(lr_survey_model *q)
{
  size_t p = q->p, most = lr_survey_landings(q->run->policy, q->width);
  const double *x = point(q, q->best);
  for (size_t i = 0; i < p; i++) {
    q->region.lower[i] = -q->half - x[i];
    q->region.upper[i] = q->half - x[i];
  }
  q->landings = 0;
  q->promised = 0;
  if (!lr_box_region_set(&q->region, q->g, q->H)) return;
  for (size_t l = 0; l < most && l < LR_SURVEY_LANDINGS; l++) {
    double *to = q->land + q->landings * p;
    double fall =
        lr_box_region_step(&q->region, q->radius * lr_wide_length(l), q->step);
    double size = lr_norm(p, q->step);
    for (size_t j = 0; j < p; j++) to[j] = x[j] + q->step[j];
    if (!differs(q, to, size)) continue;
    if (q->landings == 0) q->promised = fall;
    q->lengths[q->landings++] = size;
  }
}

void lr_survey_explore(lr_survey_model *q, double *to)
{
  size_t p = q->p;
  const double *first = q->landings > 0 ? q->land : point(q, q->best);
  double far = q->run->policy->survey_spread * q->radius;
  const double *u = next_direction(q);
  for (size_t j = 0; j < p; j++)
    to[j] = fmin(fmax(first[j] + far * u[j], -q->half), q->half);
}

/* ---- its end ---- */

bool lr_survey_is_over(lr_survey_model *q)
{
  double low = q->f[q->best];
  bool full = q->count + q->width > q->room;
  if (full || lr_survey_is_fine(q->run->policy, q->radius)) return true;
  if (q->count < q->cut + q->window) return false;
  bool little = lr_survey_ends(q->run->policy, q->cut_f - low, q->f[0] - low);
  q->cut = q->count;
  q->cut_f = low;
  return little;
}
