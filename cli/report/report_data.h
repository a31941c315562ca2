/* The data of a report: read from a journal, which may be growing, without
 * evaluations. */
#ifndef CLI_REPORT_DATA_H
#define CLI_REPORT_DATA_H

#include "cli/numerics/principal_directions.h"
#include "cli/run/fit_uncertainty.h"
#include "cli/run/inputs.h"
#include "cli/run/misfit.h"
#include "cli/run/recorded_outputs.h"

#include <lrgd/run.h>

/* A growing array of numbers. */
typedef struct cli_numbers {
  double *at; /* owned */
  size_t count, room;
} cli_numbers;
/* false: no memory. */
bool numbers_add(cli_numbers *numbers, double number);

/* One reason for which evaluations failed, and how often. */
typedef struct report_cause {
  char *line; /* owned; the first line of what was recorded */
  uint64_t count, first, last;
} report_cause;

typedef struct report_failure {
  uint64_t sequence;
  char *why; /* owned; lines */
} report_failure;

enum { REPORT_CAUSES = 24, REPORT_FAILURES = 50 };

/* All evaluations, in order. */
typedef struct report_rows {
  cli_numbers sequence, f; /* NaN: failed */
  uint64_t kinds[LRGD_KIND_COUNT];
  double seconds; /* durations of all evaluations, summed */
  report_cause causes[REPORT_CAUSES];
  size_t cause_count;
  uint64_t other_causes; /* failures for further causes */
  report_failure failures[REPORT_FAILURES];
  /* the first failures, whose texts are stored */
  size_t failure_count;
} report_rows;

/* The state of the solver after an iteration. */
typedef struct report_stand {
  double evaluations, rank;
  double spent[LRGD_PURPOSE_COUNT]; /* evaluations so far, by purpose */
} report_stand;

/* The run as its solver saw it, by replay; owns all. */
typedef struct report_path {
  bool known;        /* false: the run could not be replayed */
  char why_not[512]; /* why the run could not be replayed */
  bool whole;        /* the replay reached the end of the run */
  report_stand *stands;
  size_t count, room, stride, told;
  lrgd_phase *phases;
  size_t phase_count;
  lrgd_result result;
} report_path;

/* Results of a diagnosis of the function. */
typedef struct report_study {
  bool known;
  char file[400], verdict[384];
  uint64_t evaluations; /* evaluations of the diagnosis */
  /* oracle calls of gradient descent; NaN: more than descent_floor */
  double descent, descent_floor;
} report_study;

/* Everything a page shows.  Over 20 members: every section reads some of these
 * parts, and the page is written from one struct. */
typedef struct report_data {
  const char *file; /* borrowed */
  lrgd_journal *journal;
  lrgd_journal_summary summary;
  lrgd_holder holder;
  size_t p;
  bool has_inputs; /* the journal has the start and the variables of the run */
  cli_inputs inputs; /* all NULL without has_inputs */
  lrgd_options options;
  bool bounded, scaled, differences;
  report_rows rows;
  report_path path;
  bool diagnosed; /* the journal is that of a diagnosis */
  bool compared;  /* the journal is that of a comparison of methods */
  report_study study;
  double *width; /* half width of each input's box; NULL: not all have one */
  cli_directions directions; /* principal directions, in the solver's units or
                                in those of width */
  /* some evaluations along the first two directions */
  cli_numbers first, second, value;
  cli_misfit
      *misfit; /* misfit of the replay; NULL: there are no observations */
  fit_uncertainty *uncertainty; /* uncertainty of a fit; NULL: not known */
  recorded_outputs outputs;     /* outputs of a run with limits: those of x */
  double *x;                    /* the best point, p numbers; NULL: none */
  double f;
} report_data;

/* Reads all of it; free it whatever is returned.  file is borrowed, and so is
 * diagnosis, a journal of one; NULL: none. */
LRGD_MUST_CHECK lrgd_status report_data_read(report_data *data,
                                             const char *file,
                                             const char *diagnosis,
                                             lrgd_error *error);
void report_data_free(report_data *data);

/* Replays the solver on the journal: path, directions and the best point. Where
 * that is impossible, path.why_not says why; an error is one of this program.
 */
LRGD_MUST_CHECK lrgd_status report_replay(report_data *data, lrgd_error *error);

/* A problem with the same set of callbacks as the run, on which the solver's
 * choices depend; they return NaN. */
lrgd_problem report_problem(const report_data *data);

/* Replays the diagnosis of the journal `of`: the directions of run are then
 * those of the diagnosis.  Refused where it is of another function. */
LRGD_MUST_CHECK lrgd_status report_study_of(report_data *run,
                                            const report_data *of,
                                            lrgd_error *error);

/* "running", the outcome of the last session, or "interrupted". */
const char *report_state(const report_data *data);

/* Whether other outputs than f have limits, or are shown. */
bool report_is_limited(const report_data *data);

#endif
