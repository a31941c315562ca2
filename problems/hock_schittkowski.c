/* Problems with limits from W. Hock and K. Schittkowski, Test Examples for
 * Nonlinear Programming Codes (Springer, 1981): objective and constraints are
 * outputs of one evaluation, the objective first, constraints c(x) >= 0 and
 * then equations c(x) = 0.  The minima are theirs, with more digits where an
 * expression is known. */
#include "base/elementary.h"
#include "kind.h"

#include <math.h>

enum { MOST_INPUTS = 10, MOST_ROWS = 8 };

typedef struct example {
  size_t number, n, inequalities, equations;
  void (*outputs)(const double *x, double *y);
  double start[MOST_INPUTS], minimum;
  double lower[MOST_INPUTS], upper[MOST_INPUTS]; /* all 0: no bounds */
} example;

#define OUTPUTS(number) static void outputs_##number(const double *x, double *y)

static double square(double a)
{
  return a * a;
}

static double fourth(double a)
{
  return square(square(a));
}

OUTPUTS(6)
{
  y[0] = square(1 - x[0]);
  y[1] = 10 * (x[1] - square(x[0]));
}

OUTPUTS(7)
{
  y[0] = lr_log(1 + square(x[0])) - x[1];
  y[1] = square(1 + square(x[0])) + square(x[1]) - 4;
}

OUTPUTS(10)
{
  y[0] = x[0] - x[1];
  y[1] = -3 * square(x[0]) + 2 * x[0] * x[1] - square(x[1]) + 1;
}

OUTPUTS(11)
{
  y[0] = square(x[0] - 5) + square(x[1]) - 25;
  y[1] = x[1] - square(x[0]);
}

OUTPUTS(12)
{
  y[0] = 0.5 * square(x[0]) + square(x[1]) - x[0] * x[1] - 7 * x[0] - 7 * x[1];
  y[1] = 25 - 4 * square(x[0]) - square(x[1]);
}

OUTPUTS(14)
{
  y[0] = square(x[0] - 2) + square(x[1] - 1);
  y[1] = 1 - 0.25 * square(x[0]) - square(x[1]);
  y[2] = x[0] - 2 * x[1] + 1;
}

OUTPUTS(22)
{
  y[0] = square(x[0] - 2) + square(x[1] - 1);
  y[1] = 2 - x[0] - x[1];
  y[2] = x[1] - square(x[0]);
}

OUTPUTS(24)
{
  double root = sqrt(3);
  y[0] = (square(x[0] - 3) - 9) * x[1] * x[1] * x[1] / (27 * root);
  y[1] = x[0] / root - x[1];
  y[2] = x[0] + root * x[1];
  y[3] = 6 - x[0] - root * x[1];
}

OUTPUTS(26)
{
  y[0] = square(x[0] - x[1]) + fourth(x[1] - x[2]);
  y[1] = (1 + square(x[1])) * x[0] + fourth(x[2]) - 3;
}

OUTPUTS(29)
{
  y[0] = -x[0] * x[1] * x[2];
  y[1] = 48 - square(x[0]) - 2 * square(x[1]) - 4 * square(x[2]);
}

OUTPUTS(31)
{
  y[0] = 9 * square(x[0]) + square(x[1]) + 9 * square(x[2]);
  y[1] = x[0] * x[1] - 1;
}

OUTPUTS(32)
{
  y[0] = square(x[0] + 3 * x[1] + x[2]) + 4 * square(x[0] - x[1]);
  y[1] = 6 * x[1] + 4 * x[2] - x[0] * x[0] * x[0] - 3;
  y[2] = 1 - x[0] - x[1] - x[2];
}

OUTPUTS(34)
{
  y[0] = -x[0];
  y[1] = x[1] - lr_exp(x[0]);
  y[2] = x[2] - lr_exp(x[1]);
}

OUTPUTS(35)
{
  y[0] = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * square(x[0]) +
         2 * square(x[1]) + square(x[2]) + 2 * x[0] * x[1] + 2 * x[0] * x[2];
  y[1] = 3 - x[0] - x[1] - 2 * x[2];
}

OUTPUTS(39)
{
  y[0] = -x[0];
  y[1] = x[1] - x[0] * x[0] * x[0] - square(x[2]);
  y[2] = square(x[0]) - x[1] - square(x[3]);
}

OUTPUTS(40)
{
  y[0] = -x[0] * x[1] * x[2] * x[3];
  y[1] = x[0] * x[0] * x[0] + square(x[1]) - 1;
  y[2] = square(x[0]) * x[3] - x[2];
  y[3] = square(x[3]) - x[1];
}

OUTPUTS(42)
{
  y[0] =
      square(x[0] - 1) + square(x[1] - 2) + square(x[2] - 3) + square(x[3] - 4);
  y[1] = x[0] - 2;
  y[2] = square(x[2]) + square(x[3]) - 2;
}

OUTPUTS(43)
{
  double a = square(x[0]), b = square(x[1]), c = square(x[2]), d = square(x[3]);
  y[0] = a + b + 2 * c + d - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
  y[1] = 8 - a - b - c - d - x[0] + x[1] - x[2] + x[3];
  y[2] = 10 - a - 2 * b - c - 2 * d + x[0] + x[3];
  y[3] = 5 - 2 * a - b - c - 2 * x[0] + x[1] + x[3];
}

OUTPUTS(60)
{
  y[0] = square(x[0] - 1) + square(x[0] - x[1]) + fourth(x[1] - x[2]);
  y[1] = x[0] * (1 + square(x[1])) + fourth(x[2]) - 4 - 3 * sqrt(2);
}

OUTPUTS(61)
{
  y[0] = 4 * square(x[0]) + 2 * square(x[1]) + 2 * square(x[2]) - 33 * x[0] +
         16 * x[1] - 24 * x[2];
  y[1] = 3 * x[0] - 2 * square(x[1]) - 7;
  y[2] = 4 * x[0] - square(x[2]) - 11;
}

OUTPUTS(63)
{
  y[0] = 1000 - square(x[0]) - 2 * square(x[1]) - square(x[2]) - x[0] * x[1] -
         x[0] * x[2];
  y[1] = 8 * x[0] + 14 * x[1] + 7 * x[2] - 56;
  y[2] = square(x[0]) + square(x[1]) + square(x[2]) - 25;
}

OUTPUTS(64)
{
  y[0] = 5 * x[0] + 50000 / x[0] + 20 * x[1] + 72000 / x[1] + 10 * x[2] +
         144000 / x[2];
  y[1] = 1 - 4 / x[0] - 32 / x[1] - 120 / x[2];
}

OUTPUTS(65)
{
  y[0] = square(x[0] - x[1]) + square(x[0] + x[1] - 10) / 9 + square(x[2] - 5);
  y[1] = 48 - square(x[0]) - square(x[1]) - square(x[2]);
}

OUTPUTS(66)
{
  y[0] = 0.2 * x[2] - 0.8 * x[0];
  y[1] = x[1] - lr_exp(x[0]);
  y[2] = x[2] - lr_exp(x[1]);
}

OUTPUTS(71)
{
  y[0] = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
  y[1] = x[0] * x[1] * x[2] * x[3] - 25;
  y[2] = square(x[0]) + square(x[1]) + square(x[2]) + square(x[3]) - 40;
}

OUTPUTS(72)
{
  y[0] = 1 + x[0] + x[1] + x[2] + x[3];
  y[1] = 0.0401 - 4 / x[0] - 2.25 / x[1] - 1 / x[2] - 0.25 / x[3];
  y[2] = 0.010085 - 0.16 / x[0] - 0.36 / x[1] - 0.64 / x[2] - 0.64 / x[3];
}

OUTPUTS(73)
{
  y[0] = 24.55 * x[0] + 26.75 * x[1] + 39 * x[2] + 40.5 * x[3];
  y[1] = 2.3 * x[0] + 5.6 * x[1] + 11.1 * x[2] + 1.3 * x[3] - 5;
  y[2] = 12 * x[0] + 11.9 * x[1] + 41.8 * x[2] + 52.1 * x[3] - 21 -
         1.645 * sqrt(0.28 * square(x[0]) + 0.19 * square(x[1]) +
                      20.5 * square(x[2]) + 0.62 * square(x[3]));
  y[3] = x[0] + x[1] + x[2] + x[3] - 1;
}

OUTPUTS(74)
{
  y[0] = 3 * x[0] + 1e-6 * x[0] * x[0] * x[0] + 2 * x[1] +
         2e-6 / 3 * x[1] * x[1] * x[1];
  y[1] = x[3] - x[2] + 0.55;
  y[2] = x[2] - x[3] + 0.55;
  y[3] = 1000 * (lr_sin(-x[2] - 0.25) + lr_sin(-x[3] - 0.25)) + 894.8 - x[0];
  y[4] =
      1000 * (lr_sin(x[2] - 0.25) + lr_sin(x[2] - x[3] - 0.25)) + 894.8 - x[1];
  y[5] = 1000 * (lr_sin(x[3] - 0.25) + lr_sin(x[3] - x[2] - 0.25)) + 1294.8;
}

OUTPUTS(76)
{
  y[0] = square(x[0]) + 0.5 * square(x[1]) + square(x[2]) + 0.5 * square(x[3]) -
         x[0] * x[2] + x[2] * x[3] - x[0] - 3 * x[1] + x[2] - x[3];
  y[1] = 5 - x[0] - 2 * x[1] - x[2] - x[3];
  y[2] = 4 - 3 * x[0] - x[1] - 2 * x[2] + x[3];
  y[3] = x[1] + 4 * x[2] - 1.5;
}

OUTPUTS(77)
{
  double last = square(x[4] - 1);
  y[0] = square(x[0] - 1) + square(x[0] - x[1]) + square(x[2] - 1) +
         fourth(x[3] - 1) + last * last * last;
  y[1] = square(x[0]) * x[3] + lr_sin(x[3] - x[4]) - 2 * sqrt(2);
  y[2] = x[1] + fourth(x[2]) * square(x[3]) - 8 - sqrt(2);
}

static void three_equations(const double *x, double *y)
{
  y[1] = square(x[0]) + square(x[1]) + square(x[2]) + square(x[3]) +
         square(x[4]) - 10;
  y[2] = x[1] * x[2] - 5 * x[3] * x[4];
  y[3] = x[0] * x[0] * x[0] + x[1] * x[1] * x[1] + 1;
}

OUTPUTS(78)
{
  y[0] = x[0] * x[1] * x[2] * x[3] * x[4];
  three_equations(x, y);
}

OUTPUTS(79)
{
  y[0] = square(x[0] - 1) + square(x[0] - x[1]) + square(x[1] - x[2]) +
         fourth(x[2] - x[3]) + fourth(x[3] - x[4]);
  y[1] = x[0] + square(x[1]) + x[2] * x[2] * x[2] - 2 - 3 * sqrt(2);
  y[2] = x[1] - square(x[2]) + x[3] + 2 - 2 * sqrt(2);
  y[3] = x[0] * x[4] - 2;
}

OUTPUTS(80)
{
  y[0] = lr_exp(x[0] * x[1] * x[2] * x[3] * x[4]);
  three_equations(x, y);
}

OUTPUTS(81)
{
  three_equations(x, y);
  y[0] = lr_exp(x[0] * x[1] * x[2] * x[3] * x[4]) - 0.5 * square(y[3]);
}

OUTPUTS(93)
{
  double a = x[0] * x[3] * (x[0] + x[1] + x[2]);
  double b = x[1] * x[2] * (x[0] + 1.57 * x[1] + x[3]);
  double c = square(x[4]), d = square(x[5]);
  y[0] = 0.0204 * a + 0.0187 * b + 0.0607 * a * c + 0.0437 * b * d;
  y[1] = 0.001 * x[0] * x[1] * x[2] * x[3] * x[4] * x[5] - 2.07;
  y[2] = 1 - 0.00062 * a * c - 0.00058 * b * d;
}

OUTPUTS(100)
{
  double five = square(x[4]);
  y[0] = square(x[0] - 10) + 5 * square(x[1] - 12) + fourth(x[2]) +
         3 * square(x[3] - 11) + 10 * five * five * five + 7 * square(x[5]) +
         fourth(x[6]) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
  y[1] = 127 - 2 * square(x[0]) - 3 * fourth(x[1]) - x[2] - 4 * square(x[3]) -
         5 * x[4];
  y[2] = 282 - 7 * x[0] - 3 * x[1] - 10 * square(x[2]) - x[3] + x[4];
  y[3] = 196 - 23 * x[0] - square(x[1]) - 6 * square(x[5]) + 8 * x[6];
  y[4] = -4 * square(x[0]) - square(x[1]) + 3 * x[0] * x[1] - 2 * square(x[2]) -
         5 * x[5] + 11 * x[6];
}

OUTPUTS(104)
{
  y[0] = 0.4 * lr_pow(x[0] / x[6], 0.67) + 0.4 * lr_pow(x[1] / x[7], 0.67) +
         10 - x[0] - x[1];
  y[1] = 1 - 0.0588 * x[4] * x[6] - 0.1 * x[0];
  y[2] = 1 - 0.0588 * x[5] * x[7] - 0.1 * x[0] - 0.1 * x[1];
  y[3] = 1 - 4 * x[2] / x[4] - 2 * lr_pow(x[2], -0.71) / x[4] -
         0.0588 * lr_pow(x[2], -1.3) * x[6];
  y[4] = 1 - 4 * x[3] / x[5] - 2 * lr_pow(x[3], -0.71) / x[5] -
         0.0588 * lr_pow(x[3], -1.3) * x[7];
  y[5] = y[0] - 1;
  y[6] = 4.2 - y[0];
}

OUTPUTS(113)
{
  y[0] = square(x[0]) + square(x[1]) + x[0] * x[1] - 14 * x[0] - 16 * x[1] +
         square(x[2] - 10) + 4 * square(x[3] - 5) + square(x[4] - 3) +
         2 * square(x[5] - 1) + 5 * square(x[6]) + 7 * square(x[7] - 11) +
         2 * square(x[8] - 10) + square(x[9] - 7) + 45;
  y[1] = 105 - 4 * x[0] - 5 * x[1] + 3 * x[6] - 9 * x[7];
  y[2] = -10 * x[0] + 8 * x[1] + 17 * x[6] - 2 * x[7];
  y[3] = 8 * x[0] - 2 * x[1] - 5 * x[8] + 2 * x[9] + 12;
  y[4] = -3 * square(x[0] - 2) - 4 * square(x[1] - 3) - 2 * square(x[2]) +
         7 * x[3] + 120;
  y[5] = -5 * square(x[0]) - 8 * x[1] - square(x[2] - 6) + 2 * x[3] + 40;
  y[6] = -0.5 * square(x[0] - 8) - 2 * square(x[1] - 4) - 3 * square(x[4]) +
         x[5] + 30;
  y[7] = -square(x[0]) - 2 * square(x[1] - 2) + 2 * x[0] * x[1] - 14 * x[4] +
         6 * x[5];
  y[8] = 3 * x[0] - 6 * x[1] - 12 * square(x[8] - 8) + 7 * x[9];
}

#define INF INFINITY
#define ALL_3(a)                                                               \
  {                                                                            \
    a, a, a                                                                    \
  }
#define ALL_4(a)                                                               \
  {                                                                            \
    a, a, a, a                                                                 \
  }
#define ALL_6(a)                                                               \
  {                                                                            \
    a, a, a, a, a, a                                                           \
  }
#define ALL_8(a)                                                               \
  {                                                                            \
    a, a, a, a, a, a, a, a                                                     \
  }

/* clang-format off */
static const example examples[] = {
  {6, 2, 0, 1, outputs_6, {-1.2, 1}, 0, {0}, {0}},
  {7, 2, 0, 1, outputs_7, {2, 2}, -1.7320508075688772, {0}, {0}},
  {10, 2, 1, 0, outputs_10, {-10, 10}, -1, {0}, {0}},
  {11, 2, 1, 0, outputs_11, {4.9, 0.1}, -8.498464223, {0}, {0}},
  {12, 2, 1, 0, outputs_12, {0, 0}, -30, {0}, {0}},
  {14, 2, 1, 1, outputs_14, {2, 2}, 1.3934649806878849, {0}, {0}},
  {22, 2, 2, 0, outputs_22, {2, 2}, 1, {0}, {0}},
  {24, 2, 3, 0, outputs_24, {1, 0.5}, -1, {0, 0}, {INF, INF}},
  {26, 3, 0, 1, outputs_26, {-2.6, 2, 2}, 0, {0}, {0}},
  {29, 3, 1, 0, outputs_29, {1, 1, 1}, -22.627416997969522, {0}, {0}},
  {31, 3, 1, 0, outputs_31, {1, 1, 1}, 6, {-10, 1, -10}, {10, 10, 1}},
  {32, 3, 1, 1, outputs_32, {0.1, 0.7, 0.2}, 1, {0}, ALL_3(INF)},
  {34, 3, 2, 0, outputs_34, {0, 1.05, 2.9}, -0.8340324452479558, {0}, {100, 100, 10}},
  {35, 3, 1, 0, outputs_35, {0.5, 0.5, 0.5}, 0.1111111111111111, {0}, ALL_3(INF)},
  {39, 4, 0, 2, outputs_39, ALL_4(2), -1, {0}, {0}},
  {40, 4, 0, 3, outputs_40, ALL_4(0.8), -0.25, {0}, {0}},
  {42, 4, 0, 2, outputs_42, ALL_4(1), 13.857864376269049, {0}, {0}},
  {43, 4, 3, 0, outputs_43, {0}, -44, {0}, {0}},
  {60, 3, 0, 1, outputs_60, ALL_3(2), 0.03256820025, ALL_3(-10), ALL_3(10)},
  {61, 3, 0, 2, outputs_61, {0}, -143.6461422, {0}, {0}},
  {63, 3, 0, 2, outputs_63, ALL_3(2), 961.7151721, {0}, ALL_3(INF)},
  {64, 3, 1, 0, outputs_64, ALL_3(1), 6299.842428, ALL_3(1e-5), ALL_3(INF)},
  {65, 3, 1, 0, outputs_65, {-5, 5, 0}, 0.9535288567, {-4.5, -4.5, -5}, {4.5, 4.5, 5}},
  {66, 3, 2, 0, outputs_66, {0, 1.05, 2.9}, 0.5181632741, {0}, {100, 100, 10}},
  {71, 4, 1, 1, outputs_71, {1, 5, 5, 1}, 17.0140172892, ALL_4(1), ALL_4(5)},
  {72, 4, 2, 0, outputs_72, ALL_4(1), 727.67937, ALL_4(0.001), {4e5, 3e5, 2e5, 1e5}},
  {73, 4, 2, 1, outputs_73, ALL_4(1), 29.894378, {0}, ALL_4(INF)},
  {74, 4, 2, 3, outputs_74, {0}, 5126.4981, {0, 0, -0.55, -0.55}, {1200, 1200, 0.55, 0.55}},
  {76, 4, 3, 0, outputs_76, ALL_4(0.5), -4.681818181818182, {0}, ALL_4(INF)},
  {77, 5, 0, 2, outputs_77, {2, 2, 2, 2, 2}, 0.24150513, {0}, {0}},
  {78, 5, 0, 3, outputs_78, {-2, 1.5, 2, -1, -1}, -2.91970041, {0}, {0}},
  {79, 5, 0, 3, outputs_79, {2, 2, 2, 2, 2}, 0.0787768209, {0}, {0}},
  {80, 5, 0, 3, outputs_80, {-2, 2, 2, -1, -1}, 0.0539498478, {-2.3, -2.3, -3.2, -3.2, -3.2}, {2.3, 2.3, 3.2, 3.2, 3.2}},
  {81, 5, 0, 3, outputs_81, {-2, 2, 2, -1, -1}, 0.0539498478, {-2.3, -2.3, -3.2, -3.2, -3.2}, {2.3, 2.3, 3.2, 3.2, 3.2}},
  {93, 6, 2, 0, outputs_93, {5.54, 4.4, 12.02, 11.82, 0.702, 0.852}, 135.075961, {0}, ALL_6(INF)},
  {100, 7, 4, 0, outputs_100, {1, 2, 0, 4, 0, 1, 1}, 680.6300573, {0}, {0}},
  {104, 8, 6, 0, outputs_104, {6, 3, 0.4, 0.2, 6, 6, 1, 0.5}, 3.9511634396, ALL_8(0.1), ALL_8(10)},
  {113, 10, 8, 0, outputs_113, {2, 3, 5, 5, 1, 2, 7, 3, 6, 10}, 24.3062091, {0}, {0}},
};
/* clang-format on */

static const lr_parameter parameters[] = {
    {"problem", "71", "its number"},
};

static void answer(size_t p, const double *x, size_t m, double *y, void *user)
{
  const example *e = ((const lr_problem *)user)->data;
  (void)p, (void)m;
  e->outputs(x, y);
}

static const example *find(size_t number)
{
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
    if (examples[i].number == number) return &examples[i];
  return NULL;
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t number = lr_reader_size(reader, "problem", 1, 119);
  const example *e = find(number);
  if (!e && !reader->status)
    lr_reader_fail(reader, LRGD_ERR_INVALID,
                   "problem %zu is not among those here", number);
  if (lr_problem_begin(problem, reader, e ? e->n : 1)) return reader->status;
  double lower[MOST_ROWS + 1] = {-INFINITY}, upper[MOST_ROWS + 1] = {INFINITY};
  for (size_t i = 1; i <= e->inequalities + e->equations; i++)
    upper[i] = i <= e->inequalities ? INFINITY : 0;
  int bounded = 0;
  for (size_t i = 0; i < e->n; i++) {
    problem->start[i] = e->start[i];
    bounded |= e->lower[i] != 0 || e->upper[i] != 0;
  }
  if (bounded) {
    problem->callbacks.lower = lr_problem_copy(problem, reader, e->n, e->lower);
    problem->callbacks.upper = lr_problem_copy(problem, reader, e->n, e->upper);
  }
  problem->data = e;
  problem->minimum = e->minimum;
  return lr_problem_give_limits(problem, reader,
                                1 + e->inequalities + e->equations, answer,
                                lower, upper);
}

const lr_problem_kind lr_kind_hock_schittkowski = {
    "hock-schittkowski", "Hock and Schittkowski's problems with limits",
    parameters, sizeof parameters / sizeof parameters[0], build};
