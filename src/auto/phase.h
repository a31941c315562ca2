/* A phase of `auto`: a method that can be paused and resumed.
 *
 * Each phase owns its model (and with it its iterate), its finite-difference
 * settings, the bounds it works in and a clock that stands still while another
 * phase runs.  So a phase takes the same path whether it was paused or not. */
#ifndef LR_PHASE_H
#define LR_PHASE_H

#include "auto/schedule.h"
#include "model/model.h"

typedef struct lr_phase lr_phase;

/* Goes on until the phase ends or its clock passes the budget (evaluations; a
 * round is never cut short, and there is at least one).  *why is set for LR_GO.
 * LR_END: the run is over. */
typedef lr_code (*lr_phase_fn)(lr_phase *phase, double budget, lr_why *why);

struct lr_phase {
  lr_run *run;
  lr_phase_fn advance; /* one turn of the method */
  void *self;          /* the state of the method, its first argument */
  lr_model model;
  bool begun;                         /* the model stands somewhere */
  lr_difference_settings differences; /* while another phase runs */
  lrgd_box box, fold; /* bounds, or the box that coordinates are mapped into, as
                         in lr_oracle */
  uint64_t away, away_failures; /* spent while another phase ran */
  uint64_t left, left_failures; /* counts of the run when this phase paused */
  uint64_t noise_measured;      /* by its clock, plus one; 0: never */
};

void lr_phase_init(lr_phase *phase, lr_run *run, lr_phase_fn advance,
                   void *self);

/* The phase that runs hands over to another (either may be NULL). */
void lr_phase_switch(lr_phase *from, lr_phase *to);

/* Evaluations, and answers that were no value, while this phase ran; and both
 * counts begin at 0. */
uint64_t lr_phase_clock(const lr_phase *phase);
uint64_t lr_phase_failures(const lr_phase *phase);
void lr_phase_start_clock(lr_phase *phase);

/* Measures the noise of f where the phase's model stands. */
lr_code lr_phase_measure_noise(lr_phase *phase);

/* The reason, for the record of decisions. */
lrgd_cause lr_why_cause(lr_why why);

#endif
