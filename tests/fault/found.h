/* A bowl along two of 40 directions, and a count of what is asked of it. */
#ifndef FOUND_H
#define FOUND_H

#include <lrgd/lrgd.h>

#include "check.h"

enum { P = 40 };

typedef struct asked {
  size_t calls, outside;
  double lower, upper; /* counted against */
  int fail_at;         /* this call answers NaN; 0: none */
} asked;

static inline void look(asked *a, size_t p, const double *x)
{
  a->calls++;
  for (size_t i = 0; i < p; i++)
    a->outside += !(x[i] >= a->lower && x[i] <= a->upper);
}

/* A bowl along two directions. */
static inline double bowl_gradient(size_t p, const double *x, double *g)
{
  double s[2] = {-3, 1};
  for (size_t i = 0; i < p; i++) s[i % 2] += x[i];
  for (size_t i = 0; i < p; i++) g[i] = 2 * s[i % 2] / 10;
  return (s[0] * s[0] + s[1] * s[1]) / 10;
}

static inline double value(size_t p, const double *x, void *user)
{
  asked *a = user;
  double g[P];
  look(a, p, x);
  if ((size_t)a->fail_at == a->calls) return NAN;
  return bowl_gradient(p, x, g);
}

static inline double slopes(size_t p, const double *x, size_t k,
                            const double *U, double *d, void *user)
{
  double g[P], f = bowl_gradient(p, x, g);
  look(user, p, x);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += g[i] * U[j * p + i];
  }
  return f;
}

static inline asked everywhere(void)
{
  return (asked){.lower = -INFINITY, .upper = INFINITY};
}

static inline lrgd_problem problem_of(asked *a, bool by_slopes)
{
  lrgd_problem problem = lrgd_problem_default(P);
  if (by_slopes)
    problem.slopes = slopes;
  else
    problem.value = value;
  problem.user = a;
  return problem;
}

static inline lrgd_result solved(const lrgd_problem *problem,
                                 const lrgd_options *o, double *x)
{
  lrgd_result result = {.f = NAN};
  lrgd_error error = {.text = ""};
  check(lrgd_minimize(problem, o, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  return result;
}

#endif
