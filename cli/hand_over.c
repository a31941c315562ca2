/* Hands over to a program that is built and installed apart: lrgd-bench, with
 * the peers in it, for lrgd bench SUITE; lrgd-mpi for ranks. */
#include "hand_over.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes where this program lies, with the slash; "" where that is unknown. */
static void own_folder(char folder[PATH_MAX])
{
  ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash != NULL) slash[1] = '\0';
}

/* Tries one place; comes back where the program is not there. */
static void try_at(const char *folder, const char *below, const char *program,
                   char **argv)
{
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s%s%s", folder, below, program);
  if (access(path, X_OK) == 0) execv(path, argv);
}

void hand_over(const char *program, char **argv)
{
  char folder[PATH_MAX];
  own_folder(folder);
  try_at(folder, "", program, argv);
  try_at(folder, "../libexec/lrgd/", program, argv);
  try_at(LRGD_LIBEXECDIR, "/", program, argv);
}

int hand_over_bench(char **argv)
{
  hand_over("lrgd-bench", argv);
  say("bench needs lrgd-bench"
      ", which was not installed with this program: 'make bench' in lrgd's "
      "source builds it, and the peers it compares with");
  return EXIT_USAGE;
}

int refuse_ranks(void)
{
  say("diagnose is not shared among ranks: start it once, without mpirun "
      "(--jobs N asks a program N times at once)");
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
