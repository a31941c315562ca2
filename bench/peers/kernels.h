/* The BLAS kernels that the peers run on. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

/* Sets the environment of processes started from now on: one BLAS thread and,
 * where OpenBLAS would choose its oldest kernels, the newest that this
 * processor supports. */
void bench_prepare_peers(void);

/* The name of the kernels that peers use, "unknown" where the BLAS does not
 * report it. */
const char *bench_kernels(void);

#endif
