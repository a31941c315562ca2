/* Quasi-Newton in the span of the gradients seen: a phase of `auto`, and a
 * method of its own. */
#ifndef LR_QUASI_NEWTON_STATE_H
#define LR_QUASI_NEWTON_STATE_H

#include "auto/phase.h"

/* Curvature outside V. */
typedef struct lr_qn_curvature {
  double last; /* along the last new direction */
  /* along a coordinate: mean diagonal entry of the Hessian in V */
  double coordinate;
} lr_qn_curvature;

/* Steps inside V between full gradients: k evaluations each, not p. */
typedef struct lr_qn_inside {
  bool tried;
  double rate; /* decrease of f per evaluation, of the last such step */
  uint64_t inside, outside; /* evaluations spent inside V, and outside */
} lr_qn_inside;

/* In a box: the active set, and which parts of the gradient are known. */
typedef struct lr_qn_active {
  size_t count; /* coordinates at active bounds at the base */
  bool whole;   /* LR_MODEL_WHOLE holds a whole gradient */
  /* consecutive gradients measured without the active coordinates */
  unsigned in_a_row;
  bool now;         /* the last gradient was measured without them */
  bool ever;        /* some gradient was measured without them */
  bool never_again; /* every gradient is to be measured with them */
  /* derivatives at active bounds are predictions of the model */
  bool predicted;
  bool interior; /* the last step met no bound */
} lr_qn_active;

/* Separable functions; see separable.c. */
typedef struct lr_qn_separable {
  bool paired;       /* LR_MODEL_LAST_G is a full gradient */
  unsigned rejected; /* how often the hypothesis "separable" was rejected */
} lr_qn_separable;

/* The decrease of f over the rounds, which decides when the phase is stuck. */
typedef struct lr_qn_progress {
  unsigned failed; /* rounds in a row without a decrease */
  double decrease; /* decrease of the last round */
  /* the lowest value; a new one must be lower by more than the noise */
  double lowest;
  unsigned idle; /* rounds since the lowest value */
  uint64_t rounds;
  /* f at the first round, and at the beginning of the window */
  double first_f, window_f;
  uint64_t cliffs; /* jumps of f met before the window */
} lr_qn_progress;

typedef struct lr_quasi_newton {
  lr_phase *phase;
  lr_model *model;
  /* noise ends the phase, which otherwise would continue with two-sided
   * differences */
  bool stops_at_noise;
  lr_qn_curvature curvature;
  lr_qn_inside inside;
  lr_qn_active active;
  lr_qn_separable separable;
  lr_qn_progress progress;
  bool closer; /* the first gradient was measured again by two-sided differences
                */
} lr_quasi_newton;

/* Begins the method at the base of the phase's model. */
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

/* Whether a gradient costs one evaluation, so that steps inside V save
 * nothing. */
static inline bool lr_qn_gradient_given(const lr_quasi_newton *q)
{
  return q->model->oracle->answers.gradient != NULL;
}

/* Moves the base to the model's point and measures the gradient G there,
 * without the active coordinates.  LR_END: it is small, or noise hides it.
 * quasi_newton_gradient.c */
lr_code lr_qn_gradient(lr_quasi_newton *q, lrgd_vec G);

/* The confidence bound on the error of a gradient's norm at this point by noise
 * and rounding of f, with the confidence of the options. */
double lr_qn_gradient_error(lr_quasi_newton *q);

/* Whether rounding and truncation are all that makes differences inaccurate:
 * there is no noise, and no jump or missing value. */
bool lr_qn_resolves(const lr_quasi_newton *q);

/* A two-sided difference here: half its length, and the error to expect of a
 * gradient by such ones. */
typedef struct lr_qn_difference {
  double reach, error;
} lr_qn_difference;

lr_qn_difference lr_qn_two_sided(const lr_quasi_newton *q);

/* Zeroes the active coordinates of G, the gradient at the base. */
void lr_qn_drop_active(lr_quasi_newton *q, lrgd_vec G);

/* G, the gradient without the active coordinates, becomes D^-1 G, a unit vector
 * orthogonal to V, where f is separable with the diagonal Hessian D; *slope is
 * f's derivative along it, and q->curvature.last its curvature.  separable.c */
lr_code lr_qn_separable_step(lr_quasi_newton *q, lrgd_vec G, double *slope,
                             bool *separable);

/* Tests with k derivatives inside V and m probes outside whether the gradient
 * is within the tolerance, where a gradient costs p evaluations.  LR_END: it
 * is. quasi_newton_pretest.c */
lr_code lr_qn_pretest(lr_quasi_newton *q);

#endif
