/* lrgd-mpi: the command lrgd on the ranks of a job.  Rank 0 is the command,
 * with solver and journal; the others hold programs and answer. */
#include "blas.h"
#include "commands.h"
#include "program.h"
#include "signals.h"
#include "spread.h"

#include <mpi.h>
#include <string.h>

static spread *helpers; /* of rank 0, while its command runs */
static bool resumed;    /* and what that is */

/* In place of starting a program here. */
static lrgd_status start_spread(cli_subject *subject, const cli_flags *flags,
                                const cli_listeners *listeners,
                                lrgd_error *error)
{
  spread_setup setup = {.oracle = (int)subject->oracle,
                        .program = flags_has(flags, FLAG_WORKER) ||
                                   flags_has(flags, FLAG_PROGRAM),
                        .dimension = (long long)subject->problem.dimension};
  lrgd_problem *problem = &subject->problem;
  if (listeners->run_id != NULL)
    memcpy(setup.run_id, listeners->run_id, sizeof setup.run_id - 1);
  if (resumed && !setup.program) /* the others do not know its settings */
    return fail(error, LRGD_ERR_INVALID,
                "over ranks, resume takes --worker or --program");
  setup.slopes =
      setup.program ? subject->oracle == ORACLE_SLOPE : problem->slopes != NULL;
  setup.gradients = setup.program ? subject->oracle == ORACLE_GRADIENT
                                  : problem->gradient != NULL;
  setup.values = setup.program ? subject->oracle == ORACLE_VALUE
                               : problem->value || problem->values;
  return spread_begin(&helpers, problem, &setup, error);
}

static int be_first(int argc, char **argv)
{
  resumed = argc > 1 && commands_find(argv[1]) == &resume_command;
  subject_starts_with(start_spread);
  int code = cli_main(argc, argv);
  size_t rests = spread_rests(helpers);
  if (rests > 0) say("ranks that failed were rested %zu times", rests);
  spread_end(&helpers);
  return code;
}

/* The program, or what the flags name, on this rank. */
static lrgd_status open_here(cli_subject *subject, const cli_flags *flags,
                             const spread_setup *setup, lrgd_error *error)
{
  cli_inputs none = {0}; /* rank 0 keeps the bounds */
  if (!setup->program) return subject_read(subject, flags, &none, error);
  const char *worker = flags_text(flags, FLAG_WORKER);
  *subject = (struct cli_subject){
      .name = worker != NULL ? worker : flags_text(flags, FLAG_PROGRAM),
      .oracle = (cli_oracle)setup->oracle,
      .problem = lrgd_problem_default((size_t)setup->dimension)};
  cli_listeners nobody = {.run_id =
                              setup->run_id[0] != '\0' ? setup->run_id : NULL};
  return program_start(subject, flags, &nobody, error);
}

static void serve(const cli_flags *flags)
{
  spread_setup setup;
  cli_subject subject = {.problem = lrgd_problem_default(1)};
  lrgd_error error = {.text = ""};
  if (!spread_await(&setup)) return;
  error.status = open_here(&subject, flags, &setup, &error);
  spread_serve(&subject.problem, &error);
  subject_destroy(&subject);
}

/* Flags that rank 0 will complain of end it, and then us. */
static void be_other(int argc, char **argv)
{
  cli_flags flags;
  spread_setup ignored;
  const cli_command *command = argc > 1 ? commands_find(argv[1]) : NULL;
  if (command == NULL ||
      flags_read(&flags, command, argc - 2, argv + 2, NULL) != LRGD_OK) {
    (void)spread_await(&ignored);
    return;
  }
  serve(&flags);
  flags_free(&flags);
}

int main(int argc, char **argv)
{
  int rank, size, code = EXIT_FINE;
  const cli_command *command = argc > 1 ? commands_find(argv[1]) : NULL;
  signals_prepare();
  if (command != NULL && command->computes) blas_choose_kernels(argv);
  (void)MPI_Init(&argc, &argv);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1)
    code = cli_main(argc, argv);
  else if (rank == 0)
    code = be_first(argc, argv);
  else
    be_other(argc, argv);
  (void)MPI_Finalize();
  return code;
}
