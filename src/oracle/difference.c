/* Directional derivatives by finite differences. */
#include "oracle/difference_points.h"
#include "oracle/difference_rules.h"

#include "base/finite.h"
#include "space/vec.h"

#include <float.h>
#include <math.h>

bool lr_oracle_blind(lr_oracle *o, lr_point *at, double c)
{
  if (lr_oracle_has_derivatives(o) || !lr_oracle_boxed(o)) return false;
  /* any dense direction shows whether coordinates are dropped */
  lrgd_vec u = {o->room.dir, 0};
  double before = 0, after = 0;
  double reach = lr_oracle_reach(o, at, c);
  o->space->ops->gaussian(o->space, u, 0, 0);
  (void)o->space->ops->measure(o->space, u, &before);
  o->space->ops->zero_near_bounds(o->space, u, at->x, o->box, reach);
  (void)o->space->ops->measure(o->space, u, &after);
  return after < before;
}

/* Copies the known gradient with the multipliers of active coordinates set to
 * zero; returns the number of these. */
static size_t sort_known(const lr_difference *D)
{
  lr_oracle *o = D->o;
  lrgd_vec open = {o->room.dir, 0};
  o->space->ops->copy(o->space, open, D->known, 1);
  return o->space->ops->zero_active(o->space, open, D->at->x, D->known, o->box);
}

/* Whether some derivatives along inputs are known at the point. */
static bool knows_partial(const lr_difference *D)
{
  const lr_oracle *o = D->o;
  return o->kept.partial && !D->U.block && D->at->id == o->kept.partial_id;
}

/* Whether derivative i is known, and need not be measured; *d becomes it. */
static bool is_kept(const lr_difference *D, size_t i, double *d)
{
  lr_oracle *o = D->o;
  double known, open;
  if (knows_partial(D) && lr_finite(o->kept.partial[i])) {
    *d = o->kept.partial[i];
    return true;
  }
  if (!D->kept.block) return false;
  o->space->ops->get(o->space, D->known, i, 1, &known);
  o->space->ops->get(o->space, (lrgd_vec){o->room.dir, 0}, i, 1, &open);
  if ((open != known) == D->held) return false;
  o->space->ops->get(o->space, D->kept, i, 1, d);
  return true;
}

/* Adds the error of one derivative: the error of values of size up to `size`
 * where f changes by `slope` with x, times `gain`.  The end of a difference is
 * rounded too, by eps |x| / 2: near a minimum with f = 0 that is all. */
static void note_error(lr_difference *D, double gain, double size, double slope)
{
  double level = lr_oracle_level(D->o, fmax(fabs(D->at->f), size));
  double rounded = 0.5 * DBL_EPSILON * D->scale * slope;
  double error = gain * (level + rounded), e2 = error * error;
  D->errors.noise2 += e2;
  D->errors.noise4 += e2 * e2;
}

/* Adds the bound on the truncation error of one two-sided difference: half the
 * difference between its one-sided quotients.  Where f is convex the derivative
 * lies between these, whatever the higher derivatives are.  The expected
 * contribution of noise to the square is subtracted. */
static void note_bend(lr_difference *D, const double t[2], double ahead,
                      double back)
{
  double f = D->at->f, e = 0.5 * lr_oracle_level(D->o, f);
  double u = 1 / t[0], v = 1 / t[1];
  double bend = 0.5 * ((ahead - f) * u - (back - f) * v);
  D->errors.bend2 += bend * bend - e * e * (u * u + v * v + (u - v) * (u - v));
}

/* The difference quotient (f(x + t u) - f(x)) / t, without the part due to a
 * known curvature. */
static double quotient(const lr_difference *D, size_t j, double f, double t)
{
  double c = lr_difference_hint(D, j);
  return (f - D->at->f) / t - (c > 0 ? 0.5 * c * t : 0);
}

/* After a failed one-sided difference: the difference on the opposite side. */
static lr_code other_side(lr_difference *D, size_t j, double tried,
                          lrgd_purpose why, double *d)
{
  double t = lr_difference_place(D, j, 0, tried > 0 ? -1 : 1), f;
  if (t == 0 || (t > 0) == (tried > 0)) return LR_NOVALUE;
  LR_TRY(
      lr_oracle_ask_values(D->o, (lrgd_vec){D->o->room.points, 0}, 1, why, &f));
  if (!lr_finite(f)) return LR_NOVALUE;
  *d = quotient(D, j, f, t);
  return lr_finite(*d) ? LR_GO : LR_NOVALUE;
}

/* Repeats failed differences on the opposite side.  Where that fails too, a
 * forgiving oracle takes the derivative for zero, unless all of them fail: see
 * all(). */
static lr_code mend(lr_difference *D, size_t first, size_t m, lrgd_purpose why,
                    double *d)
{
  for (size_t j = 0; j < m; j++) {
    if (lr_finite(d[j])) continue;
    lr_code code =
        D->o->differences.two_sided
            ? LR_NOVALUE
            : other_side(D, first + j, D->o->room.steps[j], why, &d[j]);
    if (code == LR_NOVALUE && D->o->forgiving) {
      d[j] = 0;
      D->flat++;
    } else {
      LR_TRY(code);
    }
  }
  return LR_GO;
}

/* The increase of f along a difference above which it is a jump. */
static double jump(const lr_difference *D)
{
  return lr_difference_jump(D->o->policy, D->o->seen.f_scale,
                            lr_oracle_level(D->o, D->at->f));
}

/* Measures one-sided differences along directions first .. first + m - 1. */
static lr_code forward(lr_difference *D, size_t first, size_t m,
                       lrgd_purpose why, double *d)
{
  lr_oracle *o = D->o;
  size_t asked = 0;
  for (size_t j = 0; j < m; j++) {
    d[j] = o->room.steps[j] = 0;
    if (is_kept(D, first + j, &d[j])) continue;
    o->room.steps[j] = lr_difference_place(D, first + j, asked, 1);
    asked += o->room.steps[j] != 0;
  }
  D->asked += asked;
  LR_TRY(lr_oracle_ask_values(o, (lrgd_vec){o->room.points, 0}, asked, why,
                              o->room.values));
  for (size_t j = 0, i = 0; j < m; j++) {
    double t = o->room.steps[j];
    if (t == 0) continue;
    double f = o->room.values[i++];
    bool cliff = o->seen.cliffs > 0 && f - D->at->f > jump(D);
    note_error(D, sqrt(2) / fabs(t), 0, 0);
    d[j] = quotient(D, first + j, cliff ? NAN : f, t);
  }
  return mend(D, first, m, why, d);
}

/* Where f has jumped before: a side on which it jumps counts as failed. */
static void leave_cliffs(const lr_difference *D, double *ahead, double *back)
{
  double a = *ahead - D->at->f, b = *back - D->at->f;
  bool ahead_jumps, back_jumps;
  if (D->o->seen.cliffs == 0 || !lr_finite(a) || !lr_finite(b)) return;
  lr_difference_jumps(D->o->policy, a, b, jump(D), &ahead_jumps, &back_jumps);
  if (ahead_jumps) *ahead = NAN;
  if (back_jumps) *back = NAN;
}

/* The derivative of the parabola through the point and two others, f ahead at
 * t[0] and back at t[1]: exact for quadratics whatever the steps, and
 * (ahead - back) / 2 t where these are equal.  Its errors are added. */
static double parabola(lr_difference *D, const double t[2], double ahead,
                       double back)
{
  double a = t[1] / (t[0] * (t[1] - t[0])), b = -t[0] / (t[1] * (t[1] - t[0]));
  double f = D->at->f;
  double size = fmax(fabs(ahead), fabs(back));
  double slope = fmax(fabs((ahead - f) / t[0]), fabs((back - f) / t[1]));
  note_error(D, sqrt(a * a + b * b + (a + b) * (a + b)), size, slope);
  note_bend(D, t, ahead, back);
  return a * (ahead - f) + b * (back - f);
}

/* A one-sided difference over the step t.  Its error by noise is added; its
 * truncation error is unknown. */
static double chord(lr_difference *D, double t, double f)
{
  note_error(D, sqrt(2) / fabs(t), 0, 0);
  return (f - D->at->f) / t;
}

/* Whether input i is at an active bound and its multiplier d certainly exceeds
 * its error: then neither d nor its error is part of the projected gradient.
 * before: the sums of errors without that of d. */
static bool is_held(const lr_difference *D, size_t i, double d,
                    const lr_errors *before)
{
  lr_oracle *o = D->o;
  double x, lower, upper;
  if (!lr_oracle_boxed(o) || D->U.block) return false;
  o->space->ops->get(o->space, D->at->x, i, 1, &x);
  o->space->ops->get(o->space, o->box.lower, i, 1, &lower);
  o->space->ops->get(o->space, o->box.upper, i, 1, &upper);
  double noise2 = D->errors.noise2 - before->noise2;
  double bend2 = D->errors.bend2 - before->bend2;
  return lr_bound_holds(x, d, lower, upper) &&
         lr_difference_is_active(o->policy, d, noise2, bend2);
}

/* Whether input i can move, that is whether its bounds differ. */
static bool can_move(const lr_difference *D, size_t i)
{
  lr_oracle *o = D->o;
  double lower, upper;
  if (D->U.block || !lr_oracle_boxed(o)) return true;
  o->space->ops->get(o->space, o->box.lower, i, 1, &lower);
  o->space->ops->get(o->space, o->box.upper, i, 1, &upper);
  return lower < upper;
}

/* Measures two-sided differences, and one-sided ones where a side fails or the
 * box leaves no room on it.  Where a step is lost in the rounding of x, the
 * derivative stays unknown. */
static lr_code central(lr_difference *D, size_t first, size_t m,
                       lrgd_purpose why, double *d)
{
  lr_oracle *o = D->o;
  size_t asked = 0;
  for (size_t j = 0; j < m; j++) {
    double *t = o->room.steps + 2 * j;
    d[j] = t[0] = t[1] = 0;
    if (!is_kept(D, first + j, &d[j]))
      asked += lr_difference_place_both(D, first + j, asked, t);
  }
  D->asked += asked;
  LR_TRY(lr_oracle_ask_values(o, (lrgd_vec){o->room.points, 0}, asked, why,
                              o->room.values));
  for (size_t j = 0, i = 0; j < m; j++) {
    const double *t = o->room.steps + 2 * j;
    double ahead = t[0] != 0 ? o->room.values[i++] : D->at->f;
    double back = t[1] != 0 ? o->room.values[i++] : D->at->f;
    if (t[0] == 0 && t[1] == 0) {
      double d0;
      if (!is_kept(D, first + j, &d0) && can_move(D, first + j))
        D->errors.lost = true;
      continue;
    }
    leave_cliffs(D, &ahead, &back);
    lr_errors before = D->errors;
    if (t[0] != 0 && t[1] != 0 && lr_finite(ahead) && lr_finite(back))
      d[j] = parabola(D, t, ahead, back);
    else if (t[0] != 0 && lr_finite(ahead))
      d[j] = chord(D, t[0], ahead);
    else /* NaN where this side failed too */
      d[j] = chord(D, t[1], back);
    if (is_held(D, first + j, d[j], &before)) D->errors = before;
  }
  return mend(D, first, m, why, d);
}

/* The number of values for k derivatives that are known, for which the budget
 * needs no room.  (In mapped coordinates none is looked up.) */
static size_t known_values(lr_difference *D, size_t k)
{
  lr_oracle *o = D->o;
  double f, d, last = o->differences.two_sided ? -1 : 1;
  size_t known = 0;
  if (!o->listener.recall || o->fold.lower.block) return 0;
  if (o->options->max_evals == LRGD_UNSET) return 0;
  for (size_t i = 0; i < k; i++)
    for (double side = 1; side >= last && !is_kept(D, i, &d); side -= 2)
      known += lr_difference_place(D, i, 0, side) != 0 &&
               o->listener.recall(o->listener.self,
                                  (lrgd_vec){o->room.points, 0}, &f);
  o->room.finite.block = NULL; /* placed, and not evaluated */
  return known;
}

/* Measures all k derivatives, a batch at a time, into d or, where d is NULL,
 * into g. */
static lr_code all(lr_difference *D, size_t k, lrgd_purpose why, double *d,
                   lrgd_vec g)
{
  lr_oracle *o = D->o;
  size_t price = o->differences.two_sided ? 2 : 1;
  /* one point at a time, in memory that stays in the cache, unless the user's
   * callback accepts batches */
  bool many = o->answers.values || o->width > 1;
  size_t most = many ? o->room.batch / price : 1;
  D->asked = D->flat = 0; /* doubt() may repeat this with longer steps */
  D->errors = (lr_errors){.two_sided = o->differences.two_sided};
  D->wanted = k;
  if (D->kept.block) {
    size_t held = sort_known(D);
    D->wanted = D->held ? held : k - held;
  }
  for (size_t i = 0; knows_partial(D) && i < k; i++)
    if (!D->kept.block && lr_finite(o->kept.partial[i])) D->wanted--;
  LR_TRY(lr_oracle_value(o, D->at, why));
  D->scale = lr_oracle_scale(o, D->at);
  D->errors.step =
      lr_oracle_step(o, D->scale, D->at->f, lr_difference_hint(D, 0));
  LR_TRY(lr_oracle_afford(o, price * D->wanted - known_values(D, k)));
  for (size_t first = 0; first < k; first += most) {
    size_t m = k - first < most ? k - first : most;
    double *out = d ? d + first : o->room.slopes;
    LR_TRY(o->differences.two_sided ? central(D, first, m, why, out)
                                    : forward(D, first, m, why, out));
    if (!d) o->space->ops->put(o->space, g, first, m, out);
  }
  if (D->flat > 0) o->incomplete = true;
  D->errors.id = D->U.block || D->kept.block ? 0 : D->at->id;
  o->accuracy.errors = D->errors;
  return D->flat < D->wanted || D->wanted == 0 ? LR_GO : LR_NOVALUE;
}

/* Handles derivatives that are all exactly zero: f is constant here, or its
 * values have fewer digits than these steps need.  Once in a run the noise is
 * measured, which tries longer steps; if there is noise, the differences are
 * repeated with longer steps (*again).  Probes are not repeated: outside the
 * directions of a low-rank f zero is the true derivative. */
static lr_code doubt(const lr_difference *D, bool flat, lrgd_purpose why,
                     bool *again)
{
  lr_oracle *o = D->o;
  const lr_policy *P = o->policy;
  *again = false;
  if (!flat || D->asked == 0 || lr_oracle_is_quiet(o, D->at)) return LR_GO;
  bool short_sighted =
      why != LRGD_PURPOSE_PROBE && lr_difference_hint(D, 0) == 0;
  if (o->differences.noise > 0 && short_sighted &&
      lr_difference_stretches(P, o->differences.stretch)) {
    o->differences.stretch *= P->stretch;
    *again = true;
  } else if (!o->differences.doubted && !(o->differences.noise > 0)) {
    o->differences.doubted = true;
    LR_TRY(lr_oracle_measure_noise(o, D->at, UINT64_MAX - 1));
    *again = o->differences.noise > 0;
  }
  return LR_GO;
}

lr_code lr_oracle_differences(lr_oracle *o, lr_point *at, lrgd_vec U, size_t k,
                              lrgd_purpose why, const double *curvature,
                              double *d)
{
  lr_difference D = {
      .o = o, .at = at, .U = U, .curvature = curvature, .stride = 1};
  bool again = true;
  while (again) {
    bool flat = true;
    LR_TRY(all(&D, k, why, d, (lrgd_vec){0}));
    for (size_t j = 0; j < k; j++) flat = flat && d[j] == 0;
    LR_TRY(doubt(&D, flat, why, &again));
  }
  return LR_GO;
}

/* Measures the derivatives along all coordinates, into g. */
static lr_code coordinates(lr_difference *D, lrgd_purpose why, lrgd_vec g)
{
  lrgd_space *space = D->o->space;
  bool again = true;
  while (again) {
    double norm = 0;
    LR_TRY(all(D, space->dimension, why, NULL, g));
    (void)space->ops->measure(space, g, &norm);
    LR_TRY(doubt(D, norm == 0, why, &again));
  }
  return LR_GO;
}

lr_code lr_oracle_coordinate_differences(lr_oracle *o, lr_point *at, lrgd_vec g,
                                         lrgd_purpose why, double curvature)
{
  lr_difference D = {.o = o, .at = at, .curvature = &curvature};
  return coordinates(&D, why, g);
}

lr_code lr_oracle_part_gradient(lr_oracle *o, lr_point *at, lrgd_vec g,
                                lrgd_vec known, bool held, lrgd_purpose why,
                                double c)
{
  lr_difference D = {.o = o,
                     .at = at,
                     .curvature = &c,
                     .known = known,
                     .held = held,
                     .kept = held ? g : known};
  double norm;
  LR_TRY(coordinates(&D, why, g));
  o->counts.oracle_calls[why] += D.wanted;
  return o->space->ops->measure(o->space, g, &norm) ? LR_GO : LR_NOVALUE;
}

bool lr_oracle_plan_slope(lr_oracle *o, lr_point *at, lrgd_vec u, double c)
{
  lr_difference D = {.o = o, .at = at, .U = u, .curvature = &c, .stride = 1};
  double t[2];
  size_t n = 1;
  if (!lr_finite(at->f)) return false;
  D.scale = lr_oracle_scale(o, at);
  if (o->differences.two_sided)
    n = lr_difference_place_both(&D, 0, 0, t);
  else
    n = lr_difference_place(&D, 0, 0, 1) != 0;
  for (size_t i = 0; i < n; i++)
    if (!lr_oracle_plan(o, (lrgd_vec){o->room.points, i})) return false;
  return true;
}
