/* Functions that fail, lie, run away or have nothing to say. */
#include "fields.h"

/* ---- row 31: the start ---- */

static double nowhere(field *F, size_t p, const double *x, double *g)
{
  (void)x;
  for (size_t i = 0; i < p; i++) g[i] = F->odd;
  return F->odd;
}

static void start_fails(trial *t)
{
  check(t->result.outcome == LRGD_OUTCOME_FAILED && t->result.iterations == 0,
        "%s: %s", t->who, t->result.message);
  lrgd_decision_kind kind = t->result.end.kind;
  check(kind == LRGD_DECISION_KIND_START_FAILED ||
            kind == LRGD_DECISION_KIND_START_SLOPES_FAILED ||
            (kind == LRGD_DECISION_KIND_GRADIENT_FAILED &&
             t->result.end.count == 0),
        "%s: %s", t->who, t->result.message);
  check(t->result.counts.failures > 0, "%s: failures are counted", t->who);
  check(t->F.calls <= 40, "%s: after %d calls", t->who, (int)t->F.calls);
}

TEST("row 31: where the start is NaN the run fails, and says so")
{
  on_all(nowhere, 6, 0, &(field){.odd = NAN}, start_fails);
}

TEST("row 33: where the start is +Inf the run fails, and says so")
{
  on_all(nowhere, 6, 0, &(field){.odd = INFINITY}, start_fails);
}

/* ---- rows 32, 33, 35: on the way ---- */

/* A bowl around ones; no answer where x_0 is beyond 1.5. */
static double fenced(field *F, size_t p, const double *x, double *g)
{
  double f = plain_gradient(p, x, g, NULL);
  if (!(x[0] > 1.5)) return f;
  for (size_t i = 0; i < p; i++) g[i] = F->odd;
  return F->gradient_only ? f : F->odd;
}

static void gets_there(trial *t)
{
  sane(t);
  check(t->result.outcome == LRGD_OUTCOME_CONVERGED, "%s: %s", t->who,
        t->result.message);
  check(t->result.f < 1e-6, "%s: f is %g", t->who, t->result.f);
}

TEST("row 32: NaN beyond a fence only makes steps shorter")
{
  on_all(fenced, 6, -3, &(field){.odd = NAN}, gets_there);
}

TEST("row 33: +Inf beyond a hidden bound only makes steps shorter")
{
  on_all(fenced, 6, -3, &(field){.odd = INFINITY}, gets_there);
}

TEST("row 33: 1e308 beyond a fence only makes steps shorter")
{
  on_all(fenced, 6, -3, &(field){.odd = 1e308}, gets_there);
}

TEST("row 35: a gradient of NaN beyond a fence, where f has values, is avoided")
{
  on_all(fenced, 6, -3, &(field){.odd = NAN, .gradient_only = true},
         gets_there);
}

/* The minimum itself is behind the fence. */
static double walled(field *F, size_t p, const double *x, double *g)
{
  double f = plain_gradient(p, x, g, NULL);
  if (!(x[0] > 0.5)) return f;
  for (size_t i = 0; i < p; i++) g[i] = F->odd;
  return F->gradient_only ? f : F->odd;
}

static void fails_sanely(trial *t)
{
  sane(t);
  check(t->result.outcome != LRGD_OUTCOME_UNBOUNDED &&
            t->result.outcome != LRGD_OUTCOME_CONVERGED,
        "%s: %s: %s", t->who, lrgd_outcome_text(t->result.outcome),
        t->result.message);
}

TEST("row 32: with the minimum behind NaN the best so far is given")
{
  on_all(walled, 6, -3, &(field){.odd = NAN}, fails_sanely);
}

TEST("row 33: with the minimum behind +Inf or 1e308 the best so far is given")
{
  on_all(walled, 6, -3, &(field){.odd = INFINITY}, fails_sanely);
  on_all(walled, 6, -3, &(field){.odd = 1e308}, fails_sanely);
}

/* One answer in ten is none; which ones depends on the call. */
static double moody(field *F, size_t p, const double *x, double *g)
{
  double z[1], f = plain_gradient(p, x, g, NULL);
  lr_gaussian(7, 7, F->calls, 1, z);
  if (F->calls == 0 || fabs(z[0]) < 1.645) return f;
  for (size_t i = 0; i < p; i++) g[i] = F->odd;
  return F->odd;
}

static void any_end(trial *t)
{
  if (t->result.outcome == LRGD_OUTCOME_FAILED && isnan(t->result.f)) return;
  sane(t);
}

TEST("row 32: a run whose answers fail at random ends with a valid outcome")
{
  on_all(moody, 6, -3, &(field){.odd = NAN}, any_end);
  on_all(moody, 6, -3, &(field){.odd = INFINITY}, any_end);
}

TEST("row 32: with retries, answers that fail at random do not matter")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    for (int w = 0; w < WAYS; w++) {
      trial t = {
          .p = 6, .o = plain_options(m), .F = {.odd = NAN, .f = moody}
      };
      t.o.retries = 8;
      solve(&t, m, (way)w);
      gets_there(&t);
      check(t.F.calls < 40 || t.result.counts.failures > 0,
            "%s: there were some", t.who);
    }
}

TEST("row 32: after max_failures the run has failed, with the best so far")
{
  for (int m = LRGD_METHOD_GD; m <= LRGD_METHOD_ADAPTIVE; m++) {
    trial t = {
        .p = 6, .o = plain_options(m), .F = {.odd = NAN, .f = walled}
    };
    for (int i = 0; i < 6; i++) t.x[i] = -3;
    t.o.max_failures = 3;
    solve(&t, m, BY_VALUE);
    check(t.result.outcome == LRGD_OUTCOME_FAILED &&
              t.result.counts.failures == 4,
          "%s: %s", t.who, t.result.message);
    check(t.result.end.kind == LRGD_DECISION_KIND_FAILURES_USED &&
              t.result.end.count == 4 && t.result.end.limit == 3,
          "%s: %s", t.who, t.result.message);
    sane(&t);
  }
}

/* ---- row 34: no bottom ---- */

static double pit(field *F, size_t p, const double *x, double *g)
{
  (void)F;
  double f = plain_gradient(p, x, g, NULL);
  return x[0] > 0.5 ? -INFINITY : f;
}

static void bottomless(trial *t)
{
  check(t->result.outcome == LRGD_OUTCOME_UNBOUNDED, "%s: %s: %s", t->who,
        lrgd_outcome_text(t->result.outcome), t->result.message);
  check(isfinite(t->result.f), "%s: the best so far is finite: %g", t->who,
        t->result.f);
}

TEST("row 34: -Inf is unbounded, not success")
{
  on_all(pit, 6, -3, NULL, bottomless);
}

static double slide(field *F, size_t p, const double *x, double *g)
{
  double sum = 0;
  (void)F;
  for (size_t i = 0; i < p; i++) {
    g[i] = i < 3 ? (double)i + 1 : 0;
    sum += g[i] * x[i];
  }
  return sum;
}

TEST("row 58: a linear function is unbounded, in every method")
{
  on_all(slide, 6, 1, NULL, bottomless);
}

TEST("row 58: a linear function is unbounded, with every step")
{
  for (int m = LRGD_METHOD_GD; m <= LRGD_METHOD_ADAPTIVE; m++)
    for (int step = LRGD_STEP_FIXED; step <= LRGD_STEP_ADAM; step++) {
      trial t = {.p = 6, .o = plain_options(m), .F = {.f = slide}};
      t.o.step = step;
      if (step == LRGD_STEP_FIXED) t.o.alpha = 0.1;
      t.o.max_evals = 200000;
      solve(&t, m, BY_SLOPES);
      bool budget = t.result.outcome == LRGD_OUTCOME_BUDGET &&
                    (step == LRGD_STEP_ADAM || step == LRGD_STEP_ADAGRAD);
      check(t.result.outcome == LRGD_OUTCOME_UNBOUNDED || budget,
            "%s, step %d: %s", t.who, step, t.result.message);
    }
}

static double hill(field *F, size_t p, const double *x, double *g)
{
  (void)F;
  double f = -plain_gradient(p, x, g, NULL);
  for (size_t i = 0; i < p; i++) g[i] = -g[i];
  return f;
}

TEST("row 34: a hill is unbounded below")
{
  on_all(hill, 6, 2, NULL, bottomless);
}

/* ---- row 58: nothing to be seen ---- */

static double flat(field *F, size_t p, const double *x, double *g)
{
  (void)F;
  (void)x;
  for (size_t i = 0; i < p; i++) g[i] = 0;
  return -3.5;
}

/* Values alone leave open whether f uses its input; slopes do not. */
static void at_once(trial *t)
{
  bool constant = t->result.outcome == LRGD_OUTCOME_STALLED &&
                  t->result.stall == LRGD_STALL_CONSTANT;
  bool values = strstr(t->who, "value") || strstr(t->who, "batch");
  check(values ? constant : t->result.outcome == LRGD_OUTCOME_CONVERGED,
        "%s: %s", t->who, t->result.message);
  check(t->result.iterations == 0, "%s: %d iterations", t->who,
        (int)t->result.iterations);
  check(t->result.f == -3.5, "%s: f is %g", t->who, t->result.f);
  check(t->F.calls < 70, "%s: %d calls", t->who, (int)t->F.calls);
}

TEST("row 58: a constant function is recognised at once")
{
  on_all(flat, 6, 1, NULL, at_once);
  on_all(flat, 1, 1, NULL, at_once);
}

static double stairs(field *F, size_t p, const double *x, double *g)
{
  double sum = 0;
  (void)F;
  for (size_t i = 0; i < p; i++) {
    sum += floor(fabs(x[i]));
    g[i] = 0;
  }
  return sum;
}

TEST("row 58: on a plateau a run ends, and soon")
{
  on_all(stairs, 4, 3.3, NULL, any_end);
}

static double cliff(field *F, size_t p, const double *x, double *g)
{
  (void)F;
  double f = plain_gradient(p, x, g, NULL);
  return x[0] < 0.7 ? f + 1 : f;
}

TEST("row 58: a function with a jump is minimised")
{
  on_all(cliff, 6, -2, NULL, any_end);
}

static double kink(field *F, size_t p, const double *x, double *g)
{
  double sum = 0;
  (void)F;
  for (size_t i = 0; i < p; i++) {
    sum += fabs(x[i]);
    g[i] = x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
  }
  return sum;
}

TEST("row 58: a run on a function with kinks ends with a valid result")
{
  on_all(kink, 4, 1.7, NULL, any_end);
}

TEST("a function of one variable is minimised by every method and step")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    for (int step = 0; step <= LRGD_STEP_ADAM; step++)
      for (int w = 0; w < WAYS; w++) {
        trial t = {.p = 1, .o = plain_options(m)};
        t.F.f = fenced;
        t.F.odd = NAN;
        t.o.step = step;
        if (step == LRGD_STEP_FIXED) t.o.alpha = 0.1;
        if (t.o.rank != LRGD_UNSET) t.o.rank = 1;
        t.x[0] = -3;
        solve(&t, m, (way)w);
        /* adaptive steps along differences may circle the minimum */
        if (step >= LRGD_STEP_ADAGRAD && w <= BY_BATCH)
          sane(&t);
        else
          gets_there(&t);
      }
}

/* ---- rows 36, 37: sizes ---- */

static double poisoned(field *F, size_t p, const double *x, double *g)
{
  double f = plain_gradient(p, x, g, NULL);
  if (F->calls > 1 && F->calls % 3 == 0) g[4] = INFINITY;
  return f;
}

TEST("row 36: one Inf in a sampled gradient never reaches the linear algebra")
{
  for (int how = LRGD_IDENTIFY_SVD; how <= LRGD_IDENTIFY_GRAM_SCHMIDT; how++) {
    trial t = {.p = 6, .o = plain_options(LRGD_METHOD_LRGD)};
    t.F.f = poisoned;
    t.o.identify = how;
    t.o.oversample = 3;
    t.o.retries = 1;
    solve(&t, LRGD_METHOD_LRGD, BY_GRADIENT);
    gets_there(&t);
  }
}

static double scaled(field *F, size_t p, const double *x, double *g)
{
  double f = plain_gradient(p, x, g, NULL) * F->odd;
  for (size_t i = 0; i < p; i++) g[i] *= F->odd;
  return f;
}

TEST("row 37: functions of size 1e-300 to 1e300 keep a finite subspace")
{
  static const double sizes[] = {1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300};
  for (int i = 0; i < 6; i++)
    for (int m = LRGD_METHOD_LRGD; m <= LRGD_METHOD_ADAPTIVE; m++)
      for (int w = BY_SLOPES; w <= BY_GRADIENT; w++) {
        trial t = {.p = 6, .o = plain_options(m)};
        t.F.f = scaled;
        t.F.odd = sizes[i];
        t.o.step = LRGD_STEP_FIXED;
        t.o.alpha = 0.1 / sizes[i];
        solve(&t, m, (way)w);
        check(t.result.outcome == LRGD_OUTCOME_CONVERGED, "%s, size %g: %s",
              t.who, sizes[i], t.result.message);
        check(t.result.f < 1e-6 * sizes[i], "%s, size %g: f is %g", t.who,
              sizes[i], t.result.f);
      }
}

TEST("row 37: line searches end with a valid result at any size of f")
{
  static const double sizes[] = {1e-300, 1e-150, 1e-20, 1e20, 1e150, 1e300};
  for (int i = 0; i < 6; i++)
    for (int m = 0; m < PLAIN_METHODS; m++)
      for (int w = 0; w < WAYS; w++) {
        trial t = {.p = 6, .o = plain_options(m)};
        t.F.f = scaled;
        t.F.odd = sizes[i];
        solve(&t, m, (way)w);
        sane(&t);
        if (sizes[i] > 1e-30 && sizes[i] < 1e30)
          check(t.result.outcome == LRGD_OUTCOME_CONVERGED, "%s, size %g: %s",
                t.who, sizes[i], t.result.message);
      }
}

/* ---- row 56: noise ---- */

static double noisy(field *F, size_t p, const double *x, double *g)
{
  double z[1], f = plain_gradient(p, x, g, NULL);
  lr_gaussian(3, 3, F->calls, 1, z);
  return f + F->level * z[0];
}

TEST("row 56: with noise, estimated or given, the minimum is found")
{
  for (int m = 0; m < PLAIN_METHODS; m++)
    for (int given = 0; given < 2; given++) {
      trial t = {.p = 6, .o = plain_options(m)};
      t.F.f = noisy;
      t.F.level = 1e-6;
      t.o.noise = given ? 1e-6 : LRGD_UNSET_REAL;
      t.o.max_evals = 20000;
      solve(&t, m, BY_VALUE);
      check(isfinite(t.result.f) && t.result.outcome != LRGD_OUTCOME_UNBOUNDED,
            "%s: %s", t.who, t.result.message);
      check(t.result.noise > 2e-7 && t.result.noise < 5e-6,
            "%s: noise is said to be %g", t.who, t.result.noise);
      double g[6], truth = plain_gradient(6, t.x, g, NULL);
      /* adaptive waits in its first subspaces for slopes below the noise */
      if (m != LRGD_METHOD_ADAPTIVE)
        check(truth < 1e-2, "%s: f without noise is %g: %s", t.who, truth,
              t.result.message);
    }
}

TEST("row 57: a run with unknown noise larger than its differences ends")
{
  for (int m = 0; m < PLAIN_METHODS; m++) {
    trial t = {.p = 6, .o = plain_options(m)};
    t.F.f = noisy;
    t.F.level = 1e-3;
    t.o.max_evals = 20000;
    solve(&t, m, BY_VALUE);
    check(isfinite(t.result.f), "%s: %s", t.who, t.result.message);
  }
}
