/* The BLAS kernels that the peers run on. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

/* For the processes started from now on: one BLAS thread and, where OpenBLAS
 * would choose its oldest kernels, the newest that this processor can run. */
void bench_prepare_peers(void);

/* Those they run on, "unknown" where the BLAS does not tell. */
const char *bench_kernels(void);

#endif
