/* A certificate at bounds, asked for where everything is known: the box leaves
 * steps no room, and what bounds held has turned. */
#include "api/solver_state.h"
#include "certificate/certificate.h"
#include "chance.h"
#include "check.h"
#include "model/model.h"
#include "space/vec.h"

enum { P = 120, TIMES = 50 };

/* f = grad'(x - at) and some curvature, in a box around `at`. */
typedef struct known {
  double at[P], grad[P], lower[P], upper[P];
  double was[P]; /* the gradient as it was measured before */
  unsigned state;
} known;

static double value(size_t p, const double *x, void *user)
{
  const known *k = user;
  double f = 1;
  for (size_t i = 0; i < p; i++) {
    double e = x[i] - k->at[i];
    f += k->grad[i] * e + 0.5 * e * e;
  }
  return f;
}

/* Two thirds of the coordinates are held, firmly; the others are free, with a
 * gradient of 1e-6. */
static void settle(known *k, unsigned seed)
{
  *k = (known){.state = seed};
  for (int i = 0; i < P; i++) {
    double out = i % 3 - 1;
    k->lower[i] = -1;
    k->upper[i] = 1;
    k->at[i] = out != 0 ? out : 0.3 * chance(&k->state);
    k->was[i] = -out * (1.5 + chance(&k->state));
    k->grad[i] = k->was[i] + 1e-6 * chance(&k->state);
  }
}

/* The projected gradient where it all is. */
static double projected(const known *k)
{
  double sum = 0;
  for (int i = 0; i < P; i++) {
    bool held = lr_bound_holds(k->at[i], k->grad[i], k->lower[i], k->upper[i]);
    sum += held ? 0 : k->grad[i] * k->grad[i];
  }
  return sqrt(sum);
}

/* What the certificate says; the model has one direction of the curvature c,
 * none where c is 0. */
static double bound_of(known *k, int seed, double c)
{
  lrgd_problem f = lrgd_problem_default(P);
  lrgd_options o = lrgd_options_default();
  lrgd_solver *s;
  lr_model m;
  double bound = NAN;
  f.value = value;
  f.user = k;
  f.lower = k->lower;
  f.upper = k->upper;
  o.method = LRGD_METHOD_QUASI_NEWTON;
  o.tol = 1;
  o.noise = 0;
  o.seed = seed;
  check(lrgd_solver_create(&s, &f, &o, NULL) == LRGD_OK, "made");
  lr_run *run = &s->run;
  lrgd_vec x = lr_run_work(run, LR_WORK_EXTRA);
  run->space->ops->put(run->space, x, 0, P, k->at);
  check(lr_run_start(run, x, &s->stop) == LR_GO &&
            lr_oracle_value(&run->oracle, &run->at, LRGD_PURPOSE_DESCEND) ==
                LR_GO,
        "started");
  check(lr_model_init(&m, run, &run->at, false, 2, LR_STREAM_QUASI_NEWTON) ==
            LR_GO,
        "a model");
  lrgd_vec u = lr_model_vec(&m, LR_MODEL_GRADIENT);
  lrgd_vec g = lr_model_vec(&m, LR_MODEL_WHOLE);
  run->space->ops->gaussian(run->space, u, 0, 0);
  check(lr_normalise(run->space, u, NULL), "a direction");
  if (c > 0) check(lr_model_append(&m, u, 0, NULL, c) == LR_GO, "appended");
  run->space->ops->put(run->space, g, 0, P, k->was);
  check(lr_model_certify_held(&m, g, &bound) == LR_GO, "looked");
  lr_model_clear(&m);
  (void)lrgd_solver_destroy(&s);
  return bound;
}

/* The slope of a coordinate at its upper bound was held weakly, and is not. */
static void turn(known *k, int i)
{
  k->was[i] = -1e-7;
  k->grad[i] = 1e-3 * (1.5 + chance(&k->state));
}

TEST("multipliers that changed sign are measured, and count")
{
  int wrong = 0, given = 0;
  for (int t = 0; t < TIMES; t++) {
    known k;
    settle(&k, (unsigned)t + 1);
    for (int i = 2; i < P; i += 30) turn(&k, i);
    double bound = bound_of(&k, t, P);
    given += bound < 1;
    wrong += !(projected(&k) <= bound);
  }
  check(given == TIMES, "%d of %d", given, TIMES);
  check(wrong <= 5, "%d of %d are wrong", wrong, TIMES);
}

TEST("a step that a narrow box cuts does not make a turned slope smaller")
{
  int wrong = 0;
  for (int t = 0; t < TIMES; t++) {
    known k;
    settle(&k, (unsigned)t + 1);
    for (int i = 2; i < P; i += 30) {
      k.lower[i] = k.upper[i] - 1e-9;
      turn(&k, i);
    }
    wrong += !(projected(&k) <= bound_of(&k, t, P));
  }
  check(wrong <= 5, "%d of %d are wrong", wrong, TIMES);
}

TEST("where no curvature is known, bounds that steps would meet are seen")
{
  int wrong = 0;
  for (int t = 0; t < TIMES; t++) {
    known k;
    settle(&k, (unsigned)t + 1);
    for (int i = 1; i < P; i += 6) { /* free, with room for short steps */
      k.lower[i] = k.at[i] - 3e-6;
      k.upper[i] = k.at[i] + 3e-6;
      k.grad[i] = 1e-2 * (1.5 + chance(&k.state));
    }
    wrong += !(projected(&k) <= bound_of(&k, t, 0));
  }
  check(wrong <= 5, "%d of %d are wrong", wrong, TIMES);
}

/* What the certificate says of free coordinates within 1e-10 of their bounds,
 * of which some are not flat, and of some that cannot move at all. */
static double bound_near(known *k, int seed, double slope)
{
  settle(k, (unsigned)seed + 1);
  for (int i = 1; i < P; i += 12) k->upper[i] = k->at[i] + 1e-10;
  for (int i = 7; i < P; i += 24) k->upper[i] = k->lower[i] = k->at[i];
  for (int i = 1; i < P; i += 24)
    k->grad[i] = slope * (1.5 + chance(&k->state));
  return bound_of(k, seed, P);
}

TEST("few coordinates near their bounds are measured, and count")
{
  int wrong = 0, given = 0, small = 0;
  for (int t = 0; t < TIMES; t++) {
    known k;
    double bound = bound_near(&k, t, 1e-3);
    given += bound < 1;
    wrong += !(projected(&k) <= bound);
    small += bound_near(&k, t, 1e-6) < 1e-4;
  }
  check(given == TIMES && small == TIMES, "%d and %d of %d", given, small,
        TIMES);
  check(wrong <= 5, "%d of %d are wrong", wrong, TIMES);
}
