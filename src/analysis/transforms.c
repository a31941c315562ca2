/* The rank in other variables, logarithms of the inputs or other units,
 * computed from the samples without evaluations. */
#include "analysis/diagnosis_state.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/sort.h"
#include "subspace/identify.h"

#include <math.h>

/* The physical value of input i at sample j, and dx/dy. */
static double input(const lrgd_diagnosis *s, size_t i, size_t j, double *rate)
{
  double y = lr_standalone_oracle_data(s->samples.X, j)[i];
  *rate = s->region.boxed ? 0.5 * (s->given.upper[i] - s->given.lower[i]) : 1;
  return s->region.boxed
             ? 0.5 * (s->given.lower[i] + s->given.upper[i]) + *rate * y
             : y;
}

/* The range of log x_i over the samples; 0 where an x_i is not positive. */
static double width(const lrgd_diagnosis *s, size_t i)
{
  double low = INFINITY, high = -INFINITY, rate;
  for (size_t j = 0; j < s->samples.n; j++) {
    double x = input(s, i, j, &rate);
    if (!(x > 0)) return 0;
    low = fmin(low, lr_log(x));
    high = fmax(high, lr_log(x));
  }
  return high - low;
}

/* T = the gradients in (log x_i - ...) / half their range, as the box scales
 * inputs. */
static size_t transform(const lrgd_diagnosis *s, lrgd_block *T)
{
  size_t taken = 0;
  for (size_t i = 0; i < s->p; i++) {
    double wide = width(s, i), rate;
    taken += wide > 0;
    for (size_t j = 0; j < s->samples.n; j++) {
      double x = input(s, i, j, &rate),
             g = lr_standalone_oracle_data(s->samples.G, j)[i];
      lr_standalone_oracle_data(T, j)[i] =
          wide > 0 ? g / rate * x * 0.5 * wide : g;
    }
  }
  return taken;
}

/* The rank of the columns of T, and how many of the last lie in the span of the
 * others. */
static lrgd_status count_rank(const lrgd_diagnosis *s, lrgd_block *T,
                              size_t *rank, size_t *clean)
{
  lrgd_space *space = s->standalone.space;
  lr_basis Q = {0};
  lrgd_block *w = space->ops->make(space, 1);
  lrgd_status status = w ? lr_basis_init(&Q, space, &s->standalone.allocator,
                                         8 < s->p ? 8 : s->p)
                         : LRGD_ERR_NOMEM;
  double apart =
      lr_diagnosis_margin(s->standalone.oracle.policy, s->result.tolerance);
  *clean = 0;
  for (size_t j = 0; j < s->samples.n && status == LRGD_OK; j++) {
    bool kept;
    lrgd_vec v = {w, 0};
    space->ops->copy(space, v, (lrgd_vec){T, j}, 1);
    status = lr_basis_append(&Q, v, apart, &kept);
    *clean = kept ? 0 : *clean + 1;
  }
  *rank = Q.k;
  lr_basis_clear(&Q);
  space->ops->free(space, w);
  return status;
}

/* The 95 % quantile of eta of the second half of T, for r directions of the
 * first, into *p95; first: a copy of that half. */
static lrgd_status by_halves(const lrgd_diagnosis *s, lrgd_block *T, size_t r,
                             lrgd_block *first, double *p95)
{
  lrgd_space *space = s->standalone.space;
  size_t half = s->samples.n / 2, n = s->samples.n - half;
  lr_basis H = {0};
  lr_identified found;
  double *eta = lr_alloc(&s->standalone.allocator, n, sizeof *eta), norm;
  lrgd_status status =
      eta ? lr_basis_init(&H, space, &s->standalone.allocator, r)
          : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) {
    space->ops->copy(space, (lrgd_vec){first, 0}, (lrgd_vec){T, 0}, half);
    /* all directions but what is rounding, 1e-12 of the largest */
    status = lr_identify(&H, (lrgd_vec){first, 0}, half, r, LRGD_IDENTIFY_SVD,
                         1e-12, &found);
  }
  for (size_t j = 0; j < n && status == LRGD_OK; j++) {
    lrgd_vec v = {first, 0};
    space->ops->copy(space, v, (lrgd_vec){T, half + j}, 1);
    (void)space->ops->measure(space, v, &norm);
    eta[j] = norm > 0 ? lr_basis_reject(&H, v) / norm : 0;
  }
  if (status == LRGD_OK) {
    lr_sort(eta, n);
    *p95 = lr_diagnosis_p95(eta, n);
  }
  lr_basis_clear(&H);
  lr_free(&s->standalone.allocator, eta);
  return status;
}

/* The smallest r whose eta meets the threshold on the second half of T; 0:
 * none. */
static lrgd_status nearly(const lrgd_diagnosis *s, lrgd_block *T,
                          lrgd_block *first, size_t *rank, double *p95)
{
  size_t most = s->p < s->samples.n / 2 ? s->p : s->samples.n / 2;
  lrgd_status status = LRGD_OK;
  *rank = 0;
  for (size_t r = 1; r <= most && status == LRGD_OK; r++) {
    status = by_halves(s, T, r, first, p95);
    if (*p95 > s->want.eta) continue;
    *rank = r;
    break;
  }
  return status;
}

static lrgd_status look(const lrgd_diagnosis *s, lrgd_block *T,
                        lrgd_block *first, void *user)
{
  lrgd_logarithms *found = user;
  size_t rank, clean;
  found->taken = transform(s, T);
  if (found->taken == 0) return LRGD_OK;
  lrgd_status status = count_rank(s, T, &rank, &clean);
  if (status == LRGD_OK && rank < s->p && clean >= 2) found->exact_rank = rank;
  if (status != LRGD_OK) return status;
  return nearly(s, T, first, &found->rank, &found->p95);
}

/* dx/dy for other units: the inputs' own units where a box has scaled them;
 * otherwise the size of each input at the start.  0: it is zero there. */
static double unit(const lrgd_diagnosis *s, size_t i)
{
  return s->region.boxed ? 2 / (s->given.upper[i] - s->given.lower[i])
                         : fabs(s->given.start[i]);
}

static lrgd_status look_scaled(const lrgd_diagnosis *s, lrgd_block *T,
                               lrgd_block *first, void *user)
{
  lrgd_scaling *found = user;
  double ignored;
  for (size_t i = 0; i < s->p; i++) found->taken += unit(s, i) > 0;
  if (found->taken < s->p) return LRGD_OK;
  lrgd_status status =
      nearly(s, s->samples.G, first, &found->plain_rank, &ignored);
  for (size_t j = 0; j < s->samples.n; j++)
    for (size_t i = 0; i < s->p; i++)
      lr_standalone_oracle_data(T, j)[i] =
          unit(s, i) * lr_standalone_oracle_data(s->samples.G, j)[i];
  if (status != LRGD_OK) return status;
  return nearly(s, T, first, &found->rank, &found->p95);
}

/* Calls a function with work space for all samples in other variables, and for
 * half of them. */
static lrgd_status with_room(const lrgd_diagnosis *study,
                             lrgd_status (*ask)(const lrgd_diagnosis *s,
                                                lrgd_block *T,
                                                lrgd_block *first, void *user),
                             void *user)
{
  if (!study || study->samples.n < 4) return LRGD_OK; /* two in each half */
  lrgd_space *space = study->standalone.space;
  lrgd_block *T = space->ops->make(space, study->samples.n);
  lrgd_block *first = space->ops->make(space, study->samples.n / 2 + 1);
  lrgd_status status = T && first ? ask(study, T, first, user) : LRGD_ERR_NOMEM;
  space->ops->free(space, T);
  space->ops->free(space, first);
  return status;
}

lrgd_status lrgd_diagnosis_logarithms_sized(const lrgd_diagnosis *study,
                                            lrgd_logarithms *found, size_t size)
{
  lrgd_logarithms own = {.struct_size = sizeof own, .p95 = NAN};
  lrgd_status status = with_room(study, look, &own);
  lr_sized_give(found, size, &own, sizeof own);
  return status;
}

lrgd_status lrgd_diagnosis_scaling_sized(const lrgd_diagnosis *study,
                                         lrgd_scaling *found, size_t size)
{
  lrgd_scaling own = {.struct_size = sizeof own, .p95 = NAN};
  own.own_units = study && study->region.boxed;
  lrgd_status status = with_room(study, look_scaled, &own);
  lr_sized_give(found, size, &own, sizeof own);
  return status;
}
