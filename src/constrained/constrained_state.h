/* The state of a run with limits on outputs. */
#ifndef LR_CONSTRAINED_STATE_H
#define LR_CONSTRAINED_STATE_H

#include "constrained/elastic_qp.h"
#include "constrained/output_model.h"
#include "solver/iterate.h"

enum { LR_CON_TRIAL, LR_CON_BASE, LR_CON_POINTS };

/* A step s = (z - base) / radius, and what the models predict at its end. */
typedef struct lr_con_step {
  double *s;    /* n */
  double merit; /* merit function of the models at s */
  double
      outside; /* the constraint part of `merit`, before the factor `penalty` */
  double predicted;    /* predicted decrease of the merit */
  double length;       /* largest component of s */
  bool fresh;          /* no quadratic program has been solved for it yet */
  double slope;        /* length of the step in z: radius times |s| */
  double stationarity; /* |projected gradient of the Lagrangian| there */
} lr_con_step;

/* A run with limits on outputs.  Over 20 members: the files of this folder
 * share one iterate, its models and the scratch for them. */
typedef struct lr_constrained {
  lr_run *run;
  const lr_policy *policy;
  const lr_outputs *outputs;
  lr_output_model M;
  lr_elastic_qp qp;
  lrgd_block *points;
  lr_point trial;

  size_t p, n, m; /* inputs, directions, outputs */
  bool axes;      /* the directions are the inputs that can move */
  size_t *axis;   /* these n inputs */
  double *x0;     /* the start: x = x0 + D V z */
  double *D;      /* p: scales of the inputs */
  double *V;      /* p x room_n, orthonormal; unused if axes */
  uint64_t draws;

  /* m each: limits of the outputs, moved inwards by a margin */
  double *low, *high;
  double *weight; /* m: merit = weight f + penalty sum weight violation */
  double penalty;
  double radius; /* radius of the trust region, in z */
  double floor;  /* the least radius while the models can be improved */
  /* 0 while no point is within the limits and only violations count */
  double f_weight;

  lr_con_step step, other;
  double *lambda; /* multipliers of outputs in units of the merit, m */
  double *kept;   /* a copy of `lambda` */
  double *told;   /* the multipliers of the last program, for results */
  double *mu;     /* multipliers of A x <= b, in the same units */
  double *y, *G, *H, *v, *w; /* scratch: 2 m; n m; n n; p each */
  /* p: the gradient of the Lagrangian of the outputs, by the models */
  double *raw;
  /* p: a displacement that leads away from the bounds and rows near x */
  double *away;
  size_t *rows; /* outputs that are rows of the QP; room for axis */
  size_t row_count;

  double first_radius;
  double kkt; /* |projected gradient of the Lagrangian|, in units of f */
  /* the base at which a certificate was last tried; looks: how many */
  size_t certified;
  size_t looks;
  size_t best; /* index of the point that would be returned now */
  double best_f, best_violation;
  bool feasible_told;
  double slopes[3]; /* slopes of the Lagrangian along the last new directions */
  bool weighed;     /* the weights of the outputs have been set */
  size_t grown;     /* how many such slopes have been measured */
  size_t failures;  /* steps without a decrease, in a row */
  size_t stuck;     /* steps whose models lower no violation, in a row */
} lr_constrained;

/* Bounds of coordinate j; only where the directions are the inputs. */
static inline double lr_con_lower(const lr_constrained *s, size_t j)
{
  lrgd_box box = s->run->oracle.box;
  if (!s->axes || !box.lower.block) return -INFINITY;
  const double *lower = lrgd_host_data(box.lower);
  return (lower[s->axis[j]] - s->x0[s->axis[j]]) / s->D[s->axis[j]];
}
static inline double lr_con_upper(const lr_constrained *s, size_t j)
{
  lrgd_box box = s->run->oracle.box;
  if (!s->axes || !box.lower.block) return INFINITY;
  const double *upper = lrgd_host_data(box.upper);
  return (upper[s->axis[j]] - s->x0[s->axis[j]]) / s->D[s->axis[j]];
}

/* ---- constrained_start.c ---- */
lr_code lr_con_open(lr_constrained *s, lr_run *run);
void lr_con_close(lr_constrained *s);
/* Evaluates the start, and the first directions. */
lr_code lr_con_begin(lr_constrained *s);
/* Sets the weights of outputs so that their derivatives have similar sizes. */
void lr_con_weigh(lr_constrained *s);

/* ---- constrained_trial.c ---- */
/* The trial becomes x0 + D V z, moved into the bounds. */
void lr_con_place(lr_constrained *s, const double *z);
/* The margin to row r of A x <= b that steps keep, near x. */
double lr_con_row_margin(const lr_constrained *s, size_t r, const double *x);
/* Whether x satisfies A x <= b. */
bool lr_con_satisfies_rows(const lr_constrained *s, const double *x);
/* Moves z towards the base until it satisfies bounds and A x <= b; returns the
 * remaining share of the distance. */
double lr_con_contain(lr_constrained *s, double *z);
/* Records an accepted step: counts it and calls the callback. */
lr_code lr_con_arrive(lr_constrained *s);
/* Evaluates all outputs at z and adds the point to the models; *index: its
 * number. LR_NOVALUE: it cannot be evaluated. */
lr_code lr_con_evaluate(lr_constrained *s, const double *z, lrgd_purpose why,
                        size_t *index);
/* Chooses the best point again, after the scales of violations have changed. */
lr_code lr_con_keep_again(lr_constrained *s);
/* Adds a direction, with an evaluation along it; *grown: that was possible. */
lr_code lr_con_grow(lr_constrained *s, bool *grown);
/* The derivative of the Lagrangian to be expected along another new
 * direction. */
double lr_con_slope_outside(const lr_constrained *s);
/* The Lagrangian at outputs y, in the units of the merit function. */
double lr_con_lagrangian(const lr_constrained *s, const double *y);
/* The merit function at point i. */
double lr_con_merit(const lr_constrained *s, size_t i);
/* The merit function at outputs y, and its weighted violation. */
double lr_con_merit_of(const lr_constrained *s, const double *y,
                       double *outside);
/* The point with the least merit. */
size_t lr_con_lowest(const lr_constrained *s);

/* ---- constrained_step.c ---- */
/* Finds the step that decreases the models' merit most within the trust region;
 * raises the penalty where violations require it. */
lr_code lr_con_find_step(lr_constrained *s);

/* ---- constrained_end.c ---- */
/* Checks the end: where the gradient of the Lagrangian at the base is within
 * the tolerance and probes confirm that, ends the run. */
lr_code lr_con_look(lr_constrained *s);
lr_code lr_con_give_up(lr_constrained *s);
void lr_con_leave(lr_constrained *s);

#endif
