/* Folders of evaluations that --keep keeps. */
#ifndef CLI_KEEP_FOLDER_H
#define CLI_KEEP_FOLDER_H

#include "evaluation_folder.h"

typedef struct cli_keeper {
  simulator_keep keep;
  char *place; /* owned: where they are kept */
  double best; /* f of the folder "best"; NaN: there is none */
  bool told;   /* it has been reported that "best" cannot be kept */
} cli_keeper;

/* Reads --keep; the place is RUN.kept with --journal RUN.db, else lrgd-kept. */
LRGD_MUST_CHECK lrgd_status keeper_read(cli_keeper *keeper,
                                        const cli_flags *flags,
                                        lrgd_error *error);
void keeper_free(cli_keeper *keeper);

/* Keeps the folder of an evaluation if --keep says so. */
void keeper_take(cli_keeper *keeper, const char *folder, uint64_t number,
                 double f);

#endif
