/* Trusses of least weight within limits on stresses and displacements: 10 bars
 * in the plane (Venkayya, Int. J. Solids Struct. 7, 1971), the transmission
 * tower of 25 bars in 8 groups and the tower of 72 bars in 16 groups (Schmit
 * and Farshi, AIAA J. 12, 1974), a cantilever grid of 60 bars, each of which is
 * an input, and the plane tower of 200 bars in 29 groups (Lamberti, Comput.
 * Struct. 86, 2008).  Inches, kips, ksi; aluminium, 0.1 lb/in^3 (steel, 0.283,
 * for 200 bars).  Outputs are the weight, the stress of each bar (of each group
 * and load case the bar is in), and displacements. */
#include "kind.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 77, MOST_BARS = 200, MOST_FREE = 150, MOST_CASES = 3 };

/* A plane or spatial frame.  Over 20 members: the data of one example. */
typedef struct frame {
  size_t axes, nodes, bars, groups, cases, watched;
  double node[MOST_NODES][3];
  unsigned char fixed[MOST_NODES];
  struct {
    unsigned char a, b, group;
  } bar[MOST_BARS];
  double load[MOST_CASES][MOST_NODES][3];
  size_t watch[MOST_FREE]; /* node * 3 + axis of displacements with a limit */
  double modulus, density, least, most;
  double start, minimum;
  double tension, compression[60], displacement;
  double length[MOST_BARS];
} frame;

static void solve(size_t n, size_t cases, double *K, double *u)
{
  for (size_t j = 0; j < n; j++) { /* Cholesky, lower half by columns */
    for (size_t k = 0; k < j; k++)
      for (size_t i = j; i < n; i++)
        K[j * n + i] -= K[k * n + j] * K[k * n + i];
    double top = sqrt(K[j * n + j]);
    for (size_t i = j; i < n; i++) K[j * n + i] /= top;
  }
  for (size_t c = 0; c < cases; c++, u += n) {
    for (size_t j = 0; j < n; j++) {
      u[j] /= K[j * n + j];
      for (size_t i = j + 1; i < n; i++) u[i] -= K[j * n + i] * u[j];
    }
    for (size_t j = n; j-- > 0;) {
      for (size_t i = j + 1; i < n; i++) u[j] -= K[j * n + i] * u[i];
      u[j] /= K[j * n + j];
    }
  }
}

/* Places of the free displacements; how many. */
static size_t number(const frame *f, size_t place[MOST_NODES][3])
{
  size_t n = 0;
  for (size_t i = 0; i < f->nodes; i++)
    for (size_t a = 0; a < 3; a++)
      place[i][a] = f->fixed[i] || a >= f->axes ? SIZE_MAX : n++;
  return n;
}

static void direction(const frame *f, size_t e, double *d)
{
  for (size_t a = 0; a < 3; a++)
    d[a] = (f->node[f->bar[e].b][a] - f->node[f->bar[e].a][a]) / f->length[e];
}

static void assemble(const frame *f, const double *x, size_t n,
                     size_t place[MOST_NODES][3], double *K)
{
  memset(K, 0, n * n * sizeof *K);
  for (size_t e = 0; e < f->bars; e++) {
    double d[3], k = f->modulus * x[f->bar[e].group] / f->length[e];
    size_t at[6];
    direction(f, e, d);
    for (size_t i = 0; i < 6; i++)
      at[i] = place[i < 3 ? f->bar[e].a : f->bar[e].b][i % 3];
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++)
        if (at[i] != SIZE_MAX && at[j] != SIZE_MAX)
          K[at[j] * n + at[i]] +=
              (i / 3 == j / 3 ? k : -k) * d[i % 3] * d[j % 3];
  }
}

static void answer(size_t p, const double *x, size_t m, double *y, void *user)
{
  const frame *f = ((const lr_problem *)user)->data;
  size_t place[MOST_NODES][3], n = number(f, place);
  double u[MOST_CASES * MOST_FREE] = {0}, *K = malloc(n * n * sizeof *K);
  (void)p;
  for (size_t i = 0; i < m; i++) y[i] = NAN;
  if (!K) return;
  assemble(f, x, n, place, K);
  for (size_t c = 0; c < f->cases; c++)
    for (size_t i = 0; i < f->nodes; i++)
      for (size_t a = 0; a < f->axes; a++)
        if (place[i][a] != SIZE_MAX) u[c * n + place[i][a]] = f->load[c][i][a];
  solve(n, f->cases, K, u);
  free(K);
  *y = 0;
  for (size_t e = 0; e < f->bars; e++)
    *y += f->density * f->length[e] * x[f->bar[e].group];
  y++;
  for (size_t c = 0; c < f->cases; c++) {
    const double *at = u + c * n;
    for (size_t e = 0; e < f->bars; e++, y++) {
      double d[3];
      direction(f, e, d);
      *y = 0;
      for (size_t a = 0; a < f->axes; a++) {
        size_t i = place[f->bar[e].a][a], j = place[f->bar[e].b][a];
        *y +=
            d[a] * ((j == SIZE_MAX ? 0 : at[j]) - (i == SIZE_MAX ? 0 : at[i]));
      }
      *y *= f->modulus / f->length[e];
    }
    for (size_t w = 0; w < f->watched; w++, y++)
      *y = at[place[f->watch[w] / 3][f->watch[w] % 3]];
  }
}

/* ---- the five of them ---- */

static void put_bar(frame *f, size_t a, size_t b, size_t group)
{
  f->bar[f->bars].a = (unsigned char)a;
  f->bar[f->bars].b = (unsigned char)b;
  f->bar[f->bars].group = (unsigned char)group;
  f->bars++;
  if (group >= f->groups) f->groups = group + 1;
}

static void measure(frame *f)
{
  for (size_t e = 0; e < f->bars; e++) {
    double sum = 0;
    for (size_t a = 0; a < 3; a++) {
      double d = f->node[f->bar[e].b][a] - f->node[f->bar[e].a][a];
      sum += d * d;
    }
    f->length[e] = sqrt(sum);
  }
}

static void ten_bars(frame *f)
{
  static const unsigned char ends[10][2] = {
      {4, 2},
      {2, 0},
      {5, 3},
      {3, 1},
      {2, 3},
      {0, 1},
      {4, 3},
      {5, 2},
      {2, 1},
      {3, 0}
  };
  static const double at[6][2] = {
      {720, 360},
      {720, 0  },
      {360, 360},
      {360, 0  },
      {0,   360},
      {0,   0  }
  };
  *f = (frame){.axes = 2,
               .nodes = 6,
               .cases = 1,
               .watched = 8,
               .modulus = 1e4,
               .density = 0.1,
               .least = 0.1,
               .most = 35,
               .tension = 25,
               .displacement = 2,
               .start = 20,
               .minimum = 5060.853};
  for (size_t i = 0; i < 6; i++) {
    f->node[i][0] = at[i][0], f->node[i][1] = at[i][1];
    f->fixed[i] = i >= 4;
  }
  for (size_t e = 0; e < 10; e++) put_bar(f, ends[e][0], ends[e][1], e);
  for (size_t g = 0; g < 10; g++) f->compression[g] = 25;
  f->load[0][1][1] = f->load[0][3][1] = -100;
  for (size_t w = 0; w < 8; w++) f->watch[w] = w / 2 * 3 + w % 2;
}

static void twenty_five_bars(frame *f)
{
  static const double at[10][3] = {
      {-37.5, 0,     200},
      {37.5,  0,     200},
      {-37.5, 37.5,  100},
      {37.5,  37.5,  100},
      {37.5,  -37.5, 100},
      {-37.5, -37.5, 100},
      {-100,  100,   0  },
      {100,   100,   0  },
      {100,   -100,  0  },
      {-100,  -100,  0  }
  };
  static const unsigned char bars[25][3] = {
      {0, 1, 0},
      {0, 3, 1},
      {1, 2, 1},
      {0, 4, 1},
      {1, 5, 1},
      {1, 3, 2},
      {1, 4, 2},
      {0, 2, 2},
      {0, 5, 2},
      {2, 5, 3},
      {3, 4, 3},
      {2, 3, 4},
      {4, 5, 4},
      {2, 9, 5},
      {5, 6, 5},
      {3, 8, 5},
      {4, 7, 5},
      {3, 6, 6},
      {2, 7, 6},
      {4, 9, 6},
      {5, 8, 6},
      {2, 6, 7},
      {3, 7, 7},
      {4, 8, 7},
      {5, 9, 7}
  };
  static const double compression[8] = {35.092, 11.590, 17.305, 35.092,
                                        35.092, 6.759,  6.959,  11.082};
  *f = (frame){.axes = 3,
               .nodes = 10,
               .cases = 2,
               .watched = 6,
               .modulus = 1e4,
               .density = 0.1,
               .least = 0.01,
               .most = 5,
               .tension = 40,
               .displacement = 0.35,
               .start = 2,
               .minimum = 545.1625};
  memcpy(f->node, at, sizeof at);
  for (size_t i = 6; i < 10; i++) f->fixed[i] = 1;
  for (size_t e = 0; e < 25; e++)
    put_bar(f, bars[e][0], bars[e][1], bars[e][2]);
  memcpy(f->compression, compression, sizeof compression);
  const double first[4][4] = {
      {0, 1,   10, -5},
      {1, 0,   10, -5},
      {2, 0.5, 0,  0 },
      {5, 0.5, 0,  0 }
  };
  for (size_t i = 0; i < 4; i++)
    memcpy(f->load[0][(size_t)first[i][0]], first[i] + 1, 3 * sizeof(double));
  f->load[1][0][1] = 20, f->load[1][1][1] = -20;
  f->load[1][0][2] = f->load[1][1][2] = -5;
  for (size_t w = 0; w < 6; w++) f->watch[w] = w;
}

static void seventy_two_bars(frame *f)
{
  static const double corner[4][2] = {
      {0,   0  },
      {120, 0  },
      {120, 120},
      {0,   120}
  };
  *f = (frame){.axes = 3,
               .nodes = 20,
               .cases = 2,
               .watched = 8,
               .modulus = 1e4,
               .density = 0.1,
               .least = 0.1,
               .most = 5,
               .tension = 25,
               .displacement = 0.25,
               .start = 2,
               .minimum = 379.6148};
  for (size_t i = 0; i < 20; i++) { /* the top storey first */
    f->node[i][0] = corner[i % 4][0], f->node[i][1] = corner[i % 4][1];
    f->node[i][2] = 240 - 60 * (double)(i / 4);
    f->fixed[i] = i >= 16;
  }
  for (size_t s = 0; s < 4; s++) {
    size_t top = 4 * s, below = top + 4, g = 4 * s;
    for (size_t i = 0; i < 4; i++) put_bar(f, top + i, below + i, g);
    for (size_t i = 0; i < 4; i++) {
      put_bar(f, top + i, below + (i + 1) % 4, g + 1);
      put_bar(f, top + (i + 1) % 4, below + i, g + 1);
    }
    for (size_t i = 0; i < 4; i++)
      put_bar(f, top + i, top + (i + 1) % 4, g + 2);
    put_bar(f, top, top + 2, g + 3);
    put_bar(f, top + 1, top + 3, g + 3);
  }
  for (size_t g = 0; g < 16; g++) f->compression[g] = 25;
  f->load[0][0][0] = f->load[0][0][1] = 5;
  f->load[0][0][2] = -5;
  for (size_t i = 0; i < 4; i++) f->load[1][i][2] = -5;
  for (size_t w = 0; w < 8; w++) f->watch[w] = w / 2 * 3 + w % 2;
}

/* 6 x 3 square cells with one diagonal each, held along one side, loaded at the
 * lower corner of the other: no bar along the held side.  Nodes by columns,
 * from below. */
static void grid(frame *f)
{
  enum { COLUMNS = 6, ROWS = 3 };
  *f = (frame){.axes = 2,
               .nodes = (COLUMNS + 1) * (ROWS + 1),
               .cases = 1,
               .modulus = 1e4,
               .density = 0.1,
               .least = 0.1,
               .most = 35,
               .tension = 25,
               .start = 10,
               .minimum = 992.4262760};
  for (size_t i = 0; i < f->nodes; i++) {
    f->node[i][0] = 100 * (double)(i / (ROWS + 1));
    f->node[i][1] = 100 * (double)(i % (ROWS + 1));
    f->fixed[i] = i <= ROWS;
  }
  for (size_t c = 0; c < COLUMNS; c++)
    for (size_t r = 0; r <= ROWS; r++) {
      size_t here = c * (ROWS + 1) + r, there = here + ROWS + 1;
      put_bar(f, here, there, f->bars);
      if (r == ROWS) continue;
      put_bar(f, there, there + 1, f->bars);
      /* the diagonal falls and rises in turn, as on a chessboard */
      if ((c + r) % 2 == 0)
        put_bar(f, here, there + 1, f->bars);
      else
        put_bar(f, here + 1, there, f->bars);
    }
  for (size_t g = 0; g < f->bars; g++) f->compression[g] = 25;
  f->load[0][COLUMNS * (ROWS + 1)][1] = -100;
}

/* The groups of two storeys of the tower of 200 bars, a narrow one of five
 * nodes above a wide one of nine. */
typedef struct storeys {
  size_t narrow, upper, wide, edge, lower, diagonal;
} storeys;

/* Bars from the five nodes at `narrow` to the nine at `wide`. */
static void join(frame *f, size_t narrow, size_t wide, size_t group,
                 size_t diagonal)
{
  for (size_t i = 0; i < 5; i++) {
    if (i > 0) put_bar(f, narrow + i, wide + 2 * i - 1, diagonal);
    put_bar(f, narrow + i, wide + 2 * i, group);
    if (i < 4) put_bar(f, narrow + i, wide + 2 * i + 1, diagonal);
  }
}

/* Two storeys whose first node is `first`, and the bars to the next one. */
static void put_storeys(frame *f, size_t first, const storeys *g)
{
  for (size_t i = 0; i < 4; i++)
    put_bar(f, first + i, first + i + 1, g->narrow);
  for (size_t i = 0; i < 8; i++)
    put_bar(f, first + 5 + i, first + 6 + i,
            i == 0 || i == 7 ? g->edge : g->wide);
  join(f, first, first + 5, g->upper, g->diagonal);
  join(f, first + 14, first + 5, g->lower, g->diagonal);
}

static void two_hundred_bars(frame *f)
{
  *f = (frame){.axes = 2,
               .nodes = 77,
               .cases = 3,
               .modulus = 3e4,
               .density = 0.283,
               .least = 0.1,
               .most = 20,
               .tension = 10,
               .start = 10,
               .minimum = 25446.65752};
  size_t first = 0;
  for (size_t s = 0; s < 11; s++) { /* the top storey first */
    bool wide = s % 2 == 1;
    size_t nodes = wide ? 9 : 5;
    for (size_t i = 0; i < nodes; i++) {
      f->node[first + i][0] = (wide ? 120 : 240) * (double)i;
      f->node[first + i][1] = 360 + 144 * (double)(10 - s);
      if (!wide || i % 2 == 0) f->load[1][first + i][1] = -10;
    }
    f->load[0][first][0] = 1;
    first += nodes;
  }
  for (size_t i = 0; i < 2; i++) {
    f->node[75 + i][0] = i == 0 ? 240 : 720;
    f->fixed[75 + i] = 1;
  }
  put_storeys(f, 0, &(storeys){0, 1, 2, 3, 4, 5});
  for (size_t k = 1; k < 5; k++) {
    size_t g = 5 * k + 1;
    put_storeys(f, 14 * k, &(storeys){g, g + 1, g + 2, 3, g + 3, g + 4});
  }
  for (size_t i = 0; i < 4; i++) put_bar(f, 70 + i, 71 + i, 26);
  for (size_t i = 0; i < 6; i++)
    put_bar(f, 70 + i - i / 3, 75 + i / 3, i % 3 == 1 ? 28 : 27);
  for (size_t g = 0; g < 29; g++) f->compression[g] = 10;
  for (size_t i = 0; i < f->nodes; i++)
    for (size_t a = 0; a < 2; a++)
      f->load[2][i][a] = f->load[0][i][a] + f->load[1][i][a];
}
static const lr_parameter parameters[] = {
    {"bars", "10",
     "10, 25 (8 groups), 72 (16 groups), 60 (a grid) or 200 (29 groups)"},
};

/* Limits of all outputs, at low and high. */
static void set_limits(const frame *f, double *low, double *high)
{
  size_t i = 1;
  low[0] = -INFINITY, high[0] = INFINITY;
  for (size_t c = 0; c < f->cases; c++) {
    for (size_t e = 0; e < f->bars; e++, i++)
      high[i] = f->tension, low[i] = -f->compression[f->bar[e].group];
    for (size_t w = 0; w < f->watched; w++, i++)
      high[i] = f->displacement, low[i] = -f->displacement;
  }
}

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  void (*const make[])(frame *) = {ten_bars, twenty_five_bars, seventy_two_bars,
                                   grid, two_hundred_bars};
  size_t which = lr_reader_choice(reader, "bars", "10|25|72|60|200");
  frame *f = lr_problem_bytes(problem, reader, sizeof *f);
  if (!f || reader->status) return reader->status;
  make[which](f);
  measure(f);
  size_t n = f->groups, m = 1 + f->cases * (f->bars + f->watched);
  if (lr_problem_begin(problem, reader, n)) return reader->status;
  double *lower = lr_problem_numbers(problem, reader, n, 2);
  double *low = lr_problem_numbers(problem, reader, m, 1);
  double *high = lr_problem_numbers(problem, reader, m, 1);
  if (reader->status) return reader->status;
  set_limits(f, low, high);
  for (size_t g = 0; g < n; g++) {
    lower[g] = f->least, lower[n + g] = f->most;
    problem->start[g] = f->start;
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = lower + n;
  problem->data = f;
  problem->minimum = f->minimum;
  return lr_problem_give_limits(problem, reader, m, answer, low, high);
}

const lr_problem_kind lr_kind_truss = {
    "truss", "trusses of least weight within limits", parameters,
    sizeof parameters / sizeof parameters[0], build};
