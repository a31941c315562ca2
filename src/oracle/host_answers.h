/* The adaptor of an lrgd_problem, shared by host_problem.c and
 * residual_answers.c. */
#ifndef LR_HOST_ANSWERS_H
#define LR_HOST_ANSWERS_H

#include "oracle/answers.h"

#include <string.h>

/* Residuals of a batch of n points, of which the first `taken` have been
 * used. */
typedef struct lr_ahead {
  size_t most, n, taken;
  double *x; /* p x n */
  double *r; /* m x n, and the canary below */
} lr_ahead;

struct lr_host_answers {
  lrgd_problem problem;
  lrgd_allocator allocator;
  lrgd_complex *complex_x; /* scratch for the complex step */
  /* scratch for checks: a copy of x, and an output with the canary below */
  double *copy;
  lr_loss loss;
  lr_known_rows known;   /* prior information */
  lr_outputs outputs;    /* limits, where residuals are outputs: m > 0 */
  lr_random_field field; /* coordinates of the inputs */
  /* the last residuals: those of the callback, then the known ones, then the
   * canary below */
  double *residuals;
  lr_ahead ahead;
  /* residuals known from another run, borrowed, or NULL; anew: not used */
  const lr_known_vectors *vectors;
  bool anew;
  /* derivatives of the residuals with the canary: J, m x p by rows as the user
   * writes it, or of `slopes` columns */
  double *derivatives;
  double *by_columns;      /* J, m x p by columns */
  size_t columns;          /* room for so many slopes */
  double *lowest;          /* the residuals of the lowest f */
  double lowest_f;         /* the lowest f; NaN: there is none */
  double lowest_violation; /* the violation of the limits there */
  const char *complaint;
};

/* The canary, a number after an output buffer: a callback that changes it has
 * written past the end. */
static const double lr_canary = 0x1.5a5a5a5a5a5a5p+77;

static inline size_t lr_host_dimension(const lr_host_answers *host)
{
  return host->problem.dimension;
}

/* Before and after a callback: whether it changed x is found by a copy. */
static inline const double *lr_guard_before(lr_host_answers *host, lrgd_vec x)
{
  const double *data = lrgd_host_data(x);
  if (host->copy)
    memcpy(host->copy, data, lr_host_dimension(host) * sizeof *data);
  return data;
}

static inline void lr_guard_after(lr_host_answers *host, const double *x)
{
  if (!host->copy) return;
  if (memcmp(host->copy, x, lr_host_dimension(host) * sizeof *x) != 0)
    host->complaint = "a callback changed x, which it may only read";
}

#endif
