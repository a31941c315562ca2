/* Runs that know what was paid for before: what they promise whatever the
 * method and the oracle.  What they save: test_learn_savings.c. */
#include "witness.h"

static const char *const ask_names[ASKS] = {"value", "batch", "slopes",
                                            "gradient"};
static const char *const method_names[] = {
    "auto", "gd", "lrgd", "iterated", "adaptive", "quasi-newton"};
enum { METHODS = 6 };

/* ---- functions ---- */

enum { P = 14 };

/* f = (s - 1)^2 + 4 (t + 2)^2 + t^4 / 10 + 3 along three dense directions, of
 * any dimension. */
static double wave_gradient(size_t p, const double *x, double *g, void *user)
{
  double s = 0, t = 0;
  (void)user;
  for (size_t i = 0; i < p; i++) {
    s += x[i] / (1 + (double)i);
    t += x[i] * (i % 2 ? -0.5 : 0.7);
  }
  for (size_t i = 0; g && i < p; i++)
    g[i] = 2 * (s - 1) / (1 + (double)i) +
           (8 * (t + 2) + 0.4 * t * t * t) * (i % 2 ? -0.5 : 0.7);
  return (s - 1) * (s - 1) + 4 * (t + 2) * (t + 2) + 0.1 * t * t * t * t + 3;
}

static double wave_value(size_t p, const double *x, void *user)
{
  return wave_gradient(p, x, NULL, user);
}

static double wave_slopes(size_t p, const double *x, size_t k, const double *U,
                          double *d, void *user)
{
  double g[P], f = wave_gradient(p, x, g, user);
  for (size_t j = 0; j < k; j++) {
    d[j] = 0;
    for (size_t i = 0; i < p; i++) d[j] += U[j * p + i] * g[i];
  }
  return f;
}

static lrgd_problem wave(size_t p, bool boxed)
{
  static double lower[P], upper[P];
  lrgd_problem f = lrgd_problem_default(p);
  f.value = wave_value;
  f.slopes = wave_slopes;
  f.gradient = wave_gradient;
  for (size_t i = 0; i < P; i++) lower[i] = -0.8;
  for (size_t i = 0; i < P; i++) upper[i] = i == 0 ? 0.4 : 2;
  if (boxed) f.lower = lower;
  if (boxed) f.upper = upper;
  return f;
}

static lrgd_options chosen(int method)
{
  lrgd_options o = lrgd_options_default();
  o.method = method;
  if (method == LRGD_METHOD_LRGD || method == LRGD_METHOD_ITERATED) o.rank = 2;
  o.max_evals = 800;
  return o;
}

/* ---- runs ---- */

static uint64_t evaluations(const lrgd_result *r)
{
  return lrgd_counts_evaluations(&r->counts);
}

/* |grad f|, or in a box the length of the step that it allows. */
static double true_norm(const lrgd_problem *f, const double *x)
{
  double g[P], sum = 0;
  (void)f->gradient(f->dimension, x, g, f->user);
  for (size_t i = 0; i < f->dimension; i++) {
    double to = x[i] - g[i];
    if (f->lower) to = fmin(fmax(to, f->lower[i]), f->upper[i]);
    sum += (x[i] - to) * (x[i] - to);
  }
  return sqrt(sum);
}

static bool same_path(const witness *a, const witness *b)
{
  size_t bytes = a->f->dimension * sizeof(double);
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++)
    same = memcmp(a->asked[i].x, b->asked[i].x, bytes) == 0;
  return same;
}

/* A case that is tried. */
typedef struct trial {
  const lrgd_problem *f;
  int method;
  ask kind;
  const witness *first; /* a run before it ... */
  size_t n;             /* ... of which so many evaluations are known */
  char about[160];
} trial;

static trial tried(const lrgd_problem *f, int method, ask kind,
                   const witness *first, size_t n)
{
  trial t = {f, method, kind, first, n, ""};
  (void)snprintf(t.about, sizeof t.about, "%s, %s, p %zu, %s, %zu known",
                 method_names[method], ask_names[kind], f->dimension,
                 f->lower ? "boxed" : "free", n);
  return t;
}

static void check_end(const trial *t, const lrgd_result *result,
                      const double *x)
{
  size_t p = t->f->dimension;
  double low = lowest(t->first, t->n), norm = true_norm(t->f, x);
  bool shown = result->outcome == LRGD_OUTCOME_CONVERGED;
  /* one that converged ends where it can show that */
  double slack = shown ? 1e-6 * (t->first->asked[0].f - low) : 0;
  check(result->f <= low + slack, "%s: f is %.17g in the end, known was %.17g",
        t->about, result->f, low);
  check_near(t->f->value(p, x, t->f->user), result->f, 1e-12,
             "%s: f at the end", t->about);
  if (result->certificate.valid)
    check(norm <= result->certificate.grad_norm_bound * 1.001 + 1e-7,
          "%s: |grad f| is %g, and %g certified", t->about, norm,
          result->certificate.grad_norm_bound);
}

/* w: forgotten by the caller. */
static void check_run(const trial *t, int verify, witness *w)
{
  lrgd_options o = chosen(t->method);
  lrgd_result result;
  lrgd_error error;
  double x[P] = {0};
  told what = {t->n, t->first->asked, verify};
  lrgd_problem seen = watch(w, t->f, t->kind);
  o.seed = 77;
  lrgd_status status = run(&seen, &o, what, x, &result, &error);
  if (!check(status == LRGD_OK, "%s: %s", t->about, error.text)) return;
  check(result.outcome != LRGD_OUTCOME_FAILED, "%s: %s", t->about,
        result.message);
  check_int(evaluations(&result), w->count, "%s: the counts", t->about);
  check_int(w->outside, 0, "%s: points outside", t->about);
  check_end(t, &result, x);
}

/* What a learned run promises, whatever there was to know. */
static void check_learned(const lrgd_problem *f, int method, ask kind,
                          const witness *first, size_t n)
{
  trial t = tried(f, method, kind, first, n);
  witness once, again, verified;
  check_run(&t, 1, &verified);
  forget(&verified);
  if (CHECK_SANITIZED) return; /* memory is used as above */
  check_run(&t, 0, &once);
  check_run(&t, 0, &again);
  check(same_path(&once, &again), "%s: the same path twice", t.about);
  forget(&once);
  forget(&again);
}

/* A run that knows nothing, from 0. */
static lrgd_result run_first(witness *w, const lrgd_problem *f, int method,
                             ask kind)
{
  lrgd_options o = chosen(method);
  lrgd_result result;
  lrgd_error error;
  double x[P] = {0};
  lrgd_problem seen = watch(w, f, kind);
  check(run(&seen, &o, (told){0}, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  return result;
}

/* Under sanitizers with a box or without one. */
static void every_case(size_t p, const size_t *known, size_t cases)
{
  for (int method = 0; method < METHODS; method++)
    for (ask kind = 0; kind < ASKS; kind++)
      for (int boxed = CHECK_SANITIZED ? (method + (int)kind) % 2 : 0;
           boxed < 2; boxed += CHECK_SANITIZED ? 2 : 1) {
        witness first;
        lrgd_problem f = wave(p, boxed);
        if (chosen(method).rank > (int64_t)p) continue;
        (void)run_first(&first, &f, method, kind);
        for (size_t i = 0; i < cases; i++) {
          size_t n = known[i] > 0 ? known[i] : first.count / 2;
          if (n > 0 && n <= first.count)
            check_learned(&f, method, kind, &first, n);
        }
        forget(&first);
      }
}

TEST(
    "every method keeps budget, bounds and certificates with half of a "
    "run known")
{
  every_case(P, (size_t[]){0}, 1);
}

TEST("one, two, three or nine known evaluations serve every method")
{
  /* under sanitizers one and nine */
  every_case(P, (size_t[]){1, 9, 2, 3}, CHECK_SANITIZED ? 2 : 4);
}

TEST("known evaluations serve every method in one and in two dimensions")
{
  every_case(1, (size_t[]){0, 1, 2, 3}, CHECK_SANITIZED ? 1 : 4);
  every_case(2, (size_t[]){0, 1, 2, 3}, CHECK_SANITIZED ? 2 : 4);
}

TEST("known evaluations of another method and oracle save evaluations")
{
  lrgd_problem f = wave(P, false);
  for (int before = 0; before < METHODS; before++)
    for (int method = 0; method < METHODS; method++) {
      witness first;
      (void)run_first(&first, &f, before, (ask)(before % ASKS));
      check_learned(&f, method, (ask)((before + method) % ASKS), &first,
                    first.count / 2);
      forget(&first);
    }
}

TEST("a target that is known to be reached costs nothing, or one to verify")
{
  for (int method = 0; method < METHODS; method++)
    for (int boxed = 0; boxed < 2; boxed++)
      for (ask kind = 0; kind < ASKS; kind++)
        for (int verify = 0; verify < 2; verify++) {
          witness first, w;
          lrgd_options o = chosen(method);
          lrgd_result result;
          lrgd_error error;
          double x[P] = {0};
          lrgd_problem f = wave(P, boxed);
          (void)run_first(&first, &f, method, kind);
          size_t n = first.count / 2 + 1;
          lrgd_problem seen = watch(&w, &f, kind);
          o.target = lowest(&first, n);
          told what = {n, first.asked, verify};
          check(run(&seen, &o, what, x, &result, &error) == LRGD_OK, "%s",
                error.text);
          check_int(result.outcome, LRGD_OUTCOME_TARGET, "%s, %s: the outcome",
                    method_names[method], ask_names[kind]);
          check_int(w.count, verify, "%s, %s, verify %d: evaluations",
                    method_names[method], ask_names[kind], verify);
          check(f.value(P, x, NULL) <= o.target, "and the point is given");
          forget(&w);
          forget(&first);
        }
}

TEST("a run with a budget of zero ends at the lowest known point")
{
  for (int method = 0; method < METHODS; method++)
    for (ask kind = 0; kind < ASKS; kind++)
      for (int64_t most = CHECK_SANITIZED ? 2 : 0; most < 3; most++) {
        witness first, w;
        lrgd_options o = chosen(method);
        lrgd_result result;
        lrgd_error error;
        double x[P] = {0};
        lrgd_problem f = wave(P, false);
        (void)run_first(&first, &f, method, kind);
        size_t n = first.count / 2 + 1;
        lrgd_problem seen = watch(&w, &f, kind);
        o.max_evals = most;
        check(run(&seen, &o, (told){n, first.asked, 0}, x, &result, &error) ==
                  LRGD_OK,
              "%s", error.text);
        check(w.count <= (size_t)most, "%zu evaluations", w.count);
        check(result.f <= lowest(&first, n), "%s, %s: %.17g, known was %.17g",
              method_names[method], ask_names[kind], result.f,
              lowest(&first, n));
        check_near(f.value(P, x, NULL), result.f, 1e-12, "f at the end");
        forget(&w);
        forget(&first);
      }
}

TEST("known evaluations do not count against the budget")
{
  witness first, w;
  lrgd_options o = chosen(LRGD_METHOD_QUASI_NEWTON);
  lrgd_result before, result;
  lrgd_error error;
  double x[P] = {0};
  lrgd_problem f = wave(P, false);
  before = run_first(&first, &f, LRGD_METHOD_QUASI_NEWTON, ASK_VALUE);
  lrgd_problem seen = watch(&w, &f, ASK_VALUE);
  o.max_evals = P - 1; /* no gradient, were it not known */
  told but_three = {first.count - 3, first.asked, 0};
  check(run(&seen, &o, but_three, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  check_int(before.outcome, LRGD_OUTCOME_CONVERGED, "the run before");
  check(w.count > 0, "it went on (%s)", result.message);
  check(result.f <= lowest(&first, first.count - 3), "f is %g", result.f);
  forget(&w);
  forget(&first);
}

TEST("another function is refused, with both numbers")
{
  lrgd_problem f = wave(P, false);
  for (int method = 0; method < METHODS; method++)
    for (ask kind = 0; kind < ASKS; kind++) {
      witness first, w;
      lrgd_options o = chosen(method);
      lrgd_result result;
      lrgd_error error;
      double x[P] = {0};
      (void)run_first(&first, &f, method, kind);
      lrgd_problem seen = watch(&w, &f, kind);
      w.shift = 1e-3;
      size_t n = first.count / 2 + 1;
      check_int(run(&seen, &o, (told){n, first.asked, 1}, x, &result, &error),
                LRGD_ERR_REFUSED, "%s, %s: the status", method_names[method],
                ask_names[kind]);
      require(w.count > 0, "it was asked");
      check(w.count <= 60, "%s, %s: %zu evaluations", method_names[method],
            ask_names[kind], w.count);
      check_int(evaluations(&result), w.count, "counted");
      double was = NAN, is = NAN;
      (void)sscanf(error.text,
                   "f was %lf at the lowest point known, and is %lf", &was,
                   &is);
      check_near(was, w.asked[0].f - w.shift, 1e-14, "in: %s", error.text);
      check_near(is, w.asked[0].f, 1e-14, "in: %s", error.text);
      forget(&w);
      forget(&first);
    }
}

TEST("under noise the same function is accepted, whether noise is given or not")
{
  lrgd_problem f = wave(P, false);
  for (int told_noise = 0; told_noise < 2; told_noise++)
    for (ask kind = 0; kind < ASK_SLOPES; kind++) {
      witness first, w;
      lrgd_options o = chosen(LRGD_METHOD_AUTO);
      lrgd_result result;
      lrgd_error error;
      double x[P] = {0}, y[P] = {0};
      lrgd_problem seen = watch(&first, &f, kind);
      if (told_noise) o.noise = 1e-4;
      first.noise = 1e-4;
      o.max_evals = 120;
      check(run(&seen, &o, (told){0}, x, &result, &error) == LRGD_OK, "%s",
            error.text);
      seen = watch(&w, &f, kind);
      w.noise = -1e-4; /* of other sign, and so another number */
      check(run(&seen, &o, (told){first.count, first.asked, 1}, y, &result,
                &error) == LRGD_OK,
            "noise %s: %s", told_noise ? "told" : "found", error.text);
      forget(&w);
      w = (witness){0};
      seen = watch(&w, &f, kind);
      w.noise = 1e-4;
      w.shift = 0.1;
      check_int(run(&seen, &o, (told){first.count, first.asked, 1}, y, &result,
                    &error),
                LRGD_ERR_REFUSED, "and another one is not");
      forget(&w);
      forget(&first);
    }
}

/* The noise of a run that knows another one, and in *probes what it evaluated
 * to measure it. */
static double learned_noise(const witness *first, int method, int64_t budget,
                            uint64_t *probes)
{
  witness w;
  lrgd_options o = chosen(method);
  lrgd_result result;
  lrgd_error error;
  double x[P] = {0};
  lrgd_problem seen = watch(&w, first->f, ASK_VALUE);
  o.max_evals = budget;
  check(run(&seen, &o, (told){first->count, first->asked, 0}, x, &result,
            &error) == LRGD_OK,
        "%s", error.text);
  *probes =
      lrgd_counts_of(&result.counts, LRGD_KIND_VALUES, LRGD_PURPOSE_PROBE);
  forget(&w);
  return result.noise;
}

TEST("noise that known values show is known to every method from the start")
{
  witness first;
  lrgd_problem f = wave(P, false);
  lrgd_options o = chosen(LRGD_METHOD_AUTO);
  lrgd_result result;
  lrgd_error error;
  double x[P] = {0}, deviation = 1e-4 / sqrt(3);
  uint64_t probes;
  lrgd_problem seen = watch(&first, &f, ASK_VALUE);
  first.noise = 1e-4;
  o.max_evals = 120;
  check(run(&seen, &o, (told){0}, x, &result, &error) == LRGD_OK, "%s",
        error.text);
  for (int method = 0; method < METHODS; method++) {
    /* fewer evaluations than a measurement takes */
    double noise = learned_noise(&first, method, 3, &probes);
    check(noise > deviation / 3 && noise < 3 * deviation, "%s: noise %g",
          method_names[method], noise);
  }
  (void)learned_noise(&first, LRGD_METHOD_QUASI_NEWTON, P + 3, &probes);
  check_int(probes, 0, "quasi-newton does not measure it again");
  forget(&first);
}

TEST("learning of an empty set forgets what was learned before")
{
  for (int method = 0; method < METHODS; method++) {
    witness first, w;
    lrgd_problem f = wave(P, false);
    lrgd_options o = chosen(method);
    lrgd_error error = {LRGD_OK, ""};
    lrgd_solver *solver;
    double x[P] = {0};
    (void)run_first(&first, &f, method, ASK_VALUE);
    lrgd_problem seen = watch(&w, &f, ASK_VALUE);
    require(lrgd_solver_create(&solver, &seen, &o, &error) == LRGD_OK, "made");
    check(lrgd_solver_learn(solver, first.count, first.asked, 1, &error) ==
                  LRGD_OK &&
              lrgd_solver_learn(solver, 0, NULL, 0, &error) == LRGD_OK,
          "%s", error.text);
    check(lrgd_solver_solve(solver, x, x, NULL, &error) == LRGD_OK, "%s",
          error.text);
    check(same_path(&first, &w), "%s: as if it had never known",
          method_names[method]);
    (void)lrgd_solver_destroy(&solver);
    forget(&w);
    forget(&first);
  }
}

TEST("known evaluations that all failed change nothing")
{
  for (int method = 0; method < METHODS; method++) {
    witness first, w;
    lrgd_problem f = wave(P, false);
    lrgd_options o = chosen(method);
    lrgd_error error;
    lrgd_result result;
    double x[P] = {0}, odd[P] = {NAN}, at[P] = {0};
    lrgd_evaluation bad[] = {
        {.x = at,  .f = NAN      },
        {.x = odd, .f = 1        },
        {.x = at,  .f = -INFINITY}
    };
    (void)run_first(&first, &f, method, ASK_VALUE);
    lrgd_problem seen = watch(&w, &f, ASK_VALUE);
    check(run(&seen, &o, (told){3, bad, 1}, x, &result, &error) == LRGD_OK,
          "%s", error.text);
    check(same_path(&first, &w), "%s: as if it had never known",
          method_names[method]);
    forget(&w);
    forget(&first);
  }
}

TEST("a basis or constraints and learning exclude each other")
{
  lrgd_problem f = wave(P, false);
  lrgd_options o = chosen(LRGD_METHOD_AUTO);
  double x[P] = {0}, W[2 * P] = {0}, A[P] = {1, 1}, b = 1;
  lrgd_evaluation e = {.x = x, .f = 20};
  for (int i = 0; i < 2; i++) {
    lrgd_solver *solver;
    lrgd_error error = {LRGD_OK, ""};
    W[0] = W[P + 1] = 1;
    require(lrgd_solver_create(&solver, &f, &o, &error) == LRGD_OK, "made");
    lrgd_status status =
        i == 0 ? lrgd_solver_set_basis(solver, 2, W, &error)
               : lrgd_solver_set_constraints(solver, 1, A, &b, &error);
    check(status == LRGD_OK, "%s", error.text);
    check_int(lrgd_solver_learn(solver, 1, &e, 0, &error), LRGD_ERR_INVALID,
              "refused");
    check(strstr(error.text, "basis") != NULL, "%s", error.text);
    check_int(lrgd_solver_learn(solver, 0, NULL, 0, &error), LRGD_OK,
              "nothing can be learned always");
    (void)lrgd_solver_destroy(&solver);
    /* the other way round */
    require(lrgd_solver_create(&solver, &f, &o, &error) == LRGD_OK, "made");
    check(lrgd_solver_learn(solver, 1, &e, 0, &error) == LRGD_OK, "learned");
    status = i == 0 ? lrgd_solver_set_basis(solver, 2, W, &error)
                    : lrgd_solver_set_constraints(solver, 1, A, &b, &error);
    check_int(status, LRGD_ERR_INVALID, "what has learned takes none");
    check(strstr(error.text, "learn") != NULL, "%s", error.text);
    (void)lrgd_solver_destroy(&solver);
  }
}

TEST("a run does not start at a known point outside its bounds")
{
  lrgd_problem free_f = wave(P, false), f = wave(P, true);
  double lower[P], upper[P];
  for (size_t i = 0; i < P; i++) lower[i] = 0.05;
  for (size_t i = 0; i < P; i++) upper[i] = 0.3;
  f.lower = lower;
  f.upper = upper;
  for (int method = 0; method < METHODS; method++)
    for (ask kind = 0; kind < ASKS; kind++) {
      witness first, w;
      lrgd_options o = chosen(method);
      lrgd_result result;
      lrgd_error error;
      double x[P];
      for (size_t i = 0; i < P; i++) x[i] = 0.1;
      (void)run_first(&first, &free_f, method, kind);
      lrgd_problem seen = watch(&w, &f, kind);
      check(run(&seen, &o, (told){first.count, first.asked, 1}, x, &result,
                &error) == LRGD_OK,
            "%s", error.text);
      check_int(w.outside, 0, "%s, %s: points outside", method_names[method],
                ask_names[kind]);
      check_near(f.value(P, x, NULL), result.f, 1e-12, "f at the end");
      for (size_t i = 0; i < P; i++)
        check(x[i] >= lower[i] && x[i] <= upper[i], "input %zu is inside", i);
      forget(&w);
      forget(&first);
    }
}
