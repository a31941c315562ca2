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

/* Room for twice the windows of the policy. */
enum {
  LR_STEPS_KEPT = 24,
  LR_WINDOW = 10,
  LR_ESTIMATES_KEPT = 6,
  LR_EARLY_KEPT = 12
};

/* Steps to the minimum of the model: whether f was there what the model
 * predicted. */
typedef struct lr_predictions {
  bool right[LR_STEPS_KEPT];
  uint64_t count;
  double sum;
} lr_predictions;

void lr_predictions_add(lr_predictions *s, bool right);

/* The share of right predictions, of the last few and of all. */
double lr_predictions_recent(const lr_predictions *s, double last);
double lr_predictions_right(const lr_predictions *s);

/* Most predictions were right: f looks quadratic. */
bool lr_predictions_quadratic(const lr_policy *P, const lr_predictions *s);

/* Enough of the last predictions were right for a rank estimate to be
 * believed. */
bool lr_predictions_support_rank(const lr_policy *P, const lr_predictions *s);

/* Hessian columns: the share of a new direction's curvature that V does not
 * explain falls like 1 - k/r, so it estimates the rank r before k reaches it.
 */
typedef struct lr_columns {
  double unexplained[LR_WINDOW];
  uint64_t count;
  double *rank;   /* estimated when V had k columns; borrowed */
  unsigned above; /* estimates in a row at which quasi-Newton is cheaper */
} lr_columns;

/* V has grown to k columns of p.  True: the rank is too high. */
bool lr_columns_add(const lr_policy *P, lr_columns *c, size_t k, double p,
                    double unexplained);

/* The unexplained share of the last directions: where it is nearly zero, a
 * directional derivative outside V repeats one inside V. */
double lr_columns_unexplained(const lr_policy *P, const lr_columns *c);

/* The early rank estimate: the median of those made while V was small.  0: V
 * still is, with its k columns. */
double lr_columns_early_rank(const lr_policy *P, const lr_columns *c, size_t k);

/* Evaluations that the embedding takes on a quadratic of that rank. */
double lr_embedding_price(const lr_policy *P, double rank);

/* Probes: directional derivatives along random directions outside V estimate
 * |g|^2 of the gradient there. */
typedef struct lr_outside {
  double squares[LR_WINDOW];
  uint64_t probes;
  double now;       /* the estimate */
  double first;     /* the estimate after a few probes; 0: not yet */
  double reference; /* the estimate when it last fell tenfold */
  double (*past)[LR_ESTIMATES_KEPT]; /* estimates with k columns; borrowed */
  unsigned char *pasts;              /* how many of these there are; borrowed */
} lr_outside;

void lr_outside_add(const lr_policy *P, lr_outside *o, size_t k, double p,
                    double derivative);

/* The least of the last estimates when V was smaller by the factor of the
 * policy. */
double lr_outside_earlier(const lr_policy *P, const lr_outside *o, size_t k);

#endif
