/* The section of a report on the uncertainty of a fit: singular values, a table
 * of inputs, predictions.  Names may come from outside. */
#include "report_chart.h"
#include "report_page.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 500 }; /* rows of a table */

static void write_cell(cli_page *page, double number)
{
  page_raw(page, "<td class=\"n\">");
  if (isfinite(number))
    page_number(page, number, 4);
  else
    page_raw(page, "–");
  page_raw(page, "</td>");
}

static void begin_table(cli_page *page, const char *what,
                        const char *const *columns, size_t count)
{
  page_raw(page,
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"");
  page_text(page, what);
  page_raw(page, "\"><table>\n<thead><tr>");
  for (size_t i = 0; i < count; i++) {
    page_raw(page,
             i == 0 ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">");
    page_text(page, columns[i]);
    page_raw(page, "</th>");
  }
  page_raw(page, "</tr></thead>\n<tbody>\n");
}

/* ---- singular values ---- */

static void draw_spectrum(cli_page *page, const fit_uncertainty *u,
                          const double *x, size_t count)
{
  const chart_series series[] = {
      {CHART_JOINED, 1, "singular value", u->values}
  };
  chart_write(page, &(cli_chart){.id = "singular-chart",
                                 .title = "Singular values of the Jacobian",
                                 .x_label = "number",
                                 .y_label = "singular value of J",
                                 .x = x,
                                 .count = count,
                                 .series = series,
                                 .series_count = 1,
                                 .log_y = true,
                                 .whole_x = true,
                                 .x_hi = NAN});
  page_add(page,
           "<figcaption>Singular values of J along the directions that were "
           "looked at: %zu stand out from its error.</figcaption>\n"
           "</figure>\n",
           u->told.rank);
}

static void write_spectrum(cli_page *page, const fit_uncertainty *u)
{
  double *x = malloc(u->k * sizeof *x);
  size_t count = 0;
  for (; x != NULL && count < u->k && u->values[count] > 0; count++)
    x[count] = (double)(count + 1);
  if (x == NULL) page->lost = true;
  if (count > 1) draw_spectrum(page, u, x, count);
  free(x);
}

/* ---- inputs ---- */

static void write_input(cli_page *page, const fit_uncertainty *u, size_t i)
{
  static const char *const bounds[] = {"lower", "–", "upper"};
  char name[INPUT_NAME_SIZE];
  double low, high;
  uncertainty_interval(u, i, &low, &high);
  page_raw(page, "<tr><th scope=\"row\">");
  page_text(page, input_name(u->from.inputs, i, name));
  if (uncertainty_is_log(u, i)) page_raw(page, " (log10)");
  page_raw(page, "</th>");
  write_cell(page, u->from.inputs->start[i]);
  write_cell(page, u->from.x[i]);
  page_raw(page, "<td class=\"n\">");
  page_raw(page, bounds[u->sides[i] + 1]);
  page_raw(page, "</td>");
  write_cell(page, u->share[i]);
  write_cell(page, uncertainty_prior(u, i));
  write_cell(page, uncertainty_deviation(u, i));
  write_cell(page, isfinite(u->deviations[i]) ? low : NAN);
  write_cell(page, isfinite(u->deviations[i]) ? high : NAN);
  page_raw(page, "</tr>\n");
}

static void write_inputs(cli_page *page, const fit_uncertainty *u)
{
  static const char *const columns[] = {
      "input", "start",         "end",        "bound held", "identifiability",
      "prior", "with the data", "95 %: from", "to"};
  begin_table(page, "inputs and their uncertainty", columns, COUNT_OF(columns));
  for (size_t i = 0; i < u->p && i < MOST; i++) write_input(page, u, i);
  page_raw(page, "</tbody></table></div>\n");
  if (u->p > MOST)
    page_add(page, "<p>The first %d of %zu inputs.</p>\n", (int)MOST, u->p);
}

/* ---- predictions ---- */

static void write_prediction(cli_page *page, const fit_uncertainty *u,
                             const fit_prediction *at)
{
  page_raw(page, "<tr><th scope=\"row\">");
  page_text(page, at->of->name);
  page_raw(page, "</th>");
  write_cell(page, at->simulated);
  write_cell(page, at->before);
  write_cell(page, at->after);
  page_raw(page, "<td class=\"n\">");
  page_text(page, u->groups[at->tightest]);
  page_raw(page, "</td>");
  write_cell(page, at->without[at->tightest]);
  page_raw(page, "<td class=\"n\">");
  page_text(page, u->groups[at->next]);
  page_raw(page, "</td>");
  write_cell(page, at->again[at->next]);
  page_raw(page, "</tr>\n");
}

static void write_predictions(cli_page *page, const fit_uncertainty *u)
{
  static const char *const columns[] = {
      "prediction",          "simulated",  "prior",        "with the data",
      "constrained most by", "without it", "measure next", "with it twice"};
  if (u->prediction_count == 0) return;
  page_raw(page,
           "<h3>Predictions</h3>\n<p>Standard deviations before the "
           "data and with them, without the group of observations that "
           "is missed most, and with the group that is best measured "
           "again.</p>\n");
  begin_table(page, "predictions and their uncertainty", columns,
              COUNT_OF(columns));
  for (size_t i = 0; i < u->prediction_count && i < MOST; i++)
    write_prediction(page, u, &u->predictions[i]);
  page_raw(page, "</tbody></table></div>\n");
}

void report_uncertainty(cli_page *page, const report_data *data)
{
  const fit_uncertainty *u = data->uncertainty;
  if (u == NULL) return;
  report_section(page, "uncertainty", "What the data say of the inputs");
  page_add(page,
           "<p>Linear estimates from the Jacobian that the run has measured in "
           "%zu of %zu directions. %zu observations support %zu combination%s "
           "of inputs; the condition number of J is %.3g. The standard "
           "deviation of a residual is %.4g, %s. %s</p>\n",
           u->k, u->p, u->counted, u->told.supported,
           u->told.supported == 1 ? "" : "s", u->told.condition,
           sqrt(u->told.variance),
           u->told.estimated ? "by the residuals"
                             : "as weights are taken for 1 over errors",
           u->prior != NULL
               ? "Before the data, bounds are taken as four deviations apart."
               : "Nothing is taken as known before the data.");
  write_spectrum(page, u);
  write_inputs(page, u);
  write_predictions(page, u);
  report_section_end(page);
}
