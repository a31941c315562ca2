/* Answers that are no values of f, its unit and its digits, and the noise of
 * derivatives that the user gives: cases on both sides of each number of the
 * policy. */
#include "asked.h"

#include "base/random.h"

#define P lr_policy_current()

TEST(
    "a highest value far above the others that is returned again is a "
    "sentinel")
{
  static const struct {
    const char *what;
    lr_sentinel r;
    bool many, found;
  } cases[] = {
      {"once",                     {.first = 1, .next = 2, .top = 1e10, .times = 1}, true, false},
      {"twice, 900 times as far",
       {.first = 1, .next = 2, .top = 901, .times = 2},
       true,                                                                               false},
      {"twice, 1100 times as far",
       {.first = 1, .next = 2, .top = 1101, .times = 2},
       false,                                                                              true },
      {"twice, beside a large f",
       {.first = -9, .next = -8, .top = 8000, .times = 2},
       false,                                                                              false},
      {"thrice, 9 times as far",
       {.first = 1, .next = 2, .top = 10, .times = 3},
       false,                                                                              false},
      {"thrice, 11 times as far",
       {.first = 1, .next = 2, .top = 12, .times = 3},
       false,                                                                              true },
      {"thrice, with many digits",
       {.first = 1, .next = 2, .top = 3, .times = 3},
       true,                                                                               true },
      {"all values are zero",      {.top = 1e10, .times = 3},                        true, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_sentinel_found(P, &cases[i].r, cases[i].many), cases[i].found,
              "%s", cases[i].what);
}

/* Whether the start was a sentinel where others are 1 to 2. */
static bool began(uint64_t same, double first)
{
  lr_oracle o = {
      .policy = P,
      .refusals = {.first = first, .top = first, .next = 2, .same = same}
  };
  return lr_oracle_began_refused(&o, 1);
}

TEST(
    "the start counts as failed where its value was returned five times "
    "and is far above others")
{
  check(!began(4, 1000), "four times");
  check(began(5, 1000), "five times");
  check(!began(5, 2 + 29), "9.7 times the size of others");
  check(began(5, 2 + 31), "10.3 times the size of others");
}

/* A unit in the last digit of the first value, after all of them. */
static double last_place(const double *f, int n)
{
  lr_oracle o = {
      .policy = P, .seen = {.low = INFINITY, .high = -INFINITY, .unit = 1}
  };
  for (int i = 0; i < n; i++) lr_oracle_read_digits(&o, f[i]);
  return lr_oracle_last_place(&o, f[0]);
}

TEST(
    "values of nine digits and fewer are rounded to them, those of ten are not")
{
  check_near(last_place((double[]){12.5, 0.25}, 2), 0.1, 1e-14, "three digits");
  check_near(last_place((double[]){1.23456789, 2}, 2), 1e-8, 1e-8, "nine");
  check_near(last_place((double[]){1.234567891, 2}, 2), 0, 0, "ten");
  check_near(last_place((double[]){12.5, 12.5}, 2), 0, 0, "all the same");
}

static double nothing(size_t p, const double *x, void *user)
{
  (void)p;
  (void)x;
  (void)user;
  return 0;
}

/* Whether f is unbounded at (far, 0), |f| having been 2 at the start, where |x|
 * was 3; upper: a bound on the first input. */
static bool unbounded(double far, double f, double upper)
{
  asked a = prepared(2);
  double x[2] = {far, 0}, high[2] = {upper, INFINITY},
         low[2] = {-INFINITY, -INFINITY};
  a.problem.value = nothing;
  a.problem.lower = low;
  a.problem.upper = high;
  ask(&a, x);
  lr_oracle_set_bounds(&a.oracle, a.oracle.box);
  a.oracle.seen.f_scale = 2;
  a.oracle.seen.x_scale = 3;
  bool is = lr_oracle_falls_for_ever(&a.oracle, a.at.x, f);
  dismiss(&a);
  return is;
}

TEST("f is unbounded at -1e30 times its first size, 1e8 times as far away")
{
  check(unbounded(3.3e8, -2.2e30, INFINITY), "far and low");
  check(!unbounded(3.3e8, -1.8e30, INFINITY), "not so low");
  check(!unbounded(2.7e8, -2.2e30, INFINITY), "not so far");
  check(!unbounded(3.3e8, -2.2e30, 1e9), "a bound is ahead");
  check(unbounded(-3.3e8, -2.2e30, 1e9), "no bound is ahead");
}

static void rescaled(void *self)
{
  ++*(int *)self;
}

/* The unit that a first value chooses. */
static double unit(double f)
{
  int times = 0;
  lr_oracle o = {
      .policy = P,
      .listener = {.self = &times, .rescaled = rescaled},
      .seen = {.unit = 1             }
  };
  lr_oracle_choose_unit(&o, f);
  check_int(times, o.seen.unit != 1, "the run is told");
  return o.seen.unit;
}

TEST("f is scaled where its first value is below 2^-200 or above 2^33")
{
  check(unit(-0x1p-200) == 1 && unit(0x1p33) == 1 && unit(0) == 1, "as it is");
  check(unit(0x1.8p-210) == 0x1p10, "up: %g", unit(0x1.8p-210));
  check(unit(-0x1.8p40) == 0x1p-7, "down: %g", unit(-0x1.8p40));
}

/* f = 1 + 0 x with derivatives that are noisy, and values. */
typedef struct noisy {
  double level, level_of_f;
  uint64_t drawn;
  int calls;
  double first, second; /* x_0 of the first two calls */
} noisy;

static double slopes(size_t p, const double *x, size_t k, const double *U,
                     double *d, void *user)
{
  noisy *n = user;
  double z[4];
  (void)p;
  (void)U;
  if (n->calls == 0) n->first = x[0];
  if (n->calls == 1) n->second = x[0];
  n->calls++;
  lr_gaussian(7, 99, 4 * n->drawn++, 4, z);
  for (size_t j = 0; j < k; j++) d[j] = n->level * z[0];
  return 1 + n->level_of_f * z[1];
}

/* Hears derivatives in one dimension at x = 1, the tolerance being one. */
static asked heard(noisy *n)
{
  asked a = prepared(1);
  double x = 1;
  static const double tol = 1;
  a.problem.slopes = slopes;
  a.problem.user = n;
  a.options.method = LRGD_METHOD_AUTO;
  ask(&a, &x);
  a.at.f = 1;
  lr_oracle_resolve(&a.oracle, &tol);
  check(lr_oracle_hear_slopes(&a.oracle, &a.at, 0.95) == LR_GO, "heard");
  return a;
}

TEST("eight second differences measure the noise of derivatives")
{
  noisy n = {.level = 1e-3};
  asked a = heard(&n);
  check_int(n.calls, 27, "derivatives, three each, one over a shorter spacing");
  check(a.oracle.accuracy.slope_noise > 1e-3 &&
            a.oracle.accuracy.slope_noise < 3e-3,
        "an upper bound: %g", a.oracle.accuracy.slope_noise);
  check_near(fabs(n.second - n.first), 2e-9, 1e-5,
             "their spacing, the size of x being 1 + |x|");
  dismiss(&a);
}

TEST(
    "noise of a millionth of the tolerance is none, and one difference shows "
    "it")
{
  noisy n = {.level = 1e-3};
  asked a = heard(&n); /* the same random numbers: the size of the first */
  double square = 0;
  dismiss(&a);
  {
    double z[3][4];
    for (uint64_t i = 0; i < 3; i++) lr_gaussian(7, 99, 4 * i, 4, z[i]);
    square = fabs(z[0][0] - 2 * z[1][0] + z[2][0]) / sqrt(6);
  }
  n = (noisy){.level = 0.9e-6 / square};
  a = heard(&n);
  check_int(n.calls, 3, "derivatives");
  check(a.oracle.accuracy.slope_noise == 0, "no noise");
  dismiss(&a);
  n = (noisy){.level = 1.1e-6 / square};
  a = heard(&n);
  check_int(n.calls, 27, "derivatives");
  dismiss(&a);
}

/* f = 1 with derivatives that go up and down over long steps, and less over
 * short ones. */
typedef struct wavy {
  double less; /* so many times */
  int calls;
  double last, shortest; /* x_0 of the last call, and the least spacing */
} wavy;

static double wavy_slopes(size_t p, const double *x, size_t k, const double *U,
                          double *d, void *user)
{
  wavy *w = user;
  double step = w->calls > 0 ? fabs(x[0] - w->last) : 1;
  bool middle = w->calls % 3 == 1;
  (void)p;
  (void)U;
  if (middle) w->shortest = fmin(w->shortest, step);
  for (size_t j = 0; j < k; j++)
    d[j] = middle ? (step < 1e-10 ? w->less : 1) : 0;
  w->last = x[0];
  w->calls++;
  return 1;
}

/* The noise of such derivatives, the least spacing of the looks, and their
 * number, of three derivatives each. */
static double noise_of_waves(double less, double *shortest, int *looks)
{
  asked a = prepared(1);
  double x = 1, tol = 1;
  wavy w = {.less = less, .shortest = 1};
  a.problem.slopes = wavy_slopes;
  a.problem.user = &w;
  a.options.method = LRGD_METHOD_AUTO;
  ask(&a, &x);
  w.calls = 0;
  a.at.f = 1;
  lr_oracle_resolve(&a.oracle, &tol);
  check(lr_oracle_hear_slopes(&a.oracle, &a.at, 0.95) == LR_GO, "heard");
  *shortest = w.shortest;
  *looks = w.calls / 3;
  double noise = a.oracle.accuracy.slope_noise;
  dismiss(&a);
  return noise;
}

TEST("derivatives that change less over shorter steps oscillate: no noise")
{
  double shortest;
  int smooth, rough;
  check(noise_of_waves(sqrt(0.9e-3), &shortest, &smooth) == 0,
        "0.9e-3 of the square");
  check(noise_of_waves(sqrt(1.1e-3), &shortest, &rough) > 0.5, "1.1e-3 of it");
  check_near(shortest, 2e-12, 1e-3, "the spacing, in units of 1 + |x|");
  check_int(rough - smooth, 1 - 3, "one look shows noise, three show none");
}

/* The noise of f that is found where its second differences make it so many
 * roundings. */
static double noise_of_f(double roundings)
{
  double sum = 0, z[24][4];
  for (uint64_t i = 0; i < 24; i++) lr_gaussian(7, 99, 4 * i, 4, z[i]);
  for (int i = 0; i < 24; i += 3) {
    double d = z[i][1] - 2 * z[i + 1][1] + z[i + 2][1];
    sum += d * d / 6;
  }
  noisy n = {.level = 1e-3, .level_of_f = roundings * 0x1p-52 / sqrt(sum / 8)};
  asked a = heard(&n);
  double noise = a.oracle.differences.noise;
  dismiss(&a);
  return noise;
}

TEST("values that differ by a thousand roundings beside derivatives are noisy")
{
  check_near(noise_of_f(900), 0, 0, "900 roundings");
  check_near(noise_of_f(1100), 1100 * 0x1p-52, 0.01, "1100 roundings");
}
