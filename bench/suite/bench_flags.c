/* Reads the command line: strict, one sentence per mistake. */
#include "bench_flags.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the value of a flag.  A list is cut at its commas, so that the text may
 * be modified. */
typedef void (*take_fn)(bench_flags *flags, char *text);

static double number(const char *text)
{
  char *end;
  double n = strtod(text, &end);
  if (end == text || *end != '\0') bench_die("'%s' is not a number", text);
  return n;
}

static uint64_t whole(const char *text)
{
  double n = number(text);
  if (!(n >= 0 && n <= 1e15 && n == floor(n)))
    bench_die("'%s' is not a whole number", text);
  return (uint64_t)n;
}

/* NOLINTBEGIN(readability-non-const-parameter): one signature for all */

/* Reads the name of a suite; "profiles" before it draws performance and data
 * profiles. */
static void take_suite(bench_flags *flags, char *text)
{
  static const char pictures[][17] = {"performance.svg", "data.svg"};
  if (!flags->suite && strcmp(text, "profiles") == 0) {
    flags->plots[flags->plot_count++] = pictures[0];
    flags->data_plots[flags->data_plot_count++] = pictures[1];
    return;
  }
  if (flags->suite) bench_die("one suite at a time, not %s too", text);
  flags->suite = text;
}

static void take_solver(bench_flags *flags, char *text)
{
  if (flags->spec_count == BENCH_WORDS) bench_die("too many solvers");
  if (!bench_solver_find(text))
    bench_die("no solver is called '%s' (--list names them)", text);
  flags->specs[flags->spec_count++] = text;
}

static void take_solvers(bench_flags *flags, char *text)
{
  char *rest = NULL;
  for (char *w = strtok_r(text, ",", &rest); w; w = strtok_r(NULL, ",", &rest))
    take_solver(flags, w);
}

static void take_only(bench_flags *flags, char *text)
{
  flags->only = text;
}

static void take_plot(bench_flags *flags, char *text)
{
  if (flags->plot_count == BENCH_WORDS) bench_die("too many pictures");
  flags->plots[flags->plot_count++] = text;
}

static void take_known(bench_flags *flags, char *text)
{
  if (flags->known_count == BENCH_WORDS) bench_die("too many files of runs");
  flags->known[flags->known_count++] = text;
}

static void take_policy(bench_flags *flags, char *text)
{
  char copy[80], *value;
  if (flags->policy_count == BENCH_WORDS) bench_die("too many rows");
  flags->policy[flags->policy_count++] = text;
  snprintf(copy, sizeof copy, "%s", text);
  value = strchr(copy, '=');
  if (!value) bench_die("'%s' is no setting: name=value is one", text);
  *value++ = '\0';
  bench_set_policy(copy, value);
}

/* Reads "name=a,b,c": runs auto as it is, and once with each of these values of
 * the policy's row. */
static void take_sweep(bench_flags *flags, char *text)
{
  char *rest = NULL, *values = strchr(text, '=');
  static char as_it_is[] = "auto";
  if (!values) bench_die("'%s' is no sweep: name=a,b,c is one", text);
  *values++ = '\0';
  flags->sweep = true;
  take_solver(flags, as_it_is);
  for (char *w = strtok_r(values, ",", &rest); w;
       w = strtok_r(NULL, ",", &rest)) {
    char *spec;
    if (flags->spec_count == BENCH_WORDS) bench_die("too many values");
    spec = flags->swept[flags->spec_count];
    /* checks name and value; the solver sets them again for each run */
    bench_set_policy(text, w);
    snprintf(spec, sizeof flags->swept[0], "auto:%s=%s", text, w);
    take_solver(flags, spec);
  }
}

/* Reads seeds: "7", "1-9", or several of these separated by commas. */
static void take_seeds(bench_flags *flags, char *text)
{
  char *rest = NULL;
  flags->seed_count = 0;
  for (char *w = strtok_r(text, ",", &rest); w;
       w = strtok_r(NULL, ",", &rest)) {
    char *dash = strchr(w, '-');
    uint64_t first, last;
    if (dash) *dash = '\0';
    first = whole(w);
    last = dash ? whole(dash + 1) : first;
    for (uint64_t s = first; s <= last; s++) {
      if (flags->seed_count == BENCH_SEEDS) bench_die("too many seeds");
      flags->seeds[flags->seed_count++] = s;
    }
  }
  if (flags->seed_count == 0) bench_die("no seeds given");
}

static void take_jobs(bench_flags *flags, char *text)
{
  flags->jobs = whole(text);
  if (flags->jobs == 0) bench_die("no run without a job");
}

static void take_seconds(bench_flags *flags, char *text)
{
  flags->seconds = number(text);
}

static void take_problem(bench_flags *flags, char *text)
{
  flags->own.line = flags->own.label = text;
}

static void take_rank(bench_flags *flags, char *text)
{
  flags->own.rank = whole(text);
}

static void take_noise(bench_flags *flags, char *text)
{
  flags->own.noise = number(text);
}

static void take_box(bench_flags *flags, char *text)
{
  flags->own.box = number(text);
}

static void take_budget(bench_flags *flags, char *text)
{
  flags->own.budget = whole(text);
}

static void take_class(bench_flags *flags, char *text)
{
  if (!bench_class_find(text, &flags->own.class))
    bench_die("no class is called '%s'", text);
}

static void take_data_plot(bench_flags *flags, char *text)
{
  if (flags->data_plot_count == BENCH_WORDS) bench_die("too many pictures");
  flags->data_plots[flags->data_plot_count++] = text;
}

static void take_minimum(bench_flags *flags, char *text)
{
  flags->minimum = number(text);
}

/* NOLINTEND(readability-non-const-parameter) */

static const struct {
  const char *name, *value, *help;
  take_fn take;
} valued[] = {
    {"--suite",     "NAME",                   "the same as the word NAME",                              take_suite    },
    {"--only",      "TEXT",
     "only the problems of the suite with TEXT in their label",                                         take_only     },
    {"--solvers",   "A,B,..",                 "only these (--list names them)",                         take_solvers  },
    {"--solver",    "METHOD:OPTION=VALUE,..",
     "this one; ours take any option of the library",                                                   take_solver   },
    {"--seeds",     "FIRST-LAST",             "101-105; quick: 101-103; tune: 1-9",                     take_seeds    },
    {"--jobs",      "N",                      "so many runs at a time (2)",                             take_jobs     },
    {"--seconds",   "S",                      "a run may take so long (30; quick: 4; simulators: 300)",
     take_seconds                                                                                                     },
    {"--plot",      "FILE",                   "performance profiles, .svg or .png",                     take_plot     },
    {"--data-plot", "FILE",                   "data profiles, .svg or .png",                            take_data_plot},
    {"--runs",      "FILE",                   "take the runs that --csv wrote there, run the others",
     take_known                                                                                                       },
    {"--policy",    "NAME=VALUE",
     "this number of the solver's policy (docs/parameters.md)",                                         take_policy   },
    {"--sweep",     "NAME=A,B,..",            "auto as it is and with these",                           take_sweep    },
    {"--problem",   "'KIND KEY=VALUE ..'",
     "this problem instead of a suite, with:",                                                          take_problem  },
    {"--class",     "NAME",                   "  judged as a problem of this class (exact)",
     take_class                                                                                                       },
    {"--rank",      "R",                      "  the rank told to lrgd and iterated (5)",               take_rank     },
    {"--noise",     "S",                      "  noise of this share of the first gap",                 take_noise    },
    {"--box",       "B",                      "  bounds, in units of the way to the minimum",           take_box      },
    {"--budget",    "N",                      "  evaluations (100 p + 2000)",                           take_budget   },
    {"--minimum",   "F",                      "  f*, if you know better",                               take_minimum  },
};

static const struct {
  const char *name, *help;
  size_t offset;
} switches[] = {
    {"--to-end",
     "let ours run to their own end, tol 1e-6 of the first gradient",            offsetof(bench_flags, to_end)   },
    {"--simulator", "the --problem is a simulator: 30 p evaluations, and marks",
     offsetof(bench_flags,                                                                             simulator)},
    {"--csv",       "one line for each run",                                     offsetof(bench_flags, csv)      },
    {"--json",      "everything as one JSON object",                             offsetof(bench_flags, json)     },
    {"--quiet",     "no progress",                                               offsetof(bench_flags, quiet)    },
    {"--list",      "the solvers and problems there are",
     offsetof(bench_flags,                                                                             list)     },
    {"--one",       "one run in this process, and its report",
     offsetof(bench_flags,                                                                             one)      },
    {"--reference", "f* of the problem",                                         offsetof(bench_flags, reference)},
    {"--help",      "this",                                                      offsetof(bench_flags, help)     },
};

enum {
  VALUED = sizeof valued / sizeof valued[0],
  SWITCHES = sizeof switches / sizeof switches[0]
};

static bool take_switch(bench_flags *flags, const char *name)
{
  for (size_t i = 0; i < SWITCHES; i++) {
    if (strcmp(name, switches[i].name) != 0) continue;
    *(bool *)(void *)((char *)flags + switches[i].offset) = true;
    return true;
  }
  return false;
}

static bool take_valued(bench_flags *flags, const char *name, char *text)
{
  for (size_t i = 0; i < VALUED; i++) {
    if (strcmp(name, valued[i].name) != 0) continue;
    if (!text) bench_die("%s needs a value", name);
    valued[i].take(flags, text);
    return true;
  }
  return false;
}

void bench_flags_read(bench_flags *flags, int argc, char **argv)
{
  *flags = (bench_flags){.minimum = NAN, .jobs = 2};
  flags->own.rank = 5;
  for (int i = 1; i < argc; i++) {
    if (take_switch(flags, argv[i])) continue;
    if (take_valued(flags, argv[i], argv[i + 1]))
      i++;
    else if (argv[i][0] == '-')
      bench_die("there is no flag %s (see --help)", argv[i]);
    else
      take_suite(flags, argv[i]);
  }
  if (flags->simulator) flags->own.class = BENCH_SIMULATORS;
}

void bench_flags_help(void)
{
  printf(
      "usage: lrgd-bench [profiles] [SUITE] [flags]\n"
      "       lrgd-bench width [flags]: rounds of several evaluations\n"
      "       lrgd-bench makespan [flags]: their time on many workers\n\n"
      "Counts the evaluations that solvers need on the same problems, from "
      "the same\nstart, with the same counter.  With the word `profiles` it "
      "draws performance and\ndata profiles, performance.svg and data.svg, "
      "too.\n\nSUITE is\n%s\nflags:\n",
      bench_suites_text());
  for (size_t i = 0; i < VALUED; i++) {
    int used = printf("  %s %s", valued[i].name, valued[i].value);
    printf("%*s%s\n", used < 30 ? 30 - used : 1, "", valued[i].help);
  }
  for (size_t i = 0; i < SWITCHES; i++)
    printf("  %-28s%s\n", switches[i].name, switches[i].help);
}
