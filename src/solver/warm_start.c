/* A warm start: a run that uses evaluations made before it.
 *
 * It begins at the lowest known point, estimates the noise from known values,
 * and passes its method a quadratic fitted to the known evaluations near that
 * point. */
#include "solver/warm_start.h"

#include "base/options.h"
#include "learn/fit_rules.h"
#include "solver/iterate_record.h"

#include <inttypes.h>
#include <math.h>

static const double *bound(const lr_run *run, lrgd_vec which)
{
  bool given = run->oracle.box.lower.block != NULL;
  return given ? lrgd_host_data(which) : NULL;
}

void lr_run_choose_start(lr_run *run, lrgd_vec x)
{
  lrgd_box box = run->oracle.box;
  run->learned.warm = run->learned.known.n;
  run->learned.measured = run->learned.replays = run->learned.unopened = false;
  if (run->learned.known.n == 0 || run->domain.k > 0 || run->options.verbatim)
    return;
  const double *lower = bound(run, box.lower), *upper = bound(run, box.upper);
  run->learned.warm = lr_known_lowest(&run->learned.known, lower, upper);
  if (!lr_run_begins_warm(run)) return;
  double target = run->options.target;
  bool reached =
      lr_given(target) && run->learned.known.f[run->learned.warm] <= target;
  if (!reached)
    run->learned.warm =
        lr_known_base(&run->learned.known, run->learned.warm, lower, upper);
  run->space->ops->put(run->space, x, 0, run->learned.known.p,
                       run->learned.known.x +
                           run->learned.warm * run->learned.known.p);
}

bool lr_run_first_is_inside(const lr_run *run)
{
  lrgd_box box = run->oracle.box;
  return lr_run_begins_warm(run) &&
         lr_known_inside(&run->learned.known, 0, bound(run, box.lower),
                         bound(run, box.upper));
}

/* Whether the method builds models, which begin with a fit of their own. */
static bool makes_models(const lr_run *run)
{
  return run->options.method == LRGD_METHOD_AUTO ||
         run->options.method == LRGD_METHOD_QUASI_NEWTON;
}

bool lr_run_begins_warm(const lr_run *run)
{
  return run->learned.warm < run->learned.known.n;
}

/* Estimates the noise of f from known values on a line.  A noise of 0 in the
 * options, the default, is what runs assume until values show more. */
static bool read_noise(lr_run *run)
{
  double f[LR_LINE];
  return lr_known_line(&run->learned.known, LR_LINE, f) &&
         lr_oracle_read_noise(&run->oracle, f);
}

/* Whether f agrees with the known value at the start. */
static bool agrees(const lr_run *run, double f)
{
  double descent = fmax(run->learned.known.f[0] - run->at.f, 0);
  return fabs(f - run->at.f) <= lr_fit_agreement(run->policy, run->at.f,
                                                 descent,
                                                 run->oracle.differences.noise);
}

/* f at the start differs from its known value, and no noise is given: measures
 * whether there is enough noise to explain that, unless the difference is too
 * large. */
static lr_code look_for_noise(lr_run *run, lr_point *again)
{
  lr_oracle *o = &run->oracle;
  double gained = fmax(run->learned.known.f[0] - run->at.f, fabs(run->at.f));
  if (o->differences.noise > 0 || read_noise(run)) return LR_GO;
  if (!lr_fit_may_be_noise(run->policy, again->f - run->at.f, gained))
    return LR_GO;
  return lr_oracle_measure_noise(o, again, UINT64_MAX);
}

/* Evaluates f at the start again, to check that it is the function that was
 * evaluated before. */
static lr_code verify_start(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  double known = run->at.f, noise = o->differences.noise;
  lr_point again = run->at;
  lr_oracle_recall_by(o, NULL);
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
    lr_oracle_set_noise(o, noise); /* this run measures the noise again */
  }
  lr_oracle_recall_by(o, lr_run_recall);
  /* the derivative that came with the value stays known */
  lr_run_stand(run, &(lr_point){run->at.x, again.id, known});
  LR_TRY(code);
  if (same) return LR_GO;
  return lr_oracle_fault(o, LRGD_ERR_REFUSED,
                         "f was %.17g at the lowest point known, and is %.17g "
                         "there now: it is another function",
                         known, again.f);
}

/* Records the lowest known point as if it had been evaluated, where the run
 * begins at the base of the difference it belongs to. */
static void hear_lowest(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  const lr_known *k = &run->learned.known;
  lrgd_vec x = lr_run_work(run, LR_WORK_SEARCH);
  size_t low =
      lr_known_lowest(k, bound(run, o->box.lower), bound(run, o->box.upper));
  if (low == run->learned.warm) return;
  run->space->ops->put(run->space, x, 0, k->p, k->x + low * k->p);
  lr_run_hear(run, x, k->f[low]);
}

/* Records the start as the best point, and checks the target. */
static lr_code count_start(lr_run *run)
{
  run->record.start_f = run->at.f;
  return lr_run_record(run, &run->at);
}

lr_code lr_run_warm_start(lr_run *run)
{
  lr_oracle *o = &run->oracle;
  lr_fit fit;
  lr_oracle_reseed(o, run->learned.known.n);
  lr_oracle_tell(o, &run->at, run->learned.known.f[run->learned.warm],
                 run->learned.known.f[0]);
  hear_lowest(run);
  lr_run_decide(run, (lrgd_decision){.kind = LRGD_DECISION_KIND_WARM_START,
                                     .count = run->learned.known.n,
                                     .value = run->at.f});
  run->learned.measured = read_noise(run);
  if (o->options->noise > 0) lr_oracle_set_noise(o, o->options->noise);
  if (run->learned.verify) LR_TRY(verify_start(run));
  LR_TRY(count_start(run));
  if (!run->learned.measured) LR_TRY(lr_oracle_find_noise(o, &run->at));
  lr_run_tell_noise(run);
  if (makes_models(run)) return LR_GO;
  /* for the paper's methods: the scale of the gradient, and whether steps as
   * long as the gradient decrease f */
  LR_TRY(lr_run_fit(run, 1, &fit));
  bool good = fit.newton || fit.quadratic;
  lr_fit_clear(&fit);
  if (!good && lr_run_first_is_inside(run)) lr_run_to_first(run, &run->at);
  return LR_GO;
}

void lr_run_to_first(lr_run *run, lr_point *at)
{
  run->space->ops->put(run->space, at->x, 0, run->learned.known.p,
                       run->learned.known.x);
  lr_oracle_know(&run->oracle, at, run->learned.known.f[0]);
}

bool lr_run_recall(void *self, lrgd_vec x, double *f)
{
  const lr_run *run = self;
  size_t i = lr_known_find(&run->learned.known, lrgd_host_data(x));
  if (i == run->learned.known.n) return false;
  *f = run->learned.known.f[i];
  return true;
}

static lr_code no_memory(lr_run *run, lrgd_status status)
{
  return lr_oracle_fault(&run->oracle, status,
                         "out of memory for a fit to %zu evaluations",
                         run->learned.known.n);
}

lr_code lr_run_fit(lr_run *run, size_t most, lr_fit *fit)
{
  *fit = (lr_fit){0};
  if (!lr_run_begins_warm(run)) return LR_GO;
  lrgd_status status = lr_fit_init(fit, &run->learned.known, run->learned.warm,
                                   most, run->oracle.differences.noise);
  if (status != LRGD_OK) return no_memory(run, status);
  run->goal.first_slope = fmax(run->goal.first_slope, fit->steepness);
  return LR_GO;
}

lr_code lr_run_fit_samples(lr_run *run, lr_fit *fit)
{
  const lr_oracle *o = &run->oracle;
  bool by_value = !o->answers.slopes && !o->answers.gradient;
  *fit = (lr_fit){0};
  if (!lr_run_begins_warm(run) || run->options.method != LRGD_METHOD_AUTO ||
      !by_value || o->differences.noise > 0)
    return LR_GO;
  lrgd_status status = lr_fit_samples(fit, &run->learned.known,
                                      run->learned.warm, !lr_oracle_boxed(o));
  if (status != LRGD_OK) return no_memory(run, status);
  run->goal.first_slope = fmax(run->goal.first_slope, fit->steepness);
  return LR_GO;
}
