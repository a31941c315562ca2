/* Programs answer 1e10, or the like, where they cannot evaluate f.  Taken for
 * values such answers would make slopes, curvatures and noise. */
#include "base/options.h"
#include "oracle/oracle.h"

#include <math.h>

/* Whether the highest of all answers to trials, for the times-th time at
 * another point, is no value.  Twice is enough where it is a thousand times as
 * far above the first as any other, or as that is large; thrice where it is ten
 * times as far, or where values have too many digits to be alike by chance.
 * (Losses saturate, and symmetric functions repeat themselves; both do so with
 * values that are no more than others.) */
static bool is_no_value(const lr_sentinel *r, bool many_digits)
{
  double far = r->top - r->first;
  double others = fmax(r->next - r->first, fabs(r->first));
  if (!(others > 0) || r->times < 2) return false;
  if (far > 1000 * others) return true;
  return r->times > 2 && (far > 10 * others || many_digits);
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
  r->times += norm != r->norm; /* the same point tells nothing */
  r->norm = norm;
  if (!is_no_value(r, o->seen.digits >= LR_MANY)) return false;
  r->number = f;
  r->count++;
  if (o->listener.refused) o->listener.refused(o->listener.self, f);
  return true;
}

bool lr_oracle_began_refused(const lr_oracle *o, double lowest)
{
  enum { SAME = 5 };
  const lr_sentinel *r = &o->refusals;
  double high = fmax(r->next, lowest);
  return r->same >= SAME && r->top == r->first &&
         r->first - high > 10 * (fabs(high) + high - lowest);
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
