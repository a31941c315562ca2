/* How long plain descent would take, from the curvature at the minimum.
 *
 * Gradient descent is the one method that is seldom rehearsed to its end.  But
 * another method has found the minimum by then, and near it f is a quadratic
 * whose curvatures inside H are k (k + 1) / 2 + k values away, and outside H
 * (where f is only nearly low-rank) the one along the way to it a few more.
 * Descent on that quadratic, with the steps it really takes, costs no
 * evaluation. Flat minima have no such quadratic, and nothing is told of them.
 */
#include "analysis/outlook.h"
#include "analysis/made.h"
#include "base/finite.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "space/vec.h"

#include <math.h>
#include <string.h>

enum { MOST = 20, LONGEST = 400000 };

/* Curvatures below this share of the largest are taken for flat: second
 * differences of values do not see less. */
static const double flat = 1e-6;

typedef struct bowl {
  size_t k; /* directions, the one outside H included */
  double B[(MOST + 1) * (MOST + 1)];
} bowl;

static double bowl_gradient(size_t k, const double *z, double *g, void *user)
{
  const bowl *b = user;
  double f = 0;
  for (size_t i = 0; i < k; i++) {
    g[i] = 0;
    for (size_t j = 0; j < k; j++) g[i] += b->B[j * k + i] * z[j];
    f += 0.5 * g[i] * z[i];
  }
  return f;
}

static double ask(const lrgd_problem *f, const double *x, lr_asked *asked)
{
  double y = lr_made_ask(f, x);
  asked->all++;
  if (!lr_finite(y)) asked->failed++;
  return y;
}

/* The second derivatives of sigma at z, by second differences of values over
 * t; false where one is not a number. */
static bool hessian(const lrgd_problem *sigma, double *z, double t, double *B,
                    size_t stride, lr_asked *asked)
{
  size_t k = sigma->dimension;
  double one[MOST], f0 = ask(sigma, z, asked);
  for (size_t i = 0; i < k; i++) {
    double kept = z[i];
    z[i] = kept + t;
    one[i] = ask(sigma, z, asked);
    z[i] = kept;
  }
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) {
      double a = z[i], b = z[j];
      z[i] += t;
      z[j] += t;
      double both = ask(sigma, z, asked);
      z[j] = b;
      z[i] = a;
      double second = (both - one[i] - one[j] + f0) / (t * t);
      B[i * stride + j] = B[j * stride + i] = second;
      if (!isfinite(second)) return false;
    }
  return true;
}

/* The way from the start to the minimum: z inside the first k directions, and
 * a unit vector in LR_SPARE for the rest, whose length is returned. */
static double split(const lrgd_study *s, size_t k, const double *minimum,
                    double *z)
{
  lr_basis H = s->U;
  lrgd_vec e = {s->points, LR_SPARE};
  double *way = lr_rig_data(s->points, LR_SPARE), length;
  for (size_t i = 0; i < s->p; i++) way[i] = s->start[i] - minimum[i];
  H.k = k;
  lr_basis_project(&H, e, z);
  (void)lr_basis_reject(&H, e);
  return lr_normalise(s->rig.space, e, &length) ? length : 0;
}

/* The curvature at x along LR_SPARE. */
static double curvature(const lrgd_study *s, double *x, double t,
                        lr_asked *asked)
{
  const double *u = lr_rig_data(s->points, LR_SPARE);
  double f0 = ask(&s->problem, x, asked);
  for (size_t i = 0; i < s->p; i++) x[i] += t * u[i];
  double ahead = ask(&s->problem, x, asked);
  for (size_t i = 0; i < s->p; i++) x[i] -= 2 * t * u[i];
  double behind = ask(&s->problem, x, asked);
  for (size_t i = 0; i < s->p; i++) x[i] += t * u[i];
  return (ahead - 2 * f0 + behind) / (t * t);
}

/* Whether every direction is curved enough to be seen. */
static bool convex(const bowl *b, const lrgd_allocator *a)
{
  double copy[(MOST + 1) * (MOST + 1)], lambda[MOST + 1];
  lr_lapack *lapack = lr_lapack_create(a, b->k);
  bool fine = false;
  memcpy(copy, b->B, b->k * b->k * sizeof *copy);
  if (lapack && lr_eigen(lapack, b->k, copy, lambda) == LRGD_OK)
    fine = lambda[0] > flat * lambda[b->k - 1];
  lr_lapack_destroy(&lapack);
  return fine;
}

/* Iterations of descent on the bowl from z down to |gradient| <= tol. */
static double descend(bowl *b, double *z, double tol)
{
  lrgd_problem f = lrgd_problem_default(b->k);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  f.gradient = bowl_gradient;
  f.user = b;
  o.method = LRGD_METHOD_GD;
  o.tol = tol;
  o.max_iterations = LONGEST;
  o.guard_callbacks = 0;
  if (lrgd_minimize(&f, &o, z, &result, NULL) != LRGD_OK) return NAN;
  return result.outcome == LRGD_OUTCOME_CONVERGED ? (double)result.iterations
                                                  : NAN;
}

uint64_t lr_outlook_cost(const lrgd_study *s, bool reduced)
{
  uint64_t k = s->result.recommended_rank;
  return 1 + k + k * (k + 1) / 2 + (reduced ? 0 : 3);
}

/* A quadratic that does not explain the fall from z is not that of f: near a
 * flat minimum the curvature depends on where one stands. */
static bool explains(bowl *b, const double *z, double fall)
{
  double g[MOST + 1], told = bowl_gradient(b->k, z, g, b);
  return fall > 0 && told > fall / 3;
}

double lr_outlook_reduced(const lrgd_study *s, const lrgd_problem *sigma,
                          double *minimum, const double *from, double fall,
                          double tol, lr_asked *asked)
{
  bowl b = {.k = sigma->dimension};
  double z[MOST + 1], size = 1;
  if (b.k > MOST || !lr_made_has_values(sigma)) return NAN;
  for (size_t i = 0; i < b.k; i++) {
    z[i] = from[i] - minimum[i];
    size = fmax(size, fabs(minimum[i]));
  }
  if (!hessian(sigma, minimum, 1e-4 * size, b.B, b.k, asked)) return NAN;
  if (!convex(&b, &s->rig.allocator) || !explains(&b, z, fall)) return NAN;
  return descend(&b, z, tol);
}

double lr_outlook_whole(const lrgd_study *s, double *minimum, double tol,
                        lr_asked *asked)
{
  size_t k = s->result.recommended_rank;
  bool exact = s->result.exact_rank == k; /* nothing happens outside */
  bowl b = {.k = exact ? k : k + 1};
  double z[MOST + 2] = {0}, zero[MOST] = {0}, size = 1, outside = 0;
  lrgd_made *sigma;
  if (k > MOST || k > s->U.k || s->rig.bounds ||
      !lr_made_has_values(&s->problem))
    return NAN;
  for (size_t i = 0; i < s->p; i++) size = fmax(size, fabs(minimum[i]));
  double t = 1e-4 * size;
  z[k] = split(s, k, minimum, z);
  if (!exact) outside = curvature(s, minimum, 10 * t, asked);
  if (lrgd_made_reduce(&sigma, &s->problem, minimum, k,
                       lr_rig_data(s->U.block, 0), NULL) != LRGD_OK)
    return NAN;
  bool fine = hessian(lrgd_made_problem(sigma), zero, t, b.B, b.k, asked);
  lrgd_made_destroy(&sigma);
  if (!exact) b.B[k * b.k + k] = outside;
  if (!fine || !isfinite(outside) || !convex(&b, &s->rig.allocator)) return NAN;
  return descend(&b, z, tol);
}
