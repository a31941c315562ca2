/* Executes a program that is built and installed separately: lrgd-bench, with
 * the peers in it, for lrgd bench SUITE; lrgd-mpi for ranks. */
#include "exec_helper.h"

#include "own_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool helper_path(char path[PATH_MAX], const char *program)
{
  static const char *const places[] = {"", "../libexec/lrgd/"};
  char below[256];
  for (size_t i = 0; i < COUNT_OF(places); i++) {
    snprintf(below, sizeof below, "%s%s", places[i], program);
    if (own_file(path, below)) return true;
  }
  snprintf(path, PATH_MAX, "%s/%s", LRGD_LIBEXECDIR, program);
  return access(path, X_OK) == 0;
}

void hand_over(const char *program, char **argv)
{
  char path[PATH_MAX];
  if (helper_path(path, program)) execv(path, argv);
}

int hand_over_bench(char **argv)
{
  hand_over("lrgd-bench", argv);
  say("bench needs lrgd-bench"
      ", which was not installed with this program: 'make bench' in lrgd's "
      "source builds it, and the peers it compares with");
  return EXIT_USAGE;
}

int refuse_ranks(const char *command)
{
  say("%.20s is not shared among ranks: start it once, without mpirun "
      "(--jobs N asks a program N times at once)",
      command);
  return EXIT_USAGE;
}

bool hands_over(int argc, char **argv)
{
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "demo") == 0 || strcmp(argv[i], "--help") == 0)
      return false;
    if (argv[i][0] != '-') return true;
  }
  return true;
}
