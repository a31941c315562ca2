/* A lattice tower of tubes, square in plan, 3 m a storey, as light as can be.
 * Inputs are eight logarithms of areas for each storey (each of its four legs;
 * the diagonals of two opposite sides, and of the other two; the beams; the
 * crosses in plan), then the widths of all levels but the top, 1 + 0.3 x, in
 * units of a usual design: p = 9 * storeys.  Loads: wind from two sides, wind
 * askew with ice, and a line that breaks at one corner of the top.
 *   f = weight, in units of that of the usual design,
 *     + penalty * sum over members, loads and what the top may move of the
 *       squares of r - 1 where r > 1,
 * r = what there is over what is allowed: 160 MPa, Euler's stress of a tube
 * that is pressed (its radius of gyration squared is 0.8 areas), and 1/150 of
 * the height.  Stresses and displacements are printed with so many digits. */
#include <math.h>
#include <stdlib.h>

#include "band.h"
#include "base/elementary.h"
#include "simulator.h"

static const lr_parameter parameters[] = {
    {"storeys", "10", "p = 9 * storeys; from 2 to 30"                },
    {"penalty", "1",  "of what is not allowed; >0"                   },
    {"digits",  "6",  "significant digits of what is printed; 0: all"},
    {"seed",    "1",  "of the loads"                                 },
};

enum {
  CORNERS = 4,
  AXES = 3,
  LEVEL = CORNERS * AXES, /* unknowns of a level */
  BAND = 2 * LEVEL - 1,
  GROUPS = 8, /* of a storey */
  MEMBERS = 18,
  CASES = 4,
  STOREYS_MOST = 30
};

/* N, m */
static const double modulus = 210e9, allowed = 160e6, storey = 3;

/* Of a storey: where a member begins and ends (corners of the level below are
 * 0 to 3, of that above 4 to 7, in a circle), and its group. */
static const int member_of[MEMBERS][3] = {
    {0, 4, 0},
    {1, 5, 1},
    {2, 6, 2},
    {3, 7, 3},
    {0, 5, 4},
    {1, 4, 4},
    {2, 7, 4},
    {3, 6, 4},
    {1, 6, 5},
    {2, 5, 5},
    {3, 4, 5},
    {0, 7, 5},
    {4, 5, 6},
    {5, 6, 6},
    {6, 7, 6},
    {7, 4, 6},
    {4, 6, 7},
    {5, 7, 7},
};

typedef struct tower {
  lr_simulator base;
  size_t storeys;
  double penalty, weight;             /* of the usual design, cubic metres */
  double wind[CASES][2], down[CASES]; /* of a corner; wind for z = 1 m */
  double top[CASES], torn; /* down at corners of the top; a line's force */
} tower;

/* Scratch of one evaluation. */
typedef struct scratch {
  double A[LEVEL * STOREYS_MOST * (BAND + 1)], u[LEVEL * STOREYS_MOST];
} scratch;

/* One member as it is: its level of unknowns, length, direction, area. */
typedef struct member {
  long from, to; /* first unknown; below 0: on the ground */
  double length, along[AXES], area;
} member;

/* ---- the tower ---- */

/* The usual cross-section of a member: legs are thicker near the ground. */
static double usual_area(const tower *s, size_t level, int group)
{
  static const double least[GROUPS] = {4e-4, 4e-4, 4e-4, 4e-4,
                                       4e-4, 4e-4, 3e-4, 2e-4};
  double depth = 1 - (double)level / (double)s->storeys;
  return least[group] * (1 + (group < CORNERS ? 4 : 1) * depth);
}

/* From 4 m to 1 m. */
static double half_width(const tower *s, const double *x, size_t level)
{
  double share = (double)level / (double)s->storeys;
  double free = level < s->storeys ? x[GROUPS * s->storeys + level] : 0;
  return (2 - 1.5 * share) * (1 + 0.3 * free);
}

static void place(const tower *s, const double *x, size_t level, int corner,
                  double at[AXES])
{
  double half = half_width(s, x, level);
  at[0] = corner == 0 || corner == 3 ? -half : half;
  at[1] = corner < 2 ? -half : half;
  at[2] = storey * (double)level;
}

static member look(const tower *s, const double *x, size_t level, int number)
{
  const int *which = member_of[number];
  member m = {.length = 0};
  double from[AXES], to[AXES];
  size_t low = level + (size_t)(which[0] / CORNERS);
  int a = which[0] % CORNERS, b = which[1] % CORNERS;
  place(s, x, low, a, from);
  place(s, x, level + 1, b, to);
  for (int i = 0; i < AXES; i++)
    m.length += (to[i] - from[i]) * (to[i] - from[i]);
  m.length = sqrt(m.length);
  for (int i = 0; i < AXES; i++) m.along[i] = (to[i] - from[i]) / m.length;
  m.from = LEVEL * ((long)low - 1) + AXES * a;
  m.to = LEVEL * (long)level + AXES * b;
  m.area = usual_area(s, level, which[2]) *
           lr_exp(x[GROUPS * level + (size_t)which[2]]);
  return m;
}

static double weight(const tower *s, const double *x)
{
  double sum = 0;
  for (size_t level = 0; level < s->storeys; level++)
    for (int i = 0; i < MEMBERS; i++) {
      member m = look(s, x, level, i);
      sum += m.length * m.area;
    }
  return sum;
}

/* ---- the equation ---- */

static void add(const lr_band *K, const member *m)
{
  double stiffness = modulus * m->area / m->length;
  for (int i = 0; i < AXES; i++)
    for (int j = 0; j < AXES; j++) {
      double part = stiffness * m->along[i] * m->along[j];
      size_t to = (size_t)(m->to + i), other = (size_t)(m->to + j);
      if (j <= i) *lr_band_at(K, to, other) += part;
      if (m->from < 0) continue;
      other = (size_t)(m->from + j);
      if (other < to)
        *lr_band_at(K, to, other) -= part;
      else
        *lr_band_at(K, other, to) -= part;
      if (j <= i) *lr_band_at(K, (size_t)(m->from + i), other) += part;
    }
}

static int assemble(const tower *s, const double *x, const lr_band *K)
{
  for (size_t i = 0; i < K->rows * (BAND + 1); i++) K->A[i] = 0;
  for (size_t level = 0; level < s->storeys; level++)
    for (int i = 0; i < MEMBERS; i++) {
      member m = look(s, x, level, i);
      add(K, &m);
    }
  return lr_band_factorise(K);
}

/* Wind grows with the height; the line pulls across it at one corner. */
static void load(const tower *s, int c, double *u)
{
  for (size_t level = 0; level < s->storeys; level++)
    for (int corner = 0; corner < CORNERS; corner++, u += AXES) {
      double gust = lr_pow(storey * (double)(level + 1), 0.3);
      int last = level + 1 == s->storeys;
      u[0] = gust * s->wind[c][0];
      u[1] = gust * s->wind[c][1];
      u[2] = -s->down[c] - (last ? s->top[c] : 0);
      if (last && c == CASES - 1 && corner == 1) u[1] += s->torn;
    }
}

/* ---- constraints ---- */

static double excess(double there, double limit)
{
  double far = there / limit - 1;
  return far > 0 ? far * far : 0;
}

static double stress(const member *m, const double *u)
{
  double longer = 0;
  for (int i = 0; i < AXES; i++) {
    double from = m->from < 0 ? 0 : u[m->from + i];
    longer += m->along[i] * (u[m->to + i] - from);
  }
  return modulus * longer / m->length;
}

static double judge(const tower *s, const double *x, const double *u,
                    size_t digits)
{
  const double pi = LR_PI, height = storey * (double)s->storeys;
  const double *top = u + LEVEL * (s->storeys - 1);
  double sum = 0;
  for (size_t level = 0; level < s->storeys; level++)
    for (int i = 0; i < MEMBERS; i++) {
      member m = look(s, x, level, i);
      double is = lr_printed(stress(&m, u), digits);
      double euler = pi * pi * modulus * 0.8 * m.area / (m.length * m.length);
      sum += is > 0 ? excess(is, allowed) : excess(-is, fmin(allowed, euler));
    }
  for (int corner = 0; corner < CORNERS; corner++, top += AXES) {
    double a = lr_printed(top[0], digits), b = lr_printed(top[1], digits);
    sum += excess(sqrt(a * a + b * b), height / 150);
  }
  return sum;
}

static double run(const lr_simulator *base, const double *x, size_t digits)
{
  const tower *s = (const tower *)base;
  scratch *room = malloc(sizeof *room);
  double f = NAN;
  lr_band K = {LEVEL * s->storeys, BAND, NULL};
  if (!room) return NAN;
  K.A = room->A;
  if (assemble(s, x, &K)) {
    f = weight(s, x) / s->weight;
    for (int c = 0; c < CASES; c++) {
      load(s, c, room->u);
      lr_band_solve(&K, room->u);
      f += s->penalty * judge(s, x, room->u, digits);
    }
  }
  free(room);
  return f;
}

/* ---- making one ---- */

/* Newtons: about 60 kN of wind and 40 kN of platform and cables for ten
 * storeys. */
static void draw_loads(tower *s, uint64_t seed)
{
  lr_dice dice = {seed, LR_STREAM_SAMPLES};
  const double angle[CASES] = {0, 90, 45, 0}, pi = LR_PI;
  for (uint64_t c = 0; c < CASES; c++) {
    double force = 600 * (0.8 + 0.4 * lr_dice_uniform(dice, 3 * c));
    double turn = angle[c] + 20 * (lr_dice_uniform(dice, 3 * c + 1) - 0.5);
    double calm = c == 0 || c == 1 ? 1 : c == 2 ? 0.7 : 0.3;
    s->wind[c][0] = calm * force * lr_cos(pi * turn / 180);
    s->wind[c][1] = calm * force * lr_sin(pi * turn / 180);
    s->down[c] = c == 2 ? 800 : 400;
    s->top[c] = 1e4 * (0.8 + 0.4 * lr_dice_uniform(dice, 3 * c + 2));
  }
  s->torn = 1.5e4 * (0.8 + 0.4 * lr_dice_uniform(dice, 3 * CASES));
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  size_t storeys = lr_reader_size(reader, "storeys", 2, STOREYS_MOST);
  double penalty = lr_reader_positive(reader, "penalty");
  size_t digits = lr_reader_digits(reader);
  uint64_t seed = lr_reader_seed(reader);
  tower *s;
  if (lr_problem_begin(problem, reader, (GROUPS + 1) * storeys))
    return reader->status;
  s = lr_problem_bytes(problem, reader, sizeof *s);
  lr_simulator_box(problem, reader, 1.5);
  if (reader->status) return reader->status;
  s->base = (lr_simulator){run, digits, 1e-5};
  s->storeys = storeys;
  s->penalty = penalty;
  s->weight = weight(s, problem->start);
  draw_loads(s, seed);
  lr_simulator_answers(problem, &s->base);
  return reader->status;
}

const lr_problem_kind lr_kind_tower = {
    "tower", "areas and widths of a lattice tower, light but strong",
    parameters, sizeof parameters / sizeof parameters[0], build};
