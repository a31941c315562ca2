/* Compares the first solver with the peers, class by class, in a few lines. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 16 };

typedef struct ratios {
  /* problems on which both the solver and a peer reached the target */
  size_t count;
  size_t lost, alone, nobody;
  double logs, worst;
  const char *worst_label;
} ratios;

static void add(ratios *sum, const bench_results *r, size_t c, size_t target)
{
  double ours = bench_score_at(r, c, 0)->median[target], ratio;
  const bench_score *peer = bench_best_peer(r, c, target, NULL);
  if (isinf(ours) || !peer) {
    sum->lost += isinf(ours) && peer ? 1 : 0;
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
  const bench_goals *goals = bench_class_goals(class);
  for (size_t g = 0; g < goals->count; g++) {
    size_t t = goals->target[g];
    ratios sum = {.count = 0};
    for (size_t c = 0; c < r->plan->case_count; c++)
      if (r->plan->cases[c]->class == class) add(&sum, r, c, t);
    if (sum.count + sum.lost + sum.alone + sum.nobody == 0) return;
    printf("  %-15s %.0e:", g == 0 ? bench_class_name(class) : "",
           bench_target[t]);
    print(&sum);
  }
}

/* ---- peer by peer ---- */

/* The evaluations that a peer needs to the target; where its runs did not reach
 * it, a lower bound: the smallest count at which one of them ended. */
static double need(const bench_results *r, size_t c, size_t s, size_t target,
                   bool *arrives)
{
  double least = INFINITY;
  if (!isinf(bench_score_at(r, c, s)->median[target]))
    return bench_score_at(r, c, s)->median[target];
  *arrives = false;
  for (size_t i = 0; i < r->plan->seed_count; i++) {
    const bench_record *record = &bench_task_at(r, c, s, i)->record;
    if (record->hits[target] == 0 && record->spent > 0)
      least = fmin(least, (double)record->spent);
  }
  return least;
}

/* Prints the geometric mean over a class of the evaluations of peer s divided
 * by ours. */
static void print_peer_class(const bench_results *r, size_t s,
                             bench_class class)
{
  const bench_goals *goals = bench_class_goals(class);
  const size_t target = goals->target[goals->count - 1];
  double logs = 0;
  size_t count = 0;
  bool arrives = true;
  for (size_t c = 0; c < r->plan->case_count; c++) {
    double ours = bench_score_at(r, c, 0)->median[target], theirs;
    if (r->plan->cases[c]->class != class || isinf(ours)) continue;
    if (!bench_score_at(r, c, s)->able) continue;
    theirs = need(r, c, s, target, &arrives);
    if (isinf(theirs)) continue;
    logs += log(theirs / ours);
    count++;
  }
  if (count > 0)
    printf(" %s%*.*f", arrives ? " " : ">", CELL - 2, r->plan->sweep ? 3 : 1,
           exp(logs / (double)count));
  else
    printf(" %*s", CELL - 1, "-");
}

static void print_peers(const bench_results *r)
{
  const bench_plan *plan = r->plan;
  bool used[BENCH_CLASSES] = {false};
  int width = 12;
  for (size_t s = 1; s < plan->spec_count; s++)
    if ((int)strlen(plan->specs[s]) > width)
      width = (int)strlen(plan->specs[s]);
  for (size_t c = 0; c < plan->case_count; c++)
    used[plan->cases[c]->class] = true;
  printf(
      "\n%s, evaluations to the last target in units of %s's (geometric means; "
      ">: it did not always\narrive, and what it had spent was taken):\n"
      "  %-*s",
      plan->sweep ? "Each value" : "Each peer", plan->specs[0], width, "");
  for (int class = 0; class < BENCH_SIMULATORS; class ++)
    if (used[class])
      printf(" %*s", CELL - 1, bench_class_name((bench_class) class));
  printf("\n");
  for (size_t s = 1; s < plan->spec_count; s++) {
    printf("  %-*s", width, plan->specs[s]);
    for (int class = 0; class < BENCH_SIMULATORS; class ++)
      if (used[class]) print_peer_class(r, s, (bench_class) class);
    printf("\n");
  }
}

void bench_print_summary(const bench_results *r)
{
  bool peers = false;
  if (r->plan->sweep) print_peers(r);
  for (size_t s = 0; s < r->plan->spec_count; s++)
    peers |= !bench_solver_is_ours(bench_solver_find(r->plan->specs[s]));
  if (!peers || !bench_solver_is_ours(bench_solver_find(r->plan->specs[0])))
    return;
  printf(
      "\nThe best peer of each problem needs so many times the evaluations "
      "of %s\n(geometric mean over the problems of a class):\n",
      r->plan->specs[0]);
  for (int class = 0; class < BENCH_SIMULATORS; class ++)
    print_class(r, (bench_class) class);
  print_peers(r);
}

/* ---- certificates of our runs to their own end ---- */

typedef struct claims {
  size_t runs, certified, hold, timed, on_time;
} claims;

/* Counts a certificate, and whether it came in time: at most 2 k + 30
 * evaluations after the first evaluated point at which |grad f| was half of the
 * tolerance. */
static void add_claim(claims *sum, const bench_record *r)
{
  sum->runs++;
  if (isnan(r->bound)) return;
  sum->certified++;
  sum->hold += r->gradient <= r->bound;
  if (r->small_gradient == 0) return;
  sum->timed++;
  sum->on_time += r->spent <= r->small_gradient + 2 * r->rank + 30;
}

void bench_print_claims(const bench_results *r)
{
  const bench_plan *plan = r->plan;
  printf(
      "\nRuns to their own end: certificates, those that hold, and those "
      "given within 2 k + 30\nevaluations of the first point with |grad f| "
      "<= tol/2\n(problems in a box apart: there |grad f| need not be "
      "small):\n");
  for (size_t s = 0; s < plan->spec_count; s++) {
    claims sum = {.runs = 0};
    if (!bench_solver_is_ours(bench_solver_find(plan->specs[s]))) continue;
    for (size_t c = 0; c < plan->case_count; c++)
      for (size_t i = 0;
           !bench_case_bounded(plan->cases[c]) && i < plan->seed_count; i++)
        add_claim(&sum, &bench_task_at(r, c, s, i)->record);
    printf("  %-12s %zu of %zu runs certified, %zu hold, %zu of %zu on time\n",
           plan->specs[s], sum.certified, sum.runs, sum.hold, sum.on_time,
           sum.timed);
  }
}
