/* Built-in problems: functions to try the library on, one file each.
 * Known here: formulas and their facts (rank, minimum).  Not known: solvers. */
#ifndef LR_PROBLEMS_H
#define LR_PROBLEMS_H

#include <lrgd/lrgd.h>

/* One parameter of a kind of problem, set by `--set name=text`. */
typedef struct lr_parameter {
  const char *name;
  const char *default_text;
  const char *help;
} lr_parameter;

/* A kind of problem: what `lrgd problems` lists. */
typedef struct lr_problem_kind lr_problem_kind;

/* One problem made from a kind; owns its data. */
typedef struct lr_problem lr_problem;

typedef struct lr_setting {
  const char *name, *text;
} lr_setting;

size_t lr_problem_kind_count(void);
const lr_problem_kind *lr_problem_kind_at(size_t index);
/* Kinds with limits on outputs, which have no f alone: their callbacks are
 * residuals with limits. */
size_t lr_limited_kind_count(void);
const lr_problem_kind *lr_limited_kind_at(size_t index);
const char *lr_problem_kind_name(const lr_problem_kind *kind);
const char *lr_problem_kind_help(const lr_problem_kind *kind);
size_t lr_problem_kind_parameters(const lr_problem_kind *kind,
                                  const lr_parameter **parameters);

/* Makes the problem called name; settings are copied, and the last of two with
 * the same name holds.  Unknown names and bad texts give LRGD_ERR_INVALID and
 * one sentence.  Numbers are read as in C, whatever the locale. */
LRGD_MUST_CHECK lrgd_status lr_problem_create(lr_problem **problem,
                                              const char *name,
                                              const lr_setting *settings,
                                              size_t count, lrgd_error *error);
void lr_problem_destroy(lr_problem **problem);

/* The callbacks (value, values, gradient, slopes; complex_value where the
 * formula is analytic) and bounds; borrowed until destroy.  Thread-safe. */
const lrgd_problem *lr_problem_callbacks(const lr_problem *problem);
const double *lr_problem_start(const lr_problem *problem); /* p numbers */
/* The infimum of f (within the bounds): NaN where it is not known, -INFINITY
 * where f is unbounded below. */
double lr_problem_minimum(const lr_problem *problem);
/* A point (p numbers) where the minimum is attained, or NULL. */
const double *lr_problem_minimiser(const lr_problem *problem);
/* The dimension of the span of all gradients: p where a small tail or ridge
 * term touches every direction; 0 where it is not known, or f is constant. */
size_t lr_problem_rank(const lr_problem *problem);
/* Sums of squares: f = |F|^2 / 2 with so many residuals F; 0: f is none. */
size_t lr_problem_residual_count(const lr_problem *problem);
/* r = F(x); only where there are any. */
void lr_problem_residuals(const lr_problem *problem, const double *x,
                          double *r);
/* J = F'(x), m x p by columns; 0 (and J as it was) where no formula is there
 * for it. */
int lr_problem_jacobian(const lr_problem *problem, const double *x, double *J);
/* The problem with the callback for residuals in place of those for f, as
 * lrgd_solver_create takes it.  Only where there are residuals. */
lrgd_problem lr_problem_by_residuals(const lr_problem *problem);
/* L, from above: |grad f(x) - grad f(y)| <= L |x - y|; NaN: unknown or none. */
double lr_problem_smoothness(const lr_problem *problem);

#endif
