/* The table of options, for the solver. */
#ifndef LR_OPTIONS_H
#define LR_OPTIONS_H

#include <lrgd/lrgd.h>
#include <stdbool.h>

/* Copies *from (which may come from another version's header, or be NULL) over
 * the defaults and checks every row's range. */
LRGD_MUST_CHECK lrgd_status lr_options_check(lrgd_options *to,
                                             const lrgd_options *from,
                                             lrgd_error *error);

/* Copies *from, which may come from another version's header. */
LRGD_MUST_CHECK lrgd_status lr_problem_take(lrgd_problem *to,
                                            const lrgd_problem *from,
                                            lrgd_error *error);

static inline bool lr_given(double option)
{
  return option != LRGD_UNSET_REAL;
}

#endif
