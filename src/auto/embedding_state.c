/* The state of an embedding: memory, and what it takes over from an earlier
 * run. */
#include "auto/embedding_state.h"

#include "auto/auto_rules.h"

#include "base/memory.h"

#include <math.h>

lr_code lr_embedding_init(lr_embedding *e, lr_phase *phase)
{
  lr_model *m = &phase->model;
  size_t n = m->most + 2;
  *e = (lr_embedding){.phase = phase,
                      .model = m,
                      .allocator = phase->run->allocator,
                      .gain_outside = INFINITY,
                      .outside.now = INFINITY,
                      .idling.lowest = INFINITY};
  e->tolerance = 1;
  if (lr_embedding_mapped(e)) lr_embedding_tighten(e);
  e->columns.rank = lr_alloc(&e->allocator, n, sizeof *e->columns.rank);
  if (e->columns.rank) return LR_GO;
  return lr_oracle_fault(m->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu directions", n);
}

double lr_embedding_random_curvature(const lr_embedding *e)
{
  const lr_model *m = e->model;
  return m->V->k > e->eigenvectors
             ? lr_model_mean_curvature_from(m, e->eigenvectors)
             : lr_model_spread(m);
}

/* The share of a step u from the start by which the map into the bounds bends
 * it. */
static double bend_along(lr_embedding *e, lrgd_vec u)
{
  lr_model *m = e->model;
  const lrgd_space_ops *ops = m->space->ops;
  lrgd_vec to = lr_model_vec(m, LR_MODEL_STEP);
  lrgd_vec seen = lr_model_vec(m, LR_MODEL_GRADIENT);
  double length = 0, bent = 0;
  ops->axpy_into(m->space, to, u, m->start.x, 1);
  lr_oracle_show(m->oracle, seen, to);
  ops->add(m->space, seen, u, 1, &(double){-1});
  lr_oracle_show(m->oracle, to, m->start.x);
  ops->add(m->space, seen, to, 1, &(double){-1});
  if (!ops->measure(m->space, u, &length)) return INFINITY;
  if (!ops->measure(m->space, seen, &bent)) return INFINITY;
  return length > 0 ? bent / length : INFINITY;
}

bool lr_embedding_suits_fit(lr_embedding *e, const lr_fit *fit)
{
  lr_model *m = e->model;
  lrgd_vec u = lr_model_vec(m, LR_MODEL_SPARE);
  bool straight = fit->q > 0 && !isnan(m->start.f);
  if (!lr_embedding_mapped(e)) return fit->q > 0;
  for (size_t j = 0; straight && j < fit->q; j++) {
    m->space->ops->put(m->space, u, 0, fit->p, fit->V + j * fit->p);
    m->space->ops->scale(m->space, u, fit->reach);
    straight = lr_embedding_holds_fit(lr_embedding_policy(e), bend_along(e, u));
  }
  return straight;
}

double lr_embedding_probe_curvature(const lr_embedding *e)
{
  return lr_embedding_curvature(lr_embedding_policy(e),
                                lr_embedding_random_curvature(e), e->curvature);
}

bool lr_embedding_draw(lr_embedding *e)
{
  if (!e->drawn) e->drawn = lr_model_draw(e->model);
  return e->drawn;
}

lr_code lr_embedding_foresee(lr_embedding *e, bool measures)
{
  lr_model *m = e->model;
  size_t width = m->oracle->width;
  bool done;
  e->foreseen = 0;
  if (width == 1 || !lr_embedding_draw(e)) return LR_GO;
  double c = lr_embedding_probe_curvature(e);
  size_t most = measures ? m->oracle->ahead.room : width;
  LR_TRY(lr_model_foresee_slopes(m, c, most, &done));
  e->foreseen = done ? c : 0;
  return LR_GO;
}

lr_code lr_embedding_continue(lr_embedding *e, const lr_fit *fit)
{
  lr_model *m = e->model;
  size_t k = m->V->k;
  lr_phase_start_clock(e->phase);
  e->eigenvectors = fit->newton ? k : 0;
  e->curvature = fmax(fabs(lr_embedding_random_curvature(e)), 1e-300);
  e->outside.first = fit->steepness * fit->steepness;
  for (size_t j = 0; j <= k; j++)
    e->columns.rank[j] = lr_embedding_dimension(e);
  e->phase->begun = e->warm = true;
  m->landing.trust = true;
  LR_TRY(lr_run_count(m->run, &m->here));
  if (fit->spans) return LR_GO; /* its derivatives are differences */
  /* measure the derivatives again: the next columns are differences of
   * derivatives divided by a step, in which the errors of fitted ones would be
   * amplified */
  LR_TRY(lr_embedding_foresee(e, true));
  LR_TRY(lr_model_measure(m));
  const lr_known *known = &m->run->learned.known;
  double gain, first = known->n > 0 ? known->f[0] : m->run->record.start_f;
  LR_TRY(lr_model_gain(m, &gain));
  e->landed =
      lr_embedding_has_landed(lr_embedding_policy(e), gain, first - m->here.f);
  return LR_GO;
}

void lr_embedding_tighten(lr_embedding *e)
{
  e->tolerance = lr_embedding_tightened(lr_embedding_policy(e), e->tolerance);
}

void lr_embedding_clear(lr_embedding *e)
{
  if (!e->model) return;
  lr_free(&e->allocator, e->columns.rank);
  *e = (lr_embedding){0};
}

/* ---- the tolerance where the user gave none ---- */

/* Raises the tolerance where the first gradient is not far above the error of
 * the differences that estimated it: then the start is close to a minimum, and
 * differences resolve no small share of that gradient. */
static void raise_tolerance(const lr_embedding *e, double first)
{
  lr_oracle *o = e->model->oracle;
  if (o->differences.noise > 0) return;
  double c = lr_embedding_start_curvature(
      lr_embedding_policy(e), lr_embedding_random_curvature(e), e->curvature);
  double error = lr_oracle_slope_error(o, &e->model->start, c) *
                 sqrt(lr_embedding_dimension(e));
  e->model->run->goal.least_tol =
      lr_embedding_least_tolerance(lr_embedding_policy(e), first, error);
}

void lr_embedding_set_tolerance(lr_embedding *e)
{
  lr_run *run = e->model->run;
  double first = fmax(sqrt(e->outside.first), run->goal.first_slope);
  if (run->goal.tol > 0 || !(e->outside.first > 0)) return;
  raise_tolerance(e, first);
  run->goal.tol = fmax(lr_auto_tolerance(lr_embedding_policy(e), first),
                       run->goal.least_tol);
}

lr_why lr_embedding_judge_start(lr_embedding *e, lr_why why)
{
  lr_run_goal *goal = &e->model->run->goal;
  if (!(goal->tol > 0) && e->outside.probes > 0)
    raise_tolerance(e, sqrt(e->outside.now));
  if (!(goal->least_tol > 0)) return why;
  if (!(goal->tol > 0)) goal->tol = goal->least_tol;
  return lr_embedding_mapped(e) ? LR_WHY_CONVERGED : LR_WHY_STUCK;
}
