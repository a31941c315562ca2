/* The step of a surrogate: the minimum of m(x) - kappa s(x) within a ball
 * around the best point and the box [-1, 1]^p, by spectral projected gradients.
 */
#ifndef LR_BALL_STEP_H
#define LR_BALL_STEP_H

#include "surrogate/gaussian_process.h"

typedef struct lr_ball {
  const double *centre;
  double radius;
} lr_ball;

/* Numbers of scratch that the search needs. */
size_t lr_ball_step_room(size_t p);

/* x: where the search begins; becomes the lowest point it found. */
void lr_ball_step(const lr_gp *g, const lr_ball *ball, double kappa, double *x,
                  double *work);

#endif
