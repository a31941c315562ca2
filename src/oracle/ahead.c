/* Evaluates points side by side before they are asked for one after the other:
 * in rounds of the run's width, or by the user's callback for residuals of
 * several points.  This file does not know who will ask for them. */
#include "oracle/oracle.h"

#include "space/vec.h"

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

bool lr_oracle_foresaw(const lr_oracle *o, lrgd_vec x, size_t *at)
{
  for (*at = o->ahead.taken; *at < o->ahead.known; ++*at)
    if (lr_same(o->space, (lrgd_vec){o->ahead.points, *at}, x)) return true;
  return false;
}

void lr_oracle_foresee(lr_oracle *o, size_t n)
{
  o->ahead.known = n;
}

bool lr_oracle_take_foreseen(lr_oracle *o, lrgd_vec x, double *f)
{
  size_t at;
  if (!lr_oracle_foresaw(o, x, &at)) return false;
  *f = o->ahead.f[at];
  o->ahead.taken = at + 1;
  return true;
}
