/* lrgd: minimise an expensive function of many variables.
 *
 * Gradient descent for low-rank functions (Cosson, Jadbabaie, Makur,
 * Reisizadeh, Shah) and what follows from it.  Describe f in an lrgd_problem,
 * choose with an lrgd_options, call lrgd_minimize.
 *
 * A call that goes wrong says so in its lrgd_status; how a run *ended* is
 * result.outcome and is never an error.  The library does not print, exit,
 * read the environment, touch signals or keep global state.  Without an object
 * (NULL) a call is LRGD_ERR_INVALID, and a question is answered 0, NULL or not
 * at all.
 * Ownership words: copies, borrows (until when), owns.
 */
#ifndef LRGD_LRGD_H
#define LRGD_LRGD_H

#include <stddef.h>
#include <stdint.h>

#define LRGD_VERSION_MAJOR 0
#define LRGD_VERSION_MINOR 2
#define LRGD_VERSION_PATCH 0

#if defined(__GNUC__)
#define LRGD_API __attribute__((visibility("default")))
#define LRGD_MUST_CHECK __attribute__((warn_unused_result))
#else
#define LRGD_API
#define LRGD_MUST_CHECK
#endif
#define LRGD_INLINE static inline

#ifdef __cplusplus
extern "C" {
#endif

/* ---- structs that grow ---- */

/* A program runs with every library of the same SONAME, older or newer than
 * its header: members are only ever appended to structs, and structs begin
 * with struct_size, their size in bytes.
 *
 * Structs that the caller fills (options, problems) are begun by
 * lrgd_X_init(&x, sizeof x) or, the same in one expression, lrgd_X_default().
 * The library reads no more than struct_size bytes and takes defaults for what
 * it misses.  Where the struct is longer than its own, the rest must be zero,
 * as init leaves it: LRGD_ERR_INVALID where an option is set that this library
 * does not know, as it could not be honoured.
 *
 * Structs that the library fills for the caller (results, summaries, counts)
 * need no beginning.  The functions that fill them are inline and hand the
 * size of the caller's struct to an exported one: lrgd_minimize is
 * lrgd_minimize_sized with sizeof(lrgd_result).  So much is written, with zero
 * for what the library does not know, and struct_size is that size.
 *
 * Structs that the library lends (progress, phases, rows, events) are of its
 * own size, which is in struct_size.  Tables of functions that a backend fills
 * carry their size; verbs that are missing at the end count as NULL.
 *
 * Structs that are part of others (lrgd_counts, lrgd_certificate) never change
 * their size: they have room to spare, which is zero.  lrgd_error,
 * lrgd_complex and lrgd_allocator are frozen, as are the rows of arrays
 * (lrgd_setting, lrgd_eta, lrgd_change). */

/* ---- threads ---- */

/* There is no global state: calls on different objects (solver, pool, journal,
 * ask_tell, diagnosis) need no lock, from whatever threads they come.  One
 * object is for one thread at a time.  A solver says LRGD_ERR_BUSY where a
 * second thread or its own callback calls it while it runs, and a pool lets a
 * second thread wait; elsewhere the caller takes turns.  Callbacks, allocators
 * included, are called from the thread that called the library (the solver of
 * an ask_tell runs on a thread of its own, where the allocator and the progress
 * callback are called from).  From any thread, and from signal handlers, at any
 * time before the object is destroyed: lrgd_solver_stop, lrgd_diagnosis_stop,
 * lrgd_pool_interrupt.  What is borrowed from an object (phases, a study's
 * result) may be read by many threads while nobody runs the object.  Functions
 * without an object (texts, options, init) are safe everywhere;
 * lrgd_run_adopt_orphans and lrgd_run_sweep are about the whole process.  After
 * fork the child must not use what the parent made. */

/* ---- what can be wrong with a call, and how a run can end ---- */

typedef enum lrgd_status {
  LRGD_OK,
  LRGD_ERR_INVALID, /* invalid argument */
  LRGD_ERR_NOMEM,
  LRGD_ERR_NUMERIC, /* linear algebra failed */
  LRGD_ERR_ORACLE,  /* a callback broke its contract */
  LRGD_ERR_BUSY,    /* the solver is running */
  LRGD_ERR_SPAWN,   /* the program cannot be started */
  LRGD_ERR_STORAGE,
  LRGD_ERR_REFUSED, /* the journal was refused */
  LRGD_ERR_LOCKED   /* the journal is in use */
} lrgd_status;

typedef enum lrgd_outcome {
  LRGD_OUTCOME_CONVERGED,
  LRGD_OUTCOME_TARGET,
  LRGD_OUTCOME_BUDGET,
  LRGD_OUTCOME_STALLED,
  LRGD_OUTCOME_STOPPED,
  LRGD_OUTCOME_UNBOUNDED,
  LRGD_OUTCOME_FAILED
} lrgd_outcome;

/* Why a run has stalled. */
typedef enum lrgd_stall {
  LRGD_STALL_NONE,        /* the run has not stalled */
  LRGD_STALL_CONSTANT,    /* all values of f are equal */
  LRGD_STALL_NOISE,       /* noise in f hides the gradient */
  LRGD_STALL_ROUNDING,    /* rounding of f hides it */
  LRGD_STALL_NO_DECREASE, /* no step decreases f */
  LRGD_STALL_SLOW,        /* a step decreased f by less than stop_decrease */
  LRGD_STALL_ELSEWHERE, /* f was lower at another point than where the gradient
                           is small */
  LRGD_STALL_UNEVALUABLE, /* f cannot be evaluated, or jumps, along the descent
                           */
  LRGD_STALL_RANK,        /* more directions are needed than allowed */
  LRGD_STALL_UNCERTIFIED, /* small by the paper's criterion, not certified */
  LRGD_STALL_INFEASIBLE   /* no point within the limits was found, and none is
                             near */
} lrgd_stall;

/* The text of a failed call.  Owned by the caller.  Frozen. */
typedef struct lrgd_error {
  lrgd_status status;
  char text[512];
} lrgd_error;

LRGD_API const char *lrgd_status_text(lrgd_status status);
LRGD_API const char *lrgd_outcome_text(lrgd_outcome outcome);
LRGD_API const char *lrgd_stall_text(lrgd_stall stall);
LRGD_API const char *lrgd_version(void);

/* ---- the problem: any one of these callbacks is enough ---- */

/* A complex number with the layout of C's double complex and C++'s
 * std::complex<double>. */
typedef struct lrgd_complex {
  double re, im;
} lrgd_complex;

/* All callbacks: x (borrowed for the call) has p numbers and must not be
 * written; a NaN for f says "this point cannot be evaluated"; -Inf says that f
 * is unbounded below.  They must return normally: no longjmp, no exception.
 * Floating-point exceptions do not trap while a solver runs.
 *
 * value     returns f(x).
 * gradient  writes the p numbers of g = grad f(x) and returns f(x).
 * slopes    writes d[j] = the derivative of f along column j of U (p x k, one
 *           column after the other) and returns f(x).  Columns need not have
 *           norm one, and may be zero.
 * complex_value  returns f at a complex point (for the complex step).
 * values    f[i] = f at column i of X (p x m): a batch, to be answered in
 *           parallel if you can.
 * residuals  writes the m numbers of F(x) to r; f is half the sum of their
 *           squares, or what the option loss makes of them, and a number that
 *           is not finite says that the point cannot be evaluated.  Together
 *           with no other callback that answers f.  Method auto then models F,
 *           which takes far fewer evaluations than f; the others minimise f.
 *           With limits they are outputs, of which f is one: see lrgd_limits.
 * residual_batch  the same for each of the n columns of X (p x n): m numbers
 *           of R a point.  Beside residuals, which is asked for single points.
 *           Points are put together only where each would be asked for by
 *           itself too.
 * residual_jacobian  writes F(x) to r and J = F'(x) to J, m x p, row after
 *           row: one evaluation of the kind gradients.  Method auto then is
 *           Levenberg-Marquardt; the others have the gradient J'F.
 * residual_slopes  writes F(x) to r and the derivatives of F along the k
 *           columns of U (p x k) to D, m numbers each, one after the other: k
 *           evaluations of the kind slopes.  Method auto takes these in place
 *           of differences.
 *           Either of the two, with or without residuals; without it F alone
 *           costs as much as they do.
 * unanswered  how many questions nobody answered since it was last called, as
 *           those who answer were interrupted or broke: it is called after
 *           each of the others.  Where there are any they are no evaluations,
 *           and the run ends as one that was stopped.  What the callbacks gave
 *           for them must not be finite. */
typedef double (*lrgd_value_fn)(size_t p, const double *x, void *user);
typedef double (*lrgd_gradient_fn)(size_t p, const double *x, double *g,
                                   void *user);
typedef double (*lrgd_slopes_fn)(size_t p, const double *x, size_t k,
                                 const double *U, double *d, void *user);
typedef lrgd_complex (*lrgd_complex_fn)(size_t p, const lrgd_complex *x,
                                        void *user);
typedef void (*lrgd_values_fn)(size_t p, size_t m, const double *X, double *f,
                               void *user);

typedef void (*lrgd_residuals_fn)(size_t p, const double *x, size_t m,
                                  double *r, void *user);
typedef void (*lrgd_residual_batch_fn)(size_t p, size_t n, const double *X,
                                       size_t m, double *R, void *user);
typedef void (*lrgd_residual_jacobian_fn)(size_t p, const double *x, size_t m,
                                          double *r, double *J, void *user);
typedef void (*lrgd_residual_slopes_fn)(size_t p, const double *x, size_t k,
                                        const double *U, size_t m, double *r,
                                        double *D, void *user);

typedef size_t (*lrgd_unanswered_fn)(void *user);

/* Evaluations of f that end in any order, which lrgd_options.async uses: up to
 * lrgd_options.width are under way at once.  start: begins that at x (borrowed
 * for the call), which the ticket names, and returns.  finish: waits until one
 * of those under way has ended; returns its ticket, and f or NaN.  The path of
 * the run depends on the order, and on nothing else that differs between two
 * runs. */
typedef void (*lrgd_start_fn)(size_t p, const double *x, uint64_t ticket,
                              void *user);
typedef uint64_t (*lrgd_finish_fn)(double *f, void *user);

/* Prior information: linear equations that x should meet.  Row i is the
 * residual weight[i] (sum of coefficient[e] x[input[e]] - target[i]), over its
 * entries begin[i] <= e < begin[i + 1].  The rows come behind the residuals
 * that the callback answers, and f has their squares too; their derivatives are
 * known exactly, everywhere, and cost no evaluation.  Copied by
 * lrgd_solver_create.  Frozen. */
typedef struct lrgd_prior {
  size_t count;              /* q rows */
  const size_t *begin;       /* q + 1 numbers, the first is 0 */
  const size_t *input;       /* 0 is the first input */
  const double *coefficient; /* as many */
  const double *target;      /* q */
  const double *weight;      /* q numbers >= 0; NULL: 1 each */
} lrgd_prior;

/* Correlated inputs: neighbours that are likely to be alike, as the cells of a
 * field are.  Method auto then looks along random directions that are drawn
 * accordingly, which finds smooth changes with fewer evaluations; f does not
 * change.  correlate writes y = C^(1/2) v, C being the covariance of the inputs
 * up to a factor and v a vector of independent numbers. */
typedef void (*lrgd_correlate_fn)(size_t p, const double *v, double *y,
                                  void *user);

/* Limits: the residuals callback answers m outputs of one evaluation, of which
 * one is the objective f and others must stay between limits,
 *   lower[i] <= output i <= upper[i],
 * an equation where both are equal.  A number that is not finite says that the
 * point cannot be evaluated: a constraint that nobody has stated.  Outputs may
 * violate their limits on the way; bounds on inputs and A x <= b always hold.
 * Method auto models all outputs, and returns the best point within the limits,
 * or the one closest to them where there is none.  Copied by
 * lrgd_solver_create.  Frozen. */
typedef struct lrgd_limits {
  size_t objective;     /* which output f is; the first is 0 */
  int maximize;         /* 1: the largest f is the best */
  const double *lower;  /* m numbers, -INFINITY: none; NULL: no lower ones */
  const double *upper;  /* m numbers, INFINITY: none; NULL: no upper ones */
  size_t linear_count;  /* q rows of A x <= b */
  const double *linear; /* A, q x p, row after row */
  const double *linear_most; /* b, q numbers */
} lrgd_limits;

/* Flat, over 20 members: a callback for each way in which f can be evaluated,
 * NULL where the user has none, and the data that go with them. */
typedef struct lrgd_problem {
  size_t struct_size; /* lrgd_problem_init sets it */
  size_t dimension;   /* p */
  void *user;         /* handed to every callback */
  lrgd_value_fn value;
  lrgd_values_fn values;
  lrgd_gradient_fn gradient;
  lrgd_slopes_fn slopes;
  lrgd_complex_fn complex_value;
  const double *lower; /* p numbers or NULL; copied by lrgd_solver_create */
  const double *upper; /* p numbers or NULL; +-INFINITY: no bound there */
  lrgd_unanswered_fn unanswered; /* NULL: every question is answered */
  /* appended, as structs grow at their end */
  size_t residual_count; /* m, where residuals are given */
  lrgd_residuals_fn residuals;
  const lrgd_prior *prior;     /* beside residuals; NULL: none */
  lrgd_correlate_fn correlate; /* beside residuals; NULL: see below */
  size_t
      coordinate_count; /* coordinates of each input. Unless 0, inputs correlate
                           by exp(-distance / correlation_length) */
  const double *coordinates; /* p x so many, input after input; copied by
                                lrgd_solver_create */
  double correlation_length;
  lrgd_residual_batch_fn residual_batch; /* beside residuals; NULL: none */
  const lrgd_limits
      *limits; /* residuals answers outputs, not residuals; NULL */
  lrgd_residual_jacobian_fn residual_jacobian; /* NULL: none */
  lrgd_residual_slopes_fn residual_slopes;     /* instead; NULL: none */
  lrgd_start_fn start; /* beside value or values, both or none; NULL: none */
  lrgd_finish_fn finish;
} lrgd_problem;

/* A problem of size bytes without callbacks and bounds. */
LRGD_API void lrgd_problem_init(lrgd_problem *problem, size_t size,
                                size_t dimension);
LRGD_INLINE lrgd_problem lrgd_problem_default(size_t dimension)
{
  lrgd_problem problem;
  lrgd_problem_init(&problem, sizeof problem, dimension);
  return problem;
}

/* ---- counts of evaluations ---- */

typedef enum lrgd_kind {
  LRGD_KIND_VALUES,
  LRGD_KIND_SLOPES,
  LRGD_KIND_GRADIENTS,
  LRGD_KIND_COUNT
} lrgd_kind;

typedef enum lrgd_purpose {
  LRGD_PURPOSE_IDENTIFY,
  LRGD_PURPOSE_DESCEND,
  LRGD_PURPOSE_SEARCH,
  LRGD_PURPOSE_PROBE,
  LRGD_PURPOSE_CHECK,
  LRGD_PURPOSE_COUNT
} lrgd_purpose;

LRGD_API const char *lrgd_kind_text(lrgd_kind kind);
LRGD_API const char *lrgd_purpose_text(lrgd_purpose purpose);

/* Sizes in lrgd_counts, with room for more kinds and purposes. */
enum { LRGD_KIND_ROOM = 8, LRGD_PURPOSE_ROOM = 8 };

typedef struct lrgd_counts {
  /* evaluations of the user's function: this is what budgets limit */
  uint64_t evaluations[LRGD_KIND_ROOM][LRGD_PURPOSE_ROOM];
  /* the paper's unit: a slope 1 however obtained, a gradient p, a value 0 */
  uint64_t oracle_calls[LRGD_PURPOSE_ROOM];
  /* answers that were not finite numbers (among the evaluations) */
  uint64_t failures;
  /* rounds of up to W (lrgd_options.width) evaluations asked for together */
  uint64_t rounds;
  uint64_t spare[6];
} lrgd_counts;

LRGD_API uint64_t lrgd_counts_evaluations(const lrgd_counts *counts);
LRGD_API uint64_t lrgd_counts_oracle_calls(const lrgd_counts *counts);
/* Calls of one kind for one purpose; 0 where the numbers name none. */
LRGD_API uint64_t lrgd_counts_of(const lrgd_counts *counts, lrgd_kind kind,
                                 lrgd_purpose purpose);

/* ---- decisions: what a run decided and why it ended, as data ---- */

/* The letters say which members of an lrgd_decision a kind has: i input,
 * s side, c count, v value, l level, m limit, n norm, w cause ("why"). */
typedef enum lrgd_decision_kind {
  LRGD_DECISION_KIND_NONE,
  /* the start */
  LRGD_DECISION_KIND_START_CLIPPED, /* c inputs were outside their bounds */
  LRGD_DECISION_KIND_WARM_START,    /* c evaluations known; v their lowest f */
  LRGD_DECISION_KIND_START_MOVED,   /* v f at the start, l f where it begins */
  LRGD_DECISION_KIND_NOISE_FOUND,   /* v standard deviation of f */
  LRGD_DECISION_KIND_KNOWN_UNUSED,  /* c evaluations known, not used */
  LRGD_DECISION_KIND_RESTART,       /* c restarts so far; v lowest f */
  LRGD_DECISION_KIND_OPTION_UNUSED, /* c its row of lrgd_option_at */
  LRGD_DECISION_KIND_SENTINEL,      /* v a number that is no value of f */
  /* the methods of the paper */
  LRGD_DECISION_KIND_GRADIENT_DESCENT,    /* c dimensions */
  LRGD_DECISION_KIND_SUBSPACE_IDENTIFIED, /* c directions from l gradients,
                                             v smallest singular value */
  LRGD_DECISION_KIND_SUBSPACE_COMPLETED,  /* c arbitrary directions beside the
                                             l that the gradients have */
  LRGD_DECISION_KIND_SAMPLE_SKIPPED,      /* c number of the sample point */
  LRGD_DECISION_KIND_SUBSPACE_ROUNDS,     /* c gradient steps a round */
  LRGD_DECISION_KIND_SUBSPACE_GROWN,      /* c directions; v |grad f| */
  LRGD_DECISION_KIND_RANK_RAISED,         /* c directions; v |grad f| */
  /* phases of auto */
  LRGD_DECISION_KIND_EMBEDDING,           /* w unbounded variables */
  LRGD_DECISION_KIND_EMBEDDING_DIRECTION, /* c directions; l rank estimated,
                                             v share of the curvature along the
                                             last that the others missed */
  LRGD_DECISION_KIND_EMBEDDING_RESTARTED, /* v noise found */
  /* v f of the embedding, l f of quasi-Newton */
  LRGD_DECISION_KIND_EMBEDDING_LEADS,
  /* v f of the embedding, l f of quasi-Newton */
  LRGD_DECISION_KIND_EMBEDDING_TRAILS,
  LRGD_DECISION_KIND_EMBEDDING_ENDED, /* w */
  LRGD_DECISION_KIND_QUASI_NEWTON,    /* w gradients are given */
  LRGD_DECISION_KIND_POLYTOPE,        /* c equations, within bounds */
  LRGD_DECISION_KIND_INTERPOLATION,
  LRGD_DECISION_KIND_INTERPOLATION_ENDED, /* w; v f */
  LRGD_DECISION_KIND_START_RETRIED,       /* v f where no step decreased it */
  LRGD_DECISION_KIND_BEST_RETRIED,        /* v lowest f */
  /* hidden constraints */
  /* i input, s side, v where; w and l say what f is beyond */
  LRGD_DECISION_KIND_HIDDEN_BOUND,
  LRGD_DECISION_KIND_HIDDEN_BOUND_REMOVED, /* i s v */
  LRGD_DECISION_KIND_HIDDEN_SURFACE,       /* w and l say what f is beyond */
  LRGD_DECISION_KIND_HIDDEN_SURFACE_REFUTED,
  /* i s v w l of one active hidden bound; c others are active too */
  LRGD_DECISION_KIND_HELD_BOUND,
  LRGD_DECISION_KIND_HELD_SURFACE, /* w l */
  /* the certificate: v bound on |grad f|, l confidence, m tolerance, n */
  LRGD_DECISION_KIND_GRADIENT_BOUND,
  /* ends of a run */
  LRGD_DECISION_KIND_CONVERGED, /* n; v bound, l confidence */
  LRGD_DECISION_KIND_CONSTANT,  /* v the value that every evaluation returned */
  LRGD_DECISION_KIND_TARGET,    /* v f, m target */
  LRGD_DECISION_KIND_EVALUATIONS_USED, /* c used, m allowed, l needed next */
  LRGD_DECISION_KIND_ITERATIONS_USED,  /* c */
  LRGD_DECISION_KIND_SECONDS_USED,     /* m */
  LRGD_DECISION_KIND_STOPPED,          /* by the user */
  LRGD_DECISION_KIND_UNBOUNDED,        /* v f */
  LRGD_DECISION_KIND_NO_STEP,          /* n; v |grad f|, m tolerance */
  LRGD_DECISION_KIND_NO_STEP_INSIDE,   /* likewise; l error of differences */
  LRGD_DECISION_KIND_NO_STEP_BOUND,    /* n; v bound, l confidence */
  LRGD_DECISION_KIND_NO_DECREASE,      /* c iterations; v |grad f|, m tol. */
  LRGD_DECISION_KIND_SMALL_DECREASE,   /* v decrease, m stop_decrease */
  LRGD_DECISION_KIND_GRADIENT_ERROR,   /* n; v |grad f|, l error, m tol. */
  LRGD_DECISION_KIND_GRADIENT_NOISE,   /* n w; v |grad f|, l noise, m tol. */
  LRGD_DECISION_KIND_AS_WRITTEN,       /* n; v |grad f|, m tol.: verbatim */
  LRGD_DECISION_KIND_GRADIENT_PARTIAL, /* n; v bound: some slopes failed */
  LRGD_DECISION_KIND_LOWER_ELSEWHERE,  /* n; v bound, l f there, m lower f */
  LRGD_DECISION_KIND_ABOVE_START,      /* n; v bound, l f there, m earlier f */
  LRGD_DECISION_KIND_DIRECTIONS_USED,  /* c directions allowed; v |grad f|, m
                                          tol. */
  LRGD_DECISION_KIND_START_FAILED,     /* f has no value at the start */
  LRGD_DECISION_KIND_START_SLOPES_FAILED,
  LRGD_DECISION_KIND_POINT_FAILED,
  LRGD_DECISION_KIND_GRADIENT_FAILED,    /* c iterate */
  LRGD_DECISION_KIND_SAMPLE_FAILED,      /* c its number: verbatim */
  LRGD_DECISION_KIND_STEP_FAILED,        /* c halvings */
  LRGD_DECISION_KIND_FAILURES_USED,      /* c failed, m allowed */
  LRGD_DECISION_KIND_GRADIENT_TOO_LARGE, /* v |grad f| */
  /* appended: the phase of auto for residuals */
  LRGD_DECISION_KIND_LEAST_SQUARES, /* c residuals */
  /* appended: the end of a run whose gradients are not those of f */
  LRGD_DECISION_KIND_GRADIENT_CONTRADICTED, /* v slope along the gradient as
                                               values tell it, l |grad f| as
                                               given */
  /* appended: runs with limits on outputs */
  LRGD_DECISION_KIND_CONSTRAINED,  /* c outputs with limits */
  LRGD_DECISION_KIND_FEASIBLE,     /* c evaluations until the first point within
                                      the limits; v f there */
  LRGD_DECISION_KIND_KKT_POINT,    /* v bound on the norm of the projected
                                      gradient of the Lagrangian, l confidence,
                                      m tolerance */
  LRGD_DECISION_KIND_INFEASIBLE,   /* v the least violation; c the output that
                                      is outside, from 1 */
  LRGD_DECISION_KIND_KKT_STALLED,  /* no step is left: v norm of the projected
                                      gradient of the Lagrangian, m tolerance */
  LRGD_DECISION_KIND_NOT_FEASIBLE, /* ended without a feasible point: v the
                                      least violation */
  /* appended: the opening of auto in a box */
  LRGD_DECISION_KIND_SURROGATE,       /* v f at the start, l a lower f at the
                                         middle of the box or a random point */
  LRGD_DECISION_KIND_SURROGATE_ENDED, /* c points; v lowest f */
  /* appended: the phase of auto for residuals whose Jacobian the user gives */
  LRGD_DECISION_KIND_LEVENBERG_MARQUARDT,   /* c residuals */
  LRGD_DECISION_KIND_JACOBIAN_CONTRADICTED, /* v relative error of the change
                                               of residuals along a step */
  LRGD_DECISION_KIND_COUNT
} lrgd_decision_kind;

typedef enum lrgd_cause {
  LRGD_CAUSE_NONE,
  /* what f is beyond a hidden bound or surface */
  LRGD_CAUSE_UNEVALUABLE,
  LRGD_CAUSE_JUMP,     /* f is above level */
  LRGD_CAUSE_SENTINEL, /* f is level, a number that is no value */
  /* what hides the gradient */
  LRGD_CAUSE_NOISE,
  LRGD_CAUSE_ROUNDING,
  /* how a phase begins */
  LRGD_CAUSE_UNBOUNDED_VARIABLES, /* a change of variables removes the bounds */
  LRGD_CAUSE_GRADIENT_GIVEN,      /* a gradient is one evaluation */
  /* why a phase ended */
  LRGD_CAUSE_SMALL_GRADIENT, /* the gradient is small in unbounded variables */
  LRGD_CAUSE_NO_STEP,
  LRGD_CAUSE_LOW_RANK_TAIL, /* the gradient outside fell, then stayed */
  LRGD_CAUSE_GRADIENT_OUTSIDE,
  LRGD_CAUSE_HIGH_RANK,
  LRGD_CAUSE_BUDGET, /* its share of evaluations is spent */
  LRGD_CAUSE_RANK_EXCEEDED,
  LRGD_CAUSE_COST_EXCEEDED,
  LRGD_CAUSE_UNEVALUABLE_STEPS,
  LRGD_CAUSE_DIRECTIONS_USED,
  LRGD_CAUSE_START_UNEVALUABLE,
  /* the model of the phase predicts hardly any decrease */
  LRGD_CAUSE_CONVERGED,
  LRGD_CAUSE_SLOW,
  LRGD_CAUSE_COUNT
} lrgd_cause;

/* What |grad f| of a decision is the norm of. */
typedef enum lrgd_norm {
  LRGD_NORM_FULL,
  LRGD_NORM_PROJECTED, /* of the projected gradient: f has bounds */
  LRGD_NORM_DOMAIN,    /* of its part in the basis given, or under A x = b */
  LRGD_NORM_SUBSPACE,  /* of its part in the subspace of the method */
  LRGD_NORM_COUNT
} lrgd_norm;

typedef struct lrgd_decision {
  lrgd_decision_kind kind;
  lrgd_cause cause;
  lrgd_norm norm;
  int side;     /* which side a bound is on: 1 upper, -1 lower; 0: none */
  size_t input; /* 1, 2, ...; 0: none */
  /* the meaning of these four depends on the kind, see there; else 0 */
  uint64_t count;
  double value, level, limit;
  double spare[3];
} lrgd_decision;

/* One word for scripts: "hidden_bound", "high_rank", "projected". */
LRGD_API const char *lrgd_decision_kind_text(lrgd_decision_kind kind);
LRGD_API const char *lrgd_cause_text(lrgd_cause cause);
LRGD_API const char *lrgd_norm_text(lrgd_norm norm);
/* Whether decisions of that kind have the member: one of the letters above. */
LRGD_API int lrgd_decision_kind_has(lrgd_decision_kind kind, char member);

/* How sentences refer to inputs; NULL: "input 3".  A caller that gave the
 * solver transformed variables converts value back in decisions that have an
 * input before it formats them. */
typedef struct lrgd_wording {
  size_t struct_size;                            /* lrgd_wording_init sets it */
  const char *(*name)(size_t input, void *user); /* NULL: it has none */
  void *user;
  const char *failure; /* why f had no value, for messages of failed runs */
} lrgd_wording;

LRGD_API void lrgd_wording_init(lrgd_wording *wording, size_t size);
LRGD_INLINE lrgd_wording lrgd_wording_default(void)
{
  lrgd_wording wording;
  lrgd_wording_init(&wording, sizeof wording);
  return wording;
}

/* The sentence of a decision, truncated to size bytes; returns what snprintf
 * does. wording NULL: inputs have numbers only. */
LRGD_API size_t lrgd_decision_text(const lrgd_decision *decision,
                                   const lrgd_wording *wording, char *text,
                                   size_t size);
/* Why a run ended: its end, and before that the hidden constraint that is
 * active there, if any (kind NONE or NULL: none). */
LRGD_API size_t lrgd_end_text(const lrgd_decision *end,
                              const lrgd_decision *held,
                              const lrgd_wording *wording, char *text,
                              size_t size);

/* ---- options: an open struct, one table row each ---- */

typedef enum lrgd_method {
  LRGD_METHOD_AUTO,
  LRGD_METHOD_GD,
  LRGD_METHOD_LRGD,
  LRGD_METHOD_ITERATED,
  LRGD_METHOD_ADAPTIVE,
  LRGD_METHOD_QUASI_NEWTON
} lrgd_method;

typedef enum lrgd_step {
  LRGD_STEP_AUTO, /* fixed where alpha is given, otherwise chosen by the method
                   */
  LRGD_STEP_FIXED,
  LRGD_STEP_BACKTRACKING,
  LRGD_STEP_WOLFE,
  LRGD_STEP_BFGS,
  LRGD_STEP_HEAVY_BALL,
  LRGD_STEP_NESTEROV,
  LRGD_STEP_ADAGRAD,
  LRGD_STEP_ADAM
} lrgd_step;

typedef enum lrgd_differences {
  LRGD_DIFFERENCES_FORWARD,
  LRGD_DIFFERENCES_CENTRAL
} lrgd_differences;

typedef enum lrgd_identify {
  LRGD_IDENTIFY_SVD,
  LRGD_IDENTIFY_QR,
  LRGD_IDENTIFY_GRAM_SCHMIDT
} lrgd_identify;

typedef enum lrgd_growth { LRGD_GROWTH_ONE, LRGD_GROWTH_DOUBLE } lrgd_growth;

/* Losses of residuals, as SciPy has them: f is half the sum of
 * loss_scale^2 rho((r / loss_scale)^2). */
typedef enum lrgd_loss {
  LRGD_LOSS_LINEAR,  /* rho(s) = s: half the sum of squares */
  LRGD_LOSS_HUBER,   /* s up to 1, then 2 sqrt(s) - 1 */
  LRGD_LOSS_SOFT_L1, /* 2 (sqrt(1 + s) - 1) */
  LRGD_LOSS_CAUCHY,  /* log(1 + s) */
  LRGD_LOSS_ARCTAN   /* arctan(s) */
} lrgd_loss;

/* The progress of a run: passed to the callback after every iteration, at every
 * decision, and once at the end.  Everything is borrowed for the call. */
typedef enum lrgd_event {
  LRGD_EVENT_ITERATION,
  LRGD_EVENT_PHASE,
  LRGD_EVENT_FINAL
} lrgd_event;

typedef struct lrgd_progress {
  size_t struct_size; /* size in the library */
  lrgd_event event;
  lrgd_outcome outcome; /* at LRGD_EVENT_FINAL */
  const char *phase;    /* the last decision, in words */
  uint64_t iteration;
  double f;      /* at x */
  double best_f; /* the lowest value of an iterate */
  /* the norm last measured, in the subspace; NaN before the first */
  double grad_norm;
  size_t rank; /* directions in use; p for the whole space */
  const lrgd_counts *counts;
  double seconds;
  const double *x; /* p numbers, or NULL where vectors are not host doubles */
  /* appended, as structs grow at their end */
  const lrgd_decision *decision; /* the last one, as data; NULL: none yet */
} lrgd_progress;

typedef void (*lrgd_progress_fn)(const lrgd_progress *progress, void *user);

/* alloc returns memory aligned as malloc's or NULL; both are called from the
 * thread that runs the solver.  Frozen. */
typedef struct lrgd_allocator {
  void *(*alloc)(size_t bytes, void *user);
  void (*free)(void *memory, void *user);
  void *user;
} lrgd_allocator;

/* An option that is not set; the option's row says what happens then. */
#define LRGD_UNSET INT64_MIN
#define LRGD_UNSET_REAL (-1.7976931348623157e308)

/* Flat, one member for each row of the option table: a member is a flag of the
 * command and a keyword in Python. */
typedef struct lrgd_options {
  size_t struct_size; /* lrgd_options_init sets it */
  int64_t method;     /* lrgd_method */
  int64_t rank;       /* r; gd and adaptive need none */
  int64_t step;       /* lrgd_step */
  double alpha;       /* step length; unset: found by the step rule */
  /* share of the last step that is added to the next; unset: chosen by the
   * rule */
  double momentum;
  double tol;     /* stop at |grad f| <= tol; unset: 1e-6 of the first */
  double epsilon; /* with mu: stop at |grad f| <= sqrt(2 mu epsilon) */
  double mu;
  double target;     /* stop at f <= target; f >= target where limits
                        maximize */
  int64_t max_evals; /* hard cap on evaluations */
  int64_t max_iterations;
  double max_seconds;   /* may end a run, never changes its path */
  double noise;         /* standard deviation of f; unset: estimate it */
  int64_t differences;  /* lrgd_differences */
  int64_t identify;     /* lrgd_identify */
  double oversample;    /* sampled gradients per direction, >= 1 */
  double sample_radius; /* distance of sample points, per coordinate, in units
                           of the scale of x */
  double rank_cut;      /* drop directions with sigma below cut * sigma_1 */
  int64_t growth;       /* lrgd_growth, for adaptive */
  int64_t probes;       /* probes of a certificate outside the subspace */
  double confidence;    /* confidence of a certificate */
  int64_t stall_iterations; /* end after so many without a decrease */
  int64_t restarts; /* number of restarts from points around the start; the best
                       is kept */
  int64_t retries;  /* repetitions of an evaluation that is not finite */
  int64_t max_failures; /* end the run after so many failed evaluations */
  int64_t seed;
  int64_t guard_callbacks; /* 1: check that callbacks do not change x or write
                              past their buffers (a pass over x each) */
  /* hooks, borrowed until the solver is destroyed; NULL: none */
  lrgd_progress_fn progress;
  void *progress_user;
  const lrgd_allocator *allocator;
  /* appended, as structs grow at their end */
  double stop_decrease; /* end when a step lowers f by less than this */
  int64_t verbatim;     /* 1: the paper's algorithms exactly as written */
  int64_t loss;         /* lrgd_loss of residuals; prior rows keep squares */
  /* residuals up to about this size contribute by their squares */
  double loss_scale;
  int64_t width; /* W: evaluations that are asked for together */
  int64_t async; /* 1: do not wait for whole rounds: see lrgd_start_fn */
} lrgd_options;

/* Writes size bytes: the defaults, and zero for members that the library does
 * not know. */
LRGD_API void lrgd_options_init(lrgd_options *options, size_t size);
LRGD_INLINE lrgd_options lrgd_options_default(void)
{
  lrgd_options options;
  lrgd_options_init(&options, sizeof options);
  return options;
}

/* One row of the option table.  The command's flags, the journal's columns and
 * the Python keywords are generated from these rows. */
typedef enum lrgd_option_type {
  LRGD_OPTION_TYPE_INTEGER,
  LRGD_OPTION_TYPE_REAL,
  LRGD_OPTION_TYPE_CHOICE,
  LRGD_OPTION_TYPE_SWITCH /* 0 or 1; the flag takes no value */
} lrgd_option_type;

typedef struct lrgd_option {
  size_t struct_size; /* size in the library */
  const char *name;   /* as in the struct; the flag writes '-' for '_' */
  lrgd_option_type type;
  const char *range;   /* in words: "> 0" */
  const char *help;    /* one line */
  const char *choices; /* names separated by '|', in the order of the enum */
  const char *unset;   /* the word for "not given", or NULL: always given */
  int may_change; /* 1: it may end a run and never changes its path, so it may
                     differ between the sessions of a journal */
} lrgd_option;

LRGD_API size_t lrgd_option_count(void);
LRGD_API const lrgd_option *lrgd_option_at(size_t index);
/* Sets the option called name from text ("12", "1e-3", "bfgs", or the word
 * for not given).  Numbers are read in the C locale. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_options_set(lrgd_options *options,
                                                      const char *name,
                                                      const char *text,
                                                      lrgd_error *error);
/* Writes the option's value as text that lrgd_options_set reads back. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_options_get(
    const lrgd_options *options, const char *name, char *text, size_t size);

/* ---- the result ---- */

typedef struct lrgd_certificate {
  int valid;              /* 0: there is no certificate */
  double grad_norm_bound; /* |grad f(x)| (with bounds or a basis, of the
                             projected gradient) is at most this */
  double confidence;      /* probability that grad_norm_bound holds */
  int64_t probes;         /* directional derivatives spent on it */
  double spare[4];
} lrgd_certificate;

typedef struct lrgd_result {
  size_t struct_size; /* set by the library */
  lrgd_outcome outcome;
  double f; /* f at the x returned; NaN when nothing was evaluated */
  /* the norm last measured, in the subspace; NaN if none was */
  double grad_norm;
  uint64_t iterations;
  size_t rank;    /* directions in use at the end */
  double sigma_r; /* smallest singular value kept by the last identification
                     (of normalised gradients); NaN without one */
  double noise;   /* noise of f, as given or estimated */
  lrgd_counts counts;
  lrgd_certificate certificate;
  double seconds;
  char message[256]; /* why it ended, in a sentence */
  /* appended, as structs grow at their end */
  lrgd_stall stall;   /* why, where outcome is LRGD_OUTCOME_STALLED */
  lrgd_decision end;  /* why it ended, as data */
  lrgd_decision held; /* HELD_BOUND or HELD_SURFACE where a hidden constraint
                         is active at the end, else NONE */
} lrgd_result;

/* A decision, with the state of the run at that moment. */
typedef struct lrgd_phase {
  size_t struct_size; /* size in the library */
  uint64_t iteration;
  uint64_t evaluations;
  size_t rank;
  double f;
  char text[192]; /* the decision in a sentence */
  /* appended, as structs grow at their end */
  lrgd_decision decision;
} lrgd_phase;

/* ---- creation, use and destruction ---- */

typedef struct lrgd_solver lrgd_solver;

/* Copies problem (callbacks stay borrowed) and options; options NULL: the
 * defaults; error NULL: no sentence wanted.  On failure *solver is NULL. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_create(lrgd_solver **solver, const lrgd_problem *problem,
                   const lrgd_options *options, lrgd_error *error);

/* Restricts the run to x0 + span of the q columns of W (p x q, copied).  The
 * columns need not be orthonormal; dependent ones are dropped.  Replaces a
 * basis or constraints set before, also where it fails.  Not together with
 * bounds. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_solver_set_basis(lrgd_solver *solver,
                                                           size_t q,
                                                           const double *W,
                                                           lrgd_error *error);

/* Imposes A theta = b: A has m rows of p numbers, row after row; copied.  The
 * start is projected on it.  Together with bounds every evaluated point
 * satisfies both, for the methods auto and quasi-newton and solvers of host
 * doubles; others refuse, and so does a box without such a point, with numbers.
 * Otherwise as lrgd_solver_set_basis. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_set_constraints(lrgd_solver *solver, size_t m, const double *A,
                            const double *b, lrgd_error *error);

/* The sample points theta^1 ... theta^n of Algorithm 1, whose gradients span
 * the subspace of method lrgd: the columns of X (p x n, copied), at least as
 * many as the rank, and with verbatim exactly as many.  They are evaluated as
 * given, and the start is not among them unless it is given.  Replaces those
 * set before; n = 0: the library chooses them again.  Within the bounds, and
 * for solvers of host doubles only. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_solver_set_samples(
    lrgd_solver *solver, size_t n, const double *X, lrgd_error *error);

/* A known evaluation of f: a value and, where `direction` or `gradient` is not
 * NULL, a derivative with it.  Everything is borrowed for the call that takes
 * it.  Frozen, as they come in arrays. */
typedef struct lrgd_evaluation {
  const double *x;         /* p numbers */
  double f;                /* NaN: it could not be evaluated there */
  const double *direction; /* p numbers, or NULL */
  double slope;            /* the derivative along it */
  const double *gradient;  /* p numbers, or NULL */
} lrgd_evaluation;

/* Gives the next solves n known evaluations of the same f, in the order in
 * which they were made; they cost nothing and are not counted.  A run then
 * begins at the lowest of them within its bounds, whatever its start, and its
 * models begin with the noise, derivatives and curvature that they show.
 * verify: 1 evaluates that point again first, and a solve fails with
 * LRGD_ERR_REFUSED where the values differ by more than noise (without any:
 * 1e-9 of f, or 1e-12 of the descent from the first known value, to which
 * journals store points).  0: it is certainly the same f.  With verbatim
 * nothing of it is used.  Copies; replaces earlier ones; n = 0 forgets them.
 * Not together with a basis or constraints, and for solvers of host doubles
 * only.
 */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_solver_learn(
    lrgd_solver *solver, size_t n, const lrgd_evaluation *evaluations,
    int verify, lrgd_error *error);

/* The same for residuals: X has n points (p x n), R the m numbers that the
 * callback answered at each (m x n), NaN where one is missing.  f follows from
 * them, whatever weights or goals they have now.  Method auto begins at the
 * lowest of them with the Jacobian and the curvature that they show; the others
 * know f there.  A point that is known is not asked for. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_learn_residuals(lrgd_solver *solver, size_t n, const double *X,
                            const double *R, int verify, lrgd_error *error);

/* Minimises from x0; writes the best point to x (which may be x0 itself): the
 * lowest one or, where the run converged, the certified one.  Also where the
 * call fails, x and result hold what was known by then.  May be called again;
 * LRGD_ERR_BUSY from inside its own callbacks or while another thread runs it.
 */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_solver_solve_sized(
    lrgd_solver *solver, const double *x0, double *x, lrgd_result *result,
    size_t result_size, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_solver_solve(lrgd_solver *solver,
                                                          const double *x0,
                                                          double *x,
                                                          lrgd_result *result,
                                                          lrgd_error *error)
{
  return lrgd_solver_solve_sized(solver, x0, x, result, sizeof *result, error);
}

/* Stops a run within one evaluation.  Safe from any thread and from signal
 * handlers; between runs it stops the next one.  Where many processes share the
 * run, one of them ends it for all, at the same point. */
LRGD_API void lrgd_solver_stop(lrgd_solver *solver);

/* Accepts NULL, clears *solver.  LRGD_ERR_BUSY (and nothing freed) while it
 * runs. */
LRGD_API lrgd_status lrgd_solver_destroy(lrgd_solver **solver);

/* Query, after a solve.  basis: p x basis_size numbers, column after column;
 * basis_size is 0 where the run ended with all inputs: gd needs none, nor do
 * interpolation models of auto in a box. */
LRGD_API size_t lrgd_solver_phase_count(const lrgd_solver *solver);
LRGD_API const lrgd_phase *lrgd_solver_phase(const lrgd_solver *solver,
                                             size_t index);
/* Hidden bounds (kind HIDDEN_BOUND) that the run found, as in force at its end.
 */
LRGD_API size_t lrgd_solver_hidden_bound_count(const lrgd_solver *solver);
LRGD_API const lrgd_decision *
lrgd_solver_hidden_bound(const lrgd_solver *solver, size_t index);
/* Whether input 1, 2, ... is at one of its given bounds: 1 upper, -1 lower, 0
 * neither, or vectors are not host doubles. */
LRGD_API int lrgd_solver_active_bound(const lrgd_solver *solver, size_t input);
LRGD_API size_t lrgd_solver_basis_size(const lrgd_solver *solver);
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_basis(const lrgd_solver *solver, double *U);

/* Query, after a solve of a problem that gives residuals.  residual_count: m,
 * the rows of prior information among them at the end; 0 for other problems.
 * residuals: the m numbers at the x returned, or where
 * another method than auto returned a certified point a little above it, at the
 * lowest f.  jacobian: their derivatives along the columns of the basis, m x
 * basis_size numbers, column after column, as the model of method auto has them
 * at the end; LRGD_ERR_INVALID where there is no such model. */
LRGD_API size_t lrgd_solver_residual_count(const lrgd_solver *solver);
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_residuals(const lrgd_solver *solver, double *r);
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_jacobian(const lrgd_solver *solver, double *J);

/* Query, after a solve of a problem with limits; the outputs at the x returned
 * are lrgd_solver_residuals.  violation: the largest amount by which an output
 * is outside its limits at the x returned, as a share of its scale, which is
 * the larger of its limits by size, of its value at the start where these are
 * 0; at most LRGD_FEASIBLE where the point counts as feasible; NaN: nothing was
 * evaluated.  multipliers: m numbers, what f gains for each unit by which the
 * active limit of an output is relaxed (in the user's sense: 0.13 where 1 more
 * allowed lowers the minimum, or raises the maximum, by 0.13; 0 where no limit
 * is active), as the models of the last point have it; LRGD_ERR_INVALID where
 * there are none. */
#define LRGD_FEASIBLE 1e-6
LRGD_API double lrgd_solver_violation(const lrgd_solver *solver);
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_solver_multipliers(const lrgd_solver *solver, double *multipliers);

/* Creates a solver, solves and destroys it in one call; x holds the start and
 * receives the best point. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_minimize_sized(
    const lrgd_problem *problem, const lrgd_options *options, double *x,
    lrgd_result *result, size_t result_size, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status
lrgd_minimize(const lrgd_problem *problem, const lrgd_options *options,
              double *x, lrgd_result *result, lrgd_error *error)
{
  return lrgd_minimize_sized(problem, options, x, result, sizeof *result,
                             error);
}

/* ---- other variables: scales and logarithms ---- */

/* A change of variables for a solver or a diagnosis: z_i = x_i / scale_i, or
 * log(x_i) / scale_i.  The callbacks always get x, in the user's units; start,
 * samples, known evaluations, tolerances, basis and certificate are about z. */
typedef struct lrgd_variables lrgd_variables;

/* The scales that the widths of a box are, where these differ so much that
 * inputs cannot be compared as they are (by more than a hundred times): p
 * numbers, the width of each input, 1 for one that is fixed.  Returns by how
 * many times the widths differ; 1, and scale is not written, where they are
 * alike, where an input lacks a bound, or where one starts (start: p numbers)
 * close to a bound and not at it, as such a box is far too large to be a
 * scale. */
LRGD_API double lrgd_variables_widths(const lrgd_problem *problem,
                                      const double *start, double *scale);

/* scale: p numbers > 0, or NULL for 1; log: p numbers, not 0 where the
 * logarithm of an input is taken, or NULL for none.  Copies both, and the
 * bounds, which must be > 0 above where there is a logarithm. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_variables_create(
    lrgd_variables **variables, const lrgd_problem *problem,
    const double *scale, const unsigned char *log, lrgd_error *error);
LRGD_API void lrgd_variables_destroy(lrgd_variables **variables);

/* problem, of which only the callbacks may be others than at create, becomes
 * one in z, bounds too; its callbacks and the bounds are borrowed until
 * destroy. */
LRGD_API void lrgd_variables_wrap(lrgd_variables *variables,
                                  lrgd_problem *problem);

/* lrgd_variables_into: the z of x.  lrgd_variables_back: the x at which f is
 * evaluated for z, within the bounds.  Both arguments may be the same array. */
LRGD_API void lrgd_variables_into(const lrgd_variables *variables,
                                  const double *x, double *z);
LRGD_API void lrgd_variables_back(const lrgd_variables *variables,
                                  const double *z, double *x);

/* A decision about an input, in the user's units.  variables NULL: as it
 * is. */
LRGD_API lrgd_decision lrgd_variables_decision(const lrgd_variables *variables,
                                               const lrgd_decision *decision);

#ifdef __cplusplus
}
#endif
#endif
