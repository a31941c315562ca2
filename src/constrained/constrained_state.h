/* The state of a run with limits on outputs. */
#ifndef LR_CONSTRAINED_STATE_H
#define LR_CONSTRAINED_STATE_H

#include "constrained/elastic_qp.h"
#include "constrained/output_model.h"
#include "solver/iterate.h"

enum { LR_CON_TRIAL, LR_CON_BASE, LR_CON_POINTS };

/* A step in s = (z - base) / radius, and what the models say of it. */
typedef struct lr_con_step {
  double *s;      /* n */
  double merit;   /* of the models there, ... */
  double outside; /* ... and its part of the constraints, without the penalty */
  double predicted;    /* decrease of the merit */
  double length;       /* largest component of s */
  bool fresh;          /* no program was solved yet */
  double slope;        /* its length in z */
  double stationarity; /* |projected gradient of the Lagrangian| there */
} lr_con_step;

typedef struct lr_constrained {
  lr_run *run;
  const lr_policy *policy;
  const lr_outputs *outputs;
  lr_output_model M;
  lr_elastic_qp qp;
  lrgd_block *points;
  lr_point trial;

  size_t p, n, m; /* inputs, directions, outputs */
  bool axes;      /* the directions are the inputs that are not fixed, ... */
  size_t *axis;   /* ... these, n numbers in rows */
  double *x0;     /* the start: x = x0 + D V z */
  double *D;      /* p: sizes of the inputs */
  double *V;      /* p x room_n, orthonormal; not used where axes */
  uint64_t draws;

  double *low, *high; /* limits of outputs with a margin, m each */
  double *weight;     /* m: merit = weight f + penalty sum weight violation */
  double penalty;
  double radius;   /* of the trust region, in z */
  double f_weight; /* 0 while only violations count */

  lr_con_step step, other;
  double *lambda; /* multipliers of outputs in units of the merit, m ... */
  double *kept;   /* ... and a copy */
  double *mu;     /* multipliers of A x <= b, likewise */
  double *y, *G, *H, *v, *w; /* scratch: 2 m; n m; n n; p each */
  double *raw;  /* p: the models' gradient of the Lagrangian of the outputs */
  double *away; /* p: a displacement that leads away from what is near */
  size_t *rows; /* outputs that are rows of the QP; room for axis */
  size_t row_count;

  double first_radius;
  double kkt;       /* |projected gradient of the Lagrangian|, in units of f */
  size_t certified; /* the base of the last certificate, and how many */
  size_t looks;
  size_t best; /* the point that would be returned */
  double best_f, best_violation;
  bool feasible_told;
  double slopes[3]; /* of the Lagrangian along the last new directions */
  bool weighed;     /* the outputs have weights */
  size_t grown;     /* how many there were */
  size_t failures;  /* steps without a decrease, in a row */
  size_t stuck;     /* steps whose models lower no violation, in a row */
} lr_constrained;

/* Bounds of coordinate j, where the directions are the inputs. */
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
/* The start, and the first directions. */
lr_code lr_con_begin(lr_constrained *s);
/* Weights of outputs, so that their derivatives count alike. */
void lr_con_weigh(lr_constrained *s);

/* ---- constrained_trial.c ---- */
/* The trial becomes x0 + D V z, within the bounds. */
void lr_con_place(lr_constrained *s, const double *z);
/* How far inside of row r of A x <= b points are aimed at, near x. */
double lr_con_row_margin(const lr_constrained *s, size_t r, const double *x);
/* Whether x satisfies A x <= b. */
bool lr_con_satisfies_rows(const lr_constrained *s, const double *x);
/* Moves z towards the base until it is within bounds and A x <= b; the share of
 * the way that is left. */
double lr_con_contain(lr_constrained *s, double *z);
/* The step was made: counts and tells it. */
lr_code lr_con_arrive(lr_constrained *s);
/* Evaluates all outputs at z and takes them in; *index: its number.
 * LR_NOVALUE: it cannot be evaluated there. */
lr_code lr_con_evaluate(lr_constrained *s, const double *z, lrgd_purpose why,
                        size_t *index);
/* Finds the best point anew, as scales of violations have changed. */
lr_code lr_con_keep_again(lr_constrained *s);
/* One direction more, with an evaluation along it; *grown. */
lr_code lr_con_grow(lr_constrained *s, bool *grown);
/* The slope of the Lagrangian that is to be expected along a new one. */
double lr_con_slope_outside(const lr_constrained *s);
/* The Lagrangian at outputs y, in units of the merit. */
double lr_con_lagrangian(const lr_constrained *s, const double *y);
/* The merit of point i. */
double lr_con_merit(const lr_constrained *s, size_t i);
/* The merit of outputs y; the weighted violation. */
double lr_con_merit_of(const lr_constrained *s, const double *y,
                       double *outside);
/* The point of least merit. */
size_t lr_con_lowest(const lr_constrained *s);

/* ---- constrained_step.c ---- */
/* The step that lowers the merit of the models most, within the trust region;
 * raises the penalty where violations need it. */
lr_code lr_con_find_step(lr_constrained *s);

/* ---- constrained_end.c ---- */
/* The gradient of the Lagrangian at the base; ends the run where it is small
 * and probes confirm that. */
lr_code lr_con_look(lr_constrained *s);
lr_code lr_con_give_up(lr_constrained *s);
void lr_con_leave(lr_constrained *s);

#endif
