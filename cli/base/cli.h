/* What the commands share: exit statuses, the description of a command, error
 * messages.  Results go to standard output, all else to standard error. */
#ifndef CLI_H
#define CLI_H

#include <lrgd/lrgd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses; scripts rely on these numbers. */
typedef enum exit_code {
  EXIT_FINE = 0,      /* converged, or the target was reached */
  EXIT_INTERNAL = 1,  /* an internal error, or no memory */
  EXIT_USAGE = 2,     /* wrong call, or a command that cannot be started */
  EXIT_SHORT = 3,     /* budget, stall or stopped; best so far given */
  EXIT_PROBLEM = 4,   /* the problem failed more often than allowed */
  EXIT_UNBOUNDED = 5, /* f has no lower bound */
  EXIT_STORAGE = 6,   /* a file or standard output cannot be written */
  EXIT_REFUSED = 7,   /* the journal was refused */
  EXIT_LOCKED = 8,    /* the journal is in use */
  EXIT_SIGNAL = 128   /* + the signal; best so far given */
} exit_code;

struct cli_flags;

/* One command of the program. */
typedef struct cli_command {
  const char *name;
  const char *words;   /* what follows the name in the usage line */
  const char *summary; /* one line */
  const char *details; /* paragraphs for --help */
  const int *flags;    /* flag_id each */
  size_t flag_count;
  bool solver_options; /* takes the library's options as flags too */
  int (*run)(const struct cli_flags *flags); /* returns an exit_code */
} cli_command;

extern const cli_command minimize_command;
extern const cli_command fit_command;
extern const cli_command pest_command;
extern const cli_command diagnose_command;
extern const cli_command problems_command;
extern const cli_command check_command;
extern const cli_command compare_command;
extern const cli_command propositions_command;
extern const cli_command reproduce_command;
extern const cli_command bench_command;
extern const cli_command resume_command;
extern const cli_command status_command;
extern const cli_command report_command;

/* Writes the sentence into error (which may be NULL), returns status. */
lrgd_status fail(lrgd_error *error, lrgd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
lrgd_status fail_memory(lrgd_error *error);

/* Writes text that may come from a program or a file: control characters, marks
 * that change the direction of writing, and bytes that are not UTF-8 are
 * written as \xNN. */
void put_safe(FILE *file, const char *text);
void put_safe_part(FILE *file, const char *text, size_t length);

/* Prints "lrgd: sentence" on standard error, control characters escaped. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error and returns its exit status. */
int exit_with(const lrgd_error *error);
int exit_of_outcome(lrgd_outcome outcome);

/* Flushes standard output; code, or EXIT_STORAGE if it cannot be written. */
int finish_output(int code);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
