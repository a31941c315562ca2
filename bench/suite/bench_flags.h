/* The command line of lrgd-bench. */
#ifndef BENCH_FLAGS_H
#define BENCH_FLAGS_H

#include "bench.h"

enum { BENCH_WORDS = 64, BENCH_SEEDS = 1000, BENCH_CASES = 400 };

/* The command line.  Over 20 members: one for each flag, and the lists of those
 * that may be repeated. */
typedef struct bench_flags {
  const char *suite;
  const char *only; /* problems whose label contains this; NULL: all */
  const char *specs[BENCH_WORDS]; /* solvers; none: all */
  size_t spec_count;
  const char *plots[BENCH_WORDS];
  size_t plot_count;
  const char *data_plots[BENCH_WORDS];
  size_t data_plot_count;
  const char *known[BENCH_WORDS]; /* files with the results of earlier runs */
  size_t known_count;
  /* NAME=VALUE, for rows of the solver's policy */
  const char *policy[BENCH_WORDS];
  size_t policy_count;
  bool sweep; /* --sweep was given: several values of one row ... */
  char swept[BENCH_WORDS][80]; /* ... one solver for each value */
  uint64_t seeds[BENCH_SEEDS];
  size_t seed_count;
  const bench_case *cases[BENCH_CASES];
  bench_case own; /* a problem given on the command line: line not NULL */
  double minimum, seconds;
  size_t jobs;
  bool csv, json, to_end, simulator, quiet, list, help;
  /* the process does a single run, or computes a minimum */
  bool one, reference;
} bench_flags;

/* Borrows argv (and cuts lists in it at their commas). */
void bench_flags_read(bench_flags *flags, int argc, char **argv);
void bench_flags_help(void);

#endif
