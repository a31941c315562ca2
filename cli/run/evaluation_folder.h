/* Existing simulators: the files put into the folder of an evaluation, the
 * numbers read from it, and the folders that are kept. */
#ifndef CLI_EVALUATION_FOLDER_H
#define CLI_EVALUATION_FOLDER_H

#include "cli/base/flags.h"
#include "deck.h"
#include "output_number.h"

#include <lrgd/run.h>

/* The flags of a simulator; a command includes them in its own list. */
#define SIMULATOR_FLAGS                                                        \
  FLAG_TEMPLATE, FLAG_READ, FLAG_COPY_FILES, FLAG_LINK, FLAG_KEEP, FLAG_TIE

typedef enum simulator_keep {
  KEEP_NONE,
  KEEP_BEST,
  KEEP_FAILED,
  KEEP_ALL
} simulator_keep;

typedef struct cli_simulator cli_simulator;

/* Reads its flags; *simulator is NULL where there are none. */
LRGD_MUST_CHECK lrgd_status simulator_create(cli_simulator **simulator,
                                             const cli_flags *flags,
                                             const cli_inputs *inputs, size_t p,
                                             lrgd_error *error);
void simulator_destroy(cli_simulator **simulator);

/* The number of numbers that --read names; 0 without it. */
size_t simulator_reads(const cli_simulator *simulator);

/* Sets the hooks of the pool; everything is borrowed until the pool is
 * destroyed. */
void simulator_set(cli_simulator *simulator, lrgd_pool_options *options);

#endif
