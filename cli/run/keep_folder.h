/* Folders of evaluations that --keep keeps. */
#ifndef CLI_KEEP_FOLDER_H
#define CLI_KEEP_FOLDER_H

#include "evaluation_folder.h"

typedef struct cli_kept_folders {
  simulator_keep keep;
  char *place; /* owned: where they are kept */
  /* f of the evaluation in the folder "best"; NaN: there is none */
  double best;
  bool told; /* it has been reported that "best" cannot be kept */
} cli_kept_folders;

/* Reads --keep; the place is RUN.kept with --journal RUN.db, else lrgd-kept. */
LRGD_MUST_CHECK lrgd_status kept_folders_read(cli_kept_folders *kept,
                                              const cli_flags *flags,
                                              lrgd_error *error);
void kept_folders_free(cli_kept_folders *kept);

/* Keeps the folder of an evaluation if --keep says so. */
void kept_folders_take(cli_kept_folders *kept, const char *folder,
                       uint64_t number, double f);

#endif
