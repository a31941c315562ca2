/* An oracle outside a solver: what an analysis asks with.  Host doubles. */
#ifndef LR_RIG_H
#define LR_RIG_H

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

/* Checks problem and options as a solver would.  The rig must not move. */
LRGD_MUST_CHECK lrgd_status lr_standalone_oracle_init(
    lr_standalone_oracle *rig, const lrgd_problem *problem,
    const lrgd_options *options, lrgd_error *error);
void lr_standalone_oracle_clear(lr_standalone_oracle *rig);

static inline double *lr_standalone_oracle_data(lrgd_block *block,
                                                size_t column)
{
  return lrgd_host_data((lrgd_vec){block, column});
}

#endif
