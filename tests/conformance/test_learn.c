/* Runs that know what was paid for before: what they promise whatever the
 * method and the oracle, and what they save. */
#include <problems.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- a function that remembers what it was asked ---- */

typedef enum ask { ASK_VALUE, ASK_BATCH, ASK_SLOPES, ASK_GRADIENT, ASKS } ask;
static const char *const ask_names[ASKS] = {"value", "batch", "slopes",
                                            "gradient"};
static const char *const method_names[] = {
    "auto", "gd", "lrgd", "iterated", "adaptive", "quasi-newton"};
enum { METHODS = 6 };

typedef struct witness {
  const lrgd_problem *f;
  const double *lower, *upper;
  size_t count, room, outside;
  lrgd_evaluation *asked; /* owned, with what they point to */
  double shift;           /* is added to every value */
  double noise;           /* uniform, up to so much, of every value */
  double target;
  size_t reached; /* how many until one was at most the target; 0: none */
} witness;

static double *copied(const double *x, size_t p)
{
  double *y = malloc(p * sizeof *y);
  if (!y) abort();
  memcpy(y, x, p * sizeof *y);
  return y;
}

/* In [-1, 1), a number for each call. */
static double shake(uint64_t call)
{
  uint64_t z = (call + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static lrgd_evaluation *remember(witness *w, const double *x, double *f)
{
  size_t p = w->f->dimension;
  bool out = false;
  if (w->count == w->room) {
    w->room = w->room > 0 ? 2 * w->room : 256;
    w->asked = realloc(w->asked, w->room * sizeof *w->asked);
    if (!w->asked) abort();
  }
  for (size_t i = 0; i < p; i++)
    out |= (w->lower && x[i] < w->lower[i]) || (w->upper && x[i] > w->upper[i]);
  w->outside += out;
  *f += w->shift + w->noise * shake(w->count);
  lrgd_evaluation *e = &w->asked[w->count++];
  *e = (lrgd_evaluation){.x = copied(x, p), .f = *f};
  if (w->reached == 0 && *f <= w->target) w->reached = w->count;
  return e;
}

static double ask_value(size_t p, const double *x, void *user)
{
  witness *w = user;
  double f = w->f->value(p, x, w->f->user);
  (void)remember(w, x, &f);
  return f;
}

static void ask_values(size_t p, size_t m, const double *X, double *f,
                       void *user)
{
  for (size_t i = 0; i < m; i++) f[i] = ask_value(p, X + i * p, user);
}

static double ask_slopes(size_t p, const double *x, size_t k, const double *U,
                         double *d, void *user)
{
  witness *w = user;
  double f = w->f->slopes(p, x, k, U, d, w->f->user), told = f;
  for (size_t j = 0; j < k; j++) {
    told = f;
    lrgd_evaluation *e = remember(w, x, &told);
    e->direction = copied(U + j * p, p);
    e->slope = d[j];
  }
  return told;
}

static double ask_gradient(size_t p, const double *x, double *g, void *user)
{
  witness *w = user;
  double f = w->f->gradient(p, x, g, w->f->user);
  remember(w, x, &f)->gradient = copied(g, p);
  return f;
}

static lrgd_problem watch(witness *w, const lrgd_problem *f, ask kind)
{
  lrgd_problem seen = lrgd_problem_default(f->dimension);
  *w = (witness){
      .f = f, .lower = f->lower, .upper = f->upper, .target = -INFINITY};
  seen.lower = f->lower;
  seen.upper = f->upper;
  seen.user = w;
  if (kind == ASK_VALUE) seen.value = ask_value;
  if (kind == ASK_BATCH) seen.values = ask_values;
  if (kind == ASK_SLOPES) seen.slopes = ask_slopes;
  if (kind == ASK_GRADIENT) seen.gradient = ask_gradient;
  return seen;
}

static void forget(witness *w)
{
  for (size_t i = 0; i < w->count; i++) {
    free((void *)w->asked[i].x);
    free((void *)w->asked[i].direction);
    free((void *)w->asked[i].gradient);
  }
  free(w->asked);
  *w = (witness){0};
}

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

typedef struct told {
  size_t n;
  const lrgd_evaluation *known;
  int verify;
} told;

/* x: p numbers, in the start, out the end. */
static lrgd_status run(const lrgd_problem *seen, const lrgd_options *o,
                       told what, double *x, lrgd_result *result,
                       lrgd_error *error)
{
  lrgd_solver *solver;
  *result = (lrgd_result){.f = NAN};
  *error = (lrgd_error){LRGD_OK, ""};
  lrgd_status status = lrgd_solver_create(&solver, seen, o, error);
  if (status != LRGD_OK) return status;
  status = lrgd_solver_learn(solver, what.n, what.known, what.verify, error);
  if (status == LRGD_OK)
    status = lrgd_solver_solve(solver, x, x, result, error);
  (void)lrgd_solver_destroy(&solver);
  return status;
}

static uint64_t evaluations(const lrgd_result *r)
{
  return lrgd_counts_evaluations(&r->counts);
}

static double lowest(const witness *w, size_t n)
{
  double f = INFINITY;
  for (size_t i = 0; i < n; i++) f = fmin(f, w->asked[i].f);
  return f;
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
  check_run(&t, 0, &once);
  check_run(&t, 0, &again);
  check_run(&t, 1, &verified);
  check(same_path(&once, &again), "%s: the same path twice", t.about);
  forget(&once);
  forget(&again);
  forget(&verified);
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

static void every_case(size_t p, const size_t *known, size_t cases)
{
  for (int method = 0; method < METHODS; method++)
    for (ask kind = 0; kind < ASKS; kind++)
      for (int boxed = 0; boxed < 2; boxed++) {
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

TEST("every method keeps its promises with half of a run known")
{
  every_case(P, (size_t[]){0}, 1);
}

TEST("and with one, two, three or nine evaluations known")
{
  every_case(P, (size_t[]){1, 2, 3, 9}, 4);
}

TEST("and in one and in two dimensions")
{
  every_case(1, (size_t[]){0, 1, 2, 3}, 4);
  every_case(2, (size_t[]){0, 1, 2, 3}, 4);
}

TEST("what another method and oracle paid for serves as well")
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

TEST("a run that may ask nothing ends at the lowest point known")
{
  for (int method = 0; method < METHODS; method++)
    for (ask kind = 0; kind < ASKS; kind++)
      for (int64_t most = 0; most < 3; most++) {
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

TEST("under noise the same function is accepted, told or not")
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

TEST("learning of nothing forgets")
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

TEST("evaluations that failed are like knowing nothing")
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

TEST("points outside the bounds of this run are no start")
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

/* ---- what it saves ---- */

static lr_problem *made(const char *line)
{
  char words[256], *rest = NULL, *word;
  lr_setting settings[12];
  size_t count = 0;
  lr_problem *problem = NULL;
  lrgd_error error = {.text = ""};
  (void)snprintf(words, sizeof words, "%s", line);
  const char *kind = strtok_r(words, " ", &rest);
  while (count < 12 && (word = strtok_r(NULL, " ", &rest))) {
    char *text = strchr(word, '=');
    if (text) *text++ = '\0';
    settings[count++] = (lr_setting){word, text};
  }
  if (lr_problem_create(&problem, kind, settings, count, &error) != LRGD_OK) {
    fprintf(stderr, "%s: %s\n", line, error.text);
    abort();
  }
  return problem;
}

/* Values until the target, with n of the evaluations of a run before known; 0
 * where it is not reached.  w: forgotten by the caller. */
static size_t price(witness *w, const lr_problem *problem, double target,
                    int64_t seed, told what)
{
  const lrgd_problem *f = lr_problem_callbacks(problem);
  double *x = copied(lr_problem_start(problem), f->dimension);
  lrgd_options o = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  lrgd_problem seen = watch(w, f, ASK_VALUE);
  w->target = target;
  o.seed = seed;
  o.target = target;
  o.max_evals = 20000;
  check(run(&seen, &o, what, x, &result, &error) == LRGD_OK, "%s", error.text);
  free(x);
  return w->reached;
}

/* The lowest value that a long run finds, where the minimum is not known. */
static double least(const lr_problem *problem)
{
  double min = lr_problem_minimum(problem);
  witness w;
  if (!isnan(min)) return min;
  (void)price(&w, problem, -1e300, 5, (told){0});
  min = lowest(&w, w.count);
  forget(&w);
  return min;
}

static const char *const lines[] = {
    "quadratic p=60 rank=4 kappa=50",
    "quadratic p=40 rank=6 tail=1e-3",
    "rosenbrock p=50 n=4",
    "ridge p=80 rank=5",
    "powell p=40 n=4",
    "log-sum-exp p=60 rank=4",
    "logistic p=50 rank=4 lambda=0.01",
    "beale p=60",
    "heat-rod", /* from here on in a box */
    "predator",
    "exponentials",
    "hiv",
};
enum { LINES = sizeof lines / sizeof *lines, SEEDS = 3 };

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n)
{
  qsort(x, (size_t)n, sizeof *x, by_size);
  return 0.5 * (x[n / 2] + x[(n - 1) / 2]);
}

/* Evaluations to the target, of three runs. */
typedef struct prices {
  double fresh, learned;
} prices;

/* A run, one with another seed that knows its first half, and one with that
 * seed that knows nothing. */
static prices compare(const lr_problem *problem, double target, int64_t seed)
{
  witness first, w;
  size_t before = price(&first, problem, target, seed, (told){0});
  size_t fresh = price(&w, problem, target, seed + 100, (told){0});
  forget(&w);
  told half = {before / 2, first.asked, 0};
  size_t learned = price(&w, problem, target, seed + 100, half);
  check(before > 0 && fresh > 0 && learned > 0, "the target is reached");
  forget(&w);
  forget(&first);
  return (prices){(double)fresh, (double)learned};
}

static double share(const char *line)
{
  lr_problem *problem = made(line);
  const lrgd_problem *f = lr_problem_callbacks(problem);
  double min = least(problem), fresh[SEEDS], learned[SEEDS];
  double from = f->value(f->dimension, lr_problem_start(problem), f->user);
  for (int i = 0; i < SEEDS; i++) {
    prices p = compare(problem, min + 1e-4 * (from - min), 1 + i);
    fresh[i] = p.fresh;
    learned[i] = p.learned;
  }
  double a = median(fresh, SEEDS), b = median(learned, SEEDS);
  printf("\n  %-33s %5.0f fresh, %5.0f learned: %.2f", line, a, b, b / a);
  lr_problem_destroy(&problem);
  return b / a;
}

TEST("half of a run saves a fifth of the next one at least, by the median")
{
  double shares[LINES];
  for (int i = 0; i < LINES; i++) shares[i] = share(lines[i]);
  double middle = median(shares, LINES);
  printf("\n  median %.2f, largest %.2f", middle, shares[LINES - 1]);
  check(middle <= 0.78, "the median is %.2f", middle);
  check(shares[LINES - 1] <= 1.1, "at worst %.2f", shares[LINES - 1]);
}
