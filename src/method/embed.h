/* Phase R of `auto`: a random embedding that grows until it holds a minimum. */
#ifndef LR_EMBED_H
#define LR_EMBED_H

#include "method/model.h"

/* Why the embedding handed back. */
typedef enum lr_embed_end {
  LR_EMBED_PAUSED,    /* a budget is used up: somebody else may have a turn */
  LR_EMBED_DONE,      /* converged in folded coordinates: bounds are to be
                         looked at */
  LR_EMBED_STUCK,     /* no step falls: converged to rounding or noise */
  LR_EMBED_TAIL,      /* the gradient outside collapsed, then stayed put */
  LR_EMBED_STALL,     /* it never collapsed */
  LR_EMBED_HIGH_RANK, /* curvature says that this will cost more than K */
  LR_EMBED_BUDGET,    /* few dimensions or a box, and no sign that it pays */
  LR_EMBED_PASSED,    /* larger than the rank foretold, yet not done */
  LR_EMBED_DEAR,      /* dearer than the rank foretold */
  LR_EMBED_FULL       /* as many directions as are allowed */
} lr_embed_end;

typedef struct lr_embed {
  lr_model *model;
  bool begun;
  double c0;       /* curvature along the first direction */
  double gain_out; /* decrease the last probe promised outside V */
  uint64_t began, progressed, looked; /* evaluations at those moments */
  int pauses, fails, high, level;
  double lowest;       /* under noise: the last landing that fell ... */
  int idle;            /* ... landings since, ... */
  uint64_t idle_since; /* ... and `extensions` then */
  double paused_f, paused_outside; /* how it stood at the last pause */
  bool drawn; /* LR_MODEL_PROBE holds a direction not probed yet */

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
} lr_embed;

lr_code lr_embed_init(lr_embed *e, lr_model *m);
void lr_embed_clear(lr_embed *e);

/* The share of landings that were where the model said. */
double lr_embed_trusted(const lr_embed *e);

/* At a pause, K standing at f after a round in which it fell by so much:
 * whether it is worth going on.  The embedding must be lower than K by more
 * than one more round of K is likely to bring (on low-rank functions the lead
 * is a tenth of that round and more, where there is a tail some hundredths),
 * and since the last pause have fallen by some share of the lead or seen the
 * gradient outside V fall tenfold. */
bool lr_embed_pays(lr_embed *e, double f, double fell);

/* Goes on until it ends or pauses.  LR_END: the run is over (converged with a
 * certificate, or whatever else ends runs). */
lr_code lr_embed_advance(lr_embed *e, lr_embed_end *end);

#endif
