/* Whether K may be over: what a few slopes tell before a gradient is asked for
 * where it stands. */
#include "auto/quasi_newton_state.h"

#include "certificate/certificate.h"
#include "space/vec.h"

#include <math.h>

/* One slope along a random direction: whether the gradient may be small (it is
 * missed once in four hundred times where it is half of the tolerance). */
static lr_code may_be_small(lr_quasi_newton *K, bool *small)
{
  lr_model *m = K->model;
  double p = (double)lr_run_dimension(m->run), c, d;
  *small = lr_model_draw(m);
  lr_oracle_want_any(m->oracle);
  if (!*small) return LR_GO;
  c = lr_model_spread(m);
  lr_code code = lr_model_slope(m, lr_model_vec(m, LR_MODEL_PROBE), c,
                                LRGD_PURPOSE_CHECK, &d);
  *small = false;
  if (code == LR_NOVALUE) return LR_GO; /* a full gradient tells */
  LR_TRY(code);
  *small = (p - (double)m->V->k) * d * d <=
           2.25 * m->run->goal.tol * m->run->goal.tol;
  return LR_GO;
}

/* The last round fell so little that the gradient may be small already. */
static bool may_be_over(const lr_quasi_newton *K)
{
  const lr_model *m = K->model;
  double before =
      sqrt(2 * m->eigen.largest * K->fall); /* the slope along the step */
  before =
      fmin(before, m->run->progress.grad_norm); /* the last whole gradient */
  return K->fall > 0 && before <= 1000 * m->run->goal.tol;
}

/* At bounds probes tell for 3 m values what a gradient tells for p, and the
 * first of them whether to go on.  Where the last round has failed there is
 * nothing to ask: its gradient was measured there, and was too large. */
static lr_code look_at_bounds(lr_quasi_newton *K)
{
  lr_model *m = K->model;
  double bound, p = (double)lr_run_dimension(m->run);
  if (!K->whole || !(K->fall > 0) || K->fails > 0) return LR_GO;
  if (3 * (double)m->run->options.probes > 0.3 * p) return LR_GO;
  m->run->at = m->here;
  LR_TRY(lr_model_certify_held(m, lr_model_vec(m, LR_MODEL_WHOLE), &bound));
  return bound < INFINITY ? lr_run_certified(m->run, bound) : LR_GO;
}

lr_code lr_quasi_newton_glance(lr_quasi_newton *K)
{
  lr_model *m = K->model;
  lr_run *run = m->run;
  double k = (double)m->V->k, p = (double)lr_run_dimension(run), bound;
  double m_probes = (double)run->options.probes;
  bool near = may_be_over(K);
  if (m->oracle->answers.gradient) return LR_GO; /* it costs as little */
  if (lr_oracle_boxed(m->oracle)) return look_at_bounds(K);
  if (!near || k == 0 || k + m_probes > 0.8 * p) return LR_GO;
  LR_TRY(may_be_small(K, &near));
  if (!near) return LR_GO;
  LR_TRY(lr_model_rebase(m, NULL));
  if (!(lr_norm(m->V->k, m->g) <= 0.7 * run->goal.tol)) return LR_GO;
  LR_TRY(lr_model_certify(m, true, &bound));
  return lr_run_certified(m->run, bound);
}
