/* The slopes that a run measured, collected while it is replayed. */
#ifndef CLI_SLOPES_H
#define CLI_SLOPES_H

#include "cli/base/cli.h"

/* Whole gradients as they come (thinned where there are very many), and of
 * slopes along other directions as many as fit. */
typedef struct cli_slopes {
  size_t p;
  /* whole gradients, and where they are of: p numbers each */
  double *gradients, *places;
  double *blur; /* of each: how much longer noise of size 1 in f makes it */
  size_t gradient_count, gradient_room;
  size_t stride, gradient_seen; /* every stride-th is kept */
  size_t gradient_lost;         /* in noise */
  /* single slopes: direction (of length one), value, number of the base; a
   * difference over `length` is the slope half way along it */
  double *directions, *slope, *length;
  size_t *base;
  size_t slope_count, slope_room;
  double *bases;
  size_t base_count, base_room;
  struct slopes_now *now; /* what is being put together */
} cli_slopes;

/* NULL without memory. */
cli_slopes *slopes_create(size_t p);
void slopes_free(cli_slopes *slopes);

/* f was told at x.  Where x is close to a point told before, that is a slope
 * there: a solver that is given values makes its slopes so. */
void slopes_value(cli_slopes *slopes, const double *x, double f);
/* The slope d at x along u, of any length. */
void slopes_slope(cli_slopes *slopes, const double *x, const double *u,
                  double d);
void slopes_gradient(cli_slopes *slopes, const double *x, const double *g);
/* No more will come.  What is no more than this noise of f is forgotten. */
void slopes_end(cli_slopes *slopes, double noise);

#endif
