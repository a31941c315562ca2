/* Published test functions, after More and Wild (2009): the share of problems
 * that a solver solves within 10 (p + 1) evaluations, and the share on which it
 * needs at most twice the evaluations of the fastest, by size and target. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { SIZES = 3 };
static const struct {
  const char *name;
  size_t least, most; /* p */
} sizes[SIZES] = {
    {"p up to 24",  1,   24      },
    {"p 25 to 200", 25,  200     },
    {"p above 200", 201, SIZE_MAX},
};

typedef struct tally {
  size_t all, solved, fast;
} tally;

static size_t dimension_of(const bench_results *r, size_t c, size_t seed)
{
  uint64_t p = 0;
  for (size_t s = 0; s < r->plan->spec_count; s++) {
    uint64_t own = bench_task_at(r, c, s, seed)->record.dimension;
    if (own > p) p = own;
  }
  return (size_t)p;
}

/* Adds one problem, if any solver solves it, and counts whether this solver is
 * fast on it. */
static void count_run(tally *sum, const bench_results *r, size_t c, size_t s,
                      size_t seed, size_t target)
{
  double hit = (double)bench_task_at(r, c, s, seed)->record.hits[target];
  double best = bench_fewest(r, c, seed, target);
  double p = (double)dimension_of(r, c, seed);
  sum->all++;
  sum->solved += hit > 0 && hit <= 10 * (p + 1);
  sum->fast += hit > 0 && hit <= 2 * best;
}

static tally count(const bench_results *r, bench_class class, size_t size,
                   size_t s, size_t target)
{
  tally sum = {0, 0, 0};
  for (size_t c = 0; c < r->plan->case_count; c++)
    for (size_t i = 0; i < r->plan->seed_count; i++) {
      size_t p = dimension_of(r, c, i);
      if (r->plan->cases[c]->class != class || p < sizes[size].least ||
          p > sizes[size].most || !bench_score_at(r, c, s)->able)
        continue;
      count_run(&sum, r, c, s, i, target);
    }
  return sum;
}

static void print_size(const bench_results *r, bench_class class, size_t size)
{
  const bench_goals *goals = bench_class_goals(class);
  size_t runs = count(r, class, size, 0, 0).all;
  if (runs == 0) return;
  printf("\n%s, %s: %zu problems, %zu runs each\n  %-14s",
         bench_class_title(class), sizes[size].name, runs / r->plan->seed_count,
         r->plan->seed_count, "");
  for (size_t g = 0; g < goals->count; g++)
    printf(" %12.0e", bench_target[goals->target[g]]);
  printf("\n");
  for (size_t s = 0; s < r->plan->spec_count; s++) {
    printf("  %-14s", r->plan->specs[s]);
    for (size_t g = 0; g < goals->count; g++) {
      tally sum = count(r, class, size, s, goals->target[g]);
      double all = sum.all ? (double)sum.all : NAN;
      printf("  %4.0f, %4.0f ", 100 * (double)sum.solved / all,
             100 * (double)sum.fast / all);
    }
    printf("\n");
  }
}

void bench_print_collection(const bench_results *r)
{
  bool headed = false;
  for (size_t c = 0; c < r->plan->case_count; c++)
    headed |= bench_class_collects(r->plan->cases[c]->class) ||
              r->plan->cases[c]->class == BENCH_CONSTRAINED;
  if (!headed) return;
  printf(
      "\nPer cent of runs that arrive within 10 (p + 1) evaluations, and per "
      "cent that need at most\ntwice those of the fastest solver:\n");
  for (size_t size = 0; size < SIZES; size++) {
    print_size(r, BENCH_COLLECTION, size);
    print_size(r, BENCH_COLLECTION_BOX, size);
    print_size(r, BENCH_CONSTRAINED, size);
  }
}
