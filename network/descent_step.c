/* Steps inside the subspace: Gauss-Newton, and the library's rules. */
#include "descent_private.h"

#include "base/finite.h"
#include "blas.h"
#include "mlp_private.h"

#include <math.h>
#include <string.h>

void lr_walk_move(lr_walk *walk, size_t k, double scale)
{
  for (size_t j = 0; j < k; j++)
    lr_blas.saxpy((int)walk->net->p, (float)(scale * walk->z[j]),
                  walk->U + j * walk->net->p, 1, walk->x, 1);
}

/* ---- Gauss-Newton ---- */

/* The Hessian of the loss in the outputs is diag(q) - q q^T = S^T S with
 * S = diag(sqrt q) (I - 1 q^T).  Row j of C is S t / sqrt(n) over all images,
 * t the outputs' tangent along direction j: B = C C^T. */
static void curvature(lr_walk *walk, size_t k)
{
  size_t n = walk->batch.n, classes = walk->net->widths[walk->net->layers];
  const float *P = lr_mlp_probabilities(walk->work);
  for (size_t i = 0; i < n; i++, P += classes)
    for (size_t j = 0; j < k; j++) {
      const float *t = lr_mlp_output_tangent(walk->work, i, j);
      float mean = 0, *row = walk->C + (j * n + i) * classes;
      for (size_t c = 0; c < classes; c++) mean += P[c] * t[c];
      for (size_t c = 0; c < classes; c++)
        row[c] = sqrtf(P[c] / (float)n) * (t[c] - mean);
    }
}

/* B = L L^T in place, lower; false where it is not positive definite. */
static bool cholesky(size_t k, double *B)
{
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i <= j; i++) {
      double sum = B[j * k + i];
      for (size_t q = 0; q < i; q++) sum -= B[j * k + q] * B[i * k + q];
      if (i == j && !(sum > 0)) return false;
      B[j * k + i] = i == j ? sqrt(sum) : sum / B[i * k + i];
    }
  return true;
}

static void solve(size_t k, const double *L, const double *d, double *z)
{
  for (size_t j = 0; j < k; j++) {
    double sum = -d[j];
    for (size_t q = 0; q < j; q++) sum -= L[j * k + q] * z[q];
    z[j] = sum / L[j * k + j];
  }
  for (size_t j = k; j-- > 0;) {
    double sum = z[j];
    for (size_t q = j + 1; q < k; q++) sum -= L[q * k + j] * z[q];
    z[j] = sum / L[j * k + j];
  }
}

/* B = C C^T */
static void gauss_newton_matrix(lr_walk *walk, size_t k)
{
  size_t all = walk->batch.n * walk->net->widths[walk->net->layers];
  float *small = walk->small;
  curvature(walk, k);
  lr_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)k, (int)k,
                (int)all, 1, walk->C, (int)all, walk->C, (int)all, 0, small,
                (int)k);
  for (size_t i = 0; i < k * k; i++) walk->B[i] = (double)small[i];
}

bool lr_gauss_newton(lr_walk *walk, size_t k, double share)
{
  double trace = 0, *B = walk->B;
  if (walk->card != NULL) {
    lr_card_step(walk->card, k, walk->how->damping, share);
    return true; /* a singular matrix is seen in the next loss */
  }
  gauss_newton_matrix(walk, k);
  for (size_t j = 0; j < k; j++) trace += B[j * k + j];
  double lift = walk->how->damping * trace / (double)k;
  for (size_t j = 0; j < k; j++) B[j * k + j] += lift + 1e-7 * trace;
  if (!lr_finite(trace) || !cholesky(k, B)) return false;
  solve(k, B, walk->d, walk->z);
  lr_walk_move(walk, k, share);
  return true;
}

/* ---- the library's rules ---- */

static void place_trial(lr_walk *walk, const double *z)
{
  size_t p = walk->net->p;
  memcpy(walk->trial, walk->x, p * sizeof *walk->x);
  for (size_t j = 0; j < walk->k; j++)
    lr_blas.saxpy((int)p, (float)z[j], walk->U + j * p, 1, walk->trial, 1);
}

static lr_code value_at(void *self, const double *z, double *f)
{
  lr_walk *walk = self;
  if (!lr_walk_pay(walk, 1)) return LR_END;
  walk->news.values++;
  place_trial(walk, z);
  *f = lr_mlp_value(walk->net, walk->work, walk->trial, &walk->batch);
  return lr_finite(*f) ? LR_GO : LR_NOVALUE;
}

/* At the trial, along U u. */
static lr_code slope_at(void *self, const double *u, double *d)
{
  lr_walk *walk = self;
  size_t p = walk->net->p, k = walk->k;
  float *along = walk->U + k * p; /* a spare column, behind the directions */
  if (!lr_walk_pay(walk, 2)) return LR_END;
  walk->news.slopes++;
  memset(along, 0, p * sizeof *along);
  for (size_t j = 0; j < k; j++)
    lr_blas.saxpy((int)p, (float)u[j], walk->U + j * p, 1, along, 1);
  (void)lr_mlp_slopes(walk->net, walk->work, walk->trial, &walk->batch, 1,
                      along, d);
  return lr_finite(*d) ? LR_GO : LR_NOVALUE;
}

lr_code lr_walk_rule(lr_walk *walk, size_t k, double f)
{
  /* values of a float network closer than this are equal */
  lr_restricted phi = {walk, 1e-6 * fabs(f), value_at, slope_at};
  double ignored;
  lr_code code = lr_step_take(&walk->step, &phi, f, walk->d, walk->z, &ignored);
  if (code == LR_GO) lr_walk_move(walk, k, 1);
  return code;
}
