/* Are certificates false as seldom as they say, and given as often as before?
 *
 * Every method x {values, slopes} x {inputs of equal size, sizes spread by 1e4}
 * x {free, boxed} x {exact, noise told, auto: noise not told}, on two sets of
 * random functions: family.h.  A certificate is false where the norm of the
 * true gradient is more than 1 % above its bound.  A cell fails where its false
 * certificates, or those that it lacks, have a one-sided binomial p-value below
 * 0.05 divided by the number of cells.
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
  int above;       /* converged with a bound above the tolerance */
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
  return (int)from_environment("COVERAGE_RUNS", getenv("SOAK") ? 2000 : few);
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

TEST("so it is on functions that nothing was tuned on")
{
  measure_set(1, runs_each(20));
}

TEST("the confidence that is asked for is the one that is given")
{
  static const double asked[] = {0.5, 0.999};
  for (int i = 0; i < METHODS * 4; i++)
    for (int j = 0; j < 2; j++) {
      cell c = {1, i / 4, 0, 1, i / 2 % 2, i % 2};
      measure(&c, runs_each(12), asked[j], METHODS * 4 * 2);
    }
}
