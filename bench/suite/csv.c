/* Writes results as CSV, one line for each run. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void print_value(double value)
{
  if (isnan(value))
    printf(",");
  else
    printf(",%.6e", value);
}

static void print_hits(const bench_record *r, size_t first, size_t end)
{
  for (size_t t = first; t < end; t++) {
    if (r->hits[t])
      printf(",%" PRIu64, r->hits[t]);
    else
      printf(",");
  }
}

static void print_run(const bench_task *task)
{
  const bench_record *r = &task->record;
  printf("%s,\"%s\",\"%s\",%" PRIu64, bench_class_name(task->from->class),
         task->from->label, task->spec, task->seed);
  print_hits(r, 0, 2);
  printf(",%s,%" PRIu64 ",%.3e,%.4f,%.4f,%" PRIu64, r->outcome, r->spent,
         r->gap, r->seconds, r->seconds - r->function_seconds, r->outside);
  if (isnan(r->gradient))
    printf(",,,,");
  else
    printf(",%" PRIu64 ",%.3e,%.3e,%" PRIu64, r->rank, r->bound, r->gradient,
           r->small_gradient);
  print_value(r->start);
  for (size_t i = 0; i < BENCH_MARKS; i++) print_value(r->marks[i]);
  print_hits(r, 2, BENCH_TARGETS);
  printf(",%" PRIu64 "\n", r->dimension);
}

void bench_print_csv(const bench_results *r)
{
  const bench_plan *plan = r->plan;
  printf(
      "class,problem,solver,seed,to_1e-3,to_1e-6,outcome,evaluations,gap,"
      "seconds,own_seconds,outside,rank,bound,gradient,small_gradient,start");
  for (size_t i = 0; i < BENCH_MARKS; i++) printf(",after_%gp", bench_mark[i]);
  printf(",to_1e-1,to_1e-5,dimension\n");
  for (size_t c = 0; c < plan->case_count; c++)
    for (size_t s = 0; s < plan->spec_count; s++)
      for (size_t i = 0; i < plan->seed_count; i++)
        print_run(bench_task_at(r, c, s, i));
}
