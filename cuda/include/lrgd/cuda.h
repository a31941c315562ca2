/* lrgd/cuda.h: vectors in the memory of an NVIDIA GPU.
 *
 * A small library on top of lrgd/space.h; the core knows nothing of CUDA.
 * The solver's vectors never leave the card: callbacks get vecs, and launch
 * kernels on the numbers behind them.
 *
 *   lrgd_space *space = lrgd_cuda_space(p, LRGD_SCALAR_FLOAT, &error);
 *   lrgd_space_problem problem = lrgd_space_problem_default(space);
 *   problem.slopes = slopes;
 *   lrgd_solver_create_in(&solver, &problem, &options, &error);
 *   lrgd_solver_solve_in(solver, x, &result, &error);
 *
 * All work is done on the default stream of the device that is current when the
 * space is made, so that kernels of callbacks on that stream need no
 * synchronisation; a callback that uses another stream waits for it before it
 * returns.  Sums are made of parts in one order: a run gives the same bits
 * again, on any card.  One thread at a time may use a space. */
#ifndef LRGD_CUDA_H
#define LRGD_CUDA_H

#include <lrgd/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* p numbers a vector on the current device.  NULL, and why in error (may be
 * NULL): no device, no memory, p = 0 or above 2^31 - 1. */
LRGD_API lrgd_space *lrgd_cuda_space(size_t dimension, lrgd_scalar scalar,
                                     lrgd_error *error);

/* The numbers of one column, on the device (double* or float*). */
LRGD_API void *lrgd_cuda_data(lrgd_vec y);

/* From a column of a block to the next, in numbers: at least p, a multiple of
 * 64, so that every column begins where wide loads and the card's copy engine
 * may begin. */
LRGD_API size_t lrgd_cuda_stride(const lrgd_space *space);

/* What went wrong on the card since the space was made, or NULL: after a
 * failure sums are NaN, and the run ends. */
LRGD_API const char *lrgd_cuda_failure(const lrgd_space *space);

/* The name of the current device, copied into text. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_cuda_device(char *text, size_t size,
                                                      lrgd_error *error);

#ifdef __cplusplus
}
#endif
#endif
