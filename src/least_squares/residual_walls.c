/* Constraints that the user did not give: values of an input beyond which the
 * residuals are no numbers.  The search is that of src/hidden; what it finds
 * acts as a bound, and the model of the residuals stays as it is. */
#include "least_squares/least_squares_state.h"

#include <math.h>

void lr_ls_watch_walls(lr_least_squares *s)
{
  lr_hidden_bounds_open(&s->walls, s->run);
  lr_hidden_bounds_watch(&s->walls);
  s->walls.surface.refuted = true; /* the box step knows of no surfaces */
}

/* Steps are not shorter for the failures that a bound explains. */
static void trust(lr_least_squares *s)
{
  s->M.c = fmin(s->M.c, s->open_c);
  s->failures = s->idle = 0;
  s->stepped = false;
  s->renewed = s->certified = 0;
}

lr_code lr_ls_meet_walls(lr_least_squares *s, bool failed, double c)
{
  const lr_trial_observer *watch = &s->run->observer;
  if (!watch->tried) return LR_GO;
  if (!failed || s->walls.refused == 0) s->open_c = c;
  if (failed) s->trial.f = INFINITY;
  lr_code code = watch->tried(watch->self, &s->at, failed ? &s->trial : NULL);
  if (code != LR_AGAIN) return code;
  lr_hidden_bounds_use(&s->walls);
  trust(s);
  return LR_GO;
}

lr_code lr_ls_check_walls(lr_least_squares *s)
{
  lr_code code = lr_hidden_bounds_check(&s->walls);
  if (code != LR_AGAIN) return code;
  lr_hidden_bounds_use(&s->walls);
  lr_run_stand(s->run, &s->at);
  trust(s);
  return LR_GO;
}
