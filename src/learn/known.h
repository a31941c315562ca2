/* Known evaluations: of the same function, from an earlier path of the same
 * journal or from another run, in the order in which they were made. The model
 * fitted to them: fit.h. */
#ifndef LR_KNOWN_H
#define LR_KNOWN_H

#include "base/policy.h"

#include <lrgd/lrgd.h>
#include <stdbool.h>

/* The derivatives that an evaluation gave besides the value. */
typedef enum lr_known_kind {
  LR_KNOWN_VALUE,   /* a value without a derivative */
  LR_KNOWN_SLOPE,   /* the derivative along a unit vector */
  LR_KNOWN_GRADIENT /* the gradient */
} lr_known_kind;

typedef struct lr_known {
  lrgd_allocator allocator;
  const lr_policy *policy; /* the numbers it decides by */
  size_t p, n;             /* inputs, evaluations */
  double *x;               /* p numbers each */
  double *f;               /* all finite */
  double *v;           /* p numbers each: direction or gradient; NULL: none */
  double *d;           /* derivatives along the directions */
  unsigned char *kind; /* lr_known_kind */
  size_t *table;       /* hash table of the points: index + 1, or 0; `slots` of
                          them, a power of two */
  size_t slots;
} lr_known;

/* Copies those of n evaluations whose numbers are finite; where they exceed the
 * memory for them, the last ones and the lowest. */
LRGD_MUST_CHECK lrgd_status lr_known_init(lr_known *known,
                                          const lrgd_allocator *a, size_t p,
                                          size_t n,
                                          const lrgd_evaluation *evaluations);
void lr_known_clear(lr_known *known); /* frees; safe on a zeroed struct */

/* The evaluation at exactly this point; known->n where there is none. */
size_t lr_known_find(const lr_known *known, const double *x);

/* Whether evaluation i is between the bounds, of which either may be NULL. */
bool lr_known_inside(const lr_known *known, size_t i, const double *lower,
                     const double *upper);

/* The evaluation with the lowest value between the bounds (either may be NULL);
 * known->n where there is none. */
size_t lr_known_lowest(const lr_known *known, const double *lower,
                       const double *upper);

/* The point to start at where evaluation i is the lowest: the base point of i,
 * if i is a finite difference along an input, as a gradient is known at the
 * base and f is nearly as low there; the first evaluation, if i is a finite
 * difference away from it and hardly lower; else i.  Also i where that point is
 * outside the bounds. */
size_t lr_known_base(const lr_known *known, size_t i, const double *lower,
                     const double *upper);

/* Whether evaluation i is one of three or more consecutive ones at equal
 * spacing on a line. */
bool lr_known_on_line(const lr_known *known, size_t i);

/* f = the last n > 2 consecutive values at equal spacing on a line, which a
 * measurement of noise makes.  False: there are none. */
bool lr_known_line(const lr_known *known, size_t n, double *f);

#endif
