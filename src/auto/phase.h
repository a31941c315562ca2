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

/* Advances until the phase ends or its clock passes the budget (in evaluations;
 * a round is never cut short, and at least one is made).  LR_GO: *why is the
 * reason. LR_END: the run is over. */
typedef lr_code (*lr_phase_fn)(lr_phase *phase, double budget, lr_why *why);

struct lr_phase {
  lr_run *run;
  lr_phase_fn advance; /* one turn of the method */
  void *self;          /* the state of the method, its first argument */
  lr_model model;
  bool begun;                         /* the model has a base point */
  lr_difference_settings differences; /* kept here while another phase runs */
  /* bounds, or the box that coordinates are mapped into (see lr_oracle) */
  lrgd_box box, fold;
  /* evaluations made while another phase ran, and failed ones */
  uint64_t away, away_failures;
  uint64_t left, left_failures; /* counts of the run when this phase paused */
  /* clock at the last measurement, plus one; 0: not measured */
  uint64_t noise_measured;
};

void lr_phase_init(lr_phase *phase, lr_run *run, lr_phase_fn advance,
                   void *self);

/* Switches from the running phase to another (either may be NULL). */
void lr_phase_switch(lr_phase *from, lr_phase *to);

/* The clock: evaluations made, and those without a value, while this phase ran;
 * and a function that sets both counts to 0. */
uint64_t lr_phase_clock(const lr_phase *phase);
uint64_t lr_phase_failures(const lr_phase *phase);
void lr_phase_start_clock(lr_phase *phase);

/* Measures the noise of f at the base of the phase's model. */
lr_code lr_phase_measure_noise(lr_phase *phase);

/* The reason, for the record of decisions. */
lrgd_cause lr_why_cause(lr_why why);

#endif
