/* Probes outside a subspace, and the bounds they give. */
#ifndef LR_PROBE_H
#define LR_PROBE_H

#include "subspace/basis.h"

/* w = a fresh Gaussian vector made orthogonal to U and to everything outside
 * `domain` (NULL or empty: none), then scaled to norm one; *norm is the length
 * it had.  For unit u = w/|w| the number |w| * slope along u is N(0, |g_out|^2)
 * with g_out the part of the gradient outside U.  False: nothing is outside.
 * spare: a second vec. */
bool lr_probe_direction(lr_basis *U, lr_basis *domain, lrgd_vec w,
                        lrgd_vec spare, uint64_t seed, uint64_t stream,
                        double *norm);

/* |g_out| is at most this with confidence 1 - delta, from m probes whose
 * squares sum to S: S / |g_out|^2 is chi^2 with m degrees of freedom. */
double lr_probe_bound(double S, size_t m, double delta);

/* The share of the error probability that certificate number j = 1, 2, ... may
 * use, so that all together stay within delta: the sum of delta / (j (j + 1))
 * is delta. */
double lr_probe_share(double delta, uint64_t look);

#endif
