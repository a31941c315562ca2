/* The first solver against the peers, class by class: what the issue is about
 * in a few lines. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ratios {
  size_t count; /* problems on which the solver and a peer arrived */
  size_t lost, alone, nobody;
  double logs, worst;
  const char *worst_label;
} ratios;

static void add(ratios *sum, const bench_results *r, size_t c, size_t target)
{
  double ours = bench_score_at(r, c, 0)->median[target], ratio;
  const bench_score *peer = bench_best_peer(r, c, target, NULL);
  if (isinf(ours) || !peer) {
    sum->lost += isinf(ours) && peer;
    sum->alone += !isinf(ours) && !peer;
    sum->nobody += isinf(ours) && !peer;
    return;
  }
  ratio = peer->median[target] / ours;
  sum->logs += log(ratio);
  if (sum->count++ > 0 && sum->worst <= ratio) return;
  sum->worst = ratio;
  sum->worst_label = r->plan->cases[c]->label;
}

static void print(const ratios *sum)
{
  if (sum->count > 0)
    printf(" %7.2f times, least %.2f (%s)", exp(sum->logs / (double)sum->count),
           sum->worst, sum->worst_label);
  if (sum->lost > 0) printf("; only peers arrive on %zu", sum->lost);
  if (sum->alone > 0) printf("; no peer arrives on %zu", sum->alone);
  if (sum->nobody > 0) printf("; nobody arrives on %zu", sum->nobody);
  printf("\n");
}

static void print_class(const bench_results *r, bench_class class)
{
  for (size_t t = 0; t < BENCH_TARGETS; t++) {
    ratios sum = {.count = 0};
    for (size_t c = 0; c < r->plan->case_count; c++)
      if (r->plan->cases[c]->class == class) add(&sum, r, c, t);
    if (sum.count + sum.lost + sum.alone + sum.nobody == 0) return;
    printf("  %-12s %.0e:", t == 0 ? bench_class_name(class) : "",
           bench_target[t]);
    print(&sum);
  }
}

void bench_print_summary(const bench_results *r)
{
  bool peers = false;
  for (size_t s = 0; s < r->plan->spec_count; s++)
    peers |= !bench_solver_is_ours(bench_solver_find(r->plan->specs[s]));
  if (!peers || !bench_solver_is_ours(bench_solver_find(r->plan->specs[0])))
    return;
  printf(
      "\nThe best peer of each problem needs so many times the evaluations "
      "of %s\n(geometric mean over the problems of a class):\n",
      r->plan->specs[0]);
  for (int class = 0; class < BENCH_CLASSES; class ++)
    print_class(r, (bench_class) class);
}
