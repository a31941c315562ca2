/* What all phases of `auto` have in common. */
#include "auto/phase.h"

void lr_phase_init(lr_phase *phase, lr_run *run, lr_phase_fn advance,
                   void *self)
{
  *phase =
      (lr_phase){.run = run,
                 .advance = advance,
                 .self = self,
                 .box = run->oracle.box,
                 .differences = lr_oracle_difference_settings(&run->oracle),
                 .left = lr_oracle_spent(&run->oracle),
                 .left_failures = lr_oracle_missed(&run->oracle)};
  lr_phase_start_clock(phase);
}

static void pause(lr_phase *phase)
{
  const lr_oracle *o = &phase->run->oracle;
  phase->differences = lr_oracle_difference_settings(o);
  phase->left = lr_oracle_spent(o);
  phase->left_failures = lr_oracle_missed(o);
}

static void resume(lr_phase *phase)
{
  lr_oracle *o = &phase->run->oracle;
  phase->away += lr_oracle_spent(o) - phase->left;
  phase->away_failures += lr_oracle_missed(o) - phase->left_failures;
  lr_oracle_set_differences(o, &phase->differences);
  if (phase->fold.lower.block)
    lr_oracle_use_fold(o, phase->fold);
  else
    lr_oracle_use_box(o, phase->box);
}

void lr_phase_switch(lr_phase *from, lr_phase *to)
{
  if (from == to) return;
  if (from) pause(from);
  if (to) resume(to);
}

uint64_t lr_phase_clock(const lr_phase *phase)
{
  return lr_oracle_spent(&phase->run->oracle) - phase->away;
}

uint64_t lr_phase_failures(const lr_phase *phase)
{
  return lr_oracle_missed(&phase->run->oracle) - phase->away_failures;
}

void lr_phase_start_clock(lr_phase *phase)
{
  phase->away = lr_oracle_spent(&phase->run->oracle);
  phase->away_failures = lr_oracle_missed(&phase->run->oracle);
}

lr_code lr_phase_measure_noise(lr_phase *phase)
{
  LR_TRY(lr_model_check_noise(&phase->model));
  phase->noise_measured = lr_phase_clock(phase) + 1;
  return LR_GO;
}

lrgd_cause lr_why_cause(lr_why why)
{
  static const lrgd_cause causes[] = {
#define CAUSE(why, cause, words) [LR_WHY_##why] = LRGD_CAUSE_##cause,
      LR_WHYS(CAUSE)
#undef CAUSE
  };
  return causes[why];
}
