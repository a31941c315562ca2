/* When the embedding stops, pauses, or suspects noise: decisions that are
 * functions of what was seen and of the policy, and of nothing else. */
#ifndef LR_EMBEDDING_RULES_H
#define LR_EMBEDDING_RULES_H

#include "auto/embedding_history.h"
#include "auto/phase.h"
#include "base/policy.h"

/* The embedding at one moment, as its rules see it. */
typedef struct lr_embedding_view {
  double p, k;                  /* dimensions, and directions in V */
  double evaluations, failures; /* since it began */
  bool after_newton;     /* quasi-Newton goes on with known evaluations */
  bool bounded;          /* f is seen through the map into the box */
  bool quadratic;        /* most predictions of the model were right */
  bool near_tolerance;   /* |g| inside V is near the tolerance */
  bool improves_inside;  /* a step inside V predicts a larger decrease than one
                            outside */
  double outside, first; /* |g outside V|^2, now and at first; 0: not known */
  double early_rank;     /* the rank, estimated with few columns */
  double half_rank;      /* the rank, estimated when V was half as large */
  bool rank_supported;   /* by the last predictions */
  double columns;        /* measured since it began */
  double unexplained;    /* share of the last directions' curvature */
} lr_embedding_view;

/* The rank estimated when V was half as large is still ahead: the gradient
 * outside V need not fall yet. */
bool lr_embedding_waits_for_rank(const lr_policy *P,
                                 const lr_embedding_view *v);

/* Evaluations by which a function that is no quadratic has to show that it is
 * of low rank. */
double lr_embedding_allowance(const lr_policy *P, const lr_embedding_view *v);

/* Before the embedding ends: whether probes can show that it should not: there
 * are earlier ones to compare with, and with bounds the trial was short, as p
 * is small (else its allowance depended on the gradient outside V anyway). */
bool lr_embedding_may_go_on(const lr_policy *P, const lr_embedding_view *v);

/* Whether bounds have curved its path so little that its derivatives are those
 * of f; whether there is one more probe at the present point, after so many;
 * and whether |g outside V|^2, by one of them, has fallen so far that the
 * embedding is at a minimum all the same. */
bool lr_embedding_straight(const lr_policy *P, double bend);
bool lr_embedding_looks_again(const lr_policy *P, unsigned probes);
bool lr_embedding_fell(const lr_policy *P, double outside, double first);

/* Evaluations without a tenfold fall of |g outside|^2 after which it ends. */
double lr_embedding_patience(const lr_policy *P, const lr_embedding_view *v);

/* Whether it has cost too much, or a budget is spent. */
lr_why lr_embedding_over_budget(const lr_policy *P, const lr_embedding_view *v,
                                double budget);

/* Whether |g outside V|^2 has levelled off, `earlier` being what it was when V
 * was smaller: 1 yes, 0 no, -1 it is too early to say. */
int lr_embedding_level(const lr_policy *P, const lr_embedding_view *v,
                       double earlier);

/* After a probe: `level` of the last estimates in a row have levelled off. */
bool lr_embedding_has_tail(const lr_policy *P, const lr_embedding_view *v,
                           double level);

/* After a probe, |g outside V|^2 having last fallen tenfold so many evaluations
 * ago. */
lr_why lr_embedding_no_fall(const lr_policy *P, const lr_embedding_view *v,
                            double since);

/* The share of the tolerance that |g| is to be within, in mapped coordinates,
 * after one that turned out to be too large; 1 at first. */
double lr_embedding_tightened(const lr_policy *P, double share);

/* Whether the truncation error of the first derivative d is large beside it. */
bool lr_embedding_is_truncation(const lr_policy *P, double d, double error);

/* The curvature to expect outside V, from the mean in V and the first. */
double lr_embedding_curvature(const lr_policy *P, double mean, double first);

/* Whether a probe predicts a negligible decrease outside V, beside the last
 * one. */
bool lr_embedding_negligible(const lr_policy *P, double gain, double decrease);

/* Whether a model of known evaluations, which lowered f by `gained`, is at its
 * minimum in V: it predicts a negligible decrease. */
bool lr_embedding_has_landed(const lr_policy *P, double gain, double gained);

/* Whether |g| inside V is small enough for a probe outside; and whether it is
 * near the tolerance. */
bool lr_embedding_small_inside(const lr_policy *P, double inside, double tol);
bool lr_embedding_near(const lr_policy *P, double inside, double tol);

/* Whether so many steps without a decrease (under noise: without one beyond it,
 * new directions included) end the embedding. */
bool lr_embedding_is_stuck(const lr_policy *P, unsigned failed);
bool lr_embedding_idles(const lr_policy *P, unsigned steps, uint64_t columns);

/* Whether the model was built from differences that assumed far less noise than
 * there is. */
bool lr_embedding_misled(const lr_policy *P, const lr_model *m);

/* A step of the embedding, and what is known of noise. */
typedef struct lr_step_view {
  double decrease, predicted; /* of f, by this step */
  double gained;              /* decrease of f since the start */
  double f_start;             /* f at the start */
  double rounding;            /* the size of a rounding error of f */
  double noise;               /* believed in; 0: none */
  double steps;               /* steps of the embedding so far */
  double recent;              /* share of the last two that were predicted */
  double evaluations;         /* since the embedding began */
} lr_step_view;

/* Whether noise explains the step: it brought a negligible part of the
 * predicted decrease (smooth functions keep a third and more), and of the
 * decrease so far (where the Hessian is nearly singular, predictions are too
 * large although steps are good).  Or, later: no prediction is right. */
bool lr_embedding_suspects_noise(const lr_policy *P, const lr_step_view *s);

/* Whether a step without a decrease ends the embedding, as noise hides any
 * other. */
bool lr_embedding_ends_in_noise(const lr_policy *P, const lr_step_view *s);

/* The embedding and quasi-Newton at a pause of the embedding. */
typedef struct lr_pause_view {
  bool first;         /* the first pause */
  bool warm;          /* an earlier run found that the embedding pays */
  double f, f_before; /* value of the embedding, now and at its last pause */
  double outside, outside_before; /* |g outside|^2, now and at its last pause */
  double other, other_fell;       /* f of quasi-Newton, and its last decrease */
} lr_pause_view;

/* Whether the embedding goes on: it is lower by more than one more round of
 * quasi-Newton is likely to bring, and since the last pause it has decreased f
 * by some share of its lead or seen |g outside|^2 fall tenfold. */
bool lr_embedding_pays(const lr_policy *P, const lr_pause_view *v);

#endif
