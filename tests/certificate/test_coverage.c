/* Are certificates false as seldom as they say, and given as often as before?
 *
 * Every method x {values, slopes} x {inputs of equal size, sizes spread by 1e4}
 * x {free, boxed} x {exact, noise told, auto: noise not told}, on two sets of
 * random functions: family.h.  A certificate is false where the norm of the
 * true gradient is more than 1 % above its bound.  A cell fails where its false
 * certificates, or those that it lacks, have a one-sided binomial p-value below
 * 0.05 divided by the number of cells.  A converged run has a bound within the
 * tolerance, and a stalled one has none.  So do cells of A x = b together with
 * bounds, which only auto and quasi-newton keep.
 *
 * SOAK=1: 2,000 runs a cell, each cell printed.  COVERAGE_RUNS=n: n runs a cell
 * instead.  COVERAGE_SEED=k: other functions than k = 0, for a judgement on
 * functions that no change was tried on. */
#include "check.h"
#include "coverage_before.h"
#include "family.h"

#include <stdlib.h>

static const char *const methods[] = {"auto",     "gd",       "lrgd",
                                      "iterated", "adaptive", "quasi-newton"};
static const char *const noises[] = {"exact", "noise told", "noise not told"};
enum { METHODS = 6, EXACT = 0, TOLD, UNTOLD, CELLS = 6 * 8 * 2 + 8 };

typedef struct cell {
  int set, method, slopes, spread, boxed, noise;
} cell;

typedef struct tally {
  int runs, certified, converged;
  int doubtful;    /* certificates of a confidence below 1 ... */
  int wrong, sure; /* ... false ones, and false ones of confidence 1 */
  int above;       /* converged with a bound above the tolerance ... */
  int below;       /* ... and stalled with one that meets it */
  int other;       /* certificates of another confidence than asked for */
} tally;

/* A whole number of the environment; `otherwise` where there is none. */
static long from_environment(const char *name, long otherwise)
{
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : otherwise;
}

static bool is_long(void)
{
  return getenv("SOAK") || getenv("COVERAGE_RUNS");
}

static int runs_each(int few)
{
  return (int)from_environment("COVERAGE_RUNS",
                               getenv("SOAK") ? 2000 : CHECK_RUNS(few));
}

static lrgd_problem as_given(const cell *c, family *F)
{
  lrgd_problem problem = lrgd_problem_default(F->p);
  problem.user = F;
  if (c->slopes)
    problem.slopes = family_slopes;
  else
    problem.value = family_value;
  problem.lower = c->boxed ? F->lower : NULL;
  problem.upper = c->boxed ? F->upper : NULL;
  return problem;
}

static lrgd_options chosen(const cell *c, const family *F, double confidence)
{
  lrgd_options o = lrgd_options_default();
  o.method = c->method;
  o.tol = F->tol;
  o.confidence = confidence;
  o.max_evals = 300 * (int64_t)F->p + 3000;
  if (c->method == LRGD_METHOD_LRGD || c->method == LRGD_METHOD_ITERATED)
    o.rank = (int64_t)F->r;
  if (c->noise == TOLD) o.noise = F->noise;
  return o;
}

/* A number of its own for every run. */
static uint64_t seed_of(const cell *c, int run)
{
  uint64_t number = (uint64_t)c->method * 2 + (uint64_t)c->slopes;
  number = (number * 2 + (uint64_t)c->spread) * 2 + (uint64_t)c->boxed;
  number = number * 3 + (uint64_t)c->noise;
  uint64_t fresh = (uint64_t)from_environment("COVERAGE_SEED", 0);
  return (uint64_t)c->set * 1000003 + number * UINT64_C(1000000007) +
         (uint64_t)run * 7919 + fresh * UINT64_C(0x5851f42d4c957f2d);
}

static void add_run(const cell *c, int run, double confidence, tally *t)
{
  static family F;
  double x[FAMILY_P];
  lrgd_result r;
  family_draw(&F, c->set, c->spread, c->boxed, c->noise != EXACT,
              seed_of(c, run));
  lrgd_problem problem = as_given(c, &F);
  lrgd_options o = chosen(c, &F, confidence);
  o.seed = run;
  memcpy(x, F.start, sizeof x);
  require(lrgd_minimize(&problem, &o, x, &r, NULL) == LRGD_OK, "it runs");
  double bound = r.certificate.grad_norm_bound;
  bool valid = r.certificate.valid, sure = r.certificate.confidence >= 1;
  bool converged = r.outcome == LRGD_OUTCOME_CONVERGED;
  bool wrong = valid && !(family_norm(&F, x) <= 1.01 * bound);
  t->runs++;
  t->certified += valid;
  t->converged += converged;
  t->doubtful += valid && !sure;
  t->wrong += wrong && !sure;
  t->sure += wrong && sure;
  t->above += converged && !(valid && bound <= F.tol);
  t->below += r.outcome == LRGD_OUTCOME_STALLED && valid && bound <= F.tol;
  t->other += valid && !sure && r.certificate.confidence != confidence;
}

/* P(X >= k) for X binomial, n times q. */
static double tail(int n, int k, double q)
{
  double sum = 0;
  if (k <= 0 || q >= 1) return 1;
  for (int i = k; i <= n && q > 0; i++)
    sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) +
               i * log(q) + (n - i) * log1p(-q));
  return sum;
}

/* The share that was certified, and truly, before: less two standard
 * deviations, as it was found in a thousand runs, of which none says that it
 * happens less than three times in a thousand. */
static double share_before(const cell *c)
{
  int true_ones = coverage_before[c->set][c->method][c->slopes][c->spread]
                                 [c->boxed][c->noise];
  double share = true_ones / 1000.0;
  return fmax(share - 0.003 - 2 * sqrt(share * (1 - share) / 1000), 0);
}

static void judge(const cell *c, const tally *t, double confidence, int cells)
{
  char who[120];
  double level = 0.05 / cells;
  (void)snprintf(who, sizeof who, "set %d, %s, %s, %s, %s, %s, %g", c->set + 1,
                 methods[c->method], c->slopes ? "slopes" : "values",
                 c->spread ? "sizes 1e4" : "equal sizes",
                 c->boxed ? "boxed" : "free", noises[c->noise], confidence);
  double p = tail(t->doubtful, t->wrong, 1 - confidence);
  double least = share_before(c);
  double lacking = tail(t->runs, t->runs - t->certified, 1 - least);
  if (is_long())
    printf("\n  %s: %d runs, %d certified, %d converged, %d false, p %.3g", who,
           t->runs, t->certified, t->converged, t->wrong + t->sure, p);
  check(t->sure == 0, "%s: %d false ones of confidence 1", who, t->sure);
  check(p >= level, "%s: %d of %d are false, p-value %.2g", who, t->wrong,
        t->doubtful, p);
  check(t->above == 0, "%s: %d converged above the tolerance", who, t->above);
  check(t->below == 0, "%s: %d stalled below the tolerance", who, t->below);
  check(t->other == 0, "%s: %d of another confidence", who, t->other);
  check(lacking >= level, "%s: %d of %d are certified, %.3g were before", who,
        t->certified, t->runs, least);
}

static void measure(const cell *c, int runs, double confidence, int cells)
{
  tally t = {0};
  for (int i = 0; i < runs; i++) add_run(c, i, confidence, &t);
  judge(c, &t, confidence, cells);
}

static void measure_set(int set, int runs)
{
  for (int i = 0; i < METHODS * 8 * 3; i++) {
    cell c = {set, i / 24, i / 12 % 2, i / 6 % 2, i / 3 % 2, i % 3};
    if (c.noise != UNTOLD || c.method == LRGD_METHOD_AUTO)
      measure(&c, runs, 0.95, CELLS);
  }
}

TEST(
    "certificates are false no oftener than they say, and no fewer than before")
{
  measure_set(0, runs_each(20));
}

TEST(
    "on functions that nothing was tuned on certificates hold as often as "
    "they say")
{
  measure_set(1, runs_each(20));
}

TEST("certificates hold as often as the confidence that the user asked for")
{
  static const double asked[] = {0.5, 0.999};
  for (int i = 0; i < METHODS * 4; i++)
    for (int j = 0; j < 2; j++) {
      cell c = {1, i / 4, 0, 1, i / 2 % 2, i % 2};
      measure(&c, runs_each(12), asked[j], METHODS * 4 * 2);
    }
}

/* ---- A x = b together with bounds ---- */

enum { ROWS = 3, PLANE_CELLS = 2 * 2 * 2 * 2 * 2 };

/* Random rows, in the units of the inputs, through a point inside the box. */
typedef struct plane {
  size_t m;
  double A[ROWS * FAMILY_P], b[ROWS];
} plane;

static void draw_plane(plane *H, const family *F, uint64_t seed)
{
  uint64_t state = seed ^ UINT64_C(0x9e3779b97f4a7c15), *s = &state;
  double inside[FAMILY_P];
  H->m = 1 + (size_t)(ROWS * family_share(s));
  for (size_t j = 0; j < F->p; j++)
    inside[j] =
        F->lower[j] + family_between(s, 0.2, 0.8) * (F->upper[j] - F->lower[j]);
  for (size_t i = 0; i < H->m; i++) {
    H->b[i] = 0;
    for (size_t j = 0; j < F->p; j++) {
      H->A[i * F->p + j] = family_normal(s) / F->size[j];
      H->b[i] += H->A[i * F->p + j] * inside[j];
    }
  }
}

/* d = -g - A'l without what leads out of the box: half its squared norm is the
 * dual of the projection of -g on the directions that x can be left along. */
static double dual(const plane *H, const family *F, const double *x,
                   const double *g, const double *l, double *d)
{
  double sum = 0;
  for (size_t j = 0; j < F->p; j++) {
    d[j] = -g[j];
    for (size_t i = 0; i < H->m; i++) d[j] -= H->A[i * F->p + j] * l[i];
    if (x[j] <= F->lower[j]) d[j] = fmax(d[j], 0);
    if (x[j] >= F->upper[j]) d[j] = fmin(d[j], 0);
    sum += d[j] * d[j];
  }
  return 0.5 * sum;
}

/* Solves the m x m system by elimination. */
static void eliminate(size_t m, double *M, double *r)
{
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; i < m; i++) {
      double times = i == k ? 0 : M[i * m + k] / M[k * m + k];
      for (size_t j = k; j < m; j++) M[i * m + j] -= times * M[k * m + j];
      r[i] -= times * r[k];
    }
  for (size_t k = 0; k < m; k++) r[k] /= M[k * m + k];
}

/* One Newton step of the dual, halved until it falls.  False: it cannot. */
static bool dual_step(const plane *H, const family *F, const double *x,
                      const double *g, double *l, double *d)
{
  double M[ROWS * ROWS], r[ROWS], to[ROWS], f = dual(H, F, x, g, l, d);
  size_t m = H->m, p = F->p;
  for (size_t i = 0; i < m; i++) {
    r[i] = 0;
    for (size_t j = 0; j < p; j++) r[i] += H->A[i * p + j] * d[j];
    for (size_t k = 0; k < m; k++) {
      M[i * m + k] = i == k ? 1e-14 : 0;
      for (size_t j = 0; j < p; j++)
        if (d[j] != 0) M[i * m + k] += H->A[i * p + j] * H->A[k * p + j];
    }
  }
  eliminate(m, M, r);
  for (double t = 1; t > 1e-6; t /= 2) {
    for (size_t i = 0; i < m; i++) to[i] = l[i] + t * r[i];
    if (!(dual(H, F, x, g, to, d) < f)) continue;
    memcpy(l, to, sizeof to);
    return true;
  }
  (void)dual(H, F, x, g, l, d);
  return false;
}

/* |grad f| along the directions that x can be left along, less rounding. */
static double plane_norm(const plane *H, const family *F, const double *x)
{
  double g[FAMILY_P], d[FAMILY_P], l[ROWS] = {0};
  (void)family_gradient(F, x, g);
  for (int i = 0; i < 200; i++)
    if (!dual_step(H, F, x, g, l, d)) break;
  double rounding = 0; /* of the sums that make d: their terms may cancel */
  for (size_t j = 0; j < F->p; j++) {
    double terms = fabs(g[j]);
    for (size_t i = 0; i < H->m; i++) terms += fabs(H->A[i * F->p + j] * l[i]);
    rounding = hypot(rounding, 4e-15 * terms);
  }
  return fmax(sqrt(2 * dual(H, F, x, g, l, d)) - rounding, 0);
}

static lrgd_result solve_on_plane(const cell *c, family *F, const plane *H,
                                  int run, double *x)
{
  lrgd_problem problem = as_given(c, F);
  lrgd_options o = chosen(c, F, 0.95);
  lrgd_solver *solver = NULL;
  lrgd_error error = {.text = ""};
  lrgd_result r = {.outcome = LRGD_OUTCOME_FAILED};
  o.seed = run;
  lrgd_status status = lrgd_solver_create(&solver, &problem, &o, &error);
  if (status == LRGD_OK)
    status = lrgd_solver_set_constraints(solver, H->m, H->A, H->b, &error);
  if (status == LRGD_OK) status = lrgd_solver_solve(solver, x, x, &r, &error);
  check(status == LRGD_OK, "%s", error.text);
  (void)lrgd_solver_destroy(&solver);
  return r;
}

static void add_plane_run(const cell *c, int run, tally *t)
{
  static family F;
  plane H;
  double x[FAMILY_P];
  uint64_t seed = seed_of(c, run) + 17;
  family_draw(&F, c->set, c->spread, true, c->noise != EXACT, seed);
  draw_plane(&H, &F, seed);
  memcpy(x, F.start, sizeof x);
  lrgd_result r = solve_on_plane(c, &F, &H, run, x);
  double bound = r.certificate.grad_norm_bound;
  bool valid = r.certificate.valid, sure = r.certificate.confidence >= 1;
  bool converged = r.outcome == LRGD_OUTCOME_CONVERGED;
  bool wrong = valid && !(plane_norm(&H, &F, x) <= 1.01 * bound);
  t->runs++;
  t->certified += valid;
  t->converged += converged;
  t->doubtful += valid && !sure;
  t->wrong += wrong && !sure;
  t->sure += wrong && sure;
  t->above += converged && !(valid && bound <= F.tol);
  t->below += r.outcome == LRGD_OUTCOME_STALLED && valid && bound <= F.tol;
}

static void judge_on_plane(const cell *c, const tally *t)
{
  double p = tail(t->doubtful, t->wrong, 0.05);
  char who[120];
  (void)snprintf(who, sizeof who, "plane, set %d, %s, %s, %s, %s", c->set + 1,
                 methods[c->method], c->slopes ? "slopes" : "values",
                 c->spread ? "sizes 1e4" : "equal sizes", noises[c->noise]);
  if (is_long())
    printf("\n  %s: %d runs, %d certified, %d converged, %d false, p %.3g", who,
           t->runs, t->certified, t->converged, t->wrong + t->sure, p);
  check(t->sure == 0, "%s: %d false ones of confidence 1", who, t->sure);
  check(p >= 0.05 / PLANE_CELLS, "%s: %d of %d are false, p-value %.2g", who,
        t->wrong, t->doubtful, p);
  check(t->above == 0, "%s: %d converged above the tolerance", who, t->above);
  check(t->below == 0, "%s: %d stalled below the tolerance", who, t->below);
}

TEST(
    "under linear equations and bounds certificates hold as often as they "
    "say")
{
  for (int i = 0; i < PLANE_CELLS; i++) {
    bool quasi_newton = i / 2 % 2;
    cell c = {
        i / 16,    quasi_newton ? LRGD_METHOD_QUASI_NEWTON : LRGD_METHOD_AUTO,
        i / 8 % 2, i / 4 % 2,
        1,         i % 2};
    tally t = {0};
    int runs = runs_each(12);
    for (int k = 0; k < runs; k++) add_plane_run(&c, k, &t);
    judge_on_plane(&c, &t);
  }
}
