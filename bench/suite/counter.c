/* Counts evaluations: every value counts one, whichever solver requests it and
 * whatever for.  Noise is added here; targets are judged by the value without
 * noise. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const double bench_target[BENCH_TARGETS] = {1e-3, 1e-6, 1e-1, 1e-5};
const double bench_mark[BENCH_MARKS] = {2.5, 4, 6.5, 8, 14.5, 16, 28.5, 30};

double bench_seconds(const struct timespec *since)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - since->tv_sec) +
         1e-9 * (double)(now.tv_nsec - since->tv_nsec);
}

/* Records the best value at every mark that the count has reached. */
static void note_marks(bench_counter *c, uint64_t count)
{
  double p = (double)c->problem->p;
  if (!c->simulator) return;
  while (c->marked < BENCH_MARKS && (double)count >= bench_mark[c->marked] * p)
    printf("mark %zu %.10g\n", c->marked++, c->best);
}

/* Called when a solver has ended by itself. */
void bench_end(bench_counter *c, const char *outcome)
{
  const bench_problem *problem = c->problem;
  double gap = (c->best - problem->minimum) / (problem->f0 - problem->minimum);
  note_marks(c, c->late ? c->count : UINT64_MAX);
  printf("end %s %" PRIu64 " %.6e %.6f %.6f %" PRIu64 " %zu\n", outcome,
         c->count, gap, bench_seconds(&c->started), c->function_seconds,
         c->outside, problem->p);
  fflush(stdout);
  _exit(0); /* inside a solver's code: nothing can be freed */
}

/* Gaussian noise from the generator of the problems: one draw for each
 * evaluation and each number returned. */
static double noise_at(const bench_counter *c, uint64_t number)
{
  uint64_t state = c->seed * UINT64_C(0x9e3779b97f4a7c15) + 4 * c->count +
                   number * UINT64_C(0xd1342543de82ef95);
  double u[2];
  for (uint64_t i = 0; i < 2; i++) {
    uint64_t v = (state + i) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    v = (v ^ (v >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    u[i] = (double)(((v ^ (v >> 29)) >> 11) + 1) * 0x1p-53;
  }
  return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

/* Whether x is within the bounds, up to rounding (1e-12 of the width). */
static bool within(const lrgd_problem *f, const double *x)
{
  for (size_t i = 0; f->lower && i < f->dimension; i++) {
    double slack = 1e-12 * (f->upper[i] - f->lower[i]);
    if (!(x[i] >= f->lower[i] - slack && x[i] <= f->upper[i] + slack))
      return false;
  }
  return true;
}

/* Writes reached targets at once, so that they are kept if the process is
 * terminated later. */
static void judge(bench_counter *c, double f)
{
  double gap = c->problem->f0 - c->problem->minimum;
  if (!(f < c->best)) return;
  c->best = f;
  while (c->reached < c->goals->count &&
         f - c->problem->minimum <=
             bench_target[c->goals->target[c->reached]] * gap) {
    printf("hit %zu %" PRIu64 "\n", c->goals->target[c->reached], c->count);
    c->reached++;
  }
  fflush(stdout);
  if (c->reached == c->goals->count && !c->to_end && !c->simulator)
    bench_end(c, "target");
}

static void watch_gradient(bench_counter *c, const double *x)
{
  double norm = bench_gradient_norm(c->problem, x, c->g);
  if (norm <= c->tol / 2) c->small_gradient = c->count;
}

static void begin_evaluation(bench_counter *c)
{
  if (c->count >= c->budget) bench_end(c, "budget");
  if (c->late) bench_end(c, "time");
  c->count++;
}

/* Handles the value of f at x: targets, marks, and the gradient if it is
 * watched. */
static void note_value(bench_counter *c, const double *x, double f)
{
  if (c->tol > 0 && c->small_gradient == 0) watch_gradient(c, x);
  if (within(&c->problem->f, x))
    judge(c, f);
  else
    c->outside++;
  note_marks(c, c->count);
}

/* f where residuals have noise: half the sum of squares of the noisy
 * residuals. */
static double noisy_squares(bench_counter *c, const double *x)
{
  double *r = malloc(c->problem->m * sizeof *r), sum = 0;
  if (!r) bench_die("no memory for %zu residuals", c->problem->m);
  lr_problem_residuals(c->problem->made, x, r);
  for (size_t i = 0; i < c->problem->m; i++) {
    r[i] += c->noise * noise_at(c, i);
    sum += r[i] * r[i];
  }
  free(r);
  return 0.5 * sum;
}

double bench_ask(bench_counter *c, const double *x)
{
  const lrgd_problem *problem = &c->problem->f;
  struct timespec before;
  double f;
  begin_evaluation(c);
  clock_gettime(CLOCK_MONOTONIC, &before);
  f = problem->value(problem->dimension, x, problem->user);
  c->function_seconds += bench_seconds(&before);
  note_value(c, x, f);
  if (!(c->noise > 0)) return f;
  return c->problem->m ? noisy_squares(c, x) : f + c->noise * noise_at(c, 0);
}

void bench_ask_residuals(bench_counter *c, const double *x, double *r)
{
  struct timespec before;
  double sum = 0;
  begin_evaluation(c);
  clock_gettime(CLOCK_MONOTONIC, &before);
  if (c->problem->scale) {
    const lrgd_problem *f = &c->problem->f;
    f->residuals(f->dimension, x, c->problem->m, r, f->user);
    c->function_seconds += bench_seconds(&before);
    note_value(c, x,
               bench_violation(c->problem, r) <= LRGD_FEASIBLE ? r[0] : NAN);
    return;
  }
  lr_problem_residuals(c->problem->made, x, r);
  c->function_seconds += bench_seconds(&before);
  for (size_t i = 0; i < c->problem->m; i++) sum += r[i] * r[i];
  note_value(c, x, 0.5 * sum);
  for (size_t i = 0; c->noise > 0 && i < c->problem->m; i++)
    r[i] += c->noise * noise_at(c, i);
}
