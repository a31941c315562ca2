/* Potential flow around a closed curve in the plane, by straight panels, each
 * with a constant source, and one vortex strength for all (Hess and Smith,
 * 1967; as in Moran, An Introduction to Theoretical and Computational
 * Aerodynamics, 1984).
 *
 * Numbers are complex so that a tiny imaginary part carries a derivative along
 * (the complex step); its square must be lost in rounding. */
#ifndef LR_PANELS_H
#define LR_PANELS_H

#include <complex.h>
#include <stddef.h>

enum { LR_PANELS_MOST = 200 };

/* Scratch numbers that lr_panels_speed needs. */
size_t lr_panels_room(size_t n);

/* The tangential speeds at the middles of n panels between the nodes (x, y),
 * n + 1 of them clockwise from the trailing edge along the lower side, the last
 * where the first is, in a wind of speed 1 at angle alpha; the flow leaves the
 * trailing edge smoothly (Kutta).  0: the panels give no flow (two nodes
 * coincide, say). */
int lr_panels_speed(size_t n, const double complex *x, const double complex *y,
                    double alpha, double complex *speed, double complex *room);

#endif
