/* The right BLAS kernels for this processor. */
#ifndef CLI_BLAS_H
#define CLI_BLAS_H

/* Debian's OpenBLAS does not know newer Intel processors and then runs
 * kernels made for 2004, four times slower.  Where that is so, restarts the
 * program once with OPENBLAS_CORETYPE set; otherwise does nothing. */
void blas_choose_kernels(char **argv);

/* The kernels in use, "unknown" where the BLAS does not tell. */
const char *blas_kernels(void);

#endif
