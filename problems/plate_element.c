/* Stiffness of the element, by Gauss's three points in each direction: exact,
 * the integrand has degree four in each. */
#include "plate_element.h"

#include <math.h>
#include <stddef.h>

/* Second derivatives of the twelve functions at (s, t) in [-1, 1]^2, with
 * respect to x and y: w_xx, w_yy, w_xy.  s0 = s s_c and t0 = t t_c for the
 * corner c at (s_c, t_c), a half a side; from
 *   (1 + s0)(1 + t0)(2 + s0 + t0 - s^2 - t^2) / 8          for w,
 *   a s_c (1 + s0)^2 (s0 - 1)(1 + t0) / 8 and likewise in t  for the slopes. */
static void curvatures(double s, double t, double a,
                       double C[LR_PLATE_FREEDOMS][3])
{
  for (size_t c = 0; c < 4; c++) {
    double sc = c & 1 ? 1 : -1, tc = c & 2 ? 1 : -1;
    double s0 = s * sc, t0 = t * tc, (*at)[3] = &C[3 * c];
    at[0][0] = -0.75 * s0 * (1 + t0) / (a * a);
    at[0][1] = -0.75 * t0 * (1 + s0) / (a * a);
    at[0][2] = sc * tc * (4 - 3 * s * s - 3 * t * t) / (8 * a * a);
    at[1][0] = sc * (6 * s0 + 2) * (1 + t0) / (8 * a);
    at[1][1] = 0;
    at[1][2] = tc * (3 * s0 * s0 + 2 * s0 - 1) / (8 * a);
    at[2][0] = 0;
    at[2][1] = tc * (6 * t0 + 2) * (1 + s0) / (8 * a);
    at[2][2] = sc * (3 * t0 * t0 + 2 * t0 - 1) / (8 * a);
  }
}

void lr_plate_element(double side, double nu,
                      double K[LR_PLATE_FREEDOMS][LR_PLATE_FREEDOMS])
{
  const double at[3] = {-sqrt(0.6), 0, sqrt(0.6)};
  const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  double a = side / 2, C[LR_PLATE_FREEDOMS][3];
  for (int i = 0; i < LR_PLATE_FREEDOMS; i++)
    for (int j = 0; j < LR_PLATE_FREEDOMS; j++) K[i][j] = 0;
  for (int point = 0; point < 9; point++) {
    double area = a * a * weight[point / 3] * weight[point % 3];
    curvatures(at[point / 3], at[point % 3], a, C);
    for (int i = 0; i < LR_PLATE_FREEDOMS; i++)
      for (int j = 0; j < LR_PLATE_FREEDOMS; j++)
        K[i][j] += area * (C[i][0] * C[j][0] + C[i][1] * C[j][1] +
                           nu * (C[i][0] * C[j][1] + C[i][1] * C[j][0]) +
                           2 * (1 - nu) * C[i][2] * C[j][2]);
  }
}
