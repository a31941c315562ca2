/* Which inputs matter: the section of a report with the loadings of the
 * directions, or why there are none. */
#include "report_page.h"

#include "cli/run/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 15, SHOWN = 3 };

typedef struct influence {
  size_t input;
  double share;
} influence;

static int by_share(const void *a, const void *b)
{
  double one = ((const influence *)a)->share;
  double other = ((const influence *)b)->share;
  return (one < other) - (one > other);
}

/* The activity score (Constantine and Diaz 2017) of each input: its squared
 * loadings, weighted by the spectrum, as a share of their sum. */
static void weigh(const report_data *data, influence *all)
{
  const cli_directions *directions = &data->directions;
  double sum = 0;
  for (size_t i = 0; i < data->p; i++) {
    all[i] = (influence){.input = i};
    for (size_t j = 0; j < directions->count; j++) {
      double loading = directions->W[j * data->p + i];
      all[i].share += directions->spectrum[j] * loading * loading;
    }
    sum += all[i].share;
  }
  for (size_t i = 0; sum > 0 && i < data->p; i++) all[i].share /= sum;
  qsort(all, data->p, sizeof *all, by_share);
}

static void write_loading(cli_page *page, double loading, double most,
                          bool more)
{
  double length = most > 0 ? 50 * fabs(loading) / most : 0;
  const char *name = more ? " more" : "";
  page_add(page,
           "<td class=\"n%s\">%+.3f</td><td class=\"bar%s\"><svg "
           "viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
           "aria-hidden=\"true\"><path class=\"axis\" d=\"M50 0v10\"/><rect "
           "class=\"c%d\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/></svg></td>",
           name, loading, name, loading < 0 ? 2 : 1,
           loading < 0 ? 50 - length : 50, length);
}

static void write_inputs(cli_page *page, const report_data *data,
                         const influence *all)
{
  const double *W = data->directions.W;
  size_t rows = data->p < INPUTS ? data->p : INPUTS;
  size_t shown =
      data->directions.count < SHOWN ? data->directions.count : SHOWN;
  double most = 0; /* the largest absolute loading, for the length of bars */
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < shown; j++)
      most = fmax(most, fabs(W[j * data->p + all[i].input]));
  page_raw(page,
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"the most influential inputs\"><table "
           "class=\"loadings\">\n<thead><tr><th scope=\"col\">input</th><th "
           "scope=\"col\" class=\"n\">share</th>");
  for (size_t j = 0; j < shown; j++)
    page_add(page,
             "<th scope=\"col\" colspan=\"2\"%s>direction %zu <span "
             "class=\"note\">%.3g %%</span></th>",
             j > 0 ? " class=\"more\"" : "", j + 1,
             100 * data->directions.spectrum[j]);
  page_raw(page, "</tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < rows; i++) {
    char name[INPUT_NAME_SIZE];
    page_raw(page, "<tr><th scope=\"row\">");
    page_text(page, input_name(&data->inputs, all[i].input, name));
    page_add(page, "</th><td class=\"n\">%.3g %%</td>", 100 * all[i].share);
    for (size_t j = 0; j < shown; j++)
      write_loading(page, W[j * data->p + all[i].input], most, j > 0);
    page_raw(page, "</tr>\n");
  }
  page_raw(page, "</tbody></table></div>\n");
}

/* ---- where directions were drawn at random ---- */

/* The correlation of the true gradient with its projection on k of p random
 * directions is sqrt(k/p). */
static double correlation(const report_data *data)
{
  const cli_directions *directions = &data->directions;
  if (directions->source != DIRECTIONS_SUBSPACE) return 1;
  return sqrt((double)directions->seen / (double)data->p);
}

static void write_random(cli_page *page, const report_data *data)
{
  page_raw(page, " looked along ");
  page_count(page, data->directions.seen);
  page_raw(page, " random directions of ");
  page_count(page, data->p);
  page_add(page,
           ", which is why it was cheap. What it saw of a gradient is "
           "correlated with the gradient by about %.2g only",
           correlation(data));
}

static void write_remedy(cli_page *page, const report_data *data)
{
  page_raw(page, "<p>Whole gradients tell, at ");
  page_count(page, report_gradient_price(data));
  page_raw(page,
           " evaluations each: <code>lrgd diagnose</code> with the same "
           "problem and <code>--journal seen.db</code> measures some, and "
           "<code>lrgd report ");
  page_text(page, data->file);
  page_raw(page, " --diagnosis seen.db</code> shows them here.</p>\n");
}

/* Says that loadings are not known: mostly random ones would mislead. */
static void write_not_known(cli_page *page, const report_data *data)
{
  page_raw(page, "<p>This run does not tell: it");
  if (data->directions.source == DIRECTIONS_SUBSPACE) {
    write_random(page, data);
    page_raw(page, ", and each direction is made of all inputs.</p>\n");
  } else {
    page_raw(page, data->directions.lost > 0
                       ? " measured gradients that are lost in the noise of "
                         "f.</p>\n"
                       : " has measured no gradient.</p>\n");
  }
  write_remedy(page, data);
}

static void write_caution(cli_page *page, const report_data *data)
{
  if (correlation(data) > 0.95) return;
  page_raw(page, "<p class=\"warning\">Read with care: the run");
  write_random(page, data);
  page_raw(page,
           ", so these loadings say how the run moved as much as which inputs "
           "matter.</p>\n");
  write_remedy(page, data);
}

/* ---- the section ---- */

static void write_introduction(cli_page *page, const report_data *data)
{
  page_raw(page,
           "<p>Loadings of the strongest directions: how much of each input "
           "they are made of. The share sums their squares, weighted by the "
           "spectrum");
  if (data->width != NULL)
    page_raw(page, "; each input is measured in half widths of its box");
  if (data->scaled)
    page_raw(page, "; inputs are taken as they were scaled for the solver");
  page_raw(page, ".");
  if (data->study.known) {
    page_raw(page, " From ");
    page_count(page, data->directions.seen);
    page_raw(page, " gradients that <code>lrgd diagnose</code> measured (");
    page_text(page, data->study.file);
    page_raw(page, ").");
  }
  if (data->p > INPUTS) {
    page_add(page, " The first %d of ", INPUTS);
    page_count(page, data->p);
    page_raw(page, " inputs.");
  }
  page_raw(page, "</p>\n");
}

static void write_loadings(cli_page *page, const report_data *data)
{
  influence *all = malloc(data->p * sizeof *all);
  if (all == NULL) {
    page->lost = true;
    return;
  }
  weigh(data, all);
  write_introduction(page, data);
  write_caution(page, data);
  write_inputs(page, data, all);
  free(all);
}

void report_influence(cli_page *page, const report_data *data)
{
  bool any = data->directions.count > 0;
  if (!any && !data->path.known) return;
  report_section(page, "influence", "Which inputs matter");
  if (any && correlation(data) >= 0.5)
    write_loadings(page, data);
  else
    write_not_known(page, data);
  report_section_end(page);
}
