/* Chooses the points of finite differences. */
#include "oracle/difference_points.h"

#include "oracle/difference_rules.h"

#include <math.h>

double lr_difference_hint(const lr_difference *D, size_t j)
{
  return D->curvature ? D->curvature[j * D->stride] : 0;
}

/* The signed step of length h, on the side where the box has room; the longest
 * possible where neither side has enough. */
static double choose_side(double h, double back, double ahead)
{
  if (ahead >= h) return h;
  if (back >= h) return -h;
  return ahead >= back ? ahead : -back;
}

/* The length of the step along direction j; unit: the size of x there. */
static double step_along(const lr_difference *D, size_t j, double unit)
{
  return lr_oracle_step(D->o, unit, D->at->f, lr_difference_hint(D, j));
}

static double place_coordinate(lr_difference *D, size_t i, size_t col,
                               double side)
{
  lr_oracle *o = D->o;
  lrgd_vec y = {o->room.points, col};
  o->space->ops->copy(o->space, y, D->at->x, 1);
  if (lr_oracle_boxed(o)) {
    double x, lower, upper, t;
    o->space->ops->get(o->space, D->at->x, i, 1, &x);
    o->space->ops->get(o->space, o->box.lower, i, 1, &lower);
    o->space->ops->get(o->space, o->box.upper, i, 1, &upper);
    /* relative to the width of the box where that is smaller */
    double h = side * step_along(D, i, fmin(D->scale, upper - lower));
    t = h > 0 ? choose_side(h, x - lower, upper - x)
              : -choose_side(-h, upper - x, x - lower);
    /* x + (upper - x) may exceed upper by a rounding error */
    double to = fmin(fmax(x + t, lower), upper);
    o->space->ops->put(o->space, y, i, 1, &to);
    return to - x;
  }
  return o->space->ops->add_at(o->space, y, i,
                               side * step_along(D, i, D->scale));
}

static double place_direction(lr_difference *D, size_t j, size_t col,
                              double side)
{
  lr_oracle *o = D->o;
  lrgd_vec y = {o->room.points, col}, u = {D->U.block, D->U.col + j};
  double h = side * step_along(D, j, D->scale), t = h;
  if (lr_oracle_boxed(o)) {
    double back, ahead;
    o->space->ops->max_step(o->space, D->at->x, u, o->box, &back, &ahead);
    t = h > 0 ? choose_side(h, back, ahead) : -choose_side(-h, ahead, back);
    if (lr_difference_is_cut(o->policy, t, h)) {
      /* at a bound a dense direction may have room on neither side: drop its
       * coordinates at bounds */
      lrgd_vec held = {o->room.dir, 0};
      o->space->ops->copy(o->space, held, u, 1);
      o->space->ops->zero_near_bounds(o->space, held, D->at->x, o->box,
                                      fabs(h));
      u = held;
      t = h;
    }
  }
  lr_oracle_place(o, y, D->at->x, u, 1, &t);
  if (lr_oracle_boxed(o)) (void)o->space->ops->clip(o->space, y, o->box);
  return t;
}

double lr_difference_place(lr_difference *D, size_t j, size_t col, double side)
{
  return D->U.block ? place_direction(D, j, col, side)
                    : place_coordinate(D, j, col, side);
}

/* Places the point at the distance t, which fits the box, along input or
 * direction i. */
static double place_at(lr_difference *D, size_t i, size_t col, double t)
{
  lr_oracle *o = D->o;
  lrgd_vec y = {o->room.points, col};
  if (D->U.block) {
    o->space->ops->axpy_into(o->space, y, D->at->x,
                             (lrgd_vec){D->U.block, D->U.col + i}, t);
    return t;
  }
  o->space->ops->copy(o->space, y, D->at->x, 1);
  return o->space->ops->add_at(o->space, y, i, t);
}

size_t lr_difference_place_both(lr_difference *D, size_t j, size_t col,
                                double t[2])
{
  t[0] = lr_difference_place(D, j, col, 1);
  size_t placed = t[0] != 0;
  t[1] = lr_difference_place(D, j, col + placed, -1);
  if (t[1] == t[0]) t[1] = 0;
  if (t[0] != 0 && t[1] == 0 && (!D->U.block || D->o->plane))
    t[1] = place_at(D, j, col + placed, 0.5 * t[0]);
  return placed + (t[1] != 0);
}
