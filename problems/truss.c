/* Trusses of least weight within limits on stresses and displacements: 10 bars
 * in the plane (Venkayya, Int. J. Solids Struct. 7, 1971), the transmission
 * tower of 25 bars in 8 groups and the tower of 72 bars in 16 groups (Schmit
 * and Farshi, AIAA J. 12, 1974).  Inches, kips, ksi; aluminium, 0.1 lb/in^3.
 * Outputs are the weight, the stress of each bar (of each group and load case
 * the bar is in), and displacements. */
#include "kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 20, MOST_BARS = 72, MOST_FREE = 48, MOST_CASES = 2 };

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
  double tension, compression[16], displacement;
  double length[MOST_BARS];
} frame;

static void solve(size_t n, double *K, double *u)
{
  for (size_t j = 0; j < n; j++) { /* Cholesky, lower half by columns */
    for (size_t k = 0; k < j; k++)
      for (size_t i = j; i < n; i++)
        K[j * n + i] -= K[k * n + j] * K[k * n + i];
    double top = sqrt(K[j * n + j]);
    for (size_t i = j; i < n; i++) K[j * n + i] /= top;
  }
  for (size_t c = 0; c < MOST_CASES; c++, u += n) {
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
  solve(n, K, u);
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

/* ---- the three of them ---- */

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
               .displacement = 2};
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
               .displacement = 0.35};
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
               .displacement = 0.25};
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

static const lr_parameter parameters[] = {
    {"bars", "10", "10, 25 (8 groups) or 72 (16 groups)"},
};

static lrgd_status build(lr_problem *problem, lr_reader *reader)
{
  void (*const make[])(frame *) = {ten_bars, twenty_five_bars,
                                   seventy_two_bars};
  static const double minima[] = {5060.853, 545.1625, 379.6148};
  size_t which = lr_reader_choice(reader, "bars", "10|25|72");
  frame *f = lr_problem_bytes(problem, reader, sizeof *f);
  if (!f || reader->status) return reader->status;
  make[which](f);
  measure(f);
  size_t n = f->groups, m = 1 + f->cases * (f->bars + f->watched), i = 1;
  double low[1 + MOST_CASES * (MOST_BARS + MOST_FREE)] = {-INFINITY};
  double high[1 + MOST_CASES * (MOST_BARS + MOST_FREE)] = {INFINITY};
  if (lr_problem_begin(problem, reader, n)) return reader->status;
  for (size_t c = 0; c < f->cases; c++) {
    for (size_t e = 0; e < f->bars; e++, i++)
      high[i] = f->tension, low[i] = -f->compression[f->bar[e].group];
    for (size_t w = 0; w < f->watched; w++, i++)
      high[i] = f->displacement, low[i] = -f->displacement;
  }
  double *lower = lr_problem_numbers(problem, reader, n, 2);
  if (reader->status) return reader->status;
  for (size_t g = 0; g < n; g++) {
    lower[g] = f->least, lower[n + g] = f->most;
    problem->start[g] = which == 0 ? 20 : 2;
  }
  problem->callbacks.lower = lower;
  problem->callbacks.upper = lower + n;
  problem->data = f;
  problem->minimum = minima[which];
  return lr_problem_give_limits(problem, reader, m, answer, low, high);
}

const lr_problem_kind lr_kind_truss = {
    "truss", "trusses of least weight within limits", parameters,
    sizeof parameters / sizeof parameters[0], build};
