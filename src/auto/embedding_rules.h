/* When the embedding stops, pauses, or suspects noise: pure functions of
 * observations and of the policy. */
#ifndef LR_EMBEDDING_RULES_H
#define LR_EMBEDDING_RULES_H

#include "auto/embedding_history.h"
#include "auto/phase.h"
#include "base/policy.h"

/* The embedding at one moment, as its rules see it. */
typedef struct lr_embedding_view {
  double p, k;                  /* dimensions, and directions in V */
  double evaluations, failures; /* counted from its beginning */
  /* quasi-Newton made the known evaluations it continues from */
  bool after_newton;
  bool warm;             /* it continues from a fit of known evaluations */
  bool led;              /* it was ahead of quasi-Newton at a pause */
  bool bounded;          /* f is evaluated through the map into the box */
  bool quadratic;        /* most predictions of the model were right */
  bool curved;           /* most predictions of the model were wrong */
  bool near_tolerance;   /* |g| inside V is near the tolerance */
  double outside, first; /* |g outside V|^2, now and at first; 0: not known */
  double early_rank;     /* the rank, estimated with few columns */
  double half_rank;      /* the rank, estimated when V was half as large */
  /* rank estimates are supported by the last predictions */
  bool rank_supported;
  double columns; /* Hessian columns measured since it began */
  /* share of the last directions' curvature that V does not explain */
  double unexplained;
} lr_embedding_view;

/* Whether the rank estimated when V was half as large is still larger than k:
 * then the gradient outside V need not fall yet. */
bool lr_embedding_waits_for_rank(const lr_policy *P,
                                 const lr_embedding_view *v);

/* The evaluations that the embedding may spend on a non-quadratic function
 * before it has shown low rank. */
double lr_embedding_allowance(const lr_policy *P, const lr_embedding_view *v);

/* Before the embedding ends: whether further probes may prevent that.  This
 * wants earlier probes to compare with; with bounds also a short trial, that is
 * a small p (for large p the allowance already depended on the gradient outside
 * V). */
bool lr_embedding_may_go_on(const lr_policy *P, const lr_embedding_view *v);

/* Three tests before the embedding ends: whether the map into the bounds has
 * bent its path so little that its derivatives are those of f; whether another
 * probe at the present point is allowed after so many; and whether |g outside
 * V|^2, by such a probe, has fallen so far that the embedding is close to a
 * minimum. */
bool lr_embedding_straight(const lr_policy *P, double bend);
/* Whether a model in the user's coordinates holds in mapped ones, which bend a
 * step by this share. */
bool lr_embedding_holds_fit(const lr_policy *P, double bend);
bool lr_embedding_looks_again(const lr_policy *P, unsigned probes);
bool lr_embedding_fell(const lr_policy *P, double outside, double first);

/* The number of evaluations without a tenfold decrease of |g outside V|^2 after
 * which the embedding ends. */
double lr_embedding_patience(const lr_policy *P, const lr_embedding_view *v);

/* Whether the embedding has cost too much, or has spent its budget. */
lr_why lr_embedding_over_budget(const lr_policy *P, const lr_embedding_view *v,
                                double budget);

/* Whether there is a trial in so few dimensions, without bounds. */
bool lr_embedding_is_small(const lr_policy *P, double p);

/* Whether an embedding whose trial is over is compared with quasi-Newton before
 * it ends; that begins with such a round in any case. Not where its few
 * predictions were right: a quadratic of low rank would have been solved. */
bool lr_embedding_compares(const lr_embedding_view *v);

/* After a probe: whether to end because |g outside V|^2 last fell tenfold so
 * many evaluations ago. */
lr_why lr_embedding_no_fall(const lr_policy *P, const lr_embedding_view *v,
                            double since);

/* The share of the tolerance that |g| must reach in mapped coordinates, after
 * the gradient without the map was too large at the present share (1 at
 * first). */
double lr_embedding_tightened(const lr_policy *P, double share);

/* Whether the truncation error of the first derivative d is large beside it. */
bool lr_embedding_is_truncation(const lr_policy *P, double d, double error);

/* The curvature that the differences at the start are taken to have met: the
 * mean curvature in V, which errors may have enlarged, or the first one. */
double lr_embedding_start_curvature(const lr_policy *P, double mean,
                                    double first);

/* The least tolerance that nobody gave, for a first gradient and the error of
 * the differences that estimated it; 0 where that error is small. */
double lr_embedding_least_tolerance(const lr_policy *P, double first,
                                    double error);

/* The expected curvature outside V, from the mean curvature in V and the first
 * one measured. */
double lr_embedding_curvature(const lr_policy *P, double mean, double first);

/* Whether a probe predicts a negligible decrease outside V, compared with the
 * last decrease. */
bool lr_embedding_negligible(const lr_policy *P, double gain, double decrease);

/* Whether the model fitted to known evaluations, whose minimum lowered f by
 * `gained`, is at its minimum in V: the decrease `gain` it still predicts is
 * negligible. */
bool lr_embedding_has_landed(const lr_policy *P, double gain, double gained);

/* Whether |g| inside V is small enough to continue with a probe outside; and
 * whether it is near the tolerance. */
bool lr_embedding_small_inside(const lr_policy *P, double inside, double tol);
bool lr_embedding_near(const lr_policy *P, double inside, double tol);

/* Whether so many consecutive steps without a decrease end the embedding.
 * (Under noise: steps and new directions without a decrease beyond the
 * noise.) */
bool lr_embedding_is_stuck(const lr_policy *P, unsigned failed);
bool lr_embedding_idles(const lr_policy *P, unsigned steps, uint64_t columns);

/* Whether the model was built with difference steps that are much too short for
 * the noise measured since. */
bool lr_embedding_misled(const lr_policy *P, const lr_model *m);

/* A step of the embedding, and the noise known so far. */
typedef struct lr_step_view {
  double decrease, predicted; /* of f, by this step: measured and predicted */
  double gained;              /* decrease of f since the start */
  double f_start;             /* f at the start */
  double rounding;            /* the size of a rounding error of f */
  double noise;               /* the noise that is assumed; 0: none */
  double steps;               /* steps of the embedding so far */
  double recent; /* share of the last two steps whose decrease was predicted */
  double evaluations; /* since the embedding began */
} lr_step_view;

/* Whether noise may explain the result of a step: its decrease is negligible
 * beside the prediction (on smooth functions a third or more of that is
 * reached) and beside the decrease so far (where the Hessian is nearly
 * singular, good steps fall short of their predictions too).  After many steps
 * also: no prediction was right. */
bool lr_embedding_suspects_noise(const lr_policy *P, const lr_step_view *s);

/* Whether the embedding ends after a step without a decrease, since noise hides
 * any decrease that is left. */
bool lr_embedding_ends_in_noise(const lr_policy *P, const lr_step_view *s);

/* The embedding and quasi-Newton at a pause of the embedding. */
typedef struct lr_pause_view {
  bool first;         /* the first pause */
  bool warm;          /* an earlier run found the embedding ahead */
  double f, f_before; /* the embedding's value, now and at its last pause */
  double outside, outside_before; /* |g outside|^2, now and at its last pause */
  /* quasi-Newton's value, and the decrease of its last round */
  double other, other_fell;
} lr_pause_view;

/* Whether the embedding continues: its value is below quasi-Newton's by more
 * than another round of quasi-Newton is likely to gain, and since the last
 * pause it has decreased f by some share of that lead or |g outside V|^2
 * tenfold. */
bool lr_embedding_pays(const lr_policy *P, const lr_pause_view *v);

#endif
