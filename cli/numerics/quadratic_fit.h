/* A quadratic in few variables, fitted to slopes: the slope along a at z is
 * a'(g + B z). */
#ifndef CLI_QUADRATIC_H
#define CLI_QUADRATIC_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_quadratic {
  size_t r, unknowns, rows;
  double *theta;  /* g, then the rows of B's upper triangle */
  double *normal; /* unknowns x unknowns */
  double *row;
  double least;  /* shorter gradients have less weight */
  double weight; /* weight of the next slope that is added; z and d are scaled
                    by it */
  double power, left; /* the sum of squared slopes, and of the residuals */
} cli_quadratic;

/* In r variables; false: no memory.  Free it in any case. */
bool quadratic_make(cli_quadratic *q, size_t r);
void quadratic_free(cli_quadratic *q);

/* Adds a slope; solves; then adds up, slope by slope, the squared residuals in
 * left. */
void quadratic_add(cli_quadratic *q, const double *a, const double *z,
                   double d);
bool quadratic_solve(cli_quadratic *q);
void quadratic_check(cli_quadratic *q, const double *a, const double *z,
                     double d);

/* B, r x r; g = the gradient at z. */
void quadratic_hessian(const cli_quadratic *q, double *B);
void quadratic_gradient(const cli_quadratic *q, const double *B,
                        const double *z, double *g);

/* Steps of length 1/L that gradient descent takes from z = 0 until the
 * gradient is as short as reached; NaN where that is not known. */
double quadratic_descent(const cli_quadratic *q, const double *B,
                         double reached);

#endif
