/* What values on a line show of noise: cases on both sides of each number of
 * the policy. */
#include "asked.h"

#include "base/random.h"
#include "oracle/noise_reading.h"

#define P lr_policy_current()

TEST("a line ends at a step a thousand times as large as all others")
{
  static const struct {
    const char *what;
    double last, f_scale;
    int n;
  } cases[] = {
      {"900 times all others",            4 + 3 * 900,  1,    5},
      {"1100 times all others",           4 + 3 * 1100, 1,    4},
      {"but less than f at the start",    4 + 3 * 1100, 5000, 5},
      {"f at the start is not known yet", 4 + 3 * 1100, 0,    5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_line L = {
        .f = {1, 2, 3, 4, cases[i].last},
          .n = 5
    };
    check_int(lr_line_end_at_jump(P, &L, cases[i].f_scale), cases[i].n == 4,
              "%s: a jump", cases[i].what);
    check_int(L.n, cases[i].n, "%s: values", cases[i].what);
  }
}

TEST("a spacing is too short where half of the neighbours are equal")
{
  check(!lr_line_too_short(P,
                           &(lr_line){
                               .f = {1, 1, 1, 2, 3, 4, 5},
                                 .n = LR_LINE
  }),
        "two of six");
  check(lr_line_too_short(P,
                          &(lr_line){
                              .f = {1, 1, 1, 1, 2, 3, 4},
                                .n = LR_LINE
  }),
        "three of six");
  check(!lr_line_too_short(P, &(lr_line){.f = {1}, .n = 1}), "no neighbours");
}

TEST("noise is what three orders of differences agree on, within a factor of 3")
{
  static const struct {
    const char *what;
    lr_difference_table t;
    double noise;
  } cases[] = {
      {"2.9 times apart",
       {.sigma = {0, 9, 1, 2, 2.9, 50, 900}, .turns = {0, 0, 1, 1, 1, 0, 0}},
       2 },
      {"3.1 times apart",
       {.sigma = {0, 9, 1, 2, 3.1, 50, 900}, .turns = {0, 0, 1, 1, 1, 0, 0}},
       -1},
      {"of one sign",
       {.sigma = {0, 9, 1, 2, 2.9, 50, 900}, .turns = {0, 0, 1, 0, 1, 0, 0}},
       -1},
      {"higher orders",
       {.sigma = {0, 9, 90, 20, 1, 2, 1.5}, .turns = {0, 0, 1, 1, 1, 1, 1}},
       2 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lr_difference_table t = cases[i].t;
    t.n = LR_LINE;
    check_near(lr_table_noise(P, &t), cases[i].noise, 0, "%s", cases[i].what);
  }
}

TEST(
    "values are a polynomial's where higher differences are below a thousandth")
{
  lr_difference_table t = {
      .sigma = {0, 9, 1, 0.9e-3, 1e-9, 0, 0},
        .n = 7
  };
  check(lr_table_is_polynomial(P, &t), "0.9e-3 of the second");
  t.sigma[3] = 1.1e-3;
  t.sigma[4] = t.sigma[5] = t.sigma[6] = 0.9e-6;
  check(lr_table_is_polynomial(P, &t), "0.8e-3 of the third");
  t.sigma[4] = t.sigma[5] = t.sigma[6] = 1.2e-6;
  check(!lr_table_is_polynomial(P, &t), "1.1e-3 of the third");
}

TEST("values are on a grid where they fit it, and enough of them are equal")
{
  static const struct {
    const char *what;
    lr_line_values all;
    double grid;
  } cases[] = {
      {"four others and two ties",
       {.f = {0, 0.1, 0.2, 0.3, 0.5}, .n = 5, .ties = 2},
       0.1                                                                              },
      {"three others",              {.f = {0, 0.1, 0.2, 0.3}, .n = 4, .ties = 2},      0},
      {"one tie",                   {.f = {0, 0.1, 0.2, 0.3, 0.5}, .n = 5, .ties = 1}, 0},
      {"off by 0.9e-3 of the grid",
       {.f = {0, 0.1, 0.2, 0.30009, 0.5}, .n = 5, .ties = 2},
       0.1                                                                              },
      {"off by 1.2e-3 of the grid",
       {.f = {0, 0.1, 0.2, 0.30012, 0.5}, .n = 5, .ties = 2},
       0                                                                                },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_near(lr_grid_spacing(P, &cases[i].all), cases[i].grid, 1e-2, "%s",
               cases[i].what);
}

TEST("values have few digits where a unit of the last fits their differences")
{
  lr_line_values all = {
      .f = {1.25, 1.5, 1.75, 2, 2.25},
        .n = 5
  };
  check_near(lr_grid_last_digit(P, &all), 0.01, 1e-14, "three digits");
  all.n = 4;
  check_near(lr_grid_last_digit(P, &all), 0, 0, "three other values");
  all = (lr_line_values){
      .f = {10, 20, 30, 40, 50},
        .n = 5
  };
  check_near(lr_grid_last_digit(P, &all), 10, 0, "one digit");
  all.f[4] = 40 * (1 + 0x1p-51);
  check_near(lr_grid_last_digit(P, &all), 0, 0, "equal up to rounding only");
}

TEST("rounding to a grid is noise, unless the values are a polynomial's")
{
  lr_line_values all = {
      .f = {0, 0.1, 0.2, 0.3, 0.5},
        .n = 5, .ties = 2
  };
  check_near(lr_grid_noise(P, &all), 0.1 / sqrt(12), 1e-2, "a grid");
  all.polynomial = true;
  check_near(lr_grid_noise(P, &all), 0, 0, "a polynomial");
}

TEST("spacings grow and shrink by thirty, then halve the gap")
{
  check_near(lr_noise_spacing(P, 1, 1, INFINITY), 30, 0, "too short");
  check_near(lr_noise_spacing(P, 1, 0, 1), 1.0 / 30, 0, "too long");
  check_near(lr_noise_spacing(P, 1, 4, 9), 6, 0, "in between");
}

TEST("half of the lines, and one more, without noise show that there is none")
{
  check(!lr_noise_is_none(P, 2, 6) && lr_noise_is_none(P, 3, 6), "of six");
  check(lr_noise_is_none(P, 2, 5), "of five");
}

TEST("two levels within a factor of ten are of the same noise")
{
  check(lr_noise_alike(P, 1, 9) && lr_noise_alike(P, 9, 1), "nine times");
  check(!lr_noise_alike(P, 1, 11) && !lr_noise_alike(P, 11, 1), "eleven times");
}

TEST("one, two or three lines have to show noise, by its level")
{
  static const struct {
    const char *what;
    double level, rounding, known, grid;
    int lines;
  } cases[] = {
      {"rounding",                 1e-15,  1e-15, 0,    0,    1},
      {"known, nine times less",   9e-6,   1e-15, 1e-6, 0,    1},
      {"known, eleven times less", 1.1e-5, 1e-15, 1e-6, 0,    2},
      {"a grid",                   9e-6,   1e-15, 0,    1e-6, 1},
      {"a finer grid",             1.1e-5, 1e-15, 0,    1e-6, 2},
      {"0.9e-3 of f",              0.9e-3, 1e-15, 0,    0,    2},
      {"1.1e-3 of f",              1.1e-3, 1e-15, 0,    0,    3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_int(lr_noise_lines(P, cases[i].level, cases[i].rounding,
                             cases[i].known, cases[i].grid, 1),
              cases[i].lines, "%s", cases[i].what);
}

TEST("known noise falls by thirty at a time, unless it was a jump")
{
  check_near(lr_noise_least(P, 3e-3, 0, 1e-15, 1), 1e-4, 1e-15, "no noise now");
  check_near(lr_noise_least(P, 2.9e-14, 0, 1e-15, 1), 0, 0, "29 roundings");
  check_near(lr_noise_least(P, 3.1e-14, 0, 1e-15, 1), 3.1e-14 / 30, 1e-15,
             "31 roundings");
  check_near(lr_noise_least(P, 0.009, 1e-6, 1e-15, 1), 3e-4, 1e-15,
             "0.009 of f");
  check_near(lr_noise_least(P, 0.011, 1e-6, 1e-15, 1), 0, 0, "0.011 of f");
  check(lr_noise_least(P, 0.011, 0, 1e-15, 1) > 0, "and no noise now");
}

TEST("estimates within a factor of ten are averaged")
{
  check_near(lr_noise_pooled(P, 1, 9), 3, 1e-15, "nine times");
  check_near(lr_noise_pooled(P, 1, 11), 11, 0, "eleven times");
  check_near(lr_noise_pooled(P, 0, 1), 1, 0, "none before");
}

TEST("small inputs move less along a line")
{
  check_near(lr_noise_component(P, 0.012, 1), 1, 0, "0.012 of the size of x");
  check_near(lr_noise_component(P, -0.005, 1), 0.5, 1e-14, "0.005 of it");
  check_near(lr_noise_component(P, 0, 1), 1, 0, "zero");
}

TEST("values are rounded by fifty times the last bit")
{
  check_near(lr_noise_rounding(P, 2), 100 * 0x1p-52, 1e-15, "of f = 2");
}

TEST("noise is larger than ten times what rounding of the inputs does")
{
  check_near(lr_noise_input_rounding(P, 3, 2, 4), 120 * 0x1p-52, 1e-15,
             "a slope of 3 in four inputs of size 2");
}

/* ---- lines through a point ---- */

typedef struct seen {
  int kind;
  int calls;
  double first; /* the first x that is not one */
} seen;

enum { HOLE, NOISY };

static double f(size_t p, const double *x, void *user)
{
  seen *s = user;
  double z[2];
  (void)p;
  s->calls++;
  if (x[0] != 1 && isnan(s->first)) s->first = x[0];
  if (s->kind == HOLE) return x[0] == 1 ? 1 : NAN;
  lr_gaussian(3, 99, 2 * (uint64_t)s->calls, 2, z);
  return 1 + 1e-6 * z[0];
}

static seen measured(int kind)
{
  asked a = prepared(1);
  seen s = {.kind = kind, .first = NAN};
  double x = 1;
  a.problem.value = f;
  a.problem.user = &s;
  a.options.noise = LRGD_UNSET_REAL;
  ask(&a, &x);
  check(lr_oracle_find_noise(&a.oracle, &a.at) == LR_GO, "measured");
  dismiss(&a);
  return s;
}

TEST("six lines are tried where f has no value beside the point")
{
  check_int(measured(HOLE).calls, 1 + 6, "one value of each");
}

TEST("the first line's spacing is 1e-4, and four values confirm noise")
{
  seen s = measured(NOISY);
  check_near(fabs(s.first - 1), 2e-4, 1e-10, "the size of x being 1 + |x|");
  check_int(s.calls, 1 + 6 + 3, "values: two lines from the same point");
}
