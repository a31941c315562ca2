/* A quadratic from directional derivatives: known ones are recovered where the
 * data determine them, and the spread says where. */
#include "learn/regression.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <stdlib.h>

enum { Q = 6, MOST = 200 };

static double G[Q], H[Q * Q];

/* Some gradient and Hessian, of eigenvalues from 1 to 32 and below 0. */
static void make_truth(void)
{
  unsigned state = 11;
  for (size_t i = 0; i < Q; i++) G[i] = chance(&state);
  for (size_t i = 0; i < Q; i++)
    for (size_t j = 0; j <= i; j++)
      H[i * Q + j] = H[j * Q + i] =
          i == j ? (double)(1 << i) : 0.3 * chance(&state);
  H[0] = -1;
}

typedef struct problem {
  lr_regression r;
  double u[MOST * Q], b[MOST * Q], d[MOST], off[MOST], g[Q], B[Q * Q];
} problem;

static void clear(problem *x)
{
  lr_regression_clear(&x->r, &lr_malloc);
}

/* The derivative along u at b. */
static double derivative(const double *u, const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < Q; i++) {
    double g = G[i];
    for (size_t j = 0; j < Q; j++) g += H[i * Q + j] * b[j];
    sum += u[i] * g;
  }
  return sum;
}

/* n data along random directions of the first `dims` inputs, at random points
 * of them up to `far` away. */
static void draw(problem *x, size_t n, size_t dims, double far, unsigned seed)
{
  *x = (problem){
      .r = {.q = Q, .n = n}
  };
  x->r.u = x->u;
  x->r.b = x->b;
  x->r.d = x->d;
  x->r.off = x->off;
  for (size_t k = 0; k < n; k++) {
    double *u = x->u + k * Q, *b = x->b + k * Q, size = 0;
    for (size_t i = 0; i < dims; i++) {
      u[i] = chance(&seed);
      b[i] = far * chance(&seed);
      size += u[i] * u[i];
    }
    for (size_t i = 0; i < dims; i++) u[i] /= sqrt(size);
    x->d[k] = derivative(u, b);
  }
}

static double apart(const double *a, const double *b, size_t dims, bool square)
{
  double worst = 0;
  for (size_t i = 0; i < dims; i++)
    for (size_t j = 0; j < (square ? dims : 1); j++)
      worst = fmax(worst, fabs(a[j * Q + i] - b[j * Q + i]));
  return worst;
}

TEST("a quadratic is recovered from as many data as it has numbers")
{
  static problem x;
  make_truth();
  for (unsigned seed = 1; seed < 8; seed++)
    for (double far = 1e-3; far <= 1e3; far *= 1e3) {
      draw(&x, 60, Q, far, seed); /* of 27 numbers */
      require(lr_regress(&x.r, &lr_malloc, x.g, x.B) == LRGD_OK, "fitted");
      /* data are taken to be right to a millionth: of the largest derivative */
      double size = 1 + 32 * far;
      check(apart(x.g, G, Q, false) <= 1e-5 * size, "far %g: g is off by %g",
            far, apart(x.g, G, Q, false));
      check(apart(x.B, H, Q, true) <= 1e-5 * size / far,
            "far %g: B is off by %g", far, apart(x.B, H, Q, true));
      clear(&x);
    }
}

TEST("the spread is small along what was seen and large elsewhere")
{
  static problem x;
  double in[Q] = {0, 0.6, 0.8}, out[Q] = {0, 0, 0, 0, 0, 1};
  make_truth();
  draw(&x, 40, 3, 1, 5);
  require(lr_regress(&x.r, &lr_malloc, x.g, x.B) == LRGD_OK, "fitted");
  double seen = lr_regression_spread(&x.r, in);
  double unseen = lr_regression_spread(&x.r, out);
  check(seen <= 1e-4, "seen: %g", seen);
  check(unseen >= 0.3, "unseen: %g", unseen);
  check(apart(x.B, H, 3, true) <= 1e-4, "B is off by %g",
        apart(x.B, H, 3, true));
  for (size_t i = 3; i < Q; i++)
    check(x.B[i * Q + i] == 0, "what is open stays zero");
  clear(&x);
}

TEST("noise enters the spread")
{
  static problem x;
  unsigned state = 3;
  make_truth();
  draw(&x, 150, Q, 1, 9);
  for (size_t k = 0; k < 150; k++) {
    x.off[k] = 0.05;
    x.d[k] += 0.05 * 1.7 * chance(&state);
  }
  require(lr_regress(&x.r, &lr_malloc, x.g, x.B) == LRGD_OK, "fitted");
  for (size_t i = 0; i < Q; i++) {
    double v[Q] = {0};
    v[i] = 1;
    double spread = lr_regression_spread(&x.r, v);
    double off = fabs(x.B[i * Q + i] - H[i * Q + i]);
    check(spread > 1e-4 && spread < 1, "input %zu: the spread is %g", i,
          spread);
    check(off <= 5 * spread, "input %zu: off by %g, the spread is %g", i, off,
          spread);
  }
  clear(&x);
}

/* f is a quadratic nearby only: what is far away counts less. */
TEST("a datum that fits no quadratic and is far away does no harm")
{
  static problem x;
  make_truth();
  draw(&x, 80, Q, 1, 2);
  for (size_t i = 0; i < Q; i++) x.b[i] = 100;
  x.d[0] = derivative(x.u, x.b) * 1.5;
  require(lr_regress(&x.r, &lr_malloc, x.g, x.B) == LRGD_OK, "fitted");
  check(apart(x.B, H, Q, true) <= 0.05 * 32, "B is off by %g",
        apart(x.B, H, Q, true));
  check(apart(x.g, G, Q, false) <= 0.05, "g is off by %g",
        apart(x.g, G, Q, false));
  clear(&x);
}

TEST("data that determine no quadratic are refused")
{
  static problem x;
  make_truth();
  draw(&x, 5, Q, 1, 4);
  memset(x.d, 0, sizeof x.d); /* no slope anywhere */
  check_int(lr_regress(&x.r, &lr_malloc, x.g, x.B), LRGD_ERR_NUMERIC, "flat");
  clear(&x);
  draw(&x, 5, Q, 0, 4); /* all at the origin */
  check_int(lr_regress(&x.r, &lr_malloc, x.g, x.B), LRGD_ERR_NUMERIC, "there");
  clear(&x);
}

TEST("repeated data and data of any size give a finite result")
{
  static problem x;
  make_truth();
  for (double size = 1e-150; size < 1e160; size *= 1e100) {
    draw(&x, 40, Q, 1, 6);
    memcpy(x.u + 40 * Q, x.u, 40 * Q * sizeof *x.u);
    memcpy(x.b + 40 * Q, x.b, 40 * Q * sizeof *x.b);
    memcpy(x.d + 40, x.d, 40 * sizeof *x.d);
    x.r.n = 80;
    for (size_t k = 0; k < 80; k++) x.d[k] *= size;
    require(lr_regress(&x.r, &lr_malloc, x.g, x.B) == LRGD_OK, "fitted");
    for (size_t i = 0; i < Q * Q; i++) x.B[i] /= size;
    check(apart(x.B, H, Q, true) <= 1e-3, "size %g: B is off by %g", size,
          apart(x.B, H, Q, true));
    clear(&x);
  }
}
