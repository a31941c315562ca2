/* Minimisers of other packages, in a process of lrgd-bench, where that is
 * installed. */
#ifndef CLI_PEER_H
#define CLI_PEER_H

#include "cli/base/cli.h"

/* A minimiser that lrgd-bench may have. */
typedef struct cli_peer {
  const char *name, *family;
  bool usual;  /* is run where no methods are named */
  bool bounds; /* supports bounds */
} cli_peer;

size_t peers_count(void);
const cli_peer *peers_at(size_t index);
const cli_peer *peers_find(const char *name); /* NULL: there is none */

/* The problem of a peer, and its start. */
typedef struct cli_peer_task {
  const lrgd_problem *problem; /* answers values */
  const double *start;
  double noise;
  uint64_t seed, most; /* values */
  double target;       /* NaN: none */
  /* NULL, or a flag that is checked before each value: nonzero stops the
   * peer */
  volatile int *stop;
} cli_peer_task;

typedef enum cli_peer_end {
  PEER_ENDED,  /* by its own stopping rule */
  PEER_BUDGET, /* its budget is spent, or the target reached */
  PEER_STOPPED,
  PEER_MISSING /* lrgd-bench is not installed, or has no such peer */
} cli_peer_end;

cli_peer_end peer_run(const cli_peer *peer, const cli_peer_task *task);

#endif
