/* The counter: every value asked for counts one, whoever asks and whatever
 * for.  Noise is added here, and targets are judged without it. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

const double bench_target[BENCH_TARGETS] = {1e-3, 1e-6};
const double bench_mark[BENCH_MARKS] = {2.5, 4, 6.5, 8, 14.5, 16, 28.5, 30};

double bench_seconds(const struct timespec *since)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - since->tv_sec) +
         1e-9 * (double)(now.tv_nsec - since->tv_nsec);
}

/* Notes the best value at every mark that count has come to. */
static void note_marks(bench_counter *c, uint64_t count)
{
  double p = (double)c->problem->p;
  if (!c->simulator) return;
  while (c->marked < BENCH_MARKS && (double)count >= bench_mark[c->marked] * p)
    printf("mark %zu %.10g\n", c->marked++, c->best);
}

/* A solver that has ended by itself stays where it is. */
void bench_end(bench_counter *c, const char *outcome)
{
  const bench_problem *problem = c->problem;
  double gap = (c->best - problem->minimum) / (problem->f0 - problem->minimum);
  note_marks(c, c->late ? c->count : UINT64_MAX);
  printf("end %s %" PRIu64 " %.6e %.6f %.6f %" PRIu64 "\n", outcome, c->count,
         gap, bench_seconds(&c->started), c->function_seconds, c->outside);
  fflush(stdout);
  _exit(0); /* from the middle of anybody's code: nothing is torn down */
}

/* Gaussian by the same generator as the problems, one draw per evaluation. */
static double noise_at(const bench_counter *c)
{
  uint64_t state = c->seed * UINT64_C(0x9e3779b97f4a7c15) + 4 * c->count;
  double u[2];
  for (uint64_t i = 0; i < 2; i++) {
    uint64_t v = (state + i) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    v = (v ^ (v >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    u[i] = (double)(((v ^ (v >> 29)) >> 11) + 1) * 0x1p-53;
  }
  return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

/* A rounding beyond a bound is none: a part in 1e12 of the width. */
static bool within(const lrgd_problem *f, const double *x)
{
  for (size_t i = 0; f->lower && i < f->dimension; i++) {
    double slack = 1e-12 * (f->upper[i] - f->lower[i]);
    if (!(x[i] >= f->lower[i] - slack && x[i] <= f->upper[i] + slack))
      return false;
  }
  return true;
}

/* Hits are written at once: they stay if the process is stopped later. */
static void judge(bench_counter *c, double f)
{
  double gap = c->problem->f0 - c->problem->minimum;
  if (!(f < c->best)) return;
  c->best = f;
  while (c->reached < BENCH_TARGETS &&
         f - c->problem->minimum <= bench_target[c->reached] * gap) {
    printf("hit %zu %" PRIu64 "\n", c->reached, c->count);
    c->reached++;
  }
  fflush(stdout);
  if (c->reached == BENCH_TARGETS && !c->to_end && !c->simulator)
    bench_end(c, "target");
}

static void watch_gradient(bench_counter *c, const double *x)
{
  double norm = bench_gradient_norm(c->problem, x, c->g);
  if (norm <= c->tol / 2) c->small_gradient = c->count;
}

double bench_ask(bench_counter *c, const double *x)
{
  const lrgd_problem *problem = &c->problem->f;
  struct timespec before;
  double f;
  if (c->count >= c->budget) bench_end(c, "budget");
  if (c->late) bench_end(c, "time");
  c->count++;
  clock_gettime(CLOCK_MONOTONIC, &before);
  f = problem->value(problem->dimension, x, problem->user);
  c->function_seconds += bench_seconds(&before);
  if (c->tol > 0 && c->small_gradient == 0) watch_gradient(c, x);
  if (within(problem, x))
    judge(c, f);
  else
    c->outside++;
  note_marks(c, c->count);
  return c->noise > 0 ? f + c->noise * noise_at(c) : f;
}
