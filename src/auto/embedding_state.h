/* Phase R of `auto`: a random embedding that grows until it holds a minimum. */
#ifndef LR_EMBEDDING_H
#define LR_EMBEDDING_H

#include "model/model.h"

/* Why the embedding handed back. */
typedef enum lr_embedding_end {
  LR_EMBEDDING_PAUSED, /* a budget is used up: somebody else may have a turn */
  LR_EMBEDDING_DONE,   /* converged in folded coordinates: bounds are to be
                      looked at */
  LR_EMBEDDING_STUCK,  /* no step falls: converged to rounding or noise */
  LR_EMBEDDING_TAIL,   /* the gradient outside collapsed, then stayed put */
  LR_EMBEDDING_STALL,  /* it never collapsed */
  LR_EMBEDDING_HIGH_RANK, /* curvature says that this will cost more than K */
  LR_EMBEDDING_BUDGET, /* few dimensions or a box, and no sign that it pays */
  LR_EMBEDDING_PASSED, /* larger than the rank foretold, yet not done */
  LR_EMBEDDING_DEAR,   /* dearer than the rank foretold */
  LR_EMBEDDING_WALLED, /* where it leads f cannot be evaluated */
  LR_EMBEDDING_FULL    /* as many directions as are allowed */
} lr_embedding_end;

typedef struct lr_embedding {
  lr_model *model;
  bool begun;
  bool known;      /* with what an earlier run had learned */
  double c0;       /* curvature along the first direction */
  double gain_out; /* decrease the last probe promised outside V */
  uint64_t began, progressed, looked; /* evaluations at those moments */
  uint64_t failed; /* answers that were no value when it began */
  int pauses, fails, high, level;
  double lowest;       /* under noise: the last landing that fell ... */
  int idle;            /* ... landings since, ... */
  uint64_t idle_since; /* ... and `extensions` then */
  double paused_f, paused_outside; /* how it stood at the last pause */
  double share; /* of the tolerance, that the gradient is to be within */
  bool drawn;   /* LR_MODEL_PROBE holds a direction not probed yet */

  double squares[5]; /* of the last probes */
  uint64_t probes;
  double outside, first, reference; /* estimates of |g outside V|^2 */
  double trusted_sum;
  bool trusted[12]; /* whether the last landings agreed with the model */
  uint64_t landings;
  double rho[5];
  uint64_t extensions;
  double *rank;      /* rank foretold when V had k columns */
  double (*past)[3]; /* last estimates of `outside` with k columns */
  unsigned char *pasts;
  lrgd_allocator allocator;
} lr_embedding;

lr_code lr_embedding_init(lr_embedding *e, lr_model *m);
void lr_embedding_clear(lr_embedding *e);

/* It goes on with a fit that its model has loaded, as if it had made it. */
lr_code lr_embedding_continue(lr_embedding *e, const lr_fit *fit);

/* The share of landings that were where the model said. */
double lr_embedding_trusted(const lr_embedding *e);

/* At a pause, K standing at f after a round in which it fell by so much:
 * whether it is worth going on.  The embedding must be lower than K by more
 * than one more round of K is likely to bring (on low-rank functions the lead
 * is a tenth of that round and more, where there is a tail some hundredths),
 * and since the last pause have fallen by some share of the lead or seen the
 * gradient outside V fall tenfold. */
bool lr_embedding_pays(lr_embedding *e, double f, double fell);

/* Goes on until it ends or pauses.  LR_END: the run is over (converged with a
 * certificate, or whatever else ends runs). */
lr_code lr_embedding_advance(lr_embedding *e, lr_embedding_end *end);

/* After LR_EMBEDDING_DONE: it is done at a third of that gradient, next time.
 */
void lr_embedding_tighten(lr_embedding *e);

/* Shared by the files of this phase: ------------------------------------ */

static inline uint64_t lr_embedding_spent(const lr_embedding *e)
{
  return lr_oracle_spent(e->model->oracle);
}

static inline double lr_embedding_dimension(const lr_embedding *e)
{
  return (double)lr_run_dimension(e->model->run);
}

/* Under bounds the embedding lives in folded coordinates. */
static inline bool lr_embedding_folded(const lr_embedding *e)
{
  return e->model->oracle->fold.lower.block != NULL;
}

/* The model has landed: whether that was where it said is remembered. */
void lr_embedding_landed(lr_embedding *e);

/* The share of a new direction's curvature that V does not explain falls like
 * 1 - k/r: so it tells r before V has reached it.  True: for the second time
 * running that is a rank at which K is cheaper. */
bool lr_embedding_foretell(lr_embedding *e, double rho);

/* What the last directions brought that V did not know: where that is nothing,
 * V spans all that matters and a slope outside is one inside, seen again. */
double lr_embedding_newness(const lr_embedding *e);

/* d: a slope outside V, for the estimate of |g outside V|^2. */
void lr_embedding_probed(lr_embedding *e, double d);

/* Whether the gradient inside V is near what was asked for: no time for a
 * pause, and the time for accurate slopes. */
bool lr_embedding_near(const lr_embedding *e);

/* Whether what it may cost is used up.  True: *end says why. */
bool lr_embedding_over_budget(lr_embedding *e, lr_embedding_end *end);

/* After a probe: has the gradient outside V stopped falling? */
bool lr_embedding_hopeless(lr_embedding *e, bool captured,
                           lr_embedding_end *end);

/* Slopes made of noise look like this: a step brings next to nothing of what
 * was promised (smooth functions keep a third and more), and nothing that
 * counts beside what was gained so far (where B is nearly singular, promises
 * are large and steps still good).  Or, later: the model is never right. */
bool lr_embedding_suspicious(const lr_embedding *e, double fall);

/* Under noise: three landings, new directions among them, have brought nothing
 * that counts.  (A fall is seen from the base, which may be higher than where
 * the model stood before.) */
bool lr_embedding_idles(lr_embedding *e);

#endif
