/* What `lrgd diagnose` found, shown: text, JSON, a picture. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/base/json_output.h"
#include "cli/run/problem_source.h"

#include <lrgd/analysis.h>

/* Everything there is to show; borrowed for the calls. */
typedef struct cli_study {
  const cli_subject *subject;
  const lrgd_options *options;
  const lrgd_diagnosis *study;
  lrgd_diagnosis_plan plan;
  lrgd_diagnosis_plan enough; /* had there been no budget */
  bool transforms;            /* logarithms and other units were looked at */
  lrgd_logarithms logarithms;
  lrgd_scaling scaling;
  double seconds;
  uint64_t failures; /* evaluations without a finite answer */
  uint64_t replayed; /* answered from the journal */
} cli_study;

/* All that the user's function was asked, earlier sessions included. */
uint64_t study_evaluations(const cli_study *shown);

/* How many evaluations, told before they are spent; on standard error. */
void study_announce(const cli_study *shown);

/* How many evaluations would have been enough; on standard error. */
void study_wants(const cli_study *shown);

void study_print(const cli_study *shown);
json_t *study_json(const cli_study *shown);

/* The spectrum with its bands, eta for each r, and for r = 1 or 2 f against
 * the active coordinates. */
LRGD_MUST_CHECK lrgd_status study_draw(const cli_study *shown, const char *path,
                                       lrgd_error *error);

/* What the theorems need to know, for the accuracy asked for. */
lrgd_theorem_bound study_promise(const cli_study *shown, lrgd_theorem theorem,
                                 double *epsilon);

/* The sentence to begin with: the study's, or what logarithms do for it. */
enum { STUDY_VERDICT_SIZE = 640 };
const char *study_verdict(const cli_study *shown,
                          char text[STUDY_VERDICT_SIZE]);

#endif
