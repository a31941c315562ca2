/* Limits on evaluations: only finite points inside the bounds are evaluated,
 * and a function that is unbounded below ends the run. */
#include "oracle/oracle.h"

#include "space/place.h"
#include "space/vec.h"

#include <math.h>

void lr_oracle_set_bounds(lr_oracle *o, lrgd_box bounds)
{
  o->given = o->box = bounds;
}

void lr_oracle_contain(lr_oracle *o, lrgd_vec x)
{
  const lrgd_space_ops *ops = o->space->ops;
  lrgd_vec inside = {o->room.dir, 3};
  if (!o->given.lower.block) return;
  ops->copy(o->space, inside, x, 1); /* clip() also moves points near a bound */
  if (ops->clip(o->space, inside, o->given) > 0)
    ops->copy(o->space, x, inside, 1);
}

void lr_oracle_place(lr_oracle *o, lrgd_vec y, lrgd_vec x, lrgd_vec U, size_t k,
                     const double *c)
{
  bool finite = lr_place(o->space, y, x, U, k, c);
  /* in mapped coordinates another point is evaluated, which may overflow */
  o->room.finite = finite && !o->fold.lower.block ? y : (lrgd_vec){NULL, 0};
}

bool lr_oracle_admit(lr_oracle *o, lrgd_vec x)
{
  double norm;
  lrgd_vec placed = o->room.finite;
  o->room.finite.block = NULL;
  lr_oracle_contain(o, x);
  if (placed.block == x.block && placed.col == x.col) return true;
  return o->space->ops->measure(o->space, x, &norm) != 0;
}

/* Whether a coordinate is larger than `far`, with no bound ahead of it. */
static bool runs_away(lr_oracle *o, lrgd_vec x, double far)
{
  const lrgd_space_ops *ops = o->space->ops;
  lrgd_box box = o->given;
  double at[LR_FEW], bound;
  for (size_t i = 0, n; (n = lr_few(o->space, i)) > 0; i += n) {
    ops->get(o->space, x, i, n, at);
    for (size_t j = 0; j < n; j++) {
      lrgd_vec ahead = at[j] > 0 ? box.upper : box.lower;
      if (!(fabs(at[j]) > far)) continue;
      if (!box.lower.block) return true;
      ops->get(o->space, ahead, i + j, 1, &bound);
      if (isinf(bound)) return true;
    }
  }
  return false;
}

bool lr_oracle_falls_for_ever(lr_oracle *o, lrgd_vec x, double f)
{
  const lr_policy *P = o->policy;
  double depth = P->unbounded_depth * o->seen.f_scale;
  if (!(o->seen.f_scale > 0) || !(f < -depth)) return false;
  /* the objective may be unbounded outside the limits */
  if (o->answers.outputs) return false;
  return runs_away(o, x, P->unbounded_distance * fmax(o->seen.x_scale, 1));
}

void lr_oracle_show(lr_oracle *o, lrgd_vec y, lrgd_vec x)
{
  if (!o->fold.lower.block) {
    o->space->ops->copy(o->space, y, x, 1);
    return;
  }
  o->space->ops->map_to_box(o->space, y, x, o->fold);
  lr_oracle_contain(o, y); /* rounding at a large bound may leave the box */
}

lrgd_vec lr_oracle_shown(lr_oracle *o, lrgd_vec x)
{
  lrgd_vec y = {o->room.dir, 2};
  if (!o->fold.lower.block) return x;
  lr_oracle_show(o, y, x);
  return y;
}
