/* The struct behind the public solver, for the files of this room. */
#ifndef LR_SOLVER_STATE_H
#define LR_SOLVER_STATE_H

#include "polytope/polytope.h"
#include "solver/run_state.h"

enum { LR_SOLVER_MAGIC = 0x1c6d0a5f };

/* Sample points of Algorithm 1 at most: more is a slip of the pen. */
enum { LR_MOST_SAMPLES = 1000000 };

struct lrgd_solver {
  uint32_t magic;
  atomic_flag busy;
  atomic_int stop;
  lrgd_allocator allocator;
  lrgd_space *space;     /* owned if it is the host space, else borrowed */
  lr_host_answers *host; /* owned; NULL with lrgd_solver_create_in */
  lrgd_space_problem problem;
  lrgd_block *bounds; /* lower and upper, of the host */
  lr_run run;
  lr_basis rows;   /* orthonormal rows of the constraints A theta = b */
  double *targets; /* rows' x = targets on the constraint */
  lr_polytope
      polytope; /* the set A x = b within the bounds, where there are both */
  lrgd_block *scratch; /* the start of a host run */
};

/* One call at a time: enter returns false while another call runs. */
static inline bool lr_solver_enter(lrgd_solver *s)
{
  return !atomic_flag_test_and_set(&s->busy);
}

static inline void lr_solver_leave(lrgd_solver *s)
{
  atomic_flag_clear(&s->busy);
}

static inline lrgd_status lr_solver_busy(lrgd_error *error)
{
  return lr_fail(error, LRGD_ERR_BUSY, "the solver is running already");
}

static inline bool lr_solver_valid(const lrgd_solver *s)
{
  return s && s->magic == LR_SOLVER_MAGIC;
}

/* Checks of a solver's input: solver_check.c. */
LRGD_MUST_CHECK lrgd_status lr_solver_check_problem(const lrgd_problem *problem,
                                                    lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_solver_check_limits(const lrgd_problem *problem,
                                                   const lrgd_options *o,
                                                   lrgd_error *error);
LRGD_MUST_CHECK lrgd_status lr_solver_check_bounds(const lrgd_problem *problem,
                                                   lrgd_error *error);
/* Whether a problem has finite bounds. */
bool lr_problem_bounded(const lrgd_problem *problem);
/* Refuses bounds for verbatim algorithms, which have none. */
LRGD_MUST_CHECK lrgd_status lr_solver_refuse_bounds(const lrgd_options *o,
                                                    bool bounded,
                                                    lrgd_error *error);
/* Whether the options' method can work in p dimensions. */
LRGD_MUST_CHECK lrgd_status lr_solver_check_method(const lrgd_options *o,
                                                   size_t p, lrgd_error *error);

/* Removes the given subspace: all directions again. */
void lr_solver_forget_given(lrgd_solver *s);

/* x += R (targets - R'x): the nearest point with A x = b. */
void lr_solver_satisfy(lrgd_solver *s, lrgd_vec x);

#endif
