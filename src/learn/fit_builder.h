/* A fit under construction: derivatives taken from known evaluations
 * (fit_data.c), the subspace they are projected onto (fit_subspace.c), the
 * method that made the evaluations (fit_history.c), and the regression
 * (fit_regression.c). */
#ifndef LR_FIT_BUILDER_H
#define LR_FIT_BUILDER_H

#include "learn/fit.h"
#include "learn/fit_rules.h"
#include "learn/regression.h"
#include "learn/tree.h"

/* The source of a derivative.  EDGE: the difference quotient of two values;
 * SLOPE and GRADIENT: given by the user; GATHERED: a gradient whose entries are
 * finite differences along the inputs. */
typedef enum lr_datum_source {
  LR_DATUM_EDGE,
  LR_DATUM_SLOPE,
  LR_DATUM_GRADIENT,
  LR_DATUM_GATHERED
} lr_datum_source;

typedef struct lr_datum {
  lr_datum_source from;
  size_t a, b; /* evaluations; of an edge, its parent and child nodes */
  size_t hub;  /* of a gathered gradient, its number */
  double far;  /* distance from the lowest point */
  double d;    /* the derivative */
  double t;    /* length of an edge */
} lr_datum;

typedef struct lr_fit_builder {
  const lr_known *known;
  const double *origin; /* the lowest point */
  lr_tree tree;
  double noise;
  size_t p;
  lr_datum *data;
  size_t count;
  double *hubs; /* p numbers each: gathered gradients, 0 where not known */
  bool *filled; /* which entries are known */
  size_t hub_count;
  bool newton; /* the last step to the lowest point was a quasi-Newton step */
  double *W;   /* p x q: the subspace; NULL: all of space */
  size_t q;
  size_t *kept;    /* dimensions of the subspace that the fit keeps */
  double *u, *mid; /* p each: a direction, and a point relative to the origin */
  lr_regression r;
} lr_fit_builder;

/* ---- fit_data.c ---- */

/* Collects derivatives from the evaluations and sorts them by distance. */
LRGD_MUST_CHECK lrgd_status lr_fit_collect(lr_fit_builder *b);
/* Drops derivatives that are much larger than nearer ones predict. */
void lr_fit_drop_outliers(lr_fit_builder *b);
/* Drops gradients and differences along single inputs. */
void lr_fit_drop_inputs(lr_fit_builder *b);
/* Sorts the data by distance from the origin, or in the order of evaluation. */
void lr_fit_sort(lr_fit_builder *b);
void lr_fit_sort_by_time(lr_fit_builder *b);

/* Whether a datum is a whole gradient, and that gradient. */
bool lr_datum_is_gradient(const lr_datum *x);
const double *lr_datum_gradient(const lr_fit_builder *b, const lr_datum *x);

/* b->mid = the point of evaluation i, relative to the origin. */
void lr_fit_place_point(lr_fit_builder *b, size_t i);
/* For a datum that is not a gradient: b->u = its unit direction; b->mid = its
 * point. */
void lr_fit_place(lr_fit_builder *b, const lr_datum *x);
/* b->u = node i of the tree minus its parent, b->mid = the midpoint. Returns
 * the input along which this is a finite difference; p: along none. */
size_t lr_fit_place_node(lr_fit_builder *b, size_t i);

/* ---- fit_subspace.c ---- */

/* Extends W by the part of v outside it, if there is one; v is overwritten. */
void lr_fit_widen(lr_fit_builder *b, double *v);
/* Chooses the subspace: the span of gradients and directions, or all of space.
 */
LRGD_MUST_CHECK lrgd_status lr_fit_span(lr_fit_builder *b);
/* z = W'v; returns |z| / |v|. */
double lr_fit_project(const lr_fit_builder *b, const double *v, double *z);

/* ---- fit_history.c ---- */

/* Finds out which method made the evaluations, and how steep f was at first. */
LRGD_MUST_CHECK lrgd_status lr_fit_describe(lr_fit_builder *b, lr_fit *fit);

#endif
