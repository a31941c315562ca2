/* Decisions of the phases that evaluate by rounds. */
#include "wide/wide_rules.h"

#include "base/elementary.h"

#include <math.h>

bool lr_wide_suits(const lr_policy *P, size_t width, double p)
{
  return (double)width >= P->wide_least_width && p >= P->wide_least_dimension;
}

double lr_wide_length(size_t i)
{
  double length = ldexp(1, (int)((i + 1) / 2));
  return i % 2 == 1 ? 1 / length : length;
}

size_t lr_wide_lengths(const lr_policy *P, size_t places)
{
  size_t most = (size_t)P->wide_lengths;
  return places < 1 ? 1 : places < most ? places : most;
}

size_t lr_wide_left(size_t width, size_t n)
{
  return width - n % width;
}

bool lr_wide_accepts(double share, double fall, double most)
{
  return fall > 0 && fall > share * most;
}

double lr_wide_shrunk(const lr_policy *P, double least, double radius,
                      double step)
{
  return P->wide_shrink * least * fmin(radius, step);
}

bool lr_wide_differs(const lr_policy *P, double distance, double step)
{
  return distance > P->wide_apart * step;
}

bool lr_wide_fails(const lr_policy *P, unsigned rounds)
{
  return rounds >= P->wide_failures;
}

bool lr_wide_matches(const lr_policy *P, double step, double radius)
{
  return fabs(step - radius) <= P->wide_radius_match * radius;
}

bool lr_wide_exceeds(const lr_policy *P, double step, double radius)
{
  return step > (1 + P->wide_radius_match) * radius;
}

/* The number of landings in a round: one per `places` points, at least one and
 * at most `most`. */
static size_t landings(size_t width, double places, double most)
{
  double n = floor((double)width / places);
  return (size_t)fmin(fmax(n, 1), most);
}

double lr_stream_far(const lr_policy *P, double scale, double p)
{
  return P->stream_far * scale * sqrt(p);
}

double lr_stream_step(const lr_policy *P, double scale)
{
  return P->stream_step * scale;
}

size_t lr_stream_landings(const lr_policy *P, size_t width)
{
  return landings(width, P->stream_landing_places, P->stream_landings);
}

bool lr_stream_lands(const lr_policy *P, double promised, double gained)
{
  return promised > P->stream_landing * gained;
}

bool lr_stream_complete(const lr_policy *P, double last, double before)
{
  return fmax(last, before) < P->stream_tail;
}

/* The evaluations for k columns: two each, and one for each pair. */
static double price(double k)
{
  return 2 * k + k * (k - 1) / 2;
}

bool lr_stream_is_high(const lr_policy *P, double k, double median, double p)
{
  if (k < P->stream_estimate) return false;
  double r = k / fmax(1 - median, P->stream_tail);
  return price(r) > P->stream_price * p;
}

bool lr_stream_too_dear(const lr_policy *P, double k, double median, double p)
{
  return price(k) >= P->stream_patience * p &&
         lr_stream_is_high(P, k, median, p);
}

bool lr_stream_is_noise(const lr_policy *P, double noise, double step,
                        double curvature)
{
  return 4 * noise > P->stream_tail * step * step * curvature;
}

size_t lr_stream_most(const lr_policy *P, size_t allowed)
{
  size_t most = (size_t)P->stream_most;
  return allowed < most ? allowed : most;
}

double lr_inside_step(const lr_policy *P, double scale, bool hessian)
{
  return (hessian ? P->inside_step : P->inside_slope_step) * scale;
}

bool lr_inside_speculates(size_t width, size_t k, bool predicts)
{
  const size_t lengths = 3;
  size_t left = lr_wide_left(width, k);
  if (width >= k + lengths) return true;
  return predicts && k % width > 0 && (width > k || left >= lengths);
}

bool lr_inside_measures(const lr_policy *P, size_t width, size_t lengths,
                        size_t k)
{
  double values = (double)(lengths + k + k * (k + 1) / 2);
  return values <= P->inside_hessian * (double)width;
}

size_t lr_inside_places(const lr_policy *P, size_t width)
{
  return (size_t)(P->inside_rounds * (double)width);
}

bool lr_inside_suits_sr1(const lr_policy *P, double us, double u, double s)
{
  return fabs(us) > P->inside_sr1 * u * s;
}

bool lr_inside_ends(const lr_policy *P, double promised, double gained,
                    double level)
{
  return !(promised > level) || promised < P->inside_end * gained;
}

double lr_wide_first_radius(const lr_policy *P, double scale)
{
  return P->wide_first_radius * scale;
}

double lr_wide_grown(const lr_policy *P, double radius, double length,
                     double step)
{
  return length >= 1 ? fmax(2 * step, radius) : P->wide_grow * step;
}

bool lr_wide_changes(const lr_policy *P, double skew, double symmetric)
{
  return skew > P->wide_skew * symmetric;
}

double lr_wide_least_curvature(const lr_policy *P, double largest)
{
  return P->wide_least_curvature * largest;
}

bool lr_wide_is_ahead(const lr_policy *P, size_t width, double p)
{
  return (double)width * P->wide_ahead >= p;
}

bool lr_wide_creeps(const lr_policy *P, size_t rounds, double lately,
                    double gained)
{
  return (double)rounds >= P->wide_window &&
         !(lately > P->wide_least_gain * gained);
}

size_t lr_wide_late(const lr_policy *P, size_t width, size_t n, bool steps)
{
  double share = steps ? P->wide_late_steps : P->wide_late;
  double late = floor(share * (double)n);
  return (size_t)fmin(late, (double)width);
}

bool lr_survey_suits(const lr_policy *P, size_t width, double p)
{
  return lr_wide_suits(P, width, p) && p <= P->survey_most_dimension;
}

double lr_survey_ridge(const lr_policy *P, double distance)
{
  double cube = P->survey_ridge * distance * distance * distance;
  return P->survey_least_ridge + cube * cube;
}

size_t lr_survey_landings(const lr_policy *P, size_t width)
{
  return landings(width, P->survey_landing_places, P->survey_landings);
}

bool lr_survey_is_fine(const lr_policy *P, double radius)
{
  return radius < P->survey_last_radius;
}

double lr_survey_radius(const lr_policy *P, double radius, double gain,
                        double promised, bool landing, double step,
                        double width, double p)
{
  if (gain > 0 && gain > P->survey_gain * promised)
    return landing ? fmin(fmax(step, 0.5 * radius), 2 * radius) : radius;
  /* a narrow round brings less information and shrinks the radius less: by half
   * in p/2 values */
  return radius * lr_pow(0.5, fmin(1, 2 * width / p));
}

double lr_survey_early_step(const lr_policy *P, double gain, double promised,
                            double step, double radius)
{
  bool whole = gain > P->survey_trust * promised;
  return whole ? fmax(2 * step, radius) : fmax(step, radius);
}

size_t lr_survey_window(const lr_policy *P, size_t width, size_t k)
{
  return 2 * k + (size_t)(P->survey_window * (double)width);
}

size_t lr_survey_extra_room(const lr_policy *P, size_t width)
{
  return (size_t)(P->survey_longest * (double)width);
}

bool lr_survey_ends(const lr_policy *P, double lately, double gained)
{
  return lately < P->survey_least_gain * gained;
}
