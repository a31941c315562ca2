/* The points of finite differences: on which side of the point, how far, never
 * outside the box. */
#ifndef LR_DIFFERENCE_POINTS_H
#define LR_DIFFERENCE_POINTS_H

#include "oracle/oracle.h"

/* Differences at one point along several directions.  */
typedef struct lr_difference {
  lr_oracle *o;
  lr_point *at;
  lrgd_vec U;              /* directions; U.block NULL: the coordinates */
  const double *curvature; /* see lr_oracle_slopes_hinted; NULL: unknown */
  size_t stride;           /* 0: one curvature for all directions */
  /* a gradient whose signs show which coordinates are active; block NULL: all
   * derivatives are measured */
  lrgd_vec known;
  /* true: measure the multipliers of active coordinates, false: all others */
  bool held;
  /* where derivatives that are not measured are copied from; block NULL: none
   * are */
  lrgd_vec kept;
  double scale;  /* the size of x */
  size_t wanted; /* number of derivatives to be measured */
  size_t asked; /* of these, evaluated: 0 where the box leaves no room at all */
  size_t flat;  /* derivatives that failed and were set to zero */
  lr_errors errors; /* errors of these derivatives */
} lr_difference;

/* The curvature hint for direction j. */
double lr_difference_hint(const lr_difference *D, size_t j);

/* Places the point of direction j on the given side, in column `col` of the
 * batch; returns the signed step to it, 0 where the box leaves no room. */
double lr_difference_place(lr_difference *D, size_t j, size_t col, double side);

/* Places both points of the j-th two-sided difference, into column `col` and
 * the next: t[0] is the step ahead and t[1] the step back, 0 where there is no
 * room.  Where an input has room on one side only, both points are on that
 * side. Returns how many points there are. */
size_t lr_difference_place_both(lr_difference *D, size_t j, size_t col,
                                double t[2]);

#endif
