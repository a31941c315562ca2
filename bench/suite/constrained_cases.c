/* The problems of the class `constrained`: one evaluation returns the objective
 * and all constraints.  Odd positions are for tuning, even ones are
 * reported. */
#include "bench.h"

#include <math.h>

#define H "hock-schittkowski problem="

/* clang-format off */
const bench_case bench_constrained[] = {
  {BENCH_CONSTRAINED, "HS 6", H "6", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 7", H "7", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 10", H "10", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 11", H "11", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 12", H "12", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 14", H "14", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 22", H "22", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 24", H "24", 2, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 26", H "26", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 29", H "29", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 31", H "31", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 32", H "32", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 34", H "34", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 35", H "35", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 39", H "39", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 40", H "40", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 42", H "42", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 43", H "43", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 60", H "60", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 61", H "61", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 63", H "63", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 64", H "64", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 65", H "65", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 66", H "66", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 71", H "71", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 72", H "72", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 73", H "73", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 74", H "74", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 76", H "76", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 77", H "77", 5, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 78", H "78", 5, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 79", H "79", 5, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 80", H "80", 5, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 81", H "81", 5, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 93", H "93", 6, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 100", H "100", 7, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 104", H "104", 8, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "HS 113", H "113", 10, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "welded beam", "design part=welded-beam", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "speed reducer", "design part=speed-reducer", 7, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "pressure vessel", "design part=pressure-vessel", 4, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "spring", "design part=spring", 3, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "truss of 10 bars", "truss bars=10", 10, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "truss of 25 bars", "truss bars=25", 8, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "truss of 72 bars", "truss bars=72", 16, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "grid of 60 bars", "truss bars=60", 60, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "truss of 200 bars", "truss bars=200", 29, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "plate of 25 cells", "limited-plate length=5 width=5", 25, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "plate of 60 cells", "limited-plate length=10 width=6", 60, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "plate of 100 cells", "limited-plate length=10 width=10", 100, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "tanh fit 25", "limited-fit inputs=3 hidden=5", 25, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "tanh fit 72", "limited-fit inputs=7 hidden=8", 72, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "tanh fit 100", "limited-fit inputs=8 hidden=10", 100, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "tanh fit 200", "limited-fit inputs=18 hidden=10", 200, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "rank 10 of 100", "limited-quadratic p=100 rank=10 limits=5", 10, 0, 0, 0, 0},
  {BENCH_CONSTRAINED, "rank 10 of 1000", "limited-quadratic p=1000 rank=10 limits=5", 10, 0, 0, 0, 0},
};
/* clang-format on */

const size_t bench_constrained_count =
    sizeof bench_constrained / sizeof bench_constrained[0];
