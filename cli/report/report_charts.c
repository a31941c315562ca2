/* The sections of a report with charts of the run: progress, cost, directions.
 */
#include "report_chart.h"
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 600, ALL = 2 * BUCKETS, MARKS = 24 };

/* ---- progress ---- */

/* The evaluations that are drawn: all, or of many equal intervals the lowest
 * and the highest each, so that no extreme is lost. */
typedef struct drawn {
  cli_numbers x, f, best, failed;
  cli_numbers outside; /* f of those that are outside limits; else NaN */
  bool lost;
} drawn;

/* What is drawn: values, and where there are limits by how much each is outside
 * them. */
typedef struct source {
  const report_rows *rows;
  const double *violations; /* NULL: there are no limits */
  double sign;              /* -1: the largest is the best */
  double best;
} source;

static bool is_inside(const source *from, size_t i)
{
  return from->violations == NULL || from->violations[i] <= LRGD_FEASIBLE;
}

static void drawn_free(drawn *d)
{
  free(d->x.at);
  free(d->f.at);
  free(d->best.at);
  free(d->failed.at);
  free(d->outside.at);
}

static void draw_one(drawn *d, source *from, size_t i)
{
  double f = from->rows->f.at[i];
  bool inside = is_inside(from, i);
  if (inside && !(from->sign * f >= from->sign * from->best)) from->best = f;
  if (!numbers_add(&d->x, from->rows->sequence.at[i]) ||
      !numbers_add(&d->f, inside ? f : NAN) ||
      !numbers_add(&d->outside, inside ? NAN : f) ||
      !numbers_add(&d->best, from->best))
    d->lost = true;
}

/* Returns whether evaluation i is drawn as a low one rather than j: the best of
 * those within limits, where there is one. */
static bool is_lower(const source *from, size_t i, size_t j)
{
  const double *f = from->rows->f.at;
  if (is_inside(from, i) != is_inside(from, j)) return is_inside(from, i);
  return from->sign * f[i] < from->sign * f[j];
}

static void draw_stretch(drawn *d, source *s, size_t from, size_t to)
{
  const double *f = s->rows->f.at, *x = s->rows->sequence.at;
  size_t low = SIZE_MAX, high = SIZE_MAX, failed = SIZE_MAX;
  for (size_t i = from; i < to; i++) {
    if (isnan(f[i])) {
      failed = i;
      continue;
    }
    if (low == SIZE_MAX || is_lower(s, i, low)) low = i;
    if (high == SIZE_MAX || s->sign * f[i] > s->sign * f[high]) high = i;
  }
  if (failed != SIZE_MAX && !numbers_add(&d->failed, x[failed])) d->lost = true;
  if (low == SIZE_MAX) return;
  size_t first = low < high ? low : high, second = low < high ? high : low;
  draw_one(d, s, first);
  if (second != first) draw_one(d, s, second);
}

static drawn draw_rows(const report_data *data)
{
  drawn d = {.lost = false};
  source from = {.rows = &data->rows, .sign = 1, .best = NAN};
  size_t n = data->rows.f.count;
  size_t stretches = n < ALL ? n : BUCKETS;
  if (report_is_limited(data) && data->outputs.count == n) {
    from.violations = data->outputs.violations;
    if (data->outputs.of->limits.maximize) from.sign = -1;
  }
  for (size_t s = 0; s < stretches; s++)
    draw_stretch(&d, &from, s * n / stretches, (s + 1) * n / stretches);
  return d;
}

static void write_phase(cli_page *page, const lrgd_phase *phase)
{
  page_raw(page, "<li><span class=\"what\">");
  page_text(page, phase->text);
  page_raw(page, "</span> <span class=\"when\">evaluation ");
  page_count(page, phase->evaluations);
  page_raw(page, ", ");
  page_count(page, phase->rank);
  page_raw(page, phase->rank == 1 ? " direction" : " directions");
  if (!isnan(phase->f)) page_add(page, ", f = %.6g", phase->f);
  page_raw(page, "</span></li>\n");
}

static void write_phases(cli_page *page, const report_path *path)
{
  if (path->phase_count == 0) return;
  page_raw(page,
           "<h3>What was decided</h3>\n<ol class=\"phases\" tabindex=\"0\" "
           "aria-label=\"decisions of the solver\">\n");
  for (size_t i = 0; i < path->phase_count; i++)
    write_phase(page, &path->phases[i]);
  page_raw(page, "</ol>\n");
}

static void write_progress_caption(cli_page *page, const report_data *data,
                                   const drawn *d)
{
  size_t n = data->rows.f.count;
  page_raw(page, report_is_limited(data)
                     ? "<figcaption>The best value within all limits so far, "
                       "and the values asked, inside and outside of them."
                     : "<figcaption>The lowest value so far, and the values "
                       "asked.");
  if (data->path.phase_count > 0)
    page_raw(page, " Numbered lines are the solver's decisions, listed below.");
  if (n >= ALL) {
    page_raw(page, " Of ");
    page_count(page, n);
    page_raw(page, " evaluations ");
    page_count(page, d->x.count);
    page_add(page,
             " are drawn: the lowest and the highest of each of %d equal "
             "stretches.",
             BUCKETS);
  }
  page_raw(page, "</figcaption>\n</figure>\n");
}

static void draw_progress(cli_page *page, const report_data *data,
                          const drawn *d)
{
  const report_path *path = &data->path;
  double marks[MARKS];
  size_t count = path->phase_count < MARKS ? path->phase_count : MARKS;
  for (size_t i = 0; i < count; i++)
    marks[i] = (double)path->phases[i].evaluations;
  bool limited = report_is_limited(data);
  chart_series series[] = {
      {CHART_DOTS,  2, "each evaluation",    d->f.at      },
      {CHART_STEPS, 1, "best so far",        d->best.at   },
      {CHART_DOTS,  2, "outside the limits", d->outside.at},
  };
  if (limited)
    series[0] = (chart_series){CHART_DOTS, 3, "within the limits", d->f.at};
  chart_write(page, &(cli_chart){.id = "progress",
                                 .title = "Best value of f against evaluations",
                                 .x_label = "evaluations",
                                 .y_label = "value of f",
                                 .x = d->x.at,
                                 .count = d->x.count,
                                 .series = series,
                                 .series_count = limited ? 3 : 2,
                                 .log_y = !limited &&
                                          chart_wants_log(d->f.count, d->f.at),
                                 .choose = true,
                                 .whole_x = true,
                                 .marks = marks,
                                 .mark_count = count,
                                 .failed = d->failed.at,
                                 .failed_count = d->failed.count,
                                 .x_hi = d->x.at[d->x.count - 1],
                                 .wide = true});
  write_progress_caption(page, data, d);
}

void report_progress(cli_page *page, const report_data *data)
{
  drawn d = draw_rows(data);
  report_section(page, "progress", "How far it came");
  if (d.lost)
    page->lost = true;
  else if (d.x.count == 0)
    page_raw(page, "<p>There is no value of f yet.</p>\n");
  else
    draw_progress(page, data, &d);
  write_phases(page, &data->path);
  report_section_end(page);
  drawn_free(&d);
}

/* ---- evaluations by purpose ---- */

static const char *const purposes[LRGD_PURPOSE_COUNT] = {
    [LRGD_PURPOSE_IDENTIFY] = "finding directions",
    [LRGD_PURPOSE_DESCEND] = "slopes to move along",
    [LRGD_PURPOSE_SEARCH] = "trying steps",
    [LRGD_PURPOSE_PROBE] = "probes outside, and noise",
    [LRGD_PURPOSE_CHECK] = "checks",
};

static void write_kinds(cli_page *page, const report_rows *rows)
{
  static const char *const singular[LRGD_KIND_COUNT] = {
      [LRGD_KIND_VALUES] = "value",
      [LRGD_KIND_SLOPES] = "slope",
      [LRGD_KIND_GRADIENTS] = "gradient"};
  page_raw(page, "<p>Recorded: ");
  const char *before = "";
  for (int kind = 0; kind < LRGD_KIND_COUNT; kind++) {
    if (rows->kinds[kind] == 0) continue;
    page_raw(page, before);
    page_count(page, rows->kinds[kind]);
    page_add(page, " %s",
             rows->kinds[kind] == 1 ? singular[kind]
                                    : lrgd_kind_text((lrgd_kind)kind));
    before = ", ";
  }
  if (*before == '\0') page_raw(page, "nothing yet");
  if (rows->seconds > 0)
    page_add(page, "; %.3g s of evaluation in all, %.3g s each", rows->seconds,
             rows->seconds / (double)rows->f.count);
  page_raw(page, ".</p>\n");
}

static uint64_t sum_of_kind(const lrgd_counts *counts, int kind)
{
  uint64_t sum = 0;
  for (int why = 0; why < LRGD_PURPOSE_COUNT; why++)
    sum += counts->evaluations[kind][why];
  return sum;
}

static uint64_t sum_of_purpose(const lrgd_counts *counts, int why)
{
  uint64_t sum = 0;
  for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
    sum += counts->evaluations[kind][why];
  return sum;
}

static void write_cell(cli_page *page, uint64_t count)
{
  page_raw(page, "<td class=\"n\">");
  page_count(page, count);
  page_raw(page, "</td>");
}

/* The table of counts, without kinds and purposes that are zero. */
static void write_counts(cli_page *page, const lrgd_counts *counts)
{
  page_raw(page,
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
           "aria-label=\"evaluations by purpose\"><table>\n<thead><tr>"
           "<th scope=\"col\">spent on</th>");
  for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
    if (sum_of_kind(counts, kind) > 0)
      page_add(page, "<th scope=\"col\" class=\"n\">%s</th>",
               lrgd_kind_text((lrgd_kind)kind));
  page_raw(page,
           "<th scope=\"col\" class=\"n\">oracle calls</th></tr></thead>\n"
           "<tbody>\n");
  for (int why = 0; why < LRGD_PURPOSE_COUNT; why++) {
    if (sum_of_purpose(counts, why) == 0) continue;
    page_add(page, "<tr><th scope=\"row\"><i class=\"key c%d\"></i>%s</th>",
             why + 1, purposes[why]);
    for (int kind = 0; kind < LRGD_KIND_COUNT; kind++)
      if (sum_of_kind(counts, kind) > 0)
        write_cell(page, counts->evaluations[kind][why]);
    write_cell(page, counts->oracle_calls[why]);
    page_raw(page, "</tr>\n");
  }
  page_raw(page, "</tbody></table></div>\n");
}

/* Copies one number of each struct; offset: its position in the struct. */
static double *column(const report_path *path, size_t offset)
{
  double *y = malloc((path->count + 1) * sizeof *y);
  for (size_t i = 0; y != NULL && i < path->count; i++)
    memcpy(&y[i], (const char *)&path->stands[i] + offset, sizeof y[i]);
  return y;
}

static void draw_spending(cli_page *page, const report_path *path)
{
  chart_series series[LRGD_PURPOSE_COUNT];
  double *x = column(path, offsetof(report_stand, evaluations));
  double *spent[LRGD_PURPOSE_COUNT] = {NULL};
  size_t count = 0;
  bool lost = x == NULL;
  for (size_t why = 0; why < LRGD_PURPOSE_COUNT; why++) {
    if (!(path->stands[path->count - 1].spent[why] > 0)) continue;
    spent[why] =
        column(path, offsetof(report_stand, spent) + why * sizeof(double));
    lost = lost || spent[why] == NULL;
    series[count++] =
        (chart_series){CHART_AREA, (int)why + 1, purposes[why], spent[why]};
  }
  if (lost)
    page->lost = true;
  else
    chart_write(page, &(cli_chart){.id = "spending",
                                   .title = "Evaluations spent, by purpose",
                                   .x_label = "evaluations",
                                   .y_label = "evaluations spent so far",
                                   .x = x,
                                   .count = path->count,
                                   .series = series,
                                   .series_count = count,
                                   .whole_x = true,
                                   .whole_y = true,
                                   .x_hi = NAN});
  if (!lost)
    page_raw(page,
             "<figcaption>What the evaluations were spent on, one on top of "
             "the other.</figcaption>\n</figure>\n");
  free(x);
  for (size_t why = 0; why < LRGD_PURPOSE_COUNT; why++) free(spent[why]);
}

void report_spending(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  report_section(page, "spending", "What was paid for");
  write_kinds(page, &data->rows);
  if (path->known) {
    page_raw(page, "<div class=\"pair\">\n");
    if (path->count > 1 && path->stands[path->count - 1].evaluations > 0)
      draw_spending(page, path);
    write_counts(page, &path->result.counts);
    page_raw(page, "</div>\n");
  }
  report_section_end(page);
}

/* ---- directions ---- */

/* Removes the rank at the beginning of a run that has no subspace yet. */
static void forget_beginning(const report_path *path, size_t p, double *rank)
{
  size_t first = 0;
  while (first < path->count && rank[first] >= (double)p) first++;
  if (first == path->count) return;
  for (size_t i = 0; i < first; i++) rank[i] = NAN;
}

/* Whether a line through these points has any length: a fit tells the size of
 * its subspace at its end alone. */
static bool has_length(const double *x, const double *y, size_t count)
{
  double first = NAN, last = NAN;
  for (size_t i = 0; i < count; i++) {
    if (isnan(y[i])) continue;
    if (isnan(first)) first = x[i];
    last = x[i];
  }
  return last > first;
}

static void draw_rank(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  double *x = column(path, offsetof(report_stand, evaluations));
  double *y = column(path, offsetof(report_stand, rank));
  if (y != NULL) forget_beginning(path, data->p, y);
  if (x != NULL && y != NULL && !has_length(x, y, path->count)) {
    free(x);
    free(y);
    return;
  }
  chart_series series[] = {
      {CHART_STEPS, 1, "directions in use", y}
  };
  if (x == NULL || y == NULL)
    page->lost = true;
  else
    chart_write(page,
                &(cli_chart){.id = "rank",
                             .title = "Directions in use against evaluations",
                             .x_label = "evaluations",
                             .y_label = "directions in use",
                             .x = x,
                             .count = path->count,
                             .series = series,
                             .series_count = 1,
                             .whole_x = true,
                             .whole_y = true,
                             .from_zero = true,
                             .x_hi = NAN});
  if (x != NULL && y != NULL) {
    page_raw(page,
             "<figcaption>How many directions the run looked along at a time, "
             "of ");
    page_count(page, data->p);
    page_raw(page, ".</figcaption>\n</figure>\n");
  }
  free(x);
  free(y);
}

static void draw_spectrum(cli_page *page, const cli_directions *directions)
{
  double x[DIRECTIONS_VALUES];
  for (size_t i = 0; i < directions->values; i++) x[i] = (double)i + 1;
  chart_series series[] = {
      {CHART_JOINED, 1, "share of the gradients", directions->spectrum}
  };
  chart_write(page,
              &(cli_chart){.id = "spectrum",
                           .title =
                               "Spectrum: the share of the gradients' squared "
                               "length along each direction",
                           .x_label = "direction, strongest first",
                           .y_label = "share of the gradients",
                           .x = x,
                           .count = directions->values,
                           .series = series,
                           .series_count = COUNT_OF(series),
                           .log_y = true,
                           .whole_x = true,
                           .x_hi = (double)directions->values + 0.6});
  page_raw(page,
           "<figcaption>The spectrum: the share of the squared length of ");
  if (directions->source != DIRECTIONS_SUBSPACE) {
    page_count(page, directions->seen);
    page_raw(page, directions->seen == 1 ? " gradient" : " gradients");
    page_raw(page, directions->source == DIRECTIONS_STUDY
                       ? " of the diagnosis"
                       : " that the run measured");
  } else {
    page_raw(page, "the gradients inside the ");
    page_count(page, directions->seen);
    page_raw(page, " directions that the run looked along");
  }
  page_raw(page, directions->source == DIRECTIONS_STUDY
                     ? ""
                     : ", each taken with length one,");
  page_raw(page,
           " that lies along each principal direction. Where it falls off a "
           "cliff, the rank is.</figcaption>\n</figure>\n");
}

void report_directions(cli_page *page, const report_data *data)
{
  const report_path *path = &data->path;
  const cli_directions *directions = &data->directions;
  bool ran = path->known && path->count > 1;
  if (!ran && directions->values < 2) return;
  report_section(page, "directions", "Along which directions");
  page_raw(page, "<div class=\"pair\">\n");
  if (ran) draw_rank(page, data);
  if (directions->values > 1)
    draw_spectrum(page, directions);
  else
    page_raw(page,
             "<p class=\"none\">No spectrum yet: it takes slopes along several "
             "directions at several points.</p>\n");
  page_raw(page, "</div>\n");
  report_section_end(page);
}
