/* Phase R of `auto`.
 *
 * If f(x) = g(A x) with A r x p, then for almost every p x k matrix V with
 * k >= r the restriction z -> f(x0 + V z) attains min f: A need not be known.
 * V grows by one random direction at a time, each with its exact column of the
 * Hessian, so that on a quadratic the minimum over x0 + span V is always known
 * and the whole costs r^2/2 + 2.5 r + 2 values whatever p.
 *
 * When that is a bad idea: signs.c. */
#include "auto/embedding_state.h"

#include "base/memory.h"
#include "certificate/certificate.h"

#include <math.h>
#include <string.h>

/* ---- life ---- */

lr_code lr_embedding_init(lr_embedding *e, lr_model *m)
{
  size_t n = m->most + 2;
  *e = (lr_embedding){.model = m,
                      .share = m->oracle->fold.lower.block ? 1.0 / 3 : 1,
                      .allocator = m->run->allocator,
                      .gain_out = INFINITY,
                      .outside = INFINITY,
                      .lowest = INFINITY};
  e->rank = lr_alloc(&e->allocator, n, sizeof *e->rank);
  e->past = lr_alloc(&e->allocator, n, sizeof *e->past);
  e->pasts = lr_alloc(&e->allocator, n, sizeof *e->pasts);
  if (e->rank && e->past && e->pasts) return LR_GO;
  return lr_oracle_fault(m->oracle, LRGD_ERR_NOMEM,
                         "out of memory for %zu directions", n);
}

lr_code lr_embedding_continue(lr_embedding *e, const lr_fit *fit)
{
  lr_model *m = e->model;
  size_t k = m->V->k;
  e->began = e->looked = e->progressed = lr_embedding_spent(e);
  e->failed = lr_oracle_missed(m->oracle);
  e->c0 = fmax(fabs(lr_model_mean_curvature(m)), 1e-300);
  e->first = fit->steepness * fit->steepness;
  for (size_t j = 0; j <= k; j++) e->rank[j] = lr_embedding_dimension(e);
  e->begun = e->known = true;
  m->landing.trust = true;
  LR_TRY(lr_run_count(m->run, &m->here));
  /* the next columns are differences of slopes, divided by a step: those of a
   * fit would spoil them */
  return lr_model_measure(m);
}

void lr_embedding_tighten(lr_embedding *e)
{
  e->share /= 3;
}

void lr_embedding_clear(lr_embedding *e)
{
  if (!e->model) return;
  lr_free(&e->allocator, e->rank);
  lr_free(&e->allocator, e->past);
  lr_free(&e->allocator, e->pasts);
  *e = (lr_embedding){0};
}

/* Small inside (g is measured) and, by the last probe, outside: is it so?  In
 * folded coordinates that is not for us to say (a fold has crests, where every
 * slope is zero), and some room is left for those who look at it plainly. */
static lr_code maybe_certify(lr_embedding *e, double d, bool *done)
{
  lr_model *m = e->model;
  lr_run *run = m->run;
  size_t k = m->V->k;
  double bound, outside = (lr_embedding_dimension(e) - (double)k) * d * d;
  double inside = lr_norm(k, m->g), tol = e->share * run->goal.tol;
  if (!(inside * inside + outside <= tol * tol)) return LR_GO;
  *done = lr_embedding_folded(e);
  if (*done) return LR_GO;
  LR_TRY(lr_model_certify(m, false, &bound));
  return lr_run_certified(run, bound);
}

/* ---- the phase ---- */

/* The first direction: slope, curvature by one value, column. */
static lr_code begin(lr_embedding *e)
{
  lr_model *m = e->model;
  double d, rho;
  if (!e->begun) {
    e->began = lr_embedding_spent(e);
    e->failed = lr_oracle_missed(m->oracle);
  }
  e->drawn = false;
  e->looked = e->progressed = lr_embedding_spent(e);
  lrgd_vec u = lr_model_vec(m, LR_MODEL_PROBE);
  LR_TRY(lr_oracle_value(m->oracle, &m->here, LRGD_PURPOSE_DESCEND));
  m->start.f = m->base.f = m->here.f;
  LR_TRY(lr_run_count(m->run, &m->here));
  if (!lr_model_draw(m)) return LR_GO;
  LR_TRY(lr_model_slope(m, u, 1e-2, LRGD_PURPOSE_PROBE, &d));
  lr_embedding_probed(e, d);
  if (d != 0) m->space->ops->scale(m->space, u, d > 0 ? -1 : 1);
  LR_TRY(lr_model_curvature(m, u, -fabs(d), &e->c0));
  e->c0 = fabs(e->c0) > 0 ? fabs(e->c0) : 1;
  e->rank[1] = 1;
  LR_TRY(lr_model_extend(m, u, -fabs(d), e->c0, &rho));
  e->begun = true;
  return LR_GO;
}

/* The noise is not what was believed: what was built on that goes. */
static void start_over(lr_embedding *e)
{
  lr_model *m = e->model;
  lr_run_note(m->run, "noise of %.2g seen: the embedding starts over",
              lr_run_told(m->run, m->oracle->differences.noise));
  uint64_t checked = m->noise.checked;
  lr_model_restart(m);
  lr_run_forget_tolerance(m->run);
  m->noise.checked = checked;
  e->fails = e->high = e->level = e->idle = 0;
  e->lowest = INFINITY;
  e->landings = e->probes = e->extensions = 0;
  e->trusted_sum = e->first = e->reference = 0;
  memset(e->pasts, 0, (m->most + 2) * sizeof *e->pasts);
  e->outside = e->gain_out = INFINITY;
}

/* Slopes at the landing; two-sided from where forward ones are all noise. */
static lr_code rebase(lr_embedding *e)
{
  lr_model *m = e->model;
  lr_oracle *o = m->oracle;
  size_t k = m->V->k;
  LR_TRY(lr_model_rebase(m, NULL));
  double gg = lr_dot(k, m->g, m->g) / (double)k, bend = 0;
  for (size_t j = 0; j < k; j++) bend += fabs(m->B[j * (m->most + 1)]);
  if (o->differences.noise > 0 && !o->differences.two_sided &&
      gg < o->differences.noise * bend / (double)k) {
    lr_oracle_use_two_sided(o);
    LR_TRY(lr_model_measure(m));
  }
  return LR_GO;
}

/* A decrease that may as well be none: within the noise, of a rounding or two,
 * or what errors of slopes promise. */
static lr_code meaningless(lr_model *m, double *fall)
{
  *fall = m->oracle->differences.noise;
  if (*fall > 0) return LR_GO;
  LR_TRY(lr_model_gain_error(m, fall));
  *fall = fmax(*fall, 0.25 * lr_oracle_level(m->oracle, m->base.f));
  return LR_GO;
}

/* Lands and looks at the budget.  *done: hand back, *end says why. */
static lr_code land(lr_embedding *e, double *fall, bool *done,
                    lr_embedding_end *end)
{
  lr_model *m = e->model;
  LR_TRY(lr_model_land(m, fall));
  lr_embedding_landed(e);
  *done = false;
  if (m->noise.checked == 0 && lr_embedding_suspicious(e, *fall)) {
    LR_TRY(lr_model_check_noise(m));
    if (lr_model_misled(m, 10)) {
      start_over(e);
      return begin(e);
    }
  }
  double nothing;
  LR_TRY(meaningless(m, &nothing));
  *end = LR_EMBEDDING_STUCK;
  if (!(*fall > nothing)) {
    if (m->oracle->differences.noise > 0 || lr_embedding_near(e))
      lr_oracle_use_two_sided(m->oracle);
    *done = ++e->fails > 3;
    if (*done) return LR_GO;
  }
  *done = lr_embedding_idles(e);
  if (*done) return LR_GO;
  *done = lr_embedding_over_budget(e, end);
  /* at its end, as far as noise lets it see: whatever else it may be */
  double noise = m->oracle->differences.noise;
  if (*done && (noise > 0 || *end == LR_EMBEDDING_PAUSED) && e->fails > 0 &&
      !(*fall > 10 * noise) && !(m->landing.promised > 100 * noise))
    *end = LR_EMBEDDING_STUCK;
  return LR_GO;
}

/* Looks outside V along a fresh direction; *captured: V pays better. */
static lr_code probe(lr_embedding *e, double fall, double gain_in, double *d,
                     double *c, bool *captured)
{
  lr_model *m = e->model;
  *c = fmax(lr_model_mean_curvature(m), 1e-3 * e->c0);
  LR_TRY(lr_model_probe(m, *c, d));
  e->drawn = false;
  e->gain_out = 0.5 * *d * *d / *c * lr_embedding_newness(e);
  bool small = (lr_embedding_dimension(e) - (double)m->V->k) * *d * *d <=
               m->run->goal.tol * m->run->goal.tol;
  if (m->landing.trust && (e->gain_out < 1e-3 * fall || small)) {
    /* nothing outside: what did trust leave inside? */
    LR_TRY(rebase(e));
    m->landing.trust = false;
    LR_TRY(lr_model_gain(m, &gain_in));
  }
  *captured = !m->landing.trust && gain_in > e->gain_out;
  lr_embedding_probed(e, *d);
  return LR_GO;
}

/* Takes the probed direction in. */
static lr_code extend(lr_embedding *e, double d, double c, bool *done,
                      lr_embedding_end *end)
{
  lr_model *m = e->model;
  double rho;
  LR_TRY(lr_model_extend(m, lr_model_vec(m, LR_MODEL_PROBE), d, c, &rho));
  *end = LR_EMBEDDING_HIGH_RANK;
  *done = lr_embedding_foretell(e, rho);
  size_t k = m->V->k;
  lr_run_note(m->run, "direction %zu, %.0f %% of its curvature new: rank %.0f?",
              k, 100 * rho, fmin(e->rank[k], lr_embedding_dimension(e)));
  return LR_GO;
}

/* tol from the first probes, where the user gave none. */
static void set_tolerance(lr_embedding *e)
{
  lr_run *run = e->model->run;
  if (!(run->goal.tol > 0) && e->first > 0)
    run->goal.tol = 1e-6 * sqrt(e->first);
}

/* A direction for the next probe; drawn before landing, so that a value that is
 * paid with a slope can bring it.  False: there is none. */
static bool draw(lr_embedding *e, bool *done, lr_embedding_end *end)
{
  if (e->drawn) return true;
  e->drawn = lr_model_draw(e->model);
  *done = !e->drawn;
  *end = LR_EMBEDDING_FULL;
  return e->drawn;
}

static lr_code once(lr_embedding *e, bool *done, lr_embedding_end *end)
{
  lr_model *m = e->model;
  double fall, gain_in = 0, d, c;
  bool captured;
  if (!draw(e, done, end)) return LR_GO;
  LR_TRY(land(e, &fall, done, end));
  if (*done || e->landings == 0) return LR_GO; /* handed back, or begun anew */
  if (!m->landing.trust) {
    LR_TRY(rebase(e));
    LR_TRY(lr_model_gain(m, &gain_in));
    bool near = lr_norm(m->V->k, m->g) <= 0.5 * m->run->goal.tol;
    if (gain_in > e->gain_out && fall > 0 && !near)
      return LR_GO; /* stay inside */
  }
  LR_TRY(probe(e, fall, gain_in, &d, &c, &captured));
  set_tolerance(e);
  if (!m->landing.trust) LR_TRY(maybe_certify(e, d, done));
  *end = LR_EMBEDDING_DONE;
  if (*done) return LR_GO;
  *done = lr_embedding_hopeless(e, captured, end);
  if (*done || (captured && fall > 0)) return LR_GO;
  *end = LR_EMBEDDING_FULL;
  *done = m->V->k >= m->most;
  return *done ? LR_GO : extend(e, d, c, done, end);
}

lr_code lr_embedding_advance(lr_embedding *e, lr_embedding_end *end)
{
  bool done = false;
  lr_code code = e->begun ? LR_GO : begin(e);
  while (!done && code == LR_GO) code = once(e, &done, end);
  if (code != LR_NOVALUE || !e->begun) return code;
  *end = LR_EMBEDDING_WALLED;
  return LR_GO;
}
