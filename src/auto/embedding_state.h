/* The embedding, the first phase of `auto`: minimisation in a random subspace
 * that grows until it holds a minimum. */
#ifndef LR_EMBEDDING_STATE_H
#define LR_EMBEDDING_STATE_H

#include "auto/embedding_history.h"
#include "auto/embedding_rules.h"
#include "auto/phase.h"

/* Under noise: the lowest value, and steps since that brought none. */
typedef struct lr_embedding_idling {
  double lowest;
  unsigned steps;
  uint64_t columns; /* measured when it was lowest */
} lr_embedding_idling;

typedef struct lr_embedding {
  lr_phase *phase;
  lr_model *model;
  bool warm; /* the embedding began with what an earlier run had learned, and */
  bool landed; /* ... stands at the minimum of that model: no step is due */
  bool after_newton;   /* the earlier run was one of quasi-Newton, and ... */
  size_t eigenvectors; /* ... as many columns are the model's largest */
  bool drawn;          /* LR_MODEL_PROBE holds a direction not probed yet */
  double tolerance;    /* share of the tolerance that |g| is to be within */
  double curvature;    /* along the first direction */
  double gain_outside; /* decrease that the last probe predicted outside V */
  unsigned failed_steps;
  unsigned level;  /* estimates of |g outside|^2 in a row that levelled off */
  uint64_t probed; /* by the phase's clock: the last probe ... */
  uint64_t fell;   /* ... and when |g outside V|^2 last fell tenfold */
  lr_embedding_idling idling;
  lr_predictions predictions;
  lr_columns columns;
  lr_outside outside;
  double paused_f, paused_outside; /* at the last pause */
  lrgd_allocator allocator;
} lr_embedding;

/* The parameters of its decisions. */
static inline const lr_policy *lr_embedding_policy(const lr_embedding *e)
{
  return e->phase->run->policy;
}

/* The dimension of the domain. */
static inline double lr_embedding_dimension(const lr_embedding *e)
{
  return (double)lr_run_dimension(e->phase->run);
}

/* With bounds the embedding works in coordinates that are mapped into them. */
static inline bool lr_embedding_mapped(const lr_embedding *e)
{
  return e->phase->fold.lower.block != NULL;
}

/* The phase's model is at the start. */
lr_code lr_embedding_init(lr_embedding *e, lr_phase *phase);
void lr_embedding_clear(lr_embedding *e);

/* lr_phase_fn; the phase's self is the lr_embedding. */
lr_code lr_embedding_advance(lr_phase *phase, double budget, lr_why *why);

/* The embedding goes on with a fit that its model has loaded, as with its own.
 */
lr_code lr_embedding_continue(lr_embedding *e, const lr_fit *fit);

/* At its pause number `pauses`, quasi-Newton having decreased f by `fell` in a
 * round, to f: whether it is worth going on. */
bool lr_embedding_goes_on(lr_embedding *e, unsigned pauses, double f,
                          double fell);

/* After LR_WHY_CONVERGED: from now on it converges at a smaller gradient. */
void lr_embedding_tighten(lr_embedding *e);

/* The curvature along a random direction: the mean of those in V that are
 * random.  Without any, eigenvectors in V make their share of it. */
double lr_embedding_random_curvature(const lr_embedding *e);

#endif
