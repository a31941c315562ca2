/* Principal directions of the gradients of a run.
 *
 * Measured whole gradients are used directly.  Where only slopes inside a
 * subspace were measured, a quadratic is fitted to them, and its gradients at
 * the points of the run are used. */
#include "principal_directions.h"

#include "quadratic_fit.h"
#include "small_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIT_MOST = 24, /* the most dimensions of a fit, which has 324 unknowns then */
  FIT_ROWS = 4096
};

/* Gradients shorter than this share of the longest are left out of the
 * spectrum: at the end of a run they are rounding and noise.  A fit uses them:
 * only they determine the directions of small curvature. */
static const double SHORT = 1e-3, TINY = 1e-9;

/* Gradients shorter than this share of the first are mostly error. */
static const double LEAST = 1e-4;

/* ---- principal directions ---- */

/* The spectrum of n vectors of length p, each normalised, from their Gram
 * matrix; and the directions W that span it. */
static lrgd_status principal(cli_directions *found, size_t p, size_t n,
                             double *G, lrgd_error *error)
{
  if (n == 0) return LRGD_OK;
  double *K = malloc((2 * n * n + n) * sizeof *K);
  if (K == NULL) return fail_memory(error);
  double *E = K + n * n, *values = E + n * n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      K[i * n + j] = K[j * n + i] =
          small_dot(p, G + i * p, G + j * p) / (double)n;
  small_eigen(n, K, values, E);
  size_t most = n < p ? n : p;
  while (most > 0 && !(values[most - 1] > 1e-14)) most--;
  found->values = most < DIRECTIONS_VALUES ? most : DIRECTIONS_VALUES;
  memcpy(found->spectrum, values, found->values * sizeof *values);
  /* differences are accurate to some 1e-5: smaller squares are no direction */
  while (most > 0 && !(values[most - 1] > 1e-8)) most--;
  found->count = most < DIRECTIONS_MOST ? most : DIRECTIONS_MOST;
  found->W = calloc(p * found->count + 1, sizeof *found->W);
  for (size_t j = 0; found->W != NULL && j < found->count; j++)
    for (size_t i = 0; i < n; i++) {
      double share = E[i * n + j] / sqrt(values[j] * (double)n);
      for (size_t l = 0; l < p; l++)
        found->W[j * p + l] += share * G[i * p + l];
    }
  free(K);
  return found->W != NULL ? LRGD_OK : fail_memory(error);
}

/* Drops short vectors and normalises the rest; returns how many are left. */
static size_t normalise(size_t p, size_t n, double *G, double least)
{
  double longest = 0;
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    longest = fmax(longest, sqrt(small_dot(p, G + i * p, G + i * p)));
  for (size_t i = 0; i < n; i++) {
    double length = sqrt(small_dot(p, G + i * p, G + i * p));
    if (!(length > least * longest)) continue;
    for (size_t l = 0; l < p; l++) G[kept * p + l] = G[i * p + l] / length;
    kept++;
  }
  return kept;
}

/* ---- from whole gradients ---- */

/* A copy of all gradients in units of width; free() it. */
static double *copy_gradients(const cli_slopes *s, const double *width)
{
  size_t n = s->gradient_count, p = s->p;
  double *G = malloc(n * p * sizeof *G);
  for (size_t i = 0; G != NULL && i < n * p; i++)
    G[i] = s->gradients[i] * (width != NULL ? width[i % p] : 1);
  return G;
}

/* Coordinates of x from the origin along r columns of W. */
static void along(size_t p, size_t r, const double *W, const double *x,
                  const double *origin, double *z)
{
  for (size_t j = 0; j < r; j++) {
    z[j] = 0;
    for (size_t l = 0; l < p; l++)
      z[j] += W[j * p + l] * (x[l] - (origin != NULL ? origin[l] : 0));
  }
}

typedef void (*visit_fn)(cli_quadratic *q, const double *a, const double *z,
                         double d);

/* Visits the slope d along a at z, scaled by the norm of its gradient: every
 * gradient has weight one, as the end of a run shows f as much as its
 * beginning. */
static void visit_one(cli_quadratic *q, visit_fn visit, const double *a,
                      double *z, double d, double length)
{
  double at[DIRECTIONS_MOST];
  length = fmax(length, q->least);
  if (!(length > 0)) return;
  for (size_t j = 0; j < q->r; j++) at[j] = z[j] / length;
  q->weight = 1 / length;
  q->rows++;
  visit(q, a, at, d / length);
}

static void visit_gradients(cli_quadratic *q, const cli_slopes *s,
                            const double *W, const double *origin,
                            visit_fn visit)
{
  double z[DIRECTIONS_MOST], d[DIRECTIONS_MOST], a[DIRECTIONS_MOST];
  for (size_t i = 0; i < s->gradient_count; i++) {
    const double *g = s->gradients + i * s->p;
    double length = sqrt(small_dot(s->p, g, g));
    along(s->p, q->r, W, s->places + i * s->p, origin, z);
    along(s->p, q->r, W, g, NULL, d);
    for (size_t j = 0; j < q->r; j++) {
      memset(a, 0, sizeof a);
      a[j] = 1;
      visit_one(q, visit, a, z, d[j], length);
    }
  }
}

/* The norm of the gradient at the base of slope i, from its slopes, which are
 * adjacent. */
static double length_at_base(const cli_slopes *s, size_t i)
{
  size_t base = s->base[i];
  double sum = 0;
  while (i > 0 && s->base[i - 1] == base) i--;
  for (; i < s->slope_count && s->base[i] == base; i++)
    sum += s->slope[i] * s->slope[i];
  return sqrt(sum);
}

/* Visits slopes along directions inside W; others are not used. */
static void visit_slopes(cli_quadratic *q, const cli_slopes *s, const double *W,
                         const double *origin, visit_fn visit)
{
  double z[DIRECTIONS_MOST], a[DIRECTIONS_MOST];
  for (size_t i = 0; i < s->slope_count && q->rows < FIT_ROWS; i++) {
    along(s->p, q->r, W, s->directions + i * s->p, NULL, a);
    if (!(small_dot(q->r, a, a) > 0.999)) continue;
    along(s->p, q->r, W, s->bases + s->base[i] * s->p, origin, z);
    for (size_t j = 0; j < q->r; j++) z[j] += 0.5 * s->length[i] * a[j];
    visit_one(q, visit, a, z, s->slope[i], length_at_base(s, i));
  }
}

static void visit_all(cli_quadratic *q, const cli_slopes *s, const double *W,
                      const double *origin, visit_fn visit)
{
  q->rows = 0;
  q->least = LEAST * sqrt(small_dot(s->p, s->gradients, s->gradients));
  visit_gradients(q, s, W, origin, visit);
  visit_slopes(q, s, W, origin, visit);
}

/* The gradient norm that the run was to reach, or reached. */
static double wanted_norm(const cli_slopes *s, const directions_run *run)
{
  double first = sqrt(small_dot(s->p, s->gradients, s->gradients));
  double tol = isnan(run->tol) ? 1e-6 * first : run->tol;
  return run->converged && tol > run->reached ? tol : run->reached;
}

static void simulate_descent(cli_directions *found, const cli_quadratic *q,
                             double norm)
{
  double B[DIRECTIONS_MOST * DIRECTIONS_MOST];
  quadratic_hessian(q, B);
  found->misfit = q->power > 0 ? q->left / q->power : NAN;
  found->gd_norm = norm;
  if (found->misfit < 0.1) found->gd_steps = quadratic_descent(q, B, norm);
}

static lrgd_status fit_gradients(cli_directions *found, const cli_slopes *s,
                                 const directions_run *run,
                                 const cli_directions *all, lrgd_error *error)
{
  cli_quadratic q;
  if (all->count == 0) return LRGD_OK;
  bool made = quadratic_make(&q, all->count);
  if (made) {
    visit_all(&q, s, all->W, run->origin, quadratic_add);
    /* more slopes than unknowns, otherwise any quadratic fits */
    if (2 * q.rows >= 3 * q.unknowns && quadratic_solve(&q)) {
      visit_all(&q, s, all->W, run->origin, quadratic_check);
      simulate_descent(found, &q, wanted_norm(s, run));
    }
  }
  quadratic_free(&q);
  return made ? LRGD_OK : fail_memory(error);
}

/* Estimates the steps of gradient descent by a quadratic in the span of all
 * gradients. */
static lrgd_status foresee(cli_directions *found, const cli_slopes *s,
                           const directions_run *run, lrgd_error *error)
{
  cli_directions all = {.W = NULL};
  double *G = copy_gradients(s, NULL);
  if (G == NULL) return fail_memory(error);
  size_t n = normalise(s->p, s->gradient_count, G, TINY);
  lrgd_status status = principal(&all, s->p, n, G, error);
  free(G);
  if (status == LRGD_OK) status = fit_gradients(found, s, run, &all, error);
  directions_free(&all);
  return status;
}

static lrgd_status from_gradients(cli_directions *found, const cli_slopes *s,
                                  const directions_run *run, lrgd_error *error)
{
  double *G = copy_gradients(s, run->width);
  if (G == NULL) return fail_memory(error);
  size_t n = normalise(s->p, s->gradient_count, G, SHORT);
  lrgd_status status = LRGD_OK;
  if (n > 0) {
    found->source = DIRECTIONS_GRADIENTS;
    found->seen = s->gradient_seen;
    status = principal(found, s->p, n, G, error);
  }
  free(G);
  if (status == LRGD_OK && n > 0 && run->width == NULL)
    status = foresee(found, s, run, error);
  return status;
}

/* ---- from slopes inside a subspace ---- */

/* Slopes and bases in the coordinates of V. */
typedef struct inside {
  size_t k, rows, bases;
  double *a, *z, *d; /* k, k, 1 numbers each */
  double *base;      /* k each */
} inside;

static bool inside_make(inside *in, const cli_slopes *s, size_t k)
{
  *in = (struct inside){.k = k, .bases = s->base_count};
  in->a = malloc((s->slope_count * k + 1) * sizeof *in->a);
  in->z = malloc((s->slope_count * k + 1) * sizeof *in->z);
  in->d = malloc((s->slope_count + 1) * sizeof *in->d);
  in->base = malloc((s->base_count * k + 1) * sizeof *in->base);
  return in->a != NULL && in->z != NULL && in->d != NULL && in->base != NULL;
}

static void inside_free(inside *in)
{
  free(in->a);
  free(in->z);
  free(in->d);
  free(in->base);
}

/* Keeps slopes along directions in V; probes outside are not used. */
static void look_inside(inside *in, const cli_slopes *s,
                        const directions_run *run)
{
  size_t k = in->k;
  for (size_t b = 0; b < s->base_count; b++)
    along(s->p, k, run->V, s->bases + b * s->p, run->origin, in->base + b * k);
  for (size_t i = 0; i < s->slope_count && in->rows < FIT_ROWS; i++) {
    double *a = in->a + in->rows * k, *z = in->z + in->rows * k;
    along(s->p, k, run->V, s->directions + i * s->p, NULL, a);
    if (!(small_dot(k, a, a) > 0.999)) continue;
    for (size_t j = 0; j < k; j++)
      z[j] = in->base[s->base[i] * k + j] + 0.5 * s->length[i] * a[j];
    in->d[in->rows++] = s->slope[i];
  }
}

/* Sets G to the quadratic's gradients, in V, where slopes were measured. */
static lrgd_status model_gradients(cli_directions *found, const inside *in,
                                   const cli_quadratic *q, lrgd_error *error)
{
  size_t k = in->k, n = in->bases < 256 ? in->bases : 256;
  double B[FIT_MOST * FIT_MOST], *G = malloc((n * k + 1) * sizeof *G);
  if (G == NULL) return fail_memory(error);
  quadratic_hessian(q, B);
  for (size_t i = 0; i < n; i++)
    quadratic_gradient(q, B, in->base + i * k, G + i * k);
  n = normalise(k, n, G, SHORT);
  lrgd_status status = principal(found, k, n, G, error);
  free(G);
  return status;
}

/* Maps directions in V to directions in the whole space. */
static lrgd_status lift(cli_directions *found, size_t p,
                        const directions_run *run, lrgd_error *error)
{
  double *W = calloc(p * found->count + 1, sizeof *W);
  if (W == NULL) return fail_memory(error);
  for (size_t j = 0; j < found->count; j++)
    for (size_t m = 0; m < run->k; m++)
      for (size_t l = 0; l < p; l++)
        W[j * p + l] += found->W[j * run->k + m] * run->V[m * p + l];
  free(found->W);
  found->W = W;
  return LRGD_OK;
}

static lrgd_status fit_inside(cli_directions *found, const cli_slopes *s,
                              const directions_run *run, const inside *in,
                              lrgd_error *error)
{
  cli_quadratic q;
  lrgd_status status = LRGD_OK;
  size_t k = in->k;
  if (!quadratic_make(&q, k)) {
    quadratic_free(&q);
    return fail_memory(error);
  }
  for (size_t i = 0; i < in->rows; i++)
    quadratic_add(&q, in->a + i * k, in->z + i * k, in->d[i]);
  if (in->rows > k && quadratic_solve(&q)) {
    status = model_gradients(found, in, &q, error);
    if (status == LRGD_OK) status = lift(found, s->p, run, error);
    if (status == LRGD_OK) {
      found->source = DIRECTIONS_SUBSPACE;
      found->seen = k;
    }
  }
  quadratic_free(&q);
  return status;
}

static lrgd_status from_subspace(cli_directions *found, const cli_slopes *s,
                                 const directions_run *run, lrgd_error *error)
{
  inside in;
  lrgd_status status = LRGD_OK;
  if (!inside_make(&in, s, run->k))
    status = fail_memory(error);
  else
    look_inside(&in, s, run);
  if (status == LRGD_OK) status = fit_inside(found, s, run, &in, error);
  inside_free(&in);
  return status;
}

lrgd_status directions_find(cli_directions *found, const cli_slopes *s,
                            const directions_run *run, lrgd_error *error)
{
  /* A few whole gradients determine directions better than slopes in a subspace
   * of many random directions do, and one gradient better than slopes in a
   * subspace of few. */
  bool many = 4 * run->k >= s->p || s->gradient_count == 0;
  bool subspace = many && run->k > 3 * s->gradient_count &&
                  run->k <= FIT_MOST && run->width == NULL &&
                  s->slope_count > 0;
  lrgd_status status = LRGD_OK;
  *found = (struct cli_directions){.misfit = NAN, .gd_steps = NAN};
  if (subspace)
    status = from_subspace(found, s, run, error);
  else if (s->gradient_count > 0)
    status = from_gradients(found, s, run, error);
  found->lost = s->gradient_lost;
  return status;
}

void directions_free(cli_directions *found)
{
  free(found->W);
  *found = (struct cli_directions){.misfit = NAN, .gd_steps = NAN};
}
