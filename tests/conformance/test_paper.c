/* What the paper says of its algorithms, to the last oracle call. */
#include "certificate/watched.h"

/* ---- the iterates a run goes through ---- */

enum { P = 12, STEPS_KEPT = 400 };

typedef struct path {
  size_t p;
  uint64_t count;
  double x[STEPS_KEPT][P];
} path;

static void keep(const lrgd_progress *progress, void *user)
{
  path *kept = user;
  if (progress->event != LRGD_EVENT_ITERATION) return;
  if (progress->iteration < STEPS_KEPT) {
    memcpy(kept->x[progress->iteration], progress->x,
           kept->p * sizeof *progress->x);
    kept->count = progress->iteration + 1;
  }
}

static lrgd_result walk(const lr_problem *problem, ask_kind kind,
                        lrgd_options o, path *kept)
{
  watched w;
  lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), kind);
  lrgd_result result = {0};
  double x[P];
  kept->p = seen.dimension;
  kept->count = 0;
  o.progress = keep;
  o.progress_user = kept;
  memcpy(x, lr_problem_start(problem), seen.dimension * sizeof *x);
  check(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK, "it runs");
  check_int(watched_evaluations(&w), lrgd_counts_evaluations(&result.counts),
            "evaluations");
  return result;
}

/* The largest difference of two paths, relative to the largest coordinate. */
static double apart(const path *a, const path *b)
{
  double worst = 0, size = 0;
  check_int(a->count, b->count, "iterates");
  for (uint64_t i = 0; i < a->count && i < b->count; i++)
    for (size_t j = 0; j < a->p; j++) {
      worst = fmax(worst, fabs(a->x[i][j] - b->x[i][j]));
      size = fmax(size, fabs(a->x[i][j]));
    }
  return worst / size;
}

static path gd_path, lrgd_path; /* too large for a small stack */

static void compare(const char *line, int64_t rank, double allowed)
{
  lr_problem *problem = made(line);
  double alpha = 0.5 / lr_problem_smoothness(problem);
  static const ask_kind exact[] = {ASK_SLOPES, ASK_GRADIENT, ASK_COMPLEX};
  for (int k = 0; k < 3; k++) {
    lrgd_options gd = chosen(LRGD_METHOD_GD, LRGD_STEP_FIXED, 0, alpha);
    lrgd_options lr = chosen(LRGD_METHOD_LRGD, LRGD_STEP_FIXED, rank, alpha);
    gd.tol = lr.tol = 1e-3 * true_norm(lr_problem_callbacks(problem),
                                       lr_problem_start(problem));
    lrgd_result a = walk(problem, exact[k], gd, &gd_path);
    lrgd_result b = walk(problem, exact[k], lr, &lrgd_path);
    check(a.outcome == LRGD_OUTCOME_CONVERGED &&
              b.outcome == LRGD_OUTCOME_CONVERGED,
          "%s, %s: both converge", line, ask_names[exact[k]]);
    check(gd_path.count > 10, "%s: %d iterates", line, (int)gd_path.count);
    double d = apart(&gd_path, &lrgd_path);
    check(d <= allowed, "%s, %s: apart by %g", line, ask_names[exact[k]], d);
  }
  lr_problem_destroy(&problem);
}

TEST("row 5: with r = p the iterates of lrgd are those of gd to rounding")
{
  compare("quadratic p=8 rank=8 kappa=20", 8, 1e-12);
  compare("log-sum-exp p=8 rank=8 mu=0.5", 8, 1e-12);
  compare("ridge p=8 rank=8 sigma=logcosh", 8, 1e-12);
}

TEST("on a function of rank r the iterates of lrgd are those of gd to 1e-10")
{
  compare("quadratic p=12 rank=3 kappa=20", 3, 1e-10);
  compare("ridge p=12 rank=2 sigma=logcosh", 2, 1e-10);
  compare("log-sum-exp p=12 rank=4", 4, 1e-10);
}

/* ---- counts ---- */

/* lrgd on a function of rank r: r p for identification, r for each of T steps
 * and for the last look, m probes outside. */
static void formula(size_t p, size_t r)
{
  char line[80];
  (void)snprintf(line, sizeof line, "quadratic p=%zu rank=%zu kappa=10", p, r);
  lr_problem *problem = made(line);
  watched w;
  lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), ASK_SLOPES);
  lrgd_options o = chosen(LRGD_METHOD_LRGD, LRGD_STEP_FIXED, (int64_t)r, 0.1);
  lrgd_result result;
  double *x = calloc(p, sizeof *x);
  if (!x) abort();
  check(lrgd_minimize(&seen, &o, x, &result, NULL) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_CONVERGED,
        "%s: %s", line, result.message);
  const lrgd_counts *c = &result.counts;
  uint64_t T = result.iterations, probes = p > r ? 8 : 0;
  check_int(c->oracle_calls[LRGD_PURPOSE_IDENTIFY], r * p, "%s: identification",
            line);
  check_int(c->oracle_calls[LRGD_PURPOSE_DESCEND], r * (T + 1), "%s: descent",
            line);
  check_int(c->oracle_calls[LRGD_PURPOSE_PROBE], probes, "%s: probes", line);
  check_int(lrgd_counts_oracle_calls(c), r * (p + T + 1) + probes,
            "%s: r (p + T + 1) and the probes", line);
  check_int(w.slopes, r * (p + T + 1) + probes, "%s: as the user saw", line);
  check_int(w.values + w.gradients, 0, "%s: and nothing else", line);
  free(x);
  lr_problem_destroy(&problem);
}

TEST("lrgd costs r (p + T + 1) calls and its probes, exactly")
{
  formula(10, 1);
  formula(20, 3);
  formula(100, 5);
  formula(300, 7);
  formula(6, 6);
}

/* Before one-sided differences are called small they are taken on both sides:
 * one gradient more. */
static uint64_t closer(ask_kind kind, int64_t differences)
{
  bool by_value = kind == ASK_VALUE || kind == ASK_BATCH;
  return by_value && differences == LRGD_DIFFERENCES_FORWARD;
}

TEST(
    "gd costs exactly p (T + 1) calls, and p more to confirm a gradient "
    "by differences")
{
  lr_problem *problem = made("quadratic p=9 rank=3 kappa=10");
  for (int k = 0; k < ASK_KINDS; k++) {
    lrgd_options o = chosen(LRGD_METHOD_GD, LRGD_STEP_FIXED, 0, 0.1);
    lrgd_result r = walk(problem, (ask_kind)k, o, &gd_path);
    check_int(lrgd_counts_oracle_calls(&r.counts),
              9 * (r.iterations + 1 + closer((ask_kind)k, o.differences)), "%s",
              ask_names[k]);
  }
  lr_problem_destroy(&problem);
}

TEST("a forward difference is one evaluation beside the base, a central two")
{
  lr_problem *problem = made("quadratic p=9 rank=3 kappa=10");
  for (int central = 0; central < 2; central++) {
    lrgd_options o = chosen(LRGD_METHOD_GD, LRGD_STEP_FIXED, 0, 0.1);
    o.differences =
        central ? LRGD_DIFFERENCES_CENTRAL : LRGD_DIFFERENCES_FORWARD;
    lrgd_result r = walk(problem, ASK_VALUE, o, &gd_path);
    check_int(lrgd_counts_evaluations(&r.counts),
              (1 + 9 * (1 + (uint64_t)central)) * (r.iterations + 1) +
                  18 * closer(ASK_VALUE, o.differences),
              "central %d", central);
  }
  lr_problem_destroy(&problem);
}

/* ---- the tables and the figure ---- */

typedef struct point2 {
  double L;
} point2;

static double bowl(size_t p, const double *x, double *g, void *user)
{
  const point2 *b = user;
  (void)p;
  g[0] = 2 * b->L * x[0];
  g[1] = 2 * x[1];
  return b->L * x[0] * x[0] + x[1] * x[1];
}

static double bowl_slopes(size_t p, const double *x, size_t k, const double *U,
                          double *d, void *user)
{
  double g[2], f = bowl(p, x, g, user);
  for (size_t j = 0; j < k; j++) d[j] = U[2 * j] * g[0] + U[2 * j + 1] * g[1];
  return f;
}

/* A run on x'diag(L, 1)x from (a, b). */
static lrgd_result on_bowl(int method, double L, double a, double b,
                           double alpha)
{
  point2 data = {L};
  double x[2] = {a, b};
  lrgd_problem problem = lrgd_problem_default(2);
  lrgd_options o = chosen(method, LRGD_STEP_FIXED, 1, alpha);
  lrgd_result result = {0};
  problem.gradient = bowl;
  problem.slopes = bowl_slopes;
  problem.user = &data;
  o.epsilon = 0.1; /* the paper's words for sqrt(0.1) */
  o.mu = 0.5;
  check(lrgd_minimize(&problem, &o, x, &result, NULL) == LRGD_OK &&
            result.outcome == LRGD_OUTCOME_CONVERGED,
        "L = %g from (%g, %g): %s", L, a, b, result.message);
  return result;
}

TEST("all 120 counts of the paper's tables come out of the solvers")
{
  FILE *file = fopen(LRGD_TABLES, "r");
  char line[256];
  int cells = 0;
  require(file, "%s is there", LRGD_TABLES);
  require(fgets(line, sizeof line, file), "it has a heading");
  while (fgets(line, sizeof line, file)) {
    double divisor, L, a, b;
    int gd, lr;
    require(sscanf(line, "%*[^,],%lf,%lf,%lf,%lf,%d,%d", &divisor, &L, &a, &b,
                   &gd, &lr) == 6,
            "a cell: %s", line);
    double alpha = 1 / (divisor * L);
    lrgd_result g = on_bowl(LRGD_METHOD_GD, L, a, b, alpha);
    lrgd_result i = on_bowl(LRGD_METHOD_ITERATED, L, a, b, alpha);
    /* the paper does not count gd's last look */
    check_int(lrgd_counts_oracle_calls(&g.counts) - 2, gd, "gd, %s", line);
    check_int(lrgd_counts_oracle_calls(&i.counts), lr, "lrgd, %s", line);
    cells++;
  }
  check_int(cells, 60, "cells");
  (void)fclose(file);
}

/* The iterations at which a round of figure 1 ended: a gradient begins one. */
typedef struct rounds {
  uint64_t count, at[32], identified;
} rounds;

static void see_round(const lrgd_progress *progress, void *user)
{
  rounds *r = user;
  uint64_t calls = progress->counts->oracle_calls[LRGD_PURPOSE_IDENTIFY];
  bool ends = calls > r->identified || progress->event == LRGD_EVENT_FINAL;
  if (ends && progress->iteration > 0 && r->count < 32)
    r->at[r->count++] = progress->iteration;
  r->identified = calls;
}

/* Figure 1 by one method, with a stopping rule on the decrease. */
static lrgd_result figure(int method, ask_kind kind, double decrease,
                          rounds *seen)
{
  point2 data = {3};
  double x[2] = {1.5, 1.5};
  lrgd_problem problem = lrgd_problem_default(2);
  lrgd_options o = chosen(method, LRGD_STEP_FIXED, 1, 1.0 / 15);
  lrgd_result result = {0};
  if (kind == ASK_SLOPES)
    problem.slopes = bowl_slopes;
  else
    problem.gradient = bowl;
  problem.user = &data;
  o.stop_decrease = decrease;
  o.progress = see_round;
  *seen = (rounds){0};
  o.progress_user = seen;
  check(lrgd_minimize(&problem, &o, x, &result, NULL) == LRGD_OK, "it runs");
  check(result.outcome == LRGD_OUTCOME_STALLED && !result.certificate.valid &&
            result.stall == LRGD_STALL_SLOW && result.end.limit == decrease,
        "a small decrease certifies nothing: %s", result.message);
  return result;
}

TEST("figure 1: its eight numbers and four rounds from the paper's epsilon")
{
  static const uint64_t ends[] = {7, 17, 19, 21};
  static const double epsilons[] = {0.0182, 0.02, 0.0217};
  static const ask_kind kinds[] = {ASK_SLOPES, ASK_GRADIENT};
  for (int i = 0; i < 6; i++) {
    double epsilon = epsilons[i % 3];
    ask_kind kind = kinds[i / 3];
    rounds seen;
    lrgd_result g = figure(LRGD_METHOD_GD, kind, epsilon, &seen);
    check_int(g.iterations, 13, "gd's iterations at %g", epsilon);
    check_int(lrgd_counts_oracle_calls(&g.counts), 26, "gd's calls");
    lrgd_result l = figure(LRGD_METHOD_ITERATED, kind, epsilon, &seen);
    check_int(l.iterations, 21, "lrgd's iterations at %g", epsilon);
    check_int(lrgd_counts_oracle_calls(&l.counts), 25, "lrgd's calls");
    check_int(seen.count, 4, "rounds");
    for (int j = 0; j < 4; j++)
      check_int(seen.at[j], ends[j], "the end of round %d", j + 1);
  }
}

TEST("every method ends where a step lowers f by less than stop_decrease")
{
  lr_problem *problem = made("quadratic p=12 rank=3 kappa=20");
  for (int m = 0; m < METHODS; m++) {
    lrgd_options o = chosen(m, LRGD_STEP_AUTO, 3, 0);
    o.stop_decrease = 1e3; /* no step does as much: the first round is all */
    lrgd_result r = walk(problem, ASK_SLOPES, o, &lrgd_path);
    check(r.outcome == LRGD_OUTCOME_STALLED && !r.certificate.valid &&
              r.stall == LRGD_STALL_SLOW && r.end.limit == 1e3,
          "%s: %s", method_names[m], r.message);
    check(r.iterations <= 4, "%s: %d iterations", method_names[m],
          (int)r.iterations);
    o.stop_decrease = 1e-300;
    r = walk(problem, ASK_SLOPES, o, &lrgd_path);
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "%s, hardly asked: %s",
          method_names[m], r.message);
  }
  lr_problem_destroy(&problem);
}

/* ---- the other choices ---- */

TEST("all three ways of identification and over-sampling end at the minimum")
{
  lr_problem *problem = made("quadratic p=12 rank=3 kappa=10");
  for (int how = LRGD_IDENTIFY_SVD; how <= LRGD_IDENTIFY_GRAM_SCHMIDT; how++)
    for (double over = 1; over < 4; over++) {
      lrgd_options o = chosen(LRGD_METHOD_LRGD, LRGD_STEP_FIXED, 3, 0.1);
      o.identify = how;
      o.oversample = over;
      lrgd_result r = walk(problem, ASK_SLOPES, o, &lrgd_path);
      check(r.outcome == LRGD_OUTCOME_CONVERGED && r.rank == 3 && r.sigma_r > 0,
            "way %d: %s", how, r.message);
      check_int(r.counts.oracle_calls[LRGD_PURPOSE_IDENTIFY], 3 * over * 12,
                "way %d, over-sampling %g", how, over);
    }
  lr_problem_destroy(&problem);
}

TEST("adaptive finds the rank, and grows by one or doubles")
{
  lr_problem *problem = made("quadratic p=12 rank=4 kappa=10");
  for (int growth = LRGD_GROWTH_ONE; growth <= LRGD_GROWTH_DOUBLE; growth++) {
    lrgd_options o = chosen(LRGD_METHOD_ADAPTIVE, LRGD_STEP_BFGS, 0, 0);
    o.growth = growth;
    lrgd_result r = walk(problem, ASK_SLOPES, o, &lrgd_path);
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "growth %d: %s", growth,
          r.message);
    check(r.rank <= 4, "growth %d: %zu directions for rank 4", growth, r.rank);
  }
  lr_problem_destroy(&problem);
}

TEST("adaptive keeps to the rank allowed, and reports when that is too low")
{
  lr_problem *problem = made("quadratic p=12 rank=4 kappa=10");
  lrgd_options o = chosen(LRGD_METHOD_ADAPTIVE, LRGD_STEP_BFGS, 0, 0);
  o.rank = 2;
  lrgd_result r = walk(problem, ASK_SLOPES, o, &lrgd_path);
  check(r.outcome == LRGD_OUTCOME_STALLED && r.rank == 2, "%s", r.message);
  check(r.stall == LRGD_STALL_RANK && r.end.count == 2, "%s", r.message);
  lr_problem_destroy(&problem);
}

TEST("a given basis is where a run moves, and nowhere else")
{
  lr_problem *problem = made("quadratic p=12 rank=12 kappa=10");
  const double *start = lr_problem_start(problem);
  double W[3 * P] = {0}, x[P];
  for (int j = 0; j < 3; j++) W[j * P + 2 * j] = j + 1; /* coordinates 0 2 4 */
  for (int m = 0; m < METHODS; m++) {
    watched w;
    lrgd_problem seen = watch(&w, lr_problem_callbacks(problem), ASK_SLOPES);
    lrgd_options o = chosen(m, LRGD_STEP_BFGS, 2, 0);
    lrgd_solver *solver;
    lrgd_result r;
    require(lrgd_solver_create(&solver, &seen, &o, NULL) == LRGD_OK, "made");
    check(lrgd_solver_set_basis(solver, 3, W, NULL) == LRGD_OK, "taken");
    check(lrgd_solver_solve(solver, start, x, &r, NULL) == LRGD_OK, "solved");
    check(r.outcome == LRGD_OUTCOME_CONVERGED, "%s: %s", method_names[m],
          r.message);
    for (int i = 0; i < P; i++)
      if (i % 2 || i > 4)
        check_within(x[i], start[i], 1e-14, "%s: coordinate %d",
                     method_names[m], i);
    double g[P];
    const lrgd_problem *f = lr_problem_callbacks(problem);
    (void)f->gradient(P, x, g, f->user);
    check(fabs(g[0]) + fabs(g[2]) + fabs(g[4]) < 1e-4, "%s: flat inside",
          method_names[m]);
    (void)lrgd_solver_destroy(&solver);
  }
  lr_problem_destroy(&problem);
}
