/* lrgd/analysis.h: whether a function is low-rank, and what follows from that.
 *
 * The definitions, propositions and theorems of the paper, applied to a given
 * function.  All evaluations go through the same oracle as a solver's: counted,
 * within max_evals, inside the bounds.  Nothing here prints; sentences are
 * returned as text. */
#ifndef LRGD_ANALYSIS_H
#define LRGD_ANALYSIS_H

#include <lrgd/lrgd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- calculus: problems made of problems ---- */

/* A composite borrows the problems it is made of (their callbacks and user)
 * until it is destroyed; it has the callbacks that all its parts have, and is
 * for one thread at a time.  The rank bound follows the paper's proposition on
 * the algebra of low-rank functions. */
typedef struct lrgd_composite lrgd_composite;

/* Returns phi(t), and phi'(t) in *slope. */
typedef double (*lrgd_scalar_map)(double t, double *slope, void *user);

/* x_i = shift + scale y_i, or its exponential.  Frozen. */
typedef struct lrgd_change {
  int exponential;
  double shift, scale;
} lrgd_change;

/* A problem and the rank it is known to have at most.  Frozen. */
typedef struct lrgd_part {
  const lrgd_problem *problem;
  size_t rank;
} lrgd_part;

/* A multiple a f has the rank r of f; f + g and f g have rank r + s at most,
 * and the bounds of both; phi(f) has rank r. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_composite_scale(lrgd_composite **made,
                                                          lrgd_part f, double a,
                                                          lrgd_error *error);
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_composite_sum(lrgd_composite **made,
                                                        lrgd_part f,
                                                        lrgd_part g,
                                                        lrgd_error *error);
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_composite_product(
    lrgd_composite **made, lrgd_part f, lrgd_part g, lrgd_error *error);
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_composite_compose(lrgd_composite **made, lrgd_part f, lrgd_scalar_map phi,
                       void *user, lrgd_error *error);
/* y -> f(x(y)), one change for each coordinate (copied).  Affine changes keep
 * the rank; exponentials may raise it to p or lower it. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_composite_change(lrgd_composite **made, lrgd_part f,
                      const lrgd_change *changes, lrgd_error *error);
/* z -> f(x0 + U z) in k variables, clipped to f's bounds; x0 (p) and U (p x k,
 * orthonormal) are copied.  For a function of rank k with active subspace span
 * U this is the sigma of f(x) = sigma(A x), A = U'. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_composite_reduce(
    lrgd_composite **made, const lrgd_problem *f, const double *x0, size_t k,
    const double *U, lrgd_error *error);

LRGD_API const lrgd_problem *lrgd_composite_problem(const lrgd_composite *made);
LRGD_API size_t lrgd_composite_rank(const lrgd_composite *made);
LRGD_API void lrgd_composite_destroy(lrgd_composite **made);

/* ---- certificates over a region ---- */

/* The largest share of bad points that is consistent, at the given confidence,
 * with `bad` of them among n drawn independently: the binomial
 * (Clopper-Pearson) bound.  None among 59 gives 0.05 at 0.95. */
LRGD_API double lrgd_share_bound(size_t n, size_t bad, double confidence);
/* The number of points, none of them bad, that shows that at most `share` are
 * bad. */
LRGD_API size_t lrgd_points_needed(double share, double confidence);

/* ---- propositions and theorems as numbers ---- */

/* Proposition 2.3: f mu-strongly convex and (eta, epsilon)-approximately of
 * rank r < p on a ball of radius delta around its minimum has epsilon at least
 * this (the paper writes >; mu |x|^2 / 2 attains it).  An epsilon that was
 * *sampled* may lie below: the worst point was missed. */
LRGD_API double lrgd_least_epsilon(double mu, double delta, double eta);
/* The converse: the least eta for a given epsilon. */
LRGD_API double lrgd_least_eta(double mu, double delta, double epsilon);
/* Proposition 2.2: where the Hessian at the minimum is invertible, epsilon > 0
 * for every eta < 1.  By how much follows from its smallest curvature, lambda
 * in size, and from M with |grad f(x) - H (x - x*)| <= M |x - x*|^2 in the
 * ball of radius delta around x*: some x there has grad f(x) = t u + e with u
 * orthogonal to any given subspace, |x - x*| = t / lambda at most and
 * |e| <= M (t / lambda)^2, so that
 *   epsilon >= (1 - eta) t - (1 + eta) M (t / lambda)^2,
 * of which this is the best over t.  M = 0 gives Proposition 2.3's. */
LRGD_API double lrgd_least_epsilon_near(double lambda, double M, double delta,
                                        double eta);

typedef enum lrgd_theorem {
  LRGD_THEOREM_3_1, /* exactly low-rank, strongly convex */
  LRGD_THEOREM_3_2, /* approximately low-rank, strongly convex */
  LRGD_THEOREM_3_3, /* exactly low-rank, non-convex */
  LRGD_THEOREM_3_4, /* approximately low-rank, non-convex */
  LRGD_THEOREM_COUNT
} lrgd_theorem;

/* The constants of the theorems. epsilon: the accuracy wanted, in f (3.1, 3.2)
 * or in |grad f| (3.3, 3.4); additive: the epsilon of Definition 2.2. */
typedef struct lrgd_theorem_constants {
  size_t p, r;
  double L, mu, Delta0, epsilon;
  double eta, additive; /* of Definition 2.2 on the region in question */
  double sigma_r;       /* smallest singular value of the normalised samples */
  double least_sample;  /* epsilon': all sampled gradients are longer */
  double spare[4];
} lrgd_theorem_constants;

/* One inequality, left <= right.  Frozen. */
typedef struct lrgd_condition {
  const char *name;
  double left, right;
  int holds;
} lrgd_condition;

/* The conditions that a bound has room for. */
enum { LRGD_CONDITION_ROOM = 8 };

typedef struct lrgd_theorem_bound {
  double alpha; /* the step the theorem takes */
  double bound; /* on oracle calls */
  /* eta~ and epsilon~ of the lemma: the error of the projected gradient is at
   * most eta~ |g| + epsilon~ */
  double eta_tilde, additive_tilde;
  size_t conditions;
  lrgd_condition condition[LRGD_CONDITION_ROOM];
  int holds; /* 1: all conditions hold */
  double spare[4];
} lrgd_theorem_bound;

LRGD_API lrgd_theorem_bound lrgd_theorem_bound_of(
    lrgd_theorem theorem, const lrgd_theorem_constants *constants);

/* One cell of `reproduce theorems`: measurements on a family that meets the
 * assumptions of the theorem at this p and r. */
typedef struct lrgd_theorem_cell {
  size_t struct_size; /* set by the library */
  lrgd_theorem theorem;
  lrgd_theorem_constants constants; /* measured */
  lrgd_theorem_bound claim;
  double calls,
      gd_calls;   /* oracle calls until the accuracy, with identification */
  double reached; /* f - f*, or |grad f|, at which LRGD stopped */
  /* the lowest curvature along LRGD's path, negative for 3.3 and 3.4 */
  double lowest_curvature;
  /* largest |g - Pg| / (eta~ |g| + epsilon~) along that path */
  double lemma_error;
  double eta_share; /* eta / the largest eta the condition allows */
  int conditions_hold, bound_holds;
  char region[160];   /* where the conditions were checked */
  int random_samples; /* 0: the sample points lie along the directions of H */
  int accuracy;       /* which of LRGD_ACCURACY_COUNT, from coarse to fine */
} lrgd_theorem_cell;

LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_theorem_run_sized(
    lrgd_theorem_cell *cell, size_t size, lrgd_theorem theorem, size_t p,
    size_t r, uint64_t seed, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status
lrgd_theorem_run(lrgd_theorem_cell *cell, lrgd_theorem theorem, size_t p,
                 size_t r, uint64_t seed, lrgd_error *error)
{
  return lrgd_theorem_run_sized(cell, sizeof *cell, theorem, p, r, seed, error);
}

/* The same with random sample points, if wanted, and for one of several
 * accuracies epsilon; lrgd_theorem_run has none random, and the finest
 * accuracy.  Random points make sigma_r smaller, and so the eta that is
 * allowed.
 */
enum { LRGD_ACCURACY_COUNT = 3 };
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_theorem_vary_sized(lrgd_theorem_cell *cell, size_t size,
                        lrgd_theorem theorem, size_t p, size_t r, uint64_t seed,
                        int random_samples, int accuracy, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_theorem_vary(
    lrgd_theorem_cell *cell, lrgd_theorem theorem, size_t p, size_t r,
    uint64_t seed, int random_samples, int accuracy, lrgd_error *error)
{
  return lrgd_theorem_vary_sized(cell, sizeof *cell, theorem, p, r, seed,
                                 random_samples, accuracy, error);
}

/* ---- the study of a function ---- */

typedef struct lrgd_diagnosis_options {
  size_t struct_size; /* lrgd_diagnosis_options_init sets it */
  size_t gradients;   /* most gradients to sample; 0: by the plan */
  size_t held_out;    /* held-out points; 0: 100 */
  /* radius of the ball where there is no box, in units of the scale of x times
   * sqrt(p) */
  double radius;
  double eta;         /* H is good where the held-out eta is at most this at
                         95 % of the points */
  double confidence;  /* confidence of certificates and bands */
  int64_t trial_runs; /* 1: predict the cost of methods by trial runs */
} lrgd_diagnosis_options;

LRGD_API void lrgd_diagnosis_options_init(lrgd_diagnosis_options *options,
                                          size_t size);
LRGD_INLINE lrgd_diagnosis_options lrgd_diagnosis_options_default(void)
{
  lrgd_diagnosis_options options;
  lrgd_diagnosis_options_init(&options, sizeof options);
  return options;
}

/* An upper bound of the evaluations of a diagnosis.  A function of exact rank r
 * stops after 2 r + 2 gradients, and trial runs included it costs at most
 * exact_gradients r gradients beside the held-out points (0: no such limit,
 * where there are few inputs or gradients are cheap).  trial_runs: evaluations
 * for trial runs. */
typedef struct lrgd_diagnosis_plan {
  size_t struct_size; /* set by the library */
  uint64_t gradient;  /* evaluations for one gradient */
  uint64_t gradients, held_out;
  uint64_t sampling, checking, trial_runs, total;
  uint64_t exact_gradients, probes; /* probes: for each held-out point */
} lrgd_diagnosis_plan;

LRGD_API void lrgd_diagnosis_cost_sized(const lrgd_problem *problem,
                                        const lrgd_options *options,
                                        const lrgd_diagnosis_options *study,
                                        lrgd_diagnosis_plan *plan, size_t size);
LRGD_INLINE lrgd_diagnosis_plan
lrgd_diagnosis_cost(const lrgd_problem *problem, const lrgd_options *options,
                    const lrgd_diagnosis_options *study)
{
  lrgd_diagnosis_plan plan;
  lrgd_diagnosis_cost_sized(problem, options, study, &plan, sizeof plan);
  return plan;
}

/* For one r: the energy of the first r directions in the samples, and eta = |g
 * - Pg| / |g| at the held-out points; epsilon: the largest |g - Pg|, which
 * Definition 2.2 needs with eta = 0.  Frozen. */
typedef struct lrgd_eta {
  size_t r;
  double energy;
  double median, p95, max, epsilon;
} lrgd_eta;

typedef enum lrgd_predicted {
  LRGD_PREDICTED_GD,
  LRGD_PREDICTED_LRGD,
  LRGD_PREDICTED_ITERATED,
  LRGD_PREDICTED_ADAPTIVE,
  LRGD_PREDICTED_AUTO,
  LRGD_PREDICTED_LBFGS,
  LRGD_PREDICTED_COUNT
} lrgd_predicted;

LRGD_API const char *lrgd_predicted_text(lrgd_predicted which);

/* Sizes in the result of a diagnosis. */
enum { LRGD_WHY_SIZE = 160, LRGD_PREDICTED_ROOM = 12 };

/* Flat, as options and results of the library are: a member is a key of the
 * JSON output, and new ones are appended. */
typedef struct lrgd_diagnosis_result {
  size_t struct_size; /* size in the library */
  int low_rank;       /* whether low rank should be used, as the verdict says */
  int conclusive; /* 0: there is no answer, and low_rank is 0; the verdict says
                     why */
  size_t recommended_rank; /* the rank to be used; p: f has no low rank */
  size_t exact_rank;       /* 0: no exact low rank was found */
  double tolerance; /* the relative error of gradients: smaller parts are not
                       resolved */
  size_t samples, held_out; /* points */
  size_t failed;          /* points given up because f could not be evaluated */
  size_t count;           /* number of entries of the arrays below */
  const double *spectrum; /* squared singular values, summing to 1 */
  const double *band_low; /* lower end of the bootstrap band of `spectrum` */
  const double
      *band_high;      /* its upper end; the band has the given confidence */
  const lrgd_eta *eta; /* r = 1 .. count */
  /* "at most certified_share of the region has eta > certified_eta at
   * recommended_rank", with this confidence, whatever r was recommended */
  double certified_eta, certified_share, confidence;
  double invariance; /* largest |f(x + w) - f(x)| / spread of f, w off H */
  /* at the start, inside H; NaN where not measured.  sigma_r and the length
   * least_sample: of the r sampled gradients that are most independent */
  double L, mu, Delta0, grad_norm, sigma_r, least_sample;
  /* for Proposition 2.3, NaN where it does not apply: no constant of strong
   * convexity is above mu_seen, the smallest curvature found inside H or along
   * random directions outside; delta is the distance from the start to the
   * minimum */
  double mu_seen, delta;
  /* the last appendix, at the start and inside H, f scaled to L = 1: a subspace
   * of so many directions of the Hessian stays valid for local_lasts steps of
   * length one; 0: none with fewer than r does */
  size_t local_rank;
  double local_sigma, local_M, local_lasts;
  /* to the end of a run: evaluations of f, and oracle calls.  NaN where there
   * is no prediction: predicted_why says why (else it is ""), and where the
   * trial run was cut off the floors are lower bounds (else NaN) */
  double predicted_evaluations[LRGD_PREDICTED_ROOM];
  double evaluations_floor[LRGD_PREDICTED_ROOM];
  double predicted_calls[LRGD_PREDICTED_ROOM];
  double calls_floor[LRGD_PREDICTED_ROOM];
  char predicted_why[LRGD_PREDICTED_ROOM][LRGD_WHY_SIZE];
  /* BUDGET: the end is not known */
  lrgd_outcome predicted_outcome[LRGD_PREDICTED_ROOM];
  lrgd_outcome
      /* CONVERGED; or BUDGET, FAILED ... where the diagnosis was cut short */
      outcome;
  double noise;
  lrgd_counts counts;
  uint64_t evaluations; /* all evaluations, including those of trial runs */
  uint64_t failures;    /* evaluations that had no finite answer */
  char region[128], reason[256], verdict[384];
  int reason_in_verdict; /* 1: the verdict includes the reason */
} lrgd_diagnosis_result;

typedef struct lrgd_diagnosis lrgd_diagnosis;

/* Runs the whole diagnosis around x0 (p numbers; clipped to the bounds). Copies
 * its input; callbacks stay borrowed until destroy.  Inputs in a finite box are
 * scaled to -1 .. 1 first. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_diagnosis_create(
    lrgd_diagnosis **study, const lrgd_problem *problem,
    const lrgd_options *options, const lrgd_diagnosis_options *study_options,
    const double *x0, lrgd_error *error);
/* The same in two steps, so that it can be ended early: open evaluates nothing,
 * run evaluates everything (once). stop is safe from any thread and from signal
 * handlers: run then returns soon with what is known, its outcome
 * LRGD_OUTCOME_STOPPED. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_diagnosis_open(
    lrgd_diagnosis **study, const lrgd_problem *problem,
    const lrgd_options *options, const lrgd_diagnosis_options *study_options,
    const double *x0, lrgd_error *error);
/* Between open and run: n known evaluations of the same f, in the order in
 * which they were made.  Evaluations at exactly these points are not repeated
 * (lrgd_diagnosis_recalled says how many; these are among result.evaluations),
 * and whole gradients among them, given or made of differences along all
 * inputs, become samples if they add directions
 * (lrgd_diagnosis_known_gradients, among result.samples).  They are not random
 * points: no held-out point is taken from them, and only random points show
 * that there are no more directions. verify: as for lrgd_solver_learn.  Copies;
 * replaces earlier known evaluations. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_diagnosis_learn(
    lrgd_diagnosis *study, size_t n, const lrgd_evaluation *evaluations,
    int verify, lrgd_error *error);
LRGD_API uint64_t lrgd_diagnosis_recalled(const lrgd_diagnosis *study);
LRGD_API size_t lrgd_diagnosis_known_gradients(const lrgd_diagnosis *study);
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_diagnosis_run(lrgd_diagnosis *study,
                                                        lrgd_error *error);
LRGD_API void lrgd_diagnosis_stop(lrgd_diagnosis *study);
LRGD_API const lrgd_diagnosis_result *
lrgd_diagnosis_get(const lrgd_diagnosis *study);
/* Whether the inputs were scaled to -1 .. 1, as they have finite bounds. */
LRGD_API int lrgd_diagnosis_is_boxed(const lrgd_diagnosis *study);
/* The first r directions, p x r, in the (scaled) inputs. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_diagnosis_directions(const lrgd_diagnosis *study, size_t r, double *U);
/* Definition 2.2 on the held-out points: the epsilon that goes with eta. */
LRGD_API double lrgd_diagnosis_epsilon(const lrgd_diagnosis *study, size_t r,
                                       double eta);
/* The bound of a theorem for this function, with the constants and the
 * directions that were found, and its conditions.  *epsilon (may be NULL): the
 * accuracy it is for, in f (3.1, 3.2) or in |grad f| (3.3, 3.4), as options
 * have it (epsilon, tol), else a thousandth of the descent ahead or of |grad f|
 * at the start. */
LRGD_API lrgd_theorem_bound lrgd_diagnosis_theorem(const lrgd_diagnosis *study,
                                                   lrgd_theorem theorem,
                                                   const lrgd_options *options,
                                                   double *epsilon);
/* sigma of the ridge form f = sigma(A x) for the first r directions. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_diagnosis_ridge(const lrgd_diagnosis *study, size_t r,
                     lrgd_composite **sigma, lrgd_error *error);
/* Whether logarithms of the inputs would lower the rank; computed from the
 * samples, without evaluations: in t_i = log x_i the gradient is x_i g_i. */
typedef struct lrgd_logarithms {
  size_t struct_size; /* set by the library */
  size_t taken;       /* inputs that are positive at all samples */
  size_t exact_rank;  /* in their logarithms; 0: not exactly low-rank */
  /* a rank whose eta meets the threshold on a held-out half; 0: none */
  size_t rank;
  double p95; /* the 95 % quantile of eta there */
} lrgd_logarithms;
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_diagnosis_logarithms_sized(
    const lrgd_diagnosis *study, lrgd_logarithms *found, size_t size);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status
lrgd_diagnosis_logarithms(const lrgd_diagnosis *study, lrgd_logarithms *found)
{
  return lrgd_diagnosis_logarithms_sized(study, found, sizeof *found);
}
/* Whether other units would lower the approximate rank (an exact rank does not
 * change).  In a box, whose widths are the units of a diagnosis, the inputs'
 * own units are tried; without one, their sizes at the start.  Without
 * evaluations.
 */
typedef struct lrgd_scaling {
  size_t struct_size; /* set by the library */
  int own_units;      /* 1: the inputs' own units; 0: |x0_i| */
  /* number of inputs with a nonzero size; fewer than p: not tried */
  size_t taken;
  /* a rank whose eta meets the threshold on a held-out half; 0: none */
  size_t rank;
  size_t plain_rank; /* the rank in the units of the diagnosis */
  double p95;        /* the 95 % quantile of eta for that rank */
} lrgd_scaling;
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_diagnosis_scaling_sized(
    const lrgd_diagnosis *study, lrgd_scaling *found, size_t size);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status
lrgd_diagnosis_scaling(const lrgd_diagnosis *study, lrgd_scaling *found)
{
  return lrgd_diagnosis_scaling_sized(study, found, sizeof *found);
}
/* Held-out point i: f and its first two active-subspace coordinates, for a
 * plot. */
LRGD_API int lrgd_diagnosis_point(const lrgd_diagnosis *study, size_t i,
                                  double *f, double coordinates[2]);
LRGD_API void lrgd_diagnosis_destroy(lrgd_diagnosis **study);

/* ---- the lemma on level sets, Proposition 2.2, the algebra ---- */

/* One line of the algebra: a composite of f (and of a g of rank 2), the rank
 * bound of the paper, and the rank that its gradients show (p: not low).
 * Frozen. */
typedef struct lrgd_algebra {
  char made[16];
  size_t bound, rank;
  int holds;
} lrgd_algebra;

/* Sizes in lrgd_propositions. */
enum { LRGD_SHARES_ROOM = 8, LRGD_ALGEBRA_ROOM = 8 };

/* Flat, as all results: a member is a key of the JSON output. */
typedef struct lrgd_propositions {
  size_t struct_size; /* set by the library */
  /* the minimum found from the start by the options' method */
  double f_minimum;
  size_t rank; /* rank of f: the exact one if there is one, else p */
  /* Lemma (gradients on level sets): a point at `level` above the minimum whose
   * gradient points along a random u (inside H where f is exactly low-rank),
   * nearer than delta = sqrt(2 level / mu).  mu: no constant of strong
   * convexity is larger, so that a distance above delta shows no error */
  double level, reached, alignment, distance, mu, delta, grad_norm;
  int lemma_holds;
  char lemma_why[LRGD_WHY_SIZE]; /* why it cannot be tested; else "" */
  /* Proposition 2.2: along w = Hessian^-1 v from the minimum, v outside the
   * subspace of r < p directions that f varies along most, gradients lie more
   * and more outside it as the step goes to 0; epsilon is at least this with
   * eta = 0, 0.1 and 0.5 */
  size_t directions, shares;
  double step[LRGD_SHARES_ROOM], share[LRGD_SHARES_ROOM];
  double least_epsilon[3];
  int proposition_holds;
  char proposition_why[LRGD_WHY_SIZE];
  size_t rows;
  lrgd_algebra algebra[LRGD_ALGEBRA_ROOM];
  int algebra_holds;
  uint64_t evaluations;
} lrgd_propositions;

/* Tests the propositions numerically on a function, from x0.  Costs some dozens
 * of gradients. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_propositions_try_sized(
    lrgd_propositions *found, size_t size, const lrgd_problem *problem,
    const lrgd_options *options, const double *x0, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_propositions_try(
    lrgd_propositions *found, const lrgd_problem *problem,
    const lrgd_options *options, const double *x0, lrgd_error *error)
{
  return lrgd_propositions_try_sized(found, sizeof *found, problem, options, x0,
                                     error);
}

/* ---- is the gradient that of f? ---- */

/* Gradients (or slopes) of a problem, compared with values of f. */
typedef struct lrgd_gradient_check {
  size_t struct_size; /* set by the library */
  int agrees;         /* 1: they are those of f, as far as seen */
  size_t directions;  /* random unit vectors along which they were compared */
  /* along the direction where they differ most: the derivative as given, the
   * derivative by values of f, and the error of the latter */
  double told, measured, error;
  /* where they differ: the input (1, 2, ...) where they differ most, or one of
   * those, and its partial derivative; else 0 */
  size_t input;
  double input_told, input_measured, input_error;
  double f;
  uint64_t evaluations;
} lrgd_gradient_check;

/* Compares gradients (or slopes) with values of f at x (p numbers, moved into
 * the bounds).  Costs some 20 evaluations, and some 9 log2(p) more where they
 * differ. LRGD_ERR_INVALID for problems that give values alone. */
LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_gradient_check_try_sized(
    lrgd_gradient_check *found, size_t size, const lrgd_problem *problem,
    const lrgd_options *options, const double *x, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_gradient_check_try(
    lrgd_gradient_check *found, const lrgd_problem *problem,
    const lrgd_options *options, const double *x, lrgd_error *error)
{
  return lrgd_gradient_check_try_sized(found, sizeof *found, problem, options,
                                       x, error);
}

/* ---- local low rank from the Hessian ---- */

/* The r - 1 Hessian eigenpairs of largest size at x, by Lanczos on differences
 * of gradients (or slopes), and H = span(grad f(x), u_1 ... u_{r-1}) of the
 * paper's last appendix. */
typedef struct lrgd_local {
  size_t struct_size; /* set by the library */
  size_t r;
  double *basis;       /* p x r, orthonormal; owned: lrgd_local_free */
  double *eigenvalues; /* r, by size; the last one is sigma_r of the bound */
  double grad_norm;
  double M; /* largest |g(y) - g(x) - H (y - x)| / |y - x|^2 along random
               directions */
  /* largest |g - Pg| / (M t^2 + sigma_r t) along these directions */
  double worst;
  lrgd_counts counts;
} lrgd_local;

LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_local_diagnosis_sized(
    lrgd_local *local, size_t size, const lrgd_problem *problem,
    const lrgd_options *options, const double *x, size_t r, lrgd_error *error);
LRGD_MUST_CHECK LRGD_INLINE lrgd_status lrgd_local_diagnosis(
    lrgd_local *local, const lrgd_problem *problem, const lrgd_options *options,
    const double *x, size_t r, lrgd_error *error)
{
  return lrgd_local_diagnosis_sized(local, sizeof *local, problem, options, x,
                                    r, error);
}
LRGD_API void lrgd_local_free(lrgd_local *local);
/* The rule alpha M N |grad f| + sigma_r <= eta: for how many iterations N of
 * step alpha the subspace stays valid. */
LRGD_API double lrgd_local_lasts(const lrgd_local *local, double alpha,
                                 double eta);

/* ---- the uncertainty of a fit ---- */

/* Residuals at a fit and their derivatives, from which linear estimates follow:
 * J is taken as constant over the width of the uncertainty, the residuals as
 * independent, with one variance, and bounds play no part.  Everything is
 * borrowed until the lrgd_uncertainty is destroyed. */
typedef struct lrgd_fit {
  size_t struct_size;     /* lrgd_fit_init sets it */
  size_t dimension;       /* p inputs */
  size_t directions;      /* k along which derivatives are known */
  size_t residuals;       /* m */
  const double *basis;    /* p x k, orthonormal; NULL: the inputs, and k = p */
  const double *jacobian; /* m x k, column after column */
  size_t observations;    /* residuals that count; 0: all m.  The rows of the
                             others must be zero */
  double f;               /* half the sum of the squares of the residuals */
  double variance; /* variance of a residual; NaN: 2 f / (observations - rank),
                      and 1 where as many inputs as observations are determined:
                      then the residuals are taken in units of their error */
  /* p: independent standard deviations > 0 of the inputs before the data; NULL:
   * no prior */
  const double *deviations;
} lrgd_fit;

LRGD_API void lrgd_fit_init(lrgd_fit *fit, size_t size);
LRGD_INLINE lrgd_fit lrgd_fit_default(void)
{
  lrgd_fit fit;
  lrgd_fit_init(&fit, sizeof fit);
  return fit;
}

/* Outside of the basis no derivative is known: there the data were not shown to
 * say anything, and what was known before stands.  So with a prior, deviations
 * are too large rather than too small where k < p; without one, they are
 * infinite where the data do not determine all inputs. */
typedef struct lrgd_uncertainty lrgd_uncertainty;

typedef struct lrgd_uncertainty_summary {
  size_t struct_size; /* set by the library */
  size_t rank;        /* singular values of J that exceed its error */
  /* combinations of inputs that the data determine better than the prior;
   * without a prior, the rank */
  size_t supported;
  /* ratio of the largest to the smallest singular value that counts for the
   * rank */
  double condition;
  double variance; /* variance of a residual, as given or estimated */
  int estimated;   /* 1: the variance is estimated from the residuals */
  int prior;       /* 1: prior deviations of the inputs were given */
} lrgd_uncertainty_summary;

LRGD_API LRGD_MUST_CHECK lrgd_status lrgd_uncertainty_create(
    lrgd_uncertainty **made, const lrgd_fit *fit, lrgd_error *error);
LRGD_API void lrgd_uncertainty_destroy(lrgd_uncertainty **u);

LRGD_API void lrgd_uncertainty_summarize_sized(
    const lrgd_uncertainty *u, lrgd_uncertainty_summary *summary, size_t size);
LRGD_INLINE lrgd_uncertainty_summary
lrgd_uncertainty_summarize(const lrgd_uncertainty *u)
{
  lrgd_uncertainty_summary summary;
  lrgd_uncertainty_summarize_sized(u, &summary, sizeof summary);
  return summary;
}

/* s: the k singular values of J, descending. */
LRGD_API void lrgd_uncertainty_singular_values(const lrgd_uncertainty *u,
                                               double *s);
/* share: p numbers, for each input the squared projection of its axis on the
 * supported combinations: 1 where the data determine it, 0 where they say
 * nothing (in units of the prior deviations, where there are any). */
LRGD_API void lrgd_uncertainty_identifiability(const lrgd_uncertainty *u,
                                               double *share);
/* Standard deviations of the inputs with the data, p numbers. */
LRGD_API void lrgd_uncertainty_deviations(const lrgd_uncertainty *u,
                                          double *deviations);
/* The covariance of the inputs with the data, p x p; inf where they are not
 * determined. */
LRGD_API void lrgd_uncertainty_covariance(const lrgd_uncertainty *u,
                                          double *covariance);

/* Standard deviations of n predictions whose derivatives along the basis are
 * the k x n numbers of slopes: before the data (before, inf without a prior;
 * NULL: not wanted) and with them (after), n numbers each.  factors, m numbers
 * or NULL: what every row of J is multiplied by first, so that 0 removes an
 * observation and the root of 2 makes it twice. */
LRGD_API LRGD_MUST_CHECK lrgd_status
lrgd_uncertainty_predict(lrgd_uncertainty *u, size_t n, const double *slopes,
                         const double *factors, double *before, double *after);

#ifdef __cplusplus
}
#endif
#endif
