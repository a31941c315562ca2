/* Prior information: linear residuals that are known, so that they need no
 * evaluation and their derivatives are exact. */
#ifndef LR_KNOWN_ROWS_H
#define LR_KNOWN_ROWS_H

#include <lrgd/lrgd.h>

typedef struct lr_known_rows {
  lrgd_allocator allocator;
  size_t count, p;
  size_t *begin, *input;
  /* coefficients and targets, times the weight of their row */
  double *coefficient, *target;
} lr_known_rows;

/* Checks the rows for p inputs. */
LRGD_MUST_CHECK lrgd_status lr_known_rows_check(const lrgd_prior *prior,
                                                size_t p, lrgd_error *error);

/* A copy with its weights multiplied in; prior has been checked, or is NULL. */
LRGD_MUST_CHECK lrgd_status lr_known_rows_init(lr_known_rows *rows,
                                               const lrgd_prior *prior,
                                               size_t p,
                                               const lrgd_allocator *a);
void lr_known_rows_clear(lr_known_rows *rows);

/* r = the residuals at x. */
void lr_known_rows_at(const lr_known_rows *rows, const double *x, double *r);

/* y = their derivatives along the vector with entries scale[i] u[i]; scale
 * NULL: 1 each. */
void lr_known_rows_along(const lr_known_rows *rows, const double *scale,
                         const double *u, double *y);

/* g[i] = scale[i] times the i-th entry of A'r, A being the rows. */
void lr_known_rows_back(const lr_known_rows *rows, const double *scale,
                        const double *r, double *g);

#endif
