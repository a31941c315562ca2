/* Evaluations of the same function that were paid for before this run: by an
 * earlier path of its journal, or by another run.
 *
 * Known here: points, values, derivatives, in the order in which they were
 * asked for.  Not known: who asked, and what a model makes of them (fit.h). */
#ifndef LR_KNOWN_H
#define LR_KNOWN_H

#include <lrgd/lrgd.h>
#include <stdbool.h>

/* What an evaluation brought besides the value. */
typedef enum lr_known_kind {
  LR_KNOWN_VALUE,
  LR_KNOWN_SLOPE,   /* the derivative along a unit vector */
  LR_KNOWN_GRADIENT /* all of them */
} lr_known_kind;

typedef struct lr_known {
  lrgd_allocator allocator;
  size_t p, n;         /* inputs, evaluations */
  double *x;           /* p numbers each */
  double *f;           /* all finite */
  double *v;           /* p numbers each: direction or gradient; NULL: none */
  double *d;           /* slopes along the directions */
  unsigned char *kind; /* lr_known_kind */
  size_t *table;       /* of points by the bits of their numbers: index + 1, or
                          0; `slots` of them, a power of two */
  size_t slots;
} lr_known;

/* Copies what is usable of n evaluations: finite points, values and
 * derivatives; of more than memory allows for, the last ones and the lowest. */
LRGD_MUST_CHECK lrgd_status lr_known_init(lr_known *known,
                                          const lrgd_allocator *a, size_t p,
                                          size_t n,
                                          const lrgd_evaluation *evaluations);
void lr_known_clear(lr_known *known); /* frees; safe on a zeroed struct */

/* An evaluation at exactly this point; known->n where there is none. */
size_t lr_known_find(const lr_known *known, const double *x);

/* Whether evaluation i is between the bounds, of which either may be NULL. */
bool lr_known_inside(const lr_known *known, size_t i, const double *lower,
                     const double *upper);

/* The lowest value at a point between the bounds (either may be NULL);
 * known->n where there is none. */
size_t lr_known_lowest(const lr_known *known, const double *lower,
                       const double *upper);

/* Where evaluation i is one of the differences along single inputs around a
 * point that is nearly as low: that point, at which more is known; where it is
 * a difference away from the first, and hardly lower: the first.  Else, or
 * where that is not between the bounds, i. */
size_t lr_known_base(const lr_known *known, size_t i, const double *lower,
                     const double *upper);

/* Whether evaluation i is one of three or more, asked for one after the other,
 * at equal spacing on a line. */
bool lr_known_on_line(const lr_known *known, size_t i);

/* n > 2 values at equal spacing on a line, asked for one after the other, as a
 * measurement of noise does: the newest such, in f.  False: there are none. */
bool lr_known_line(const lr_known *known, size_t n, double *f);

#endif
