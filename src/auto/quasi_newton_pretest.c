/* The pretest of quasi-Newton: a few directional derivatives show whether the
 * gradient may be within the tolerance, before p evaluations measure it. */
#include "auto/quasi_newton_rules.h"

#include "certificate/certificate.h"
#include "space/vec.h"

#include <math.h>

/* Tests one derivative along a random direction: whether the gradient may be
 * within the tolerance.  (If |g| is half of the tolerance, the test says no
 * once in four hundred times.) */
static lr_code may_be_small(lr_quasi_newton *q, bool *small)
{
  lr_model *m = q->model;
  double p = (double)lr_run_dimension(m->run), c, d;
  *small = lr_model_draw(m);
  lr_oracle_want_any(m->oracle);
  if (!*small) return LR_GO;
  c = lr_model_spread(m);
  lr_code code = lr_model_slope(m, lr_model_vec(m, LR_MODEL_PROBE), c,
                                LRGD_PURPOSE_CHECK, &d);
  *small = false;
  if (code == LR_NOVALUE) return LR_GO; /* let the full gradient decide */
  LR_TRY(code);
  *small = lr_pretest_one_probe(lr_qn_policy(q), p - (double)m->V->k, d,
                                m->run->goal.tol);
  return LR_GO;
}

/* Whether the last round decreased f so little that the gradient may be within
 * the tolerance. */
static bool may_be_over(const lr_quasi_newton *q)
{
  const lr_model *m = q->model;
  double before =
      sqrt(2 * m->eigen.largest *
           q->progress.decrease); /* the derivative along the step */
  before =
      /* the norm of the last full gradient */
      fmin(before, m->run->progress.grad_norm);
  return q->progress.decrease > 0 &&
         lr_pretest_near(lr_qn_policy(q), before, m->run->goal.tol);
}

/* At bounds: m probes cost 3 m values, a gradient p.  After a failed round the
 * gradient at this point is known to be too large. */
static lr_code pretest_at_bounds(lr_quasi_newton *q)
{
  lr_model *m = q->model;
  double bound, p = (double)lr_run_dimension(m->run);
  if (!q->active.whole || !(q->progress.decrease > 0) || q->progress.failed > 0)
    return LR_GO;
  if (!lr_pretest_cheap_bounded(lr_qn_policy(q), (double)m->run->options.probes,
                                p))
    return LR_GO;
  lr_run_stand(m->run, &m->here);
  LR_TRY(lr_model_certify_held(m, lr_model_vec(m, LR_MODEL_WHOLE), &bound));
  return bound < INFINITY ? lr_run_certified(m->run, bound) : LR_GO;
}

lr_code lr_qn_pretest(lr_quasi_newton *q)
{
  lr_model *m = q->model;
  lr_run *run = m->run;
  double k = (double)m->V->k, p = (double)lr_run_dimension(run), bound;
  double m_probes = (double)run->options.probes;
  bool near = may_be_over(q);
  if (m->oracle->answers.gradient)
    return LR_GO; /* a full gradient costs no more than the test */
  if (lr_oracle_boxed(m->oracle)) return pretest_at_bounds(q);
  if (!near || k == 0) return LR_GO;
  if (!lr_pretest_cheap(lr_qn_policy(q), k, m_probes, p)) return LR_GO;
  LR_TRY(may_be_small(q, &near));
  if (!near) return LR_GO;
  LR_TRY(lr_model_rebase(m, NULL));
  if (!lr_pretest_inside(lr_qn_policy(q), lr_norm(m->V->k, m->g),
                         run->goal.tol))
    return LR_GO;
  LR_TRY(lr_model_certify(m, true, &bound));
  return lr_run_certified(m->run, bound);
}
