/* The interpolation system.  Its matrix, with points z_j, is
 *
 *       | 0  0  1'   |         one row for the constant,
 *   W = | 0  0  Z    |         p rows for the gradient,
 *       | 1  Z' A    |         one row a point; A_ij = (z_i'z_j)^2 / 2.
 *
 * The solution of W (c, g, lambda) = (0, 0, values) is the interpolating
 * quadratic c + g'z + sum lambda_j (z_j'z)^2 / 2 whose Hessian has the least
 * Frobenius norm.  To update a model, `values` are its residuals.  Column j of
 * the inverse is the Lagrange function of point j.  An exchange of one point
 * is an update of rank two of the inverse (Powell, section 4). */
#include "dfo/interpolation.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/vector.h"
#include "dfo/dfo_rules.h"

#include <math.h>
#include <string.h>

/* ---- creation and destruction ---- */

static size_t room(const lr_interpolation *q)
{
  return 1 + q->p + q->most;
}

lrgd_status lr_interpolation_init(lr_interpolation *q, const lrgd_allocator *a,
                                  size_t p, size_t most)
{
  *q = (lr_interpolation){.allocator = *a,
                          .policy = lr_policy_current(),
                          .p = p,
                          .most = most,
                          .unit = 1};
  size_t n = room(q), m = q->most;
  q->x = lr_alloc(a, m * p, sizeof *q->x);
  q->z = lr_alloc(a, 2 * m * p, sizeof *q->z);
  q->inverse = lr_alloc(a, n * n, sizeof *q->inverse);
  q->H = lr_alloc(a, p * p, sizeof *q->H);
  q->f = lr_alloc(a, m + 6 * p + 4 * n, sizeof *q->f);
  q->dense = lr_dense_create(a, n);
  if (!q->x || !q->z || !q->inverse || !q->H || !q->f || !q->dense) {
    lr_interpolation_clear(q);
    return LRGD_ERR_NOMEM;
  }
  q->g = q->f + m;
  q->origin = q->g + p;
  q->lower = q->origin + p;
  q->upper = q->lower + p;
  q->scratch = q->upper + p;
  for (size_t i = 0; i < p; i++) {
    q->lower[i] = -INFINITY;
    q->upper[i] = INFINITY;
  }
  return LRGD_OK;
}

void lr_interpolation_clear(lr_interpolation *q)
{
  const lrgd_allocator a = q->allocator;
  if (q->p == 0) return;
  lr_free(&a, q->x);
  lr_free(&a, q->z);
  lr_free(&a, q->inverse);
  lr_free(&a, q->H);
  lr_free(&a, q->f);
  lr_dense_destroy(&q->dense);
  *q = (lr_interpolation){0};
}

/* ---- small algebra ---- */

static double *point(const lr_interpolation *q, size_t j)
{
  return q->x + j * q->p;
}

static double *seen(const lr_interpolation *q, size_t j)
{
  return q->z + j * q->p;
}

void lr_interpolation_bend(const lr_interpolation *q, const double *v,
                           double *out)
{
  lr_symv(q->p, q->H, q->p, v, out);
}

double lr_interpolation_rise(const lr_interpolation *q, const double *d,
                             double *Hd)
{
  lr_interpolation_bend(q, d, Hd);
  return lr_dot(q->p, q->g, d) + 0.5 * lr_dot(q->p, d, Hd);
}

static double distance(const lr_interpolation *q, const double *a,
                       const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < q->p; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* w = the column that a point z would have in W. */
static void column(const lr_interpolation *q, const double *z, double *w)
{
  double *a = w + 1 + q->p;
  w[0] = 1;
  memcpy(w + 1, z, q->p * sizeof *w);
  lr_gemv_t(q->p, q->count, q->z, q->p, z, a);
  for (size_t j = 0; j < q->count; j++) a[j] = 0.5 * a[j] * a[j];
}

/* out = inverse w */
static void solve(const lr_interpolation *q, const double *w, double *out)
{
  lr_symv(1 + q->p + q->count, q->inverse, room(q), w, out);
}

/* ---- updates of the model ---- */

/* Adds the quadratic `by` = (c, g, lambda), without its constant, to the model.
 */
static void correct(lr_interpolation *q, const double *by)
{
  size_t p = q->p, m = q->count;
  const double *lambda = by + 1 + p, *zb = seen(q, q->best);
  double *across = q->z + q->most * p; /* m numbers for a column of H */
  for (size_t j = 0; j < m; j++) {
    double along = lambda[j] * lr_dot(p, seen(q, j), zb) / q->unit;
    lr_axpy(p, along, seen(q, j), q->g);
    for (size_t i = 0; i < p; i++)
      across[i * m + j] = lambda[j] * seen(q, j)[i] / (q->unit * q->unit);
  }
  lr_axpy(p, 1 / q->unit, by + 1, q->g);
  for (size_t i = 0; i < p; i++)
    lr_gemv(p - i, m, q->z + i, p, across + i * m, q->H + i * p + i);
}

/* Shifts the point of the gradient by d, after which there is room for p more
 * numbers. */
static void shift_gradient(lr_interpolation *q, double *d)
{
  lr_interpolation_bend(q, d, d + q->p);
  lr_axpy(q->p, 1, d + q->p, q->g);
}

/* Makes point j the best one: the gradient becomes that at j. */
static void set_best(lr_interpolation *q, size_t j)
{
  double *d = q->scratch;
  for (size_t i = 0; i < q->p; i++)
    d[i] = point(q, j)[i] - point(q, q->best)[i];
  shift_gradient(q, d);
  q->best = j;
}

/* z_j from x_j. */
static void set_z(lr_interpolation *q, size_t j)
{
  for (size_t i = 0; i < q->p; i++)
    seen(q, j)[i] = (point(q, j)[i] - q->origin[i]) / q->unit;
}

/* Sets up the lower half of W and inverts it. */
static bool invert(lr_interpolation *q)
{
  size_t n = 1 + q->p + q->count, ld = room(q), p = q->p;
  double *W = q->inverse;
  for (size_t j = 0; j < n; j++) memset(W + j * ld, 0, n * sizeof *W);
  for (size_t j = 0; j < q->count; j++) {
    size_t row = 1 + p + j;
    W[row] = 1;
    for (size_t i = 0; i < p; i++) W[(1 + i) * ld + row] = seen(q, j)[i];
    for (size_t i = j; i < q->count; i++) {
      double a = lr_dot(p, seen(q, i), seen(q, j));
      W[row * ld + 1 + p + i] = 0.5 * a * a;
    }
  }
  return lr_invert(q->dense, n, W, ld) == LRGD_OK;
}

/* Inverts W afresh around the best point, and corrects the model by all
 * residuals: updates accumulate rounding errors, and points far from the origin
 * lose digits.  False: W is singular. */
static bool renew(lr_interpolation *q, double unit)
{
  size_t p = q->p;
  double *misses = q->scratch + 2 * p, *by = misses + room(q);
  memcpy(q->origin, point(q, q->best), p * sizeof *q->origin);
  q->unit = unit;
  q->changes = 0;
  q->sound = false;
  memset(misses, 0, (1 + p) * sizeof *misses);
  for (size_t j = 0; j < q->count; j++) {
    double *d = q->scratch;
    set_z(q, j);
    for (size_t i = 0; i < p; i++) d[i] = seen(q, j)[i] * unit;
    misses[1 + p + j] =
        q->f[j] - q->f[q->best] - lr_interpolation_rise(q, d, d + p);
  }
  if (!invert(q)) return false;
  solve(q, misses, by);
  if (!lr_all_finite(by, 1 + p + q->count)) return false;
  correct(q, by);
  q->sound = true;
  return true;
}

bool lr_interpolation_begin(lr_interpolation *q, const double *x, double f,
                            const double *h, const double *at)
{
  size_t p = q->p;
  double sum = 0;
  q->count = 1 + p;
  q->best = 0;
  memset(q->H, 0, p * p * sizeof *q->H);
  memcpy(q->x, x, p * sizeof *x);
  q->f[0] = f;
  for (size_t i = 0; i < p; i++) {
    memcpy(point(q, 1 + i), x, p * sizeof *x);
    point(q, 1 + i)[i] += h[i];
    q->f[1 + i] = at[i];
    q->g[i] = (at[i] - f) / h[i];
    sum += fabs(h[i]);
  }
  if (!renew(q, sum / (double)p)) return false;
  for (size_t j = 1; j < q->count; j++)
    if (q->f[j] < q->f[q->best]) set_best(q, j);
  return true;
}

bool lr_interpolation_begin_at(lr_interpolation *q, size_t n, double radius)
{
  size_t p = q->p;
  q->count = n;
  q->best = 0;
  memset(q->g, 0, p * sizeof *q->g);
  memset(q->H, 0, p * p * sizeof *q->H);
  return renew(q, radius);
}

/* Extends the inverse by a point with column w of W: Hw = inverse w, and beta
 * is the Schur complement of its diagonal entry. */
static void border(lr_interpolation *q, const double *Hw, double beta)
{
  size_t n = 1 + q->p + q->count, ld = room(q);
  lr_syr(n, 1 / beta, Hw, q->inverse, ld);
  for (size_t i = 0; i < n; i++) q->inverse[i * ld + n] = -Hw[i] / beta;
  q->inverse[n * ld + n] = 1 / beta;
}

/* Only the lower half of the inverse is stored. */
void lr_interpolation_lagrange(const lr_interpolation *q, size_t t, double *out)
{
  size_t n = 1 + q->p + q->count, ld = room(q), row = 1 + q->p + t;
  for (size_t i = 0; i < row; i++) out[i] = q->inverse[i * ld + row];
  memcpy(out + row, q->inverse + row * ld + row, (n - row) * sizeof *out);
}

/* Exchanges point t in the inverse by Powell's (4.11) to (4.14).  False: the
 * denominator sigma is rounding error (1e-12 of its terms), so that the update
 * would be too. */
static bool exchange(lr_interpolation *q, size_t t, double *Hw, double beta)
{
  size_t n = 1 + q->p + q->count, ld = room(q), row = 1 + q->p + t;
  double *Ht = q->scratch + 2 * q->p + 2 * room(q);
  lr_interpolation_lagrange(q, t, Ht);
  double alpha = Ht[row], tau = Hw[row], sigma = alpha * beta + tau * tau;
  if (!(sigma > 1e-12 * (fabs(alpha * beta) + tau * tau))) return false;
  for (size_t i = 0; i < n; i++) Hw[i] = -Hw[i];
  Hw[row] += 1;
  lr_syr(n, alpha / sigma, Hw, q->inverse, ld);
  lr_syr(n, -beta / sigma, Ht, q->inverse, ld);
  lr_syr2(n, tau / sigma, Ht, Hw, q->inverse, ld);
  return true;
}

/* Chooses the point that a new one at x replaces: one whose Lagrange function
 * is large at x (Hw has these values), which keeps the system well conditioned,
 * preferring far points by the fourth power of their distance (BOBYQA). */
static size_t choose_replaced(const lr_interpolation *q, const double *x,
                              double f, const double *Hw, double radius)
{
  bool lower = f < q->f[q->best];
  const double *from = lower ? x : point(q, q->best);
  double most = -1;
  size_t out = q->best;
  for (size_t j = 0; j < q->count; j++) {
    if (j == q->best && !lower) continue;
    double far = distance(q, point(q, j), from) / radius;
    double score = q->sound ? fabs(Hw[1 + q->p + j]) : 1;
    score *= fmax(1, far * far * far * far);
    if (score > most) {
      most = score;
      out = j;
    }
  }
  return out;
}

/* Hw = inverse w for the column w of W that x would have.  Returns the Schur
 * complement beta, 0 where x is a point already. */
static double solve_for(lr_interpolation *q, const double *x, double *Hw)
{
  size_t p = q->p;
  double *z = q->scratch, *w = z + 2 * p;
  for (size_t i = 0; i < p; i++) z[i] = (x[i] - q->origin[i]) / q->unit;
  column(q, z, w);
  solve(q, w, Hw);
  double square = lr_dot(p, z, z);
  return 0.5 * square * square - lr_dot(1 + p + q->count, w, Hw);
}

/* Stores x = best point + d as point j; where that replaces the best one, the
 * gradient is shifted too. */
static void store(lr_interpolation *q, size_t j, const double *x, double f,
                  double *d)
{
  if (j == q->best) shift_gradient(q, d);
  if (j == q->count) q->count++;
  memcpy(point(q, j), x, q->p * sizeof *x);
  q->f[j] = f;
  set_z(q, j);
}

/* Counts an update of the inverse.  Returns whether the inverse is still
 * accurate at this radius. */
static bool updated(lr_interpolation *q, double radius)
{
  double away = distance(q, point(q, q->best), q->origin);
  return q->sound && lr_dfo_system_holds(q->policy, ++q->changes, q->p, away,
                                         radius, q->unit);
}

void lr_interpolation_take(lr_interpolation *q, const double *x, double f,
                           double radius, size_t out)
{
  size_t p = q->p;
  double *d = q->scratch, *Hw = d + 2 * p + room(q);
  double *by = Hw + 2 * room(q), beta = solve_for(q, x, Hw);
  for (size_t i = 0; i < p; i++) d[i] = x[i] - point(q, q->best)[i];
  /* it is the best point up to rounding */
  if (!(lr_norm(p, d) > 1e-9 * radius)) return;
  double misses = f - q->f[q->best] - lr_interpolation_rise(q, d, d + p);
  /* below 1e-12 the Schur complement may be rounding of its terms, near 1 */
  bool more = out == q->most && q->count < q->most && beta > 1e-12;
  if (out == q->most)
    out = more ? q->count : choose_replaced(q, x, f, Hw, radius);
  bool good = more || exchange(q, out, Hw, beta);
  if (more) border(q, Hw, beta);
  store(q, out, x, f, d);
  good = good && updated(q, radius);
  if (good) {
    lr_interpolation_lagrange(q, out, by);
    for (size_t i = 0; i < 1 + p + q->count; i++) by[i] *= misses;
    correct(q, by);
  }
  if (f < q->f[q->best]) set_best(q, out);
  if (!good) (void)renew(q, radius);
}

void lr_interpolation_stretch(lr_interpolation *q, const double *r,
                              double radius)
{
  size_t p = q->p;
  for (size_t i = 0; i < p; i++) {
    for (size_t j = 0; j < q->count; j++) point(q, j)[i] *= r[i];
    for (size_t j = 0; j < p; j++) q->H[j * p + i] /= r[i] * r[j];
    q->g[i] /= r[i];
    q->lower[i] *= r[i];
    q->upper[i] *= r[i];
  }
  (void)renew(q, radius);
}

size_t lr_interpolation_farthest(const lr_interpolation *q, double *distance_to)
{
  size_t far = q->best;
  *distance_to = 0;
  for (size_t j = 0; j < q->count; j++) {
    double away = distance(q, point(q, j), point(q, q->best));
    if (!(away > *distance_to)) continue;
    *distance_to = away;
    far = j;
  }
  return far;
}
