/* Decisions of fits. */
#include "learn/fit_rules.h"

#include <math.h>

size_t lr_fit_dimensions(const lr_policy *P, size_t p)
{
  size_t most = (size_t)P->fit_dimensions;
  return p < most ? p : most;
}

size_t lr_fit_most_data(const lr_policy *P)
{
  return (size_t)P->fit_data;
}

bool lr_fit_has_data(const lr_policy *P, size_t n)
{
  return (double)n >= P->fit_least_data;
}

bool lr_fit_is_difference(const lr_policy *P, double step, double x)
{
  double size = 1 + fabs(x);
  return step >= P->fit_shortest_step * size &&
         step <= P->fit_longest_step * size;
}

bool lr_fit_is_dense_difference(const lr_policy *P, double step, double norm)
{
  return step <= P->fit_longest_step * (1 + norm);
}

bool lr_fit_is_gradient(const lr_policy *P, size_t inputs, size_t p)
{
  return (double)inputs >= P->fit_gradient_inputs * (double)p;
}

double lr_fit_difference_error(const lr_policy *P, double d)
{
  return P->fit_truncation * fabs(d);
}

bool lr_fit_is_new(const lr_policy *P, double outside, double norm)
{
  return outside > P->fit_new_direction * norm;
}

bool lr_fit_lies_inside(const lr_policy *P, double share)
{
  return !(share < P->fit_inside);
}

bool lr_fit_is_newton(const lr_policy *P, double share)
{
  return share > P->fit_newton;
}

bool lr_fit_above_rounding(const lr_policy *P, double lambda, double largest)
{
  return fabs(lambda) > P->fit_least_curvature * largest;
}

bool lr_fit_is_certain(const lr_policy *P, double lambda, double deviation)
{
  return fabs(lambda) > P->fit_certain * deviation;
}

double lr_fit_most_deviation(const lr_policy *P, double curvature)
{
  return fabs(curvature) / P->fit_certain_random;
}

size_t lr_fit_window(const lr_policy *P, size_t p)
{
  return (size_t)(P->fit_window * (double)p) + (size_t)P->fit_window_least;
}

bool lr_fit_is_embedding(const lr_policy *P, size_t dense, size_t all)
{
  return (double)dense > P->fit_embedding * (double)all;
}

bool lr_fit_is_folded(const lr_policy *P, size_t directions, size_t all)
{
  return (double)directions > P->fit_folded * (double)all;
}

size_t lr_fit_most_samples(const lr_policy *P, size_t p)
{
  size_t most = (size_t)P->sample_gradients;
  return p < most ? p : most;
}

bool lr_fit_pairs_agree(const lr_policy *P, double misfit)
{
  return misfit <= P->sample_misfit;
}

bool lr_fit_descended(const lr_policy *P, double first, double sample,
                      double lowest)
{
  return sample - lowest > P->sample_descent * (first - lowest);
}

bool lr_fit_embeds(const lr_policy *P, size_t q, size_t p)
{
  return (double)q * (double)q <= P->sample_directions * (double)p;
}

bool lr_fit_is_outlier(const lr_policy *P, double d, double predicted)
{
  return d > P->fit_outlier * predicted;
}

double lr_fit_agreement(const lr_policy *P, double f, double descent,
                        double noise)
{
  double rounding = fmax(P->same_value * fabs(f), P->same_descent * descent);
  return fmax(rounding, P->same_noise * noise);
}

bool lr_fit_may_be_noise(const lr_policy *P, double difference, double gained)
{
  return fabs(difference) <= P->doubted_noise * gained;
}
