/* lrgd pest: evaluates the model of a PEST control file, one line in and one
 * out. lrgd fit --pest starts it as its worker. */
#include "cli/base/cli_text.h"
#include "cli/base/flags.h"
#include "copy_folder.h"
#include "pest_model.h"
#include "run/process/workdir.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int flag_ids[] = {FLAG_COPY, FLAG_HELP};

static volatile sig_atomic_t ended;

static void on_end(int number)
{
  ended = number;
}

/* Handles signals: the model gets them too, and the copy of its folder is
 * removed here. */
static void watch_signals(void)
{
  struct sigaction action = {.sa_handler = on_end};
  (void)sigemptyset(&action.sa_mask);
  (void)sigaction(SIGTERM, &action, NULL);
  (void)sigaction(SIGINT, &action, NULL);
}

/* ---- the folder ---- */

typedef struct place {
  char *copy; /* owned; NULL: the folder of the case itself */
  int hold;
} place;

static lrgd_status make_copy(place *to, const char *folder, lrgd_error *error)
{
  char own[17]; /* a random name, so that no two processes share a folder */
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  (void)snprintf(own, sizeof own, "%08lx%08lx",
                 (unsigned long)getpid() & 0xffffffffUL,
                 (unsigned long)now.tv_nsec);
  to->copy = lr_workdir_make(NULL, own, &to->hold, error);
  return to->copy != NULL ? folder_copy(folder, to->copy, error)
                          : LRGD_ERR_STORAGE;
}

static lrgd_status enter(place *to, const char *folder, bool copied,
                         lrgd_error *error)
{
  *to = (place){.hold = -1};
  lrgd_status status = copied ? make_copy(to, folder, error) : LRGD_OK;
  if (status != LRGD_OK) return status;
  const char *path = copied ? to->copy : folder;
  if (chdir(path) == 0) return LRGD_OK;
  return fail(error, LRGD_ERR_STORAGE,
              "the folder \"%s\" cannot be entered: %s", path, strerror(errno));
}

static void leave(place *from)
{
  if (from->copy == NULL) return;
  (void)!chdir("/");
  lr_workdir_remove(from->copy);
  if (from->hold >= 0) (void)close(from->hold);
  free(from->copy);
}

/* ---- questions and answers ---- */

static bool read_point(char *line, size_t p, double *x)
{
  char *rest = NULL, *word = strtok_r(line, " \t\r\n", &rest);
  for (size_t i = 0; i < p; i++, word = strtok_r(NULL, " \t\r\n", &rest))
    if (word == NULL || !text_number(word, &x[i])) return false;
  return word == NULL;
}

static bool write_values(size_t m, const double *values)
{
  for (size_t i = 0; i < m; i++) printf("%s%.17g", i > 0 ? " " : "", values[i]);
  printf("\n");
  return fflush(stdout) == 0;
}

/* Answers one line; for a model that failed, nan. */
static int answer(pest_model *model, char *line, double *x, double *simulated)
{
  const pest_case *of = &model->of;
  lrgd_error error = {.text = ""};
  if (!read_point(line, of->adjustable_count, x)) {
    say("a line must have %zu numbers, one for each parameter that is neither "
        "fixed nor tied",
        of->adjustable_count);
    return EXIT_USAGE;
  }
  lrgd_status status = pest_model_run(model, x, simulated, &error);
  if (status == LRGD_OK)
    return write_values(of->observation_count, simulated) ? EXIT_FINE
                                                          : EXIT_STORAGE;
  say("%s", error.text);
  if (status != LRGD_ERR_ORACLE && status != LRGD_ERR_INVALID)
    return exit_with(&error);
  return printf("nan\n") > 0 && fflush(stdout) == 0 ? EXIT_FINE : EXIT_STORAGE;
}

static int answer_all(pest_model *model)
{
  const pest_case *of = &model->of;
  char *line = NULL;
  size_t room = 0;
  double *x = malloc(of->adjustable_count * sizeof *x);
  double *simulated = malloc(of->observation_count * sizeof *simulated);
  int code = x != NULL && simulated != NULL ? EXIT_FINE : EXIT_INTERNAL;
  while (code == EXIT_FINE && ended == 0 && getline(&line, &room, stdin) >= 0)
    code = answer(model, line, x, simulated);
  free(line);
  free(x);
  free(simulated);
  return ended != 0 ? EXIT_SIGNAL + (int)ended : code;
}

static int run_pest(const cli_flags *flags)
{
  lrgd_error error = {.text = ""};
  pest_model model;
  place where;
  if (flags->word_count != 1) {
    say("which control file? lrgd pest CASE.pst");
    return EXIT_USAGE;
  }
  if (pest_model_open(&model, flags->words[0], &error) != LRGD_OK)
    return exit_with(&error);
  watch_signals();
  int code = enter(&where, model.of.folder, flags_has(flags, FLAG_COPY),
                   &error) == LRGD_OK
                 ? answer_all(&model)
                 : exit_with(&error);
  leave(&where);
  pest_model_close(&model);
  return code;
}

const cli_command pest_command = {
    .name = "pest",
    .words = "CASE.pst [--copy]",
    .summary = "Answers line by line for the model of a PEST control file.",
    .details =
        "A line of numbers, one for each parameter that is neither fixed nor\n"
        "tied, is written into the model's input files by their templates;\n"
        "the model is run, and what the instruction files find in its output\n"
        "is the line that is answered.  The model runs in the folder of the\n"
        "control file, or with --copy in a copy of it, which is removed at\n"
        "the end.\n"
        "A model that fails is answered by nan.  lrgd fit --pest CASE.pst\n"
        "starts it as its worker.",
    .flags = flag_ids,
    .flag_count = COUNT_OF(flag_ids),
    .run = run_pest,
};
