/* The reduction of a sliced space by MPI_Allreduce, and its traffic counters.
 * This file knows MPI, not what is reduced, or why. */
#include "base/sized.h"

#include <limits.h>
#include <lrgd/mpi.h>
#include <stdlib.h>

typedef struct ranks {
  MPI_Comm comm;
  lrgd_mpi_traffic traffic;
} ranks;

static void reduce(lrgd_reduction how, double *x, size_t n, void *user)
{
  ranks *r = user;
  MPI_Op op = how == LRGD_REDUCTION_SUM   ? MPI_SUM
              : how == LRGD_REDUCTION_MAX ? MPI_MAX
                                          : MPI_BOR;
  MPI_Datatype type = how == LRGD_REDUCTION_BITS ? MPI_UINT64_T : MPI_DOUBLE;
  for (size_t done = 0; done < n;) {
    size_t most = INT_MAX / 2, m = n - done < most ? n - done : most;
    /* errors end the job: MPI_ERRORS_ARE_FATAL, the communicator's default */
    (void)MPI_Allreduce(MPI_IN_PLACE, x + done, (int)m, type, op, r->comm);
    r->traffic.reductions++;
    r->traffic.bytes += m * sizeof *x;
    done += m;
  }
}

static const ranks *ranks_of(const lrgd_space *space)
{
  const lrgd_slices *slices = lrgd_space_slices(space);
  return slices && slices->reduce == reduce ? slices->user : NULL;
}

static void release(void *user)
{
  ranks *r = user;
  (void)MPI_Comm_free(&r->comm);
  free(r);
}

/* Collective: every rank calls it, with its slice or with an empty one. */
static lrgd_space *make(MPI_Comm comm, ranks *r, size_t dimension, size_t first,
                        size_t count, size_t blocks)
{
  int short_of = r == NULL, any;
  (void)MPI_Allreduce(&short_of, &any, 1, MPI_INT, MPI_MAX, comm);
  if (any) {
    free(r);
    return NULL;
  }
  (void)MPI_Comm_dup(comm, &r->comm);
  lrgd_slices slices = lrgd_slices_default(dimension);
  slices.first = first;
  slices.count = count;
  slices.blocks = blocks;
  slices.reduce = reduce;
  slices.release = release;
  slices.user = r;
  lrgd_space *space = lrgd_sliced_space(&slices, NULL);
  if (!space)
    release(r);
  else
    r->traffic = (lrgd_mpi_traffic){0}; /* count from here on */
  return space;
}

lrgd_space *lrgd_mpi_space(MPI_Comm comm, size_t dimension, size_t blocks)
{
  int rank, size;
  (void)MPI_Comm_rank(comm, &rank);
  (void)MPI_Comm_size(comm, &size);
  size_t parts = (size_t)size, part = (size_t)rank;
  size_t cuts = blocks ? blocks : dimension ? dimension : 1;
  size_t first = lrgd_slice_first(dimension, cuts, parts, part);
  size_t end = lrgd_slice_first(dimension, cuts, parts, part + 1);
  return make(comm, calloc(1, sizeof(ranks)), dimension, first, end - first,
              blocks);
}

lrgd_space *lrgd_mpi_space_of(MPI_Comm comm, size_t count)
{
  uint64_t ours = count, before = 0, sum = 0;
  int rank;
  (void)MPI_Comm_rank(comm, &rank);
  (void)MPI_Exscan(&ours, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
  if (rank == 0) before = 0; /* Exscan leaves it undefined there */
  (void)MPI_Allreduce(&ours, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return make(comm, calloc(1, sizeof(ranks)), sum, before, count, 0);
}

void lrgd_mpi_slice(const lrgd_space *space, size_t *first, size_t *count)
{
  const lrgd_slices *slices = lrgd_space_slices(space);
  *first = slices ? slices->first : 0;
  *count = slices ? slices->count : space->dimension;
}

void lrgd_mpi_count_sized(const lrgd_space *space, lrgd_mpi_traffic *traffic,
                          size_t size)
{
  const ranks *r = ranks_of(space);
  lrgd_mpi_traffic none = {0};
  lr_sized_give(traffic, size, r ? &r->traffic : &none, sizeof none);
}
