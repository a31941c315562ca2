/* Sampled gradients, and when there are enough.
 *
 * With exact rank r, every gradient after r independent ones lies in their
 * span. r + 2 such in a row end the sampling, after 2 r + 2 gradients; where
 * held-out points then show another direction, sampling resumes and requires
 * more of them in a row.  Approximate rank is detected by halves: the
 * directions of the first half of the samples contain the second half.  Both
 * apply only where r is well below p: in few dimensions gradients are cheap,
 * and more samples give better directions. */
#include "analysis/diagnosis_state.h"
#include "base/elementary.h"
#include "oracle/noise_reading.h"
#include "space/vec.h"
#include "subspace/identify.h"

#include <math.h>

/* Whether f is a multiple of the unit, as numbers printed with few digits are.
 */
static bool on_grid(double f, double unit)
{
  return lr_is_whole(f / unit);
}

/* A program that prints a fixed number of digits rounds relative to |f|, and
 * over a region f may change by orders of magnitude: *times the noise at the
 * centre is that of a value f.  False where f has all its digits, or a fixed
 * number of decimals: then it does not lie on the grid of that unit. */
static bool is_printed(const lrgd_diagnosis *s, double f, double *times)
{
  double f0 = fabs(s->centre.f), noise = s->result.noise;
  if (!(f0 > 0) || !(fabs(f) > 0)) return false;
  double unit =
      lr_pow(10, round(lr_log10(3 * noise))); /* unit: sqrt(12) x noise */
  double decades = floor(lr_log10(fabs(f))) - floor(lr_log10(f0));
  *times = lr_pow(10, decades);
  if (!on_grid(f, *times * unit)) return false;
  return decades >= 0 || !on_grid(f, unit);
}

void lr_diagnosis_unsuit(lrgd_diagnosis *s)
{
  lr_oracle *o = &s->standalone.oracle;
  if (s->result.noise > 0) lr_oracle_set_noise(o, s->result.noise);
  if (s->centre.f != 0) lr_oracle_set_scale(o, fabs(s->centre.f));
}

/* Where |f| is larger its curvature is assumed to be larger too: steps stay as
 * long as at the centre, and derivatives have the same error relative to |f|.
 * (Longer ones would have a truncation error along small inputs that looks like
 * a direction of f.) */
lr_code lr_diagnosis_suit(lrgd_diagnosis *s, lrgd_purpose why)
{
  lr_oracle *o = &s->standalone.oracle;
  bool exact = !(s->result.noise > 0), given = s->given.noise > 0;
  double times;
  if (given || lr_oracle_has_derivatives(o)) return LR_GO;
  lr_diagnosis_unsuit(s);
  LR_TRY(lr_oracle_value(o, &s->trial, why));
  if (!exact && !is_printed(s, s->trial.f, &times)) return LR_GO;
  if (!exact) lr_oracle_set_noise(o, times * s->result.noise);
  lr_oracle_set_scale(o, fmax(fabs(s->centre.f), fabs(s->trial.f)));
  return LR_GO;
}

double lr_diagnosis_tolerance(lrgd_diagnosis *s, const lr_point *at,
                              double norm, double bend)
{
  lr_oracle *o = &s->standalone.oracle;
  lr_point here = *at;
  bool differences = !o->answers.gradient && !o->answers.slopes;
  double root = sqrt((double)s->p);
  /* rounding in a user's gradient; truncation in a difference whose curvature
   * is not known yet */
  double least = lr_diagnosis_least_error(o->policy, differences);
  double each = lr_oracle_slope_error(o, &here, 0);
  double error = lr_diagnosis_expected(o->policy, each) * root;
  if (bend > 0) error = fmax(error, lr_oracle_reach(o, &here, 0) * bend * root);
  return fmin(fmax(least, norm > 0 ? error / norm : 1), 1);
}

/* The mean curvature at the trial along a coordinate: u'Hu for a random unit
 * vector u is the trace of H over p on average.  The truncation error of a
 * one-sided difference is h/2 times the curvature in every component, and looks
 * like a direction of f.  Two values, with a step long enough for noise to be a
 * hundredth of that in the gradient.  0: unknown. */
static lr_code measure_bend(lrgd_diagnosis *s, double *bend)
{
  lrgd_space *space = s->standalone.space;
  lr_oracle *o = &s->standalone.oracle;
  lrgd_vec u = {s->points, LR_SPARE};
  lr_point aside = {
      .x = {s->points, LR_ASIDE}
  };
  double length, back = INFINITY, ahead = INFINITY, sum = -2 * s->trial.f;
  *bend = 0;
  if (lr_oracle_has_derivatives(o) || o->differences.two_sided) return LR_GO;
  double h = lr_oracle_reach(o, &s->trial, 0);
  space->ops->gaussian(space, u, (uint64_t)s->standalone.options.seed,
                       LR_DIAGNOSIS_BEND + s->samples.n);
  if (!lr_normalise(space, u, &length)) return LR_GO;
  if (s->standalone.bounds)
    space->ops->max_step(space, s->trial.x, u, o->box, &back, &ahead);
  double t = fmin(lr_diagnosis_bend_step(o->policy, h), fmin(back, ahead));
  if (!(t > h)) return LR_GO;
  for (int side = -1; side <= 1; side += 2) {
    space->ops->axpy_into(space, aside.x, s->trial.x, u, side * t);
    lr_oracle_rename(o, &aside);
    lr_code code = lr_oracle_value(o, &aside, LRGD_PURPOSE_IDENTIFY);
    if (code == LR_NOVALUE) return LR_GO;
    LR_TRY(code);
    sum += aside.f;
  }
  *bend = fabs(sum) / (t * t);
  return LR_GO;
}

lr_code lr_diagnosis_try(lrgd_diagnosis *s, uint64_t stream,
                         lr_code (*ask)(lrgd_diagnosis *s, void *user),
                         void *user)
{
  const lr_policy *P = s->standalone.oracle.policy;
  lr_code code = LR_NOVALUE;
  double share = 1;
  for (int i = 0; lr_diagnosis_tries(P, i) && code == LR_NOVALUE; i++) {
    lr_diagnosis_place(s, stream, share);
    share *= 0.5;
    code = ask(s, user);
    s->result.failed += code == LR_NOVALUE;
  }
  if (code != LR_GO) return code;
  s->lowest = fmin(s->lowest, s->trial.f);
  s->highest = fmax(s->highest, s->trial.f);
  return LR_GO;
}

static lr_code ask_gradient(lrgd_diagnosis *s, void *user)
{
  LR_TRY(lr_diagnosis_suit(s, LRGD_PURPOSE_IDENTIFY));
  return lr_oracle_gradient(&s->standalone.oracle, &s->trial, *(lrgd_vec *)user,
                            LRGD_PURPOSE_IDENTIFY, 0);
}

/* Whether held-out points were outside the directions that the first samples
 * had shown. */
static bool goes_on(const lrgd_diagnosis *s)
{
  return s->samples.patience > lr_diagnosis_clean(s->standalone.oracle.policy);
}

/* The part of g outside Q that errors of Q explain: a direction that was found
 * as a small component of an inexact gradient may be off by a large angle.
 * Relative to |g|, and limited so that a relevant direction is not missed. */
static double explained_outside(const lrgd_diagnosis *s, lrgd_vec g,
                                double norm)
{
  double sum = 0, *c = s->samples.Q.c;
  if (s->samples.Q.k == 0 || goes_on(s)) return 0;
  lr_basis_project(&s->samples.Q, g, c);
  for (size_t j = 0; j < s->samples.Q.k; j++)
    sum = lr_hypot(sum, s->samples.tilt[j] * c[j]);
  return lr_diagnosis_explained(s->standalone.oracle.policy, sum / norm);
}

/* Appends w, a gradient of that norm, to Q if the part outside is more than its
 * error. */
static lrgd_status join(lrgd_diagnosis *s, lrgd_vec w, double norm,
                        double tolerance, bool *kept)
{
  double cut = tolerance + explained_outside(s, w, norm);
  double left = lr_basis_reject(&s->samples.Q, w);
  size_t j = s->samples.Q.k;
  *kept = false;
  if (!(left > cut * norm) || j >= s->p) return LRGD_OK;
  lrgd_status status = lr_basis_append(&s->samples.Q, w, 0.5, kept);
  if (status == LRGD_OK && *kept)
    s->samples.tilt[j] = fmin(tolerance * norm / left, 1);
  return status;
}

/* Appends the part of the newest gradient outside Q; counts gradients that have
 * none. */
static lr_code note(lrgd_diagnosis *s, lrgd_vec g)
{
  lrgd_space *space = s->standalone.space;
  lrgd_vec w = {s->points, LR_SPARE};
  double norm = 0;
  (void)space->ops->measure(space, g, &norm);
  if (norm > 1e140) /* its square, the energy, would overflow */
    return lr_oracle_end(
        &s->standalone.oracle, LRGD_OUTCOME_FAILED,
        (lrgd_decision){.kind = LRGD_DECISION_KIND_GRADIENT_TOO_LARGE,
                        .value = norm});
  s->samples.length[s->samples.n] = norm;
  space->ops->copy(space, (lrgd_vec){s->samples.X, s->samples.n}, s->trial.x,
                   1);
  double bend;
  LR_TRY(measure_bend(s, &bend));
  double tolerance = lr_diagnosis_tolerance(s, &s->trial, norm, bend);
  s->samples.share[s->samples.n] = norm > 0 ? tolerance : 0;
  s->samples.bent = lr_oracle_reach(&s->standalone.oracle, &s->trial, 0) *
                    bend * sqrt((double)s->p) / norm;
  s->samples.n++;
  space->ops->copy(space, w, g, 1);
  bool kept = false;
  if (norm > 0 && join(s, w, norm, tolerance, &kept) != LRGD_OK)
    return lr_oracle_fault(&s->standalone.oracle, LRGD_ERR_NOMEM,
                           "out of memory for direction %zu",
                           s->samples.Q.k + 1);
  s->samples.clean = kept ? 0 : s->samples.clean + 1;
  return LR_GO;
}

/* A gradient in the span of the others is not worth the two values that measure
 * its truncation error. */
lr_code lr_diagnosis_note_known(lrgd_diagnosis *s)
{
  lrgd_space *space = s->standalone.space;
  lrgd_vec g = {s->samples.G, s->samples.n}, w = {s->points, LR_SPARE};
  size_t before = s->samples.Q.k;
  double norm = 0;
  (void)space->ops->measure(space, g, &norm);
  space->ops->copy(space, w, g, 1);
  double left = lr_basis_reject(&s->samples.Q, w);
  if (!(left > lr_diagnosis_tolerance(s, &s->trial, norm, 0) * norm))
    return LR_GO;
  LR_TRY(note(s, g));
  if (s->samples.Q.k == before) s->samples.n--;
  s->samples.clean =
      /* these points are not random, and cannot show that the span is
       * complete */
      0;
  return LR_GO;
}

/* The largest part of the second half of the samples outside the first r
 * directions of the first half. */
static lrgd_status by_halves(lrgd_diagnosis *s, size_t r, double *worst)
{
  lrgd_space *space = s->standalone.space;
  size_t half = s->samples.n / 2;
  lr_basis H = {0};
  lr_identified found;
  lrgd_vec w = {s->points, LR_SPARE};
  lrgd_block *copy = space->ops->make(space, half);
  lrgd_status status =
      copy ? lr_basis_init(&H, space, &s->standalone.allocator, r)
           : LRGD_ERR_NOMEM;
  if (status == LRGD_OK) {
    lrgd_vec first = {copy, 0};
    space->ops->copy(space, first, (lrgd_vec){s->samples.G, 0}, half);
    /* drops directions below 1e-12 of the largest, which are rounding */
    status = lr_identify(&H, first, half, r, LRGD_IDENTIFY_SVD, 1e-12, &found);
  }
  *worst = 0;
  for (size_t j = half; j < s->samples.n && status == LRGD_OK; j++) {
    space->ops->copy(space, w, (lrgd_vec){s->samples.G, j}, 1);
    double left = lr_basis_reject(&H, w);
    if (s->samples.length[j] > 0)
      *worst = fmax(*worst, left / s->samples.length[j]);
  }
  lr_basis_clear(&H);
  space->ops->free(space, copy);
  return status;
}

/* Whether the samples show an exact and low rank. */
static bool plain(const lrgd_diagnosis *s)
{
  size_t q = s->samples.Q.k;
  return 2 * q <= s->p && s->samples.n >= 2 * q + 2 &&
         s->samples.clean >= q + s->samples.patience;
}

/* Whether the samples show an approximate rank. */
static bool settled(lrgd_diagnosis *s)
{
  double worst;
  if (!lr_diagnosis_may_settle(s->standalone.oracle.policy, s->samples.n,
                               s->p) ||
      goes_on(s) || s->samples.n < 2 * s->memory.gradients)
    return false;
  return by_halves(s,
                   lr_diagnosis_settled_rank(s->standalone.oracle.policy,
                                             s->samples.n),
                   &worst) == LRGD_OK &&
         lr_diagnosis_settles(s->standalone.oracle.policy, worst);
}

/* Noise requires long difference steps, and the truncation error of one-sided
 * differences over these looks like directions of f.  Where the first sample
 * shows that this error is large, it is measured again by central differences,
 * as are all that follow: half as many, so that the announced cost holds. */
static bool go_both_sides(lrgd_diagnosis *s)
{
  if (s->samples.n != 1 || s->standalone.oracle.differences.two_sided ||
      !lr_diagnosis_noisy(s))
    return false;
  if (!lr_diagnosis_goes_central(s->standalone.oracle.policy, s->samples.bent,
                                 s->plan.gradients))
    return false;
  lr_oracle_use_two_sided(&s->standalone.oracle);
  s->samples.most = (s->plan.gradients - 1) / 2;
  s->samples.n = s->samples.clean = s->samples.Q.k = 0;
  return true;
}

lr_code lr_diagnosis_sample(lrgd_diagnosis *s)
{
  while (s->samples.n < s->samples.most) {
    lrgd_vec g = {s->samples.G, s->samples.n};
    uint64_t stream = LR_DIAGNOSIS_SAMPLE + s->samples.n + s->result.failed;
    lr_code code = lr_diagnosis_try(s, stream, ask_gradient, &g);
    bool hopeless = lr_diagnosis_hopeless(s->standalone.oracle.policy,
                                          s->result.failed, s->samples.n);
    if (code == LR_NOVALUE && hopeless) break;
    if (code == LR_NOVALUE) continue;
    LR_TRY(code);
    LR_TRY(note(s, g));
    if (go_both_sides(s)) continue;
    if (plain(s) || settled(s)) break;
  }
  return LR_GO;
}
