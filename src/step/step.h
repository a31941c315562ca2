/* Step rules inside a subspace: from k slopes to k coordinates of a step.  A
 * rule evaluates f through lr_restricted alone and never sees a p-vector. */
#ifndef LR_STEP_H
#define LR_STEP_H

#include "base/choices.h"
#include "base/policy.h"
#include "base/status.h"
#include "base/vector.h"

#include <stdbool.h>

/* z -> f(x + U z) around the iterate, z = 0. */
typedef struct lr_restricted {
  void *self;
  double noise; /* values closer than this are equal */
  /* f at z, which becomes the trial; LR_NOVALUE: f cannot be evaluated. */
  lr_code (*value)(void *self, const double *z, double *f);
  /* The slope at the trial along the unit vector u. */
  lr_code (*slope)(void *self, const double *u, double *d);
} lr_restricted;

/* Options of the user; 0: not given. */
typedef struct lr_step_given {
  double alpha, momentum, mu;
} lr_step_given;

typedef struct lr_step lr_step;

typedef struct lr_step_ops {
  /* Takes the value f and the slopes d at z = 0; gives a step z, and the value
   * there where the rule evaluated it (else NaN).  LR_NOVALUE: no trial was
   * acceptable. */
  lr_code (*take)(lr_step *s, const lr_restricted *phi, double f,
                  const double *d, double *z, double *fz);
  bool squares; /* the rule needs a k x k matrix */
} lr_step_ops;

struct lr_step {
  const lr_step_ops *ops;
  lrgd_allocator allocator;
  lr_step_given given;
  const lr_policy *policy;
  /* length of the last accepted step as a multiple of -d, about 1/L; 0: none.
   * It is kept when the subspace changes. */
  double length;
  size_t k, capacity;
  bool paired; /* last_z leads from the point of last_d to the iterate */
  double *last_d, *last_z, *u, *y;
  double *v, *w; /* memory of momentum and adaptive rules; zero at reset */
  double count;  /* steps since the reset */
  double best;   /* Adam: the lowest f since the reset, */
  int waited;    /* steps since the lowest value */
  double *H;     /* BFGS: the inverse Hessian, k x k */
  bool scaled;   /* H has been set */
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

/* Begins in a new subspace of k dimensions, with an empty memory. */
LRGD_MUST_CHECK lrgd_status lr_step_reset(lr_step *s, size_t k);

/* The subspace grew to k dimensions: keeps the memory of the old ones, which
 * come first. */
LRGD_MUST_CHECK lrgd_status lr_step_grow(lr_step *s, size_t k);

lr_code lr_step_take(lr_step *s, const lr_restricted *phi, double f,
                     const double *d, double *z, double *fz);

/* The iterate moved by another step than lr_step_take() gave. */
void lr_step_unpair(lr_step *s);

/* Shared by the rules: ------------------------------------------------ */

/* Trials of a line search at most: after so many halvings, 2^-50, rounding
 * decides.  Lengthenings at most: after so many, fourfold each, 1e36, f is
 * known to fall for ever. */
enum { LR_SEARCH_TRIALS = 50, LR_SEARCH_LENGTHENINGS = 60 };

/* A line search along u from f with slope < 0. */
typedef struct lr_search {
  const lr_restricted *phi;
  const double *u;
  size_t k;
  double f, slope;
  double *z; /* scratch, and the result: t u */
  const lr_policy *policy;
} lr_search;

/* Backtracks from the length *t to Armijo's condition; *t becomes the accepted
 * length, *ft the value there, and line->z the step.  With interpolate it then
 * goes on to the minimum of the parabola through the known values: one
 * evaluation where the first trial is near that, else usually two. */
lr_code lr_search_armijo(const lr_search *line, bool interpolate, double *t,
                         double *ft);

/* The first trial length along -d: the last good one, else the user's alpha,
 * else that of a step of norm one. */
double lr_step_first(const lr_step *s, double norm);

/* Determines s->length by a line search along u, with that slope at f, for
 * rules that do so once (in the first step in a subspace without a given
 * alpha).  The step found is z. */
lr_code lr_step_learn(lr_step *s, const lr_restricted *phi, double f,
                      double slope, double *z, double *fz);

/* Zeroes v, w and count. */
void lr_step_forget(lr_step *s);

/* Curvature along the last step: |d - last_d| / |last_z|, and along it
 * (d - last_d) . last_z / |last_z|^2; both 0 without a last step. */
typedef struct lr_curvature {
  double size, along;
} lr_curvature;
lr_curvature lr_step_curvature(const lr_step *s, const double *d);

/* The first step of a rule with velocity v: a line search along -d. */
lr_code lr_step_push_off(lr_step *s, const lr_restricted *phi, double f,
                         const double *d, double *z, double *fz);

#endif
