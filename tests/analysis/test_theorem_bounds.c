/* Certificates hold as often as they say, and the propositions are numbers. */
#include <lrgd/analysis.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "check.h"
#include "subspace/probe.h"

#include <stdlib.h>

TEST(
    "59 points, none of them bad, show a share of at most 5 % with "
    "confidence 95 %")
{
  check_int(lrgd_points_needed(0.05, 0.95), 59, "points");
  check(lrgd_share_bound(59, 0, 0.95) <= 0.05, "59 are enough");
  check(lrgd_share_bound(58, 0, 0.95) > 0.05, "58 are not");
}

TEST("the binomial bound is Clopper and Pearson's")
{
  /* 1 - 0.05^(1/10); and the textbook's 95 % upper limit for 2 of 20 */
  check_near(lrgd_share_bound(10, 0, 0.95), 0.2588655508930523, 1e-12, "0/10");
  check_near(lrgd_share_bound(20, 2, 0.95), 0.2826190, 1e-5, "2/20");
  check(lrgd_share_bound(5, 5, 0.95) == 1, "all bad");
  check(lrgd_share_bound(0, 0, 0.95) == 1, "nothing seen");
}

static double uniform_at(uint64_t stream, uint64_t index)
{
  uint32_t bits[4];
  lr_philox(77, stream, index, bits);
  return ((double)bits[0] + 0.5) * 0x1p-32;
}

enum { REPETITIONS = 2000 };
/* 5 % of 2000, and three standard deviations above it */
static const double most_wrong = 100 + 3 * 9.75;

/* eta over the region is u^2, so P(eta > t) = 1 - sqrt(t). */
TEST("a share certified by the largest of n points is wrong in 5 % at most")
{
  int wrong = 0;
  for (uint64_t k = 0; k < REPETITIONS; k++) {
    double largest = 0;
    for (uint64_t i = 0; i < 59; i++) {
      double u = uniform_at(k, i);
      largest = fmax(largest, u * u);
    }
    wrong += 1 - sqrt(largest) > lrgd_share_bound(59, 0, 0.95);
  }
  check(wrong <= most_wrong, "%d of 2000 wrong, 100 expected", wrong);
  check(wrong >= 100 - 3 * 9.75, "and it is not idle: %d", wrong);
}

/* A gradient with a part of length one outside a basis of three directions;
 * the run looks until it is content: at every look the bound is asked whether
 * the part is below 0.9, which is never true. */
TEST("repeated certificates by probes are wrong in at most 5 % of runs")
{
  enum { P = 30, K = 3, M = 5, LOOKS = 12 };
  lrgd_space *space = lrgd_host_space(P, LRGD_SCALAR_DOUBLE, NULL);
  lr_basis U;
  require(lr_basis_init(&U, space, &lr_malloc, K) == LRGD_OK, "memory");
  lrgd_block *work = space->ops->make(space, 3);
  lrgd_vec w = {work, 0}, g = {work, 1}, spare = {work, 2};
  bool kept;
  for (uint64_t j = 0; j < K; j++) {
    space->ops->gaussian(space, w, 5, j);
    check(lr_basis_append(&U, w, 1e-6, &kept) == LRGD_OK && kept, "basis");
  }
  space->ops->gaussian(space, g, 5, 99);
  double left = lr_basis_reject(&U, g);
  space->ops->scale(space, g, 1 / left);
  int wrong = 0, naive = 0;
  for (uint64_t k = 0; k < REPETITIONS; k++) {
    bool certified = false, unwise = false;
    for (uint64_t look = 1; look <= LOOKS; look++) {
      double S = 0, length, d;
      for (uint64_t i = 0; i < M; i++) {
        (void)lr_probe_direction(&U, NULL, w, spare, 1000 + k, look * M + i,
                                 &length);
        space->ops->dot(space, w, 1, g, &d);
        S += length * length * d * d;
      }
      certified |= lr_probe_bound(S, M, lr_probe_share(0.05, look)) < 0.999;
      unwise |= lr_probe_bound(S, M, 0.05) < 0.999;
    }
    wrong += certified;
    naive += unwise;
  }
  check(wrong <= most_wrong, "%d of 2000 wrong", wrong);
  check(naive > 400, "without sharing the error %d would be", naive);
  lr_basis_clear(&U);
  space->ops->free(space, work);
  lrgd_space_destroy(&space);
}

/* mu |x|^2 / 2 in a ball of radius D: outside an r-dimensional H the gradient
 * is mu x, as long as mu D. */
TEST(
    "Proposition 2.3 is attained by mu |x|^2 / 2, though sampled points "
    "may show less")
{
  enum { P = 6, R = 2, N = 400 };
  const double mu = 0.7, D = 3;
  double sampled = 0, eta = 0.2, least = lrgd_least_epsilon(mu, D, eta);
  check_near(least, mu * D * (1 - eta), 1e-15, "the bound");
  double worst = mu * D - eta * mu * D; /* at D e_P: all of it outside */
  check_near(worst, least, 1e-15, "attained, where the paper writes >");
  for (uint64_t k = 0; k < N; k++) {
    double x[P], size = 0, off = 0;
    lr_gaussian(3, k, 0, P, x);
    for (int i = 0; i < P; i++) size += x[i] * x[i];
    for (int i = 0; i < P; i++) {
      x[i] *= D * uniform_at(k, 7) / sqrt(size);
      if (i >= R) off += mu * x[i] * mu * x[i];
    }
    double all = mu * sqrt(lr_dot(P, x, x));
    sampled = fmax(sampled, sqrt(off) - eta * all);
  }
  check(sampled < least && sampled > 0.9 * least,
        "sampled %g lies below %g: never clamp", sampled, least);
}

/* f = x_1^2/2 + lambda x_2^2/2 - M x_2^3/3 and H = span e_1: on the second
 * axis the gradient (lambda x - M x^2) e_2 is wholly outside. */
static double worst_on_axis(double lambda, double M, double delta, double eta)
{
  double worst = 0;
  for (int i = 0; i <= 20000; i++) {
    double x = delta * i / 20000;
    worst = fmax(worst, (1 - eta) * fabs(lambda * x - M * x * x));
  }
  return worst;
}

TEST("Proposition 2.2: epsilon > 0 wherever the Hessian is invertible")
{
  const double lambda = 0.4, M = 0.05, delta = 4;
  /* attained at eta = 0: lambda^2 / 4M, at x = lambda / 2M = 4 */
  double least = lrgd_least_epsilon_near(lambda, M, delta, 0);
  check_near(least, lambda * lambda / (4 * M), 1e-12, "the bound");
  check_near(worst_on_axis(lambda, M, delta, 0), least, 1e-6, "is attained");
  for (double eta = 0.05; eta < 1; eta += 0.05)
    for (double D = 0.01; D < 50; D *= 3) {
      double bound = lrgd_least_epsilon_near(lambda, M, D, eta);
      check(bound > 0, "eta %g, delta %g: %g > 0", eta, D, bound);
      check(bound <= worst_on_axis(lambda, M, D, eta) * (1 + 1e-6),
            "eta %g, delta %g: %g is not too much", eta, D, bound);
    }
  check(lrgd_least_epsilon_near(0, M, delta, 0.5) == 0, "singular: nothing");
  check(lrgd_least_epsilon_near(lambda, M, delta, 1) == 0, "eta = 1: nothing");
  check_near(lrgd_least_epsilon_near(lambda, 0, delta, 0.3),
             lrgd_least_epsilon(lambda, delta, 0.3), 1e-15,
             "a quadratic: as Proposition 2.3");
}

TEST("the converse of Proposition 2.3 gives the least eta for an epsilon")
{
  double eta = lrgd_least_eta(0.7, 3, 1.26);
  check_near(eta, 0.4, 1e-14, "1 - epsilon / mu delta");
  check_near(lrgd_least_epsilon(0.7, 3, eta), 1.26, 1e-14, "and back");
  check(lrgd_least_eta(0.7, 3, 5) == 0, "a large epsilon allows eta = 0");
}

/* The lemma behind it: on every level set of a strongly convex function the
 * gradient takes every direction.  For x'Ax/2, grad = Ax = c u at
 * x = c A^-1 u, and c follows from the level. */
TEST("on a level set of a strongly convex f the gradient has any direction")
{
  const double a[3] = {5, 2, 0.5}, mu = 0.5, D = 2,
               level = 0.9 * mu * D * D / 2;
  for (uint64_t k = 0; k < 50; k++) {
    double u[3], size, q = 0, x[3], f = 0, away = 0;
    lr_gaussian(8, k, 0, 3, u);
    size = lr_norm(3, u);
    for (int i = 0; i < 3; i++) {
      u[i] /= size;
      q += u[i] * u[i] / a[i];
    }
    double c = sqrt(2 * level / q);
    for (int i = 0; i < 3; i++) {
      x[i] = c * u[i] / a[i];
      f += 0.5 * a[i] * x[i] * x[i];
      away += x[i] * x[i];
    }
    check_near(f, level, 1e-12, "on the level set");
    check(sqrt(away) < D, "inside the ball");
    check(c * c >= 2 * mu * level * (1 - 1e-12), "|grad f|^2 >= 2 mu lambda");
  }
}
