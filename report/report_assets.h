/* The script and the style of a report's page: page.js and page.css, uPlot's
 * before them where it could be had.  The sums are as a content security
 * policy names them. */
#ifndef LRGD_REPORT_ASSETS_H
#define LRGD_REPORT_ASSETS_H

#include <stddef.h>

extern const unsigned char report_script[], report_style[];
extern const size_t report_script_size, report_style_size;
extern const char report_script_sum[], report_style_sum[];

#endif
