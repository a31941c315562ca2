/* The model of residuals, and its update by values of F. */
#include "least_squares/residual_model.h"

#include "base/memory.h"
#include "base/vector.h"
#include "least_squares/least_squares_rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- creation and destruction ---- */

lrgd_status lr_residual_model_init(lr_residual_model *M, size_t p, size_t m,
                                   const lrgd_allocator *a)
{
  *M = (lr_residual_model){.allocator = *a, .p = p, .m = m, .n = m};
  lr_damped_init(&M->damped, a);
  lr_updated_qr_init(&M->measured, m, a);
  lr_updated_qr_init(&M->given, 0, a);
  M->F = lr_alloc(a, 3 * m, sizeof *M->F);
  lr_bends_init(&M->bends, m, a);
  if (!M->F) return LRGD_ERR_NOMEM;
  M->r = M->F + m, M->s = M->r + m;
  M->G = M->F;
  M->mass = (double)m;
  return LRGD_OK;
}

lrgd_status lr_residual_model_set_loss(lr_residual_model *M, lr_loss loss)
{
  M->loss = loss;
  if (loss.kind == LRGD_LOSS_LINEAR || M->weight) return LRGD_OK;
  double *room = lr_alloc(&M->allocator, 2 * M->m, sizeof *room);
  if (!room) return LRGD_ERR_NOMEM;
  M->weight = room;
  M->G = room + M->m;
  return LRGD_OK;
}

double lr_residual_model_cost(const lr_residual_model *M, const double *y)
{
  if (!M->weight) return 0.5 * lr_dot(M->m, y, y);
  size_t known = M->m - M->n;
  return lr_loss_cost(&M->loss, M->n, y) +
         0.5 * lr_dot(known, y + M->n, y + M->n);
}

void lr_residual_model_weigh(lr_residual_model *M, const double *r)
{
  for (size_t i = 0; i < M->m; i++)
    M->weight[i] = i < M->n ? sqrt(lr_loss_weight(&M->loss, r[i])) : 1;
}

void lr_residual_model_know(lr_residual_model *M, size_t known)
{
  M->n = M->m - known;
  M->mass = (double)M->n;
  M->measured.n = M->n;
  M->given.n = known;
}

static void release(lr_residual_model *M)
{
  const lrgd_allocator *a = &M->allocator;
  lr_free(a, M->V);
  lr_free(a, M->J);
  lr_free(a, M->P);
  lr_free(a, M->size);
  lr_free(a, M->b);
}

void lr_residual_model_clear(lr_residual_model *M)
{
  if (M->p == 0) return;
  release(M);
  lr_free(&M->allocator, M->F);
  lr_bends_clear(&M->bends);
  lr_free(&M->allocator, M->weight);
  lr_damped_clear(&M->damped);
  lr_updated_qr_clear(&M->measured);
  lr_updated_qr_clear(&M->given);
  lr_dense_destroy(&M->dense);
  *M = (lr_residual_model){0};
}

void lr_residual_model_forget(lr_residual_model *M)
{
  M->k = 0;
  lr_bends_forget(&M->bends);
  lr_residual_model_rewritten(M);
}

void lr_residual_model_rewritten(lr_residual_model *M)
{
  lr_updated_qr_forget(&M->measured);
  lr_updated_qr_forget(&M->given);
}

/* Appends to the factors the columns that J has gained.  Rounding errors add up
 * over updates, so that after k of them all columns are factored again, which
 * costs as much as k updates. */
lrgd_status lr_residual_model_factor(lr_residual_model *M)
{
  lrgd_status status = LRGD_OK;
  if (M->measured.updates > M->k + 64) lr_residual_model_rewritten(M);
  for (size_t j = M->measured.k; j < M->k && status == LRGD_OK; j++)
    status = lr_updated_qr_append(&M->measured, M->J + j * M->m);
  for (size_t j = M->given.k; j < M->k && status == LRGD_OK; j++)
    if (M->given.n > 0)
      status = lr_updated_qr_append(&M->given, M->J + j * M->m + M->n);
    else
      M->given.k++;
  return status;
}

double lr_largest_residual(size_t m, const double *r)
{
  double most = 0;
  for (size_t i = 0; i < m; i++) most = fmax(most, fabs(r[i]));
  return most;
}

void lr_residual_model_set_base(lr_residual_model *M, const double *F)
{
  memmove(M->F, F, M->m * sizeof *F);
  M->f = lr_residual_model_cost(M, M->F);
  if (!M->weight) return;
  lr_residual_model_weigh(M, M->F);
  M->mass = lr_dot(M->n, M->weight, M->weight);
  for (size_t i = 0; i < M->m; i++)
    M->G[i] = M->weight[i] * M->weight[i] * M->F[i];
}

/* Makes room for one more direction. */
static lrgd_status reserve(lr_residual_model *M)
{
  lr_residual_model old = *M;
  const lrgd_allocator *a = &M->allocator;
  size_t p = M->p, m = M->m, k = M->k, room = k < 8 ? 16 : 2 * k;
  if (k < M->room) return LRGD_OK;
  if (room > p) room = p;
  M->V = lr_alloc_raw(a, p * room, sizeof *M->V);
  M->J = lr_alloc_raw(a, m * room, sizeof *M->J);
  M->P = lr_alloc(a, room * room, sizeof *M->P);
  M->size = lr_alloc(a, 4 * room, sizeof *M->size);
  M->b = lr_alloc(a, m + room, sizeof *M->b);
  if (!M->V || !M->J || !M->P || !M->size || !M->b) {
    release(M);
    M->V = old.V, M->J = old.J, M->P = old.P, M->size = old.size, M->b = old.b;
    return LRGD_ERR_NOMEM;
  }
  lr_copy_columns(p, k, old.V, p, M->V, p);
  lr_copy_columns(m, k, old.J, m, M->J, m);
  lr_copy_columns(k, k, old.P, old.room, M->P, room);
  if (k > 0) memcpy(M->size, old.size, k * sizeof *M->size);
  M->z = M->size + room, M->w = M->z + room, M->y = M->w + room;
  M->room = room;
  release(&old);
  return LRGD_OK;
}

lrgd_status lr_residual_model_append(lr_residual_model *M, const double *u,
                                     const double *column, double variance)
{
  lrgd_status status = reserve(M);
  if (status != LRGD_OK) return status;
  size_t k = M->k++, room = M->room;
  memcpy(M->V + k * M->p, u, M->p * sizeof *u);
  memcpy(M->J + k * M->m, column, M->m * sizeof *column);
  for (size_t i = 0; i < k; i++) M->P[k * room + i] = M->P[i * room + k] = 0;
  if (M->k > M->bends.most) lr_bends_forget(&M->bends);
  M->P[k * room + k] = variance;
  M->size[k] = lr_norm(M->n, column);
  return LRGD_OK;
}

/* ---- prediction and its error ---- */

double lr_residual_model_times_P(const lr_residual_model *M, const double *z,
                                 double *Pz)
{
  lr_symv(M->k, M->P, M->room, z, Pz);
  return fmax(lr_dot(M->k, z, Pz), 0);
}

double lr_residual_model_error2(const lr_residual_model *M, const double *z)
{
  double n2 = lr_dot(M->k, z, z);
  return lr_residual_model_times_P(M, z, M->y) + 0.25 * n2 * n2;
}

double lr_residual_model_uncertain_f(const lr_residual_model *M)
{
  return 0.5 * lr_dot(M->n, M->G, M->G);
}

double lr_residual_model_promise(const lr_residual_model *M, const double *z,
                                 double *r)
{
  double doubt = M->mass * M->c * M->c * lr_residual_model_error2(M, z);
  memcpy(r, M->F, M->m * sizeof *r);
  lr_gemv(M->m, M->k, M->J, M->m, z, r);
  lr_bends_add(&M->bends, M->k, M->n, z, r);
  return M->f - lr_residual_model_cost(M, r) - 0.5 * doubt;
}

/* ---- the update of J by a value of F ---- */

/* P after an update with the gain K: (I - K z')P(I - z K') + q (I - a K z')(I -
 * a z K') + v K K'; a is 1/2 and q is |z|^2 where the base moves.  This is
 * Joseph's form, a sum of squares, so that P stays positive semidefinite in
 * spite of rounding. Pz: P z, with zPz = z'Pz. */
typedef struct joseph {
  const double *z, *K, *Pz;
  double zPz, n2, v;
  bool moved;
} joseph;

static void update_P(lr_residual_model *M, const joseph *u)
{
  size_t k = M->k;
  double q = u->moved ? u->n2 : 0;
  double KK = u->zPz + u->v + 0.25 * q * u->n2;
  for (size_t j = 0; j < k; j++) {
    double *column = M->P + j * M->room;
    lr_axpy(k, -u->K[j], u->Pz, column);
    lr_axpy(k, KK * u->K[j] - u->Pz[j], u->K, column);
    if (!u->moved) continue;
    lr_axpy(k, -0.5 * q * u->K[j], u->z, column);
    lr_axpy(k, -0.5 * q * u->z[j], u->K, column);
    column[j] += q;
  }
}

/* The rounding error of z'Pz: where z is nearly in the null space of P, a gain
 * that ignores it would be a quotient of rounding errors. */
static double rounding_of_P(const lr_residual_model *M, double n2)
{
  double most = 0;
  for (size_t j = 0; j < M->k; j++) most = fmax(most, M->P[j * M->room + j]);
  return 16 * DBL_EPSILON * most * n2;
}

lrgd_status lr_residual_model_remember(lr_residual_model *M, const double *z,
                                       double *e, const lr_step_seen *step)
{
  size_t k = M->k, m = M->m;
  double n2 = lr_dot(k, z, z), ratio = M->noise / M->c;
  double error2 = lr_residual_model_error2(M, z), bend2 = 0.25 * n2 * n2;
  lr_bends_judge(&M->bends, k, M->n, z, e);
  if (step->moved && M->bends.count > 0) {
    /* J at the new base; the change of the value, in the scratch, is not
     * used */
    memset(M->r, 0, m * sizeof *M->r);
    lr_bends_linearise(&M->bends, k, z, M->J, M->r);
    lr_residual_model_rewritten(M);
  }
  if (!step->tells) return LRGD_OK;
  double share = bend2 / (error2 + 2 * ratio * ratio);
  return lr_bends_take(&M->bends, k, M->n, z, share, e);
}

/* other: the variance of e, in units of c^2, by what is not the error of J. */
static void learn(lr_residual_model *M, const double *z, const double *e,
                  bool moved, double other)
{
  size_t k = M->k;
  double *Pz = M->y, *K = M->w;
  joseph u = {.z = z, .K = K, .Pz = Pz, .moved = moved};
  u.n2 = lr_dot(k, z, z);
  u.zPz = lr_residual_model_times_P(M, z, Pz);
  u.v = other + rounding_of_P(M, u.n2);
  double var = u.zPz + u.v + (moved ? 0.25 * u.n2 * u.n2 : 0);
  if (!(var > 0)) return;
  for (size_t j = 0; j < k; j++)
    K[j] = (Pz[j] + (moved ? 0.5 * u.n2 * z[j] : 0)) / var;
  bool follows = lr_residual_model_factor(M) == LRGD_OK;
  for (size_t j = 0; j < k; j++) lr_axpy(M->n, K[j], e, M->J + j * M->m);
  if (follows)
    lr_updated_qr_update(&M->measured, e, K);
  else
    lr_residual_model_rewritten(M);
  update_P(M, &u);
}

void lr_residual_model_learn(lr_residual_model *M, const double *z,
                             const double *e, bool moved)
{
  double n2 = lr_dot(M->k, z, z), ratio = M->noise / M->c;
  learn(M, z, e, moved, 2 * ratio * ratio + (moved ? 0 : 0.25 * n2 * n2));
}

void lr_residual_model_learn_slope(lr_residual_model *M, const double *z,
                                   const double *e)
{
  learn(M, z, e, false, 0);
}

void lr_residual_model_learn_line(lr_residual_model *M, const double *z,
                                  const double *e, double variance)
{
  learn(M, z, e, false, variance);
}
