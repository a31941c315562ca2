/* An oracle around a host problem, for tests of who answers and how. */
#ifndef ASKED_H
#define ASKED_H

#include "oracle/oracle.h"
#include "unit_spaces.h"

typedef struct asked {
  lrgd_problem problem;
  lrgd_options options;
  lrgd_space *space;
  lr_host_answers *host;
  lr_oracle oracle;
  lrgd_block *bounds, *x, *U;
  lr_point at;
  atomic_int stop;
} asked;

/* Set a->problem and a->options first; x0 is copied. */
static inline void ask(asked *a, const double *x0)
{
  size_t p = a->problem.dimension;
  a->space = doubles(p);
  a->host = lr_host_answers_create(&a->problem, 0, &lr_malloc);
  lr_answers answers = lr_host_answers_view(a->host);
  if (lr_oracle_init(&a->oracle, a->space, &answers, &a->options, &lr_malloc) !=
      LRGD_OK)
    abort();
  a->x = block_of(a->space, 1);
  a->U = block_of(a->space, 8);
  if (a->problem.lower) {
    a->bounds = block_of(a->space, 2);
    memcpy(column(a->bounds, 0), a->problem.lower, p * sizeof *x0);
    memcpy(column(a->bounds, 1), a->problem.upper, p * sizeof *x0);
    a->oracle.box = (lrgd_box){
        {a->bounds, 0},
        {a->bounds, 1}
    };
  }
  lr_oracle_restart(&a->oracle, &a->stop);
  a->at.x = (lrgd_vec){a->x, 0};
  memcpy(column(a->x, 0), x0, p * sizeof *x0);
  lr_oracle_rename(&a->oracle, &a->at);
}

/* g = grad f at the point; slopes along the first k columns of a->U; how far
 * those may be off. */
static inline lr_code gradient_into(asked *a, lrgd_vec g)
{
  return lr_oracle_gradient(&a->oracle, &a->at, g, LRGD_PURPOSE_DESCEND, 0);
}

static inline lr_code slopes_into(asked *a, size_t k, double *d)
{
  lrgd_vec U = {a->U, 0};
  return lr_oracle_slopes(&a->oracle, &a->at, U, k, LRGD_PURPOSE_DESCEND, d);
}

static inline double slope_error_said(asked *a)
{
  return lr_oracle_slope_error(&a->oracle, &a->at, 0);
}

static inline asked prepared(size_t p)
{
  asked a = {.problem = lrgd_problem_default(p),
             .options = lrgd_options_default()};
  return a;
}

static inline void dismiss(asked *a)
{
  lr_oracle_clear(&a->oracle);
  lr_host_answers_destroy(&a->host);
  a->space->ops->free(a->space, a->x);
  a->space->ops->free(a->space, a->U);
  a->space->ops->free(a->space, a->bounds);
  lrgd_space_destroy(&a->space);
}

#endif
