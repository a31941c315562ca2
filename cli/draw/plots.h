/* The files of --plot. */
#ifndef CLI_PLOTS_H
#define CLI_PLOTS_H

#include "cli/base/flags.h"
#include "draw.h"

/* Checks before the run that the files of --plot have the names of images and
 * can be written. */
LRGD_MUST_CHECK lrgd_status plots_check(const cli_flags *flags,
                                        lrgd_error *error);

/* Writes the figure to every --plot, and reports that; does nothing without
 * one. */
LRGD_MUST_CHECK lrgd_status plots_save(const draw_figure *figure,
                                       const cli_flags *flags,
                                       lrgd_error *error);

#endif
