/* A run whose vectors stay in a GPU's memory: f(x) = (w.x - 3)^2 / 2 in a
 * million variables.  The callback gets vecs; here the space's own operations
 * do all the work, a kernel of yours would take lrgd_cuda_data(x). */
#include <lrgd/cuda.h>
#include <stdio.h>

typedef struct work {
  lrgd_space *space;
  lrgd_vec w;
} work;

static double slopes(lrgd_vec x, lrgd_vec U, size_t k, double *d, void *user)
{
  const work *of = user;
  double at;
  of->space->ops->dot(of->space, x, 1, of->w, &at);
  of->space->ops->dot(of->space, U, k, of->w, d);
  for (size_t j = 0; j < k; j++) d[j] *= at - 3;
  return 0.5 * (at - 3) * (at - 3);
}

int main(void)
{
  lrgd_error error;
  lrgd_space *space = lrgd_cuda_space(1000000, LRGD_SCALAR_FLOAT, &error);
  if (!space) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  lrgd_block *room = space->ops->make(space, 2);
  if (!room) return 1;
  work of = {
      space, {room, 0}
  };
  lrgd_vec x = {room, 1};
  space->ops->gaussian(space, of.w, 1, 0);
  space->ops->scale(space, of.w, 1e-3);
  space->ops->scale(space, x, 0); /* the start */

  lrgd_space_problem problem = lrgd_space_problem_default(space);
  lrgd_options options = lrgd_options_default();
  lrgd_solver *solver;
  lrgd_result result;
  problem.slopes = slopes;
  problem.user = &of;
  options.tol = 1e-4;
  if (lrgd_solver_create_in(&solver, &problem, &options, &error) != LRGD_OK ||
      lrgd_solver_solve_in(solver, x, &result, &error) != LRGD_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  printf("%s: f = %.1e after %llu slopes (one gradient: 1000000)\n",
         lrgd_outcome_text(result.outcome), result.f,
         (unsigned long long)lrgd_counts_evaluations(&result.counts));
  lrgd_solver_destroy(&solver);
  space->ops->free(space, room);
  lrgd_space_destroy(&space);
  return 0;
}
