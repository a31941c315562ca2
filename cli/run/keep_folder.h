/* Folders of evaluations that stay. */
#ifndef CLI_KEEP_FOLDER_H
#define CLI_KEEP_FOLDER_H

#include "evaluation_folder.h"

typedef struct cli_keeper {
  simulator_keep keep;
  char *place; /* owned: where they are kept */
  double best; /* f of the folder "best"; NaN: there is none */
  bool told;   /* that one cannot be kept */
} cli_keeper;

/* --keep; with --journal RUN.db the place is RUN.kept, else lrgd-kept. */
LRGD_MUST_CHECK lrgd_status keeper_read(cli_keeper *keeper,
                                        const cli_flags *flags,
                                        lrgd_error *error);
void keeper_free(cli_keeper *keeper);

/* Moves the folder of an evaluation to where it stays, if it does. */
void keeper_take(cli_keeper *keeper, const char *folder, uint64_t number,
                 double f);

#endif
