/* The sections of a report that say something in words and bars: what gradient
 * descent would have paid, what is certified, which inputs matter. */
#include "report_page.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- gradient descent ---- */

uint64_t report_gradient_price(const report_data *data)
{
  if (data->rows.kinds[LRGD_GRADIENTS] > 0) return 1;
  if (data->rows.kinds[LRGD_SLOPES] > 0 || !data->differences) return data->p;
  return (uint64_t)data->p + 1;
}

double report_descent_price(const report_data *data)
{
  /* a gradient at every point it stands on, the last one too */
  return (data->directions.gd_steps + 1) * (double)report_gradient_price(data);
}

static void write_bar(cli_page *page, const char *name, double amount,
                      double most, int colour)
{
  char count[TEXT_COUNT_SIZE];
  double length = most > 0 ? fmax(0.4, 100 * amount / most) : 0;
  page_add(page,
           "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td "
           "class=\"bar\"><svg viewBox=\"0 0 100 10\" "
           "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
           "class=\"c%d\" width=\"%.2f\" height=\"10\"/></svg></td></tr>\n",
           name, text_count(count, (uint64_t)llround(amount)), colour, length);
}

/* Random directions show f in another light: its curvature along them says
 * nothing of how many steps the gradient itself would need. */
static const char *why_no_estimate(const report_data *data)
{
  const cli_directions *directions = &data->directions;
  if (data->width != NULL)
    return "inside a box, gradient descent is another method";
  if (directions->source != DIRECTIONS_GRADIENTS)
    return "it never looked at a whole gradient";
  if (isnan(directions->misfit)) return "it saw too few gradients";
  return "no convex quadratic fits the gradients it saw";
}

static void write_estimate(cli_page *page, const report_data *data)
{
  const cli_directions *directions = &data->directions;
  double price = report_descent_price(data), paid = (double)data->summary.rows;
  bool known = price < 1e18;
  double step = (double)report_gradient_price(data), most = fmax(paid, step);
  if (known) most = fmax(most, price);
  page_raw(page, "<table class=\"bars\"><tbody>\n");
  write_bar(page, "this run", paid, most, 1);
  write_bar(page, "one gradient", step, most, 4);
  if (known) write_bar(page, "gradient descent, about", price, most, 2);
  page_raw(page, "</tbody></table>\n");
  if (!known) {
    page_raw(page,
             "<p>How many steps it would need cannot be told from this run: ");
    page_raw(page, why_no_estimate(data));
    page_raw(page, ".</p>\n");
    return;
  }
  page_raw(page,
           "<p>An estimate: on the quadratic that fits the gradients this run "
           "measured (");
  page_add(page, "%.2g %% of their squared length is left), ",
           100 * directions->misfit);
  page_raw(page, "gradient descent with steps of 1/L takes ");
  page_count(page, (uint64_t)directions->gd_steps);
  page_raw(page, " steps from the same start to a gradient of length ");
  page_number(page, directions->gd_norm, 3);
  page_raw(page, ".</p>\n");
}

void report_descent(cli_page *page, const report_data *data)
{
  uint64_t price = report_gradient_price(data), paid = data->summary.rows;
  if (data->p < 2 || paid == 0 || !data->path.known) return;
  report_section(page, "descent", "What gradient descent would have paid");
  if (data->options.method == LRGD_GD) {
    page_raw(page, "<p>This run is gradient descent.</p>\n");
    report_section_end(page);
    return;
  }
  page_raw(page, "<p>One gradient of f costs ");
  page_count(page, price);
  page_raw(page, price == 1 ? " evaluation, as your program gives it whole. "
                            : " evaluations here");
  if (price != 1)
    page_raw(page, data->differences ? ", a difference for each input and the "
                                       "value itself. "
                                     : ", a slope for each input. ");
  page_raw(page, "For the ");
  page_count(page, paid);
  page_raw(page, " that this run paid, gradient descent takes ");
  if (paid / price == 0)
    page_raw(page, "not even its first step");
  else
    page_count(page, paid / price);
  if (paid / price > 0) page_raw(page, paid / price == 1 ? " step" : " steps");
  page_raw(page, ".</p>\n");
  if (data->path.known) write_estimate(page, data);
  report_section_end(page);
}

/* ---- the certificate ---- */

static void write_bound(cli_page *page, const report_data *data)
{
  const lrgd_certificate *c = &data->path.result.certificate;
  page_raw(page, "<p>At the best point the ");
  page_raw(page, data->bounded ? "projected gradient of f (what is left of it "
                                 "without the inputs that a bound holds) "
                               : "gradient of f ");
  page_add(page, "has a length of at most <strong>%.3g</strong>",
           c->grad_norm_bound);
  if (c->confidence >= 1) {
    page_raw(page, ": it was measured in full");
  } else {
    page_add(page, ", with a confidence of at least %.4g %%",
             100 * c->confidence);
    if (c->probes > 0)
      page_add(page,
               ": besides the directions in use, %lld fresh random directions "
               "outside them were looked along",
               (long long)c->probes);
    else if (data->differences)
      page_raw(page, ": it was measured by differences");
  }
  page_raw(page, ".");
  if (data->scaled)
    page_raw(page,
             " Gradients are by the scaled variables, not by the inputs.");
  page_raw(
      page,
      "</p>\n<p>This bounds the slope of f there. It does not bound how "
      "far f is from its minimum, and it cannot see another valley.</p>\n");
}

void report_certificate(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  report_section(page, "certificate", "What is certified");
  if (path->known && path->result.certificate.valid)
    write_bound(page, data);
  else if (data->holder.in_use)
    page_raw(page, "<p>Nothing yet: the run goes on.</p>\n");
  else
    page_raw(page,
             "<p>Nothing: the run ended before it could show that the gradient "
             "is small.</p>\n");
  report_section_end(page);
}

/* ---- influence ---- */

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

/* The activity score (Constantine and Diaz 2017): an input's squared loadings,
 * weighted by the spectrum; as shares of the whole. */
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
  double most = 0; /* the longest bar */
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

/* Directions that were drawn at random say how the run moved; how much of the
 * true gradient a projection on k of p random directions holds is sqrt(k/p). */
static void write_caution(cli_page *page, const report_data *data)
{
  const cli_directions *directions = &data->directions;
  double seen = sqrt((double)directions->seen / (double)data->p);
  if (directions->source != DIRECTIONS_SUBSPACE || seen > 0.95) return;
  page_raw(page, "<p class=\"warning\">Read with care: the run looked along ");
  page_count(page, directions->seen);
  page_raw(page, " random directions of ");
  page_count(page, data->p);
  page_add(page,
           ", which is why it was cheap. What it saw of a gradient is "
           "correlated with the gradient by about %.2g only, so these loadings "
           "say how the run moved more than which inputs matter. "
           "<code>lrgd diagnose</code> measures whole gradients and "
           "tells.</p>\n",
           seen);
}

void report_influence(cli_page *page, const report_data *data)
{
  const cli_directions *directions = &data->directions;
  if (!data->path.known || directions->count == 0) return;
  influence *all = malloc(data->p * sizeof *all);
  report_section(page, "influence", "Which inputs matter");
  page_raw(page,
           "<p>Loadings of the strongest directions: how much of each input "
           "they are made of. The share sums their squares, weighted by the "
           "spectrum");
  if (data->width != NULL)
    page_raw(page, "; each input is measured in half widths of its box");
  else if (data->scaled)
    page_raw(page, "; inputs are taken as they were scaled for the solver");
  page_raw(page, ".");
  if (data->p > INPUTS) {
    page_add(page, " The first %d of ", INPUTS);
    page_count(page, data->p);
    page_raw(page, " inputs.");
  }
  page_raw(page, "</p>\n");
  write_caution(page, data);
  if (all == NULL) {
    page->lost = true;
  } else {
    weigh(data, all);
    write_inputs(page, data, all);
  }
  report_section_end(page);
  free(all);
}
