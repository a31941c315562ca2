#!/bin/sh
# One Slurm job, many ranks: the first runs the solver and the journal, each of
# the others holds a worker and evaluates.
#
#   sbatch --ntasks=17 examples/slurm/minimize.sh --worker './sim' --dim 200
#
# evaluates sixteen points at a time.  What follows the script's name goes to
# `lrgd minimize`.  The same line once more goes on where a job was ended, with
# as many ranks as you like: the journal keeps the width of the first.

#SBATCH --job-name=lrgd
#SBATCH --time=24:00:00
#SBATCH --output=lrgd-%j.out

# This long before the end of its time the job is asked to stop: it waits for
# the evaluations that run, and asks no more.  Let it be longer than one.
#SBATCH --signal=TERM@600

set -eu
journal=${JOURNAL:-run.db}
if [ "${SLURM_NTASKS:-1}" -lt 2 ]; then
  echo "minimize.sh: one rank evaluates nothing: sbatch --ntasks=N, N >= 2" >&2
  exit 2
fi

# Open MPI as Debian builds it meets Slurm through PMIx
exec srun --mpi="${SRUN_MPI:-pmix}" lrgd minimize "$@" --journal "$journal"
