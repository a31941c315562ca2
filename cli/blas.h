/* The right BLAS kernels for this processor. */
#ifndef CLI_BLAS_H
#define CLI_BLAS_H

/* Debian's OpenBLAS does not know newer Intel processors and then runs
 * kernels made for 2004, four times slower.  Where that is so, restarts the
 * program once with OPENBLAS_CORETYPE set; otherwise does nothing. */
void blas_choose_kernels(char **argv);

/* The kernels in use, "unknown" where the BLAS does not tell. */
const char *blas_kernels(void);

/* One thread from now on: sums are rounded in another order by two, and a run
 * that a journal keeps goes on wherever there are more processors or fewer.
 * (Programs that are started do not see it.) */
void blas_be_one(void);

#endif
