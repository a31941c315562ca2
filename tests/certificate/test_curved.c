/* Certificates of one-sided differences less the model's curvature: functions
 * whose curvature changes along a difference, as where inputs differ in size
 * by 1e4 and a difference is as long as the largest needs. */
#include "base/random.h"
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>

enum { INPUTS = 40, TIMES = 600 };

/* f = (t^2 - 1/2)^2 c/4, t = a'(x/size - middle): two valleys. */
typedef struct valleys {
  double a[INPUTS], size[INPUTS], middle[INPUTS], start[INPUTS], c;
} valleys;

static double along(const valleys *V, const double *x)
{
  double t = 0;
  for (int j = 0; j < INPUTS; j++)
    t += V->a[j] * (x[j] / V->size[j] - V->middle[j]);
  return t;
}

static double value(size_t p, const double *x, void *user)
{
  const valleys *V = user;
  double t = along(V, x), u = t * t - 0.5;
  (void)p;
  return 0.25 * V->c * u * u;
}

static double norm_at(const valleys *V, const double *x)
{
  double t = along(V, x), slope = V->c * (t * t - 0.5) * t, sum = 0;
  for (int j = 0; j < INPUTS; j++) {
    double g = slope * V->a[j] / V->size[j];
    sum += g * g;
  }
  return sqrt(sum);
}

static valleys drawn(int seed)
{
  valleys V = {.c = 1};
  double draws[3 * INPUTS], norm = 0;
  lr_gaussian((uint64_t)seed, 1, 0, 3 * INPUTS, draws);
  for (int j = 0; j < INPUTS; j++) {
    V.a[j] = draws[j];
    norm += draws[j] * draws[j];
    V.size[j] = pow(10, 4.0 * j / (INPUTS - 1));
    V.middle[j] = draws[INPUTS + j];
    V.start[j] = V.size[j] * (V.middle[j] + draws[2 * INPUTS + j]);
  }
  for (int j = 0; j < INPUTS; j++) V.a[j] /= sqrt(norm);
  V.c = pow(10, 2 * V.a[0]);
  return V;
}

TEST(
    "with errors in the model's derivatives, bounds of confidence 0.999 "
    "are false once in 1,000")
{
  int given = 0, wrong = 0, times = CHECK_RUNS(TIMES);
  for (int seed = 0; seed < times; seed++) {
    valleys V = drawn(seed);
    lrgd_problem f = lrgd_problem_default(INPUTS);
    lrgd_options o = lrgd_options_default();
    lrgd_result r;
    f.value = value;
    f.user = &V;
    o.method = LRGD_METHOD_QUASI_NEWTON;
    o.confidence = 0.999;
    o.seed = seed;
    o.tol = norm_at(&V, V.start) * 1e-4;
    double *x = V.start;
    require(lrgd_minimize(&f, &o, x, &r, NULL) == LRGD_OK, "it runs");
    given += r.certificate.valid;
    wrong += r.certificate.valid &&
             !(norm_at(&V, x) <= 1.01 * r.certificate.grad_norm_bound);
  }
  check(100 * given >= 99 * times, "%d of %d are given", given, times);
  check(wrong <= 4, "%d of %d are false", wrong, given);
}

/* ---- long differences of a noisy f ---- */

enum { LINKS = 6 };

/* f = sum x_i^4/4 - d_i x_i + (x_i+1 - x_i)^2/2, and noise. */
typedef struct chain {
  double d[LINKS], start[LINKS], noise;
  uint64_t seed, asked;
} chain;

static double chain_gradient(const chain *C, const double *x, double *g)
{
  double f = 0;
  for (int i = 0; i < LINKS; i++) {
    g[i] = x[i] * x[i] * x[i] - C->d[i];
    f += 0.25 * x[i] * x[i] * x[i] * x[i] - C->d[i] * x[i];
  }
  for (int i = 0; i + 1 < LINKS; i++) {
    double gap = x[i + 1] - x[i];
    f += 0.5 * gap * gap;
    g[i] -= gap;
    g[i + 1] += gap;
  }
  return f;
}

static double noisy_chain(size_t p, const double *x, void *user)
{
  chain *C = user;
  double g[LINKS], e;
  (void)p;
  lr_gaussian(C->seed, 3, C->asked++, 1, &e);
  return chain_gradient(C, x, g) + C->noise * e;
}

static double chain_norm(const chain *C, const double *x)
{
  double g[LINKS], sum = 0;
  (void)chain_gradient(C, x, g);
  for (int i = 0; i < LINKS; i++) sum += g[i] * g[i];
  return sqrt(sum);
}

TEST("bounds include the truncation error of long differences of a noisy f")
{
  int given = 0, wrong = 0, times = CHECK_RUNS(4 * TIMES);
  for (int seed = 0; seed < times; seed++) {
    chain C = {.noise = pow(10, -6 + 0.5 * (seed % 7)), .seed = (uint64_t)seed};
    lr_gaussian(C.seed, 1, 0, LINKS, C.d);
    lr_gaussian(C.seed, 2, 0, LINKS, C.start);
    lrgd_problem f = lrgd_problem_default(LINKS);
    lrgd_options o = lrgd_options_default();
    lrgd_result r;
    f.value = noisy_chain;
    f.user = &C;
    o.method = LRGD_METHOD_LRGD;
    o.rank = LINKS;
    o.noise = C.noise;
    o.confidence = 0.999;
    o.seed = seed;
    o.tol = (7 + seed % 5) * pow(C.noise, 2.0 / 3);
    double *x = C.start;
    require(lrgd_minimize(&f, &o, x, &r, NULL) == LRGD_OK, "it runs");
    given += r.certificate.valid;
    wrong += r.certificate.valid &&
             !(chain_norm(&C, x) <= 1.01 * r.certificate.grad_norm_bound);
  }
  check(100 * given >= 95 * times, "%d of %d are given", given, times);
  check(wrong <= times / 400, "%d of %d are false", wrong, given);
}

/* ---- ripples within a difference ---- */

enum { WAVES = 5 };

/* f = sum t_i^2/2 + 0.4 (1 - cos w t_i), t = A (x/size - middle), and noise:
 * a difference that is as long as the largest size needs covers many waves
 * along the others. */
typedef struct ripples {
  double A[WAVES * WAVES], size[WAVES], middle[WAVES], start[WAVES], noise, w;
  uint64_t seed, asked;
} ripples;

static double ripples_gradient(const ripples *R, const double *x, double *g)
{
  double f = 0;
  for (int j = 0; j < WAVES; j++) g[j] = 0;
  for (int i = 0; i < WAVES; i++) {
    double t = 0;
    for (int j = 0; j < WAVES; j++)
      t += R->A[i * WAVES + j] * (x[j] / R->size[j] - R->middle[j]);
    f += 0.5 * t * t + 0.4 * (1 - cos(R->w * t));
    for (int j = 0; j < WAVES; j++)
      g[j] +=
          R->A[i * WAVES + j] * (t + 0.4 * R->w * sin(R->w * t)) / R->size[j];
  }
  return f;
}

static double noisy_ripples(size_t p, const double *x, void *user)
{
  ripples *R = user;
  double g[WAVES], e;
  (void)p;
  lr_gaussian(R->seed, 4, R->asked++, 1, &e);
  return ripples_gradient(R, x, g) + R->noise * e;
}

static double ripples_norm(const ripples *R, const double *x)
{
  double g[WAVES], sum = 0;
  (void)ripples_gradient(R, x, g);
  for (int j = 0; j < WAVES; j++) sum += g[j] * g[j];
  return sqrt(sum);
}

static void draw_ripples(ripples *R, int seed, double w)
{
  *R = (ripples){
      .noise = pow(10, -2.5 - seed % 3), .w = w, .seed = (uint64_t)seed};
  lr_gaussian(R->seed, 1, 0, WAVES * WAVES, R->A);
  lr_gaussian(R->seed, 2, 0, WAVES, R->middle);
  lr_gaussian(R->seed, 3, 0, WAVES, R->start);
  for (int i = 0; i < WAVES; i++) {
    double norm = 0;
    for (int j = 0; j < WAVES; j++) norm = hypot(norm, R->A[i * WAVES + j]);
    for (int j = 0; j < WAVES; j++) R->A[i * WAVES + j] /= norm;
  }
  for (int j = 0; j < WAVES; j++) {
    R->size[j] = pow(10, 4.0 * ((j + seed) % WAVES) / (WAVES - 1));
    R->start[j] = R->size[j] * (R->middle[j] + R->start[j]);
  }
}

/* What runs on ripples claim. */
typedef struct claims {
  int times, given, wrong, converged, wrongly; /* wrongly: and converged */
} claims;

static claims claims_on_ripples(int times, double w, double tol)
{
  claims c = {.times = times};
  for (int seed = 0; seed < times; seed++) {
    ripples R;
    draw_ripples(&R, seed, w);
    lrgd_problem f = lrgd_problem_default(WAVES);
    lrgd_options o = lrgd_options_default();
    lrgd_result r = {.outcome = LRGD_OUTCOME_FAILED};
    f.value = noisy_ripples;
    f.user = &R;
    o.method = LRGD_METHOD_QUASI_NEWTON;
    o.noise = R.noise;
    o.confidence = 0.999;
    o.seed = seed;
    o.tol = ripples_norm(&R, R.start) * tol;
    double *x = R.start;
    check(lrgd_minimize(&f, &o, x, &r, NULL) == LRGD_OK, "it runs");
    bool given = r.certificate.valid, end = r.outcome == LRGD_OUTCOME_CONVERGED;
    bool wrong =
        given && !(ripples_norm(&R, x) <= 1.01 * r.certificate.grad_norm_bound);
    c.given += given;
    c.wrong += wrong;
    c.converged += end;
    c.wrongly += wrong && end;
  }
  return c;
}

TEST("a bound below the gradient that the run has seen is measured again")
{
  claims c = claims_on_ripples(CHECK_RUNS(2 * TIMES), 1.5, 1e-3);
  check(10 * c.given >= 9 * c.times, "%d of %d are given", c.given, c.times);
  check(c.wrong <= c.times / 60, "%d of %d are false", c.wrong, c.given);
}

TEST("so is one within the tolerance, before the run has converged")
{
  claims c = claims_on_ripples(CHECK_RUNS(2 * TIMES), 4, 1e-2);
  check(10 * c.given >= 9 * c.times, "%d of %d are given", c.given, c.times);
  check(6 * c.converged >= c.times, "%d of %d end", c.converged, c.times);
  check(c.wrong <= c.times / 60, "%d of %d are false", c.wrong, c.given);
  check(c.wrongly <= c.times / 120, "%d of %d are false and have converged",
        c.wrongly, c.converged);
}
