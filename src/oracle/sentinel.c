/* Sentinels: large numbers, such as 1e10, that programs return where they
 * cannot evaluate f. Such a number must not enter derivatives, curvatures or
 * the noise. */
#include "base/options.h"
#include "oracle/oracle.h"

#include <math.h>

bool lr_sentinel_found(const lr_policy *P, const lr_sentinel *r,
                       bool many_digits)
{
  double far = r->top - r->first;
  double others = fmax(r->next - r->first, fabs(r->first));
  if (!(others > 0) || r->times < 2) return false;
  if (far > P->sentinel_twice * others) return true;
  return r->times > 2 && (far > P->sentinel_thrice * others || many_digits);
}

bool lr_oracle_refuses(lr_oracle *o, lrgd_vec x, double f)
{
  lr_sentinel *r = &o->refusals;
  double norm = 0;
  if (isnan(r->first)) {
    r->first = r->top = f;
    r->next = -INFINITY;
  }
  if (f < r->top) r->next = fmax(r->next, f);
  if (!(f >= r->top) || !(f > r->first)) return false;
  (void)o->space->ops->measure(o->space, x, &norm);
  if (f > r->top) {
    r->next = r->top;
    r->top = f;
    r->times = 0;
    r->norm = -1;
  }
  /* the same answer counts again only at a point with another norm */
  r->times += norm != r->norm;
  r->norm = norm;
  bool many = o->seen.digits >= (int)o->policy->many_digits;
  if (!lr_sentinel_found(o->policy, r, many)) return false;
  r->number = f;
  r->count++;
  if (o->listener.refused) o->listener.refused(o->listener.self, f);
  return true;
}

bool lr_oracle_began_refused(const lr_oracle *o, double lowest)
{
  const lr_policy *P = o->policy;
  const lr_sentinel *r = &o->refusals;
  double high = fmax(r->next, lowest);
  return (double)r->same >= P->sentinel_start_same && r->top == r->first &&
         r->first - high > P->sentinel_start * (fabs(high) + high - lowest);
}

void lr_oracle_begin_at(lr_oracle *o, lr_point *start, lrgd_vec x, double f)
{
  double refused = start->f;
  o->space->ops->copy(o->space, start->x, x, 1);
  lr_oracle_know(o, start, f);
  o->refusals = (lr_sentinel){
      .first = f, .top = f, .next = -INFINITY, .number = refused, .count = 1};
  o->seen.f_scale = fabs(f);
  o->differences.noise = lr_given(o->options->noise) ? o->options->noise : 0;
}
