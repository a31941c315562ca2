/* From a rehearsal to a run on f: what it would pay, and when the rehearsal is
 * no evidence of that. */
#ifndef LR_EARNEST_H
#define LR_EARNEST_H

#include "analysis/diagnosis_state.h"

/* A second rehearsal of the same, in turned coordinates. */
typedef enum lr_twin {
  LR_TWIN_NEEDLESS, /* it was rehearsed on f itself, or cut off */
  LR_TWIN_NONE,     /* there was no budget for it */
  LR_TWIN_ALIKE,
  LR_TWIN_OTHER
} lr_twin;

/* What was rehearsed, and how it went. */
typedef struct lr_trial_run {
  lrgd_predicted which;
  lrgd_counts counts;
  lrgd_outcome outcome;
  bool reduced; /* on sigma of r variables, not on f */
  bool strayed; /* it left the bounds of f, where a run would not; counts are
                   those before that */
  bool outside; /* f varies outside H by more than the tolerance */
  lr_twin twin;
  double longer; /* the whole run is so many times longer; NaN: unknown */
  double still;  /* it was cut off where f had stopped falling, and would have
                    spent so many more evaluations there; 0: otherwise */
  double target; /* log of the |grad f| that ends it */
  double f;      /* where it ended */
} lr_trial_run;

/* Writes predicted_*, *_floor and predicted_why of that method. */
void lr_cost_extrapolation_note(lrgd_diagnosis *s, const lr_trial_run *told);

/* One of the methods is not known, and why; where nothing is said yet. */
void lr_cost_extrapolation_unknown(lrgd_diagnosis *s, lrgd_predicted which,
                                   const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for all that are not known when the study ends. */
void lr_cost_extrapolation_close(lrgd_diagnosis *s);

#endif
