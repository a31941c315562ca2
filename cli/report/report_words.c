/* The sections of a report in words and bars: the cost of gradient descent, and
 * the certificate. */
#include "report_page.h"

#include "cli/base/cli_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- gradient descent ---- */

uint64_t report_gradient_price(const report_data *data)
{
  if (data->rows.kinds[LRGD_KIND_GRADIENTS] > 0) return 1;
  if (data->rows.kinds[LRGD_KIND_SLOPES] > 0 || !data->differences)
    return data->p;
  return (uint64_t)data->p + 1;
}

double report_descent_price(const report_data *data)
{
  double price = (double)report_gradient_price(data);
  if (data->study.known) return data->study.descent / (double)data->p * price;
  /* one gradient for each iterate, including the last */
  return (data->directions.gd_steps + 1) * price;
}

/* A lower bound: gradient descent to a small gradient measures one at the start
 * and one at the end. */
double report_descent_least(const report_data *data)
{
  const lrgd_result *result = &data->path.result;
  double price = (double)report_gradient_price(data);
  double least = 0;
  if (data->study.known && data->study.descent_floor > 0)
    least = data->study.descent_floor / (double)data->p * price;
  if (result->outcome == LRGD_OUTCOME_CONVERGED && result->iterations > 1)
    least = fmax(least, 2 * price);
  return least > 0 ? least : NAN;
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

static void write_bars(cli_page *page, const report_data *data)
{
  double price = report_descent_price(data), paid = (double)data->summary.rows;
  double least = report_descent_least(data);
  double step = (double)report_gradient_price(data), most = fmax(paid, step);
  if (price < 1e18)
    most = fmax(most, price);
  else if (least > 0)
    most = fmax(most, least);
  page_raw(page, "<table class=\"bars\"><tbody>\n");
  write_bar(page, "this run", paid, most, 1);
  write_bar(page, "one gradient", step, most, 4);
  if (price < 1e18)
    write_bar(page, "gradient descent, about", price, most, 2);
  else if (least > 0)
    write_bar(page, "gradient descent, at least", least, most, 2);
  page_raw(page, "</tbody></table>\n");
}

/* Says why there is no estimate: the smallest curvature determines the number
 * of steps, and a few random directions hardly ever measure it. */
static void write_why_none(cli_page *page, const report_data *data)
{
  const cli_directions *directions = &data->directions;
  page_raw(page,
           "<p>How many steps it would need cannot be told from this run: ");
  if (data->study.known) {
    page_raw(page, "the diagnosis did not see its end");
  } else if (data->width != NULL) {
    page_raw(page, "inside a box, gradient descent is another method");
  } else if (directions->source == DIRECTIONS_SUBSPACE) {
    page_raw(page, "that hangs on the weakest curvature of f, and the ");
    page_count(page, directions->seen);
    page_raw(page, " random directions it looked along need not show that");
  } else if (directions->source != DIRECTIONS_GRADIENTS) {
    page_raw(page, directions->lost > 0
                       ? "the gradients it measured are lost in the noise of f"
                       : "it measured no whole gradient");
  } else {
    page_raw(page, isnan(directions->misfit)
                       ? "it saw too few gradients"
                       : "no convex quadratic fits the gradients it saw");
  }
  page_raw(page, ".");
  if (report_descent_least(data) > 0 && !data->study.known)
    page_raw(page,
             " It takes two gradients at least: one where it begins, and one "
             "that shows that it has ended. <code>lrgd diagnose</code> "
             "predicts the rest.");
  page_raw(page, "</p>\n");
}

static void write_estimate(cli_page *page, const report_data *data)
{
  const cli_directions *directions = &data->directions;
  write_bars(page, data);
  if (!(report_descent_price(data) < 1e18)) {
    write_why_none(page, data);
    return;
  }
  if (data->study.known) {
    page_raw(page,
             "<p>An estimate: what <code>lrgd diagnose</code> predicts from "
             "its ");
    page_count(page, data->study.evaluations);
    page_raw(page, " evaluations (");
    page_text(page, data->study.file);
    page_raw(page, ").</p>\n");
    return;
  }
  page_raw(page,
           "<p>An estimate: on the quadratic that fits the gradients this run "
           "measured (");
  page_add(page, "%.2g %% of their squared length is left), ",
           100 * directions->misfit);
  page_raw(page, "gradient descent with steps of 1/L takes ");
  page_count(page, (uint64_t)directions->gd_steps);
  page_raw(page, directions->gd_steps == 1 ? " step" : " steps");
  page_raw(page, " from the same start to a gradient of length ");
  page_number(page, directions->gd_norm, 3);
  page_raw(page, ".</p>\n");
}

void report_descent(cli_page *page, const report_data *data)
{
  uint64_t price = report_gradient_price(data), paid = data->summary.rows;
  if (data->p < 2 || paid == 0 || !data->path.known) return;
  if (report_is_limited(data)) return; /* descent knows no limits */
  report_section(page, "descent", "What gradient descent would have paid");
  if (data->options.method == LRGD_METHOD_GD) {
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
  bool limited = report_is_limited(data);
  page_raw(page, "<p>At the best point the ");
  if (data->bounded) page_raw(page, "projected ");
  page_raw(page, limited ? "gradient of the Lagrangian, of f and its active "
                           "limits, "
                         : "gradient of f ");
  if (data->bounded)
    page_raw(page,
             "(what is left of it without the inputs that a bound "
             "holds) ");
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
  page_raw(page, "</p>\n<p>This bounds the slope of f there");
  page_raw(page, limited ? " along the limits, which are all met" : "");
  page_raw(
      page,
      ". It does not bound how "
      "far f is from its minimum, and it cannot see another valley.</p>\n");
}

void report_certificate(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  if (data->diagnosed) return;
  report_section(page, "certificate", "What is certified");
  if (path->known && path->result.certificate.valid)
    write_bound(page, data);
  else if (data->holder.in_use)
    page_raw(page, "<p>Nothing yet: the run goes on.</p>\n");
  else if (path->known && path->result.outcome == LRGD_OUTCOME_STALLED)
    page_raw(page,
             "<p>Nothing: the run could get no further, and had not shown that "
             "the gradient is small.</p>\n");
  else
    page_raw(page,
             "<p>Nothing: the run ended before it could show that the gradient "
             "is small.</p>\n");
  report_section_end(page);
}
