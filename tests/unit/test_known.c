/* Evaluations paid for before: which are kept, in what order, and what is found
 * among them. */
#include "learn/known.h"

#include "base/memory.h"
#include "chance.h"
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <time.h>

static lr_known learned(size_t p, size_t n, const lrgd_evaluation *all)
{
  lr_known known;
  check(lr_known_init(&known, &lr_malloc, p, n, all) == LRGD_OK, "learned");
  return known;
}

/* Of values alone: n points of p numbers. */
static lr_known values(size_t p, size_t n, const double *x, const double *f)
{
  lrgd_evaluation *all = calloc(n, sizeof *all);
  if (!all) abort();
  for (size_t i = 0; i < n; i++)
    all[i] = (lrgd_evaluation){.x = x + i * p, .f = f[i]};
  lr_known known = learned(p, n, all);
  free(all);
  return known;
}

TEST("evaluations that are not finite are dropped, and the order is kept")
{
  const double x[2] = {1, 2}, odd[2] = {1, NAN}, far[2] = {INFINITY, 0};
  const double zero[2] = {0, 0}, u[2] = {3, 4}, g[2] = {5, 6};
  const lrgd_evaluation all[] = {
      {.x = x,          .f = 1        },
      {.x = x,          .f = NAN      },
      {.x = x,          .f = INFINITY },
      {.x = x,          .f = -INFINITY},
      {.x = odd,        .f = 2        },
      {.x = far,        .f = 3        },
      {.x = NULL,       .f = 4        },
      {.x = x,          .f = 5,         .direction = zero, .slope = 1},
      {.x = x,     .f = 6,                   .direction = odd, .slope = 1},
      {.x = x,     .f = 7,.direction = u, .slope = NAN},
      {.x = x,               .f = 8,                        .gradient = far},
      {.x = x, .f = 9,                   .direction = u, .slope = 10},
      {.x = x,          .f = 10,    .gradient = g},
      {.x = x,               .f = 11                       },
  };
  lr_known known = learned(2, sizeof all / sizeof *all, all);
  require(known.n == 4, "4 are usable, not %zu", known.n);
  check(known.f[0] == 1 && known.f[1] == 9 && known.f[2] == 10 &&
            known.f[3] == 11,
        "in their order");
  check_int(known.kind[0], LR_KNOWN_VALUE, "the first");
  check_int(known.kind[1], LR_KNOWN_SLOPE, "the second");
  check_int(known.kind[2], LR_KNOWN_GRADIENT, "the third");
  check_near(known.v[2], 0.6, 4 * DBL_EPSILON, "a direction of length one");
  check_near(known.d[1], 2, 4 * DBL_EPSILON, "and the slope along that");
  check(known.v[4] == 5 && known.v[5] == 6, "a gradient as it is");
  lr_known_clear(&known);
  lr_known_clear(&known);
}

TEST("known evaluations that all failed count as none")
{
  const double x[1] = {0};
  const lrgd_evaluation bad = {.x = x, .f = NAN};
  lr_known known = learned(1, 1, &bad);
  check_int(known.n, 0, "evaluations");
  check_int(lr_known_find(&known, x), 0, "found nowhere");
  check_int(lr_known_lowest(&known, NULL, NULL), 0, "the lowest");
  check(!lr_known_line(&known, 3, (double[3]){0}), "no line");
  lr_known_clear(&known);
  known = learned(1, 0, NULL);
  check_int(known.n, 0, "nor of no evaluations");
  lr_known_clear(&known);
}

TEST("the lowest known point is the first of equal ones within the bounds")
{
  const double x[] = {0, 0, 1, 0, 2, 0, 2, 1, 3, 3};
  const double f[] = {4, 3, 2, 2, 1};
  const double low[] = {0.5, -1}, high[] = {2, 0.5};
  lr_known known = values(2, 5, x, f);
  check_int(lr_known_lowest(&known, NULL, NULL), 4, "free");
  check_int(lr_known_lowest(&known, low, NULL), 4, "above");
  check_int(lr_known_lowest(&known, NULL, high), 2, "below, bounds included");
  check_int(lr_known_lowest(&known, low, high), 2, "between");
  check_int(lr_known_lowest(&known, high, low), 5, "nowhere");
  check(lr_known_inside(&known, 2, low, high) &&
            !lr_known_inside(&known, 0, low, high),
        "inside");
  lr_known_clear(&known);
}

enum { P = 5, STAR = 1 + P };

/* Differences around c: c, then c + h e_i each; f falls by h d_i. */
static void star(double *x, double *f, double at, double fc, double h)
{
  for (size_t k = 0; k < STAR; k++) {
    for (size_t i = 0; i < P; i++) x[k * P + i] = at + (k == i + 1 ? h : 0);
    f[k] = fc - (k > 0 ? h * (double)k : 0);
  }
}

TEST("the base of a coordinate difference is the point it belongs to")
{
  double x[2 * STAR * P], f[2 * STAR];
  star(x, f, 0, 100, 1e-7);
  star(x + STAR * P, f + STAR, 1, 7, 1e-7);
  lr_known known = values(P, 2 * STAR, x, f);
  size_t lowest = lr_known_lowest(&known, NULL, NULL);
  check_int(lowest, 2 * STAR - 1, "the lowest is the last difference");
  check_int(lr_known_base(&known, lowest, NULL, NULL), STAR, "its base");
  check_int(lr_known_base(&known, STAR + 2, NULL, NULL), STAR, "of another");
  check_int(lr_known_base(&known, STAR, NULL, NULL), STAR, "of the base");
  lr_known_clear(&known);
}

TEST("a run that had only begun begins at its first point")
{
  double x[STAR * P], f[STAR];
  star(x, f, 2, 100, 1e-7);
  lr_known known = values(P, STAR, x, f);
  check_int(lr_known_base(&known, STAR - 1, NULL, NULL), 0, "the first");
  lr_known_clear(&known);
}

TEST("a large constant in f does not undo a descent")
{
  double x[2 * STAR * P], f[2 * STAR];
  star(x, f, 0, 1e6 + 100, 1e-7);
  star(x + STAR * P, f + STAR, 1, 1e6, 1e-7);
  lr_known known = values(P, 2 * STAR, x, f);
  check_int(lr_known_base(&known, 2 * STAR - 1, NULL, NULL), STAR,
            "where the run had come to");
  lr_known_clear(&known);
}

TEST("a base point outside the bounds is not used")
{
  double x[STAR * P], f[STAR], low[P], high[P];
  star(x, f, 2, 100, 1e-7);
  for (size_t i = 0; i < P; i++) low[i] = 1;
  for (size_t i = 0; i < P; i++) high[i] = 3;
  lr_known known = values(P, STAR, x, f);
  low[P - 1] = 2 + 0.5e-7; /* which the first is below */
  size_t lowest = lr_known_lowest(&known, low, high);
  check_int(lowest, STAR - 1, "the only one inside");
  check_int(lr_known_base(&known, lowest, low, high), lowest, "its own base");
  lr_known_clear(&known);
  /* nor is that of differences further down */
  double y[2 * STAR * P], h[2 * STAR];
  star(y, h, 0, 100, 1e-7);
  star(y + STAR * P, h + STAR, 2, 7, 1e-7);
  known = values(P, 2 * STAR, y, h);
  lowest = lr_known_lowest(&known, low, high);
  check_int(lowest, 2 * STAR - 1, "the only one inside");
  check_int(lr_known_base(&known, lowest, low, high), lowest, "its own base");
  lr_known_clear(&known);
}

TEST("a single evaluation is its own base")
{
  const double x[] = {1, 2}, f[] = {3};
  lr_known known = values(2, 1, x, f);
  check_int(lr_known_base(&known, 0, NULL, NULL), 0, "the base");
  check_int(lr_known_find(&known, x), 0, "found");
  lr_known_clear(&known);
}

enum { LINE = 7 };

TEST("values at equal spacing on a line are found, the newest")
{
  double x[40 * 2], f[40], line[LINE];
  unsigned state = 3;
  for (size_t i = 0; i < 40; i++) {
    x[2 * i] = chance(&state);
    x[2 * i + 1] = chance(&state);
    f[i] = (double)i;
  }
  lr_known known = values(2, 40, x, f);
  check(!lr_known_line(&known, LINE, line), "points at random are none");
  lr_known_clear(&known);
  for (size_t from = 5; from < 40; from += 15)
    for (size_t i = 0; i < LINE && from + i < 40; i++) {
      x[2 * (from + i)] = 0.3 + 1e-6 * (double)i;
      x[2 * (from + i) + 1] = -0.7 + 3e-7 * (double)i;
    }
  known = values(2, 40, x, f); /* from 5, from 20, and 5 of one from 35 */
  require(lr_known_line(&known, LINE, line), "there are three");
  for (size_t i = 0; i < LINE; i++)
    check(line[i] == 20 + (double)i, "value %zu is %g", i, line[i]);
  check(!lr_known_line(&known, LINE + 1, (double[LINE + 1]){0}),
        "none is longer");
  lr_known_clear(&known);
}

/* Whether three points on a line, the last of which is off, are one. */
static bool on_line(double x, double step, double off)
{
  double at[3] = {x, x + step, x + 2 * step + off}, f[3] = {0};
  lr_known known = values(1, 3, at, f);
  bool is = lr_known_on_line(&known, 1);
  lr_known_clear(&known);
  return is;
}

TEST("points on a line are off it by rounding, or by a millionth of a step")
{
  check(on_line(1, 1e-12, 0.9e-14), "0.9e-14 of x");
  check(!on_line(1, 1e-12, 1.3e-14), "1.3e-14 of x");
  check(on_line(0, 1, 0.9e-6), "0.9e-6 of a step");
  check(!on_line(0, 1, 1.1e-6), "1.1e-6 of a step");
}

/* The base of a point that is a step away from the first, and lower. */
static size_t base(double step, double decrease)
{
  double x[4] = {0, 0, step, step}, f[2] = {100, 100 - decrease};
  lr_known known = values(2, 2, x, f);
  size_t i = lr_known_base(&known, 1, NULL, NULL);
  lr_known_clear(&known);
  return i;
}

TEST("a run has only begun where it is a difference away and hardly lower")
{
  check_int(base(1e-6, 0.09), 0, "lower by 0.9e-3");
  check_int(base(1e-6, 0.11), 1, "lower by 1.1e-3");
  check_int(base(0.9e-3, 0.01), 0, "0.9e-3 away");
  check_int(base(1.1e-3, 0.01), 1, "1.1e-3 away");
}

TEST("one point evaluated again and again is not taken for a line")
{
  double x[LINE] = {0}, f[LINE] = {0}, line[LINE];
  lr_known known = values(1, LINE, x, f);
  check(!lr_known_line(&known, LINE, line), "none");
  lr_known_clear(&known);
}

TEST("a point is found again to the bit, and the first of equal ones")
{
  const double x[] = {1, 0.0, 1, 0.5, 1, -0.0, 2, 0.5};
  const double f[] = {1, 2, 3, 4};
  lr_known known = values(2, 4, x, f);
  check_int(lr_known_find(&known, (double[2]){1, 0.0}), 0, "zero");
  check_int(lr_known_find(&known, (double[2]){1, -0.0}), 0, "minus zero");
  check_int(lr_known_find(&known, (double[2]){2, 0.5}), 3, "the last");
  check_int(lr_known_find(&known, (double[2]){2, nextafter(0.5, 1)}), 4,
            "the next number is another point");
  check_int(lr_known_find(&known, (double[2]){NAN, 0}), 4, "NaN is nowhere");
  lr_known_clear(&known);
}

/* Differences along single inputs make points that share all numbers but one:
 * a table that loses those bits takes the square of their number. */
TEST("a hundred thousand points are found in the time that reading takes")
{
  enum { MANY = 100000, Q = 4 };
  double *x = malloc(MANY * Q * sizeof *x), *f = malloc(MANY * sizeof *f);
  if (!x || !f) abort();
  for (size_t i = 0; i < MANY; i++) {
    f[i] = (double)i;
    for (size_t j = 0; j < Q; j++)
      x[i * Q + j] = 0.5 + (i % Q == j ? (double)(i + 1) * 0x1p-20 : 0);
  }
  clock_t begin = clock();
  lr_known known = values(Q, MANY, x, f);
  size_t wrong = 0;
  for (size_t i = 0; i < MANY; i++)
    wrong += lr_known_find(&known, x + i * Q) != i;
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  check_int(wrong, 0, "points not found");
  check(seconds < 10, "it took %g s of the processor", seconds);
  lr_known_clear(&known);
  free(x);
  free(f);
}

TEST("of more than memory allows for, the last and the lowest are kept")
{
  enum { WIDE = 1 << 22, MOST = (1 << 25) / WIDE + 2, N = MOST + 5 };
  double *x = calloc(WIDE, sizeof *x);
  lrgd_evaluation all[N];
  if (!x) abort();
  for (int i = 0; i < N; i++)
    all[i] = (lrgd_evaluation){.x = x, .f = i == 2 ? -1 : i};
  lr_known known = learned(WIDE, N, all);
  require(known.n == MOST, "%d are kept, not %zu", MOST, known.n);
  check(known.f[0] == -1, "the lowest");
  for (int i = 1; i < MOST; i++)
    check(known.f[i] == N - MOST + i, "number %d", i);
  lr_known_clear(&known);
  free(x);
}
