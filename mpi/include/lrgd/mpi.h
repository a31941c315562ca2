/* lrgd/mpi.h: vectors over the ranks of a communicator.
 *
 * A small library on top of lrgd/space.h; the core knows nothing of MPI.
 * Every rank makes the space, the solver and the calls; lrgd_host_data gives a
 * rank's own coordinates of a vec, and callbacks return the same value on all:
 *
 *   lrgd_space *space = lrgd_mpi_space(MPI_COMM_WORLD, p, 0);
 *   lrgd_space_problem problem = lrgd_space_problem_default(space);
 *   problem.value = value;
 *   lrgd_solver_create_in(&solver, &problem, &options, &error);
 *   lrgd_solver_solve_in(solver, x, &result, &error);
 *
 * A projection onto k directions costs one Allreduce of k numbers.
 *
 * Reproducible sums: with blocks > 0 every sum of the library is made of so
 * many parts, cut by global index, and added in one order: the path of a run is
 * the same to the bit on 1 .. blocks ranks.  An Allreduce is then of k * blocks
 * numbers.  A callback that sums must do likewise: let space->ops->dot and gram
 * make the sums.
 *
 * lrgd_solver_stop on one rank ends the run on all, before the same question,
 * and so does the clock (max_seconds): before each of them the ranks agree, by
 * an Allreduce of one number. */
#ifndef LRGD_MPI_H
#define LRGD_MPI_H

#include <lrgd/space.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A default for blocks: 8 kB per direction in a message, enough for as many
 * ranks. */
#define LRGD_MPI_BLOCKS 1024

/* p coordinates in equal slices.  Collective; comm is duplicated.  NULL on all
 * ranks where memory is short on one or a slice has 2^31 numbers. */
LRGD_API lrgd_space *lrgd_mpi_space(MPI_Comm comm, size_t dimension,
                                    size_t blocks);

/* Slices of the caller's own lengths, in the order of the ranks: count is that
 * of this rank. */
LRGD_API lrgd_space *lrgd_mpi_space_of(MPI_Comm comm, size_t count);

/* The coordinates of this rank: first .. first + count - 1. */
LRGD_API void lrgd_mpi_slice(const lrgd_space *space, size_t *first,
                             size_t *count);

/* What this rank has passed to MPI so far: calls of Allreduce, and their bytes.
 * Nothing else is ever sent. */
typedef struct lrgd_mpi_traffic {
  size_t struct_size; /* set by whoever fills it */
  uint64_t reductions, bytes;
} lrgd_mpi_traffic;

LRGD_API void lrgd_mpi_count_sized(const lrgd_space *space,
                                   lrgd_mpi_traffic *traffic, size_t size);
LRGD_INLINE lrgd_mpi_traffic lrgd_mpi_count(const lrgd_space *space)
{
  lrgd_mpi_traffic traffic;
  lrgd_mpi_count_sized(space, &traffic, sizeof traffic);
  return traffic;
}

#ifdef __cplusplus
}
#endif
#endif
