/* A certificate outside a subspace: an upper confidence bound on |grad f| from
 * directional derivatives along random probes. */
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

/* Adds to *S the squares of m more probes, each an estimate of |g outside U|^2.
 * stream: the random direction of the first of them; *used counts those whose
 * direction has a part outside U. */
static lr_code probe(lr_run *run, lr_basis *U, double c, uint64_t stream,
                     size_t m, double *S, size_t *used)
{
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  lrgd_vec spare = lr_run_work(run, LR_WORK_SEARCH);
  double length, d[2], guess = -fabs(c);
  for (size_t i = 0; i < m; i++) {
    if (!lr_probe_direction(U, &run->domain, w, spare, run->oracle.seed,
                            stream + i, &length))
      return LR_GO;
    LR_TRY(lr_oracle_slopes_hinted(&run->oracle, &run->at, w, 1,
                                   LRGD_PURPOSE_PROBE, &guess, d));
    double most = fabs(d[0]) + truncation_of(&run->oracle);
    *S += length * length * most * most;
    ++*used;
  }
  return LR_GO;
}

/* Joins several certificates to one, which has the probes and the error
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

lr_code lr_check_outside(lr_run *run, lr_basis *U, double c, bool closely,
                         double *bound)
{
  const lr_policy *P = run->policy;
  size_t m = (size_t)run->options.probes, used = 0;
  double S = 0, share;
  *bound = INFINITY; /* where bounds hide coordinates from probes, or f has no
                        value at one */
  if (lr_oracle_blind(&run->oracle, &run->at, c)) return LR_GO;
  LR_TRY(
      lr_oracle_hear_slopes(&run->oracle, &run->at, run->options.confidence));
  uint64_t stream = lr_next_look(run, &share);
  lr_code code = probe(run, U, c, stream, m, &S, &used);
  double error = lr_oracle_slope_error(&run->oracle, &run->at, c);
  double inside = lr_certificate_inside(P, run->progress.grad_norm,
                                        run->claim.bend, error, U->k);
  double outside = used > 0 ? lr_probe_bound(S, used, share) : 0;
  double estimate = lr_hypot(inside, sqrt(S / fmax((double)used, 1)));
  if (closely && code == LR_GO &&
      lr_certificate_repeats(P, lr_hypot(inside, outside), estimate,
                             run->goal.tol, m, lr_run_dimension(run))) {
    size_t looks = (size_t)P->repeat_looks;
    stream = next_looks(run, looks, &share);
    code = probe(run, U, c, stream, looks * m, &S, &used);
    outside = lr_probe_bound(S, used, share);
  }
  run->claim.probed = used;
  if (code == LR_GO) *bound = lr_hypot(inside, outside);
  return code == LR_NOVALUE ? LR_GO : code;
}

lr_code lr_model_certify(lr_model *m, bool closely, double *bound)
{
  lr_run_stand(m->run, &m->here);
  m->run->progress.grad_norm = lr_norm(m->V->k, m->g);
  m->run->claim.bend = 0; /* the model's curvature was taken off */
  return lr_check_outside(m->run, m->V, lr_model_mean_curvature(m), closely,
                          bound);
}
