/* Directional derivatives and gradients from the cheapest callback that the
 * user has given: derivatives, gradients, or finite differences of values.
 * This file does not count evaluations. */
#include "oracle/oracle.h"

#include "base/finite.h"

lr_code lr_oracle_slopes(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                         lrgd_purpose why, double *d)
{
  return lr_oracle_slopes_hinted(o, at, U, k, why, NULL, d);
}

lr_code lr_oracle_slopes_hinted(lr_oracle *o, lr_point *at, lrgd_vec U,
                                size_t k, lrgd_purpose why, const double *c,
                                double *d)
{
  if (k == 0) return LR_GO;
  if (o->answers.slopes) {
    LR_TRY(lr_oracle_ask_slopes(o, at, U, k, why, d));
  } else if (o->answers.gradient) {
    LR_TRY(lr_oracle_ask_gradient(o, at, why));
    o->space->ops->dot(o->space, U, k, (lrgd_vec){o->room.dir, 1}, d);
    if (!lr_all_finite(d, k)) return LR_NOVALUE;
  } else {
    LR_TRY(lr_oracle_differences(o, at, U, k, why, c, d));
  }
  o->counts.oracle_calls[why] += k;
  return LR_GO;
}

/* Assembles the gradient from p derivatives along the coordinates, a batch at a
 * time. */
static lr_code gradient_from_slopes(lr_oracle *o, lr_point *at, lrgd_vec g,
                                    lrgd_purpose why)
{
  size_t p = o->space->dimension;
  LR_TRY(lr_oracle_afford(o, p));
  for (size_t first = 0; first < p; first += o->room.batch) {
    size_t m = p - first < o->room.batch ? p - first : o->room.batch;
    for (size_t j = 0; j < m; j++) {
      lrgd_vec e = {o->room.points, j};
      o->space->ops->scale(o->space, e, 0);
      (void)o->space->ops->add_at(o->space, e, first + j, 1);
    }
    LR_TRY(lr_oracle_ask_slopes(o, at, (lrgd_vec){o->room.points, 0}, m, why,
                                o->room.values));
    o->space->ops->put(o->space, g, first, m, o->room.values);
  }
  return LR_GO;
}

lr_code lr_oracle_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                           lrgd_purpose why, double c)
{
  double norm;
  if (o->answers.gradient) {
    LR_TRY(lr_oracle_ask_gradient(o, at, why));
    o->space->ops->copy(o->space, g, (lrgd_vec){o->room.dir, 1}, 1);
  } else if (o->answers.slopes) {
    LR_TRY(gradient_from_slopes(o, at, g, why));
  } else {
    LR_TRY(lr_oracle_coordinate_differences(o, at, g, why, c));
  }
  o->counts.oracle_calls[why] += o->space->dimension;
  return o->space->ops->measure(o->space, g, &norm) ? LR_GO : LR_NOVALUE;
}
