/* The embedding, the first phase of `auto`: minimisation in a random subspace
 * that grows until it contains a minimum. */
#ifndef LR_EMBEDDING_STATE_H
#define LR_EMBEDDING_STATE_H

#include "auto/embedding_history.h"
#include "auto/embedding_rules.h"
#include "auto/phase.h"

/* Under noise: the lowest value, and the steps since then. */
typedef struct lr_embedding_idling {
  double lowest;
  unsigned steps;
  uint64_t columns; /* Hessian columns measured when it was found */
} lr_embedding_idling;

/* An embedding.  Over 20 members: the records and estimates that its stopping
 * rules compare, each set at another point of an iteration. */
typedef struct lr_embedding {
  lr_phase *phase;
  lr_model *model;
  bool warm; /* the embedding began from known evaluations */
  /* it is at the minimum of the model fitted to them: no step is due */
  bool landed;
  bool after_newton; /* the known evaluations are quasi-Newton's */
  /* so many columns of V are the largest eigenvectors of its model */
  size_t eigenvectors;
  bool drawn;       /* LR_MODEL_PROBE holds a direction not probed yet */
  double foreseen;  /* its curvature, where its points are evaluated; else 0 */
  double tolerance; /* the share of the tolerance that |g| must reach */
  double curvature; /* along the first direction */
  double gain_outside; /* decrease that the last probe predicted outside V */
  unsigned failed_steps;
  uint64_t probed; /* clock of the phase at the last probe */
  uint64_t fell;   /* clock at the last tenfold fall of |g outside V|^2 */
  lr_embedding_idling idling;
  lr_predictions predictions;
  lr_columns columns;
  lr_outside outside;
  bool led; /* it was ahead of quasi-Newton at the last pause */
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

/* Whether a fit of known evaluations holds in the embedding's coordinates:
 * those that are mapped into a box have to be straight over its points. */
bool lr_embedding_suits_fit(lr_embedding *e, const lr_fit *fit);

/* Continues from a fit of known evaluations, which its model has loaded. */
lr_code lr_embedding_continue(lr_embedding *e, const lr_fit *fit);

/* Whether the embedding, whose trial is over, is compared with quasi-Newton
 * before it ends. */
bool lr_embedding_is_compared(const lr_embedding *e);

/* Whether the embedding continues after its pause number `pauses`, in which a
 * round of quasi-Newton decreased f by `fell` to the value f. */
bool lr_embedding_goes_on(lr_embedding *e, unsigned pauses, double f,
                          double fell);

/* After LR_WHY_CONVERGED was not confirmed: demands a smaller gradient from now
 * on. */
void lr_embedding_tighten(lr_embedding *e);

/* The expected curvature along a random direction: the mean over the random
 * columns of V; where there is none, the eigenvectors in V divided by p. */
double lr_embedding_random_curvature(const lr_embedding *e);

/* The curvature to expect along the next probe. */
double lr_embedding_probe_curvature(const lr_embedding *e);

/* Draws the direction of the next probe before the step, so that an oracle
 * which answers a value and a derivative at once can answer both.  False: V is
 * full. */
bool lr_embedding_draw(lr_embedding *e);

/* With a width: evaluates the points of the next probe together with those of
 * the gradient inside V, if one round holds them or that is measured anyway. */
LRGD_MUST_CHECK lr_code lr_embedding_foresee(lr_embedding *e, bool measures);

/* Sets the tolerance from the first probes, where the user gave none, or from a
 * steeper slope measured before: an embedding that starts over near a minimum
 * finds small slopes. */
void lr_embedding_set_tolerance(lr_embedding *e);

/* Where the start is close to a minimum, an end without a certificate, whatever
 * its reason, leads to one: quasi-Newton would measure p derivatives, none of
 * which one-sided differences resolve. */
lr_why lr_embedding_judge_start(lr_embedding *e, lr_why why);

#endif
