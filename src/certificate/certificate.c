/* Looks outside a subspace: is the gradient small there too? */
#include "certificate/certificate.h"

#include "base/elementary.h"
#include "subspace/probe.h"

#include <math.h>

uint64_t lr_next_look(lr_run *run, double *share)
{
  uint64_t look = ++run->claim.checks;
  *share = lr_probe_share(1 - run->options.confidence, look);
  return LR_STREAM_PROBE + look * (uint64_t)run->options.probes;
}

/* What curvature may have done to the slope just measured.  Under noise steps
 * are long, and the bound says nothing. */
static double bend_of(const lr_oracle *o)
{
  if (o->differences.noise > 0) return 0;
  bool seen = !o->answers.slopes && !o->answers.gradient &&
              o->accuracy.errors.two_sided;
  return seen ? sqrt(fmax(o->accuracy.errors.bend2, 0)) : 0;
}

/* m more probes into *S, the first of them along the random direction `stream`;
 * *used counts those that found something outside of U. */
static lr_code probe(lr_run *run, lr_basis *U, double c, uint64_t stream,
                     size_t m, double *S, size_t *used)
{
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  lrgd_vec spare = lr_run_work(run, LR_WORK_SEARCH);
  double length, d[2], guess = -fabs(c);
  for (size_t i = 0; i < m; i++) {
    if (!lr_probe_direction(U, &run->domain, w, spare,
                            (uint64_t)run->options.seed, stream + i, &length))
      return LR_GO;
    LR_TRY(lr_oracle_slopes_hinted(&run->oracle, &run->at, w, 1,
                                   LRGD_PURPOSE_PROBE, &guess, d));
    double most = fabs(d[0]) + bend_of(&run->oracle);
    *S += length * length * most * most;
    ++*used;
  }
  return LR_GO;
}

/* The next CLOSER looks as one, with all their directions and all that they may
 * be wrong. */
enum { CLOSER = 3 };
static uint64_t next_looks(lr_run *run, double *share)
{
  uint64_t stream = 0;
  *share = 0;
  for (int i = 0; i < CLOSER; i++) {
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
  size_t m = (size_t)run->options.probes, used = 0, p = lr_run_dimension(run);
  double S = 0, share;
  *bound = INFINITY; /* where probes see nothing, or cannot be answered */
  if (lr_oracle_blind(&run->oracle, &run->at, c)) return LR_GO;
  LR_TRY(
      lr_oracle_hear_slopes(&run->oracle, &run->at, run->options.confidence));
  uint64_t stream = lr_next_look(run, &share);
  lr_code code = probe(run, U, c, stream, m, &S, &used);
  double error = lr_oracle_slope_error(&run->oracle, &run->at, c);
  /* twice: it is made of a mean curvature */
  double inside = run->progress.grad_norm + run->claim.bend +
                  2 * error * sqrt((double)U->k);
  double outside = used > 0 ? lr_probe_bound(S, used, share) : 0;
  /* few probes leave a factor of two open: more of them, where that decides and
   * they cost little */
  double about = lr_hypot(inside, sqrt(S / fmax((double)used, 1)));
  if (closely && code == LR_GO && lr_hypot(inside, outside) > run->goal.tol &&
      about < 0.75 * run->goal.tol && 10 * CLOSER * m <= 3 * p) {
    stream = next_looks(run, &share);
    code = probe(run, U, c, stream, CLOSER * m, &S, &used);
    outside = lr_probe_bound(S, used, share);
  }
  run->claim.probed = used;
  if (code == LR_GO) *bound = lr_hypot(inside, outside);
  return code == LR_NOVALUE ? LR_GO : code;
}

lr_code lr_model_certify(lr_model *m, bool closely, double *bound)
{
  m->run->at = m->here;
  m->run->progress.grad_norm = lr_norm(m->V->k, m->g);
  m->run->claim.bend = 0; /* what is known of curvature was taken off */
  return lr_check_outside(m->run, m->V, lr_model_mean_curvature(m), closely,
                          bound);
}
