/* The settings that a journal stores about its run: those that must be the same
 * in every session, and those that may change. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "problem_source.h"

typedef struct cli_record {
  lrgd_setting *settings; /* owned, with what they point to */
  size_t count;
  char *texts;      /* the texts of the options */
  char *set;        /* --set, sorted, one per line */
  char workers[24]; /* number of simultaneous evaluations */
} cli_record;

/* Borrows from flags and source until record_free. */
LRGD_MUST_CHECK lrgd_status record_make(cli_record *record,
                                        const cli_flags *flags,
                                        const cli_source *source,
                                        lrgd_error *error);
/* Adds another setting, at most one; borrowed as above. */
void record_add(cli_record *record, const char *key, const char *text);
void record_free(cli_record *record);

/* The text of a setting, "" where there is none. */
const char *recorded_text(const lrgd_journal *journal, const char *key);

/* Names of the inputs, a newline after each; NULL where there are none. */
const char *recorded_names(const lrgd_journal *journal, size_t p);

/* Reads settings back from a journal, which is not trusted. */
LRGD_MUST_CHECK lrgd_status recorded_options(const lrgd_journal *journal,
                                             lrgd_options *options,
                                             lrgd_error *error);
LRGD_MUST_CHECK lrgd_status recorded_inputs(const lrgd_journal *journal,
                                            size_t p, cli_inputs *inputs,
                                            lrgd_error *error);

#endif
