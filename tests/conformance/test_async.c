/* Evaluations that end in any order: counts, ends and certificates are as exact
 * as where whole rounds are waited for, and the path is a function of the
 * order. */
#include "check.h"

#include <lrgd/lrgd.h>

#include <math.h>
#include <string.h>

enum { P = 60, WIDTH = 8 };

/* An evaluator that finishes what is under way in an order drawn at random. */
typedef struct evaluator {
  double (*f)(const double *x);
  uint64_t state; /* of the generator of the order */
  uint64_t tickets[WIDTH];
  double values[WIDTH];
  size_t under_way, most; /* now, and at most so far */
  uint64_t asked;
  int fail_each; /* every so many evaluations have no value; 0: none */
  int lie;       /* the ticket returned is wrong from this one on; 0: never */
  int slow;      /* the first ticket ends after all others that are under way */
  double first[P]; /* the first point */
} evaluator;

static double low_rank(const double *x)
{
  double f = 0;
  for (int j = 0; j < 4; j++) {
    double z = -1;
    for (int i = 0; i < P; i++) z += sin(1 + i * (j + 1)) * x[i] / 8;
    f += (j + 1) * z * z + 0.05 * z * z * z * z;
  }
  return f;
}

static double full_rank(const double *x)
{
  double f = 0;
  for (int i = 0; i < P; i++) {
    double d = x[i] - 1 + 0.1 * x[(i + 1) % P];
    f += (1 + i % 7) * d * d;
  }
  return f;
}

/* |grad f| by central differences, exact for these polynomials to 1e-6. */
static double slope(double (*f)(const double *x), const double *x)
{
  double y[P], sum = 0, h = 1e-3;
  memcpy(y, x, sizeof y);
  for (int i = 0; i < P; i++) {
    y[i] = x[i] + h;
    double up = f(y);
    y[i] = x[i] - h;
    double g = (up - f(y)) / (2 * h);
    y[i] = x[i];
    sum += g * g;
  }
  return sqrt(sum);
}

static double value(size_t p, const double *x, void *user)
{
  evaluator *e = user;
  (void)p;
  check_int(e->under_way, 0, "others are waited for first");
  e->asked++;
  return e->f(x);
}

static void start(size_t p, const double *x, uint64_t ticket, void *user)
{
  evaluator *e = user;
  (void)p;
  check(e->under_way < WIDTH, "no more under way than the width");
  if (e->asked++ == 0) memcpy(e->first, x, sizeof e->first);
  e->tickets[e->under_way] = ticket;
  e->values[e->under_way++] =
      e->fail_each && e->asked % (uint64_t)e->fail_each == 0 ? (double)NAN
                                                             : e->f(x);
  if (e->under_way > e->most) e->most = e->under_way;
}

static uint64_t finish(double *f, void *user)
{
  evaluator *e = user;
  if (!check(e->under_way > 0, "something is under way")) return 0;
  e->state = e->state * 6364136223846793005u + 1442695040888963407u;
  size_t i = (size_t)(e->state >> 33) % e->under_way;
  if (e->slow && e->tickets[i] == 1) i = (i + 1) % e->under_way;
  uint64_t ticket = e->tickets[i];
  *f = e->values[i];
  e->under_way--;
  e->tickets[i] = e->tickets[e->under_way];
  e->values[i] = e->values[e->under_way];
  return e->lie && e->asked >= (uint64_t)e->lie ? ticket + 1000 : ticket;
}

typedef struct run {
  evaluator e;
  double from[P], x[P]; /* the start, and what is returned */
  lrgd_result result;
  lrgd_status status;
  lrgd_error error;
} run;

static void solve(run *r, double half, const lrgd_options *given)
{
  static double lower[P], upper[P];
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options options = given ? *given : lrgd_options_default();
  for (int i = 0; i < P; i++) {
    r->x[i] = r->from[i] = half > 0 ? 0.2 * half + 1e-3 * i : 0;
    lower[i] = -half;
    upper[i] = half;
  }
  problem.user = &r->e;
  problem.value = value;
  problem.start = start;
  problem.finish = finish;
  if (half > 0) {
    problem.lower = lower;
    problem.upper = upper;
  }
  options.width = WIDTH;
  options.async = 1;
  r->status = lrgd_minimize(&problem, &options, r->x, &r->result, &r->error);
}

TEST("runs converge in any order, and their certificates hold")
{
  for (uint64_t seed = 1; seed <= 12; seed++) {
    run r = {
        .e = {.f = seed % 2 ? low_rank : full_rank, .state = seed}
    };
    solve(&r, seed % 4 < 2 ? 0 : 3, NULL);
    if (!check(r.status == LRGD_OK, "%s", r.error.text)) return;
    check_int(r.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
    check(r.result.f < 1e-6, "f is %g", r.result.f);
    check(slope(r.e.f, r.x) <= r.result.certificate.grad_norm_bound + 1e-6,
          "seed %d: %g is bounded by %g", (int)seed, slope(r.e.f, r.x),
          r.result.certificate.grad_norm_bound);
    check_int(lrgd_counts_evaluations(&r.result.counts), r.e.asked, "counted");
    check_int(r.e.most, WIDTH, "all places are used");
    check_int(r.e.under_way, 0, "nothing is left under way");
  }
}

TEST("the path is a function of the order of answers")
{
  run one =
          {
              .e = {.f = low_rank, .state = 5}
  },
      same = one, other = one;
  other.e.state = 6;
  solve(&one, 0, NULL);
  solve(&same, 0, NULL);
  solve(&other, 0, NULL);
  check(memcmp(one.x, same.x, sizeof one.x) == 0, "the same order, the same x");
  check_int(same.e.asked, one.e.asked, "and evaluations");
  check(memcmp(one.x, other.x, sizeof one.x) != 0, "another order, another x");
}

TEST("a budget is met to the last evaluation")
{
  lrgd_options options = lrgd_options_default();
  for (int64_t most = 1; most < 200; most += 33) {
    run r = {
        .e = {.f = most % 2 ? low_rank : full_rank, .state = 3}
    };
    options.max_evals = most;
    solve(&r, most % 4 < 2 ? 0 : 3, &options);
    check_int(r.result.outcome, LRGD_OUTCOME_BUDGET, "outcome");
    check_int(r.e.asked, most, "evaluations");
    check_int(lrgd_counts_evaluations(&r.result.counts), most, "counted");
  }
}

TEST("failed evaluations are repeated, or counted as failures")
{
  lrgd_options options = lrgd_options_default();
  for (int64_t retries = 0; retries < 2; retries++) {
    run r = {
        .e = {.f = full_rank, .state = 9, .fail_each = 23}
    };
    options.retries = retries;
    solve(&r, 3, &options);
    if (!check(r.status == LRGD_OK, "%s", r.error.text)) return;
    check(r.result.f < 1e-4, "f is %g", r.result.f);
    check(r.result.counts.failures > 0, "some failed");
    check_int(lrgd_counts_evaluations(&r.result.counts), r.e.asked, "counted");
  }
}

TEST("a ticket that is not under way ends the run with a sentence")
{
  run r = {
      .e = {.f = low_rank, .state = 2, .lie = 30}
  };
  solve(&r, 0, NULL);
  check_int(r.status, LRGD_ERR_ORACLE, "status");
  check(strstr(r.error.text, "which no evaluation under way has") != NULL, "%s",
        r.error.text);
}

TEST("start without finish is refused, and async without both")
{
  lrgd_problem problem = lrgd_problem_default(P);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_error error;
  problem.value = value;
  problem.start = start;
  check_int(lrgd_solver_create(&solver, &problem, &options, &error),
            LRGD_ERR_INVALID, "start alone");
  problem.start = NULL;
  options.async = 1;
  check_int(lrgd_solver_create(&solver, &problem, &options, &error),
            LRGD_ERR_INVALID, "neither");
  check(strstr(error.text, "start and finish") != NULL, "%s", error.text);
}

TEST("a start that takes longer than all the others is waited for")
{
  lrgd_options options = lrgd_options_default();
  run r = {
      .e = {.f = full_rank, .state = 4, .slow = 1}
  };
  options.max_evals = 6000;
  solve(&r, 3, &options);
  if (!check(r.status == LRGD_OK, "%s", r.error.text)) return;
  check_int(r.result.outcome, LRGD_OUTCOME_CONVERGED, "outcome");
  check(r.e.asked < 3000, "%d evaluations", (int)r.e.asked);
}

TEST("the start is evaluated as it was given")
{
  lrgd_options options = lrgd_options_default();
  options.max_evals = 20;
  for (double half = 0; half < 4; half += 3) {
    run r = {
        .e = {.f = full_rank, .state = 8}
    };
    solve(&r, half, &options);
    check(memcmp(r.e.first, r.from, sizeof r.from) == 0, "the first point");
  }
}
