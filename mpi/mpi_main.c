/* lrgd-mpi: the command lrgd on the ranks of a job.  Rank 0 runs the command
 * with its solver and journal; the other ranks run programs and evaluate. */
#include "cli/base/exec_helper.h"
#include "cli/base/own_file.h"
#include "cli/commands/commands.h"
#include "cli/run/program.h"
#include "cli/terminal/signals.h"
#include "master.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static spread *helpers; /* of rank 0, while its command runs */

/* ---- flags from rank to rank ---- */

/* The flags that say what is evaluated, which rank 0 sends to the other ranks.
 * Each travels as the number of the flag and its text with the final NUL; the
 * words of a command likewise, with the number of no flag. */
static const flag_id told_flags[] = {FLAG_SET,    FLAG_WORKER, FLAG_PROGRAM,
                                     FLAG_PLUGIN, FLAG_DIM,    FLAG_ORACLE,
                                     FLAG_TIMEOUT};
enum { WORD = CHAR_MAX };

static bool is_told(int id)
{
  for (size_t i = 0; i < COUNT_OF(told_flags); i++)
    if ((int)told_flags[i] == id) return true;
  return false;
}

static void put_text(char **to, int number, const char *text)
{
  size_t size = strlen(text) + 1;
  *(*to)++ = (char)number;
  memcpy(*to, text, size);
  *to += size;
}

/* Packs the flags for a message of *size bytes, owned by the caller.  NULL: out
 * of memory. */
static char *pack_flags(const cli_flags *flags, size_t *size)
{
  size_t room = 1;
  for (size_t i = 0; i < flags->given_count; i++)
    room += strlen(flags->given[i].text) + 2;
  for (size_t i = 0; i < flags->word_count; i++)
    room += strlen(flags->words[i]) + 2;
  char *packed = malloc(room), *end = packed;
  if (packed == NULL) return NULL;
  for (size_t i = 0; i < flags->given_count; i++)
    if (is_told(flags->given[i].id))
      put_text(&end, flags->given[i].id, flags->given[i].text);
  for (size_t i = 0; i < flags->word_count; i++)
    put_text(&end, WORD, flags->words[i]);
  *size = (size_t)(end - packed);
  return packed;
}

/* Unpacks them; texts are borrowed from packed. */
static lrgd_status unpack_flags(cli_flags *flags, const char *packed,
                                size_t size, lrgd_error *error)
{
  *flags = (struct cli_flags){.command = &minimize_command,
                              .options = lrgd_options_default(),
                              .given = calloc(size + 1, sizeof *flags->given),
                              .words = calloc(size + 1, sizeof *flags->words)};
  if (flags->given == NULL || flags->words == NULL) return fail_memory(error);
  for (const char *at = packed; at < packed + size; at += strlen(at) + 1) {
    int number = *at++;
    if (number == WORD)
      flags->words[flags->word_count++] = at;
    else
      flags->given[flags->given_count++] = (flag_given){number, at};
  }
  return LRGD_OK;
}

/* ---- rank 0 ---- */

static spread_setup make_setup(const cli_source *source, const cli_flags *flags,
                               const char *run_id)
{
  const lrgd_problem *problem = &source->problem;
  bool program =
      flags_has(flags, FLAG_WORKER) || flags_has(flags, FLAG_PROGRAM);
  spread_setup setup = {.oracle = (int)source->oracle,
                        .program = program,
                        .dimension = (long long)problem->dimension};
  setup.slopes =
      program ? source->oracle == ORACLE_SLOPE : problem->slopes != NULL;
  setup.gradients =
      program ? source->oracle == ORACLE_GRADIENT : problem->gradient != NULL;
  setup.values = program ? source->oracle == ORACLE_VALUE
                         : problem->value || problem->values;
  if (run_id != NULL) memcpy(setup.run_id, run_id, sizeof setup.run_id - 1);
  return setup;
}

/* Evaluates on the other ranks instead of starting a program on this one. */
static lrgd_status start_spread(cli_source *source, const cli_flags *flags,
                                const cli_listeners *listeners,
                                lrgd_error *error)
{
  spread_setup setup = make_setup(source, flags, listeners->run_id);
  if (source->oracle == ORACLE_COMPLEX)
    return fail(error, LRGD_ERR_INVALID,
                "--oracle complex: ranks are asked for values, gradients or "
                "slopes");
  char *packed = pack_flags(flags, &setup.flags);
  if (packed == NULL) return fail_memory(error);
  if (listeners->progress != NULL)
    listeners->progress->line_by_line = flags_has(flags, FLAG_WORKER);
  lrgd_status status =
      spread_begin(&helpers, source, listeners, &setup, packed, error);
  free(packed);
  return status;
}

static int be_first(int argc, char **argv, size_t others)
{
  source_starts_with(start_spread, others);
  int code = cli_main(argc, argv);
  spread_end(&helpers);
  return code;
}

/* ---- the others ---- */

/* Called while a program runs: stops it once rank 0 has all it needs. */
static void look_up(void *user)
{
  cli_source *source = user;
  if (source->pool != NULL && spread_is_over())
    lrgd_pool_interrupt(source->pool, LRGD_INTERRUPT_KILL);
}

/* Opens the program, or the problem that the flags name, on this rank. */
static lrgd_status open_here(cli_source *source, const cli_flags *flags,
                             const spread_setup *setup, lrgd_error *error)
{
  cli_inputs none = {0}; /* only rank 0 uses bounds */
  if (!setup->program) return source_read(source, flags, &none, error);
  const char *worker = flags_text(flags, FLAG_WORKER);
  *source = (struct cli_source){
      .name = worker != NULL ? worker : flags_text(flags, FLAG_PROGRAM),
      .oracle = (cli_oracle)setup->oracle,
      .problem = lrgd_problem_default((size_t)setup->dimension)};
  cli_listeners nobody = {.run_id =
                              setup->run_id[0] != '\0' ? setup->run_id : NULL,
                          .tick = look_up,
                          .tick_user = source};
  return program_start(source, flags, &nobody, error);
}

static void be_other(void)
{
  spread_setup setup;
  char *packed = NULL;
  cli_flags flags;
  cli_source source = {.problem = lrgd_problem_default(1)};
  lrgd_error error = {.text = ""};
  signals_leave_to_others(NULL);
  if (!spread_await(&setup, &packed)) return;
  error.status = unpack_flags(&flags, packed, setup.flags, &error);
  if (error.status == LRGD_OK)
    error.status = open_here(&source, &flags, &setup, &error);
  signals_leave_to_others(source.pool);
  spread_serve(&source, &error);
  signals_leave_to_others(NULL);
  source_destroy(&source);
  flags_free(&flags);
  free(packed);
}

int main(int argc, char **argv)
{
  int rank, size, code = EXIT_FINE;
  const cli_command *command = argc > 1 ? commands_find(argv[1]) : NULL;
  own_file_begin(argc > 0 ? argv[0] : NULL);
  signals_prepare();
  (void)MPI_Init(&argc, &argv);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1)
    code = cli_main(argc, argv);
  else if (command == &diagnose_command)
    code = rank == 0 ? refuse_ranks(command->name) : EXIT_USAGE;
  else if (rank == 0)
    code = be_first(argc, argv, (size_t)size - 1);
  else
    be_other();
  (void)MPI_Finalize();
  return code;
}
