/* An oracle outside a solver: what an analysis asks with.  Host doubles. */
#ifndef LR_RIG_H
#define LR_RIG_H

#include "oracle/oracle.h"
#include "subspace/basis.h"

typedef struct lr_rig {
  lrgd_allocator allocator;
  lrgd_options options;
  lr_host_answers *host;
  lrgd_space *space;
  lrgd_block *bounds;
  lr_oracle oracle;
  atomic_int stop;
} lr_rig;

/* Checks problem and options as a solver would.  The rig must not move. */
LRGD_MUST_CHECK lrgd_status lr_rig_init(lr_rig *rig,
                                        const lrgd_problem *problem,
                                        const lrgd_options *options,
                                        lrgd_error *error);
void lr_rig_clear(lr_rig *rig);

static inline double *lr_rig_data(lrgd_block *block, size_t column)
{
  return lrgd_host_data((lrgd_vec){block, column});
}

#endif
