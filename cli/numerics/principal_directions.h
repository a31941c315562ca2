/* The directions along which f varied, from the slopes that a run measured. */
#ifndef CLI_DIRECTIONS_H
#define CLI_DIRECTIONS_H

#include "slope_collector.h"

typedef enum directions_source {
  DIRECTIONS_NONE,      /* no derivatives were measured */
  DIRECTIONS_GRADIENTS, /* whole gradients were */
  DIRECTIONS_SUBSPACE,  /* slopes inside the run's subspace only */
  DIRECTIONS_STUDY      /* by a diagnosis */
} directions_source;

enum { DIRECTIONS_MOST = 16, DIRECTIONS_VALUES = 24 };

typedef struct cli_directions {
  directions_source source;
  size_t seen;  /* gradients used, or dimensions of the subspace */
  size_t lost;  /* gradients left out, as they are mostly noise */
  size_t count; /* directions */
  double *W;    /* p x count, orthonormal; owned */
  /* the share of the gradients' squared norm along each, largest first; more of
   * them than directions */
  size_t values;
  double spectrum[DIRECTIONS_VALUES];
  /* a quadratic fitted to whole gradients along W: the share of their squared
   * length that it leaves (NaN: no fit), and the steps of length 1/L that
   * gradient descent takes on it from the start (NaN: not known) */
  double misfit, gd_steps;
  double gd_norm; /* |grad f| that those gd_steps reach */
} cli_directions;

/* Data of the run beside its slopes; borrowed for the call. */
typedef struct directions_run {
  const double *origin; /* where the run started */
  const double *V;      /* the subspace of the run, p x k, orthonormal */
  size_t k;             /* 0: none */
  const double *width;  /* the unit of each coordinate; NULL: 1.  Then W is in
                           these units, and there is no estimate of descent */
  double reached;       /* |grad f| in the end; NaN: not known */
  double tol;           /* wanted; NaN: 1e-6 of the first gradient */
  bool converged;       /* the tolerance was reached */
} directions_run;

LRGD_MUST_CHECK lrgd_status directions_find(cli_directions *found,
                                            const cli_slopes *slopes,
                                            const directions_run *run,
                                            lrgd_error *error);
void directions_free(cli_directions *found);

#endif
