/* Coordinates in a box: z_i from -1 at the lower bound to 1 at the upper. */
#ifndef LR_FRAME_H
#define LR_FRAME_H

#include "solver/iterate.h"

typedef struct lr_frame {
  lr_run *run;
  size_t p;
  double *lower, *upper, *x;
  double *z; /* p numbers of scratch for the user of the frame */
} lr_frame;

/* good: the box is finite and has an interior. */
LRGD_MUST_CHECK lr_code lr_frame_open(lr_frame *f, lr_run *run, bool *good);
void lr_frame_close(lr_frame *f); /* safe on a zeroed struct */

void lr_frame_from(const lr_frame *f, lrgd_vec x, double *z);
void lr_frame_to(const lr_frame *f, const double *z, lrgd_vec x);

#endif
