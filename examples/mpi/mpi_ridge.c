/* Minimises over the ranks of a job, and prints the path:
 *
 *   mpirun -n 4 ridge [--p=N] [--blocks=N] [--gradient] [--NAME=VALUE ...]
 *
 * f(x) = sum over j < 6 of c_j t_j^2 / 2 + t_j^4 / 40, t_j = a_j'x - b_j: it
 * varies along the six directions a_j, of which each rank holds its slice.
 * NAME is any option of lrgd (max_evals, method, rank).  With blocks the path
 * is the same to the bit on any number of ranks, as all sums, also those of f,
 * are made by the space. */
#include <inttypes.h>
#include <lrgd/mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R = 6 };

typedef struct ridge {
  lrgd_space *space;
  lrgd_block *a; /* a_j, then x */
  int rank;      /* of the job */
  size_t p, blocks;
  int gradients;
  lrgd_options options;
} ridge;

static double curvature(size_t j)
{
  return 1 + 3 * (double)j;
}

/* t, from which f and its gradient are made */
static void heights(const ridge *r, lrgd_vec x, double *t)
{
  r->space->ops->dot(r->space, (lrgd_vec){r->a, 0}, R, x, t);
  for (size_t j = 0; j < R; j++) t[j] -= 1 + (double)j / 2;
}

static double value_of(const double *t)
{
  double f = 0;
  for (size_t j = 0; j < R; j++)
    f += curvature(j) * t[j] * t[j] / 2 + t[j] * t[j] * t[j] * t[j] / 40;
  return f;
}

static double value(lrgd_vec x, void *user)
{
  double t[R];
  heights(user, x, t);
  return value_of(t);
}

static double gradient(lrgd_vec x, lrgd_vec g, void *user)
{
  const ridge *r = user;
  double t[R], slope[R];
  heights(r, x, t);
  for (size_t j = 0; j < R; j++)
    slope[j] = curvature(j) * t[j] + t[j] * t[j] * t[j] / 10;
  r->space->ops->combine(r->space, g, 1, (lrgd_vec){r->a, 0}, R, slope);
  return value_of(t);
}

static void progress(const lrgd_progress *p, void *user)
{
  const ridge *r = user;
  if (r->rank == 0 && p->event == LRGD_EVENT_ITERATION)
    printf("%" PRIu64 " %" PRIu64 " %.17g\n", p->iteration,
           lrgd_counts_evaluations(p->counts), p->f);
}

static void fail(const char *sentence)
{
  (void)fprintf(stderr, "ridge: %s\n", sentence);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --NAME=VALUE: ours, or an option of the table. */
static void read_flag(ridge *r, char *flag)
{
  lrgd_error error;
  char *equals = strchr(flag, '=');
  if (strcmp(flag, "--gradient") == 0) {
    r->gradients = 1;
    return;
  }
  if (strncmp(flag, "--", 2) != 0 || !equals) {
    fail("a flag is --NAME=VALUE");
    return;
  }
  *equals = '\0';
  if (strcmp(flag, "--p") == 0)
    r->p = strtoul(equals + 1, NULL, 10);
  else if (strcmp(flag, "--blocks") == 0)
    r->blocks = strtoul(equals + 1, NULL, 10);
  else if (lrgd_options_set(&r->options, flag + 2, equals + 1, &error))
    fail(error.text);
}

/* The space, the directions, and zero to start from. */
static void furnish(ridge *r)
{
  r->space = lrgd_mpi_space(MPI_COMM_WORLD, r->p, r->blocks);
  if (r->space) r->a = r->space->ops->make(r->space, R + 1);
  if (!r->a) fail("no memory");
  const lrgd_space_ops *ops = r->space->ops;
  for (size_t j = 0; j < R; j++) {
    ops->gaussian(r->space, (lrgd_vec){r->a, j}, 7, j);
    ops->scale(r->space, (lrgd_vec){r->a, j}, 1 / sqrt((double)r->p));
  }
  ops->scale(r->space, (lrgd_vec){r->a, R}, 0);
}

static void solve(ridge *r)
{
  lrgd_solver *solver;
  lrgd_result result;
  lrgd_error error;
  lrgd_space_problem problem = lrgd_space_problem_default(r->space);
  problem.user = r;
  if (r->gradients)
    problem.gradient = gradient;
  else
    problem.value = value;
  r->options.progress = progress;
  r->options.progress_user = r;
  if (lrgd_solver_create_in(&solver, &problem, &r->options, &error))
    fail(error.text);
  lrgd_mpi_traffic before = lrgd_mpi_count(r->space), after;
  if (lrgd_solver_solve_in(solver, (lrgd_vec){r->a, R}, &result, &error))
    fail(error.text);
  after = lrgd_mpi_count(r->space);
  if (r->rank == 0) {
    printf("%s: f = %.17g, %" PRIu64 " evaluations, %" PRIu64 " iterations\n",
           lrgd_outcome_text(result.outcome), result.f,
           lrgd_counts_evaluations(&result.counts), result.iterations);
    printf("sent by each rank: %" PRIu64 " reductions, %" PRIu64
           " bytes; %.3f seconds\n",
           after.reductions - before.reductions, after.bytes - before.bytes,
           result.seconds);
  }
  (void)lrgd_solver_destroy(&solver);
}

int main(int argc, char **argv)
{
  ridge r = {.p = 10000, .options = lrgd_options_default()};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  for (int i = 1; i < argc; i++) read_flag(&r, argv[i]);
  furnish(&r);
  solve(&r);
  r.space->ops->free(r.space, r.a);
  lrgd_space_destroy(&r.space);
  MPI_Finalize();
  return 0;
}
