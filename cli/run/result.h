/* The result of a run, for programs (JSON) and for people (text). */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "cli/base/json_output.h"
#include "fit_uncertainty.h"
#include "inputs.h"
#include "misfit.h"
#include "solve.h"

/* Facts about the run that are printed with its result. */
typedef struct cli_about {
  const char *problem;
  const lrgd_options *options;
  const cli_inputs *inputs; /* NULL: not to be shown */
  /* output of the last failed program, as lines; NULL: none */
  const char *failure;
  /* reason of that failure, without the evaluation's number */
  const char *cause;
  bool bounded;                      /* x has bounds: gradients are projected */
  bool differences;                  /* derivatives are differences of values */
  bool verbose;                      /* print everything */
  const cli_ranks *ranks;            /* the ranks that evaluated; NULL: none */
  const char *journal;               /* the file of the journal; NULL: none */
  const lrgd_journal_summary *kept;  /* the state of the journal */
  const struct cli_outputs *outputs; /* NULL: no limits on answers */
  const cli_misfit *misfit;          /* NULL: there are no observations */
  const fit_uncertainty
      *uncertainty; /* the uncertainty of a fit; NULL: not known */
} cli_about;

/* The JSON object of `--json`; NULL: out of memory. */
json_t *result_json(const cli_run *run, const cli_about *about);

/* A few lines on standard output. */
void result_print(const cli_run *run, const cli_about *about);

#endif
