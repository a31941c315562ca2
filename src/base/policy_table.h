/* The policy by name, and with rows that can be changed: for tests, benchmarks
 * and the page of parameters.  Not part of the libraries: linked in front of
 * the core, it stands for base/policy.c. */
#ifndef LR_POLICY_TABLE_H
#define LR_POLICY_TABLE_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lr_policy_row {
  const char *room; /* the part of the source that uses the row */
  const char *name;
  double value; /* the default */
  const char *unit, *reason, *test;
} lr_policy_row;

/* NULL after the last. */
const lr_policy_row *lr_policy_row_at(size_t i);

/* False: no row has that name. */
bool lr_policy_set(const char *name, double value);

#endif
