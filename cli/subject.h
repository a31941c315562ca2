/* What is to be minimised, wherever it comes from: a built-in problem, a
 * program, a plugin. */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "flags.h"
#include "problems.h"
#include "progress.h"

#include <lrgd/run.h>

/* The flags a subject is read from; a command lists them among its own. */
#define SUBJECT_FLAGS                                                          \
  FLAG_SET, FLAG_WORKER, FLAG_PROGRAM, FLAG_PLUGIN, FLAG_DIM, FLAG_START,      \
      FLAG_LOWER, FLAG_UPPER, FLAG_ORACLE, FLAG_JOBS, FLAG_TIMEOUT

typedef struct cli_subject {
  const char *name;      /* borrowed from the flags */
  lrgd_problem problem;  /* what the solver is given */
  double *start;         /* p numbers, owned */
  double *lower, *upper; /* owned, or NULL */
  double minimum;        /* NaN: not known */
  lr_problem *builtin;   /* one of these three */
  lrgd_pool *pool;
  void *plugin;
} cli_subject;

/* Reads PROBLEM and its flags.  progress is told while programs run; borrowed
 * until subject_destroy. */
LRGD_MUST_CHECK lrgd_status subject_create(cli_subject *subject,
                                           const cli_flags *flags,
                                           cli_progress *progress,
                                           lrgd_error *error);
void subject_destroy(cli_subject *subject);

#endif
