/* What evaluations say of f around the lowest of them, on functions whose
 * derivatives are known. */
#include "fit_log.h"

static void ask_gradient(log_of *l, const double *x)
{
  double *g = l->v + l->n * P;
  for (size_t i = 0; i < P; i++) {
    double e[P] = {0};
    e[i] = 1;
    g[i] = slope(x, e);
  }
  ask(l, x)->gradient = g;
}

static void ask_slope(log_of *l, const double *x, const double *u)
{
  double *v = l->v + l->n * P;
  memcpy(v, u, P * sizeof *v);
  double d = slope(x, u);
  lrgd_evaluation *e = ask(l, x);
  e->direction = v;
  e->slope = d;
}

/* Makes known what was asked, and the fit at the base of the lowest. */
static lr_fit fitted(const log_of *l, lr_known *known, double noise)
{
  lr_fit fit = {0};
  if (lr_known_init(known, &lr_malloc, P, l->n, l->e) != LRGD_OK) abort();
  size_t low = lr_known_lowest(known, NULL, NULL);
  low = lr_known_base(known, low, NULL, NULL);
  check_int(lr_fit_init(&fit, known, low, P, noise), LRGD_OK, "fitted");
  return fit;
}

/* V is orthonormal; g and B are f's along it, to `off` of the largest. */
static void check_fit(const lr_fit *fit, const double *x, double off,
                      const char *about)
{
  double largest = 1 << (2 * (RANK - 1));
  for (size_t i = 0; i < fit->q; i++) {
    const double *v = fit->V + i * P;
    double steep = 0;
    for (size_t k = 0; k < RANK; k++)
      steep = fmax(steep, fabs(slope(x, A + k * P)));
    check_within(fit->g[i], slope(x, v), off * fmax(steep, 1), "%s: g %zu",
                 about, i);
    for (size_t j = 0; j < fit->q; j++) {
      const double *w = fit->V + j * P;
      check_within(dot(v, w), i == j, 1e-12, "%s: V", about);
      check_within(fit->B[j * fit->room + i], bend(v, w), off * largest,
                   "%s: B %zu %zu", about, i, j);
    }
  }
}

TEST("differences along all inputs tell gradient and curvature")
{
  static log_of l;
  double x[P] = {0};
  unsigned state = 5;
  lr_known known;
  make_truth();
  l.n = 0;
  for (int i = 0; i < 6; i++, step(x, &state)) {
    memcpy(l.v, x, sizeof x); /* the last of them */
    ask_differences(&l, x, 1e-6);
  }
  lr_fit fit = fitted(&l, &known, 0);
  check(fit.newton, "gradients led there");
  check_int(fit.q, RANK, "directions");
  check_fit(&fit, l.v, 1e-4, "differences");
  require(fit.partial, "derivatives along the inputs are known");
  for (size_t i = 0; i < P; i++) {
    double e[P] = {0};
    e[i] = 1;
    check_within(fit.partial[i], slope(l.v, e), 1e-4, "input %zu", i);
  }
  check(fit.steepness > 0, "how steep f was at first");
  forget(&fit, &known);
}

TEST("known gradients give gradient and curvature more accurately")
{
  static log_of l;
  double x[P] = {0}, last[P];
  unsigned state = 6;
  lr_known known;
  make_truth();
  l.n = 0;
  for (int i = 0; i < 6; i++, step(x, &state)) {
    memcpy(last, x, sizeof last);
    ask_gradient(&l, x);
  }
  lr_fit fit = fitted(&l, &known, 0);
  check(fit.newton, "gradients led there");
  check_int(fit.q, RANK, "directions");
  check_fit(&fit, last, 1e-5, "gradients");
  double steep = 0, zero[P] = {0};
  for (size_t i = 0; i < P; i++) {
    double e[P] = {0};
    e[i] = 1;
    steep += slope(zero, e) * slope(zero, e);
  }
  check_near(fit.steepness, sqrt(steep), 1e-12, "steepness");
  forget(&fit, &known);
}

/* A step along a few random directions, of which slopes were asked at every
 * point: an embedding. */
static void embed(log_of *l, bool values, double noise, double *last)
{
  enum { K = 5 };
  double U[K * P] = {0}, x[P] = {0}, y[P];
  unsigned state = 8;
  l->n = 0;
  for (size_t i = 0; i < K * P; i++) U[i] = chance(&state);
  for (int round = 0; round < 12; round++) {
    memcpy(last, x, sizeof x);
    if (values) ask(l, x);
    for (size_t j = 0; j < K; j++) {
      for (size_t i = 0; i < P; i++) y[i] = x[i] + 1e-4 * U[j * P + i];
      if (values)
        ask(l, y);
      else
        ask_slope(l, x, U + j * P);
    }
    for (size_t j = 0; j < K; j++) {
      double *u = U + j * P, c = bend(u, u), d = slope(x, u);
      double t = -(0.6 + 0.2 * chance(&state)) * d / (c + 1) / 2;
      for (size_t i = 0; i < P; i++) x[i] += t * u[i];
    }
  }
  for (size_t k = 0; noise > 0 && k < l->n; k++)
    l->e[k].f += noise * chance(&state);
}

TEST("slopes along a few directions tell f along those")
{
  static log_of l;
  double last[P];
  lr_known known;
  make_truth();
  embed(&l, false, 0, last);
  lr_fit fit = fitted(&l, &known, 0);
  check(!fit.newton, "no gradient led there");
  check(fit.q >= RANK && fit.q <= 5, "%zu directions", fit.q);
  check_fit(&fit, last, 1e-4, "slopes");
  forget(&fit, &known);
}

TEST("values of an embedding make a fit, without gradients along inputs")
{
  static log_of l;
  double last[P];
  lr_known known;
  make_truth();
  embed(&l, true, 0, last);
  lr_fit fit = fitted(&l, &known, 0);
  check(!fit.newton, "no gradient led there");
  check(fit.embedding, "an embedding did");
  check(fit.q >= 1 && fit.q <= 5, "%zu directions", fit.q);
  check_fit(&fit, known.x + lr_known_lowest(&known, NULL, NULL) * P, 1e-2,
            "values");
  check(fit.partial == NULL, "no input's derivative is known");
  forget(&fit, &known);
}

TEST(
    "an embedding followed by a gradient at the start is recognised as "
    "ended")
{
  /* the lowest point is the embedding's: seen from there the start hangs on a
   * point of its own gradient, and is no difference that came before it */
  static log_of l;
  double last[P], zero[P] = {0}, x[P];
  lr_known known;
  make_truth();
  embed(&l, true, 0, last);
  ask_inputs(&l, zero, 1e-6);
  for (int k = 1; k < 6; k++) {
    for (size_t i = 0; i < P; i++) x[i] = 0.1 * k;
    ask_differences(&l, x, 1e-6);
  }
  lr_fit fit = fitted(&l, &known, 0);
  check(!fit.newton, "no gradient led there");
  check(!fit.embedding, "the embedding has ended");
  forget(&fit, &known);
}

TEST("under noise what is kept is right within it")
{
  static log_of l;
  double last[P];
  lr_known known;
  make_truth();
  embed(&l, true, 1e-6, last); /* slopes are off by 1e-2 */
  lr_fit fit = fitted(&l, &known, 1e-6);
  check(fit.q <= 5, "%zu directions", fit.q);
  check_fit(&fit, known.x + lr_known_lowest(&known, NULL, NULL) * P, 0.1,
            "noise");
  forget(&fit, &known);
}

TEST("a value far away and out of all proportion does no harm")
{
  static log_of l;
  double x[P] = {0}, last[P], far[P];
  unsigned state = 6;
  lr_known known;
  make_truth();
  l.n = 0;
  for (int i = 0; i < 6; i++, step(x, &state)) {
    memcpy(last, x, sizeof last);
    ask_differences(&l, x, 1e-6);
    for (size_t j = 0; j < P; j++) far[j] = 1e3 * chance(&state);
    if (i == 2) ask(&l, far)->f = 1e12;
  }
  lr_fit fit = fitted(&l, &known, 0);
  check_int(fit.q, RANK, "directions");
  check_fit(&fit, last, 1e-2, "an outlier");
  forget(&fit, &known);
}

TEST("too few evaluations give no model, and no error")
{
  static log_of l;
  double x[P] = {0};
  make_truth();
  for (size_t n = 1; n <= 3; n++) {
    lr_known known;
    l.n = 0;
    for (size_t i = 0; i < n; i++) {
      ask(&l, x);
      x[i] += 0.1;
    }
    lr_fit fit = fitted(&l, &known, 0);
    check_int(fit.q, 0, "%zu evaluations: directions", n);
    forget(&fit, &known);
  }
  lr_known known; /* the same point again and again */
  l.n = 0;
  for (int i = 0; i < 20; i++) ask(&l, x);
  lr_fit fit = fitted(&l, &known, 0);
  check_int(fit.q, 0, "one point: directions");
  forget(&fit, &known);
}

/* ---- memory ---- */

/* Fails every allocation in turn until none is left. */
static void every_allocation(const log_of *l, const char *about)
{
  lrgd_status status = LRGD_ERR_NOMEM;
  size_t n = 0;
  while (status != LRGD_OK && n < 1000) {
    meter m = {.fail_at = ++n};
    lrgd_allocator a = {meter_alloc, meter_free, &m};
    lr_known known;
    lr_fit fit = {0};
    status = lr_known_init(&known, &a, P, l->n, l->e);
    if (status == LRGD_OK)
      status =
          lr_fit_init(&fit, &known, lr_known_lowest(&known, NULL, NULL), P, 0);
    check(status == (m.calls < n ? LRGD_OK : LRGD_ERR_NOMEM),
          "%s: allocation %zu: status %d", about, n, (int)status);
    if (m.calls < n) check(fit.q > 0, "%s: with all there is a model", about);
    lr_fit_clear(&fit);
    lr_known_clear(&known);
    check_int(m.live, 0, "%s: allocation %zu: blocks left", about, n);
  }
  check(n > 10, "%s: %zu allocations", about, n);
}

TEST("memory that runs short at any allocation is reported, and freed")
{
  static log_of l;
  double x[P] = {0}, last[P];
  unsigned state = 6;
  make_truth();
  l.n = 0;
  for (int i = 0; i < 6; i++, step(x, &state)) ask_gradient(&l, x);
  every_allocation(&l, "gradients");
  embed(&l, false, 0, last);
  every_allocation(&l, "slopes");
  memset(x, 0, sizeof x);
  l.n = 0;
  for (int i = 0; i < 6; i++, step(x, &state)) ask_differences(&l, x, 1e-6);
  step(x, &state);
  ask(&l, x); /* a step beyond the last gradient */
  every_allocation(&l, "differences");
}
