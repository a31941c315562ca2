/* Chooses the BLAS kernels of the peers.  They run in processes of their own,
 * in which OpenBLAS reads its environment variables; lrgd itself uses no BLAS
 * here. */
#include "kernels.h"

#include "blas.h"

#include <stdlib.h>
#include <string.h>

static const char *kernels = "unknown";

void bench_prepare_peers(void)
{
  if (lr_blas_need(NULL) == LRGD_OK) kernels = lr_blas.kernels;
  /* GSL is linked with OpenBLAS, so that this process may have loaded it
   * already */
  const char *better = lr_blas_better(kernels);
  if (better != NULL) kernels = better;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (strcmp(kernels, "unknown") != 0) setenv("OPENBLAS_CORETYPE", kernels, 1);
}

const char *bench_kernels(void)
{
  return kernels;
}
