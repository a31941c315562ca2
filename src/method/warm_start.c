/* A warm start: a run that begins with what was paid for before.
 *
 * It begins at the lowest known point, reads the noise off known values, and
 * hands its method a quadratic fitted to all that is known near that point. */
#include "base/options.h"
#include "method/solver.h"

#include <inttypes.h>
#include <math.h>

/* ---- learning ---- */

static lrgd_status check(const lrgd_solver *s, size_t n,
                         const lrgd_evaluation *evaluations, lrgd_error *error)
{
  if (!lr_solver_valid(s) || (n > 0 && !evaluations))
    return lr_fail(error, LRGD_ERR_INVALID, "solver or evaluations is NULL");
  if (!s->host)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "only solvers of host doubles learn from evaluations");
  if (n > 0 && s->run.domain.k > 0)
    return lr_fail(error, LRGD_ERR_INVALID,
                   "evaluations cannot be learned from together with a basis "
                   "or constraints");
  return LRGD_OK;
}

lrgd_status lrgd_solver_learn(lrgd_solver *solver, size_t n,
                              const lrgd_evaluation *evaluations, int verify,
                              lrgd_error *error)
{
  lrgd_status status = check(solver, n, evaluations, error);
  if (status != LRGD_OK) return status;
  if (!lr_solver_enter(solver)) return lr_solver_busy(error);
  lr_run *run = &solver->run;
  lr_known_clear(&run->known);
  run->verify = verify != 0;
  status = lr_known_init(&run->known, &solver->allocator,
                         solver->space->dimension, n, evaluations);
  lr_solver_leave(solver);
  if (status == LRGD_OK) return LRGD_OK;
  return lr_fail(error, status, "out of memory for %zu evaluations", n);
}

/* ---- beginning ---- */

static const double *bound(const lr_run *run, lrgd_vec which)
{
  bool given = run->oracle.box.lower.block != NULL;
  return given ? lrgd_host_data(which) : NULL;
}

void lr_solver_choose_start(lrgd_solver *s, lrgd_vec x)
{
  lr_run *run = &s->run;
  lrgd_box box = run->oracle.box;
  run->warm = run->known.n;
  if (run->known.n == 0 || run->domain.k > 0) return;
  run->warm = lr_known_lowest(&run->known, bound(run, box.lower),
                              bound(run, box.upper));
  if (!lr_run_begins_warm(run)) return;
  run->warm = lr_known_base(&run->known, run->warm);
  s->space->ops->put(s->space, x, 0, run->known.p,
                     run->known.x + run->warm * run->known.p);
}

bool lr_run_first_is_inside(const lr_run *run)
{
  lrgd_box box = run->oracle.box;
  return lr_run_begins_warm(run) &&
         lr_known_inside(&run->known, 0, bound(run, box.lower),
                         bound(run, box.upper));
}

/* Whether the method makes models, which begin with a fit of their own. */
static bool makes_models(const lr_run *run)
{
  return run->options.method == LRGD_METHOD_AUTO ||
         run->options.method == LRGD_METHOD_KRYLOV;
}

bool lr_run_begins_warm(const lr_run *run)
{
  return run->warm < run->known.n;
}

/* The noise of f: as given, or read off a line of values that are known, or
 * measured (*measured). */
static lr_code find_noise(lr_run *run, bool *measured)
{
  lr_oracle *o = &run->oracle;
  double f[LR_LINE];
  bool given = lr_given(o->options->noise);
  *measured = given || !lr_known_line(&run->known, LR_LINE, f) ||
              !lr_oracle_read_noise(o, f);
  return *measured ? lr_oracle_find_noise(o, &run->at) : LR_GO;
}

/* How far two answers of one function may be apart: the lowest of many is some
 * four standard deviations low, and points come back from a journal to 1e-13.
 */
static double agreement(const lr_run *run, double f)
{
  double descent = fmax(run->known.f[0] - f, 0);
  double rounding = fmax(1e-9 * fabs(f), 1e-12 * descent);
  return fmax(rounding, 10 * run->oracle.noise);
}

/* Asks f at the start again: is it the function that was evaluated before? */
static lr_code verify_start(lr_run *run, bool measured)
{
  lr_oracle *o = &run->oracle;
  double known = run->at.f;
  lr_point again = run->at;
  o->recall = NULL;
  lr_oracle_rename(o, &again);
  lr_code code = lr_oracle_value(o, &again, LRGD_PURPOSE_CHECK);
  bool apart =
      code == LR_GO && !(fabs(again.f - known) <= agreement(run, known));
  if (apart && !measured) code = lr_oracle_find_noise(o, &run->at);
  o->recall = lr_run_recall;
  if (code == LR_NOVALUE)
    return lr_oracle_fault(o, LRGD_ERR_REFUSED,
                           "f is %.10g at the lowest point known, and cannot "
                           "be evaluated there now: it is another function",
                           known);
  LR_TRY(code);
  if (fabs(again.f - known) <= agreement(run, known)) return LR_GO;
  return lr_oracle_fault(o, LRGD_ERR_REFUSED,
                         "f was %.17g at the lowest point known, and is %.17g "
                         "there now: it is another function",
                         known, again.f);
}

/* The lowest value that is known counts as one of the run's own, wherever the
 * run begins. */
static void hear_lowest(lr_run *run)
{
  lrgd_box box = run->oracle.box;
  lrgd_vec x = lr_run_work(run, LR_WORK_SEARCH);
  size_t i = lr_known_lowest(&run->known, bound(run, box.lower),
                             bound(run, box.upper));
  run->space->ops->put(run->space, x, 0, run->known.p,
                       run->known.x + i * run->known.p);
  run->oracle.hear(run, x, run->known.f[i]);
}

lr_code lr_run_warm_start(lr_run *run)
{
  bool measured;
  lr_fit fit;
  lr_oracle_tell(&run->oracle, &run->at, run->known.f[run->warm],
                 run->known.f[0]);
  lr_run_note(run, "%zu evaluations known: from the lowest, f = %.6g",
              run->known.n, run->at.f);
  LR_TRY(lr_run_count(run, &run->at));
  hear_lowest(run);
  LR_TRY(find_noise(run, &measured));
  if (run->verify) LR_TRY(verify_start(run, measured));
  if (makes_models(run)) return LR_GO;
  /* the paper's methods: what is a small gradient, and where do steps that are
   * as long as the gradient lead down? */
  LR_TRY(lr_run_fit(run, 1, &fit));
  bool good = fit.newton || fit.quadratic;
  lr_fit_clear(&fit);
  if (!good && lr_run_first_is_inside(run)) lr_run_to_first(run, &run->at);
  return LR_GO;
}

void lr_run_to_first(lr_run *run, lr_point *at)
{
  run->space->ops->put(run->space, at->x, 0, run->known.p, run->known.x);
  lr_oracle_rename(&run->oracle, at);
  at->f = run->known.f[0];
}

bool lr_run_recall(void *self, lrgd_vec x, double *f)
{
  const lr_run *run = self;
  size_t i = lr_known_find(&run->known, lrgd_host_data(x));
  if (i == run->known.n) return false;
  *f = run->known.f[i];
  return true;
}

lr_code lr_run_fit(lr_run *run, size_t most, lr_fit *fit)
{
  *fit = (lr_fit){0};
  if (!lr_run_begins_warm(run)) return LR_GO;
  lrgd_status status =
      lr_fit_init(fit, &run->known, run->warm, most, run->oracle.noise);
  if (status != LRGD_OK)
    return lr_oracle_fault(&run->oracle, status,
                           "out of memory for a fit to %zu evaluations",
                           run->known.n);
  run->first_slope = fmax(run->first_slope, fit->steepness);
  return LR_GO;
}
