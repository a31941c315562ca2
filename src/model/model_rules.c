/* Decisions of the quadratic model in a subspace. */
#include "model/model_rules.h"

#include "step/step_rules.h"

#include <math.h>

/* A bound that keeps quotients by a zero curvature finite. */
static const double tiny = 1e-300;

/* ---- curvatures ---- */

double lr_model_least_curvature(const lr_policy *P, double largest)
{
  return P->curvature_floor * largest + tiny;
}

double lr_model_known_curvature(const lr_policy *P, double largest)
{
  return P->curvature_known * largest + tiny;
}

double lr_model_outside_curvature(const lr_policy *P, double c, double largest)
{
  return fmax(c, P->outside_floor * largest);
}

/* ---- secant updates ---- */

/* There is one derivative along each of the k directions at either end. */
bool lr_model_change_is_noise(const lr_policy *P, double change, size_t k,
                              double error)
{
  return change < P->secant_noise * sqrt(2 * (double)k) * error;
}

bool lr_model_suits_bfgs(const lr_policy *P, const lr_secant_view *v)
{
  double steepest = P->secant_steepest * fmax(v->largest, sqrt(v->yy / v->ss));
  return v->sBs > 0 && lr_secant_is_convex(P, v->sy, sqrt(v->ss * v->yy), 1) &&
         v->yy < steepest * v->sy;
}

bool lr_model_suits_sr1(const lr_policy *P, double ws, double ww,
                        double largest)
{
  return P->sr1_steepest * fabs(ws) * largest > ww;
}

size_t lr_model_forgotten(const lr_policy *P, size_t k)
{
  return (size_t)(P->forget_share * (double)(k + 1));
}

bool lr_model_noise_matters(const lr_policy *P, double noise, double gained)
{
  return noise > P->misled_gain * gained;
}

/* ---- line searches ---- */

bool lr_model_tries(const lr_policy *P, int trials)
{
  return trials < P->model_trials;
}

size_t lr_model_lengths(const lr_policy *P, size_t width)
{
  if ((double)width < P->wide_least_width) return 1;
  return (size_t)fmin((double)width, P->wide_lengths);
}

double lr_model_parabola(const lr_policy *P, double rise, double length,
                         double slope, double *bend)
{
  *bend = 2 * (rise - length * slope);
  return *bend > 0 ? -slope * length * length / *bend
                   : P->search_growth * length;
}

bool lr_model_search_ends(const lr_policy *P, double length, double least,
                          double bend, int trials, bool by_gradient)
{
  if (lr_search_is_near(P, length, least)) return true;
  if (!(bend > 0)) return false;
  if (by_gradient) return least <= P->search_wolfe * length;
  return trials > P->search_patience && least <= P->search_loose * length;
}

bool lr_model_is_cliff(const lr_policy *P, double rise, double linear,
                       double gained)
{
  return !(rise <= fmax(P->cliff_rise * fabs(linear), gained));
}

double lr_model_longest(const lr_policy *P, double longest, bool bounded)
{
  return (bounded ? P->leap_bounded : P->leap) * longest;
}

bool lr_model_predicts(const lr_policy *P, double decrease, double predicted,
                       double noise)
{
  return fabs(decrease - predicted) <
         P->prediction_error * fabs(predicted) + P->prediction_noise * noise;
}

/* ---- measured curvatures ---- */

bool lr_model_sees_curvature(const lr_policy *P, double difference,
                             double error)
{
  return fabs(difference) > P->curvature_signal * error;
}

double lr_model_curvature_step(const lr_policy *P, double h, bool failed)
{
  return (failed ? P->curvature_retreat : P->curvature_grow) * h;
}

bool lr_model_leaves_enough(const lr_policy *P, double left, double h)
{
  return left > P->curvature_left * h;
}

double lr_model_trace_step(const lr_policy *P, double error, double c)
{
  return sqrt(P->trace_signal * error / fabs(c));
}

/* ---- new directions ---- */

double lr_model_shortest(const lr_policy *P, double away, size_t k,
                         double error, double c)
{
  double least = P->column_least;
  if (k > 0) least = fmax(least, P->column_move * away / sqrt((double)k));
  return fmax(least, P->column_noise * sqrt(error / c));
}

double lr_model_value_error(const lr_policy *P, double noise, double f)
{
  double least = fmax(fabs(f), P->curvature_least_f);
  return fmax(noise, P->curvature_rounding * least);
}

double lr_model_column_ceiling(const lr_policy *P, double f, double error)
{
  return f + P->column_ceiling * error;
}

double lr_model_column_retreat(const lr_policy *P, double length, double least)
{
  return fmin(fmax(least, P->column_shortest * length),
              lr_step_retreat(P, length));
}

bool lr_model_bends(const lr_policy *P, double bend, double c, double length)
{
  return bend > P->column_curvature * c * length * length;
}

/* ---- bounds ---- */

bool lr_model_is_cut(const lr_policy *P, double length, double t)
{
  return fabs(length - t) > P->step_rounding * t;
}

bool lr_model_is_outside(const lr_policy *P, double part, double length)
{
  return part > P->step_rounding * length;
}

bool lr_model_visits(const lr_policy *P, int faces, double norm, double first)
{
  return faces < P->qp_faces && norm > P->qp_residual * first;
}

bool lr_model_in_face(const lr_policy *P, double square)
{
  return square > P->face_rank;
}

bool lr_model_measures(const lr_policy *P, double norm)
{
  return norm > P->face_free;
}

bool lr_model_corrects(const lr_policy *P, double square)
{
  return square > P->face_correct;
}

double lr_model_strength(const lr_policy *P, double expected, double more)
{
  if (!(expected > 0 && expected + more > 0)) return 1;
  double most = P->face_change;
  return fmin(fmax(sqrt(1 + more / expected), 1 / most), most);
}
