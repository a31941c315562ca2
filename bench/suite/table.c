/* Prints one table for each class, with a row for each solver and a column for
 * each problem. */
#include "bench.h"
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 24, COLUMNS = 5 };

static int number(char *text, size_t room, double n)
{
  return isinf(n) ? snprintf(text, room, "-") : snprintf(text, room, "%.0f", n);
}

/* Prints "30 / 45" or "30 / 412 (2)": the evaluations to each target, and the
 * number of runs that failed to reach the last one. */
static void print_cell(const bench_score *score, const bench_goals *goals)
{
  char text[96] = "not for it";
  size_t last = goals->target[goals->count - 1];
  int used = 0;
  for (size_t i = 0; score->able && i < goals->count; i++) {
    if (i > 0) used += snprintf(text + used, sizeof text - (size_t)used, " / ");
    used += number(text + used, sizeof text - (size_t)used,
                   score->median[goals->target[i]]);
  }
  if (score->able && score->failures[last] > 0)
    snprintf(text + used, sizeof text - (size_t)used, " (%zu%s)",
             score->failures[last], score->by_clock ? "t" : "");
  printf(" %*s", CELL, text);
}

static int name_width(const bench_results *r)
{
  size_t width = 12;
  for (size_t s = 0; s < r->plan->spec_count; s++)
    if (strlen(r->plan->specs[s]) > width) width = strlen(r->plan->specs[s]);
  return (int)width;
}

/* Prints the evaluations of the best peer divided by ours. */
static void print_ratio(const bench_results *r, const size_t *columns,
                        size_t count, size_t ours)
{
  const bench_goals *goals =
      bench_class_goals(r->plan->cases[columns[0]]->class);
  printf("  %-*s", name_width(r), "best peer/it");
  for (size_t i = 0; i < count; i++) {
    const bench_score *score = bench_score_at(r, columns[i], ours);
    char text[64] = "";
    int used = 0;
    for (size_t g = 0; g < goals->count; g++) {
      size_t t = goals->target[g];
      const bench_score *peer = bench_best_peer(r, columns[i], t, NULL);
      const char *between = g > 0 ? " / " : "";
      size_t room = sizeof text - (size_t)used;
      used += !peer ? snprintf(text + used, room, "%s-", between)
                    : snprintf(text + used, room, "%s%.2f", between,
                               peer->median[t] / score->median[t]);
    }
    printf(" %*s", CELL, text);
  }
  printf("\n");
}

static void print_rows(const bench_results *r, const size_t *columns,
                       size_t count)
{
  const bench_plan *plan = r->plan;
  bool peers = false;
  printf("\n  %-*s", name_width(r), "");
  for (size_t i = 0; i < count; i++)
    printf(" %*s", CELL, plan->cases[columns[i]]->label);
  printf("\n");
  for (size_t s = 0; s < plan->spec_count; s++) {
    printf("  %-*s", name_width(r), plan->specs[s]);
    for (size_t i = 0; i < count; i++)
      print_cell(bench_score_at(r, columns[i], s),
                 bench_class_goals(plan->cases[columns[i]]->class));
    printf("\n");
    peers |= !bench_solver_is_ours(bench_solver_find(plan->specs[s]));
  }
  if (peers && strncmp(plan->specs[0], "auto", 4) == 0)
    print_ratio(r, columns, count, 0);
}

static void print_class(const bench_results *r, bench_class class)
{
  size_t columns[COLUMNS], count = 0;
  bool headed = false;
  for (size_t c = 0; c < r->plan->case_count; c++) {
    if (r->plan->cases[c]->class != class) continue;
    if (!headed) printf("\n%s\n", bench_class_title(class));
    headed = true;
    columns[count++] = c;
    if (count < COLUMNS) continue;
    print_rows(r, columns, count);
    count = 0;
  }
  if (count > 0) print_rows(r, columns, count);
}

/* Prints the solvers that were run and their settings. */
static void print_configurations(const bench_plan *plan)
{
  printf(
      "\nHow each was run (h = 2 sqrt(e/c) max(1, |x_i|) in forward "
      "differences, e the noise or\nrounding of f, c the mean curvature "
      "along a coordinate at the start, told to all for free):\n");
  for (size_t s = 0; s < plan->spec_count; s++) {
    const bench_solver *solver = bench_solver_find(plan->specs[s]);
    printf("  %-12s %s: %s%s\n", plan->specs[s], solver->family, solver->config,
           solver->bounds ? "" : "; no bounds");
  }
  printf("BLAS kernels: %s\n", bench_kernels());
}

static void print_counts(const bench_results *r)
{
  printf(
      "Evaluations until f - f* is 1e-3 / 1e-6 of f(x0) - f* (of fits 1e-1 / "
      "1e-3 / 1e-6, of\nthe collection 1e-1 / 1e-3 / 1e-5; under limits, which "
      "are then met to "
      "1e-6 of their size, of the\nlarger of 1 and |f*|): medians over "
      "%zu seeds from %llu.\nIn brackets the runs that did not get to the last "
      "(t: for lack of time); -: half of them or more.\n",
      r->plan->seed_count, (unsigned long long)r->plan->seeds[0]);
  for (int class = 0; class < BENCH_SIMULATORS; class ++)
    print_class(r, (bench_class) class);
  bench_print_summary(r);
  if (r->plan->to_end) bench_print_claims(r);
}

void bench_print_tables(const bench_results *r)
{
  bool counted = false;
  for (size_t c = 0; c < r->plan->case_count; c++)
    counted |= r->plan->cases[c]->class != BENCH_SIMULATORS;
  if (counted) print_counts(r);
  bench_print_collection(r);
  bench_print_simulators(r);
  print_configurations(r->plan);
}
