/* The model of a survey: a quadratic through all near values.
 *
 * It changes by as little as new values demand (Powell, Math. Program. 100,
 * 2004), with a ridge that grows with the sixth power of the distance: any
 * number of values may be used, near ones dominate, and no geometry has to be
 * maintained.  With y = values - the last model at points d_i (in radii) from
 * the best one,
 *   K = c dd' + (dd').^2 / 2 + ridge,  K lambda = y,
 *   g += c d' lambda,  H += d' diag(lambda) d. */
#ifndef LR_SURVEY_MODEL_H
#define LR_SURVEY_MODEL_H

#include "wide/box_region.h"
#include "wide/rounds.h"

enum { LR_SURVEY_LANDINGS = 4 };

/* A known point near the best one. */
typedef struct lr_neighbour {
  double distance;
  size_t at;
} lr_neighbour;

/* Over 20 members: the points known, the model with the letters of the formula
 * above, and the landings of one round. */
typedef struct lr_survey_model {
  lr_run *run;
  /* best: the index of the lowest of `count` known points */
  size_t p, width, count, room, best;
  double *points, *f;
  double half;      /* points stay in [-half, half]^p; INFINITY: anywhere */
  double *g, *H;    /* the model at the best point */
  double *model_at; /* the base point of the last model */
  double radius;
  lr_box_region region;
  size_t landings; /* landings in this round */
  double *land;    /* points of the landings, p numbers each */
  double lengths[LR_SURVEY_LANDINGS],
      promised;  /* lengths of the landings' steps */
  double *cycle; /* p orthonormal directions */
  size_t turn;   /* number of directions of `cycle` used so far */
  uint64_t draws;
  lr_neighbour *near;
  size_t most; /* the most neighbours a model uses */
  double *K, *d, *y, *step;
  size_t window;      /* values after which progress is judged */
  size_t cut;         /* `count` when progress was last judged */
  double cut_f;       /* the lowest value when progress was last judged */
  lrgd_block *vector; /* a vector of the run's length p; borrowed */
} lr_survey_model;

/* A model in p coordinates; vector: a column of scratch, borrowed. */
LRGD_MUST_CHECK lr_code lr_survey_open(lr_survey_model *q, lr_run *run,
                                       size_t p, lrgd_block *vector);
void lr_survey_close(lr_survey_model *q);

static inline double *lr_survey_point(const lr_survey_model *q, size_t i)
{
  return q->points + i * q->p;
}

/* Updates the model by all near values. */
void lr_survey_learn(lr_survey_model *q);

/* q->land = the minima of the model for several radii. */
void lr_survey_land(lr_survey_model *q);

/* to = a point around the first landing, along the next direction of a random
 * orthonormal cycle. */
void lr_survey_explore(lr_survey_model *q, double *to);

/* Whether the survey ends: its window has brought a negligible decrease, the
 * memory is full, or the radius is too small. */
bool lr_survey_is_over(lr_survey_model *q);

#endif
