/* Points that will be asked for one after the other, evaluated side by side
 * before: in rounds of the run's width, or by the user's callback for residuals
 * of several points.  Who will ask for them is not known here. */
#include "oracle/difference_points.h"
#include "oracle/oracle.h"

#include "base/finite.h"
#include "base/memory.h"
#include "space/vec.h"

enum { MOST = 64 }; /* points ahead: their memory is p numbers each */

lrgd_status lr_oracle_init_ahead(lr_oracle *o)
{
  const lr_answers *a = &o->answers;
  bool by_value = (a->value || a->values) && !a->slopes && !a->gradient;
  if (o->width == 1 || !by_value || a->residuals) return LRGD_OK;
  o->ahead.room = o->width < MOST ? o->width : MOST;
  o->ahead.points = o->space->ops->make(o->space, o->ahead.room);
  o->ahead.f = lr_alloc(&o->allocator, o->ahead.room, sizeof *o->ahead.f);
  return o->ahead.points && o->ahead.f ? LRGD_OK : LRGD_ERR_NOMEM;
}

void lr_oracle_clear_ahead(lr_oracle *o)
{
  if (o->ahead.points) o->space->ops->free(o->space, o->ahead.points);
  lr_free(&o->allocator, o->ahead.f);
}

bool lr_oracle_begin_plan(lr_oracle *o)
{
  o->ahead.planned = o->ahead.known = o->ahead.taken = 0;
  return o->answers.ask_ahead != NULL || o->ahead.points != NULL;
}

bool lr_oracle_plan(lr_oracle *o, lrgd_vec x)
{
  bool own = o->ahead.points != NULL;
  size_t most = own ? o->ahead.room : o->answers.most_ahead;
  size_t n = o->ahead.planned;
  if (!own && most > o->room.batch) most = o->room.batch;
  if (n >= most) return false;
  lrgd_vec y = {own ? o->ahead.points : o->room.points, n};
  o->space->ops->copy(o->space, y, x, 1);
  if (!own && !lr_oracle_admit(o, y)) return false;
  o->ahead.planned++;
  return true;
}

bool lr_oracle_plan_slope(lr_oracle *o, lr_point *at, lrgd_vec u, double c)
{
  lr_difference D = {.o = o, .at = at, .U = u, .curvature = &c, .stride = 1};
  double t[2];
  size_t n = 1;
  if (!lr_finite(at->f)) return false;
  D.scale = lr_oracle_scale(o, at);
  if (o->differences.two_sided)
    n = lr_difference_place_both(&D, 0, 0, t);
  else
    n = lr_difference_place(&D, 0, 0, 1) != 0;
  for (size_t i = 0; i < n; i++)
    if (!lr_oracle_plan(o, (lrgd_vec){o->room.points, i})) return false;
  return true;
}

lr_code lr_oracle_ask_planned(lr_oracle *o, lrgd_purpose why)
{
  size_t n = o->ahead.planned;
  uint64_t left = lr_oracle_left(o);
  if (n > left) n = (size_t)left;
  if (n < 2) return LR_GO; /* one point is asked for by itself */
  if (!o->ahead.points) return lr_oracle_ask_ahead(o, n, why);
  lrgd_vec X = {o->ahead.points, 0};
  LR_TRY(lr_oracle_ask_values(o, X, n, why, o->ahead.f));
  o->ahead.known = n;
  return LR_GO;
}

bool lr_oracle_foresaw(const lr_oracle *o, lrgd_vec x, size_t *at)
{
  for (*at = o->ahead.taken; *at < o->ahead.known; ++*at)
    if (lr_same(o->space, (lrgd_vec){o->ahead.points, *at}, x)) return true;
  return false;
}

bool lr_oracle_take_foreseen(lr_oracle *o, lrgd_vec x, double *f)
{
  size_t at;
  if (!lr_oracle_foresaw(o, x, &at)) return false;
  *f = o->ahead.f[at];
  o->ahead.taken = at + 1;
  return true;
}
