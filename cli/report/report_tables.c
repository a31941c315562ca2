/* The sections of a report that are tables: failures, the best point, settings.
 * All texts may come from outside. */
#include "report_page.h"

#include "cli/base/cli_text.h"
#include "cli/run/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---- */

static void write_causes(cli_page *page, const report_rows *rows)
{
  page_raw(page,
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"reasons\"><table>\n<thead><tr><th scope=\"col\">why"
           "</th><th scope=\"col\" class=\"n\">times</th><th scope=\"col\" "
           "class=\"n\">first</th><th scope=\"col\" class=\"n\">last</th></tr>"
           "</thead>\n<tbody>\n");
  for (size_t i = 0; i < rows->cause_count; i++) {
    const report_cause *cause = &rows->causes[i];
    page_raw(page, "<tr><td class=\"text\">");
    page_text(page, cause->line);
    page_raw(page, "</td><td class=\"n\">");
    page_count(page, cause->count);
    page_raw(page, "</td><td class=\"n\">");
    page_count(page, cause->first);
    page_raw(page, "</td><td class=\"n\">");
    page_count(page, cause->last);
    page_raw(page, "</td></tr>\n");
  }
  page_raw(page, "</tbody></table></div>\n");
  if (rows->other_causes == 0) return;
  page_raw(page, "<p>And ");
  page_count(page, rows->other_causes);
  page_raw(page, " for other reasons.</p>\n");
}

static void write_each(cli_page *page, const report_rows *rows)
{
  page_raw(page, "<details><summary>");
  if (rows->failure_count == 1)
    page_raw(page, "The one that failed, with what was recorded");
  else
    page_add(page, "The first %zu, with what was recorded",
             rows->failure_count);
  page_raw(page, "</summary>\n<dl class=\"failures\">\n");
  for (size_t i = 0; i < rows->failure_count; i++) {
    page_raw(page, "<dt>evaluation ");
    page_count(page, rows->failures[i].sequence);
    page_raw(page, "</dt><dd><pre>");
    page_text(page, rows->failures[i].why);
    page_raw(page, "</pre></dd>\n");
  }
  page_raw(page, "</dl></details>\n");
}

void report_failures(cli_page *page, const report_data *data)
{
  const report_rows *rows = &data->rows;
  uint64_t failed = data->summary.failures;
  report_section(page, "failures", "What failed");
  if (rows->failure_count == 0) {
    page_raw(page, "<p>No evaluation failed.</p>\n");
  } else {
    page_raw(page, "<p>");
    page_count(page, failed);
    page_raw(page, failed == 1 ? " evaluation of " : " evaluations of ");
    page_count(page, data->summary.rows);
    page_add(page,
             " (%.3g %%) gave no finite number. They were paid for and are "
             "counted; the solver went on from what it had.</p>\n",
             100 * (double)failed / (double)data->summary.rows);
    write_causes(page, rows);
    write_each(page, rows);
  }
  report_section_end(page);
}

/* ---- the best point ---- */

enum { TABLE_ROWS = 200, CSV_ROWS = 20000, SHORT_TABLE = 40 };

typedef struct moved {
  size_t input;
  /* the change, in half widths of the input's box or in its own unit */
  double by;
} moved;

static int by_move(const void *a, const void *b)
{
  double one = fabs(((const moved *)a)->by);
  double other = fabs(((const moved *)b)->by);
  return (one < other) - (one > other);
}

static void write_bound_cell(cli_page *page, const double *bound, size_t i)
{
  page_raw(page, "<td class=\"n more\">");
  if (bound == NULL || !isfinite(bound[i]))
    page_raw(page, "–");
  else
    page_number(page, bound[i], 6);
  page_raw(page, "</td>");
}

static void write_point_row(cli_page *page, const report_data *data, size_t i)
{
  char name[INPUT_NAME_SIZE];
  const cli_inputs *inputs = &data->inputs;
  double x = data->x[i];
  bool low = inputs->lower != NULL && x <= inputs->lower[i];
  bool high = inputs->upper != NULL && x >= inputs->upper[i];
  page_raw(page, "<tr><th scope=\"row\">");
  page_text(page, input_name(inputs, i, name));
  page_raw(page, "</th><td class=\"n\">");
  page_number(page, x, 10);
  if (low || high)
    page_add(page, " <span class=\"note\">at its %s bound</span>",
             low ? "lower" : "upper");
  page_raw(page, "</td>");
  if (inputs->start != NULL) {
    page_raw(page, "<td class=\"n\">");
    page_number(page, inputs->start[i], 6);
    page_raw(page, "</td>");
  }
  if (data->bounded) {
    write_bound_cell(page, inputs->lower, i);
    write_bound_cell(page, inputs->upper, i);
  }
  page_raw(page, "</tr>\n");
}

static void write_point_table(cli_page *page, const report_data *data,
                              const moved *order, size_t rows)
{
  page_add(page,
           "<div class=\"scroll%s\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"the best point\"><table>\n<thead><tr><th "
           "scope=\"col\">input</th><th scope=\"col\" class=\"n\">best</th>",
           rows > SHORT_TABLE ? " tall" : "");
  if (data->inputs.start != NULL)
    page_raw(page, "<th scope=\"col\" class=\"n\">start</th>");
  if (data->bounded)
    page_raw(page,
             "<th scope=\"col\" class=\"n more\">lower</th>"
             "<th scope=\"col\" class=\"n more\">upper</th>");
  page_raw(page, "</tr></thead>\n<tbody>\n");
  for (size_t k = 0; k < rows; k++) write_point_row(page, data, order[k].input);
  page_raw(page, "</tbody></table></div>\n");
}

/* A name as a CSV field: quoted, and not interpreted as a formula by a
 * spreadsheet. */
static void write_field(cli_page *page, const char *name)
{
  page_raw(page, "&quot;");
  if (strchr("=+-@\t", *name) != NULL && *name != '\0') page_raw(page, "&#39;");
  for (; *name != '\0'; name++) {
    page_textn(page, name, strcspn(name, "\""));
    name += strcspn(name, "\"");
    if (*name == '\0') break;
    page_raw(page, "&quot;&quot;");
  }
  page_raw(page, "&quot;");
}

static void write_csv(cli_page *page, const report_data *data)
{
  size_t rows = data->p < CSV_ROWS ? data->p : CSV_ROWS;
  page_raw(page,
           "<p class=\"buttons\" hidden><button type=\"button\" id=\"copy\">"
           "Copy as CSV</button> <button type=\"button\" id=\"save\">Save as "
           "CSV</button></p>\n<details><summary>As CSV, to every digit");
  if (rows < data->p) page_add(page, " (the first %zu inputs)", rows);
  page_raw(page,
           "</summary>\n<pre id=\"csv\" tabindex=\"0\">input,best,start\n");
  for (size_t i = 0; i < rows; i++) {
    char name[INPUT_NAME_SIZE];
    write_field(page, input_name(&data->inputs, i, name));
    page_raw(page, ",");
    page_real(page, data->x[i]);
    page_raw(page, ",");
    if (data->inputs.start != NULL) page_real(page, data->inputs.start[i]);
    page_raw(page, "\n");
  }
  page_raw(page, "</pre></details>\n");
}

/* Chooses the rows: all inputs in their order, or those that changed most. */
static size_t choose_rows(const report_data *data, moved *order)
{
  for (size_t i = 0; i < data->p; i++) {
    double start = data->inputs.start != NULL ? data->inputs.start[i] : 0;
    /* widths are in units of x */
    bool given = data->width != NULL && !data->scaled;
    double unit = given ? data->width[i] : 1;
    order[i] = (moved){i, (data->x[i] - start) / unit};
  }
  if (data->p <= TABLE_ROWS) return data->p;
  qsort(order, data->p, sizeof *order, by_move);
  return TABLE_ROWS;
}

static void write_point(cli_page *page, const report_data *data)
{
  moved *order = malloc(data->p * sizeof *order);
  if (order == NULL) {
    page->lost = true;
    return;
  }
  size_t rows = choose_rows(data, order);
  page_raw(page, "<p>f = <strong>");
  page_real(page, data->f);
  page_raw(page, "</strong> at this point.");
  if (report_is_limited(data) && !(data->outputs.violation <= LRGD_FEASIBLE))
    page_raw(page, " It is outside the limits.");
  double lowest = data->summary.best_f;
  if (lowest < data->f && data->inputs.prior.count == 0 &&
      !report_is_limited(data)) {
    page_raw(page, " A lower value, ");
    page_real(page, lowest);
    page_raw(page, ", was told at evaluation ");
    page_count(page, data->summary.best_sequence);
    page_raw(page,
             ", a point beside it that was asked for a slope or a trial; this "
             "is the one the run stands on.");
  }
  if (rows < data->p) {
    page_add(page, " The %zu inputs that moved furthest, of ", rows);
    page_count(page, data->p);
    page_raw(page, ".");
  }
  page_raw(page, "</p>\n");
  write_point_table(page, data, order, rows);
  write_csv(page, data);
  free(order);
}

void report_best(cli_page *page, const report_data *data)
{
  report_section(page, "best", "The best point");
  if (data->x == NULL)
    page_raw(page, "<p>There is none yet.</p>\n");
  else
    write_point(page, data);
  report_section_end(page);
}

/* ---- settings ---- */

static void write_setting(cli_page *page, const lrgd_setting *setting)
{
  double number;
  page_raw(page, "<tr><th scope=\"row\">");
  page_text(page, setting->key);
  page_raw(page, "</th><td class=\"text\">");
  if (setting->text == NULL) {
    page_count(page, setting->count);
    page_raw(page, setting->count == 1 ? " number" : " numbers");
  } else if (strcmp(setting->key, "names") == 0) {
    page_raw(page, "as above");
  } else if (text_number(setting->text, &number)) {
    page_real(page, number);
  } else {
    page_text(page, setting->text);
  }
  page_raw(page, "</td></tr>\n");
}

void report_settings(cli_page *page, const report_data *data)
{
  const lrgd_journal_summary *summary = &data->summary;
  report_section(page, "settings", "How it was run");
  page_raw(page, "<p>Begun ");
  page_text(page, summary->started);
  page_raw(page, ", ");
  page_count(page, summary->sessions);
  page_raw(page, summary->sessions == 1 ? " session" : " sessions");
  page_add(page, ", %.4g s in all.</p>\n<details><summary>All settings",
           summary->seconds);
  page_raw(page,
           "</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"settings\"><table><tbody>\n");
  for (size_t i = 0; i < lrgd_journal_setting_count(data->journal); i++)
    write_setting(page, lrgd_journal_setting_at(data->journal, i));
  page_raw(page, "</tbody></table></div></details>\n");
  report_section_end(page);
}
