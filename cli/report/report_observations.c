/* The section of a report on observations: groups, and simulated values against
 * observed ones.  Names may come from outside. */
#include "report_chart.h"
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  const cli_observation *worst = misfit_item(data->misfit, group->worst);
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

/* Lists the observations of a group with a weight, or every n-th if there are
 * many, in ascending order. */
static size_t list_pairs(const report_data *data, const char *group,
                         pair *pairs)
{
  const cli_observations *observed = &data->inputs.observations;
  const double *simulated = misfit_simulated(data->misfit);
  size_t count = 0, stride = observed->count / DOTS + 1;
  for (size_t i = 0; i < observed->count; i += stride) {
    const cli_observation *at = &observed->at[i];
    if (at->weight > 0 && strcmp(at->group, group) == 0)
      pairs[count++] = (pair){at->value, simulated[i]};
  }
  qsort(pairs, count, sizeof *pairs, by_observed);
  return count;
}

/* Draws simulated against observed values; id: a constant of this program. */
static void draw(cli_page *page, const char *id, const char *group,
                 const double *x, const double *y, size_t count)
{
  const chart_series series[] = {
      {CHART_JOINED, 2, "as observed", x},
      {CHART_DOTS,   1, "simulated",   y}
  };
  chart_write(page, &(cli_chart){.id = id,
                                 .title = "Simulated values against observed "
                                          "ones",
                                 .x_label = "observed",
                                 .y_label = "simulated",
                                 .x = x,
                                 .count = count,
                                 .series = series,
                                 .series_count = 2,
                                 .x_hi = NAN});
  page_raw(page, "<figcaption>");
  page_text(page, group);
  page_raw(page,
           ": simulated values against observed ones, at the best "
           "point.</figcaption>\n</figure>\n");
}

/* Whether there is something to draw. */
static bool write_chart(cli_page *page, const report_data *data,
                        const char *group, const char *id)
{
  size_t count = 0;
  size_t most = data->inputs.observations.count;
  pair *pairs = malloc(most * sizeof *pairs);
  double *x = malloc(2 * most * sizeof *x);
  if (pairs != NULL && x != NULL) {
    count = list_pairs(data, group, pairs);
    for (size_t i = 0; i < count; i++) {
      x[i] = pairs[i].observed;
      x[most + i] = pairs[i].simulated;
    }
    if (count > 1) draw(page, id, group, x, x + most, count);
  } else {
    page->lost = true;
  }
  free(pairs);
  free(x);
  return count > 1;
}

/* A chart for each of the first groups, whose units may differ. */
static void write_charts(cli_page *page, const report_data *data)
{
  static const char *const ids[] = {"observed-chart",   "observed-chart-2",
                                    "observed-chart-3", "observed-chart-4",
                                    "observed-chart-5", "observed-chart-6"};
  size_t count, drawn = 0;
  misfit_group *groups = misfit_groups(data->misfit, &count);
  for (size_t g = 0; groups != NULL && g < count && drawn < COUNT_OF(ids); g++)
    drawn += write_chart(page, data, groups[g].name, ids[drawn]);
  if (groups == NULL) page->lost = true;
  free(groups);
}

/* ---- convergence ---- */

enum { CURVES = 6, LABEL = 40 };

/* A label that is safe wherever a script may put it. */
static void fill_label(char label[LABEL], const char *name)
{
  size_t i = 0;
  for (; i + 1 < LABEL && name[i] != '\0'; i++) {
    char c = name[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                 (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
    label[i] = plain ? c : '_';
  }
  label[i] = '\0';
}

/* Lists the groups with a weight, at most CURVES; returns their number. */
static size_t list_curves(const misfit_group *groups, size_t count,
                          const misfit_history *history, chart_series *series,
                          char labels[CURVES][LABEL])
{
  size_t n = 0;
  for (size_t g = 0; g < count && g < history->groups && n < CURVES; g++) {
    if (!(groups[g].f_start > 0 || groups[g].f > 0)) continue;
    fill_label(labels[n], groups[g].name);
    series[n] = (chart_series){CHART_STEPS, (int)n + 1, labels[n],
                               history->f + g * history->count};
    n++;
  }
  return n;
}

static void draw_convergence(cli_page *page, const misfit_history *history,
                             const chart_series *series, size_t curves)
{
  chart_write(page, &(cli_chart){.id = "groups-chart",
                                 .title = "f of each group against the number "
                                          "of evaluations",
                                 .x_label = "evaluations",
                                 .y_label = "f of the group",
                                 .x = history->evaluations,
                                 .count = history->count,
                                 .series = series,
                                 .series_count = curves,
                                 .log_y = true,
                                 .whole_x = true,
                                 .x_hi = NAN});
  page_raw(page,
           "<figcaption>f of each group, at the best point so far; a "
           "group may rise where the sum falls.</figcaption>\n"
           "</figure>\n");
}

static void write_convergence(cli_page *page, const report_data *data)
{
  char labels[CURVES][LABEL];
  chart_series series[CURVES];
  size_t count, curves = 0;
  misfit_group *groups = misfit_groups(data->misfit, &count);
  misfit_history history = misfit_take_history(data->misfit);
  if (groups != NULL && history.f != NULL)
    curves = list_curves(groups, count, &history, series, labels);
  if (curves > 0 && history.count > 1)
    draw_convergence(page, &history, series, curves);
  free(groups);
  free(history.evaluations);
  free(history.f);
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
  write_charts(page, data);
  write_convergence(page, data);
  report_section_end(page);
}
