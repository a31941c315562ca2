/* The numbers of the policy, without their reasons. */
#include "base/policy.h"

static const lr_policy defaults = {
#define LR_POLICY_DEFAULT(name, value, unit, reason, test) .name = (value),
    LR_POLICY(LR_POLICY_DEFAULT)};

const lr_policy *lr_policy_current(void)
{
  return &defaults;
}
