/* The function to be minimised: a built-in problem, a program, a plugin. */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "cli/base/flags.h"
#include "cli/terminal/progress.h"
#include "evaluation_folder.h"
#include "events.h"
#include "inputs.h"
#include "problems.h"
#include "ranks.h"

#include <lrgd/run.h>

/* The flags of a problem source; a command includes them in its own list. */
#define SUBJECT_FLAGS                                                          \
  FLAG_SET, FLAG_WORKER, FLAG_PROGRAM, FLAG_PLUGIN, FLAG_DIM, FLAG_START,      \
      FLAG_LOWER, FLAG_UPPER, FLAG_ORACLE, FLAG_JOBS, FLAG_TIMEOUT

/* The evaluations that f offers, as --oracle says. */
typedef enum cli_oracle {
  ORACLE_VALUE,
  ORACLE_GRADIENT,
  ORACLE_SLOPE,
  ORACLE_COMPLEX,
  ORACLE_OFFERED /* a plugin's own choice */
} cli_oracle;

/* Observers of a running program, borrowed until subject_destroy; any may be
 * NULL. */
typedef struct cli_listeners {
  cli_progress *progress;
  cli_events *events;
  const char *run_id;       /* the id of the journal */
  uint64_t before;          /* evaluations in the journal */
  void (*tick)(void *user); /* now and then */
  void *tick_user;
} cli_listeners;

typedef struct cli_subject {
  const char *name; /* borrowed from the flags */
  cli_oracle oracle;
  bool residuals;       /* a program answers them, or values to be observed */
  lrgd_problem problem; /* in the user's own units */
  cli_inputs inputs;    /* where to start, bounds, names, scaling */
  const double *start;  /* inputs.start */
  double minimum;       /* NaN: not known */
  lr_problem *builtin;  /* one of these three */
  lrgd_pool *pool;
  void *plugin;
  cli_ranks ranks;              /* where they evaluate */
  struct cli_outputs *outputs;  /* with limits; NULL: f is one number */
  cli_simulator *simulator;     /* NULL: the program needs none of that */
  const struct pest_case *pest; /* borrowed; NULL: it is no PEST case */
  cli_listeners listeners;      /* of the pool; the struct must not be moved */
} cli_subject;

/* Reads PROBLEM and its flags, without starting a program. inputs: those of a
 * journal, whose ownership is taken, otherwise NULL. */
LRGD_MUST_CHECK lrgd_status subject_read(cli_subject *subject,
                                         const cli_flags *flags,
                                         cli_inputs *inputs, lrgd_error *error);

/* Scales the inputs of a new run by their bounds, where appropriate; see
 * inputs_scale_by_widths. */
LRGD_MUST_CHECK lrgd_status subject_scale(cli_subject *subject,
                                          const cli_flags *flags,
                                          lrgd_error *error);

/* Whether --residuals goes with the other flags. */
LRGD_MUST_CHECK lrgd_status residuals_check(const cli_flags *flags,
                                            lrgd_error *error);

/* Starts the program, where the subject is one. */
LRGD_MUST_CHECK lrgd_status subject_start(cli_subject *subject,
                                          const cli_flags *flags,
                                          const cli_listeners *listeners,
                                          lrgd_error *error);

/* For lrgd-mpi, which evaluates on other ranks: subject_start calls this
 * function instead. */
typedef lrgd_status (*subject_starter)(cli_subject *subject,
                                       const cli_flags *flags,
                                       const cli_listeners *listeners,
                                       lrgd_error *error);
void subject_starts_with(subject_starter start, size_t evaluators);
bool subject_is_elsewhere(void); /* whether that was set */
/* How many evaluations are made at once: ranks that evaluate, or --jobs. */
int64_t subject_evaluators(const cli_flags *flags);

/* Opens the source, then starts its program. */
LRGD_MUST_CHECK lrgd_status subject_create(cli_subject *subject,
                                           const cli_flags *flags,
                                           cli_progress *progress,
                                           lrgd_error *error);
void subject_destroy(cli_subject *subject);

/* Whether there is a built-in problem of that name; otherwise the message names
 * the closest one. */
LRGD_MUST_CHECK lrgd_status builtin_check(const char *name, lrgd_error *error);

const char *oracle_name(cli_oracle oracle);

/* The settings of --set, parsed, then --dim as another way to write --set
 * p=...; names are owned, one block each. */
typedef struct cli_settings {
  lr_setting *entries;
  size_t count;
} cli_settings;
LRGD_MUST_CHECK lrgd_status settings_read(cli_settings *settings,
                                          const cli_flags *flags,
                                          lrgd_error *error);
void settings_free(cli_settings *settings);

/* "worker", "program", "plugin" or "built-in". */
const char *subject_kind(const cli_flags *flags);

#endif
