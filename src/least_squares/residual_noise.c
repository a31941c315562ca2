/* The noise of residuals, by two more values on a line, or by the units in
 * which they are printed. */
#include "least_squares/least_squares_state.h"

#include "least_squares/least_squares_rules.h"

#include <math.h>

void lr_ls_forget(lr_least_squares *s)
{
  lr_residual_model_forget(&s->M);
  s->M.c = s->first_c;
  s->start.k = 0; /* these columns belonged to another V */
  s->axes = false;
  s->taken = 0;
  s->landings = s->grown = 0;
  s->gains = (lr_ls_gains){0};
  s->sweeps = (lr_ls_renewals){0};
  s->track.count = 0;
}

/* Sets the noise of f that follows from the noise of the residuals. */
static void tell_noise(lr_least_squares *s)
{
  lr_oracle *o = &s->run->oracle;
  double size = sqrt(2 * lr_residual_model_uncertain_f(&s->M));
  double noise = size * s->M.noise / (s->unit * s->unit);
  lr_oracle_set_noise(o, lr_oracle_own(o, noise));
  lr_run_tell_noise(s->run);
}

void lr_ls_suppose(lr_least_squares *s, double noise)
{
  s->listened = s->landings;
  s->M.noise = noise;
  s->noisy = true;
  tell_noise(s);
}

void lr_ls_hear(lr_least_squares *s, double noise)
{
  lr_ls_suppose(s, noise);
  lr_ls_forget(s);
}

/* Evaluates F at both points, side by side. */
static lr_code ask_both(lr_least_squares *s, const double *u, double t)
{
  lr_oracle *o = &s->run->oracle;
  if (!lr_oracle_begin_plan(o)) return LR_GO;
  for (int i = 0; i < 2; i++) {
    lr_ls_place_along(s, u, i == 0 ? t : 0.5 * t);
    (void)lr_oracle_plan(o, s->trial.x);
  }
  return lr_oracle_ask_planned(o, LRGD_PURPOSE_CHECK);
}

lr_code lr_ls_listen(lr_least_squares *s, bool *found)
{
  lr_residual_model *M = &s->M;
  const double *u = M->V + (M->k - 1) * M->p;
  double t = lr_ls_difference_length(s), *far = M->s, *half = M->r;
  *found = false;
  s->listened = s->landings;
  LR_TRY(ask_both(s, u, t));
  lr_ls_place_along(s, u, t);
  lr_code code = lr_ls_evaluate(s, LRGD_PURPOSE_CHECK, far);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  lr_ls_place_along(s, u, 0.5 * t);
  code = lr_ls_evaluate(s, LRGD_PURPOSE_CHECK, half);
  if (code != LR_GO) return code == LR_NOVALUE ? LR_GO : code;
  double sum = 0, change = 0, m = (double)M->n;
  for (size_t i = 0; i < M->n; i++) { /* the noise times sqrt(3/2) */
    double d = half[i] - 0.5 * (far[i] + M->F[i]), a = far[i] - M->F[i];
    sum += d * d;
    change += a * a;
  }
  double sigma = sqrt(sum / m / 1.5);
  double most = lr_largest_residual(M->n, M->F);
  double assumed = fmax(M->noise, lr_ls_rounding_most(s->policy, most));
  if (!lr_ls_is_noise(s->policy, sigma, assumed, sqrt(change / m)))
    return LR_GO;
  lr_ls_hear(s, sigma);
  *found = true;
  return LR_GO;
}

/* The standard deviation of a residual by rounding to its unit, uniform over
 * it, in the unit of the model. */
static double rounding_noise(const lr_least_squares *s)
{
  double sum = lr_dot(s->M.n, s->printed, s->printed) / 12;
  return s->unit * sqrt(sum / (double)s->M.n);
}

/* The root mean square, over residuals and columns, of the change of a residual
 * along a difference. */
static double typical_change(const lr_least_squares *s)
{
  const lr_residual_model *M = &s->M;
  double size2 = lr_dot(M->k, M->size, M->size);
  double mean2 = size2 / ((double)M->k * (double)M->n);
  return lr_ls_difference_length(s) * sqrt(mean2);
}

bool lr_ls_hear_digits(lr_least_squares *s)
{
  const lr_residual_model *M = &s->M;
  if (s->unprinted || s->landings == 0 || M->k == 0) return false;
  s->unprinted = true; /* they are known now */
  double sigma = rounding_noise(s);
  double most = lr_largest_residual(M->n, M->F);
  double assumed = fmax(M->noise, lr_ls_rounding_most(s->policy, most));
  bool differences = !lr_ls_has_jacobian(s) && !lr_ls_has_slopes(s);
  bool hides = differences &&
               lr_ls_is_noise(s->policy, sigma, assumed, typical_change(s));
  if (hides)
    lr_ls_hear(s, sigma);
  else if (sigma > assumed)
    lr_ls_suppose(s, sigma);
  return hides;
}
