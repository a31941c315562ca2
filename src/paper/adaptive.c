/* Adaptive low-rank gradient descent: Algorithm 3 of the paper.
 *
 * Differences from the paper: a new direction is orthogonalised against U
 * (twice) and normalised, or left out where nothing remains; the inner loop is
 * a do ... while; and the run ends when the gradient that would give the next
 * direction is small (the paper goes on to r = p, at p calls a round).  For
 * update(r) = 2 r the one gradient at theta is not enough: the others are taken
 * at points around it. */
#include "paper/paper.h"

/* U did not grow: ends the run if U may not grow, or if no step moves. */
static lr_code no_growth(lr_run *run, bool inside_done, bool moved)
{
  if (inside_done && run->U.k == lr_run_most_directions(run) &&
      run->U.k < lr_run_dimension(run))
    return lr_oracle_stall(
        &run->oracle, LRGD_STALL_RANK,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_DIRECTIONS_USED,
                        .count = run->U.k,
                        .value = lr_run_told(run, run->progress.grad_norm),
                        .limit = lr_run_told(run, run->goal.tol)});
  return moved ? LR_GO : lr_no_step(run);
}

/* r <- update(r): adds the part of g outside U, and with doubling as many
 * directions again from gradients around theta. */
static lr_code enlarge(lr_run *run, lrgd_vec g, bool *kept)
{
  size_t r = run->U.k, most = lr_run_most_directions(run), next = r + 1;
  if (run->options.growth == LRGD_GROWTH_DOUBLE) next = 2 * r;
  if (next > most) next = most;
  *kept = false;
  if (r < most) LR_TRY(lr_append(run, g, kept));
  if (!*kept) return LR_GO;
  lrgd_vec w = lr_run_work(run, LR_WORK_EXTRA);
  for (size_t j = r + 1; j < next; j++) {
    bool also;
    lr_code code = lr_sample_gradient(run, LR_STREAM_SAMPLE + j, w);
    if (code == LR_GO) code = lr_append(run, w, &also);
    if (code != LR_NOVALUE) LR_TRY(code);
  }
  return lr_grown_subspace(run);
}

lr_code lr_method_adaptive(lr_run *run)
{
  lrgd_vec g = lr_run_work(run, LR_WORK_GRADIENT);
  double norm;
  bool kept;

  /* U <- {grad f(theta) / |grad f(theta)|} */
  LR_TRY(lr_run_gradient_or_end(run, g, LRGD_PURPOSE_IDENTIFY, &norm));
  run->U.k = 0;
  LR_TRY(lr_append(run, g, &kept));
  LR_TRY(lr_new_subspace(run, run->U.k));
  for (;;) {
    uint64_t before = run->progress.moves;
    lr_code code = lr_descend(run, &run->U, LR_AFTER_UPDATE);
    if (code != LR_NOVALUE) LR_TRY(code);
    if (run->progress.moves == before + 1 && lr_run_slow(run))
      return lr_run_end_slow(
          run); /* the only step of the round was too small a decrease */
    /* u' <- grad f(theta) - sum d_j u_j */
    LR_TRY(lr_run_gradient_or_end(run, g, LRGD_PURPOSE_IDENTIFY, &norm));
    LR_TRY(enlarge(run, g, &kept));
    if (kept)
      lr_run_decide(run,
                    (lrgd_decision){.kind = LRGD_DECISION_KIND_SUBSPACE_GROWN,
                                    .count = run->U.k,
                                    .value = lr_run_told(run, norm)});
    else
      LR_TRY(no_growth(run, code == LR_GO, run->progress.moves > before));
  }
}
