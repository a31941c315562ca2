/* The user's callbacks with the signatures that the oracle calls. */
#ifndef LR_ANSWERS_H
#define LR_ANSWERS_H

#include "base/loss.h"
#include "base/random_field.h"
#include "oracle/known_rows.h"
#include "oracle/known_vectors.h"
#include "oracle/outputs.h"

#include <lrgd/space.h>

#include <stdbool.h>

/* The callbacks that the oracle calls; any but complaint may be NULL.
 * slopes_kind is the kind of evaluation of one directional derivative:
 * LRGD_KIND_VALUES where a complex step makes it.  complaint returns a sentence
 * once a callback broke its contract, else NULL.  unanswered returns how many
 * evaluations were not made since it was last called.  Over 20 members: a table
 * of functions for each kind of callback, and the data that go with residuals.
 */
typedef struct lr_answers {
  double (*value)(void *self, lrgd_vec x);
  void (*values)(void *self, lrgd_vec X, size_t m, double *f);
  double (*gradient)(void *self, lrgd_vec x, lrgd_vec g);
  double (*slopes)(void *self, lrgd_vec x, lrgd_vec U, size_t k, double *d);
  lrgd_kind slopes_kind;
  /* one value at a time, which ends in any order: lrgd_start_fn */
  void (*start)(void *self, lrgd_vec x, uint64_t ticket);
  uint64_t (*finish)(void *self, double *f);
  const char *(*complaint)(void *self);
  size_t (*unanswered)(void *self);
  /* the m residuals of the value last returned, where f is half the sum of
   * their squares; m is 0 where it is not */
  const double *(*residuals)(void *self);
  const double *(*lowest_residuals)(void *self); /* at the lowest f so far */
  void (*forget_residuals)(void *self);          /* a run begins */
  /* the derivatives of the m measured residuals behind the last gradient or
   * slopes: the Jacobian, m x p by columns; and J u for each direction u, m
   * numbers each.  NULL: the user gives none */
  const double *(*jacobian)(void *self);
  const double *(*residual_slopes)(void *self);
  /* ask_ahead evaluates the residuals at n <= most_ahead columns of X at once,
   * and stores them.  take_ahead returns f at x from them, once for each;
   * false: x is not among them */
  void (*ask_ahead)(void *self, lrgd_vec X, size_t n);
  bool (*take_ahead)(void *self, lrgd_vec x, double *f);
  /* whether points are evaluated again whose residuals are known from another
   * run */
  void (*ignore_known)(void *self, bool ignore);
  size_t most_ahead;
  size_t residual_count;
  lr_loss loss;               /* loss of the residuals that are not known */
  const lr_known_rows *known; /* the last residuals, where they are known
                                 without an evaluation; NULL: none */
  lr_outputs *outputs;        /* the residuals are outputs, f is one of them
                                 and others have limits; NULL: they are
                                 residuals */
  /* the random field that the inputs are a sample of; NULL: none */
  const lr_random_field *field;
  void (*correlate)(void *self, const double *v,
                    /* y = correlated numbers from independent ones v; NULL: by
                     * `field` */
                    double *y);
  void *self;
} lr_answers;

/* An adaptor for lrgd_problem, whose vectors are host doubles; owned by the
 * caller. */
typedef struct lr_host_answers lr_host_answers;

/* Whether a problem answers residuals, with or without derivatives. */
static inline bool lr_gives_residuals(const lrgd_problem *problem)
{
  return problem->residuals || problem->residual_jacobian ||
         problem->residual_slopes;
}

/* The complaint that no callback is to blame for. */
extern const char lr_complaint_memory[];

lr_host_answers *lr_host_answers_create(const lrgd_problem *problem, int guard,
                                        const lrgd_allocator *a);
/* Sets the loss of the residuals; without one, half the squares count. */
void lr_host_answers_set_loss(lr_host_answers *host, lr_loss loss);
/* Known evaluations of the residuals, borrowed; NULL: none. */
void lr_host_answers_know(lr_host_answers *host, const lr_known_vectors *known);
/* f of known residuals at x. */
double lr_host_answers_f(lr_host_answers *host, const double *x,
                         const double *r);
void lr_host_answers_destroy(lr_host_answers **host);
lr_answers lr_host_answers_view(lr_host_answers *host);

/* An adaptor for lrgd_space_problem, of any space; the problem is borrowed. */
lr_answers lr_space_answers_view(lrgd_space_problem *problem);

#endif
