/* What a result claims, recomputed from the raw oracle by someone else. */
#include "watched.h"

enum { MOST = 40 };

/* One run and everything that can be said about it. */
typedef struct run {
  const lr_problem *problem;
  const lrgd_problem *f;
  ask_kind kind;
  lrgd_options options;
  watched w;
  lrgd_solver *solver;
  lrgd_result result;
  bool ended; /* without an error */
  double x[MOST];
  char who[160];
  uint64_t finals, iterations, phases; /* events seen */
  lrgd_progress last;
  double last_x[MOST];
} run;

static void listen(const lrgd_progress *progress, void *user)
{
  run *r = user;
  r->finals += progress->event == LRGD_EVENT_FINAL;
  r->iterations += progress->event == LRGD_EVENT_ITERATION;
  r->phases += progress->event == LRGD_EVENT_PHASE;
  r->last = *progress;
  memcpy(r->last_x, progress->x, r->f->dimension * sizeof *r->last_x);
}

typedef void (*claim)(run *r);

/* The runs, which are made once and judged by each claim. */
static struct {
  run *made;
  size_t count, room;
} all;

/* A place for a run, which stays where it is: its callbacks know it. */
static run *place(size_t most)
{
  if (!all.made) {
    all.made = calloc(most, sizeof *all.made);
    all.room = most;
  }
  if (!all.made || all.count == all.room) abort();
  return &all.made[all.count++];
}

static void make(run *r)
{
  lrgd_problem seen = watch(&r->w, r->f, r->kind);
  lrgd_error error = {LRGD_OK, ""};
  r->options.progress = listen;
  r->options.progress_user = r;
  if (!check(lrgd_solver_create(&r->solver, &seen, &r->options, &error) ==
                 LRGD_OK,
             "%s: %s", r->who, error.text))
    return;
  lrgd_status status = lrgd_solver_solve(
      r->solver, lr_problem_start(r->problem), r->x, &r->result, &error);
  r->ended = check(status == LRGD_OK, "%s: %s", r->who, error.text);
}

static const char *const lines[] = {
    "quadratic p=12 rank=3 kappa=10",
    "quadratic p=10 rank=3 tail=0.05",
    "rosenbrock p=8",
    "log-sum-exp p=8 rank=2",
    "product p=4 lower=0.5 upper=1.5",
    "ridge p=36 rank=2 sigma=cosh",
};
enum { LINES = sizeof lines / sizeof *lines };

/* Every method, step and oracle on every problem. */
static void make_all(void)
{
  for (int l = 0; l < LINES; l++) {
    lr_problem *problem = made(lines[l]);
    double L = lr_problem_smoothness(problem);
    int64_t rank = (int64_t)lr_problem_rank(problem);
    for (int i = 0; i < METHODS * STEPS * ASK_KINDS; i++) {
      const lrgd_problem *f = lr_problem_callbacks(problem);
      ask_kind kind = (ask_kind)(i % ASK_KINDS);
      int m = i / (STEPS * ASK_KINDS), s = i / ASK_KINDS % STEPS;
      if (!combines(m, s)) continue;
      if (kind == ASK_COMPLEX && !f->complex_value) continue;
      run *r = place((size_t)LINES * METHODS * STEPS * ASK_KINDS);
      *r = (run){.problem = problem, .f = f, .kind = kind};
      r->options = chosen(m, s, rank > 4 || rank < 1 ? 2 : rank,
                          isfinite(L) ? 1 / L : 1e-3);
      r->options.max_evals = 3000;
      (void)snprintf(r->who, sizeof r->who, "%s, %s, %s, %s", lines[l],
                     method_names[m], step_names[s], ask_names[kind]);
      make(r);
    }
  }
}

static void on_all(claim judge)
{
  if (all.count == 0) make_all();
  for (size_t i = 0; i < all.count; i++)
    if (all.made[i].ended) judge(&all.made[i]);
}

static void value_is_there(run *r)
{
  double f = watched_f(r->f, r->kind, r->x);
  if (r->kind == ASK_COMPLEX) /* the step of 1e-50 may round differently */
    check_within(r->result.f, f, 4 * DBL_EPSILON * fabs(f) + 1e-90, "%s",
                 r->who);
  else
    check(r->result.f == f, "%s: %.17g is said, %.17g is there", r->who,
          r->result.f, f);
}

TEST("the value of a result is f at its point, to the last bit")
{
  on_all(value_is_there);
}

static uint64_t counted(const run *r, lrgd_kind kind)
{
  uint64_t sum = 0;
  for (int why = 0; why < LRGD_PURPOSE_COUNT; why++)
    sum += r->result.counts.evaluations[kind][why];
  return sum;
}

static void counts_are_right(run *r)
{
  check_int(counted(r, LRGD_KIND_VALUES), r->w.values, "%s: values", r->who);
  check_int(counted(r, LRGD_KIND_SLOPES), r->w.slopes, "%s: slopes", r->who);
  check_int(counted(r, LRGD_KIND_GRADIENTS), r->w.gradients, "%s: gradients",
            r->who);
  check_int(lrgd_counts_evaluations(&r->result.counts),
            watched_evaluations(&r->w), "%s: all", r->who);
  check(r->w.unanswerable == 0, "%s: only finite points were asked", r->who);
  check_int(r->result.counts.failures, 0, "%s: failures", r->who);
}

TEST("evaluations are counted by kind as the user saw them")
{
  on_all(counts_are_right);
}

static void goes_down(run *r)
{
  double start = watched_f(r->f, r->kind, lr_problem_start(r->problem));
  check(r->result.f <= start, "%s: %g at the start, %g at the end", r->who,
        start, r->result.f);
  check(isfinite(r->result.f), "%s: finite", r->who);
}

TEST("no result is worse than its start")
{
  on_all(goes_down);
}

static void stays_inside(run *r)
{
  check(r->w.outside == 0, "%s: %d points left the box", r->who,
        (int)r->w.outside);
  watched w = {.inner = r->f};
  watch_point(&w, r->x);
  check(w.outside == 0, "%s: the result is in the box", r->who);
}

TEST("bounds are honoured at every evaluated point")
{
  on_all(stays_inside);
}

static void basis_is_orthonormal(run *r)
{
  size_t p = r->f->dimension, k = lrgd_solver_basis_size(r->solver);
  double U[MOST * MOST], worst = 0;
  require(k <= p && lrgd_solver_basis(r->solver, U) == LRGD_OK, "%s: %zu",
          r->who, k);
  check(r->result.rank >= 1 && r->result.rank <= p, "%s: rank %zu", r->who,
        r->result.rank);
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = i == j ? -1 : 0;
      for (size_t l = 0; l < p; l++) sum += U[i * p + l] * U[j * p + l];
      worst = fmax(worst, fabs(sum));
    }
  check(worst < 10 * DBL_EPSILON * sqrt((double)p), "%s: U'U - I is %g", r->who,
        worst);
}

TEST("the directions of a result are orthonormal")
{
  on_all(basis_is_orthonormal);
}

static bool exact(const run *r)
{
  return r->kind == ASK_SLOPES || r->kind == ASK_GRADIENT ||
         r->kind == ASK_COMPLEX;
}

static void slopes_are_there(run *r)
{
  size_t p = r->f->dimension, k = lrgd_solver_basis_size(r->solver);
  double U[MOST * MOST], g[MOST], sum = 0;
  bool own = r->options.method == LRGD_METHOD_LRGD && !r->f->lower;
  if (!own || !exact(r) || r->result.outcome != LRGD_OUTCOME_CONVERGED) return;
  if (r->result.certificate.probes == 0) return; /* whole gradient at the end */
  require(lrgd_solver_basis(r->solver, U) == LRGD_OK, "%s", r->who);
  (void)r->f->gradient(p, r->x, g, r->f->user);
  for (size_t j = 0; j < k; j++) {
    double d = 0;
    for (size_t i = 0; i < p; i++) d += U[j * p + i] * g[i];
    sum += d * d;
  }
  check_within(r->result.grad_norm, sqrt(sum),
               1e-9 * sqrt(sum) + 1e-14 * (1 + fabs(r->result.f)), "%s",
               r->who);
}

TEST("the gradient norm lrgd claims is that of U'g at its point")
{
  on_all(slopes_are_there);
}

static void bound_holds(run *r)
{
  const lrgd_certificate *c = &r->result.certificate;
  double truth = true_norm(r->f, r->x);
  if (r->result.outcome != LRGD_OUTCOME_CONVERGED) return;
  check(c->valid, "%s: what converged is certified", r->who);
  check(c->confidence > 0.9 && c->confidence <= 1, "%s: confidence %g", r->who,
        c->confidence);
  /* a claim made by differences includes their error, for a curvature that is
   * guessed */
  double slack = exact(r) ? 1 + 1e-9 : 2;
  check(truth <= slack * c->grad_norm_bound + 1e-15,
        "%s: |grad f| is %g, at most %g is claimed", r->who, truth,
        c->grad_norm_bound);
}

TEST("a certificate's bound holds for the true gradient")
{
  on_all(bound_holds);
}

static void probes_are_counted(run *r)
{
  const lrgd_certificate *c = &r->result.certificate;
  if (!c->valid || r->options.method != LRGD_METHOD_LRGD) return;
  uint64_t paid = r->result.counts.oracle_calls[LRGD_PURPOSE_PROBE];
  check((uint64_t)c->probes <= paid, "%s: %d probes are claimed, %d were paid",
        r->who, (int)c->probes, (int)paid);
}

TEST("a certificate claims no more probes than were paid for")
{
  on_all(probes_are_counted);
}

static void final_is_last(run *r)
{
  check_int(r->finals, 1, "%s: final events", r->who);
  check(r->last.event == LRGD_EVENT_FINAL, "%s: it comes last", r->who);
  check(r->last.outcome == r->result.outcome, "%s: the outcome", r->who);
  check(r->last.best_f == r->result.f, "%s: best_f", r->who);
  check_int(r->last.iteration, r->result.iterations, "%s: iterations", r->who);
}

TEST("the callback is called with the final state once, as its last call")
{
  on_all(final_is_last);
}

static void phases_tell(run *r)
{
  size_t n = lrgd_solver_phase_count(r->solver);
  uint64_t last = 0;
  require(n >= 1, "%s: something was decided", r->who);
  for (size_t i = 0; i < n; i++) {
    const lrgd_phase *phase = lrgd_solver_phase(r->solver, i);
    check(phase->text[0] != '\0' && phase->evaluations >= last, "%s: phase %zu",
          r->who, i);
    last = phase->evaluations;
  }
  check(!lrgd_solver_phase(r->solver, n), "%s: and no more", r->who);
  check(last <= watched_evaluations(&r->w), "%s: evaluations", r->who);
  check(memcmp(&lrgd_solver_phase(r->solver, n - 1)->decision, &r->result.end,
               sizeof r->result.end) == 0,
        "%s: the last says why it ended", r->who);
}

TEST("the decisions say what was decided, when, and why the run ended")
{
  on_all(phases_tell);
}

/* ---- the coverage of a certificate, over many seeds ---- */

TEST(
    "over 300 seeds certificates are wrong no more often than their "
    "confidence says")
{
  /* curvature 1e-4 outside three strong directions: when lrgd's slopes are
   * small, the gradient outside is near what is asked for */
  lr_problem *problem = made("quadratic p=60 rank=3 kappa=10 tail=1e-4");
  const lrgd_problem *f = lr_problem_callbacks(problem);
  int claims = 0, wrong = 0, close = 0;
  for (int seed = 0; seed < CHECK_RUNS(300); seed++) {
    watched w;
    lrgd_problem seen = watch(&w, f, ASK_SLOPES);
    lrgd_options o = chosen(LRGD_METHOD_LRGD, LRGD_STEP_BFGS, 3, 0);
    lrgd_result result;
    double x[60];
    o.seed = seed;
    o.tol = 1e-3;
    memcpy(x, lr_problem_start(problem), sizeof x);
    require(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK, "it runs");
    if (result.outcome != LRGD_OUTCOME_CONVERGED) continue;
    claims++;
    double bound = result.certificate.grad_norm_bound;
    wrong += true_norm(f, x) > bound * (1 + 1e-9);
    close += result.certificate.probes > 0 && true_norm(f, x) > 0.3 * bound;
  }
  check(claims > CHECK_RUNS(200) && close > CHECK_RUNS(20),
        "%d claims, %d near the truth", claims, close);
  check(wrong <= 0.05 * claims + 4 * sqrt(0.05 * claims), "%d of %d are wrong",
        wrong, claims);
  lr_problem_destroy(&problem);
}

/* Differences see the curvature along each coordinate; where that is not the
 * same along all of them, their error is not what a mean of it makes it. */
TEST(
    "over 24 seeds the error of differences with unequal steps is not "
    "underestimated")
{
  int claims = 0, wrong = 0;
  for (int seed = 1; seed <= CHECK_RUNS(24); seed++) {
    char line[64];
    (void)snprintf(line, sizeof line, "exponentials p=50 seed=%d", seed);
    lr_problem *problem = made(line);
    const lrgd_problem *f = lr_problem_callbacks(problem);
    watched w;
    lrgd_problem seen = watch(&w, f, ASK_VALUE);
    lrgd_options o = chosen(LRGD_METHOD_QUASI_NEWTON, LRGD_STEP_AUTO, 0, 0);
    lrgd_result result;
    double x[50];
    memcpy(x, lr_problem_start(problem), sizeof x);
    o.tol = 1e-6 * true_norm(f, x);
    o.max_evals = 4000;
    o.seed = seed;
    require(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK, "it runs");
    claims += result.outcome == LRGD_OUTCOME_CONVERGED;
    wrong += result.outcome == LRGD_OUTCOME_CONVERGED &&
             true_norm(f, x) > result.certificate.grad_norm_bound;
    lr_problem_destroy(&problem);
  }
  check(claims >= CHECK_RUNS(9), "%d claims", claims);
  check(wrong <= 0.05 * claims + 1, "%d of %d are wrong", wrong, claims);
}

enum { WIDE = 150 };

/* How far x is from the middle of a bowl: its gradient. */
static double off_middle(size_t p, const double *x, int seed)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) {
    double t = x[i] - 0.03 * sin((double)i * seed);
    sum += t * t;
  }
  return sqrt(sum);
}

/* High enough for rounding to be seen. */
static double bowl(size_t p, const double *x, void *user)
{
  double far = off_middle(p, x, *(const int *)user);
  return 0.1 + 0.5 * far * far;
}

TEST("the curvature along one direction is not taken for that along all")
{
  int wrong = 0;
  for (int seed = 1; seed <= 30; seed++) {
    lrgd_problem f = lrgd_problem_default(WIDE);
    lrgd_options o = chosen(LRGD_METHOD_QUASI_NEWTON, LRGD_STEP_AUTO, 0, 0);
    lrgd_result result;
    double x[WIDE] = {0};
    f.value = bowl;
    f.user = &seed;
    o.seed = seed;
    require(lrgd_minimize(&f, &o, x, &result, NULL) == LRGD_OK, "it runs");
    check(result.outcome == LRGD_OUTCOME_CONVERGED, "%s", result.message);
    wrong += off_middle(WIDE, x, seed) > result.certificate.grad_norm_bound;
  }
  check(wrong <= 3, "%d of 30 are wrong", wrong);
}

TEST("row 59: on a function of full rank no run converges too early")
{
  static const char *const full[] = {"quadratic p=20 rank=20 kappa=30",
                                     "quadratic p=20 rank=4 tail=0.3",
                                     "ridge p=20 rank=20 sigma=logcosh"};
  for (int l = 0; l < 3; l++)
    for (int seed = 1; seed <= 20; seed++) {
      lr_problem *problem = made(full[l]);
      const lrgd_problem *f = lr_problem_callbacks(problem);
      watched w;
      lrgd_problem seen = watch(&w, f, ASK_SLOPES);
      lrgd_options o = chosen(LRGD_METHOD_LRGD, LRGD_STEP_BFGS, 2, 0);
      lrgd_result result;
      double x[20];
      memcpy(x, lr_problem_start(problem), sizeof x);
      double tol = 1e-6 * true_norm(f, x);
      o.seed = seed;
      require(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK, "it runs");
      check(result.outcome == LRGD_OUTCOME_CONVERGED && result.rank > 2,
            "%s: the missing directions were added: %s", full[l],
            result.message);
      check(true_norm(f, x) <= 3 * tol, "%s: |grad f| is %g", full[l],
            true_norm(f, x));
      lr_problem_destroy(&problem);
    }
}
