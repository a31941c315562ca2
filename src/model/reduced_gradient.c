/* Gradients without the active set (reduced gradients).
 *
 * While a bound is active the derivative along its coordinate has no influence.
 * Where most bounds are active, most of a gradient need not be measured: the
 * model predicts the rest.
 *
 * The model is updated by such gradients too.  y, the change of the
 * derivatives, is measured where both ends were; the rest of y is the model's
 * own Bs, times the square root of the ratio between the measured and the
 * modelled curvature along s.  BFGS, which adds y y'/s'y and subtracts Bs
 * s'B/s'Bs, then changes nothing among the coordinates that were not measured,
 * as far as V can separate them.  (Where it cannot, an error may grow:
 * lr_qn_creeps() notices.) */
#include "model/model.h"

#include "model/model_rules.h"
#include "space/vec.h"

/* Adds V B dz to u: the change of the gradient from the base to the landing
 * that the model predicts. */
static void add_change(lr_model *m, lrgd_vec u)
{
  size_t k = m->V->k;
  for (size_t i = 0; i < k; i++)
    m->work.column[i] = lr_dot(k, m->B + i * m->most, m->dz);
  lr_basis_expand(m->V, u, m->work.column);
}

void lr_model_foresee(lr_model *m)
{
  add_change(m, lr_model_vec(m, LR_MODEL_FULL));
}

lr_code lr_model_face_gradient(lr_model *m, lrgd_vec G, bool rest, double c,
                               double *norm)
{
  lrgd_vec foreseen = lr_model_vec(m, LR_MODEL_FULL);
  if (!rest) lr_oracle_begin_gradient(m->oracle);
  LR_TRY(lr_oracle_part_gradient(m->oracle, &m->here, G, foreseen, rest,
                                 LRGD_PURPOSE_DESCEND, c));
  *norm = m->space->ops->free_norm(m->space, G, m->here.x, m->oracle->box);
  return LR_GO;
}

/* Zeroes the coordinates of u along which the change of the gradient was not
 * measured. */
static void leave_known(lr_model *m, lrgd_vec u, lr_model_gaps gaps)
{
  const lrgd_box box = m->oracle->box;
  if (gaps.base)
    m->space->ops->zero_near_bounds(m->space, u, m->base.x, box, 0);
  if (gaps.here)
    (void)m->space->ops->zero_active(m->space, u, m->here.x,
                                     lr_model_vec(m, LR_MODEL_FULL), box);
}

/* The ratio of the measured change of the gradient along the step to the
 * model's; `error`: the difference of the two. */
static double strength(lr_model *m, lrgd_vec model, lrgd_vec error)
{
  lrgd_vec step = lr_model_vec(m, LR_MODEL_BENT);
  double expected, more;
  m->space->ops->axpy_into(m->space, step, m->here.x, m->base.x, -1);
  m->space->ops->dot(m->space, step, 1, model, &expected);
  m->space->ops->dot(m->space, step, 1, error, &more);
  return lr_model_strength(m->run->policy, expected, more);
}

lr_code lr_model_rebase_partly(lr_model *m, lrgd_vec G, lr_model_gaps gaps)
{
  lrgd_space *space = m->space;
  lrgd_vec foreseen = lr_model_vec(m, LR_MODEL_FULL);
  lrgd_vec learned = lr_model_vec(m, LR_MODEL_SPARE);
  lrgd_vec known = lr_model_vec(m, LR_MODEL_NEXT);
  lrgd_vec rest = lr_model_vec(m, LR_MODEL_PULL);
  double one = 1, minus = -1;
  space->ops->scale(space, rest, 0);
  add_change(m, rest);
  space->ops->copy(space, known, rest, 1);
  leave_known(m, known, gaps);
  space->ops->axpy_into(space, learned, G, foreseen, -1);
  leave_known(m, learned, gaps);
  double more = strength(m, known, learned) - 1;
  space->ops->add(space, rest, known, 1, &minus);
  space->ops->add(space, learned, foreseen, 1, &one);
  space->ops->add(space, learned, rest, 1, &more);
  lr_basis_project(m->V, learned, m->work.fresh);
  LR_TRY(lr_model_rebase(m, m->work.fresh));
  lr_basis_project(m->V, G, m->g);
  return LR_GO;
}

void lr_model_keep_measured(lr_model *m, lrgd_vec G)
{
  lrgd_vec last = lr_model_vec(m, LR_MODEL_WHOLE);
  lrgd_vec change = lr_model_vec(m, LR_MODEL_SPARE);
  double one = 1;
  m->space->ops->axpy_into(m->space, change, G, last, -1);
  (void)m->space->ops->zero_active(m->space, change, m->here.x,
                                   lr_model_vec(m, LR_MODEL_FULL),
                                   m->oracle->box);
  m->space->ops->add(m->space, last, change, 1, &one);
}
