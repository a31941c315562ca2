/* An oracle outside a solver, for analyses.  Host doubles. */
#ifndef LR_STANDALONE_ORACLE_H
#define LR_STANDALONE_ORACLE_H

#include "oracle/oracle.h"
#include "subspace/basis.h"

typedef struct lr_standalone_oracle {
  lrgd_allocator allocator;
  lrgd_options options;
  lr_host_answers *host;
  lrgd_space *space;
  lrgd_block *bounds;
  lr_oracle oracle;
  atomic_int stop;
} lr_standalone_oracle;

/* Checks problem and options as a solver would.  The oracle must not be moved
 * in memory. */
LRGD_MUST_CHECK lrgd_status lr_standalone_oracle_init(
    lr_standalone_oracle *standalone, const lrgd_problem *problem,
    const lrgd_options *options, lrgd_error *error);
void lr_standalone_oracle_clear(lr_standalone_oracle *standalone);

static inline double *lr_standalone_oracle_data(lrgd_block *block,
                                                size_t column)
{
  return lrgd_host_data((lrgd_vec){block, column});
}

#endif
