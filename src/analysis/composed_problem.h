/* Composite problems: what the files of the calculus share. */
#ifndef LR_COMPOSED_PROBLEM_H
#define LR_COMPOSED_PROBLEM_H

#include <lrgd/analysis.h>
#include <stdbool.h>

struct lrgd_composite {
  lrgd_problem
      problem; /* the composite; its user pointer is the lrgd_composite */
  size_t rank;
  lrgd_problem f, g; /* the parts of a composed function */
  bool sum;          /* the sum f + g; otherwise the product f g */
  double a;
  lrgd_scalar_map phi;
  void *phi_user;
  lrgd_change *changes;
  double *x0, *U; /* of a reduction */
  bool left;      /* a point of it was outside the bounds of f, and f was
                     evaluated at the nearest one inside */
  double *lower, *upper;
  double *room; /* scratch of a call */
  size_t room_count;
};

/* A composite of p inputs with the part f and no callbacks yet. */
lrgd_status lr_composite_begin(lrgd_composite **made, const lrgd_problem *f,
                               size_t p, lrgd_error *error);
/* Destroys the composite and reports that memory ran out. */
lrgd_status lr_composite_no_memory(lrgd_composite **made, lrgd_error *error);

/* Scratch of `count` numbers, NULL where memory is out; invalidates what an
 * earlier call returned. */
double *lr_composite_room(lrgd_composite *made, size_t count);

/* Values of a part, one by one or as a batch, whichever callback it has. */
bool lr_composite_has_values(const lrgd_problem *f);
double lr_composite_ask(const lrgd_problem *f, const double *x);
void lr_composite_ask_all(const lrgd_problem *f, size_t m, const double *X,
                          double *y);

/* Sets all k numbers to NaN and returns NaN, where a composite has no value. */
double lr_composite_no_numbers(size_t k, double *d);

#endif
