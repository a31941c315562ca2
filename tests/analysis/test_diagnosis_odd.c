/* Studies of odd functions get a sensible answer, and certificates cover the
 * share that they promise. */
#include <float.h>

#include "diagnosed.h"

typedef struct odd {
  int kind;
  uint64_t asked;
} odd;

static double noise_at(odd *o)
{
  uint64_t x = ++o->asked * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
  return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static double odd_value(size_t p, const double *x, void *user)
{
  odd *o = user;
  double s = x[0] + (p > 1 ? x[1] : 0) - 1;
  switch (o->kind) {
  case 0: return NAN;
  case 1: return x[0] > 0.2 ? NAN : s * s;
  case 2: return s * s + 1e-3 * noise_at(o);
  case 3: return s * s + 100 * noise_at(o);
  case 4: return -INFINITY;
  case 5: return 42;
  case 6: return fabs(s) + (p > 2 ? fabs(x[2]) : 0);
  case 7: return 1e300 * s;
  case 9: return 5 + 1e-3 * noise_at(o);
  default: return s * s * s * s;
  }
}

static const char *study_odd(int kind, size_t p, lrgd_diagnosis_result *found)
{
  static char verdict[512];
  odd o = {.kind = kind};
  lrgd_problem f = lrgd_problem_default(p);
  lrgd_error error = {LRGD_OK, ""};
  lrgd_diagnosis *study;
  double x[16] = {0};
  f.value = odd_value;
  f.user = &o;
  lrgd_status status = lrgd_diagnosis_create(&study, &f, NULL, NULL, x, &error);
  check(status == LRGD_OK, "kind %d: %s", kind, error.text);
  if (status != LRGD_OK) return "";
  *found = *lrgd_diagnosis_get(study);
  (void)snprintf(verdict, sizeof verdict, "%s", found->verdict);
  lrgd_diagnosis_destroy(&study);
  return verdict;
}

/* Slopes that no double can tell, and some that are too long to be squared. */
static double far_off(size_t p, const double *x, void *user)
{
  const double *level = user;
  double t = -1;
  for (size_t i = 0; i < p; i++) t += x[i];
  return level[0] + level[1] * t * t;
}

TEST(
    "an added constant of 1e12 and a factor of 1e300 do not change the "
    "diagnosis")
{
  const double levels[2][2] = {
      {1e12, 1e-3 },
      {0,    1e300}
  };
  const char *const said[] = {"Subtract a constant", "divide f by that"};
  for (int i = 0; i < 2; i++) {
    double x0[20] = {0};
    lrgd_problem f = lrgd_problem_default(20);
    lrgd_diagnosis *study = NULL;
    f.value = far_off;
    f.user = (void *)(uintptr_t)levels[i];
    require(lrgd_diagnosis_create(&study, &f, NULL, NULL, x0, NULL) == LRGD_OK,
            "a study");
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    check(strstr(found->verdict, said[i]) != NULL, "%s", found->verdict);
    check(!found->conclusive && !found->low_rank, "%s", found->verdict);
    lrgd_diagnosis_destroy(&study);
  }
}

/* Counts points below the one bound that is near. */
static double between(size_t p, const double *x, void *user)
{
  double t = -1;
  size_t *outside = user;
  *outside += x[0] < 0.5 ? 1 : 0;
  for (size_t i = 0; i < p; i++) t += x[i];
  return t * t;
}

TEST("bounds as wide as the range of doubles hold and do not set the scale")
{
  double lower[12], upper[12], x0[12];
  size_t outside = 0;
  lrgd_problem f = lrgd_problem_default(12);
  lrgd_diagnosis *study = NULL;
  lrgd_error error = {LRGD_OK, ""};
  for (size_t i = 0; i < 12; i++) {
    upper[i] = i % 2 ? 1e100 : DBL_MAX;
    lower[i] = i == 0 ? 0.5 : -upper[i];
    x0[i] = 3;
  }
  f.value = between;
  f.user = &outside;
  f.lower = lower;
  f.upper = upper;
  require(lrgd_diagnosis_create(&study, &f, NULL, NULL, x0, &error) == LRGD_OK,
          "%s", error.text);
  const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
  check_int(found->recommended_rank, 1, "%s", found->verdict);
  check_int(outside, 0, "points outside of the bounds");
  lrgd_diagnosis_destroy(&study);
}

TEST("NaN, noise, constants and kinks get a sensible answer")
{
  lrgd_diagnosis_result found;
  const char *verdict = study_odd(0, 12, &found);
  check(strstr(verdict, "cannot be evaluated"), "NaN: %s", verdict);
  verdict = study_odd(1, 12, &found);
  check(found.exact_rank == 1 && found.failed > 0, "half NaN: %s", verdict);
  verdict = study_odd(2, 12, &found);
  check(found.recommended_rank == 1 && found.noise > 0, "noise: %s", verdict);
  verdict = study_odd(3, 12, &found);
  check(!found.low_rank && strstr(verdict, "oise"), "much noise: %s", verdict);
  verdict = study_odd(9, 12, &found);
  check(!found.low_rank && !found.conclusive && strstr(verdict, "Noise of") &&
            !strstr(verdict, "Subtract"),
        "noise and a constant: %s", verdict);
  verdict = study_odd(4, 12, &found);
  check(!found.low_rank && verdict[0] != '\0', "-inf: %s", verdict);
  verdict = study_odd(5, 12, &found);
  check(strstr(verdict, "constant"), "constant: %s", verdict);
  verdict = study_odd(6, 12, &found);
  check_int(found.recommended_rank, 2, "kinks: %s", verdict);
  verdict = study_odd(7, 12, &found);
  check(verdict[0] != '\0', "huge: %s", verdict);
  verdict = study_odd(8, 1, &found);
  check(!found.low_rank && strstr(verdict, "nothing to reduce"),
        "one input: %s", verdict);
}

/* ---- coverage of the whole certificate, the choice of r included ---- */

enum { SMALL = 6 };

/* Curved enough that no subspace holds everywhere: eta varies over the box. */
static double curved(size_t p, const double *x, double *g, void *user)
{
  double f = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    double weight = pow(4, -(double)i), next = x[(i + 1) % p];
    f += weight * (exp(x[i]) + 0.3 * x[i] * next);
    g[i] = weight * (exp(x[i]) + 0.3 * next);
    g[i] += 0.3 * pow(4, -(double)((i + p - 1) % p)) * x[(i + p - 1) % p];
  }
  return f;
}

/* The share of the box where eta exceeds the certified one. */
static double true_share(const double *U, size_t r, double eta)
{
  enum { POINTS_TRIED = 2000 };
  size_t above = 0;
  state = 12345;
  for (int k = 0; k < POINTS_TRIED; k++) {
    double x[SMALL], g[SMALL], all, off = 0;
    spread(SMALL, x);
    (void)curved(SMALL, x, g, NULL);
    all = norm(SMALL, g);
    for (size_t j = 0; j < r; j++) {
      double d = dot(SMALL, g, U + j * SMALL);
      lr_axpy(SMALL, -d, U + j * SMALL, g);
    }
    off = norm(SMALL, g);
    above += off > eta * all;
  }
  return (double)above / POINTS_TRIED;
}

TEST("of 2,000 diagnoses at most 5 % certify a wrong share")
{
  const double lower[SMALL] = {-1, -1, -1, -1, -1, -1};
  const double upper[SMALL] = {1, 1, 1, 1, 1, 1}, x[SMALL] = {0};
  lrgd_problem f = lrgd_problem_default(SMALL);
  lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
  lrgd_options o = lrgd_options_default();
  int wrong = 0, made = 0;
  f.gradient = curved;
  f.lower = lower;
  f.upper = upper;
  want.gradients = 12;
  want.held_out = 59;
  want.trial_runs = 0;
  for (int k = 0; k < 2000; k++) {
    lrgd_diagnosis *study;
    double U[SMALL * SMALL];
    o.seed = k;
    require(lrgd_diagnosis_create(&study, &f, &o, &want, x, NULL) == LRGD_OK,
            "study %d", k);
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    size_t r = found->recommended_rank;
    if (r < SMALL && lrgd_diagnosis_directions(study, r, U) == LRGD_OK) {
      made++;
      wrong += true_share(U, r, found->certified_eta) > found->certified_share;
    }
    lrgd_diagnosis_destroy(&study);
  }
  /* 5 %, and three standard deviations */
  check(made > 1000, "%d certificates", made);
  check(wrong <= 0.05 * made + 3 * sqrt(0.0475 * made), "%d of %d wrong", wrong,
        made);
}

/* ---- inputs of unequal sizes ---- */

enum { UNEQUAL = 20 };

/* phi(t), t = a'(x / size - m), with sizes from 1 to 10^decades. */
typedef struct unequal {
  int shape;
  double decades, a[UNEQUAL], m[UNEQUAL];
} unequal;

static double unequal_size(const unequal *u, size_t i)
{
  return pow(10, u->decades * (double)i / (UNEQUAL - 1));
}

static double unequal_value(size_t p, const double *x, void *user)
{
  const unequal *u = user;
  double t = 0;
  for (size_t i = 0; i < p; i++)
    t += u->a[i] * (x[i] / unequal_size(u, i) - u->m[i]);
  switch (u->shape) {
  case 0: return t * t;
  case 1: return tanh(t) + 0.1 * t * t;
  case 2: return cosh(0.02 * t);
  default: return exp(0.02 * t) - 0.02 * t;
  }
}

/* Where |f| is large, steps that grow with it have a large truncation error
 * along the small inputs, which looks like a direction of f. */
TEST("functions of one direction have rank one, however unequal inputs are")
{
  for (int k = 0; k < 64; k++) {
    unequal u = {.shape = k % 4, .decades = k / 4 % 2 ? 4 : 2};
    odd chance = {.asked = (uint64_t)k * 1000};
    double x[UNEQUAL] = {0};
    lrgd_problem f = lrgd_problem_default(UNEQUAL);
    lrgd_diagnosis_options want = lrgd_diagnosis_options_default();
    lrgd_diagnosis *study = NULL;
    want.trial_runs = 0;
    for (size_t i = 0; i < UNEQUAL; i++) {
      u.a[i] = noise_at(&chance);
      u.m[i] = 4 * noise_at(&chance);
      if (k % 3) x[i] = 4 * noise_at(&chance) * unequal_size(&u, i);
    }
    f.value = unequal_value;
    f.user = &u;
    require(lrgd_diagnosis_create(&study, &f, NULL, &want, x, NULL) == LRGD_OK,
            "study %d", k);
    const lrgd_diagnosis_result *found = lrgd_diagnosis_get(study);
    check_int(found->exact_rank, 1, "%d: %s", k, found->verdict);
    lrgd_diagnosis_destroy(&study);
  }
}
