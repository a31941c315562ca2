/* The interior point method for quadratic programs with elastic rows. */
#include "constrained/elastic_qp.h"

#include "base/memory.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { LR_QP_ITERATIONS = 60 };

/* One side of a row or of a bound, sign a'd <= h + t: the slack w, the
 * multiplier of w >= 0 and, for a row that may be violated at a price, the
 * violation t and its multiplier. */
typedef struct side {
  size_t index; /* of the row, or of the variable */
  double sign;  /* 1: the upper limit, -1: the lower one */
  double h, price;
  double w, lambda, t, kappa;
  double dw, dlambda, dt, dkappa;
  /* its contributions to the matrix and to the right-hand side of Newton's
   * equations */
  double stiff, pull;
} side;

/* The state of a solve. */
typedef struct solve {
  lr_elastic_qp *q;
  side *sides;
  size_t count, rows; /* all sides, and those of rows, which come first */
  double *K, *rhs, *step, *r;
  double *best; /* the d with the least residual so far */
  double shift; /* added to the diagonal, where B is indefinite */
} solve;

void lr_elastic_qp_init(lr_elastic_qp *q, const lrgd_allocator *a)
{
  *q = (lr_elastic_qp){.allocator = *a};
}

void lr_elastic_qp_clear(lr_elastic_qp *q)
{
  lr_free(&q->allocator, q->memory);
  q->memory = NULL;
  q->room_n = q->room_m = 0;
}

static size_t side_numbers(size_t n, size_t m)
{
  return (2 * (n + m) * sizeof(side) + sizeof(double) - 1) / sizeof(double);
}

lrgd_status lr_elastic_qp_reserve(lr_elastic_qp *q, size_t n, size_t m)
{
  if (n > q->room_n || m > q->room_m || !q->memory) {
    size_t rn = n > q->room_n ? n : q->room_n,
           rm = m > q->room_m ? m : q->room_m;
    lr_free(&q->allocator, q->memory);
    size_t numbers =
        9 * rn + 2 * rn * rn + rn * rm + 4 * rm + side_numbers(rn, rm) + 1;
    q->memory = lr_alloc(&q->allocator, numbers, sizeof *q->memory);
    if (!q->memory) return LRGD_ERR_NOMEM;
    q->room_n = rn, q->room_m = rm;
  }
  q->n = n, q->m = m;
  q->g = q->memory;
  q->lower = q->g + n, q->upper = q->lower + n, q->d = q->upper + n;
  q->nu = q->d + n;
  q->B = q->nu + n;
  q->A = q->B + n * n;
  q->below = q->A + n * m, q->above = q->below + m;
  q->price = q->above + m, q->lambda = q->price + m;
  q->work = q->lambda + m;
  return LRGD_OK;
}

/* ---- sides of rows and bounds ---- */

/* sign a'v, a being the row of this side. */
static double along(const solve *s, const side *c, const double *v)
{
  const lr_elastic_qp *q = s->q;
  size_t n = q->n;
  if (c - s->sides >= (ptrdiff_t)s->rows) return c->sign * v[c->index];
  return c->sign * lr_dot(n, q->A + c->index * n, v);
}

/* v += a sign a_side, a_side being the row of this side */
static void add_side(const solve *s, const side *c, double a, double *v)
{
  const lr_elastic_qp *q = s->q;
  if (c - s->sides >= (ptrdiff_t)s->rows)
    v[c->index] += a * c->sign;
  else
    lr_axpy(q->n, a * c->sign, q->A + c->index * q->n, v);
}

static bool is_fixed(const lr_elastic_qp *q, size_t i)
{
  return !(q->lower[i] < q->upper[i]);
}

static void add(solve *s, size_t index, double sign, double h, double price)
{
  if (isinf(h)) return;
  s->sides[s->count++] =
      (side){.index = index, .sign = sign, .h = h, .price = price};
}

static void list_sides(solve *s)
{
  const lr_elastic_qp *q = s->q;
  for (size_t i = 0; i < q->m; i++) {
    add(s, i, 1, q->above[i], q->price[i]);
    add(s, i, -1, -q->below[i], q->price[i]);
  }
  s->rows = s->count;
  for (size_t i = 0; i < q->n; i++) {
    if (is_fixed(q, i)) continue;
    add(s, i, 1, q->upper[i], INFINITY);
    add(s, i, -1, -q->lower[i], INFINITY);
  }
}

/* Sets an interior starting point, and multipliers between 0 and the price. */
static void begin(solve *s)
{
  const lr_elastic_qp *q = s->q;
  for (size_t i = 0; i < q->n; i++) q->d[i] = 0.5 * (q->lower[i] + q->upper[i]);
  for (size_t j = 0; j < s->count; j++) {
    side *c = s->sides + j;
    double gap = c->h - along(s, c, q->d);
    bool elastic = isfinite(c->price);
    c->lambda = elastic ? fmin(1, 0.5 * c->price) : 1;
    c->kappa = elastic ? c->price - c->lambda : 0;
    c->t = elastic ? fmax(-gap, 0) + fmin(1, fmax(0.1, fabs(gap))) : 0;
    c->w = gap + c->t;
    /* the constraint is violated: start with a positive slack */
    if (!(c->w > 1e-8)) c->w = 1;
  }
}

/* ---- Newton's equations ---- */

/* Cholesky's factorisation in place, lower half; false: not positive
 * definite. */
static bool factor(size_t n, double *K)
{
  for (size_t j = 0; j < n; j++) {
    double *col = K + j * n;
    double top = col[j];
    if (!(top > 0)) return false;
    top = sqrt(top);
    for (size_t i = j; i < n; i++) col[i] /= top;
    for (size_t k = j + 1; k < n; k++)
      lr_axpy(n - k, -col[k], col + k, K + k * n + k);
  }
  return true;
}

bool lr_elastic_qp_is_convex(lr_elastic_qp *q, double shift)
{
  size_t n = q->n;
  memcpy(q->work, q->B, n * n * sizeof *q->B);
  for (size_t i = 0; i < n; i++) q->work[i * n + i] += shift;
  return factor(n, q->work);
}

static void back_solve(size_t n, const double *K, double *b)
{
  for (size_t j = 0; j < n; j++) {
    b[j] /= K[j * n + j];
    lr_axpy(n - j - 1, -b[j], K + j * n + j + 1, b + j + 1);
  }
  for (size_t j = n; j-- > 0;)
    b[j] =
        (b[j] - lr_dot(n - j - 1, K + j * n + j + 1, b + j + 1)) / K[j * n + j];
}

static void assemble(solve *s)
{
  const lr_elastic_qp *q = s->q;
  size_t n = q->n;
  for (size_t j = 0; j < n; j++) {
    memcpy(s->K + j * n + j, q->B + j * n + j, (n - j) * sizeof *s->K);
    s->K[j * n + j] += s->shift;
  }
  for (size_t j = 0; j < s->count; j++) {
    const side *c = s->sides + j;
    if (j >= s->rows)
      s->K[c->index * n + c->index] += c->stiff;
    else
      lr_syr(n, c->stiff, q->A + c->index * n, s->K, n);
  }
  for (size_t i = 0; i < n; i++) {
    if (!is_fixed(q, i)) continue;
    for (size_t j = 0; j < i; j++) s->K[j * n + i] = 0;
    memset(s->K + i * n + i, 0, (n - i) * sizeof *s->K);
    s->K[i * n + i] = 1;
  }
}

/* Factorises Newton's matrix, adding a multiple of I that makes it positive
 * definite. */
static void prepare(solve *s)
{
  double size = 1e-12;
  for (size_t j = 0; j < s->count; j++) {
    side *c = s->sides + j;
    double by_w = c->lambda / c->w,
           by_t = isinf(c->price) ? 0 : c->kappa / c->t;
    c->stiff = isinf(c->price) ? by_w : by_w * by_t / (by_w + by_t);
  }
  for (size_t i = 0; i < s->q->n; i++)
    size = fmax(size, fabs(s->q->B[i * s->q->n + i]));
  s->shift = 1e-13 * size;
  assemble(s);
  while (!factor(s->q->n, s->K)) {
    s->shift = fmax(10 * s->shift, 1e-6 * size);
    assemble(s);
    if (s->shift > 1e30 * size) break;
  }
}

/* Newton's direction that makes all complementarity products equal to mu, with
 * the second-order terms of the last direction if `second`. */
static void direct(solve *s, double mu, bool second)
{
  const lr_elastic_qp *q = s->q;
  size_t n = q->n;
  for (size_t i = 0; i < n; i++) s->rhs[i] = -s->r[i];
  for (size_t j = 0; j < s->count; j++) {
    side *c = s->sides + j;
    bool elastic = isfinite(c->price);
    double by_w = c->lambda / c->w;
    double c_w =
        (mu - c->lambda * c->w - (second ? c->dlambda * c->dw : 0)) / c->w;
    double rp = c->h + c->t - along(s, c, q->d) - c->w;
    if (!elastic) {
      c->pull = c_w - by_w * rp;
    } else {
      double by_t = c->kappa / c->t, rt = c->price - c->lambda - c->kappa;
      double c_t =
          (mu - c->kappa * c->t - (second ? c->dkappa * c->dt : 0)) / c->t;
      c->pull = c_w - by_w / (by_w + by_t) * (c_w + c_t - rt) - c->stiff * rp;
    }
    add_side(s, c, -c->pull, s->rhs);
  }
  for (size_t i = 0; i < n; i++)
    if (is_fixed(q, i)) s->rhs[i] = 0;
  memcpy(s->step, s->rhs, n * sizeof *s->step);
  back_solve(n, s->K, s->step);
  for (size_t j = 0; j < s->count; j++) {
    side *c = s->sides + j;
    double a = along(s, c, s->step);
    double rp = c->h + c->t - along(s, c, q->d) - c->w;
    double dlambda = c->pull + c->stiff * a;
    if (isfinite(c->price)) {
      double c_t =
          (mu - c->kappa * c->t - (second ? c->dkappa * c->dt : 0)) / c->t;
      c->dkappa = c->price - c->lambda - c->kappa - dlambda;
      c->dt = (c_t - c->dkappa) * c->t / c->kappa;
      c->dw = c->dt - a + rp;
    } else {
      c->dt = c->dkappa = 0;
      c->dw = rp - a;
    }
    c->dlambda = dlambda;
  }
}

/* The largest step along the direction that keeps slacks and multipliers
 * positive. */
static double longest(const solve *s)
{
  double most = 1;
  for (size_t j = 0; j < s->count; j++) {
    const side *c = s->sides + j;
    if (c->dw < 0) most = fmin(most, -c->w / c->dw);
    if (c->dlambda < 0) most = fmin(most, -c->lambda / c->dlambda);
    if (isinf(c->price)) continue;
    if (c->dt < 0) most = fmin(most, -c->t / c->dt);
    if (c->dkappa < 0) most = fmin(most, -c->kappa / c->dkappa);
  }
  return most;
}

/* The mean complementarity product after a step of length a. */
static double mean_product(const solve *s, double a)
{
  double sum = 0;
  size_t n = 0;
  for (size_t j = 0; j < s->count; j++) {
    const side *c = s->sides + j;
    sum += (c->w + a * c->dw) * (c->lambda + a * c->dlambda);
    n++;
    if (isinf(c->price)) continue;
    sum += (c->t + a * c->dt) * (c->kappa + a * c->dkappa);
    n++;
  }
  return n > 0 ? sum / (double)n : 0;
}

static void move(solve *s, double a)
{
  lr_axpy(s->q->n, a, s->step, s->q->d);
  for (size_t j = 0; j < s->count; j++) {
    side *c = s->sides + j;
    c->w += a * c->dw;
    c->lambda += a * c->dlambda;
    c->t += a * c->dt;
    c->kappa += a * c->dkappa;
  }
}

/* The dual residual r = g + B d + A lambda + (bounds), zero for variables that
 * are fixed; returns its largest entry.  *primal: the largest primal
 * residual. */
static double residual(solve *s, double *primal)
{
  const lr_elastic_qp *q = s->q;
  double most = 0;
  lr_symv(q->n, q->B, q->n, q->d, s->r);
  lr_axpy(q->n, 1, q->g, s->r);
  *primal = 0;
  for (size_t j = 0; j < s->count; j++) {
    const side *c = s->sides + j;
    add_side(s, c, c->lambda, s->r);
    *primal = fmax(*primal, fabs(c->h + c->t - along(s, c, q->d) - c->w));
  }
  for (size_t i = 0; i < q->n; i++)
    if (is_fixed(q, i))
      s->r[i] = 0;
    else
      most = fabs(s->r[i]) <= most ? most : fabs(s->r[i]);
  return most;
}

/* Stores the present solution: the multipliers in the program, d in scratch,
 * since d itself keeps changing. */
static void answer(solve *s)
{
  const lr_elastic_qp *q = s->q;
  memset(q->lambda, 0, q->m * sizeof *q->lambda);
  memset(q->nu, 0, q->n * sizeof *q->nu);
  for (size_t j = 0; j < s->count; j++) {
    const side *c = s->sides + j;
    (j < s->rows ? q->lambda : q->nu)[c->index] += c->sign * c->lambda;
  }
  memcpy(s->best, q->d, q->n * sizeof *s->best);
}

static void restore(solve *s)
{
  lr_elastic_qp *q = s->q;
  for (size_t i = 0; i < q->n; i++)
    q->d[i] = fmin(fmax(s->best[i], q->lower[i]), q->upper[i]);
}

void lr_elastic_qp_solve(lr_elastic_qp *q)
{
  size_t n = q->n;
  solve s = {.q = q, .K = q->work};
  s.rhs = s.K + n * n, s.step = s.rhs + n, s.r = s.step + n;
  s.best = s.r + n;
  s.sides = (side *)(void *)(s.best + n);
  list_sides(&s);
  begin(&s);
  double best = INFINITY;
  for (int i = 0, last = 0; i < LR_QP_ITERATIONS && i < last + 6; i++) {
    double primal, dual = residual(&s, &primal), mu = mean_product(&s, 0);
    double off = dual + primal + mu; /* NaN where one of the three is */
    if (!(off < INFINITY)) break;
    if (off < best) {
      best = off;
      last = i;
      answer(&s); /* keep this solution: rounding may spoil later ones */
    }
    if (best < 1e-12) break;
    prepare(&s);
    direct(&s, 0, false);
    double a = longest(&s), aim = mean_product(&s, a);
    double sigma = mu > 0 ? aim / mu : 0;
    direct(&s, sigma * sigma * sigma * mu, true);
    a = longest(&s);
    move(&s, a < 1 ? fmin(1, fmax(0.99, 1 - 10 * mu) * a) : 1);
  }
  restore(&s);
}
