/* Decisions of least squares in a growing subspace. */
#include "least_squares/least_squares_rules.h"

#include "base/chi2.h"
#include "base/elementary.h"

#include <math.h>

double lr_ls_reach(const lr_policy *P, double p, double size)
{
  return P->ls_reach * sqrt(p) * fmax(1, size);
}

double lr_ls_first_curvature(double reach, double rms)
{
  return 2 * rms / (reach * reach);
}

double lr_ls_least_curvature(const lr_policy *P, double first)
{
  return P->ls_bend_least * first;
}

double lr_ls_rounding_noise(const lr_policy *P, double most)
{
  return P->ls_noise_assumed * most;
}

double lr_ls_rounding_most(const lr_policy *P, double most)
{
  return P->ls_noise_rounding * most;
}

double lr_ls_difference(const lr_policy *P, double noise, double c,
                        double reach)
{
  double t = sqrt(2 * noise / c);
  t = fmax(t, P->ls_difference_shortest * reach);
  return fmin(t, P->ls_difference_longest * reach);
}

bool lr_ls_may_lengthen(const lr_policy *P, double t, double reach)
{
  return t < P->ls_difference_longest * reach;
}

double lr_ls_lengthen(const lr_policy *P, double t, double reach)
{
  return fmin(P->ls_difference_lengthen * t, P->ls_difference_longest * reach);
}

bool lr_ls_is_marker(const lr_policy *P, double largest)
{
  return largest > P->ls_marker;
}

double lr_ls_above_rounding(const lr_policy *P, double rounding)
{
  return P->ls_difference_rounding * rounding;
}

size_t lr_ls_waves(const lr_policy *P)
{
  return (size_t)P->ls_waves;
}

lr_ls_kind lr_ls_choose_kind(const lr_policy *P, const lr_ls_kinds *kinds)
{
  for (int kind = 0; kind < LR_LS_KINDS; kind++)
    if (!(kinds->columns[kind] > 0)) return (lr_ls_kind)kind;
  bool smooth = kinds->size2[LR_LS_SMOOTH] > kinds->size2[LR_LS_INDEPENDENT];
  lr_ls_kind better = smooth ? LR_LS_SMOOTH : LR_LS_INDEPENDENT;
  bool again = kinds->last == better && kinds->row >= P->ls_kind_again;
  if (!again) return better;
  return smooth ? LR_LS_INDEPENDENT : LR_LS_SMOOTH;
}

double lr_ls_kind_share(const lr_policy *P, double columns)
{
  return 1 / fmin(columns, P->ls_kind_columns);
}

double lr_ls_smooth_length(const lr_policy *P, double p)
{
  return P->ls_smooth_length * p;
}

bool lr_ls_is_scale(const lr_policy *P, double half, double size)
{
  return half < P->ls_box_widest * size;
}

size_t lr_ls_new_columns(const lr_policy *P)
{
  return (size_t)P->ls_new_columns;
}

bool lr_ls_is_new(const lr_policy *P, double distance2)
{
  return distance2 > P->ls_new_variance;
}

bool lr_ls_is_saturated(const lr_policy *P, double distance2, double doubt)
{
  return !lr_ls_is_new(P, distance2) && doubt < P->ls_saturated_doubt;
}

bool lr_ls_gives_up_growing(const lr_policy *P, double failed)
{
  return failed >= P->ls_grow_failures;
}

size_t lr_ls_size_columns(const lr_policy *P)
{
  return (size_t)P->ls_size_columns;
}

bool lr_ls_wide(const lr_policy *P, double size, double t)
{
  return size > P->ls_box_wide * fabs(t);
}

bool lr_ls_straight(const lr_policy *P, double off, double t)
{
  return off < P->ls_box_straight * fabs(t);
}

bool lr_ls_by_axes(const lr_policy *P, double p)
{
  return p <= P->ls_box_axes;
}

bool lr_ls_holds_many(const lr_policy *P, double held, double p)
{
  return held > P->ls_box_many * p && lr_ls_by_axes(P, p);
}

bool lr_ls_few(const lr_policy *P, double p)
{
  return p <= P->ls_axes_inputs;
}

double lr_ls_first_guess(const lr_policy *P, double first)
{
  return P->ls_axes_bend * first;
}

bool lr_ls_may_listen(const lr_policy *P, bool few, double failures)
{
  return !few || failures >= P->ls_axes_listen;
}

size_t lr_ls_curved_directions(const lr_policy *P)
{
  return (size_t)P->ls_curved_directions;
}

size_t lr_ls_curved_steps(const lr_policy *P)
{
  return (size_t)P->ls_curved_steps;
}

bool lr_ls_pushes(const lr_policy *P, double slope, double deviation)
{
  return slope > P->ls_box_pushes * deviation;
}

bool lr_ls_bent(const lr_policy *P, double outside, double length)
{
  return outside > P->ls_box_bent * length;
}

bool lr_ls_may_grow(const lr_policy *P, double promised, double f)
{
  return promised < P->ls_grow_below * f;
}

bool lr_ls_lands(const lr_policy *P, const lr_ls_view *v)
{
  double times = v->is_new   ? P->ls_land_columns
                 : v->curved ? P->ls_land_curved
                             : P->ls_land_saturated;
  if (v->k >= v->p) return true;
  if (v->by_axes) return false;
  double every = v->is_new ? P->ls_grow_every : fmax(P->ls_grow_every, v->k);
  if (v->since > every && lr_ls_may_grow(P, v->promised, v->f)) return false;
  if (v->promised > P->ls_land_share * v->f) return true;
  if (v->k < P->ls_first_columns) return false;
  return !v->landed || v->saturated ||
         v->promised > fmin(times, v->p - v->k) * v->gain;
}

bool lr_ls_may_refresh(const lr_policy *P, const lr_ls_view *v)
{
  return v->promised < P->ls_refresh_below * v->f;
}

bool lr_ls_refreshes(const lr_policy *P, const lr_ls_view *v, double cost)
{
  return cost > 0 && lr_ls_may_refresh(P, v) &&
         v->promised < P->ls_refresh * cost;
}

double lr_ls_joint(const lr_policy *P, double left, double promised,
                   double error, double size)
{
  double change =
      fmin(P->ls_joint_residual * left, sqrt(P->ls_joint_promise * promised));
  return change > P->ls_joint_errors * error ? change / size : 0;
}

bool lr_ls_joins(const lr_policy *P, double ratio)
{
  return ratio > P->ls_joint_ratio;
}

bool lr_ls_joint_far(const lr_policy *P, double t, double reach)
{
  return t > P->ls_joint_shortest * reach;
}

double lr_ls_curvature(const lr_policy *P, const lr_ls_landing *l)
{
  /* the value before was a guess */
  if (l->first) return fmax(l->seen, l->least);
  double most = l->moved ? P->ls_bend_rise : P->ls_bend_rise_failed;
  if (!l->fell)
    return fmax(P->ls_bend_margin * l->before,
                fmin(l->seen, P->ls_bend_rise_failed * l->before));
  if (l->seen >= l->before) return fmin(l->seen, most * l->before);
  return fmax(fmin(P->ls_bend_margin * l->seen, l->before), l->least);
}

double lr_ls_shorten(const lr_policy *P, double c)
{
  return P->ls_bend_unevaluable * c;
}

double lr_ls_trust_again(const lr_policy *P, double c)
{
  return P->ls_sweep_bend * c;
}

double lr_ls_window(const lr_policy *P, double price)
{
  return fmax(P->ls_sweep_window_least, floor(P->ls_sweep_window * price));
}

bool lr_ls_sweeps(const lr_policy *P, const lr_ls_decrease *d)
{
  double window = lr_ls_window(P, d->price);
  bool first = !(d->last_rate > 0);
  double wait = first ? fmax(d->price, P->ls_sweep_first) : window;
  if (d->grown < window || d->since < wait) return false;
  /* a tenth of f at first, later the decrease of the last renewal */
  double rate =
      first ? lr_log(10) / d->price : fmax(1 / d->price, d->last_rate);
  return d->rate < P->ls_sweep_rate * rate;
}

bool lr_ls_matters(const lr_policy *P, double sigma, double largest)
{
  return sigma > P->ls_sweep_least * largest;
}

bool lr_ls_returns(const lr_policy *P, double f, double first)
{
  return f > P->ls_sweep_home * first;
}

double lr_ls_back(const lr_policy *P, bool known)
{
  return known ? P->ls_back_known : P->ls_back_unknown;
}

bool lr_ls_doubts(const lr_policy *P, double ratio)
{
  return ratio < P->ls_noise_ratio;
}

bool lr_ls_prints_few(const lr_policy *P, double units)
{
  return units < lr_pow(10, P->ls_printed_digits);
}

bool lr_ls_is_whole(const lr_policy *P, double units)
{
  return fabs(units - round(units)) <= P->ls_printed_whole;
}

bool lr_ls_is_noise(const lr_policy *P, double sigma, double assumed,
                    double change)
{
  return sigma > P->ls_noise_factor * assumed &&
         sigma > P->ls_noise_share * change;
}

bool lr_ls_listens_again(const lr_policy *P, double landings, double listened,
                         double ratio)
{
  if (!(listened > 0)) return true;
  return landings > P->ls_noise_again * listened && ratio < 0;
}

double lr_ls_little(const lr_policy *P, double f, double numbers, double noise)
{
  return fmax(P->ls_idle_share * f, P->ls_idle_noise * numbers * noise * noise);
}

double lr_ls_hidden(const lr_policy *P, double noise)
{
  return P->ls_noise_decrease * noise;
}

bool lr_ls_stalls(const lr_policy *P, double failures, double idle, bool noisy)
{
  if (noisy) return failures > P->ls_noise_failures || idle > 0;
  return failures > P->ls_failures || idle > P->ls_idle;
}

bool lr_ls_distrusts(const lr_policy *P, double failures)
{
  return failures > P->ls_renew_failures;
}

bool lr_ls_succeeds(const lr_policy *P, double ratio, double decrease,
                    double noise)
{
  return ratio > P->ls_success && decrease > lr_ls_hidden(P, noise);
}

bool lr_ls_fell(const lr_policy *P, double from, double to, double noise)
{
  return from - to > fmax(P->ls_idle_share * from, lr_ls_hidden(P, noise));
}

bool lr_ls_certifies(const lr_policy *P, double gradient, double tol)
{
  return gradient <= P->ls_certify_share * tol;
}

/* Student's quantile from the normal one (Wallace 1959). */
static double student(double z, double freedom)
{
  double w = z * (8 * freedom + 3) / (8 * freedom + 1);
  return sqrt(freedom * (lr_exp(w * w / freedom) - 1));
}

double lr_ls_certify_margin(const lr_policy *P, double deviation, double share,
                            double freedom)
{
  double asked = sqrt(lr_chi2_quantile(1, 1 - share));
  if (freedom < INFINITY) asked = student(asked, freedom);
  return fmax(P->ls_certify_deviations, asked) * deviation;
}

bool lr_ls_bends_more(const lr_policy *P, double seen, double believed)
{
  return seen > P->ls_bend_margin * believed;
}

bool lr_ls_blames_outside(const lr_policy *P, double outside2, double all2)
{
  return outside2 > P->ls_outside * all2;
}

bool lr_ls_is_rough(const lr_policy *P, double whole, double half)
{
  return half > P->ls_rough * whole;
}

double lr_ls_probe_margin(const lr_policy *P, double deviation)
{
  return P->ls_probe_deviations * deviation;
}

bool lr_ls_is_significant(const lr_policy *P, double sigma, double largest,
                          double variance)
{
  return lr_ls_matters(P, sigma, largest) ||
         sigma * sigma > P->ls_significant * variance;
}

bool lr_ls_confines(const lr_policy *P, double promised, double f)
{
  return promised < P->ls_confine_below * f;
}

size_t lr_ls_gains_kept(const lr_policy *P)
{
  return lr_policy_entries(P->ls_gains, LR_LS_GAINS_ROOM);
}

/* ---- the step ---- */

bool lr_ls_tries_active_set(const lr_policy *P, unsigned sets)
{
  return sets < P->ls_active_sets;
}

bool lr_ls_box_damping_found(const lr_policy *P, double low, double high)
{
  return high <= P->ls_damping_box * low;
}

bool lr_ls_damping_found(const lr_policy *P, double low, double high)
{
  return high <= (1 + P->ls_damping) * low;
}

bool lr_ls_reweighs(const lr_policy *P, unsigned times)
{
  return times < P->ls_reweighed;
}

bool lr_ls_weights_help(const lr_policy *P, double promised, double best)
{
  return promised > best + P->ls_weights_gain * fabs(best);
}
