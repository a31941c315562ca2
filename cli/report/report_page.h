/* The page of a report, section by section. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "page.h"
#include "report_data.h"

/* Writes the page; refresh_s > 0: browsers reload it at this interval. */
LRGD_MUST_CHECK lrgd_status report_page(cli_page *page, const report_data *data,
                                        int refresh_s, lrgd_error *error);

/* The first bytes of every page, by which an existing page is recognised. */
extern const char report_opening[];

/* The sections, in the order of the page.  Those with charts allocate memory,
 * and mark the page as incomplete if there is none. */
void report_progress(cli_page *page, const report_data *data);
void report_outputs(cli_page *page, const report_data *data);
void report_spending(cli_page *page, const report_data *data);
void report_descent(cli_page *page, const report_data *data);
void report_certificate(cli_page *page, const report_data *data);
void report_directions(cli_page *page, const report_data *data);
void report_influence(cli_page *page, const report_data *data);
void report_summary(cli_page *page, const report_data *data);
void report_observations(cli_page *page, const report_data *data);
void report_uncertainty(cli_page *page, const report_data *data);
void report_failures(cli_page *page, const report_data *data);
void report_best(cli_page *page, const report_data *data);
void report_settings(cli_page *page, const report_data *data);

/* Begins a section with its heading, and ends it. */
void report_section(cli_page *page, const char *id, const char *heading);
void report_section_end(cli_page *page);

/* The number of evaluations that a gradient costs. */
uint64_t report_gradient_price(const report_data *data);
/* The cost of gradient descent, and its lower bound; NaN: unknown. */
double report_descent_price(const report_data *data);
double report_descent_least(const report_data *data);

#endif
