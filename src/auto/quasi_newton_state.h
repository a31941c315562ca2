/* Quasi-Newton in the span of the gradients seen: a phase of `auto`, and a
 * method of its own. */
#ifndef LR_QUASI_NEWTON_STATE_H
#define LR_QUASI_NEWTON_STATE_H

#include "auto/phase.h"

/* Curvature outside V. */
typedef struct lr_qn_curvature {
  double last;       /* along the last gradient that was new */
  double coordinate; /* along a coordinate, as the Hessian in V has it */
} lr_qn_curvature;

/* Steps inside V between full gradients: k evaluations each, not p. */
typedef struct lr_qn_inside {
  bool tried;
  double rate; /* decrease of f per evaluation, of the last such step */
  uint64_t inside, outside; /* evaluations spent inside V, and outside */
} lr_qn_inside;

/* In a box: the active set, and what is known of the gradient there. */
typedef struct lr_qn_active {
  size_t count;      /* coordinates at active bounds at the base */
  bool whole;        /* LR_MODEL_WHOLE is known */
  unsigned in_a_row; /* gradients in a row without the active coordinates ... */
  bool now;          /* ... and the last gradient is one of these */
  bool ever;         /* a gradient was measured without them ... */
  bool never_again;  /* ... and none is to be measured so again */
  bool predicted;    /* derivatives at the active bounds are the model's */
  bool interior;     /* the last step met no bound */
} lr_qn_active;

/* Separable functions; see separable.c. */
typedef struct lr_qn_separable {
  bool paired;       /* LR_MODEL_LAST_G is known, all of it */
  unsigned rejected; /* times that f seemed to be separable and was not */
} lr_qn_separable;

/* The decrease of f by the rounds so far, which tells when to give up. */
typedef struct lr_qn_progress {
  unsigned failed; /* rounds in a row without a decrease */
  double decrease; /* by the last round */
  double lowest;   /* the lowest value, beyond noise */
  unsigned idle;   /* rounds since the lowest value */
  uint64_t rounds;
  double first_f, window_f; /* f at the first round, and some rounds ago */
  uint64_t cliffs;          /* jumps of f met until some rounds ago */
} lr_qn_progress;

typedef struct lr_quasi_newton {
  lr_phase *phase;
  lr_model *model;
  bool stops_at_noise; /* noise alone may end the phase */
  lr_qn_curvature curvature;
  lr_qn_inside inside;
  lr_qn_active active;
  lr_qn_separable separable;
  lr_qn_progress progress;
  bool closer; /* the first gradient was measured again by two-sided differences
                */
} lr_quasi_newton;

/* The phase's model is at the point where the method begins. */
void lr_quasi_newton_init(lr_quasi_newton *q, lr_phase *phase);

/* lr_phase_fn; the phase's self is the lr_quasi_newton.  One round is a
 * gradient and the steps that follow from it; LR_WHY_STUCK: no step decreases f
 * any more. */
lr_code lr_quasi_newton_advance(lr_phase *phase, double budget, lr_why *why);

/* Shared by the files of this phase: ------------------------------------ */

static inline const lr_policy *lr_qn_policy(const lr_quasi_newton *q)
{
  return q->phase->run->policy;
}

/* A gradient costs one evaluation: there is nothing to save inside V. */
static inline bool lr_qn_gradient_given(const lr_quasi_newton *q)
{
  return q->model->oracle->answers.gradient != NULL;
}

/* The gradient where the model stands becomes the base's, in G without the
 * active coordinates.  LR_END: it is small, or noise hides it.
 * quasi_newton_gradient.c */
lr_code lr_qn_gradient(lr_quasi_newton *q, lrgd_vec G);

/* The error bound of the norm of a gradient here, with the confidence of the
 * options: that of the noise and rounding of f. */
double lr_qn_gradient_error(lr_quasi_newton *q);

/* Takes the active coordinates out of G, the gradient at the base. */
void lr_qn_drop_active(lr_quasi_newton *q, lrgd_vec G);

/* G, the gradient without the active coordinates, becomes D^-1 G, a unit vector
 * orthogonal to V, where f is separable with the diagonal Hessian D; *slope is
 * f's derivative along it, and q->curvature.last its curvature.  separable.c */
lr_code lr_qn_separable_step(lr_quasi_newton *q, lrgd_vec G, double *slope,
                             bool *separable);

/* Derivatives inside V and probes outside may show with k + m evaluations that
 * the gradient is small, where a gradient takes p.  LR_END: it is.
 * quasi_newton_pretest.c */
lr_code lr_qn_pretest(lr_quasi_newton *q);

#endif
