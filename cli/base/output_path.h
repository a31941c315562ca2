/* Checks the path of an output file before anything is spent. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "flags.h"

/* How an output file is written. */
typedef enum place_way {
  PLACE_OPENED, /* opened at its final path */
  PLACE_RENAMED /* written to a temporary file beside it, then renamed */
} place_way;

/* LRGD_ERR_STORAGE where path, given by --flag, is a folder, is in none or
 * cannot be written; LRGD_ERR_INVALID where it is a journal, or belongs to one:
 * any database, the --journal of flags, what lies beside them, by whatever
 * name.  Nothing is made; a disk may still be full later. */
LRGD_MUST_CHECK lrgd_status place_check(const cli_flags *flags, flag_id flag,
                                        const char *path, place_way way,
                                        lrgd_error *error);

#endif
