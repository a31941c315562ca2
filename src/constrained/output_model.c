/* Points and outputs, and the quadratic models that interpolate them. */
#include "constrained/output_model.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* The most numbers in all Hessians: 32 MiB. */
enum { LR_MODEL_DENSE = 1 << 22 };

static size_t most_points(const lr_output_model *M)
{
  return M->room_n + M->most_curved;
}

lrgd_status lr_output_model_init(lr_output_model *M, const lrgd_allocator *a,
                                 size_t n, size_t room_n, size_t m,
                                 size_t most_curved)
{
  *M = (lr_output_model){.allocator = *a,
                         .n = n,
                         .room_n = room_n,
                         .m = m,
                         .most_curved = most_curved};
  size_t q = most_points(M), e = most_curved;
  /* blocks for S, alpha, g, Q and R; then K, W, the Cholesky factor, right-hand
   * sides and rows */
  size_t numbers = room_n * q + q * m + room_n * m + 2 * room_n * room_n +
                   q * q + room_n * e + e * e + 2 * e * m + 2 * room_n + 4 * q;
  M->memory = lr_alloc(a, numbers + 1, sizeof *M->memory);
  M->chosen = lr_alloc(a, q + 1, sizeof *M->chosen);
  if (!M->memory || !M->chosen) return LRGD_ERR_NOMEM;
  if (room_n * room_n * m <= LR_MODEL_DENSE) {
    M->H = lr_alloc(a, room_n * room_n * m, sizeof *M->H);
    if (!M->H) return LRGD_ERR_NOMEM;
  }
  M->S = M->memory;
  M->alpha = M->S + room_n * q;
  M->g = M->alpha + q * m;
  M->Q = M->g + room_n * m;
  return LRGD_OK;
}

void lr_output_model_clear(lr_output_model *M)
{
  const lrgd_allocator *a = &M->allocator;
  if (!a->alloc) return;
  lr_free(a, M->z);
  lr_free(a, M->y);
  lr_free(a, M->order);
  lr_free(a, M->distance);
  lr_free(a, M->chosen);
  lr_free(a, M->memory);
  lr_free(a, M->H);
  *M = (lr_output_model){0};
}

/* Enlarges a block of numbers. */
static bool lengthen(const lrgd_allocator *a, double **block, size_t have,
                     size_t need)
{
  double *longer = lr_alloc(a, need, sizeof *longer);
  if (!longer) return false;
  if (have > 0) memcpy(longer, *block, have * sizeof *longer);
  lr_free(a, *block);
  *block = longer;
  return true;
}

static lrgd_status make_room(lr_output_model *M)
{
  if (M->count < M->room) return LRGD_OK;
  const lrgd_allocator *a = &M->allocator;
  size_t room = M->room > 0 ? 2 * M->room : 64;
  size_t *order = lr_alloc(a, 2 * room, sizeof *order);
  if (!order) return LRGD_ERR_NOMEM;
  lr_free(a, M->order);
  M->order = order;
  lr_free(a, M->distance);
  M->distance = lr_alloc(a, room, sizeof *M->distance);
  if (!M->distance ||
      !lengthen(a, &M->z, M->count * M->room_n, room * M->room_n) ||
      !lengthen(a, &M->y, M->count * M->m, room * M->m))
    return LRGD_ERR_NOMEM;
  M->room = room;
  return LRGD_OK;
}

lrgd_status lr_output_model_add(lr_output_model *M, const double *z,
                                const double *y)
{
  lrgd_status status = make_room(M);
  if (status != LRGD_OK) return status;
  double *at = M->z + M->count * M->room_n;
  memset(at, 0, M->room_n * sizeof *at);
  memcpy(at, z, M->n * sizeof *at);
  memcpy(M->y + M->count * M->m, y, M->m * sizeof *y);
  M->count++;
  return LRGD_OK;
}

void lr_output_model_widen(lr_output_model *M)
{
  M->n++;
}

/* ---- which points ---- */

/* s = (z_i - base) / unit; returns its length. */
static double displacement(const lr_output_model *M, size_t i, double *s)
{
  const double *z = M->z + i * M->room_n, *b = M->z + M->base * M->room_n;
  for (size_t j = 0; j < M->n; j++) s[j] = (z[j] - b[j]) / M->unit;
  return lr_norm(M->n, s);
}

/* Sorts the points by their distance from the base, without the base; a merge
 * sort, which is stable.  Returns their number. */
static size_t order_points(lr_output_model *M, double *s, double *distance)
{
  size_t n = 0, *a = M->order, *b = M->order + M->room;
  for (size_t i = 0; i < M->count; i++) {
    distance[i] = displacement(M, i, s);
    if (i != M->base && distance[i] > 0) a[n++] = i;
  }
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      size_t mid = low + width < n ? low + width : n;
      size_t high = low + 2 * width < n ? low + 2 * width : n;
      for (size_t i = low, j = mid, k = low; k < high; k++)
        b[k] = i < mid && (j >= high || distance[a[i]] <= distance[a[j]])
                   ? a[i++]
                   : a[j++];
    }
    size_t *swap = a;
    a = b, b = swap;
  }
  if (a != M->order) memcpy(M->order, a, n * sizeof *a);
  return n;
}

/* Replaces s by its part outside the k columns of Q; inside: its coordinates
 * along them. */
static double outside(const lr_output_model *M, size_t k, double *s,
                      double *inside)
{
  memset(inside, 0, k * sizeof *inside);
  for (int twice = 0; twice < 2; twice++)
    for (size_t j = 0; j < k; j++) {
      double c = lr_dot(M->n, M->Q + j * M->room_n, s);
      inside[j] += c;
      lr_axpy(M->n, -c, M->Q + j * M->room_n, s);
    }
  return lr_norm(M->n, s);
}

/* Scratch memory, after Q. */
typedef struct scratch {
  double *R; /* k x k, upper, room_n numbers a column */
  double *K; /* of k + e points */
  /* k x e: each point for curvature as a combination of the points for
   * gradients */
  double *W;
  double *L, *rhs, *out; /* e x e; e x m twice */
  double *s, *in;        /* room_n each */
  double *row;           /* 4 (k + e) */
} scratch;

static scratch scratch_of(const lr_output_model *M)
{
  size_t q = most_points(M), e = M->most_curved, n = M->room_n;
  scratch w;
  w.R = M->Q + n * n;
  w.K = w.R + n * n;
  w.W = w.K + q * q;
  w.L = w.W + n * e;
  w.rhs = w.L + e * e;
  w.out = w.rhs + e * M->m;
  w.s = w.out + e * M->m;
  w.in = w.s + n;
  w.row = w.in + n;
  return w;
}

/* Uses point i for the gradients if its angle to the span of the others is
 * large enough. */
static bool take_straight(lr_output_model *M, const scratch *w, size_t i,
                          double angle)
{
  size_t k = M->k, n = M->n;
  if (k == n) return false;
  double all = displacement(M, i, w->s);
  memcpy(M->S + k * M->room_n, w->s, n * sizeof *w->s);
  double out = outside(M, k, w->s, w->in);
  if (!(out >= angle * all)) return false;
  memcpy(w->R + k * M->room_n, w->in, k * sizeof *w->in);
  w->R[k * M->room_n + k] = out;
  for (size_t j = 0; j < n; j++) M->Q[k * M->room_n + j] = w->s[j] / out;
  M->chosen[M->k++] = i;
  M->reach = fmax(M->reach, all);
  return true;
}

/* Chooses the points for the gradients: the nearest first, with a bound on the
 * angle that decreases from pass to pass.  Removes these from the order;
 * returns how many are left. */
static size_t choose_straight(lr_output_model *M, const scratch *w, size_t left,
                              double angle)
{
  M->k = 0;
  M->reach = 0;
  for (int round = 0; round < 3 && M->k < M->n; round++, angle *= 0.03) {
    size_t kept = 0;
    for (size_t i = 0; i < left; i++)
      if (!take_straight(M, w, M->order[i], angle))
        M->order[kept++] = M->order[i];
    left = kept;
  }
  return left;
}

/* ---- curvature ---- */

static double kernel(const lr_output_model *M, size_t i, size_t j)
{
  double d = lr_dot(M->n, M->S + i * M->room_n, M->S + j * M->room_n);
  return 0.5 * d * d;
}

/* x = R^-1 (Q's), k numbers. */
static void by_straight(const lr_output_model *M, const scratch *w,
                        const double *s, double *x)
{
  for (size_t j = 0; j < M->k; j++)
    x[j] = lr_dot(M->n, M->Q + j * M->room_n, s);
  for (size_t j = M->k; j-- > 0;) {
    x[j] /= w->R[j * M->room_n + j];
    lr_axpy(j, -x[j], w->R + j * M->room_n, x);
  }
}

/* Uses point i for the curvature, as number e, if it is independent enough of
 * the points in use: adds a row to the Cholesky factor of Z'K Z, where a column
 * of Z is a point minus its combination of the points for gradients. */
static bool take_curved(lr_output_model *M, const scratch *w, size_t i,
                        double spread)
{
  size_t k = M->k, e = M->e, q = most_points(M), me = M->most_curved;
  double *s = M->S + (k + e) * M->room_n;
  (void)displacement(M, i, s);
  by_straight(M, w, s, w->W + e * M->room_n);
  const double *we = w->W + e * M->room_n;
  /* K between the new point and the others */
  double *column = w->K + (k + e) * q;
  for (size_t j = 0; j <= k + e; j++) column[j] = kernel(M, j, k + e);
  /* (K z)_j for the points of the gradients, z being the new column of Z */
  double *Kz = w->row, *row = w->L + e * me;
  for (size_t j = 0; j < k; j++) {
    Kz[j] = column[j];
    for (size_t l = 0; l < k; l++)
      Kz[j] -= (l >= j ? w->K[l * q + j] : w->K[j * q + l]) * we[l];
  }
  for (size_t l = 0; l < e; l++) {
    const double *wl = w->W + l * M->room_n;
    double z = column[k + l] - lr_dot(k, w->K + (k + l) * q, we);
    row[l] = z - lr_dot(k, wl, Kz);
  }
  double all = column[k + e] - lr_dot(k, column, we) - lr_dot(k, we, Kz);
  if (!(all > 0)) return false;
  double left = all;
  for (size_t l = 0; l < e; l++) {
    row[l] = (row[l] - lr_dot(l, row, w->L + l * me)) / w->L[l * me + l];
    left -= row[l] * row[l];
  }
  if (!(left >= spread * all)) return false;
  row[e] = sqrt(left);
  M->chosen[k + M->e++] = i;
  return true;
}

static void choose_curved(lr_output_model *M, const scratch *w, size_t left,
                          const lr_output_choice *by)
{
  size_t q = most_points(M), most = M->n * (M->n + 1) / 2;
  if (most > M->most_curved) most = M->most_curved;
  M->e = 0;
  if (M->k < M->n) return;
  for (size_t i = 0; i < M->k; i++)
    for (size_t j = 0; j <= i; j++) w->K[i * q + j] = kernel(M, j, i);
  for (size_t i = 0; i < left && M->e < most; i++) {
    if (displacement(M, M->order[i], w->s) > by->far) break;
    (void)take_curved(M, w, M->order[i], by->spread);
  }
}

/* ---- the fit ---- */

static double *hessian(const lr_output_model *M, size_t o)
{
  return M->H + o * M->room_n * M->room_n;
}

/* s'H s / 2 for an output. */
static double bent(const lr_output_model *M, size_t o, const double *s,
                   double *Hs)
{
  lr_symv(M->n, hessian(M, o), M->room_n, s, Hs);
  return 0.5 * M->unit * M->unit * lr_dot(M->n, s, Hs);
}

/* Subtracts from y what the present Hessian explains. */
static void take_away(lr_output_model *M, size_t o, double *y)
{
  double *Hs = scratch_of(M).s;
  for (size_t j = 0; j < M->k + M->e; j++)
    y[j] -= bent(M, o, M->S + j * M->room_n, Hs);
}

/* Solves for alpha and g of one output. */
static void solve_output(lr_output_model *M, const scratch *w, size_t o)
{
  size_t k = M->k, e = M->e, q = most_points(M), me = M->most_curved;
  double *a = M->alpha + o * q, *g = M->g + o * M->room_n;
  double *y = w->row, *b = w->rhs;
  double y0 = M->y[M->base * M->m + o];
  for (size_t j = 0; j < k + e; j++) y[j] = M->y[M->chosen[j] * M->m + o] - y0;
  if (M->H && e > 0) take_away(M, o, y);
  for (size_t l = 0; l < e; l++) {
    b[l] = y[k + l] - lr_dot(k, w->W + l * M->room_n, y);
    b[l] = (b[l] - lr_dot(l, w->L + l * me, b)) / w->L[l * me + l];
  }
  for (size_t l = e; l-- > 0;) {
    b[l] /= w->L[l * me + l];
    lr_axpy(l, -b[l], w->L + l * me, b);
  }
  memset(a, 0, k * sizeof *a);
  for (size_t l = 0; l < e; l++) {
    a[k + l] = b[l];
    lr_axpy(k, -b[l], w->W + l * M->room_n, a);
  }
  /* R'(Q'g) = y - K alpha, over the points of the gradients */
  for (size_t j = 0; j < k; j++) {
    for (size_t l = 0; l < k + e && e > 0; l++)
      y[j] -= a[l] * (l >= j ? w->K[l * q + j] : w->K[j * q + l]);
  }
  if (M->H && e == 0) take_away(M, o, y);
  for (size_t j = 0; j < k; j++) {
    y[j] -= lr_dot(j, w->R + j * M->room_n, y);
    y[j] /= w->R[j * M->room_n + j];
  }
  memset(g, 0, M->n * sizeof *g);
  lr_gemv(M->n, k, M->Q, M->room_n, y, g);
  if (!M->H) return;
  for (size_t j = 0; j < k + e && e > 0; j++)
    lr_syr(M->n, a[j] / (M->unit * M->unit), M->S + j * M->room_n,
           hessian(M, o), M->room_n);
}

void lr_output_model_fit(lr_output_model *M, size_t base, double unit,
                         const lr_output_choice *by)
{
  scratch w = scratch_of(M);
  M->base = base;
  M->unit = unit;
  size_t left = order_points(M, w.s, M->distance);
  left = choose_straight(M, &w, left, by->angle);
  choose_curved(M, &w, left, by);
  for (size_t o = 0; o < M->m; o++) solve_output(M, &w, o);
}

/* ---- what the models say ---- */

/* u_j = s_j's for the points in use. */
static double *products(lr_output_model *M, const double *s)
{
  double *u = scratch_of(M).row;
  lr_gemv_t(M->n, M->k + M->e, M->S, M->room_n, s, u);
  return u;
}

void lr_output_model_at(lr_output_model *M, const double *s, double *y)
{
  double *Hs = scratch_of(M).s;
  for (size_t o = 0; M->H && o < M->m; o++)
    y[o] = M->y[M->base * M->m + o] + lr_dot(M->n, M->g + o * M->room_n, s) +
           bent(M, o, s, Hs);
  if (M->H) return;
  size_t q = most_points(M), all = M->e > 0 ? M->k + M->e : 0;
  double *u = products(M, s);
  for (size_t j = 0; j < all; j++) u[j] *= u[j];
  for (size_t o = 0; o < M->m; o++)
    y[o] = M->y[M->base * M->m + o] + lr_dot(M->n, M->g + o * M->room_n, s) +
           0.5 * lr_dot(all, M->alpha + o * q, u);
}

void lr_output_model_slopes(lr_output_model *M, const double *s, double *G)
{
  double *Hs = scratch_of(M).s;
  for (size_t o = 0; M->H && o < M->m; o++) {
    memcpy(G + o * M->n, M->g + o * M->room_n, M->n * sizeof *G);
    lr_symv(M->n, hessian(M, o), M->room_n, s, Hs);
    lr_axpy(M->n, M->unit * M->unit, Hs, G + o * M->n);
  }
  if (M->H) return;
  size_t q = most_points(M), all = M->e > 0 ? M->k + M->e : 0;
  double *u = products(M, s), *au = u + q;
  for (size_t o = 0; o < M->m; o++) {
    const double *a = M->alpha + o * q;
    memcpy(G + o * M->n, M->g + o * M->room_n, M->n * sizeof *G);
    for (size_t j = 0; j < all; j++) au[j] = a[j] * u[j];
    lr_gemv(M->n, all, M->S, M->room_n, au, G + o * M->n);
  }
}

void lr_output_model_bend(lr_output_model *M, const double *weight, double *H)
{
  size_t q = most_points(M), all = M->e > 0 ? M->k + M->e : 0;
  memset(H, 0, M->n * M->n * sizeof *H);
  for (size_t o = 0; M->H && o < M->m; o++)
    for (size_t j = 0; weight[o] != 0 && j < M->n; j++)
      lr_axpy(M->n - j, weight[o] * M->unit * M->unit,
              hessian(M, o) + j * M->room_n + j, H + j * M->n + j);
  if (M->H) return;
  for (size_t j = 0; j < all; j++) {
    double sum = 0;
    for (size_t o = 0; o < M->m; o++) sum += weight[o] * M->alpha[o * q + j];
    lr_syr(M->n, sum, M->S + j * M->room_n, H, M->n);
  }
}

size_t lr_output_model_span(lr_output_model *M, double far, double angle,
                            const double *toward, double *u)
{
  scratch w = scratch_of(M);
  size_t k = 0;
  for (size_t i = 0; i < M->k; i++) {
    memcpy(w.s, M->S + i * M->room_n, M->n * sizeof *w.s);
    double all = lr_norm(M->n, w.s), out;
    if (!(all <= far)) continue;
    out = outside(M, k, w.s, w.in);
    if (!(out >= angle * all)) continue;
    for (size_t j = 0; j < M->n; j++) M->Q[k * M->room_n + j] = w.s[j] / out;
    k++;
  }
  if (k == M->n) return k;
  memcpy(u, toward, M->n * sizeof *u);
  double all = lr_norm(M->n, u), out = outside(M, k, u, w.in);
  size_t axis = 0;
  while (!(out > 0.1 * all) || !(all > 0)) { /* toward lies in the span */
    memset(u, 0, M->n * sizeof *u);
    u[axis++ % M->n] = 1;
    all = axis > M->n ? 1e-3 : 1;
    out = outside(M, k, u, w.in);
  }
  lr_scale(M->n, 1 / out, u);
  return k;
}
