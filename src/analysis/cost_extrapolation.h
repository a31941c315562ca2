/* The cost of a run on f, extrapolated from a trial run, and when a trial run
 * is no evidence for it. */
#ifndef LR_COST_EXTRAPOLATION_H
#define LR_COST_EXTRAPOLATION_H

#include "analysis/diagnosis_state.h"

/* The second trial run of a method, in rotated coordinates, as a check that the
 * first was no accident. */
typedef enum lr_twin {
  LR_TWIN_NEEDLESS, /* none is needed: the first was on f itself, or was cut off
                     */
  LR_TWIN_NONE,     /* no second trial run: the budget did not allow it */
  LR_TWIN_ALIKE,
  LR_TWIN_OTHER
} lr_twin;

/* One trial run of a method, and how it ended. */
typedef struct lr_trial_run {
  lrgd_predicted which;
  lrgd_counts counts;
  lrgd_outcome outcome;
  bool reduced; /* it runs on the reduced function of r variables, not on f */
  bool strayed; /* it left the bounds of f, where a run on f would not; the
                   counts are those before that */
  bool stands;  /* f had stopped decreasing at its end */
  bool outside; /* the gradient outside H exceeds the tolerance */
  lr_twin twin;
  /* iterations of a whole run, relative to those of the trial run; NaN:
   * unknown */
  double longer;
  double target;   /* log |grad f| at which the run ends */
  double f;        /* f where the trial run ended */
  double diagonal; /* the norm of that of f's Hessian at the minimum, for the
                      error of differences; NaN: not known */
} lr_trial_run;

/* Writes the predicted cost of that method, or its lower bound, and the reason
 * where there is no prediction. */
void lr_cost_extrapolation_note(lrgd_diagnosis *s, const lr_trial_run *told);

/* Marks the cost of a method as unknown, with a reason, unless one is recorded.
 */
void lr_cost_extrapolation_unknown(lrgd_diagnosis *s, lrgd_predicted which,
                                   const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes why no cost is known, for all methods without a prediction. */
void lr_cost_extrapolation_close(lrgd_diagnosis *s);

#endif
