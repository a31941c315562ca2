/* The section of a report on what was observed: groups, and simulated values
 * against measured ones.  Names may come from strangers. */
#include "report_chart.h"
#include "report_page.h"

#include <math.h>
#include <stdlib.h>

enum { DOTS = 2000 };

/* ---- the table ---- */

static void write_cell(cli_page *page, double number)
{
  page_raw(page, "<td class=\"n\">");
  page_number(page, number, 4);
  page_raw(page, "</td>");
}

static void write_group(cli_page *page, const report_data *data,
                        const misfit_group *group)
{
  const cli_observation *worst = &data->inputs.observations.at[group->worst];
  const double *simulated = misfit_simulated(data->misfit);
  page_raw(page, "<tr><th scope=\"row\">");
  page_text(page, group->name);
  page_raw(page, "</th><td class=\"n\">");
  page_count(page, group->count);
  page_raw(page, "</td>");
  write_cell(page, group->f_start);
  write_cell(page, group->f);
  write_cell(page, group->rms);
  page_raw(page, "<td class=\"text\">");
  page_text(page, worst->name);
  page_raw(page, "</td>");
  write_cell(page, simulated[group->worst]);
  write_cell(page, worst->value);
  page_raw(page, "</tr>\n");
}

static void write_groups(cli_page *page, const report_data *data)
{
  size_t count;
  misfit_group *groups = misfit_groups(data->misfit, &count);
  if (groups == NULL) {
    page->lost = true;
    return;
  }
  page_raw(page,
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"groups of observations\"><table>\n<thead><tr><th "
           "scope=\"col\">group</th><th scope=\"col\" class=\"n\">observations"
           "</th><th scope=\"col\" class=\"n\">f at the start</th><th "
           "scope=\"col\" class=\"n\">f</th><th scope=\"col\" class=\"n\">rms"
           "</th><th scope=\"col\">the worst</th><th scope=\"col\" "
           "class=\"n\">simulated</th><th scope=\"col\" class=\"n\">observed"
           "</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < count; i++) write_group(page, data, &groups[i]);
  page_raw(page, "</tbody></table></div>\n");
  free(groups);
}

/* ---- the chart ---- */

typedef struct pair {
  double observed, simulated;
} pair;

static int by_observed(const void *a, const void *b)
{
  double one = ((const pair *)a)->observed, two = ((const pair *)b)->observed;
  return (one > two) - (one < two);
}

/* The observations that count, or each n-th of very many, in ascending order.
 */
static size_t list_pairs(const report_data *data, pair *pairs)
{
  const cli_observations *observed = &data->inputs.observations;
  const double *simulated = misfit_simulated(data->misfit);
  size_t count = 0, stride = observed->count / DOTS + 1;
  for (size_t i = 0; i < observed->count; i += stride)
    if (observed->at[i].weight > 0)
      pairs[count++] = (pair){observed->at[i].value, simulated[i]};
  qsort(pairs, count, sizeof *pairs, by_observed);
  return count;
}

static void draw(cli_page *page, const double *x, const double *y, size_t count)
{
  const chart_series series[] = {
      {CHART_JOINED, 2, "as observed", x},
      {CHART_DOTS,   1, "simulated",   y}
  };
  chart_write(page, &(cli_chart){.id = "observed-chart",
                                 .title = "Simulated values against observed "
                                          "ones",
                                 .x_label = "observed",
                                 .y_label = "simulated",
                                 .x = x,
                                 .count = count,
                                 .series = series,
                                 .series_count = 2,
                                 .x_hi = NAN});
  page_raw(page,
           "<figcaption>Simulated values against observed ones, at the best "
           "point; observations of weight 0 are left out.</figcaption>\n"
           "</figure>\n");
}

static void write_chart(cli_page *page, const report_data *data)
{
  size_t most = data->inputs.observations.count;
  pair *pairs = malloc(most * sizeof *pairs);
  double *x = malloc(2 * most * sizeof *x);
  if (pairs != NULL && x != NULL) {
    size_t count = list_pairs(data, pairs);
    for (size_t i = 0; i < count; i++) {
      x[i] = pairs[i].observed;
      x[most + i] = pairs[i].simulated;
    }
    if (count > 1) draw(page, x, x + most, count);
  } else {
    page->lost = true;
  }
  free(pairs);
  free(x);
}

void report_observations(cli_page *page, const report_data *data)
{
  if (data->misfit == NULL || misfit_simulated(data->misfit) == NULL) return;
  report_section(page, "observations", "What was observed");
  page_raw(page,
           "<p>f is half the sum of the squares of weight × (simulated − "
           "observed). By group, with the root mean square of simulated "
           "− observed:</p>\n");
  write_groups(page, data);
  write_chart(page, data);
  report_section_end(page);
}
