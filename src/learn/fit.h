/* What known evaluations say of f around the lowest of them: a quadratic along
 * the few directions in which they have seen it bend. */
#ifndef LR_FIT_H
#define LR_FIT_H

#include "learn/known.h"

typedef struct lr_fit {
  lrgd_allocator allocator;
  size_t p, q; /* inputs, directions */
  double *V;   /* p x q, orthonormal */
  double *g;   /* q: derivatives along them at the lowest point */
  double *B;   /* q x q: second derivatives, `room` numbers a column */
  size_t room;
  double *partial;  /* p: derivatives along the inputs that are known at the
                       lowest point, NaN where they are not; NULL: none is */
  double reach;     /* a distance over which data were seen */
  double steepness; /* |grad f| at the first evaluation, about; 0: not known */
  bool newton;      /* the last step there was one of quasi-Newton */
  bool quadratic;   /* an exact quadratic explains all data best */
  bool gradient_first; /* a whole gradient is known at the first evaluation */
  bool embedding;      /* an embedding was at work, or was never tried */
} lr_fit;

/* The fit at evaluation `lowest`, of at most `most` directions; values are off
 * by noise.  q is 0 where too little is known. */
LRGD_MUST_CHECK lrgd_status lr_fit_init(lr_fit *fit, const lr_known *known,
                                        size_t lowest, size_t most,
                                        double noise);
void lr_fit_clear(lr_fit *fit); /* frees; safe on a zeroed struct */

#endif
