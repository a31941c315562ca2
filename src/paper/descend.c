/* Descent inside a subspace: what the algorithms of the paper share. */
#include "paper/paper.h"

#include "base/finite.h"
#include "base/options.h"
#include "solver/solver_rules.h"
#include "space/vec.h"

#include <math.h>

/* Counts the moves in a row over which the slopes did not change, but for
 * rounding.  A function that is linear along the path would keep a fixed step
 * going for ever; after enough moves points far ahead are tried, once. */
typedef struct straight {
  double norm;
  int moves;
  bool looked;
} straight;

static lr_code watch(straight *s, lr_run *run, const lr_basis *U, double norm)
{
  bool same = lr_solver_same_gradient(run->policy, norm, s->norm);
  s->moves = same ? s->moves + 1 : 0;
  s->norm = norm;
  if (!lr_solver_is_linear(run->policy, s->moves) || s->looked) return LR_GO;
  s->looked = true;
  return lr_run_leap(run, U);
}

lr_code lr_descend(lr_run *run, const lr_basis *U, lr_leave leave)
{
  straight path = {.norm = -1};
  for (;;) {
    double norm;
    LR_TRY(lr_run_slopes(run, U, LRGD_PURPOSE_DESCEND, &norm));
    bool small = norm <= lr_run_aim(run);
    if (small && (leave == LR_BEFORE_UPDATE || !(norm > 0))) return LR_GO;
    if (!run->options.verbatim) LR_TRY(watch(&path, run, U, norm));
    LR_TRY(lr_run_move(run, U));
    if (small || lr_run_slow(run)) return LR_GO;
  }
}

lr_code lr_new_subspace(lr_run *run, size_t k)
{
  if (lr_step_reset(&run->moving.step, k) == LRGD_OK) return LR_GO;
  return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for steps in %zu dimensions", k);
}

lr_code lr_grown_subspace(lr_run *run)
{
  if (lr_step_grow(&run->moving.step, run->U.k) == LRGD_OK) return LR_GO;
  return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for steps in %zu dimensions", run->U.k);
}

lr_code lr_append(lr_run *run, lrgd_vec g, bool *kept)
{
  if (lr_basis_append(&run->U, g, run->options.rank_cut, kept) == LRGD_OK)
    return LR_GO;
  return lr_oracle_fault(&run->oracle, LRGD_ERR_NOMEM,
                         "out of memory for direction %zu", run->U.k + 1);
}

lr_code lr_step_along(lr_run *run, lrgd_vec g)
{
  double norm;
  lrgd_vec u = lr_basis_column(&run->moving.line, 0);
  run->space->ops->copy(run->space, u, g, 1);
  lr_run_follow(run, u);
  if (!lr_normalise(run->space, u, &norm)) return LR_GO;
  run->moving.line.k = 1;
  run->moving.d[0] = norm;
  LR_TRY(lr_new_subspace(run, 1));
  return lr_run_move(run, &run->moving.line);
}

lr_code lr_no_step(lr_run *run)
{
  double error = lr_oracle_slope_error(&run->oracle, &run->at, 0);
  double floor = error * sqrt((double)lr_run_dimension(run));
  return lr_oracle_stall(
      &run->oracle, LRGD_STALL_NO_DECREASE,
      (lrgd_decision){.kind = LRGD_DECISION_KIND_NO_STEP_INSIDE,
                      .value = lr_run_told(run, run->progress.grad_norm),
                      .level = lr_run_told(run, floor),
                      .limit = lr_run_told(run, run->goal.tol)});
}

lr_code lr_sample_gradient(lr_run *run, uint64_t stream, lrgd_vec g)
{
  double radius = run->options.sample_radius, norm;
  lr_code code = LR_NOVALUE;
  for (int i = 0; lr_solver_resamples(run->policy, i) && code == LR_NOVALUE;
       i++) {
    LR_TRY(lr_run_sample(run, stream, ldexp(radius, -i)));
    code = lr_run_gradient_at(run, &run->trial, g, LRGD_PURPOSE_IDENTIFY, 0,
                              &norm);
  }
  return code;
}
