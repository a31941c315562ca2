/* Records of the steps, Hessian columns and probes of an embedding.
 *
 * Nothing here evaluates f: these are records, and estimates computed from them
 * with the numbers of the policy. */
#ifndef LR_EMBEDDING_HISTORY_H
#define LR_EMBEDDING_HISTORY_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Array sizes: twice the default windows of the policy. */
enum { LR_STEPS_KEPT = 24, LR_WINDOW = 10, LR_EARLY_KEPT = 12 };

/* Steps to the minimum of the model: whether the value of f there agreed with
 * the model. */
typedef struct lr_predictions {
  bool right[LR_STEPS_KEPT];
  uint64_t count;
  double sum;
} lr_predictions;

void lr_predictions_add(lr_predictions *s, bool right);

/* The share of right predictions, of the last few and of all. */
double lr_predictions_recent(const lr_predictions *s, double last);
double lr_predictions_right(const lr_predictions *s);

/* Whether most predictions were right, so that f looks quadratic. */
bool lr_predictions_quadratic(const lr_policy *P, const lr_predictions *s);

/* Whether most were wrong, however few there are: then f is no quadratic, not
 * even one of high rank. */
bool lr_predictions_curved(const lr_policy *P, const lr_predictions *s);

/* Whether enough of the last predictions were right for a rank estimate to be
 * used. */
bool lr_predictions_support_rank(const lr_policy *P, const lr_predictions *s);

/* Hessian columns: the share of a new direction's curvature that V does not
 * explain decreases like 1 - k/r; extrapolation gives the rank r before k
 * reaches it. */
typedef struct lr_columns {
  double unexplained[LR_WINDOW];
  uint64_t count;
  double *rank;   /* the estimates, by the number of columns of V; borrowed */
  unsigned above; /* consecutive estimates at which quasi-Newton is cheaper */
} lr_columns;

/* Records that V has grown to k columns of p.  True: the estimated rank is too
 * high for an embedding. */
bool lr_columns_add(const lr_policy *P, lr_columns *c, size_t k, double p,
                    double unexplained);

/* The mean share of curvature of the last directions that V does not explain:
 * where it is nearly zero, a derivative outside V gives no new information. */
double lr_columns_unexplained(const lr_policy *P, const lr_columns *c);

/* The early rank estimate: the median of those made while V was small; 0 while
 * V is still small (k columns). */
double lr_columns_early_rank(const lr_policy *P, const lr_columns *c, size_t k);

/* Evaluations that the embedding needs on a quadratic of that rank. */
double lr_embedding_price(const lr_policy *P, double rank);

/* Probes: directional derivatives along random directions outside V estimate
 * |g|^2 of the gradient there. */
typedef struct lr_outside {
  double squares[LR_WINDOW];
  uint64_t probes;
  double now;       /* the estimate */
  double first;     /* the estimate after a few probes; 0: not yet */
  double reference; /* the estimate at its last tenfold decrease */
} lr_outside;

/* Adds the derivative along a probe outside V, which has k directions. */
void lr_outside_add(const lr_policy *P, lr_outside *o, size_t k, double p,
                    double derivative);

#endif
