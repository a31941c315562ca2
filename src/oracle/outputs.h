/* Outputs of one evaluation, of which one is f and others have limits. */
#ifndef LR_OUTPUTS_H
#define LR_OUTPUTS_H

#include <lrgd/lrgd.h>

#include <stdbool.h>

typedef struct lr_outputs {
  lrgd_allocator allocator;
  size_t m, objective, limited; /* outputs; which is f; how many have limits */
  double sign;                  /* f is sign times the objective */
  double *lower, *upper;        /* m each, infinite: none */
  /* m: units of violations; where both limits are 0, the first outputs
   * determine them */
  double *scale;
  bool scaled;
  size_t rows;   /* rows of A x <= b */
  double *A, *b; /* rows x p, row after row */
} lr_outputs;

/* Checks limits for m outputs and p inputs. */
LRGD_MUST_CHECK lrgd_status lr_outputs_check(const lrgd_limits *limits,
                                             size_t m, size_t p,
                                             lrgd_error *error);
/* A copy; limits have been checked, or are NULL. */
LRGD_MUST_CHECK lrgd_status lr_outputs_init(lr_outputs *o,
                                            const lrgd_limits *limits, size_t m,
                                            size_t p, const lrgd_allocator *a);
void lr_outputs_clear(lr_outputs *o);

/* f of the outputs, NaN where one of them is not finite.  The first finite
 * outputs complete the scales. */
double lr_outputs_f(lr_outputs *o, const double *y);
/* Whether the scale of output i is its size at the start, as its limits are 0.
 */
bool lr_outputs_is_scaled_by_start(const lr_outputs *o, size_t i);
/* The largest violation in units of its scale, and of which output that is. */
double lr_outputs_violation(const lr_outputs *o, const double *y,
                            size_t *worst);
/* Whether outputs with this f and violation are better than others. */
bool lr_outputs_better(double f, double violation, double f_other,
                       double violation_other);

#endif
