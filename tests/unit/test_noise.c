/* The noise of f, estimated from a handful of values on a line. */
#include "asked.h"

#include "base/random.h"

enum { P = 10 };

typedef struct noisy {
  double level, scale, offset;
  double grid;   /* values are rounded to its multiples; 0: not */
  double beyond; /* no value where f is above it; 0: everywhere */
  uint64_t seed, drawn;
  int kind;
} noisy;

enum { QUADRATIC, COSINE, CONSTANT, LINEAR };

/* Noise as seen at x, of a function without parameters. */
static double seen_by(double (*g)(size_t p, const double *x, void *user),
                      size_t p, const double *x)
{
  asked a = prepared(p);
  a.problem.value = g;
  a.options.noise = LRGD_UNSET_REAL;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "it works");
  double noise = a.oracle.differences.noise;
  dismiss(&a);
  return noise;
}

static double f(size_t p, const double *x, void *user)
{
  noisy *n = user;
  double z[2], sum = 0;
  for (size_t i = 0; i < p; i++)
    sum += n->kind == QUADRATIC ? x[i] * x[i]
           : n->kind == COSINE  ? cos(x[i])
           : n->kind == LINEAR  ? x[i]
                                : 0;
  lr_gaussian(n->seed, 99, 2 * n->drawn++, 2, z);
  double value = n->offset + n->scale * (1 + sum) + n->level * z[0];
  if (n->beyond > 0 && value > n->beyond) return NAN;
  return n->grid > 0 ? n->grid * round(value / n->grid) : value;
}

/* What is estimated at a point of coordinates around one. */
static double estimated(noisy *n, size_t *cost)
{
  asked a = prepared(P);
  double x[P];
  for (int i = 0; i < P; i++) x[i] = 0.5 + 0.1 * i;
  n->drawn = 0;
  a.problem.value = f;
  a.problem.user = n;
  a.options.noise = LRGD_UNSET_REAL;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "it works");
  double noise = a.oracle.differences.noise;
  if (cost) *cost = (size_t)lrgd_counts_evaluations(&a.oracle.counts);
  dismiss(&a);
  return noise;
}

TEST("row 56: levels from 1e-3 to 1e-12 are found within a factor of four")
{
  for (int e = 3; e <= 12; e++) {
    int good = 0, seeds = 40;
    for (int seed = 0; seed < seeds; seed++) {
      noisy n = {.level = pow(10, -e), .scale = 1, .seed = (uint64_t)seed};
      double ratio = estimated(&n, NULL) / n.level;
      good += ratio > 0.25 && ratio < 4;
    }
    check(good >= 36, "1e-%d: %d of %d", e, good, seeds);
  }
}

TEST("a smooth function has no more noise than rounding")
{
  for (int kind = QUADRATIC; kind <= LINEAR; kind++) {
    noisy n = {.scale = 1, .kind = kind};
    double noise = estimated(&n, NULL);
    check(noise < 1e-14, "kind %d: %g", kind, noise);
  }
}

TEST("the size of f does not matter to a smooth function")
{
  static const double scales[] = {1e-200, 1e-10, 1e10, 1e100};
  for (int i = 0; i < 4; i++) {
    noisy n = {.scale = scales[i], .kind = COSINE};
    double noise = estimated(&n, NULL);
    check(noise < 1e-14 * scales[i], "scale %g: %g", scales[i], noise);
  }
}

TEST("a constant function has no noise")
{
  noisy n = {.scale = 3, .kind = CONSTANT};
  check(estimated(&n, NULL) == 0, "none");
}

TEST("an estimate costs at most 24 values")
{
  for (int kind = QUADRATIC; kind <= LINEAR; kind++) {
    noisy n = {.level = 1e-6, .scale = 1, .kind = kind};
    size_t cost;
    (void)estimated(&n, &cost);
    check(cost <= 24, "kind %d: %zu values", kind, cost);
  }
}

TEST("values printed with few digits are as noisy as their last digit")
{
  for (int e = 1; e <= 7; e++) {
    noisy n = {.scale = 1, .grid = 2 * pow(10, -e)};
    double ratio = estimated(&n, NULL) / n.grid;
    check(ratio > 0.05 && ratio < 2, "grid 2e-%d: %g of it", e, ratio);
  }
}

TEST("values near a round number are not printed with one digit")
{
  noisy n = {.scale = 1e-3, .offset = 1e12};
  double noise = estimated(&n, NULL);
  check(noise < 1, "%g", noise); /* 2.9e11 once: 1e12 / sqrt(12) */
}

TEST("a line that breaks off still tells the grid the values are on")
{
  noisy n = {.scale = 1, .grid = 0.02, .kind = LINEAR};
  n.beyond = 1 + 10 * 0.95 + 0.1; /* a little above the start */
  size_t cost;
  double ratio = estimated(&n, &cost) / n.grid;
  check(ratio > 0.05 && ratio < 2, "%g of the grid", ratio);
  check(cost <= 40, "%zu values", cost);
}

TEST("noise that is given is used, and nothing is evaluated")
{
  asked a = prepared(P);
  noisy n = {.scale = 1};
  double x[P] = {0};
  a.problem.value = f;
  a.problem.user = &n;
  a.options.noise = 0.125;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO &&
            a.oracle.differences.noise == 0.125,
        "as given");
  check_int(n.drawn, 0, "values");
  dismiss(&a);
}

static bool left_box;

static double corner(size_t p, const double *x, void *user)
{
  for (size_t i = 0; i < p; i++) left_box |= x[i] < 0 || x[i] > 1;
  return f(p, x, user);
}

TEST("at a corner of the box the estimate stays inside")
{
  asked a = prepared(P);
  noisy n = {.level = 1e-5, .scale = 1};
  double x[P], zero[P] = {0};
  for (int i = 0; i < P; i++) x[i] = 1;
  a.problem.value = corner;
  a.problem.user = &n;
  a.problem.lower = zero;
  a.problem.upper = x;
  a.options.noise = LRGD_UNSET_REAL;
  left_box = false;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "it works");
  check(a.oracle.differences.noise > 0.2e-5 &&
            a.oracle.differences.noise < 5e-5,
        "noise is %g", a.oracle.differences.noise);
  check(!left_box, "no point left the box");
  dismiss(&a);
}

TEST("in a narrow box the line is as short as it has to be")
{
  asked a = prepared(P);
  noisy n = {.level = 1e-5, .scale = 1};
  double x[P], low[P], high[P];
  for (int i = 0; i < P; i++) {
    low[i] = x[i] = 0.5;
    high[i] = 0.5 + 1e-6;
  }
  a.problem.value = f;
  a.problem.user = &n;
  a.problem.lower = low;
  a.problem.upper = high;
  a.options.noise = LRGD_UNSET_REAL;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "it works");
  check(a.oracle.differences.noise > 0.2e-5 &&
            a.oracle.differences.noise < 5e-5,
        "noise is %g", a.oracle.differences.noise);
  dismiss(&a);
}

static size_t fixed_calls;

static double nowhere(size_t p, const double *x, void *user)
{
  (void)p;
  (void)x;
  (void)user;
  fixed_calls++;
  return 1;
}

TEST("in a box that is one point no line is evaluated")
{
  asked a = prepared(P);
  double x[P] = {1, 2, 3};
  a.problem.value = nowhere;
  a.problem.lower = a.problem.upper = x;
  a.options.noise = LRGD_UNSET_REAL;
  fixed_calls = 0;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "it works");
  check(a.oracle.differences.noise == 0 && fixed_calls == 1, "%zu values",
        fixed_calls);
  dismiss(&a);
}

/* 14 at the origin, and so steep that values nearby have no digits to spare. */
static double steep(size_t p, const double *x, void *user)
{
  double s = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) s += 1e23 * x[i] * x[i];
  return 14 + s;
}

TEST("the rounding of large values nearby is no noise")
{
  asked a = prepared(P);
  double x[P] = {0};
  a.problem.value = steep;
  a.options.noise = LRGD_UNSET_REAL;
  ask(&a, x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "it works");
  check(a.oracle.differences.noise == 0, "noise is %g",
        a.oracle.differences.noise);
  dismiss(&a);
}

TEST("noise that was seen is not gone for one stretch without it")
{
  asked a = prepared(P);
  noisy n = {.scale = 1};
  double x[P];
  for (int i = 0; i < P; i++) x[i] = 0.5 + 0.1 * i;
  a.problem.value = f;
  a.problem.user = &n;
  ask(&a, x);
  a.oracle.differences.noise = 1e-7;
  int readings = 0;
  while (a.oracle.differences.noise > 0 && readings < 20) {
    double before = a.oracle.differences.noise;
    require(lr_oracle_measure_noise(&a.oracle, &a.at, (uint64_t)readings) ==
                LR_GO,
            "it works");
    check(a.oracle.differences.noise < before, "%g after %g",
          a.oracle.differences.noise, before);
    readings++;
  }
  check(readings > 1 && readings <= 5, "%d readings until it was", readings);
  dismiss(&a);
}

static double growth(size_t p, const double *x, void *user)
{
  (void)p;
  (void)user;
  return exp(2e4 * x[0]); /* each value is some times the one before */
}

TEST("geometric growth is no noise")
{
  double x[1] = {1e-3};
  double noise = seen_by(growth, 1, x);
  check(noise < 1e-12 * exp(20), "%g", noise);
}

static double waves(size_t p, const double *x, void *user)
{
  double f = 10;
  (void)user;
  for (size_t i = 0; i < p; i++) f += cos(3e4 * x[i] + (double)i);
  return f;
}

TEST("waves that are shorter than the spacing are no noise")
{
  double x[P];
  for (int i = 0; i < P; i++) x[i] = 0.5 + 0.1 * i;
  double noise = seen_by(waves, P, x);
  check(noise < 1e-9, "%g", noise);
}

/* Bends along the second input in steps of its size, which is small. */
static double unequal(size_t p, const double *x, void *user)
{
  double f = 0;
  (void)p;
  (void)user;
  for (int i = 1; i <= 14; i++) {
    double e = x[0] * (1 - exp(-x[1] * 50 * i)) - 5 * i;
    f += e * e;
  }
  return f;
}

TEST("an input that is far smaller than another makes no noise")
{
  double x[2] = {500, 1e-4};
  double noise = seen_by(unequal, 2, x);
  check(noise < 1e-12 * unequal(2, x, NULL), "%g", noise);
}

/* Scaled cosines, as in CUTEst: they oscillate over lengths of 1 and, at
 * inputs of size 1, of exp(-2 powers). */
static double cosines(double powers, size_t p, const double *x)
{
  double f = 0;
  for (size_t i = 0; i + 1 < p; i++) {
    double a = exp(powers * (double)i / (double)(p - 1));
    double b = exp(powers * (double)(i + 1) / (double)(p - 1));
    f += cos(a * a * x[i] * x[i] - 0.5 * b * x[i + 1]);
  }
  return f;
}

static double cosines_to_12(size_t p, const double *x, void *user)
{
  (void)user;
  return cosines(12, p, x);
}
static double cosines_to_20(size_t p, const double *x, void *user)
{
  (void)user;
  return cosines(20, p, x);
}

/* Noise seen of 20 points, with inputs between 1 and exp(-smallest). */
static int seen_in_cosines(double (*g)(size_t p, const double *x, void *user),
                           double smallest)
{
  int seen = 0;
  for (int seed = 1; seed <= 20; seed++) {
    double x[P], z[P];
    lr_gaussian((uint64_t)seed, 5, 0, P, z);
    for (int i = 0; i < P; i++)
      x[i] = exp(-smallest * i / (P - 1)) * (1 + 0.1 * z[i]);
    seen += seen_by(g, P, x) >= 1e-3;
  }
  return seen;
}

TEST("oscillations over lengths of every size are no noise")
{
  check_int(seen_in_cosines(cosines_to_12, 6), 0, "inputs to exp(-6)");
  check_int(seen_in_cosines(cosines_to_12, 0), 0, "inputs of one size");
}

TEST("nor are those along inputs that are far smaller than others")
{
  check_int(seen_in_cosines(cosines_to_20, 10), 0, "inputs to exp(-10)");
  check_int(seen_in_cosines(cosines_to_20, 20), 0, "inputs to exp(-20)");
}

TEST("noise as large as f is found")
{
  int good = 0, seeds = 40;
  for (int seed = 0; seed < seeds; seed++) {
    noisy n = {.level = 0.3, .scale = 1, .seed = (uint64_t)seed};
    double ratio = estimated(&n, NULL) / n.level;
    good += ratio > 0.25 && ratio < 4;
  }
  check(good >= 34, "%d of %d", good, seeds);
}
