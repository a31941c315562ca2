/* Phase K of `auto`, and a method of its own: quasi-Newton in the span of the
 * gradients seen. */
#ifndef LR_QUASI_NEWTON_H
#define LR_QUASI_NEWTON_H

#include "model/model.h"

typedef struct lr_quasi_newton {
  lr_model *model;
  double curvature; /* along the last gradient that was new */
  double spread;    /* curvature along a coordinate, as B has it */
  double rate_in;   /* decrease per evaluation of the last step inside V */
  bool tried_inside;
  uint64_t inside, outside; /* evaluations spent so */
  size_t held;              /* coordinates that bounds hold at the base */
  bool whole;               /* LR_MODEL_WHOLE is known */
  int faces;    /* gradients in a row without what bounds hold ... */
  bool face;    /* ... of which the last is one */
  bool faced;   /* there was one ... */
  bool closer;  /* the first gradient was measured again, on both sides */
  bool plain;   /* ... and there are to be no more */
  bool guessed; /* slopes at the bounds of the base are B's */
  bool inner;   /* the last step met no bound */
  bool paired;  /* LR_MODEL_LAST_G is known, all of it */
  int together; /* times that inputs seemed to act apart and did not */
  int fails;
  bool hasty;    /* noise is reason enough to be stuck */
  double fall;   /* of the last round */
  double lowest; /* where it has stood, noise apart ... */
  int idle;      /* ... so many rounds ago */
  uint64_t rounds;
  double first_f, window_f; /* where it began, and stood some rounds ago ... */
  uint64_t met;             /* ... and how often it had met walls by then */
} lr_quasi_newton;

void lr_quasi_newton_init(lr_quasi_newton *K, lr_model *m);

/* One gradient, whole or on a face, and the steps that follow from it.
 * *stuck: nothing falls any more.  LR_END: the run is over. */
lr_code lr_quasi_newton_round(lr_quasi_newton *K, bool *stuck);

/* G, the gradient without what bounds hold, becomes a better way out of V, unit
 * vector and orthogonal to V, where inputs act apart; *slope is f's along it,
 * and K->curvature its curvature.  apart.c */
lr_code lr_quasi_newton_apart(lr_quasi_newton *K, lrgd_vec G, double *slope,
                              bool *apart);

/* Slopes inside V and probes outside tell for k + m what a gradient tells for
 * p.  LR_END: that it is small.  glance.c */
lr_code lr_quasi_newton_glance(lr_quasi_newton *K);

#endif
