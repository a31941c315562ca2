/* From samples to directions.  Q becomes the subspace that fits all samples
 * best, weighted by their errors; then G = Q R, R = W S V', U = Q W; the
 * energies are S^2, with confidence bands by the bootstrap. */
#include "analysis/diagnosis_state.h"
#include "base/dense.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Square work space of the order of the number of samples. */
typedef struct work {
  lr_dense *dense;
  double *A, *s, *boot;
} work;

static void clear(work *w, const lrgd_allocator *a)
{
  lr_dense_destroy(&w->dense);
  lr_free(a, w->A);
  lr_free(a, w->s);
  lr_free(a, w->boot);
}

/* A = R (q x n), n x n with zero rows below. */
static void fill(const lrgd_diagnosis *s, double *A)
{
  size_t q = s->samples.Q.k, n = s->samples.n;
  memset(A, 0, n * n * sizeof *A);
  for (size_t j = 0; j < n; j++)
    memcpy(A + j * n, s->spectrum.R + j * q, q * sizeof *A);
}

/* An orthonormal basis of the span of all samples, errors included. */
static lrgd_status span_all(lrgd_diagnosis *s, lr_basis *all)
{
  lrgd_space *space = s->standalone.space;
  lrgd_vec w = {s->points, LR_SPARE};
  size_t most = s->samples.n < s->p ? s->samples.n : s->p;
  lrgd_status status =
      lr_basis_init(all, space, &s->standalone.allocator, most);
  for (size_t j = 0; j < s->samples.n && status == LRGD_OK && all->k < most;
       j++) {
    bool kept;
    space->ops->copy(space, w, (lrgd_vec){s->samples.G, j}, 1);
    if (s->samples.length[j] > 0) /* all but what rounding alone has left */
      status = lr_basis_append(all, w, 1e-13, &kept);
  }
  return status;
}

/* Q holds the directions in the order of sampling, each with the error of the
 * one gradient it came from.  The least-squares subspace of the same dimension,
 * weighted by the errors, is more accurate. */
static lrgd_status refit(lrgd_diagnosis *s, work *w)
{
  size_t q = s->samples.Q.k, n = s->samples.n;
  lr_basis all = {0};
  lrgd_status status = span_all(s, &all);
  if (status == LRGD_OK && all.k > q) {
    memset(w->A, 0, n * n * sizeof *w->A);
    for (size_t j = 0; j < n; j++) {
      double error = s->samples.share[j] * s->samples.length[j];
      if (!(error > 0)) continue;
      lr_basis_project(&all, (lrgd_vec){s->samples.G, j}, w->A + j * n);
      for (size_t i = 0; i < all.k; i++) w->A[j * n + i] /= error;
    }
    status = lr_svd(w->dense, n, w->A, w->s);
    for (size_t j = 1; j < q; j++)
      memmove(w->A + j * all.k, w->A + j * n, all.k * sizeof *w->A);
    if (status == LRGD_OK) {
      s->standalone.space->ops->combine(s->standalone.space,
                                        lr_basis_column(&s->samples.Q, 0), q,
                                        lr_basis_column(&all, 0), all.k, w->A);
      for (size_t j = 0; j < q; j++) s->samples.tilt[j] = fmin(1 / w->s[j], 1);
    }
  }
  lr_basis_clear(&all);
  return status;
}

static lrgd_status rotate(lrgd_diagnosis *s, work *w)
{
  size_t q = s->samples.Q.k, n = s->samples.n;
  fill(s, w->A);
  lrgd_status status = lr_svd(w->dense, n, w->A, s->spectrum.sigma);
  if (status != LRGD_OK) return status;
  for (size_t j = 1; j < q; j++) /* q x q, without the padding */
    memmove(w->A + j * q, w->A + j * n, q * sizeof *w->A);
  s->standalone.space->ops->combine(s->standalone.space,
                                    lr_basis_column(&s->spectrum.U, 0), q,
                                    lr_basis_column(&s->samples.Q, 0), q, w->A);
  s->spectrum.U.k = q;
  return LRGD_OK;
}

/* The energies of one bootstrap resample, ascending and normalised, into out.
 */
static lrgd_status boot(const lrgd_diagnosis *s, work *w, size_t b, double *out)
{
  size_t q = s->samples.Q.k, n = s->samples.n;
  double total = 0;
  memset(w->A, 0, q * q * sizeof *w->A);
  for (size_t k = 0; k < n; k++) {
    double u = lr_diagnosis_uniform((uint64_t)s->standalone.options.seed,
                                    LR_DIAGNOSIS_BOOT + b, k);
    size_t pick = (size_t)(u * (double)n);
    const double *r = s->spectrum.R + (pick < n ? pick : n - 1) * q;
    for (size_t j = 0; j < q; j++)
      for (size_t i = j; i < q; i++) w->A[j * q + i] += r[i] * r[j];
  }
  lrgd_status status = lr_eigen(w->dense, q, w->A, w->s);
  for (size_t i = 0; i < q; i++) total += fmax(w->s[i], 0);
  for (size_t i = 0; i < q; i++)
    out[i] = total > 0 ? fmax(w->s[q - 1 - i], 0) / total : 0;
  return status;
}

static lrgd_status bands(lrgd_diagnosis *s, work *w, double *low, double *high)
{
  size_t q = s->samples.Q.k;
  size_t boots = lr_diagnosis_bootstrap(s->standalone.oracle.policy);
  double *column = w->boot + q * boots, tail = 0.5 * (1 - s->want.confidence);
  for (size_t b = 0; b < boots; b++) {
    lrgd_status status = boot(s, w, b, w->boot + b * q);
    if (status != LRGD_OK) return status;
  }
  size_t cut = (size_t)(tail * (double)boots);
  for (size_t i = 0; i < q; i++) {
    for (size_t b = 0; b < boots; b++) column[b] = w->boot[b * q + i];
    lr_sort(column, boots);
    low[i] = column[cut];
    high[i] = column[boots - 1 - cut];
  }
  return LRGD_OK;
}

static void energies(lrgd_diagnosis *s)
{
  size_t q = s->samples.Q.k;
  double total = 0, sum = 0;
  for (size_t i = 0; i < q; i++)
    total += s->spectrum.sigma[i] * s->spectrum.sigma[i];
  for (size_t i = 0; i < q; i++) {
    s->spectrum.numbers[i] =
        s->spectrum.sigma[i] * s->spectrum.sigma[i] / total;
    sum += s->spectrum.numbers[i];
    s->spectrum.eta[i] = (lrgd_eta){.r = i + 1,
                                    .energy = fmin(sum, 1),
                                    .median = NAN,
                                    .p95 = NAN,
                                    .max = NAN,
                                    .epsilon = NAN};
  }
}

/* The angle by which each direction may be off: sample i has an error of length
 * e_i = share_i |g_i|, and u_j = G v_j / sigma_j inherits, to first order, the
 * sum of e_i v_ij / sigma_j, where v_ij = u_j'g_i / sigma_j. */
static void direction_errors(lrgd_diagnosis *s, double *d, double *angle)
{
  size_t q = s->spectrum.U.k;
  for (size_t j = 0; j < q; j++) angle[j] = 0;
  for (size_t i = 0; i < s->samples.n; i++) {
    double e = s->samples.share[i] * s->samples.length[i];
    lr_basis_project(&s->spectrum.U, (lrgd_vec){s->samples.G, i}, d);
    for (size_t j = 0; j < q; j++) angle[j] = lr_hypot(angle[j], e * d[j]);
  }
  for (size_t j = 0; j < q; j++) {
    double energy = s->spectrum.sigma[j] * s->spectrum.sigma[j];
    angle[j] = energy > angle[j] ? angle[j] / energy : 1;
  }
}

void lr_diagnosis_forget(lrgd_diagnosis *s)
{
  const lrgd_allocator *a = &s->standalone.allocator;
  lr_free(a, s->spectrum.R);
  lr_free(a, s->spectrum.sigma);
  lr_free(a, s->spectrum.numbers);
  lr_free(a, s->spectrum.eta);
  s->spectrum.R = s->spectrum.sigma = s->spectrum.numbers = NULL;
  s->spectrum.eta = NULL;
  lr_basis_clear(&s->spectrum.U);
}

/* Allocates all arrays whose size is that of the samples. */
static lrgd_status allocate(lrgd_diagnosis *s, work *w)
{
  const lrgd_allocator *a = &s->standalone.allocator;
  const lr_policy *P = s->standalone.oracle.policy;
  size_t q = s->samples.Q.k, n = s->samples.n;
  lr_diagnosis_forget(s);
  s->spectrum.R = lr_alloc(a, q * n, sizeof *s->spectrum.R);
  s->spectrum.sigma = lr_alloc(a, n, sizeof *s->spectrum.sigma);
  s->spectrum.numbers = lr_alloc(a, 4 * q, sizeof *s->spectrum.numbers);
  s->spectrum.eta = lr_alloc(a, q, sizeof *s->spectrum.eta);
  w->dense = lr_dense_create(a, n);
  w->A = lr_alloc(a, n * n, sizeof *w->A);
  w->s = lr_alloc(a, n, sizeof *w->s);
  w->boot = lr_alloc(a, (q + 1) * lr_diagnosis_bootstrap(P), sizeof *w->boot);
  bool all = s->spectrum.R && s->spectrum.sigma && s->spectrum.numbers &&
             s->spectrum.eta && w->dense && w->A && w->s && w->boot;
  return all ? lr_basis_init(&s->spectrum.U, s->standalone.space, a, q)
             : LRGD_ERR_NOMEM;
}

lrgd_status lr_diagnosis_spectrum(lrgd_diagnosis *s)
{
  work w = {0};
  size_t q = s->samples.Q.k;
  s->result.count = 0;
  if (q == 0) return LRGD_OK;
  lrgd_status status = allocate(s, &w);
  if (status == LRGD_OK) status = refit(s, &w);
  if (status == LRGD_OK) {
    for (size_t j = 0; j < s->samples.n; j++)
      lr_basis_project(&s->samples.Q, (lrgd_vec){s->samples.G, j},
                       s->spectrum.R + j * q);
    status = rotate(s, &w);
  }
  if (status == LRGD_OK) {
    energies(s);
    s->spectrum.angle = s->spectrum.numbers + 3 * q;
    direction_errors(s, w.s, s->spectrum.angle);
    status = bands(s, &w, s->spectrum.numbers + q, s->spectrum.numbers + 2 * q);
  }
  clear(&w, &s->standalone.allocator);
  if (status != LRGD_OK) return status;
  s->result.count = q;
  s->result.spectrum = s->spectrum.numbers;
  s->result.band_low = s->spectrum.numbers + q;
  s->result.band_high = s->spectrum.numbers + 2 * q;
  s->result.eta = s->spectrum.eta;
  return status;
}
