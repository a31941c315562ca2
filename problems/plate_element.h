/* The rectangular element of a thin plate that bends (Adini, Clough and Melosh;
 * Zienkiewicz and Taylor, The Finite Element Method): at each corner the
 * deflection w and its slopes w_x and w_y, twelve cubic functions in all. */
#ifndef LR_PLATE_ELEMENT_H
#define LR_PLATE_ELEMENT_H

enum { LR_PLATE_FREEDOMS = 12 };

/* K such that u' K u = integral of w_xx^2 + w_yy^2 + 2 nu w_xx w_yy +
 * 2 (1 - nu) w_xy^2 over a square of this side, for stiffness 1.  Corners are
 * (0,0), (1,0), (0,1), (1,1), three numbers each: w, w_x, w_y. */
void lr_plate_element(double side, double nu,
                      double K[LR_PLATE_FREEDOMS][LR_PLATE_FREEDOMS]);

#endif
