/* The function to be minimised: a built-in problem, a program, a plugin. */
#ifndef CLI_PROBLEM_SOURCE_H
#define CLI_PROBLEM_SOURCE_H

#include "cli/base/flags.h"
#include "cli/terminal/progress.h"
#include "evaluation_folder.h"
#include "events.h"
#include "inputs.h"
#include "problems.h"
#include "ranks.h"

#include <lrgd/run.h>

/* The flags of a problem source; a command includes them in its own list. */
#define SOURCE_FLAGS                                                           \
  FLAG_SET, FLAG_WORKER, FLAG_PROGRAM, FLAG_PLUGIN, FLAG_DIM, FLAG_START,      \
      FLAG_LOWER, FLAG_UPPER, FLAG_ORACLE, FLAG_JOBS, FLAG_TIMEOUT

/* The derivatives that the problem offers, by --oracle. */
typedef enum cli_oracle {
  ORACLE_VALUE,
  ORACLE_GRADIENT,
  ORACLE_SLOPE,
  ORACLE_COMPLEX,
  ORACLE_OFFERED /* those that a plugin offers */
} cli_oracle;

/* Observers of a running program, borrowed until source_destroy; any may be
 * NULL. */
typedef struct cli_listeners {
  cli_progress *progress;
  cli_events *events;
  const char *run_id;       /* the id of the journal */
  uint64_t before;          /* number of evaluations in the journal */
  void (*tick)(void *user); /* called from time to time */
  void *tick_user;
} cli_listeners;

typedef struct cli_source {
  const char *name; /* borrowed from the flags */
  cli_oracle oracle;
  /* f is a sum of squares: of a program's residuals, or of its misfit */
  bool residuals;
  lrgd_problem problem; /* the problem in the user's own units */
  cli_inputs inputs;    /* where to start, bounds, names, scaling */
  const double *start;  /* inputs.start */
  double minimum;       /* NaN: not known */
  lr_problem *builtin;  /* one of these three is set */
  lrgd_pool *pool;
  void *plugin;
  cli_ranks ranks;             /* evaluations on the ranks of a job */
  struct cli_outputs *outputs; /* outputs with limits; NULL: f is one number */
  /* files and folders of a simulator; NULL: it needs none */
  cli_simulator *simulator;
  const struct pest_case *pest; /* borrowed; NULL: not a PEST case */
  cli_listeners
      listeners; /* listeners of the pool; the struct must not be moved */
} cli_source;

/* Reads PROBLEM and its flags, without starting a program. inputs: those of a
 * journal, whose ownership is taken, otherwise NULL. */
LRGD_MUST_CHECK lrgd_status source_read(cli_source *source,
                                        const cli_flags *flags,
                                        cli_inputs *inputs, lrgd_error *error);

/* Scales the inputs of a new run by their bounds, where appropriate; see
 * inputs_scale_by_widths. */
LRGD_MUST_CHECK lrgd_status source_scale(cli_source *source,
                                         const cli_flags *flags,
                                         lrgd_error *error);

/* Checks --residuals against the other flags. */
LRGD_MUST_CHECK lrgd_status residuals_check(const cli_flags *flags,
                                            lrgd_error *error);

/* Starts the program, if f is evaluated by one. */
LRGD_MUST_CHECK lrgd_status source_start(cli_source *source,
                                         const cli_flags *flags,
                                         const cli_listeners *listeners,
                                         lrgd_error *error);

/* For lrgd-mpi: makes source_start call this function, which evaluates on
 * other ranks. */
typedef lrgd_status (*source_starter)(cli_source *source,
                                      const cli_flags *flags,
                                      const cli_listeners *listeners,
                                      lrgd_error *error);
void source_starts_with(source_starter start, size_t evaluators);
/* whether evaluations are made by other ranks */
bool source_is_elsewhere(void);
/* The number of simultaneous evaluations: of ranks that evaluate, or --jobs. */
int64_t source_evaluators(const cli_flags *flags);

/* Opens the source, then starts its program. */
LRGD_MUST_CHECK lrgd_status source_create(cli_source *source,
                                          const cli_flags *flags,
                                          cli_progress *progress,
                                          lrgd_error *error);
/* The last failure as lines, borrowed; NULL: no program failed. */
const char *source_last_failure(const cli_source *source);

/* Prints the output of the program that failed last: a sentence, then its last
 * lines. */
void source_say_failure(const cli_source *source);

void source_destroy(cli_source *source);

/* Checks that there is a built-in problem of that name; the message names the
 * closest one. */
LRGD_MUST_CHECK lrgd_status builtin_check(const char *name, lrgd_error *error);

const char *oracle_name(cli_oracle oracle);

/* The settings of --set, parsed, with --dim as p; names are owned, one block
 * each. */
typedef struct cli_settings {
  lr_setting *entries;
  size_t count;
} cli_settings;
LRGD_MUST_CHECK lrgd_status settings_read(cli_settings *settings,
                                          const cli_flags *flags,
                                          lrgd_error *error);
void settings_free(cli_settings *settings);

/* "worker", "program", "plugin" or "built-in". */
const char *source_kind(const cli_flags *flags);

#endif
