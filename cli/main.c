/* The command lrgd.  Started as one of many ranks, it executes lrgd-mpi, where
 * that is installed: this program does not link MPI. */
#include "cli/base/exec_helper.h"
#include "cli/base/own_file.h"
#include "cli/commands/commands.h"
#include "cli/terminal/signals.h"

#include <stdlib.h>
#include <string.h>

/* Whether this process is a rank: the environment of Open MPI, MPICH and its
 * derivatives, Slurm. */
static bool among_ranks(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "SLURM_STEP_NUM_TASKS"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    const char *text = getenv(names[i]);
    if (text != NULL && strtol(text, NULL, 10) > 1) return true;
  }
  return false;
}

/* Whether the command's evaluations can be distributed over ranks. */
static bool shares(int argc, char **argv)
{
  return argc > 1 &&
         (strcmp(argv[1], "minimize") == 0 || strcmp(argv[1], "resume") == 0);
}

/* Whether the command would do the same on every rank, with one journal. */
static bool is_for_one(int argc, char **argv)
{
  return argc > 1 && strcmp(argv[1], diagnose_command.name) == 0;
}

int main(int argc, char **argv)
{
  own_file_begin(argc > 0 ? argv[0] : NULL);
  signals_prepare();
  if (is_for_one(argc, argv) && among_ranks()) return refuse_ranks();
  if (shares(argc, argv) && among_ranks()) {
    hand_over("lrgd-mpi", argv);
    say("this is one of many ranks, and lrgd-mpi, which shares the work among "
        "them, was not installed with this program");
    return EXIT_USAGE;
  }
  return cli_main(argc, argv);
}
