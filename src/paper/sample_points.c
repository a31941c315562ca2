/* Lines 1 to 4 of Algorithm 1: sample points, their gradients, and the subspace
 * these span.  The points are the user's, or random around the start, which is
 * the first of them unless the algorithm is verbatim: its gradient also serves
 * as a stopping test. */
#include "paper/paper.h"

#include "base/finite.h"
#include "space/vec.h"
#include "subspace/identify.h"

#include <math.h>

/* The gradient at the user's j-th point. */
static lr_code given_gradient(lr_run *run, size_t j, lrgd_vec g)
{
  double norm;
  lr_point at = {
      {run->samples, j},
      0, 0
  };
  lr_oracle_rename(&run->oracle, &at);
  lr_code code =
      lr_run_gradient_at(run, &at, g, LRGD_PURPOSE_IDENTIFY, 0, &norm);
  if (code != LR_NOVALUE) return code;
  if (run->options.verbatim)
    return lr_oracle_end(
        &run->oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_SAMPLE_FAILED,
                        .count = j + 1});
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_SAMPLE_SKIPPED,
                                     .count = j + 1});
  return LR_NOVALUE;
}

/* The gradient at the start, which ends the run where it is small. */
static lr_code start_gradient(lr_run *run, lrgd_vec to)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
  double norm;
  LR_TRY(lr_run_gradient_or_end(run, g, LRGD_PURPOSE_IDENTIFY, &norm));
  run->space->ops->copy(run->space, to, g, 1);
  return LR_GO;
}

static lr_code fill(lr_run *run, lrgd_block *G, size_t n)
{
  for (size_t j = 0; j < n; j++) {
    lrgd_vec g = {G, j};
    lr_code code;
    if (run->samples)
      code = given_gradient(run, j, g);
    else if (j == 0 && !run->options.verbatim)
      code = start_gradient(run, g);
    else
      code = lr_sample_gradient(run, LR_STREAM_SAMPLE + j, g);
    if (code == LR_NOVALUE)
      run->space->ops->scale(run->space, g, 0);
    else
      LR_TRY(code);
  }
  return LR_GO;
}

/* ---- the subspace ---- */

/* Completes U to r columns where the rank of G is less: the other left singular
 * vectors are arbitrary orthonormal ones. */
static lr_code complete(lr_run *run, size_t r)
{
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  size_t found = run->U.k;
  for (uint64_t j = 0; run->U.k < r && j < 2 * r; j++) {
    bool kept;
    run->space->ops->gaussian(run->space, w, run->oracle.seed,
                              LR_STREAM_COMPLETE + j);
    if (run->oracle.listener.confine)
      run->oracle.listener.confine(run->oracle.listener.self, w);
    LR_TRY(lr_append(run, w, &kept));
  }
  if (found < r)
    lr_run_decide(run,
                  (lrgd_decision){.kind = LRGD_DECISION_KIND_SUBSPACE_COMPLETED,
                                  .count = r - found,
                                  .level = (double)found});
  return LR_GO;
}

static lr_code identify(lr_run *run, lrgd_block *G, size_t n, size_t r)
{
  lr_identified found;
  lrgd_status status = lr_identify(&run->U, (lrgd_vec){G, 0}, n, r,
                                   (lrgd_identify)run->options.identify,
                                   run->options.rank_cut, &found);
  if (status != LRGD_OK)
    return lr_oracle_fault(&run->oracle, status,
                           "identification from %zu gradients: %s", n,
                           lrgd_status_text(status));
  run->progress.sigma_r = found.sigma_r;
  lr_run_decide(run,
                (lrgd_decision){.kind = LRGD_DECISION_KIND_SUBSPACE_IDENTIFIED,
                                .count = run->U.k,
                                .level = (double)found.samples,
                                .value = found.sigma_r});
  return run->options.verbatim ? complete(run, r) : LR_GO;
}

/* The number of points: the user's, otherwise r times the oversampling. */
static size_t count_samples(const lr_run *run, size_t r)
{
  if (run->samples) return run->sample_count;
  return (size_t)ceil((double)r * run->options.oversample);
}

lr_code lr_sample_subspace(lr_run *run, size_t r)
{
  size_t n = count_samples(run, r);
  lrgd_block *G = run->space->ops->make(run->space, n);
  if (!G)
    return lr_oracle_fault(
        &run->oracle, LRGD_ERR_NOMEM, "%zu gradients need %.3g bytes", n,
        (double)n * (double)run->space->dimension * sizeof(double));
  lr_code code = fill(run, G, n);
  if (code == LR_GO) code = identify(run, G, n, r);
  run->space->ops->free(run->space, G);
  return code;
}
