/* A certificate by random probes: an upper confidence bound on |grad f| from
 * directional derivatives along them.
 *
 * Where the derivatives inside a subspace are exact, or their truncation error
 * is bounded, probes outside it bound the rest.  Those of the quadratic model
 * are one-sided differences less its curvature, and the model errs in that and
 * in all higher derivatives.  So its probes go everywhere, and are compared
 * with what its derivatives say: they see the errors of these too. */
#include "certificate/certificate.h"

#include "certificate/certificate_rules.h"

#include "base/elementary.h"
#include "subspace/probe.h"

#include <math.h>

uint64_t lr_next_look(lr_run *run, double *share)
{
  uint64_t look = ++run->claim.checks;
  *share = lr_probe_share(1 - run->options.confidence, look);
  return LR_STREAM_PROBE + look * (uint64_t)run->options.probes;
}

/* The bound on the truncation error of the derivative just measured, from its
 * two one-sided parts.  Under noise the steps are long and noise makes up most
 * of that bound, so that it is not used. */
static double truncation_of(const lr_oracle *o)
{
  if (o->differences.noise > 0) return 0;
  bool seen = !o->answers.slopes && !o->answers.gradient &&
              o->accuracy.errors.two_sided;
  return seen ? sqrt(fmax(o->accuracy.errors.bend2, 0)) : 0;
}

/* The gradient, or part of a gradient, that probes estimate. */
typedef struct view {
  lr_basis *U; /* probes are directions outside it; empty: all directions */
  double c;    /* the expected curvature along probes */
  /* NULL: probes estimate |g outside U|, where the derivatives along U are
   * known.  Else |g - V g_V|, whose part inside V is the error of the model's
   * measured derivatives g_V */
  lr_model *model;
} view;

/* The known derivative along w.  w is reversed where its part inside V has the
 * sign of the differences along V, so that no probe repeats one of them. */
static double known_slope(const view *v, lrgd_vec w)
{
  lr_model *m = v->model;
  double sum = 0, slope;
  if (!m) return 0;
  double *z = m->work.column;
  lr_basis_project(m->V, w, z);
  for (size_t j = 0; j < m->V->k; j++) sum += z[j];
  slope = lr_dot(m->V->k, z, m->g);
  if (!(sum > 0)) return slope;
  m->space->ops->scale(m->space, w, -1);
  return -slope;
}

/* The smallest derivative that a probe resolves: equal values show that the
 * derivative is below this, not that it is zero. */
static double resolution(lr_run *run, double c)
{
  return lr_oracle_level(&run->oracle, run->at.f) /
         lr_oracle_reach(&run->oracle, &run->at, c);
}

/* Evaluates the points of up to m probes side by side, where the width allows
 * it; *n: how many probes, at least one. */
static lr_code foresee(lr_run *run, const view *v, uint64_t stream, size_t m,
                       size_t *n)
{
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  lrgd_vec spare = lr_run_work(run, LR_WORK_SEARCH);
  double length, guess = -fabs(v->c);
  bool more = lr_oracle_begin_plan(&run->oracle);
  for (*n = 0; *n < m && more; *n += more) {
    more = lr_probe_direction(v->U, &run->domain, w, spare, run->oracle.seed,
                              stream + *n, &length);
    if (more) (void)known_slope(v, w);
    more = more && lr_oracle_plan_slope(&run->oracle, &run->at, w, guess);
  }
  if (*n == 0) *n = 1;
  return lr_oracle_ask_planned(&run->oracle, LRGD_PURPOSE_PROBE);
}

/* Adds the squares of m more probes to *S, each of which estimates the square
 * of the norm that v describes.  stream: the random direction of the first of
 * them; *used counts the probes whose direction has a part outside U. */
static lr_code probe(lr_run *run, const view *v, uint64_t stream, size_t m,
                     double *S, size_t *used)
{
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  lrgd_vec spare = lr_run_work(run, LR_WORK_SEARCH);
  double length, d[2], guess = -fabs(v->c);
  for (size_t i = 0, ahead = 0, n; i < m; i++) {
    if (i == ahead) {
      LR_TRY(foresee(run, v, stream + i, m - i, &n));
      ahead += n;
    }
    if (!lr_probe_direction(v->U, &run->domain, w, spare, run->oracle.seed,
                            stream + i, &length))
      return LR_GO;
    double known = known_slope(v, w);
    LR_TRY(lr_oracle_slopes_hinted(&run->oracle, &run->at, w, 1,
                                   LRGD_PURPOSE_PROBE, &guess, d));
    double off = fabs(d[0] - known) + truncation_of(&run->oracle);
    if (v->model && d[0] == 0) off = fmax(off, resolution(run, v->c));
    *S += length * length * off * off;
    ++*used;
  }
  return LR_GO;
}

/* Combines several certificates into one, with the probes and the error
 * probabilities of all of them. */
static uint64_t next_looks(lr_run *run, size_t looks, double *share)
{
  uint64_t stream = 0;
  *share = 0;
  for (size_t i = 0; i < looks; i++) {
    double one;
    uint64_t this = lr_next_look(run, &one);
    if (i == 0) stream = this;
    *share += one;
  }
  return stream;
}

/* Combines a bound on the known part of the gradient with the bound by probes.
 * Probes outside U measure an orthogonal part; otherwise the two may have the
 * same direction, so that they are added. */
static double join(const view *v, double inside, double probed)
{
  return v->model ? inside + probed : lr_hypot(inside, probed);
}

/* Bounds |grad f|, `inside` being a bound on the known part. */
static lr_code bound_by_probes(lr_run *run, const view *v, double inside,
                               bool closely, double *bound)
{
  size_t m = (size_t)run->options.probes, used = 0;
  double S = 0, share;
  uint64_t stream = lr_next_look(run, &share);
  lr_code code = probe(run, v, stream, m, &S, &used);
  double probed = used > 0 ? lr_probe_bound(S, used, share) : 0;
  double estimate = join(v, inside, sqrt(S / fmax((double)used, 1)));
  if (closely && code == LR_GO &&
      lr_certificate_repeats(run->policy, join(v, inside, probed), estimate,
                             run->goal.tol, m, lr_run_dimension(run))) {
    size_t looks = (size_t)run->policy->repeat_looks;
    stream = next_looks(run, looks, &share);
    code = probe(run, v, stream, looks * m, &S, &used);
    probed = lr_probe_bound(S, used, share);
  }
  run->claim.probed = used;
  if (code == LR_GO) *bound = join(v, inside, probed);
  return code == LR_NOVALUE ? LR_GO : code;
}

/* Whether probes can be relied on here: bounds must not exclude coordinates
 * from them. Measures the noise of derivatives that the user gives. */
static lr_code ready(lr_run *run, double c, bool *can)
{
  *can = !lr_oracle_blind(&run->oracle, &run->at, c);
  if (!*can) return LR_GO;
  return lr_oracle_hear_slopes(&run->oracle, &run->at, run->options.confidence);
}

lr_code lr_check_outside(lr_run *run, lr_basis *U, double c, bool closely,
                         double *bound)
{
  bool can;
  *bound = INFINITY; /* the result where no probe can be made */
  LR_TRY(ready(run, c, &can));
  if (!can) return LR_GO;
  double error = lr_oracle_slope_error(&run->oracle, &run->at, c);
  double inside = lr_certificate_inside(run->policy, run->progress.grad_norm,
                                        run->claim.bend, error, U->k);
  const view outside = {.U = U, .c = c};
  return bound_by_probes(run, &outside, inside, closely, bound);
}

lr_code lr_model_certify(lr_model *m, bool closely, double *bound)
{
  lr_run *run = m->run;
  const lr_answers *a = &m->oracle->answers;
  double c = lr_model_mean_curvature(m);
  bool can;
  lr_run_stand(run, &m->here);
  run->progress.grad_norm = lr_norm(m->V->k, m->g);
  run->claim.bend = 0;
  if (a->slopes || a->gradient)
    return lr_check_outside(run, m->V, c, closely, bound);
  *bound = INFINITY;
  LR_TRY(ready(run, c, &can));
  if (!can) return LR_GO;
  lr_basis none = {.space = m->space};
  const view everywhere = {.U = &none, .c = c, .model = m};
  return bound_by_probes(run, &everywhere, run->progress.grad_norm, closely,
                         bound);
}
