/* The output of `lrgd diagnose`: text, JSON, a plot. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/base/json_output.h"
#include "cli/run/problem_source.h"

#include <lrgd/analysis.h>

/* All data for the output; borrowed for the calls. */
typedef struct cli_study {
  const cli_source *source;
  const lrgd_options *options;
  const lrgd_diagnosis *study;
  lrgd_diagnosis_plan plan;
  lrgd_diagnosis_plan enough; /* the plan without the user's budget */
  bool transforms;            /* logarithms and other units were tried */
  lrgd_logarithms logarithms;
  lrgd_scaling scaling;
  double seconds;
  uint64_t failures; /* evaluations without a finite answer */
  uint64_t replayed; /* answered from the journal */
} cli_study;

/* All evaluations of the user's function, earlier sessions included. */
uint64_t study_evaluations(const cli_study *shown);

/* Prints the number of evaluations before they are made; on standard error. */
void study_announce(const cli_study *shown);

/* Prints how many evaluations would suffice; on standard error. */
void study_wants(const cli_study *shown);

void study_print(const cli_study *shown);
json_t *study_json(const cli_study *shown);

/* The spectrum with its confidence bands, eta for each r, and for r = 1 or 2 f
 * against the active-subspace coordinates. */
LRGD_MUST_CHECK lrgd_status study_draw(const cli_study *shown, const char *path,
                                       lrgd_error *error);

/* The first sentence: the verdict, or that logarithms lower the rank. */
enum { STUDY_VERDICT_SIZE = 640 };
const char *study_verdict(const cli_study *shown,
                          char text[STUDY_VERDICT_SIZE]);

#endif
