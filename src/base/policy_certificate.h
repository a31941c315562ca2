/* Rows of the policy (base/policy.h): when a bound on the gradient is believed.
 */
#ifndef LR_POLICY_CERTIFICATE_H
#define LR_POLICY_CERTIFICATE_H

/* clang-format off */

#define LR_POLICY_CERTIFICATE(X) \
  X(certificate_error, 2, "x error of a derivative", \
    "that a certificate adds for each direction in V: the error follows from " \
    "a mean curvature, and single directions bend more", \
    "unit/certificate-rules") \
  X(repeat_looks, 3, "certificates", \
    "whose probes and shares of the error are used at once, where the first " \
    "left it open: 8 probes leave a factor of two, 24 one of 1.4", \
    "unit/certificate-rules") \
  X(repeat_estimate, 0.75, "share", \
    "of the tolerance, below which |g| must be estimated for these to be " \
    "likely to succeed", \
    "unit/certificate-rules") \
  X(repeat_price, 0.3, "x p evaluations", \
    "that they may cost: a gradient costs p and more", \
    "unit/certificate-rules") \
  X(near_bounds, 0.125, "share", \
    "of the coordinates that may be too near a bound for two-sided " \
    "differences; with more, a gradient is cheaper than one difference each", \
    "unit/certificate-rules") \
  X(weak_multipliers, 0.5, "share", \
    "of the coordinates that may be measured one by one because their " \
    "multipliers may have changed sign: a gradient costs 2 p", \
    "unit/certificate-rules") \
  X(truncation_of_bound, 0.3, "share", \
    "of a bound above the tolerance; where truncation is more, it is " \
    "measured, to see whether f is smooth", \
    "unit/certificate-rules") \
  X(longer_noise, 0.5, "x variance of the noise", \
    "taken off the change of a gradient over longer steps: on average noise " \
    "makes up all of it and more, and half is safe", \
    "unit/certificate-rules") \
  X(longer_change, 0.5, "share", \
    "of the bound for convex f; a gradient that changes more over steps of " \
    "twice the length is one of an f that is not smooth", \
    "unit/certificate-rules") \
  X(longer_errors, 3, "x error by noise", \
    "such a change must be larger, or noise may have made it", \
    "unit/certificate-rules") \
  X(longer_truncation, 0.5, "share", \
    "of that change which is taken for truncation: of a smooth f it is a third", \
    "unit/certificate-rules") \
  X(longer_falls, 0.7, "x bound for convex f", \
    "over steps of twice the length; of a convex f it never falls, and one " \
    "that oscillates within a step halves it", \
    "unit/certificate-rules") \
  X(longer_doubles, 1.8, "x bound for convex f", \
    "over steps of twice the length; where it grows less, f is no cubic over " \
    "these steps, and nothing better than the bound is known", \
    "unit/certificate-rules") \
  X(finer_truncation, 0.1, "share", \
    "of the tolerance that truncation of a noisy difference becomes by " \
    "shorter steps, where it decides: it falls by the square of the length", \
    "unit/certificate-rules") \
  X(finer_noise, 0.25, "share", \
    "of the tolerance that noise may become over these steps: it grows by " \
    "their inverse", \
    "unit/certificate-rules") \
  X(finer_least, 1.25, "times", \
    "by which steps must become shorter: less is not worth a look", \
    "unit/certificate-rules") \
  X(smooth_change, 0.1, "share", \
    "of the decrease so far; where a gradient changes f by more along one " \
    "difference, f may oscillate within it, and a bound means nothing", \
    "unit/certificate-rules") \
  X(start_gradient, 0.1, "share", \
    "of the first gradient, from which a tolerance that nobody gave was taken; " \
    "where the gradient at the start is known to be smaller, that one was " \
    "error, and the start is a minimum as far as differences can tell", \
    "unit/certificate-rules") \
  X(close_looks, 3, "times", \
    "that a run which has stalled may measure the gradient at its end", \
    "unit/certificate-rules") \
  X(close_price, 0.5, "x evaluations so far", \
    "that one such gradient may cost", \
    "unit/certificate-rules") \
  X(start_price, 2, "x evaluations so far", \
    "that the first one may cost where f was nowhere lower than at the start: " \
    "two-sided differences of all inputs after a run that measured them once", \
    "unit/certificate-rules") \
  X(start_evaluations, 2000, "evaluations", \
    "that it may cost there in any case: quasi-Newton would take as many to " \
    "find that there is no descent", \
    "unit/certificate-rules") \
  X(close_noise, 0.5, "share", \
    "of a gradient seen before that noise may make of the next one, where the " \
    "last one was certified to be smaller: its steps hid something", \
    "unit/certificate-rules") \
  X(close_change, 3, "x error of f", \
    "by which f may change along the next differences where the last ones met " \
    "a lower value", \
    "unit/certificate-rules")

/* clang-format on */

#endif
