/* The start of a least-squares run that knows evaluations of another: it begins
 * at the lowest of them, and its model with the derivatives that they show.
 *
 * Each known point is paired with the nearest one that is closer to the base:
 * their difference is a derivative along the line between them, not quite at
 * the base.  With second derivatives of size c its error has the variance
 * c^2 (|x - b|^2 + |d|^2/4), x being the nearer of the two points, b the base
 * and d the difference; the model takes it as it takes one of its own. */
#include "least_squares/least_squares_state.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "learn/fit_rules.h"
#include "least_squares/least_squares_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At most so many points, the nearest ones: pairs take their square. */
enum { NEAREST = 512 };

/* A known point, by its distance from the base. */
typedef struct near_point {
  double far;
  size_t at;
} near_point;

/* The known points in scaled coordinates, nearest first, and their residuals in
 * the model's unit. */
typedef struct near_points {
  size_t n;
  near_point *order;
  double *u; /* p numbers each */
  double *y; /* n numbers each */
} near_points;

/* f of known residuals at x; NaN where some are missing. */
static double f_of(const lr_run *run, const double *x, const double *r,
                   double *rows)
{
  const lr_answers *a = &run->oracle.answers;
  const lr_known_rows *prior = a->known;
  size_t m = run->learned.vectors.m;
  double f = 0;
  for (size_t i = 0; i < m; i++)
    if (!lr_finite(r[i])) return NAN;
  if (a->loss.kind == LRGD_LOSS_LINEAR)
    f = 0.5 * lr_dot(m, r, r);
  else
    f = lr_loss_cost(&a->loss, m, r);
  if (!prior) return f;
  lr_known_rows_at(prior, x, rows);
  return f + 0.5 * lr_dot(prior->count, rows, rows);
}

static bool is_inside(const lr_least_squares *s, const double *x)
{
  for (size_t i = 0; lr_ls_boxed(s) && i < s->M.p; i++)
    if (x[i] < lr_ls_lower(s)[i] || x[i] > lr_ls_upper(s)[i]) return false;
  return true;
}

bool lr_ls_choose_known(lr_least_squares *s, double *x, double *f)
{
  lr_run *run = s->run;
  const lr_known_vectors *known = &run->learned.vectors;
  size_t best = known->n;
  if (lr_ls_evaluations(s) > 0) return false; /* a restart has its own start */
  for (size_t i = 0; i < known->n; i++) {
    const double *at = known->x + i * known->p;
    double cost = f_of(run, at, known->r + i * known->m, s->r);
    if (!lr_finite(cost) || !is_inside(s, at)) continue;
    /* the first known point counts as the start of the descent, relative to
     * which decreases of f are judged at the end */
    if (isnan(run->record.first_f)) run->record.first_f = cost;
    if (best < known->n && !(cost < *f)) continue;
    best = i;
    *f = cost;
  }
  if (best == known->n) return false;
  memcpy(x, known->x + best * known->p, known->p * sizeof *x);
  lr_oracle_reseed(&run->oracle, known->n);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_WARM_START,
                                     .count = known->n,
                                     .value = *f});
  return true;
}

lr_code lr_ls_verify_known(lr_least_squares *s, double known)
{
  lr_run *run = s->run;
  lr_oracle *o = &run->oracle;
  bool forget = true;
  if (!run->learned.verify) return LR_GO;
  o->answers.ignore_known(o->answers.self, forget);
  lr_code code = lr_ls_ask(s, LRGD_PURPOSE_CHECK, s->start.F);
  o->answers.ignore_known(o->answers.self, !forget);
  if (code != LR_GO && code != LR_NOVALUE) return code;
  double f = lr_oracle_users(o, s->trial.f);
  double most = lr_fit_agreement(s->policy, known, known, run->options.noise);
  if (code == LR_GO && fabs(f - known) <= most) return LR_GO;
  return lr_oracle_fault(o, LRGD_ERR_REFUSED,
                         "f was %.17g at the lowest point known, and is %.17g "
                         "there now: it is another function",
                         known, code == LR_GO ? f : (double)NAN);
}

/* ---- the model ---- */

static int compare_far(const void *a, const void *b)
{
  const near_point *one = a, *two = b;
  if (one->far != two->far) return one->far < two->far ? -1 : 1;
  return (one->at > two->at) - (one->at < two->at);
}

static void release(const lr_least_squares *s, near_points *q)
{
  lr_free(&s->run->allocator, q->order);
  lr_free(&s->run->allocator, q->u);
  lr_free(&s->run->allocator, q->y);
}

/* Sorts the complete points by their distance from the base. */
static bool gather(lr_least_squares *s, near_points *q)
{
  const lr_known_vectors *known = &s->run->learned.vectors;
  const lrgd_allocator *a = &s->run->allocator;
  size_t p = s->M.p, n = s->M.n, count = known->n;
  const double *b = lrgd_host_data(s->at.x);
  *q = (near_points){.order = lr_alloc(a, count, sizeof *q->order)};
  if (!q->order) return false;
  for (size_t i = 0; i < count; i++) {
    const double *x = known->x + i * p;
    double sum = 0;
    if (!lr_all_finite(known->r + i * n, n)) continue;
    for (size_t j = 0; j < p; j++)
      sum += (x[j] - b[j]) * (x[j] - b[j]) / (s->D[j] * s->D[j]);
    if (sum > 0) q->order[q->n++] = (near_point){sqrt(sum), i};
  }
  if (q->n > 0) qsort(q->order, q->n, sizeof *q->order, compare_far);
  if (q->n > NEAREST) q->n = NEAREST;
  q->u = lr_alloc_raw(a, q->n * p + 1, sizeof *q->u);
  q->y = lr_alloc_raw(a, q->n * n + 1, sizeof *q->y);
  if (!q->u || !q->y) return false;
  for (size_t i = 0; i < q->n; i++) {
    size_t at = q->order[i].at;
    for (size_t j = 0; j < p; j++)
      q->u[i * p + j] = (known->x[at * p + j] - b[j]) / s->D[j];
    for (size_t j = 0; j < n; j++)
      q->y[i * n + j] = s->unit * known->r[at * n + j];
  }
  return true;
}

/* The nearest to point i of those before it, or the base (i itself). */
static size_t nearest(const lr_least_squares *s, const near_points *q, size_t i,
                      double *distance)
{
  size_t p = s->M.p, best = i;
  const double *u = q->u + i * p;
  *distance = q->order[i].far;
  for (size_t j = 0; j < i; j++) {
    const double *v = q->u + j * p;
    double sum = 0, most = *distance * *distance;
    for (size_t l = 0; l < p && sum < most; l++)
      sum += (u[l] - v[l]) * (u[l] - v[l]);
    if (!(sum < most)) continue;
    *distance = sqrt(sum);
    best = j;
  }
  return best;
}

/* Learns from point i: the derivative along the line to its nearest point, as a
 * column where that leads out of V. */
static lr_code take_point(lr_least_squares *s, const near_points *q, size_t i)
{
  lr_residual_model *M = &s->M;
  size_t p = M->p, n = M->n;
  double t, *v = s->u, *y = M->s, *z = s->t;
  size_t j = nearest(s, q, i, &t);
  if (!(t > lr_ls_above_rounding(s->policy, s->rounding))) return LR_GO;
  double far = j == i ? 0 : q->order[j].far, noise = M->noise / (M->c * t);
  double variance = far * far + 0.25 * t * t + 2 * noise * noise;
  for (size_t l = 0; l < p; l++)
    v[l] = (q->u[i * p + l] - (j == i ? 0 : q->u[j * p + l])) / t;
  memset(y, 0, M->m * sizeof *y);
  for (size_t l = 0; l < n; l++)
    y[l] = (q->y[i * n + l] - (j == i ? M->F[l] : q->y[j * n + l])) / t;
  lr_ls_know(s, v, y);
  lr_gemv_t(p, M->k, M->V, p, v, z);
  for (size_t l = 0; l < M->k; l++) lr_axpy(p, -z[l], M->V + l * p, v);
  for (size_t l = 0; l < M->k; l++) lr_axpy(M->m, -z[l], M->J + l * M->m, y);
  double out = lr_norm(p, v);
  if (M->k == p || !lr_ls_wide(s->policy, out, 1)) {
    if (M->k > 0) lr_residual_model_learn_line(M, z, y, variance);
    return LR_GO;
  }
  if (M->k > 0) variance += lr_residual_model_times_P(M, z, M->y);
  /* again, so that V stays orthonormal */
  for (size_t l = 0; l < M->k; l++) {
    const double *w = M->V + l * p;
    lr_axpy(p, -lr_dot(p, w, v), w, v);
  }
  lr_scale(p, 1 / lr_norm(p, v), v);
  lr_scale(M->m, 1 / out, y);
  lr_ls_know(s, v, y);
  if (lr_residual_model_append(M, v, y, variance / (out * out)) == LRGD_OK)
    return LR_GO;
  return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu directions", M->k + 1);
}

static int compare(const void *a, const void *b)
{
  double one = *(const double *)a, two = *(const double *)b;
  return (one > two) - (one < two);
}

/* Sets the curvature to the median of those that explain the errors of the
 * model at the known points. */
static void set_curvature(lr_least_squares *s, const near_points *q, double *c)
{
  lr_residual_model *M = &s->M;
  size_t count = 0;
  for (size_t i = 0; i < q->n; i++) {
    double sum = 0, *z = s->t;
    lr_gemv_t(M->p, M->k, M->V, M->p, q->u + i * M->p, z);
    (void)lr_residual_model_promise(M, z, M->r);
    for (size_t l = 0; l < M->n; l++) {
      double e = q->y[i * M->n + l] - M->r[l];
      sum += e * e;
    }
    double error2 = lr_residual_model_error2(M, z);
    double noise2 = 2 * M->noise * M->noise;
    if (error2 > 0)
      c[count++] = sqrt(fmax(sum / (double)M->n - noise2, noise2) / error2);
  }
  if (count == 0) return;
  qsort(c, count, sizeof *c, compare);
  M->c = fmax(c[count / 2], s->least_c);
  s->bend = M->c;
  s->landings = 1; /* the curvature is known: no step need only measure it */
}

/* Restricts V to the singular directions of J along which F changes by more
 * than the error of J: differences of a former run lead in directions along
 * which F does not change, too, which would be measured with every renewal. */
static lrgd_status restrict_to_known(lr_least_squares *s)
{
  lr_residual_model *M = &s->M;
  size_t k = M->k, n = 0;
  double *W;
  lrgd_status status = lr_residual_model_new_directions(M, &W);
  if (status != LRGD_OK) return status;
  for (const double *size = W + k * k; n < k; n++) {
    double zPz = lr_residual_model_times_P(M, W + n * k, M->y);
    if (!(size[n] * size[n] > (double)M->n * M->c * M->c * zPz)) break;
  }
  if (n > 0 && n < k) status = lr_residual_model_restrict(M, W, n);
  lr_free(&M->allocator, W);
  return status;
}

void lr_ls_set_known_tolerance(lr_least_squares *s)
{
  lr_run *run = s->run;
  lr_residual_model *M = &s->M;
  const lr_known_vectors *known = &run->learned.vectors;
  const lr_answers *a = &run->oracle.answers;
  double *G = M->G, *first = M->s;
  if (run->goal.tol > 0 || M->k == 0 || known->n == 0) return;
  if (!lr_all_finite(known->r, known->m)) return;
  for (size_t i = 0; i < M->n; i++)
    first[i] = lr_loss_weight(&a->loss, known->r[i]) * known->r[i];
  if (a->known) lr_known_rows_at(a->known, known->x, first + M->n);
  lr_scale(M->m, s->unit, first);
  M->G = first;
  double seen = lr_ls_has_jacobian(s) ? 1 : (double)M->k / (double)M->p;
  double norm = lr_ls_gradient_all(s) / sqrt(seen);
  M->G = G;
  run->goal.tol = s->policy->default_tolerance * norm;
}

lr_code lr_ls_learn_known(lr_least_squares *s)
{
  near_points q;
  lr_code code = LR_GO;
  const lr_known_vectors *known = &s->run->learned.vectors;
  if (known->n == 0 || lr_ls_has_jacobian(s)) return LR_GO;
  double *c = lr_alloc(&s->run->allocator, known->n, sizeof *c);
  bool room = gather(s, &q) && c;
  for (size_t i = 0; room && i < q.n && code == LR_GO; i++)
    code = take_point(s, &q, i);
  if (room && code == LR_GO && s->M.k > 0) {
    set_curvature(s, &q, c);
    room = restrict_to_known(s) == LRGD_OK;
    lr_ls_set_known_tolerance(s);
  }
  release(s, &q);
  lr_free(&s->run->allocator, c);
  if (room) return code;
  return lr_oracle_fault(&s->run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu known evaluations", known->n);
}
