/* What the files of the calculus share. */
#ifndef LR_MADE_H
#define LR_MADE_H

#include <lrgd/analysis.h>
#include <stdbool.h>

struct lrgd_composite {
  lrgd_problem problem; /* what is made; user is the lrgd_composite */
  size_t rank;
  lrgd_problem f, g; /* its parts */
  bool sum;          /* f + g, not f g */
  double a;
  lrgd_scalar_map phi;
  void *phi_user;
  lrgd_change *changes;
  double *x0, *U; /* of a reduction */
  double *lower, *upper;
  double *room; /* scratch of a call */
  size_t room_count;
};

/* A made problem of p inputs with the part f and no callbacks yet. */
lrgd_status lr_composite_begin(lrgd_composite **made, const lrgd_problem *f,
                               size_t p, lrgd_error *error);
/* Destroys it and says so. */
lrgd_status lr_composite_no_memory(lrgd_composite **made, lrgd_error *error);

/* count numbers of scratch, NULL where there are none; what an earlier call
 * got is lost. */
double *lr_composite_room(lrgd_composite *made, size_t count);

/* Values of a part, by whichever callback it has. */
bool lr_composite_has_values(const lrgd_problem *f);
double lr_composite_ask(const lrgd_problem *f, const double *x);
void lr_composite_ask_all(const lrgd_problem *f, size_t m, const double *X,
                          double *y);

/* NaN for all k numbers, and returned. */
double lr_composite_no_numbers(size_t k, double *d);

#endif
