/* Simulators: the best values after 4, 8, 16 and 30 p evaluations, and how
 * often the first solver is ahead of each other one.  f* is not used: what
 * counts is the value reached at a given cost. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 22, SEEDS_MOST = 1000 };

/* Values below this share of the first one count as equal: they fit as well as
 * the printed digits allow. */
static const double solved = 1e-9;

/* The index of reported mark m, 0 ... BENCH_REPORTED - 1; the mark 1.5 p before
 * it precedes it in the list. */
static size_t mark_of(size_t m)
{
  return 2 * m + 1;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The values at a mark over the seeds, sorted; a missing value (out of time) is
 * +inf. */
static size_t values_at(const bench_results *r, size_t c, size_t s, size_t mark,
                        double values[SEEDS_MOST])
{
  size_t count = r->plan->seed_count;
  if (count > SEEDS_MOST) count = SEEDS_MOST;
  for (size_t i = 0; i < count; i++) {
    double f = bench_task_at(r, c, s, i)->record.marks[mark];
    values[i] = isnan(f) ? INFINITY : f;
  }
  qsort(values, count, sizeof *values, compare);
  return count;
}

/* Prints "median (worst)". */
static void print_cell(const bench_results *r, size_t c, size_t s, size_t mark)
{
  double values[SEEDS_MOST], middle;
  size_t n = values_at(r, c, s, mark, values);
  char text[64];
  middle = n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
  snprintf(text, sizeof text, "%.3g (%.3g)", middle, values[n - 1]);
  printf(" %*s", CELL, text);
}

/* Whether the first solver is at least as low as solver s at this seed; s may
 * be judged at an earlier mark. */
static bool not_behind(const bench_results *r, size_t c, size_t s, size_t seed,
                       size_t mark, size_t theirs)
{
  const bench_record *own = &bench_task_at(r, c, 0, seed)->record;
  const bench_record *other = &bench_task_at(r, c, s, seed)->record;
  double floor = solved * fabs(own->start);
  if (isnan(own->marks[mark])) return false;
  return isnan(other->marks[theirs]) || own->marks[mark] <= floor ||
         own->marks[mark] <= other->marks[theirs];
}

static void print_counts(const bench_results *r, size_t c, size_t s,
                         bool earlier)
{
  char label[64];
  snprintf(label, sizeof label, earlier ? "within 1.5 p of %s" : "ahead of %s",
           r->plan->specs[s]);
  printf("  %-24s", label);
  for (size_t m = 0; m < BENCH_REPORTED; m++) {
    size_t mark = mark_of(m), ahead = 0;
    char text[32];
    for (size_t i = 0; i < r->plan->seed_count; i++)
      ahead += not_behind(r, c, s, i, mark, earlier ? mark - 1 : mark);
    snprintf(text, sizeof text, "%zu of %zu", ahead, r->plan->seed_count);
    printf(" %*s", CELL, text);
  }
  printf("\n");
}

static void print_case(const bench_results *r, size_t c)
{
  const bench_plan *plan = r->plan;
  double start = bench_task_at(r, c, 0, 0)->record.start;
  printf("\n%s: f is %.3g at the start (seed %llu)\n  %-24s",
         plan->cases[c]->label, start, (unsigned long long)plan->seeds[0], "");
  for (size_t m = 0; m < BENCH_REPORTED; m++)
    printf(" %*.0f p", CELL - 2, bench_mark[mark_of(m)]);
  printf("\n");
  for (size_t s = 0; s < plan->spec_count; s++) {
    if (!bench_score_at(r, c, s)->able) continue;
    printf("  %-24s", plan->specs[s]);
    for (size_t m = 0; m < BENCH_REPORTED; m++) print_cell(r, c, s, mark_of(m));
    printf("\n");
  }
  for (size_t s = 1; s < plan->spec_count; s++)
    if (bench_score_at(r, c, s)->able)
      print_counts(r, c, s,
                   bench_solver_is_ours(bench_solver_find(plan->specs[s])));
}

void bench_print_simulators(const bench_results *r)
{
  bool headed = false;
  for (size_t c = 0; c < r->plan->case_count; c++) {
    if (r->plan->cases[c]->class != BENCH_SIMULATORS) continue;
    if (!headed)
      printf(
          "Simulators: the best value after so many evaluations, median over "
          "%zu seeds from %llu (worst).\nBelow: at how many seeds %s is ahead "
          "(or below %g of the first value, where there is\nnothing left to "
          "gain).\n",
          r->plan->seed_count, (unsigned long long)r->plan->seeds[0],
          r->plan->specs[0], solved);
    headed = true;
    print_case(r, c);
  }
}
