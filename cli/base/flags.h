/* The command line, read from tables: one row for each flag of the command, and
 * the rows of the library's option table. */
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include "cli.h"

/* X(id, name, argument or NULL for a switch, help) */
#define FLAG_LIST(X)                                                           \
  X(SET, "set", "KEY=VALUE", "a parameter of a built-in problem or plugin")    \
  X(WORKER, "worker", "'CMD'", "f is a program that answers line by line")     \
  X(PROGRAM, "program", "'CMD'", "f is a program run once per evaluation")     \
  X(PLUGIN, "plugin", "FILE.so", "f is in a shared library (lrgd/plugin.h)")   \
  X(DIM, "dim", "P", "number of inputs")                                       \
  X(START, "start", "FILE|NUMBER|1,2,..",                                      \
    "where to start; FILE: P numbers, or .npy")                                \
  X(LOWER, "lower", "FILE|NUMBER|1,2,..", "lower bounds (-inf: none)")         \
  X(UPPER, "upper", "FILE|NUMBER|1,2,..", "upper bounds (inf: none)")          \
  X(ORACLE, "oracle", "value|gradient|slope|complex", "what f can be asked")   \
  X(RESIDUALS, "residuals", NULL,                                              \
    "the program answers residuals; f is half the sum of their squares")       \
  X(ANSWERS, "answers", "NAMES",                                               \
    "the program answers several numbers, called A,B,.. (or as --read says)")  \
  X(OBJECTIVE, "objective", "NAME", "the answer to minimise [the first]")      \
  X(MAXIMIZE, "maximize", NULL, "maximise it")                                 \
  X(CONSTRAINT, "constraint", "LIMIT",                                         \
    "a limit of an answer: <=, >=, =, or 'LOW <= NAME <= HIGH' (may be "       \
    "repeated)")                                                               \
  X(AT_MOST, "at-most", "A.txt b.txt",                                         \
    "keep A x <= b at every point; a row of A per line")                       \
  X(OBSERVATIONS, "observations", "FILE",                                      \
    "what was measured: a line NAME VALUE [WEIGHT [GROUP]] each")              \
  X(PEST, "pest", "CASE.pst",                                                  \
    "a PEST control file: parameters, observations and the model")             \
  X(COPY, "copy", NULL, "run the model in a copy of its folder")               \
  X(TEMPLATE, "template", "IN:OUT",                                            \
    "write OUT in the program's folder: IN with {{NAME}} filled in (may be "   \
    "repeated)")                                                               \
  X(READ, "read", "NAME=FILE:/REGEX/",                                         \
    "an answer is in FILE: the group of the last match, or column N[,row M] "  \
    "(may be repeated)")                                                       \
  X(COPY_FILES, "copy", "FILES",                                               \
    "copy these into the folder of each evaluation: A,B,..")                   \
  X(LINK, "link", "FILES",                                                     \
    "link to these in the folder of each evaluation: A,B,..")                  \
  X(KEEP, "keep", "best|failed|all",                                           \
    "keep folders of evaluations, in RUN.kept or lrgd-kept")                   \
  X(TIE, "tie", "FILE",                                                        \
    "what the program gets: a line each with the number or name of the input") \
  X(PREDICTIONS, "predictions", "NAMES",                                       \
    "observations of weight 0, or groups of them, whose uncertainty is told: " \
    "A,B,..")                                                                  \
  X(COVARIANCE, "covariance", "FILE", "write the covariance of the inputs")    \
  X(JACOBIAN, "jacobian", "FILE",                                              \
    "write the derivatives of the residuals by the inputs")                    \
  X(PRIOR, "prior", "FILE",                                                    \
    "prior information: a line NAME C*INPUT + ... = VALUE [WEIGHT [GROUP]] "   \
    "each")                                                                    \
  X(CORRELATED, "correlated", "FILE",                                          \
    "coordinates of the inputs, a line each: near ones are likely to be "      \
    "alike (with --length)")                                                   \
  X(LENGTH, "length", "L", "inputs so far apart have the correlation 1/e")     \
  X(JOBS, "jobs", "N", "evaluations of a program at once")                     \
  X(TIMEOUT, "timeout", "SECONDS", "most for one evaluation [no limit]")       \
  X(NAMES, "names", "FILE", "names of the inputs, one per line")               \
  X(SCALE, "scale", "FILE|NUMBER|1,2,..",                                      \
    "work on x / scale, coordinate by coordinate")                             \
  X(LOG, "log", "FILE|all|1,k,..",                                             \
    "work on log x; numbers (from 1) or names of inputs")                      \
  X(REISSUE, "reissue", "N",                                                   \
    "over ranks: ask up to N late questions of a second one too [0]")          \
  X(BASIS, "basis", "FILE",                                                    \
    "move only along these directions: p numbers each, as diagnose --save")    \
  X(EQUAL, "equal", "A.txt b.txt",                                             \
    "keep A x = b, also within bounds; a row of A per line")                   \
  X(SAMPLES, "samples", "FILE",                                                \
    "the points of Algorithm 1 (method lrgd): p numbers each, at least as "    \
    "many points as the rank")                                                 \
  X(METHODS, "methods", "NAMES", "the methods to compare: A,B,..")             \
  X(JOURNAL, "journal", "RUN.db",                                              \
    "keep every evaluation; go on if it is there")                             \
  X(LEARN_FROM, "learn-from", "OLD.db",                                        \
    "know what this journal of the same f holds (may be repeated)")            \
  X(STORAGE_WAIT, "storage-wait", "SECONDS", "patience with a full disk [30]") \
  X(EVENTS, "events", "FILE", "append what happens, one JSON object per line") \
  X(JSON, "json", NULL, "one JSON object on standard output")                  \
  X(CSV, "csv", NULL, "comma-separated values on standard output")             \
  X(PLOT, "plot", "FILE", "draw into FILE.svg or FILE.png (may be repeated)")  \
  X(SAVE, "save", "FILE", "write the best point (diagnose: directions)")       \
  X(OUTPUT, "output", "FILE", "where to write the page; -o for short")         \
  X(WATCH, "watch", NULL, "write it anew while the run goes on")               \
  X(DIAGNOSIS, "diagnosis", "FILE.db",                                         \
    "take directions from this journal of lrgd diagnose")                      \
  X(FORCE, "force", NULL, "overwrite what is no such page")                    \
  X(OUT, "out", "DIR", "folder for the pictures (default: this one)")          \
  X(PAPER, "paper", "FILE", "the paper's numbers (default: those installed)")  \
  X(TRANSFORMS, "try-transforms", NULL, "would logarithms or units lower it?") \
  X(GRADIENTS, "gradients", "N", "most gradients to sample")                   \
  X(HELD_OUT, "held-out", "N", "points to keep aside [100]")                   \
  X(RADIUS, "radius", "R", "of the ball sampled, in units of the scale of x")  \
  X(DATA, "data", "DIR", "folder of the MNIST files, or tiny: drawn here")     \
  X(EPOCHS, "epochs", "N", "training of a network [20]")                       \
  X(HESSIAN, "hessian", NULL, "mnist: the Hessian's view as well")             \
  X(VARIATIONS, "variations", NULL, "mnist: the paper's closing remark too")   \
  X(QUIET, "quiet", NULL, "no progress on standard error")                     \
  X(VERBOSE, "verbose", NULL,                                                  \
    "tell what evaluations were for, oracle calls and decisions too")          \
  X(HELP, "help", NULL, "show this help")

typedef enum flag_id {
#define FLAG_X(id, name, argument, help) FLAG_##id,
  FLAG_LIST(FLAG_X)
#undef FLAG_X
      FLAG_IDS
} flag_id;

typedef struct flag_given {
  int id;           /* flag_id; FLAG_IDS + i for the library's option i */
  const char *text; /* "" for a switch */
} flag_given;

/* The flags given; texts are borrowed from argv. */
typedef struct cli_flags {
  const cli_command *command;
  lrgd_options options; /* the library's, as set by flags */
  flag_given *given;    /* in order */
  size_t given_count;
  const char **words; /* arguments that are not flags */
  size_t word_count;
} cli_flags;

/* Reads the arguments after the command's name.  On failure the message has a
 * hint, and nothing is left to free. */
LRGD_MUST_CHECK lrgd_status flags_read(cli_flags *flags,
                                       const cli_command *command, int argc,
                                       char **argv, lrgd_error *error);
void flags_free(cli_flags *flags);

bool flags_has(const cli_flags *flags, flag_id id);
/* The value of the flag's last occurrence, NULL if it is not given. */
const char *flags_text(const cli_flags *flags, flag_id id);
/* The value of the next occurrence at or after *cursor (0 at first), NULL if
 * there is none. */
const char *flags_next(const cli_flags *flags, flag_id id, size_t *cursor);
size_t flags_count(const cli_flags *flags, flag_id id);

/* Sets the library's options whose flags are given, and leaves the others. */
LRGD_MUST_CHECK lrgd_status flags_apply(const cli_flags *flags,
                                        lrgd_options *options,
                                        lrgd_error *error);

/* The name of a flag, "start" for FLAG_START. */
const char *flags_name(flag_id id);

/* A flag for help and manual: the command's own come first, then the library's
 * options. */
#define FLAG_TEXT_SIZE 256
typedef struct flag_view {
  char name[48];                 /* without the dashes */
  char argument[FLAG_TEXT_SIZE]; /* "" for a switch; "a|b": one of these */
  char help[FLAG_TEXT_SIZE];
  char value[64]; /* the default of a library's option, else "" */
} flag_view;
size_t flags_offered(const cli_command *command);
flag_view flags_view(const cli_command *command, size_t index);

/* The length of the first sentence of its summary, without the full stop. */
int summary_length(const cli_command *command);

/* The command's help, on standard output. */
void flags_help(const cli_command *command);

#endif
