/* Machine parts of least cost within limits, as the literature on design
 * optimisation has them: the welded beam (Ragsdell and Phillips, 1976; limits
 * as in Coello, Comput. Ind. 41, 2000), the speed reducer (Golinski, 1970), the
 * pressure vessel (Sandgren, 1990) and the tension spring (Arora, 1989), all
 * with real inputs.  Outputs are the cost and what has a limit, in user's
 * units.
 */
#include "base/elementary.h"
#include "kind.h"

#include <math.h>

enum { MOST_INPUTS = 7, MOST_OUTPUTS = 12 };

typedef struct part {
  const char *name;
  size_t n, m;
  void (*outputs)(const double *x, double *y);
  double start[MOST_INPUTS], lower[MOST_INPUTS], upper[MOST_INPUTS];
  double low[MOST_OUTPUTS], high[MOST_OUTPUTS];
  double minimum;
} part;

/* Thickness and length of the weld, height and thickness of the beam; cost,
 * shear and bending stress, how much thicker the weld is than the beam, its own
 * cost, deflection, buckling load. */
static void welded_beam(const double *x, double *y)
{
  double P = 6000, L = 14, E = 30e6, G = 12e6, root = sqrt(2);
  double h = x[0], l = x[1], t = x[2], b = x[3];
  double half = 0.5 * (h + t), M = P * (L + 0.5 * l);
  double R = sqrt(0.25 * l * l + half * half);
  double J = 2 * root * h * l * (l * l / 12 + half * half);
  double direct = P / (root * h * l), turning = M * R / J;
  y[0] = 1.10471 * h * h * l + 0.04811 * t * b * (14 + l);
  y[1] = sqrt(direct * direct + direct * turning * l / R + turning * turning);
  y[2] = 6 * P * L / (b * t * t);
  y[3] = h - b;
  y[4] = 0.10471 * h * h + 0.04811 * t * b * (14 + l);
  y[5] = 4 * P * L * L * L / (E * t * t * t * b);
  y[6] = 4.013 * E * t * b * b * b / 6 / (L * L) *
         (1 - t / (2 * L) * sqrt(E / (4 * G)));
}

/* Face width, module, teeth, lengths and diameters of two shafts; weight,
 * bending and contact stress, deflections and stresses of the shafts, and four
 * ratios of lengths. */
static void speed_reducer(const double *x, double *y)
{
  double b = x[0], m = x[1], z = x[2], l1 = x[3], l2 = x[4], d1 = x[5],
         d2 = x[6];
  double a1 = 745 * l1 / (m * z), a2 = 745 * l2 / (m * z);
  y[0] = 0.7854 * b * m * m * (3.3333 * z * z + 14.9334 * z - 43.0934) -
         1.508 * b * (d1 * d1 + d2 * d2) +
         7.4777 * (d1 * d1 * d1 + d2 * d2 * d2) +
         0.7854 * (l1 * d1 * d1 + l2 * d2 * d2);
  y[1] = 27 / (b * m * m * z);
  y[2] = 397.5 / (b * m * m * z * z);
  y[3] = 1.93 * l1 * l1 * l1 / (m * z * d1 * d1 * d1 * d1);
  y[4] = 1.93 * l2 * l2 * l2 / (m * z * d2 * d2 * d2 * d2);
  y[5] = sqrt(a1 * a1 + 16.9e6) / (110 * d1 * d1 * d1);
  y[6] = sqrt(a2 * a2 + 157.5e6) / (85 * d2 * d2 * d2);
  y[7] = m * z;
  y[8] = b / m;
  y[9] = (1.5 * d1 + 1.9) / l1;
  y[10] = (1.1 * d2 + 1.9) / l2;
}

/* Thickness of shell and head, inner radius, length; cost, by how much shell
 * and head are thinner than pressure allows, volume. */
static void pressure_vessel(const double *x, double *y)
{
  double s = x[0], h = x[1], r = x[2], l = x[3];
  y[0] = 0.6224 * s * r * l + 1.7781 * h * r * r + 3.1661 * s * s * l +
         19.84 * s * s * r;
  y[1] = 0.0193 * r - s;
  y[2] = 0.00954 * r - h;
  y[3] = LR_PI * r * r * l + 4.0 / 3 * LR_PI * r * r * r;
}

/* Wire, coil, turns; weight, and four dimensionless limits. */
static void spring(const double *x, double *y)
{
  double d = x[0], D = x[1], N = x[2];
  double d3 = d * d * d, d4 = d3 * d;
  y[0] = (N + 2) * D * d * d;
  y[1] = 1 - D * D * D * N / (71785 * d4);
  y[2] = (4 * D * D - d * D) / (12566 * (D * d3 - d4)) + 1 / (5108 * d * d) - 1;
  y[3] = 1 - 140.45 * d / (D * D * N);
  y[4] = (D + d) / 1.5 - 1;
}

#define INF INFINITY

static const part parts[] = {
    {"welded-beam",
     4, 7,
     welded_beam,     {0.4, 6, 9, 0.5},
     {0.1, 0.1, 0.1, 0.1},
     {2, 10, 10, 2},
     {-INF, -INF, -INF, -INF, -INF, -INF, 6000},
     {INF, 13600, 30000, 0, 5, 0.25, INF},
     1.724852309 },
    {"speed-reducer",
     7, 11,
     speed_reducer,   {3.1, 0.75, 22, 7.8, 8, 3.4, 5.25},
     {2.6, 0.7, 17, 7.3, 7.3, 2.9, 5},
     {3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5},
     {-INF, -INF, -INF, -INF, -INF, -INF, -INF, -INF, 5, -INF, -INF},
     {INF, 1, 1, 1, 1, 1, 1, 40, 12, 1, 1},
     2994.471066 },
    {"pressure-vessel",
     4, 4,
     pressure_vessel, {1, 1, 50, 120},
     {0.0625, 0.0625, 10, 10},
     {6.1875, 6.1875, 200, 240},
     {-INF, -INF, -INF, 1296000},
     {INF, 0, 0, INF},
     5804.376217 },
    {"spring",
     3, 5,
     spring,          {0.08, 0.5, 10},
     {0.05, 0.25, 2},
     {2, 1.3, 15},
     {-INF, -INF, -INF, -INF, -INF},
     {INF, 0, 0, 0, 0},
     0.0126652328},
};

static const lr_parameter parameters[] = {
    {"part", "welded-beam",
     "welded-beam, speed-reducer, pressure-vessel or spring"},
};

static void answer(size_t p, const double *x, size_t m, double *y, void *user)
{
  const part *e = ((const lr_problem *)user)->data;
  (void)p, (void)m;
  e->outputs(x, y);
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  const part *e =
      parts +
      lr_reader_choice(reader, "part",
                       "welded-beam|speed-reducer|pressure-vessel|spring");
  if (lr_problem_begin(problem, reader, e->n)) return reader->status;
  for (size_t i = 0; i < e->n; i++) problem->start[i] = e->start[i];
  problem->callbacks.lower = lr_problem_copy(problem, reader, e->n, e->lower);
  problem->callbacks.upper = lr_problem_copy(problem, reader, e->n, e->upper);
  problem->data = e;
  problem->minimum = e->minimum;
  return lr_problem_give_limits(problem, reader, e->m, answer, e->low, e->high);
}

const lr_problem_kind lr_kind_design = {
    "design", "machine parts of least cost within limits", parameters,
    sizeof parameters / sizeof parameters[0], build};
