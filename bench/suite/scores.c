/* Computes medians over seeds. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const bench_task *bench_task_at(const bench_results *r, size_t c, size_t s,
                                size_t seed)
{
  const bench_plan *plan = r->plan;
  return &r->tasks[(c * plan->spec_count + s) * plan->seed_count + seed];
}

const bench_score *bench_score_at(const bench_results *r, size_t c, size_t s)
{
  return &r->scores[c * r->plan->spec_count + s];
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median, the mean of the two middle numbers if their count is even; a run
 * that failed counts as infinite. */
static double median(size_t n, double *numbers)
{
  qsort(numbers, n, sizeof *numbers, compare);
  return n % 2 ? numbers[n / 2] : 0.5 * (numbers[n / 2 - 1] + numbers[n / 2]);
}

static void score(const bench_results *r, size_t c, size_t s, double *room)
{
  bench_score *score = &r->scores[c * r->plan->spec_count + s];
  *score = (bench_score){.runs = r->plan->seed_count};
  score->able = !bench_task_at(r, c, s, 0)->skip;
  for (size_t t = 0; t < BENCH_TARGETS; t++) {
    for (size_t i = 0; i < score->runs; i++) {
      const bench_record *record = &bench_task_at(r, c, s, i)->record;
      uint64_t hit = record->hits[t];
      room[i] = hit ? (double)hit : INFINITY;
      score->failures[t] += hit == 0;
      score->by_clock |= hit == 0 && strcmp(record->outcome, "time") == 0;
    }
    score->median[t] = median(score->runs, room);
  }
}

lrgd_status bench_score_all(bench_results *r)
{
  const bench_plan *plan = r->plan;
  double *room = malloc(plan->seed_count * sizeof *room);
  r->scores = calloc(plan->case_count * plan->spec_count, sizeof *r->scores);
  for (size_t c = 0; room && r->scores && c < plan->case_count; c++)
    for (size_t s = 0; s < plan->spec_count; s++) score(r, c, s, room);
  free(room);
  return room && r->scores ? LRGD_OK : LRGD_ERR_NOMEM;
}

const bench_score *bench_best_peer(const bench_results *r, size_t c,
                                   size_t target, size_t *solver)
{
  const bench_score *best = NULL;
  for (size_t s = 0; s < r->plan->spec_count; s++) {
    const bench_score *at = bench_score_at(r, c, s);
    if (bench_solver_is_ours(bench_solver_find(r->plan->specs[s]))) continue;
    if (!at->able || isinf(at->median[target])) continue;
    if (best && best->median[target] <= at->median[target]) continue;
    best = at;
    if (solver) *solver = s;
  }
  return best;
}
