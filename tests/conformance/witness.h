/* witness.h: a function that remembers what it was asked, and runs that know
 * what was paid for before.  For the tests of learning. */
#ifndef WITNESS_H
#define WITNESS_H

#include <lrgd/lrgd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef enum ask { ASK_VALUE, ASK_BATCH, ASK_SLOPES, ASK_GRADIENT, ASKS } ask;
typedef struct witness {
  const lrgd_problem *f;
  const double *lower, *upper;
  size_t count, room, outside;
  lrgd_evaluation *asked; /* owned, with what they point to */
  double shift;           /* is added to every value */
  double noise;           /* uniform, up to so much, of every value */
  double target;
  size_t reached; /* how many until one was at most the target; 0: none */
} witness;

static double *copied(const double *x, size_t p)
{
  double *y = malloc(p * sizeof *y);
  if (!y) abort();
  memcpy(y, x, p * sizeof *y);
  return y;
}

/* In [-1, 1), a number for each call. */
static double shake(uint64_t call)
{
  uint64_t z = (call + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static lrgd_evaluation *remember(witness *w, const double *x, double *f)
{
  size_t p = w->f->dimension;
  bool out = false;
  if (w->count == w->room) {
    w->room = w->room > 0 ? 2 * w->room : 256;
    w->asked = realloc(w->asked, w->room * sizeof *w->asked);
    if (!w->asked) abort();
  }
  for (size_t i = 0; i < p; i++)
    out |= (w->lower && x[i] < w->lower[i]) || (w->upper && x[i] > w->upper[i]);
  w->outside += out;
  *f += w->shift + w->noise * shake(w->count);
  lrgd_evaluation *e = &w->asked[w->count++];
  *e = (lrgd_evaluation){.x = copied(x, p), .f = *f};
  if (w->reached == 0 && *f <= w->target) w->reached = w->count;
  return e;
}

static double ask_value(size_t p, const double *x, void *user)
{
  witness *w = user;
  double f = w->f->value(p, x, w->f->user);
  (void)remember(w, x, &f);
  return f;
}

static void ask_values(size_t p, size_t m, const double *X, double *f,
                       void *user)
{
  for (size_t i = 0; i < m; i++) f[i] = ask_value(p, X + i * p, user);
}

static double ask_slopes(size_t p, const double *x, size_t k, const double *U,
                         double *d, void *user)
{
  witness *w = user;
  double f = w->f->slopes(p, x, k, U, d, w->f->user), told = f;
  for (size_t j = 0; j < k; j++) {
    told = f;
    lrgd_evaluation *e = remember(w, x, &told);
    e->direction = copied(U + j * p, p);
    e->slope = d[j];
  }
  return told;
}

static double ask_gradient(size_t p, const double *x, double *g, void *user)
{
  witness *w = user;
  double f = w->f->gradient(p, x, g, w->f->user);
  remember(w, x, &f)->gradient = copied(g, p);
  return f;
}

static lrgd_problem watch(witness *w, const lrgd_problem *f, ask kind)
{
  lrgd_problem seen = lrgd_problem_default(f->dimension);
  *w = (witness){
      .f = f, .lower = f->lower, .upper = f->upper, .target = -INFINITY};
  seen.lower = f->lower;
  seen.upper = f->upper;
  seen.user = w;
  if (kind == ASK_VALUE) seen.value = ask_value;
  if (kind == ASK_BATCH) seen.values = ask_values;
  if (kind == ASK_SLOPES) seen.slopes = ask_slopes;
  if (kind == ASK_GRADIENT) seen.gradient = ask_gradient;
  return seen;
}

static void forget(witness *w)
{
  for (size_t i = 0; i < w->count; i++) {
    free((void *)w->asked[i].x);
    free((void *)w->asked[i].direction);
    free((void *)w->asked[i].gradient);
  }
  free(w->asked);
  *w = (witness){0};
}

/* ---- runs ---- */

typedef struct told {
  size_t n;
  const lrgd_evaluation *known;
  int verify;
} told;

/* x: p numbers, in the start, out the end. */
static lrgd_status run(const lrgd_problem *seen, const lrgd_options *o,
                       told what, double *x, lrgd_result *result,
                       lrgd_error *error)
{
  lrgd_solver *solver;
  *result = (lrgd_result){.f = NAN};
  *error = (lrgd_error){LRGD_OK, ""};
  lrgd_status status = lrgd_solver_create(&solver, seen, o, error);
  if (status != LRGD_OK) return status;
  status = lrgd_solver_learn(solver, what.n, what.known, what.verify, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(solver, x, x, result, error);
  (void)lrgd_solver_destroy(&solver);
  return status;
}

static double lowest(const witness *w, size_t n)
{
  double f = INFINITY;
  for (size_t i = 0; i < n; i++) f = fmin(f, w->asked[i].f);
  return f;
}

#endif
