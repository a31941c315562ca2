/* A warm start: a run that begins with what was paid for before.
 *
 * It begins at the lowest known point, reads the noise off known values, and
 * hands its method a quadratic fitted to all that is known near that point. */
#include "api/solver.h"
#include "base/options.h"

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
  if (run->known.n == 0 || run->domain.k > 0 || run->options.verbatim) return;
  const double *lower = bound(run, box.lower), *upper = bound(run, box.upper);
  run->warm = lr_known_lowest(&run->known, lower, upper);
  if (!lr_run_begins_warm(run)) return;
  double target = run->options.target;
  bool reached = lr_given(target) && run->known.f[run->warm] <= target;
  if (!reached) run->warm = lr_known_base(&run->known, run->warm, lower, upper);
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
         run->options.method == LRGD_METHOD_QUASI_NEWTON;
}

bool lr_run_begins_warm(const lr_run *run)
{
  return run->warm < run->known.n;
}

/* Reads the noise of f off a line of values that are known. */
static bool read_noise(lr_run *run)
{
  double f[LR_LINE];
  return lr_known_line(&run->known, LR_LINE, f) &&
         lr_oracle_read_noise(&run->oracle, f);
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

static bool agrees(const lr_run *run, double f)
{
  return fabs(f - run->at.f) <= agreement(run, run->at.f);
}

/* Noise that a function might have, as a share of what was gained. */
static const double much_noise = 1e-2;

/* f is another number now than it was, and nobody has told of noise: is there
 * as much?  Asks for that only where it could be. */
static lr_code look_for_noise(lr_run *run, lr_point *again)
{
  lr_oracle *o = &run->oracle;
  double gained = fmax(run->known.f[0] - run->at.f, fabs(run->at.f));
  if (o->noise > 0 || read_noise(run)) return LR_GO;
  if (!(fabs(again->f - run->at.f) <= much_noise * gained)) return LR_GO;
  return lr_oracle_measure_noise(o, again, UINT64_MAX);
}

/* Asks f at the start again: is it the function that was evaluated before? */
static lr_code verify_start(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  double known = run->at.f, noise = o->noise;
  lr_point again = run->at;
  o->recall = NULL;
  lr_oracle_rename(o, &again);
  lr_code code = lr_oracle_value(o, &again, LRGD_PURPOSE_CHECK);
  if (code == LR_NOVALUE)
    return lr_oracle_fault(o, LRGD_ERR_REFUSED,
                           "f is %.10g at the lowest point known, and cannot "
                           "be evaluated there now: it is another function",
                           known);
  bool same = code == LR_GO && agrees(run, again.f);
  if (code == LR_GO && !same) {
    code = look_for_noise(run, &again);
    same = agrees(run, again.f);
    o->noise = noise; /* which the run will see for itself */
  }
  o->recall = lr_run_recall;
  run->at.id = again.id; /* a derivative may have come with the value */
  LR_TRY(code);
  if (same) return LR_GO;
  return lr_oracle_fault(o, LRGD_ERR_REFUSED,
                         "f was %.17g at the lowest point known, and is %.17g "
                         "there now: it is another function",
                         known, again.f);
}

/* The lowest known point is as good as heard of, where the run begins at the
 * base of its difference. */
static void hear_lowest(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  const lr_known *k = &run->known;
  lrgd_vec x = {o->points, 0};
  size_t low =
      lr_known_lowest(k, bound(run, o->box.lower), bound(run, o->box.upper));
  if (low == run->warm) return;
  run->space->ops->put(run->space, x, 0, k->p, k->x + low * k->p);
  o->hear(o->self, x, k->f[low]);
}

/* The start counts, as the best point and for the target. */
static lr_code count_start(lr_run *run)
{
  run->start_f = run->at.f;
  return lr_run_record(run, &run->at);
}

lr_code lr_run_warm_start(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  lr_fit fit;
  lr_oracle_tell(o, &run->at, run->known.f[run->warm], run->known.f[0]);
  hear_lowest(run);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_WARM_START,
                                     .count = run->known.n,
                                     .value = run->at.f});
  bool found = !lr_given(o->options->noise) && read_noise(run);
  if (lr_given(o->options->noise)) o->noise = o->options->noise;
  if (run->verify) LR_TRY(verify_start(run));
  LR_TRY(count_start(run));
  if (!found) LR_TRY(lr_oracle_find_noise(o, &run->at));
  lr_run_tell_noise(run);
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
