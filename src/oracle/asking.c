/* What every call of the user's callbacks does. */
#include "oracle/asking.h"

#include "base/finite.h"
#include "space/vec.h"

#include <math.h>

void lr_asking_count(lr_oracle *o, lrgd_kind kind, lrgd_purpose why, uint64_t n)
{
  o->counts.evaluations[kind][why] += n;
}

const char lr_complaint_memory[] = "out of memory for derivatives of residuals";

lr_code lr_asking_returned(lr_oracle *o)
{
  (void)fesetenv(&o->session.fenv);
  const char *complaint = o->answers.complaint(o->answers.self);
  if (!complaint) return LR_GO;
  lrgd_status status =
      complaint == lr_complaint_memory ? LRGD_ERR_NOMEM : LRGD_ERR_ORACLE;
  return lr_oracle_fault(o, status, "%s", complaint);
}

uint64_t lr_asking_take_back(lr_oracle *o, lrgd_kind kind, lrgd_purpose why)
{
  if (!o->answers.unanswered) return 0;
  uint64_t none = o->answers.unanswered(o->answers.self);
  uint64_t *asked = &o->counts.evaluations[kind][why];
  *asked -= none < *asked ? none : *asked;
  return none;
}

lr_code lr_asking_judge(lr_oracle *o, lrgd_vec x, double f, bool finite)
{
  if (f == -INFINITY || lr_oracle_falls_for_ever(o, x, f))
    return lr_oracle_end(o, LRGD_OUTCOME_UNBOUNDED,
                         (lrgd_decision){.kind = LRGD_DECISION_KIND_UNBOUNDED,
                                         .value = lr_oracle_users(o, f)});
  if (finite && lr_finite(f)) {
    if (!(o->seen.f_scale > 0)) o->seen.f_scale = fabs(f);
    if (!(o->seen.x_scale > 0)) o->seen.x_scale = lr_scale_of(o->space, x);
    lr_oracle_read_digits(o, lr_oracle_users(o, f));
    o->refusals.same += f == o->refusals.first;
    if (!(f >= o->refusals.number)) return LR_GO;
    o->refusals.count++;
    return LR_NOVALUE;
  }
  /* an evaluation that a stop interrupted has no value, and did not fail */
  if (lr_oracle_agree(o, atomic_load(o->session.stop) != 0))
    return lr_oracle_end_stopped(o);
  o->counts.failures++;
  int64_t most = o->options->max_failures;
  if (most != LRGD_UNSET && o->counts.failures > (uint64_t)most)
    return lr_oracle_end(
        o, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_FAILURES_USED,
                        .count = o->counts.failures,
                        .limit = (double)most});
  return LR_NOVALUE;
}

/* ---- values ---- */

bool lr_asking_recalls(lr_oracle *o, lrgd_vec x, double *f)
{
  return o->listener.recall && o->listener.recall(o->listener.self, x, f);
}

void lr_asking_take_value(lr_oracle *o, double *f)
{
  lr_oracle_choose_unit(o, *f);
  *f = lr_oracle_own(o, *f);
}

uint64_t lr_oracle_left(const lr_oracle *o)
{
  uint64_t used = lrgd_counts_evaluations(&o->counts);
  int64_t most = o->options->max_evals;
  if (most == LRGD_UNSET) return UINT64_MAX;
  return (uint64_t)most > used ? (uint64_t)most - used : 0;
}
