/* The command lrgd.  Started as one of many ranks, it executes lrgd-mpi, where
 * that is installed: this program does not link MPI. */
#include "cli/base/exec_helper.h"
#include "cli/base/own_file.h"
#include "cli/commands/commands.h"
#include "cli/terminal/signals.h"

#include <stdlib.h>
#include <string.h>

/* The number in the first of these variables that is set; -1: none is. */
static long number_in(const char *const names[], size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *text = getenv(names[i]);
    if (text != NULL) return strtol(text, NULL, 10);
  }
  return -1;
}

/* Whether this process is one of several ranks, and which: the environment of
 * Open MPI, MPICH and its derivatives, Slurm. */
static bool among_ranks(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "SLURM_STEP_NUM_TASKS"};
  return number_in(names, COUNT_OF(names)) > 1;
}

static long rank_here(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                      "SLURM_PROCID"};
  return number_in(names, COUNT_OF(names));
}

static bool is_one_of(const char *name, const char *const list[], size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

/* What each rank of several does: commands that evaluate f are shared, or are
 * for one process; of all others the first rank prints, once. */
static int run_as_rank(int argc, char **argv)
{
  static const char *const shared[] = {"minimize", "resume"};
  static const char *const alone[] = {"fit", "diagnose", "check", "compare"};
  const char *name = argc > 1 ? argv[1] : "";
  if (is_one_of(name, alone, COUNT_OF(alone)))
    return rank_here() > 0 ? EXIT_USAGE : refuse_ranks(name);
  if (is_one_of(name, shared, COUNT_OF(shared))) {
    hand_over("lrgd-mpi", argv);
    say("this is one of many ranks, and lrgd-mpi, which shares the work among "
        "them, was not installed with this program");
    return EXIT_USAGE;
  }
  return rank_here() > 0 ? EXIT_FINE : cli_main(argc, argv);
}

int main(int argc, char **argv)
{
  own_file_begin(argc > 0 ? argv[0] : NULL);
  signals_prepare();
  return among_ranks() ? run_as_rank(argc, argv) : cli_main(argc, argv);
}
