/* LR_WIDE in front of a function: compiled once for each width of vector
 * registers, and the one that suits the processor is chosen when the program is
 * loaded.  For loops over many numbers that compute more than they load.
 * Results do not depend on the width: sums are not reordered, products and
 * sums not fused (-ffp-contract=off).
 *
 * What such a function calls in its loops must become part of it: LR_INSIDE.
 *
 * Needs a loader that knows indirect functions; sanitizers do not like them.
 * LR_NARROW: one width only, which tests compare with. */
#ifndef LR_WIDE_H
#define LR_WIDE_H

#include <stdlib.h> /* says whether this is glibc */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define LR_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LR_SANITIZED
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(LR_SANITIZED) &&     \
    !defined(LR_NARROW)
#define LR_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LR_WIDE
#endif

#if defined(__CUDACC__) /* on a GPU the function is also part of kernels, with \
                           the same results */
#define LR_INSIDE static inline __host__ __device__
#elif defined(__GNUC__)
#define LR_INSIDE static inline __attribute__((always_inline))
#else
#define LR_INSIDE static inline
#endif

#endif
