/* What the files of the benchmark share: cases, solvers, the counter, records.
 *
 * A run is one solver on one problem with one seed, in a process of its own:
 * the counter ends it where the last target is reached or the budget is spent,
 * wherever in a peer's code that may be; what was found is written before. */
#ifndef BENCH_H
#define BENCH_H

#include <problems.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* A target is a share of the initial gap f(x0) - f*. */
enum { BENCH_TARGETS = 4, BENCH_GOALS = 3 };
extern const double bench_target[BENCH_TARGETS]; /* 1e-3, 1e-6, 1e-1, 1e-5 */

/* The targets of a class, as indices of bench_target, the easiest first. */
typedef struct bench_goals {
  size_t count, target[BENCH_GOALS];
} bench_goals;

/* On simulators the best value is recorded at marks, numbers of evaluations in
 * units of p.  Four marks are reported; each of these is preceded by one that
 * is 1.5 p earlier. */
enum { BENCH_REPORTED = 4, BENCH_MARKS = 2 * BENCH_REPORTED };
extern const double bench_mark[BENCH_MARKS]; /* 2.5, 4, 6.5, 8, ... */

#if defined(__GNUC__)
#define BENCH_PRINTF(at) __attribute__((format(printf, at, at + 1)))
#else
#define BENCH_PRINTF(at)
#endif

/* Prints "lrgd: sentence" on standard error; exit status 2. */
_Noreturn void bench_die(const char *format, ...) BENCH_PRINTF(1);

/* ---- cases ---- */

typedef enum bench_class {
  BENCH_EXACT,
  BENCH_EMBEDDED,
  BENCH_APPROXIMATE,
  BENCH_FULLRANK,
  BENCH_NOISE,
  BENCH_BOUNDS,
  /* from here to BENCH_FIT_BOX: sums of squares given by residuals */
  BENCH_FIT_LOW_RANK,
  BENCH_FIT_CALIBRATION,
  BENCH_FIT_FULL_RANK,
  BENCH_FIT_SMALL,
  BENCH_FIT_BOX,
  BENCH_COLLECTION, /* sums of squares of which only f is given */
  BENCH_COLLECTION_BOX,
  BENCH_CONSTRAINED, /* limits on outputs; one evaluation returns all outputs */
  BENCH_SIMULATORS,
  BENCH_CLASSES
} bench_class;

const char *bench_class_name(bench_class c);  /* the name of its suite */
const char *bench_class_title(bench_class c); /* the heading of its table */
const bench_goals *bench_class_goals(bench_class c);
/* Whether its problems are sums of squares given by their residuals. */
bool bench_class_fits(bench_class c);
/* Whether it is one of the two classes of published test functions. */
bool bench_class_collects(bench_class c);
/* Finds a class by name; false: there is none. */
bool bench_class_find(const char *name, bench_class *c);

/* Suites that contain a case, besides `full` and the suite of its class. */
enum { BENCH_QUICK = 1, BENCH_TUNE = 2, BENCH_SMOKE = 4 };

typedef struct bench_case {
  bench_class class;
  const char *label;
  const char *line; /* "kind key=value ..." without seed */
  size_t rank;      /* the rank, for methods that need to know it */
  double noise;     /* standard deviation, as a share of f(x0) - f* */
  double box;    /* half-width around x0 in units of max |x* - x0|; 0: no box */
  size_t budget; /* evaluations; 0: bench_budget */
  unsigned suites;
} bench_case;

/* Whether a case has bounds, which some solvers do not support. */
bool bench_case_bounded(const bench_case *c);

/* All cases, in the order of the files that list them; NULL after the last. */
const bench_case *bench_case_at(size_t index);
extern const bench_case bench_cases[], bench_fits[], bench_collection[],
    bench_constrained[];
extern const size_t bench_case_count, bench_fit_count, bench_collection_count,
    bench_constrained_count;

/* Writes the cases of the suite to list, room at most, and returns how many;
 * 0: there is no such suite. */
size_t bench_suite(const char *name, const bench_case **list, size_t room);
/* The names of the suites with a description, one on each line. */
const char *bench_suites_text(void);

/* ---- a problem made from a case ---- */

typedef struct bench_problem {
  lr_problem *made;              /* a built-in problem, or */
  struct bench_circuit *circuit; /* ... one that ngspice simulates */
  lrgd_problem f;                /* with the bounds of the box */
  const double *x0;
  double *bounds; /* lower and upper, 2 p numbers; NULL: none */
  size_t p;
  double f0, minimum; /* minimum NaN: not known yet */
  size_t m;           /* residuals or outputs; 0: f only */
  double *scale;      /* of outputs with limits, m numbers; NULL: none */
} bench_problem;

lrgd_status bench_problem_make(bench_problem *problem, const bench_case *from,
                               uint64_t seed, lrgd_error *error);
void bench_problem_free(bench_problem *problem);
uint64_t bench_budget(const bench_case *c, size_t p);

/* |grad f| at x without components at active bounds.  g: p numbers of
 * scratch. */
double bench_gradient_norm(const bench_problem *problem, const double *x,
                           double *g);

/* For outputs with limits: sets callbacks, scales, and f0 such that f0 - f* is
 * the larger of 1 and |f*|; targets are shares of that gap. */
lrgd_status bench_limits_prepare(bench_problem *problem, const bench_case *from,
                                 uint64_t seed);
/* The largest violation of limits, in units of scale. */
double bench_violation(const bench_problem *problem, const double *y);
/* Whether an equation, that is an output with equal limits, is among the
 * limits. */
bool bench_has_equations(const bench_problem *problem);

/* f* to high accuracy, computed from analytic gradients within the bounds, by
 * none of the solvers compared. */
double bench_reference(const bench_problem *problem);

/* ---- the counter ---- */

typedef struct bench_counter {
  const bench_problem *problem;
  const bench_goals *goals;
  double noise; /* standard deviation: of f, or of each residual */
  uint64_t seed;
  uint64_t count, budget;
  volatile sig_atomic_t late; /* the time limit has passed */
  uint64_t outside; /* evaluations outside the bounds, which reach no target */
  double best;      /* lowest f without noise, at any point evaluated */
  size_t reached;   /* targets reached */
  bool to_end;      /* the run continues after the last target */
  bool simulator;   /* the same, and the best value is recorded at the marks */
  size_t marked;    /* marks passed */
  double function_seconds;
  struct timespec started;
  /* where |grad f| is watched (tol > 0): the count when a point asked first
   * had |grad f| <= tol / 2; 0: not yet */
  double tol;
  uint64_t small_gradient;
  double *g; /* p numbers, with tol */
} bench_counter;

/* One evaluation of f.  Ends the process at the last target or when the budget
 * is spent. */
double bench_ask(bench_counter *counter, const double *x);
/* One evaluation of the residuals or outputs, r = F(x). */
void bench_ask_residuals(bench_counter *counter, const double *x, double *r);
/* Writes the end of the record and ends the process. */
_Noreturn void bench_end(bench_counter *counter, const char *outcome);
double bench_seconds(const struct timespec *since);

/* ---- solvers ---- */

/* One run, in its own process. */
typedef struct bench_run {
  bench_counter counter;
  const bench_case *from;
  bench_problem problem;
  uint64_t seed;
  const char *method;   /* the name of the solver */
  const char *settings; /* the part of the solver's name after ':', or "" */
  double h;             /* difference step for solvers that need gradients */
  double seconds; /* processor time for a peer's own process; 0: no limit */
  /* the last x at which the Jacobian was evaluated, and that Jacobian; NULL:
   * none yet */
  double *kept;
} bench_run;

typedef struct bench_solver {
  const char *name;
  const char *family; /* "lrgd", "NLopt", ... */
  /* one line that describes the settings, printed with the results */
  const char *config;
  bool bounds; /* whether the solver supports bounds */
  void (*run)(bench_run *run);
  unsigned needs; /* what a problem must have for it: BENCH_RESIDUALS ... */
} bench_solver;

/* What a solver needs: residuals; at least as many of them as inputs; or at
 * most BENCH_FEW inputs, as its models have p^2 numbers for each residual. */
enum { BENCH_RESIDUALS = 1, BENCH_TALL = 2, BENCH_FEW_INPUTS = 4 };
/* A solver may also need limits on outputs, or limits without equations. */
enum { BENCH_LIMITS = 8, BENCH_NO_EQUATIONS = 16 };
enum { BENCH_FEW = 150 };

/* All solvers that were compiled in, ours first. */
size_t bench_solver_count(void);
const bench_solver *bench_solver_at(size_t index);
/* Finds a solver by name, or our method from "method:option=value,..."; NULL:
 * there is none. */
const bench_solver *bench_solver_find(const char *spec);
bool bench_solver_is_ours(const bench_solver *solver);

/* The families of solvers; each list ends with a NULL name. */
extern const bench_solver bench_ours[];
/* Sets a row of the solver's policy, for all runs of this process. */
void bench_set_policy(const char *name, const char *text);
void bench_run_ours(bench_run *run);

/* The step of forward differences, the same for all solvers: 2 sqrt(e / c), e
 * being the noise or rounding of f, and c the mean curvature along a coordinate
 * at x0 (given for free: peers need not measure it).  For simulators both are
 * measured, from values that are not counted. */
double bench_difference_step(const bench_run *run);
/* The first step of solvers without gradients: 0.5, or a quarter of a box. */
double bench_first_step(const bench_run *run);
/* J = F'(x), m x p by columns, by forward differences from r = F(x), which was
 * evaluated before: p evaluations; none if it was the last one evaluated, at
 * this x (some peers begin so, and a user would keep it). */
void bench_ask_jacobian(bench_run *run, const double *x, const double *r,
                        double *J);
/* f(x) and by forward differences its gradient: p + 1 evaluations. */
double bench_ask_gradient(bench_run *run, const double *x, double *g);

/* ---- the record of a run ---- */

typedef struct bench_record {
  uint64_t hits[BENCH_TARGETS]; /* evaluations; 0: not reached */
  uint64_t spent;               /* 0: not known, since the run was terminated */
  double gap; /* f - f* at the end, as a share of the initial gap */
  char outcome[24];
  double seconds, function_seconds;
  uint64_t outside;
  /* for runs of our methods to their own end: */
  /* the certified bound on |grad f| and the true |grad f|; NaN: none */
  double bound, gradient;
  uint64_t rank, small_gradient;
  uint64_t dimension;
  /* for simulators: the first value, and the best at the marks; NaN: none */
  double start, marks[BENCH_MARKS];
} bench_record;

/* ---- many runs ---- */

typedef struct bench_task {
  const bench_case *from;
  uint64_t seed;
  const char *spec;
  double minimum; /* NaN: the task is to compute it */
  bool skip;      /* the solver cannot do it */
  bool known;     /* the record was read from a file */
  bench_record record;
} bench_task;

typedef struct bench_plan {
  const bench_case **cases;
  size_t case_count;
  const char **specs;
  size_t spec_count;
  const uint64_t *seeds;
  size_t seed_count;
  bool to_end;
  double seconds; /* time limit of a run */
  size_t jobs;
  bool quiet;
  const char *const *policy; /* NAME=VALUE, for all runs */
  size_t policy_count;
  /* the solvers are one method with different values of a row of its policy */
  bool sweep;
} bench_plan;

/* Runs tasks, plan->jobs at a time, and fills their records (for those with
 * minimum NaN: sets minimum). */
void bench_run_tasks(const bench_plan *plan, bench_task *tasks, size_t count,
                     const char *what);

/* Fills those records of tasks that are in a file written by --csv. */
void bench_take_known(bench_task *tasks, size_t count, const char *path);

/* ---- scores ---- */

/* Results of one solver on one case, over the seeds. */
typedef struct bench_score {
  bool able; /* false: it cannot keep bounds, or is not installed */
  size_t runs;
  /* evaluations to each target; INFINITY where half of the runs or more
   * failed */
  double median[BENCH_TARGETS];
  size_t failures[BENCH_TARGETS];
  bool by_clock; /* at least one run ended by its time limit */
} bench_score;

typedef struct bench_results {
  const bench_plan *plan;
  const bench_task *tasks; /* ordered by case, then solver, then seed */
  bench_score *scores;     /* case x solver */
} bench_results;

const bench_task *bench_task_at(const bench_results *r, size_t c, size_t s,
                                size_t seed);
const bench_score *bench_score_at(const bench_results *r, size_t c, size_t s);
lrgd_status bench_score_all(bench_results *r);
/* The peer with the lowest median; NULL: none reached the target. */
const bench_score *bench_best_peer(const bench_results *r, size_t c,
                                   size_t target, size_t *solver);

void bench_print_tables(const bench_results *r);
/* Class by class: the first solver against the best peer of each problem. */
void bench_print_summary(const bench_results *r);
/* For runs to their own end: how often certificates are given, how often they
 * are true, and how soon they are given. */
void bench_print_claims(const bench_results *r);
/* For simulators: the best values at the marks, and which solver is ahead. */
void bench_print_simulators(const bench_results *r);
/* For published test functions: how many each solver solves, and on how many it
 * is among the fast ones. */
void bench_print_collection(const bench_results *r);
/* The fewest evaluations that any solver needs to target t; INFINITY: none. */
double bench_fewest(const bench_results *r, size_t c, size_t seed, size_t t);
void bench_print_csv(const bench_results *r);
int bench_print_json(const bench_results *r);
/* Performance profiles, or data profiles (evaluations in units of p + 1). */
lrgd_status bench_draw_profile(const bench_results *r, const char *path,
                               bool data, lrgd_error *error);

#endif
