/* Chooses the BLAS kernels of the peers: they are processes of their own, and
 * OpenBLAS reads its variables when they start.  What is measured of lrgd has
 * no BLAS in it. */
#include "kernels.h"

#include "blas.h"

#include <stdlib.h>
#include <string.h>

static const char *kernels = "unknown";

void bench_prepare_peers(void)
{
  if (lr_blas_need(NULL) == LRGD_OK) kernels = lr_blas.kernels;
  /* this process may have had an OpenBLAS before: GSL is linked with one */
  const char *better = lr_blas_better(kernels);
  if (better != NULL) kernels = better;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (strcmp(kernels, "unknown") != 0) setenv("OPENBLAS_CORETYPE", kernels, 1);
}

const char *bench_kernels(void)
{
  return kernels;
}
