/* The slopes that a run measured, collected while it is replayed. */
#ifndef CLI_SLOPES_H
#define CLI_SLOPES_H

#include "cli/base/cli.h"

/* Whole gradients (thinned where there are very many), and as many slopes along
 * other directions as fit. */
typedef struct cli_slopes {
  size_t p;
  /* whole gradients, and their points: p numbers each */
  double *gradients, *places;
  /* how much noise 1 in f adds to the norm of each gradient */
  double *blur;
  size_t gradient_count, gradient_room;
  size_t stride, gradient_seen; /* every stride-th gradient is stored */
  size_t gradient_lost;         /* in noise */
  /* single slopes: direction (of length one), value, number of the base; a
   * difference over `length` is the slope half way along it */
  double *directions, *slope, *length;
  size_t *base;
  size_t slope_count, slope_room;
  double *bases;
  size_t base_count, base_room;
  struct slopes_now *now; /* the gradient that is being assembled */
} cli_slopes;

/* NULL without memory. */
cli_slopes *slopes_create(size_t p);
void slopes_free(cli_slopes *slopes);

/* Adds the value f at x.  Where x is close to an earlier point, their
 * difference is a slope there: a solver without derivatives evaluates such
 * points. */
void slopes_value(cli_slopes *slopes, const double *x, double f);
/* The slope d at x along u, of any length. */
void slopes_slope(cli_slopes *slopes, const double *x, const double *u,
                  double d);
void slopes_gradient(cli_slopes *slopes, const double *x, const double *g);
/* Ends the collection and removes slopes and gradients that noise of this size
 * explains. */
void slopes_end(cli_slopes *slopes, double noise);

#endif
