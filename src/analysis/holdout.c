/* Held-out points, which are not among the samples: an estimate of eta without
 * bias.
 *
 * At a point the directional derivatives along U give the part of the gradient
 * inside, and m probes the norm of the part outside (see probe.h): U.k + m + 1
 * evaluations instead of p + 1.  Where a whole gradient costs no more, it is
 * taken. */
#include "analysis/diagnosis_state.h"
#include "base/chi2.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/sort.h"
#include "subspace/probe.h"

#include <math.h>

static bool whole(const lrgd_diagnosis *s)
{
  size_t m = (size_t)s->standalone.options.probes;
  return s->standalone.oracle.answers.gradient || s->spectrum.U.k + m >= s->p;
}

/* The parts of the gradient inside and outside U, where the whole gradient is
 * measured. */
static lr_code look_whole(lrgd_diagnosis *s, lr_held *h, double *d)
{
  lrgd_vec g = {s->points, LR_SPARE};
  LR_TRY(lr_oracle_gradient(&s->standalone.oracle, &s->trial, g,
                            LRGD_PURPOSE_CHECK, 0));
  lr_basis_project(&s->spectrum.U, g, d);
  double left = s->spectrum.U.k < s->p ? lr_basis_reject(&s->spectrum.U, g) : 0;
  h->outside = h->at_most = left * left;
  return LR_GO;
}

static lr_code look_by_probes(lrgd_diagnosis *s, lr_held *h, double *d)
{
  size_t m = (size_t)s->standalone.options.probes,
         index = (size_t)(h - s->holdout.held);
  lrgd_vec w = {s->points, LR_SPARE};
  double S = 0, length, slope[2];
  LR_TRY(lr_oracle_slopes(&s->standalone.oracle, &s->trial,
                          lr_basis_column(&s->spectrum.U, 0), s->spectrum.U.k,
                          LRGD_PURPOSE_CHECK, d));
  for (size_t i = 0; i < m; i++) {
    /* streams of random numbers reserved for a point: more than it needs */
    enum { STRIDE = 1024 };
    uint64_t stream =
        LR_DIAGNOSIS_PROBE + (s->holdout.looks * STRIDE + index) * m + i;
    if (!lr_probe_direction(&s->spectrum.U, NULL, w, w,
                            (uint64_t)s->standalone.options.seed, stream,
                            &length))
      break;
    LR_TRY(lr_oracle_slopes(&s->standalone.oracle, &s->trial, w, 1,
                            LRGD_PURPOSE_PROBE, slope));
    S += length * length * slope[0] * slope[0];
  }
  double bound = lr_probe_bound(
      S, m, lr_diagnosis_probe_error(s->standalone.oracle.policy));
  h->outside = S / (double)m;
  h->at_most = bound * bound;
  return LR_GO;
}

static lr_code look(lrgd_diagnosis *s, void *user)
{
  lr_held *h = user;
  double *d =
      s->holdout.d + (size_t)(h - s->holdout.held) * (s->spectrum.U.k + 1);
  LR_TRY(lr_diagnosis_suit(s, LRGD_PURPOSE_CHECK));
  LR_TRY(whole(s) ? look_whole(s, h, d) : look_by_probes(s, h, d));
  double norm = h->outside;
  for (size_t j = 0; j < s->spectrum.U.k; j++) norm += d[j] * d[j];
  h->tolerance = lr_diagnosis_tolerance(s, &s->trial, sqrt(norm), 0);
  h->f = s->trial.f;
  double *x = lr_standalone_oracle_data(s->points, LR_TRIAL), z[2] = {0, 0};
  for (size_t j = 0; j < 2 && j < s->spectrum.U.k; j++) {
    const double *u = lr_standalone_oracle_data(s->spectrum.U.block, j);
    for (size_t i = 0; i < s->p; i++) z[j] += u[i] * (x[i] - s->x0[i]);
  }
  h->active[0] = z[0];
  h->active[1] = z[1];
  return LR_GO;
}

lr_code lr_diagnosis_hold_out(lrgd_diagnosis *s)
{
  const lrgd_allocator *a = &s->standalone.allocator;
  const lr_policy *P = s->standalone.oracle.policy;
  size_t wanted = s->plan.held_out;
  lr_free(a, s->holdout.held);
  lr_free(a, s->holdout.d);
  s->result.held_out = 0;
  s->holdout.held = lr_alloc(a, wanted, sizeof *s->holdout.held);
  s->holdout.d =
      lr_alloc(a, wanted, (s->spectrum.U.k + 1) * sizeof *s->holdout.d);
  if (!s->holdout.held || !s->holdout.d)
    return lr_oracle_fault(&s->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory for %zu points", wanted);
  size_t *n = &s->result.held_out;
  for (uint64_t i = 0; *n < wanted && lr_diagnosis_holds_out(P, i, wanted);
       i++) {
    uint64_t stream = LR_DIAGNOSIS_HELD + s->holdout.looks++;
    lr_code code = lr_diagnosis_try(s, stream, look, &s->holdout.held[*n]);
    if (code == LR_NOVALUE) continue;
    LR_TRY(code);
    ++*n;
  }
  return LR_GO;
}

/* ---- eta ---- */

/* |g - P_r g|^2 and |g|^2 at held-out point i, given the part outside U. */
static void parts(const lrgd_diagnosis *s, size_t i, size_t r, double outside,
                  double *off, double *all)
{
  const double *d = s->holdout.d + i * (s->spectrum.U.k + 1);
  *off = *all = outside;
  for (size_t j = 0; j < s->spectrum.U.k; j++) {
    *all += d[j] * d[j];
    if (j >= r) *off += d[j] * d[j];
  }
}

static double eta_at(const lrgd_diagnosis *s, size_t i, size_t r,
                     double outside)
{
  double off, all;
  parts(s, i, r, outside, &off, &all);
  return all > 0 ? sqrt(off / all) : 0;
}

/* The part of a gradient with slopes d that may lie outside the first k
 * directions because these have errors of their own, where the samples
 * determined them worse than this gradient does; relative to its norm, and too
 * small to change the rank. */
static double leak(const lrgd_diagnosis *s, const double *d, size_t k,
                   double norm, double tolerance)
{
  double off = 0;
  for (size_t j = 0; j < k; j++)
    off = lr_hypot(off, s->spectrum.angle[j] * d[j]);
  return norm > 0
             ? fmin(off / norm,
                    lr_diagnosis_leak(s->standalone.oracle.policy, tolerance))
             : 0;
}

bool lr_diagnosis_all_inside(const lrgd_diagnosis *s)
{
  size_t k = s->spectrum.U.k;
  for (size_t i = 0; i < s->result.held_out; i++) {
    const lr_held *h = &s->holdout.held[i];
    double off, all;
    parts(s, i, k, h->outside, &off, &all);
    double lost =
        leak(s, s->holdout.d + i * (k + 1), k, sqrt(all), h->tolerance);
    if (!lr_diagnosis_inside(s->standalone.oracle.policy,
                             eta_at(s, i, k, h->outside), h->tolerance, lost))
      return false;
  }
  return true;
}

/* Whether gradients, sampled or held out, have a component along direction j.
 * Slopes at held-out points have none of the
 * truncation error of a sample: where many of them show no component, weak
 * evidence of the samples is disregarded. */
static bool is_seen(const lrgd_diagnosis *s, size_t j)
{
  const lr_policy *P = s->standalone.oracle.policy;
  lrgd_space *space = s->standalone.space;
  bool many = lr_diagnosis_many_points(P, s->result.held_out);
  double least = whole(s) || !many ? 0 : lr_diagnosis_faint(P);
  lr_sightings seen = {0};
  for (size_t i = 0; i < s->result.held_out; i++) {
    const double *d = s->holdout.d + i * (s->spectrum.U.k + 1);
    double off, all, most = s->holdout.held[i].tolerance;
    parts(s, i, 0, s->holdout.held[i].outside, &off, &all);
    double norm = sqrt(all), lost = leak(s, d, j, norm, most);
    lr_diagnosis_sight(P, &seen, fabs(d[j]), (most + lost) * norm,
                       (lr_diagnosis_allowed(P, most) + lost) * norm);
  }
  for (size_t i = 0; i < s->samples.n; i++) {
    double d, share = s->samples.share[i];
    space->ops->dot(space, lr_basis_column(&s->spectrum.U, j), 1,
                    (lrgd_vec){s->samples.G, i}, &d);
    double allowed = fmax(lr_diagnosis_allowed(P, share), least);
    lr_diagnosis_sight(P, &seen, fabs(d), share * s->samples.length[i],
                       allowed * s->samples.length[i]);
  }
  return lr_diagnosis_shows(P, &seen);
}

size_t lr_diagnosis_rank_seen(const lrgd_diagnosis *s)
{
  size_t k = s->result.count;
  while (k > 1 && !is_seen(s, k - 1)) k--;
  return k;
}

lrgd_status lr_diagnosis_quantiles(lrgd_diagnosis *s)
{
  size_t n = s->result.held_out;
  if (n == 0) return LRGD_OK;
  double *eta = lr_alloc(&s->standalone.allocator, n, sizeof *eta);
  if (!eta) return LRGD_ERR_NOMEM;
  for (size_t r = 1; r <= s->result.count; r++) {
    for (size_t i = 0; i < n; i++)
      eta[i] = eta_at(s, i, r, s->holdout.held[i].outside);
    lr_sort(eta, n);
    lrgd_eta *row = &s->spectrum.eta[r - 1];
    row->median = 0.5 * (eta[(n - 1) / 2] + eta[n / 2]);
    row->p95 = lr_diagnosis_p95(eta, n);
    row->max = eta[n - 1];
    row->epsilon = lrgd_diagnosis_epsilon(s, r, 0);
  }
  lr_free(&s->standalone.allocator, eta);
  return LRGD_OK;
}

double lrgd_diagnosis_epsilon(const lrgd_diagnosis *study, size_t r, double eta)
{
  double epsilon = 0;
  if (!study || study->result.held_out == 0) return NAN;
  for (size_t i = 0; i < study->result.held_out; i++) {
    double off, all;
    parts(study, i, r, study->holdout.held[i].outside, &off, &all);
    epsilon = fmax(epsilon, sqrt(off) - eta * sqrt(all));
  }
  return epsilon;
}

/* The largest of n independent values is exceeded in at most a share q of the
 * region, with probability 1 - delta, where (1 - q)^n < delta, whatever the
 * distribution. r is chosen with knowledge of all of them, so each gets delta /
 * count. */
void lr_diagnosis_certify(lrgd_diagnosis *s)
{
  lrgd_diagnosis_result *res = &s->result;
  size_t n = res->held_out, r = res->recommended_rank;
  res->confidence = s->want.confidence;
  res->certified_eta = NAN;
  res->certified_share = 1;
  if (n == 0 || r == 0 || r > res->count) return;
  double delta = (1 - s->want.confidence) / (double)res->count;
  double by_probes =
      whole(s) ? 0 : lr_diagnosis_probe_error(s->standalone.oracle.policy);
  res->certified_share = fmin(1, lrgd_share_bound(n, 0, 1 - delta) + by_probes);
  res->certified_eta = 0;
  for (size_t i = 0; i < n; i++)
    res->certified_eta =
        fmax(res->certified_eta, eta_at(s, i, r, s->holdout.held[i].at_most));
}

/* ---- f(x + w) = f(x) for w orthogonal to H: Proposition 2.1, 2) ---- */

/* Moves the trial along a random w orthogonal to the first r directions, to the
 * boundary of the region. */
static bool move_off(lrgd_diagnosis *s, lr_basis *H, uint64_t stream)
{
  lrgd_space *space = s->standalone.space;
  lrgd_vec w = {s->points, LR_SPARE};
  double length, back = s->region.radius, ahead = s->region.radius;
  if (!lr_probe_direction(H, NULL, w, w, (uint64_t)s->standalone.options.seed,
                          stream, &length))
    return false;
  if (s->standalone.bounds)
    space->ops->max_step(space, s->trial.x, w, s->standalone.oracle.box, &back,
                         &ahead);
  double t = fmin(fmax(back, ahead), s->region.radius);
  if (!(ahead >= back)) t = -t;
  space->ops->add(space, s->trial.x, w, 1, &t);
  if (s->standalone.bounds)
    (void)space->ops->clip(space, s->trial.x, s->standalone.oracle.box);
  lr_oracle_rename(&s->standalone.oracle, &s->trial);
  return true;
}

lr_code lr_diagnosis_invariance(lrgd_diagnosis *s)
{
  const uint64_t points =
      lr_diagnosis_invariance_points(s->standalone.oracle.policy);
  lr_basis H = s->spectrum.U; /* the first r columns of the same basis */
  double spread = s->highest - s->lowest, worst = NAN;
  H.k = s->result.recommended_rank;
  s->result.invariance = NAN;
  if (!(spread > 0) || H.k == 0 || H.k >= s->p || H.k > s->spectrum.U.k)
    return LR_GO;
  for (uint64_t i = 0; i < points; i++) {
    lr_diagnosis_place(s, LR_DIAGNOSIS_LOOK + i, 1);
    lr_code code =
        lr_oracle_value(&s->standalone.oracle, &s->trial, LRGD_PURPOSE_CHECK);
    double f = s->trial.f;
    if (code == LR_GO && move_off(s, &H, LR_DIAGNOSIS_LOOK + points + i))
      code =
          lr_oracle_value(&s->standalone.oracle, &s->trial, LRGD_PURPOSE_CHECK);
    if (code == LR_NOVALUE) continue;
    LR_TRY(code);
    worst = fmax(isnan(worst) ? 0 : worst, fabs(s->trial.f - f) / spread);
  }
  s->result.invariance = worst;
  return LR_GO;
}
