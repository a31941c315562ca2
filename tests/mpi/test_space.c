/* The suite of the space's verbs on the ranks of a job, and what only ranks
 * can get wrong.  Each rank runs all of it; the first one's words are shown,
 * any one's failure fails the job. */
#include "conformance/backend.h"

#include <lrgd/mpi.h>

static int size, rank;

__attribute__((constructor(101))) static void begin(void)
{
  MPI_Init(NULL, NULL);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0 && !freopen("/dev/null", "w", stdout)) abort();
}

__attribute__((destructor)) static void end(void)
{
  MPI_Finalize();
}

static lrgd_space *any_order(size_t p)
{
  return lrgd_mpi_space(MPI_COMM_WORLD, p, 0);
}

static lrgd_space *in_order(size_t p)
{
  return lrgd_mpi_space(MPI_COMM_WORLD, p, 64);
}

/* The first rank has nothing, the last one most. */
static lrgd_space *uneven(size_t p)
{
  size_t n = (size_t)size, share = p / (4 * n), last = p - share * (n - 1);
  if (n > 1) last += share;
  return lrgd_mpi_space_of(MPI_COMM_WORLD, rank == size - 1 ? last
                                           : rank == 0      ? 0
                                                            : share);
}

/* clang-format off */
#define DOUBLES DBL_EPSILON, DBL_MAX, DBL_MIN
/* for the uneven one all numbers are on the last rank but for some */
static const backend backends[] = {
    {"ranks",                any_order, DOUBLES, 8},
    {"ranks, sums in order", in_order,  DOUBLES, 64},
    {"uneven ranks",         uneven,    DOUBLES, 8},
};
/* clang-format on */
enum { BACKENDS = sizeof backends / sizeof *backends };

#include "conformance/spaces.h"

TEST("all ranks get the same numbers, to the bit")
{
  for (int i = 0; i < BACKENDS; i++) {
    room r = enter(i);
    double G[K * K], first[K * K];
    r.ops->gram(r.space, at(&r, 0), K, G);
    memcpy(first, G, sizeof G);
    MPI_Bcast(first, K * K, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    check(memcmp(first, G, sizeof G) == 0, "%s", r.b->name);
    leave(&r);
  }
}

TEST("sums in order are those of one process, to the bit")
{
  room r = enter(1);
  lrgd_slices one = lrgd_slices_default(P);
  one.blocks = 64;
  lrgd_space *alone = lrgd_sliced_space(&one, NULL);
  lrgd_block *U = alone->ops->make(alone, K);
  double G[K * K], want[K * K], norm, same;
  for (uint64_t j = 0; j < K; j++)
    alone->ops->gaussian(alone, (lrgd_vec){U, j}, 1, j);
  alone->ops->gram(alone, (lrgd_vec){U, 0}, K, want);
  r.ops->gram(r.space, at(&r, 0), K, G);
  check(memcmp(G, want, sizeof G) == 0, "Gram matrix");
  r.ops->measure(r.space, at(&r, 2), &norm);
  alone->ops->measure(alone, (lrgd_vec){U, 2}, &same);
  check(norm == same, "norm %a, alone %a", norm, same);
  alone->ops->free(alone, U);
  lrgd_space_destroy(&alone);
  leave(&r);
}

TEST("a projection is one reduction of k numbers, whatever p is")
{
  for (size_t p = 100; p <= 10000; p *= 10) {
    lrgd_space *space = any_order(p);
    lrgd_block *U = space->ops->make(space, K + 1);
    double c[K];
    for (uint64_t j = 0; j <= K; j++)
      space->ops->gaussian(space, (lrgd_vec){U, j}, 1, j);
    lrgd_mpi_traffic before = lrgd_mpi_count(space);
    space->ops->dot(space, (lrgd_vec){U, 0}, K, (lrgd_vec){U, K}, c);
    lrgd_mpi_traffic after = lrgd_mpi_count(space);
    check_int(after.reductions - before.reductions, 1, "p = %zu", p);
    check_int(after.bytes - before.bytes, K * sizeof(double), "p = %zu", p);
    space->ops->add(space, (lrgd_vec){U, K}, (lrgd_vec){U, 0}, K, c);
    check_int(lrgd_mpi_count(space).reductions, after.reductions, "x += U c");
    space->ops->free(space, U);
    lrgd_space_destroy(&space);
  }
}

TEST("slices lie side by side and cover everything")
{
  for (int i = 0; i < BACKENDS; i++) {
    room r = enter(i);
    size_t first, count;
    lrgd_mpi_slice(r.space, &first, &count);
    unsigned long long n = count, before = 0, sum;
    MPI_Exscan(&n, &before, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) before = 0;
    MPI_Allreduce(&n, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_int(first, before, "%s", r.b->name);
    check_int(sum, P, "%s", r.b->name);
    leave(&r);
  }
}

/* f = |x|^2 / 2; one rank asks to stop at its seventh question. */
typedef struct asked {
  lrgd_space *space;
  lrgd_solver *solver;
  int count, who;
} asked;

static double half_square(lrgd_vec x, void *user)
{
  asked *a = user;
  double sum;
  a->space->ops->dot(a->space, x, 1, x, &sum);
  if (++a->count == 7 && rank == a->who) lrgd_solver_stop(a->solver);
  return sum / 2;
}

TEST("a rank that is stopped stops all ranks, at the same point")
{
  lrgd_space *space = any_order(100);
  lrgd_block *x = space->ops->make(space, 1);
  lrgd_options options = lrgd_options_default();
  options.max_seconds = 1000; /* looks at the clock too */
  for (int who = 0; who < size; who++) {
    asked a = {.space = space, .who = who};
    lrgd_space_problem problem = lrgd_space_problem_default(space);
    problem.value = half_square;
    problem.user = &a;
    lrgd_result result;
    check_int(lrgd_solver_create_in(&a.solver, &problem, &options, NULL),
              LRGD_OK, "rank %d", rank);
    space->ops->gaussian(space, (lrgd_vec){x, 0}, 1, 1);
    check_int(lrgd_solver_solve_in(a.solver, (lrgd_vec){x, 0}, &result, NULL),
              LRGD_OK, "rank %d", rank);
    check(result.outcome == LRGD_OUTCOME_STOPPED, "%s", result.message);
    check_int(a.count, 7, "asked by rank %d", who);
    check_int(lrgd_solver_destroy(&a.solver), LRGD_OK, "rank %d", rank);
  }
  space->ops->free(space, x);
  lrgd_space_destroy(&space);
}

TEST("a failed allocation on one rank is an error on all")
{
  lrgd_space *space = lrgd_mpi_space_of(
      MPI_COMM_WORLD, rank == size - 1 ? (size_t)1 << 31 : 10);
  check(!space, "2^31 numbers on the last rank");
}
