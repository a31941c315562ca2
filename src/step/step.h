/* How to move inside a subspace.  A step sees k numbers and gives k numbers,
 * never a p-vector; it asks for values only through lr_restricted. */
#ifndef LR_STEP_H
#define LR_STEP_H

#include "base/choices.h"
#include "base/status.h"
#include "base/vector.h"

#include <stdbool.h>

/* z -> f(x + U z) around the present point, z = 0. */
typedef struct lr_restricted {
  void *self;
  double noise; /* values closer than this are equal */
  /* f at z, which becomes the trial; LR_NOVALUE: it cannot be evaluated. */
  lr_code (*value)(void *self, const double *z, double *f);
  /* The slope at the trial along the unit vector u. */
  lr_code (*slope)(void *self, const double *u, double *d);
} lr_restricted;

/* What the user said; 0: nothing. */
typedef struct lr_step_given {
  double alpha, momentum, mu;
} lr_step_given;

typedef struct lr_step lr_step;

typedef struct lr_step_ops {
  /* From value f and slopes d at z = 0 to a displacement z, and to the value
   * there where it was asked for (else NaN).  LR_NOVALUE: no acceptable step
   * was found. */
  lr_code (*take)(lr_step *s, const lr_restricted *phi, double f,
                  const double *d, double *z, double *fz);
  bool squares; /* needs a k x k matrix */
} lr_step_ops;

struct lr_step {
  const lr_step_ops *ops;
  lrgd_allocator allocator;
  lr_step_given given;
  double length; /* of a good step, as a multiple of -d: about 1/L; 0: none.
                    It outlives the subspace it was learned in. */
  size_t k, capacity;
  bool paired; /* last_z leads from the point of last_d to the present one */
  double *last_d, *last_z, *u, *y;
  double *v, *w; /* what momentum and adaptive rules remember; zero at reset */
  double count;  /* steps they have taken since */
  double best;   /* the lowest f Adam has seen since, */
  int waited;    /* and how many steps ago */
  double *H;     /* k x k, the inverse Hessian of BFGS */
  bool scaled;   /* H holds something */
};

/* The rules (choices.h): lr_step_fixed, ... */
#define LR_DECLARE(enumerator, word, symbol)                                   \
  extern const lr_step_ops lr_step_##symbol;
LR_STEPS(LR_DECLARE)
#undef LR_DECLARE

/* The rule of an lrgd_step; NULL for LRGD_STEP_AUTO, which is none. */
const lr_step_ops *lr_step_of(lrgd_step step);

void lr_step_init(lr_step *s, const lr_step_ops *ops,
                  const lr_step_given *given, const lrgd_allocator *a);
void lr_step_clear(lr_step *s);

/* A new subspace of k dimensions: what was learned in the old one goes. */
LRGD_MUST_CHECK lrgd_status lr_step_reset(lr_step *s, size_t k);

/* The subspace grew to k dimensions, the old ones first: keeps what was
 * learned of them. */
LRGD_MUST_CHECK lrgd_status lr_step_grow(lr_step *s, size_t k);

lr_code lr_step_take(lr_step *s, const lr_restricted *phi, double f,
                     const double *d, double *z, double *fz);

/* The point moved otherwise than take said. */
void lr_step_unpair(lr_step *s);

/* Shared by the rules: ------------------------------------------------ */

/* A search along u from f with slope < 0. */
typedef struct lr_search {
  const lr_restricted *phi;
  const double *u;
  size_t k;
  double f, slope;
  double *z; /* scratch, and the result: t u */
} lr_search;

/* Armijo's condition, shrinking from t; *t is the length accepted, *ft the
 * value there, and line->z the displacement.  With interpolate, goes on to the
 * minimum of the parabola through what it knows: one value where the first
 * trial is near it, else usually two. */
lr_code lr_search_armijo(const lr_search *line, bool interpolate, double *t,
                         double *ft);

/* The length to try first along -d, where nothing better is known: what was
 * good before, the user's alpha, or a step of norm one. */
double lr_step_first(const lr_step *s, double norm);

/* For rules that look for their length once, along u from f with the given
 * slope (the first step in a subspace, where no alpha was given); the step t u
 * found is z, s->length is t. */
lr_code lr_step_learn(lr_step *s, const lr_restricted *phi, double f,
                      double slope, double *z, double *fz);

/* Zeroes v, w and count. */
void lr_step_forget(lr_step *s);

/* The curvature |d - last_d| / |last_z| seen along the last move, and the one
 * along it, (d - last_d) . last_z / |last_z|^2; both 0 where none is known. */
typedef struct lr_curvature {
  double size, along;
} lr_curvature;
lr_curvature lr_step_curvature(const lr_step *s, const double *d);

/* The first step of a rule with velocity v: along -d, its length learned. */
lr_code lr_step_push_off(lr_step *s, const lr_restricted *phi, double f,
                         const double *d, double *z, double *fz);

#endif
