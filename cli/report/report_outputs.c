/* The section of a report on a run with limits: every output at the best point,
 * its limits, and what one unit more of an active one would gain. */
#include "report_page.h"

#include <math.h>

static bool is_met(const report_data *data)
{
  return data->outputs.violation <= LRGD_FEASIBLE;
}

static void write_side(cli_page *page, const char *relation, double limit)
{
  page_raw(page, relation);
  page_number(page, limit, 6);
}

static void write_limits(cli_page *page, double lower, double upper)
{
  page_raw(page, "<td class=\"n\">");
  if (isfinite(lower) && lower == upper) {
    write_side(page, "= ", lower);
  } else {
    if (isfinite(lower)) write_side(page, "≥ ", lower);
    if (isfinite(lower) && isfinite(upper)) page_raw(page, ", ");
    if (isfinite(upper)) write_side(page, "≤ ", upper);
  }
  if (isinf(lower) && isinf(upper)) page_raw(page, "–");
  page_raw(page, "</td>");
}

static void write_standing(cli_page *page, const report_data *data, size_t i)
{
  const recorded_outputs *told = &data->outputs;
  const cli_outputs *o = told->of;
  bool met = is_met(data),
       limited = isfinite(o->lower[i]) || isfinite(o->upper[i]);
  double price = met && told->multipliers != NULL ? told->multipliers[i] : 0;
  const char *word =
      outputs_standing(told->y[i], o->lower[i], o->upper[i], price, met);
  char gain[OUTPUTS_PRICE];
  if (i == o->limits.objective)
    word = o->limits.maximize ? "maximised" : "minimised";
  else if (*word == '\0')
    word = limited ? "inside" : "no limit";
  page_raw(page, "<td>");
  page_raw(page, word);
  page_raw(page, "</td><td>");
  if (price != 0) page_text(page, outputs_price(o, i, price, gain));
  page_raw(page, "</td></tr>\n");
}

static void write_output(cli_page *page, const report_data *data, size_t i)
{
  const recorded_outputs *told = &data->outputs;
  page_raw(page, "<tr><th scope=\"row\">");
  page_text(page, told->of->names[i]);
  page_raw(page, "</th><td class=\"n\">");
  page_number(page, told->y[i], 10);
  page_raw(page, "</td>");
  write_limits(page, told->of->lower[i], told->of->upper[i]);
  write_standing(page, data, i);
}

static void write_head(cli_page *page, const report_data *data)
{
  const recorded_outputs *told = &data->outputs;
  page_raw(page, "<p>");
  if (is_met(data)) {
    page_raw(page, "All limits are met at the best point");
    if (told->violation > 0)
      page_add(page, ", to %.2g of their size", told->violation);
    page_raw(page, ".");
  } else {
    page_raw(page,
             "<strong>No point within all limits was found.</strong> This is "
             "the one that is least outside: by ");
    page_number(page, told->violation, 3);
    page_raw(page, " of the size of a limit.");
  }
  page_raw(page, "</p>\n");
}

/* Writes how many limits A x <= b there are. */
static void write_rows(cli_page *page, const report_data *data)
{
  const lrgd_limits *limits = &data->outputs.of->limits;
  if (limits->linear_count == 0) return;
  page_raw(page, "<p>");
  page_count(page, limits->linear_count);
  page_raw(page, limits->linear_count == 1
                     ? " linear limit A x ≤ b, which held"
                     : " linear limits A x ≤ b, which held");
  page_raw(page, " at every point that was asked.</p>\n");
}

static void write_table(cli_page *page, const report_data *data)
{
  page_raw(page,
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"outputs\"><table>\n<thead><tr><th scope=\"col\">output"
           "</th><th scope=\"col\" class=\"n\">at the best point</th><th "
           "scope=\"col\" class=\"n\">limits</th><th scope=\"col\">there</th>"
           "<th scope=\"col\">what a wider limit gains</th></tr></thead>\n"
           "<tbody>\n");
  for (size_t i = 0; i < data->outputs.of->count; i++)
    write_output(page, data, i);
  page_raw(page, "</tbody></table></div>\n");
}

static bool has_price(const report_data *data)
{
  const recorded_outputs *told = &data->outputs;
  if (told->multipliers == NULL || !is_met(data)) return false;
  for (size_t i = 0; i < told->of->count; i++)
    if (told->multipliers[i] != 0) return true;
  return false;
}

void report_outputs(cli_page *page, const report_data *data)
{
  if (!report_is_limited(data)) return;
  report_section(page, "outputs", "Outputs and their limits");
  if (data->outputs.best == 0 || data->x == NULL) {
    page_raw(page, "<p>There is no answer yet.</p>\n");
    report_section_end(page);
    return;
  }
  write_head(page, data);
  write_table(page, data);
  write_rows(page, data);
  if (has_price(data))
    page_raw(page,
             "<p>Gains are the multipliers of the last models: they hold for "
             "small changes of one limit, the others being kept.</p>\n");
  report_section_end(page);
}
