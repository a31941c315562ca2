/* The files of --plot. */
#ifndef CLI_PLOTS_H
#define CLI_PLOTS_H

#include "cli/base/flags.h"
#include "draw.h"

/* Before anything is spent: are the names of --plot those of pictures, and can
 * they be written? */
LRGD_MUST_CHECK lrgd_status plots_check(const cli_flags *flags,
                                        lrgd_error *error);

/* Draws the figure into every --plot, and says so; does nothing without
 * one. */
LRGD_MUST_CHECK lrgd_status plots_save(const draw_figure *figure,
                                       const cli_flags *flags,
                                       lrgd_error *error);

#endif
