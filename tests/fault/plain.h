/* A small bowl of known rank, and the shortest way to a solver for it. */
#ifndef PLAIN_H
#define PLAIN_H

#include <lrgd/lrgd.h>
#include <stdlib.h>

#include "check.h"

enum { PLAIN_P = 6, PLAIN_METHODS = LRGD_METHOD_QUASI_NEWTON + 1 };

/* f = sum over i < 3 of (i + 1) (x_i - 1)^2: rank 3, minimum 0. */
static inline double plain_gradient(size_t p, const double *x, double *g,
                                    void *user)
{
  double sum = 0;
  if (user) ++*(int *)user;
  for (size_t i = 0; i < p; i++) {
    double weight = i < 3 ? (double)i + 1 : 0;
    sum += weight * (x[i] - 1) * (x[i] - 1);
    if (g) g[i] = 2 * weight * (x[i] - 1);
  }
  return sum;
}

static inline double plain_value(size_t p, const double *x, void *user)
{
  return plain_gradient(p, x, NULL, user);
}

static inline double plain_slopes(size_t p, const double *x, size_t k,
                                  const double *U, double *d, void *user)
{
  double f = plain_value(p, x, user);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p && i < 3; i++)
      d[j] += U[j * p + i] * 2 * ((double)i + 1) * (x[i] - 1);
  }
  return f;
}

/* calls (may be NULL) counts the callbacks. */
static inline lrgd_problem plain(int *calls)
{
  lrgd_problem problem = lrgd_problem_default(PLAIN_P);
  problem.value = plain_value;
  problem.slopes = plain_slopes;
  problem.user = calls;
  return problem;
}

static inline lrgd_options plain_options(int method)
{
  lrgd_options o = lrgd_options_default();
  o.method = method;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED) o.rank = 3;
  return o;
}

/* Status of creating a solver and solving; the sentence is kept. */
static char plain_sentence[512];

static inline lrgd_status plain_run(const lrgd_problem *problem,
                                    const lrgd_options *o, double *x,
                                    lrgd_result *result)
{
  lrgd_error error = {LRGD_OK, ""};
  lrgd_status status = lrgd_minimize(problem, o, x, result, &error);
  memcpy(plain_sentence, error.text, sizeof plain_sentence);
  return status;
}

#endif
