/* A program that needs lrgd/mpi.h, and MPI's own header through it. */
#include <lrgd/mpi.h>

int main(void)
{
  return lrgd_mpi_space(MPI_COMM_WORLD, 2, 0) == NULL;
}
