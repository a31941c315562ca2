/* Writes all results as one JSON object. */
#include "bench.h"
#include "kernels.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *real(double number)
{
  return isfinite(number) ? json_real(number) : json_null();
}

static json_t *hit(uint64_t count)
{
  return count ? json_integer((json_int_t)count) : json_null();
}

/* Adds the best values at the marks, for simulators. */
static void add_marks(json_t *run, const bench_record *r)
{
  json_t *after = json_object();
  char name[16];
  if (isnan(r->start)) {
    json_decref(after);
    return;
  }
  for (size_t i = 0; i < BENCH_MARKS; i++) {
    snprintf(name, sizeof name, "%gp", bench_mark[i]);
    json_object_set_new(after, name, real(r->marks[i]));
  }
  json_object_set_new(run, "start", real(r->start));
  json_object_set_new(run, "best_after", after);
}

static json_t *run_json(const bench_task *task)
{
  const bench_record *r = &task->record;
  json_t *run = json_pack(
      "{s:I, s:s, s:o, s:o, s:I, s:o, s:f, s:f, s:I, s:I, s:o, s:o, s:I}",
      "seed", (json_int_t)task->seed, "outcome", r->outcome, "to_1e-3",
      hit(r->hits[0]), "to_1e-6", hit(r->hits[1]), "evaluations",
      (json_int_t)r->spent, "gap", real(r->gap), "seconds", r->seconds,
      "own_seconds", r->seconds - r->function_seconds, "outside",
      (json_int_t)r->outside, "rank", (json_int_t)r->rank, "bound",
      real(r->bound), "gradient", real(r->gradient), "small_gradient",
      (json_int_t)r->small_gradient);
  if (r->hits[2]) json_object_set_new(run, "to_1e-1", hit(r->hits[2]));
  if (r->hits[3]) json_object_set_new(run, "to_1e-5", hit(r->hits[3]));
  add_marks(run, r);
  return run;
}

static json_t *score_json(const bench_results *r, size_t c, size_t s)
{
  const bench_score *score = bench_score_at(r, c, s);
  json_t *runs = json_array();
  if (!score->able) {
    json_decref(runs);
    return json_pack("{s:s, s:b}", "solver", r->plan->specs[s], "able", 0);
  }
  for (size_t i = 0; i < score->runs; i++)
    json_array_append_new(runs, run_json(bench_task_at(r, c, s, i)));
  return json_pack("{s:s, s:b, s:o, s:o, s:I, s:I, s:o}", "solver",
                   r->plan->specs[s], "able", 1, "to_1e-3",
                   real(score->median[0]), "to_1e-6", real(score->median[1]),
                   "failed_1e-3", (json_int_t)score->failures[0], "failed_1e-6",
                   (json_int_t)score->failures[1], "runs", runs);
}

static json_t *case_json(const bench_results *r, size_t c)
{
  const bench_case *at = r->plan->cases[c];
  json_t *scores = json_array();
  for (size_t s = 0; s < r->plan->spec_count; s++)
    json_array_append_new(scores, score_json(r, c, s));
  return json_pack("{s:s, s:s, s:s, s:f, s:f, s:o}", "class",
                   bench_class_name(at->class), "label", at->label, "problem",
                   at->line, "noise", at->noise, "box", at->box, "scores",
                   scores);
}

static json_t *solvers_json(const bench_plan *plan)
{
  json_t *list = json_array();
  for (size_t s = 0; s < plan->spec_count; s++) {
    const bench_solver *solver = bench_solver_find(plan->specs[s]);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "solver", plan->specs[s], "family",
                        solver->family, "configuration", solver->config));
  }
  return list;
}

int bench_print_json(const bench_results *r)
{
  json_t *cases = json_array(), *seeds = json_array(), *all;
  for (size_t c = 0; c < r->plan->case_count; c++)
    json_array_append_new(cases, case_json(r, c));
  for (size_t i = 0; i < r->plan->seed_count; i++)
    json_array_append_new(seeds, json_integer((json_int_t)r->plan->seeds[i]));
  all = json_pack("{s:s, s:s, s:o, s:o, s:o}", "version", lrgd_version(),
                  "blas_kernels", bench_kernels(), "seeds", seeds, "solvers",
                  solvers_json(r->plan), "problems", cases);
  if (!all) bench_die("out of memory");
  (void)json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
  putchar('\n');
  json_decref(all);
  return 0;
}
