/* The table of the policy, by which tests and benchmarks change a row. */
#include "base/policy_table.h"
#include "check.h"

#include <stdlib.h>

TEST("every row has a name of its own, a unit, a reason and a test")
{
  const lr_policy_row *row, *other;
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++) {
    check(*row->unit && *row->reason, "%s has a unit and a reason", row->name);
    check(strchr(row->test, '/') != NULL, "%s names a test", row->name);
    for (size_t j = 0; j < i && (other = lr_policy_row_at(j)); j++)
      check(strcmp(row->name, other->name) != 0, "one row is called %s",
            row->name);
  }
}

TEST("shares are between 0 and 1, all other numbers positive")
{
  const lr_policy_row *row;
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++) {
    bool share = strcmp(row->unit, "share") == 0;
    bool either = strcmp(row->unit, "switch") == 0;
    if (either)
      check(row->value == 0 || row->value == 1, "%s is off or on", row->name);
    else
      check(row->value > 0, "%s is positive", row->name);
    if (share) check(row->value < 1, "%s is less than 1", row->name);
  }
}

TEST("a row that is set by name is the one that the solver reads")
{
  double before = lr_policy_current()->pays_lead,
         next = lr_policy_current()->creep;
  check(lr_policy_set("pays_lead", 0.5), "there is a row pays_lead");
  check(lr_policy_current()->pays_lead == 0.5, "it has the value");
  check(lr_policy_current()->creep == next, "others are as they were");
  (void)lr_policy_set("pays_lead", before);
  check(!lr_policy_set("pays", 1), "a name must be whole");
}

TEST("the solver begins with the defaults")
{
  const lr_policy_row *row;
  const double *values = (const double *)lr_policy_current();
  if (getenv("LRGD_POLICY")) return;
  for (size_t i = 0; (row = lr_policy_row_at(i)); i++)
    check(values[i] == row->value, "%s is %g, not %g", row->name, values[i],
          row->value);
}
