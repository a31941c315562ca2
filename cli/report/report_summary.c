/* The section of a report that plots f along the first active-subspace
 * coordinates. */
#include "report_chart.h"
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIFTHS = 5 };

typedef struct dot {
  double x, y, f;
} dot;

static int by_x(const void *a, const void *b)
{
  double one = ((const dot *)a)->x, other = ((const dot *)b)->x;
  return (one > other) - (one < other);
}

static int by_value(const void *a, const void *b)
{
  double one = *(const double *)a, other = *(const double *)b;
  return (one > other) - (one < other);
}

/* f against the first coordinate. */
static void draw_line_of_f(cli_page *page, size_t n, const double *x,
                           const double *f)
{
  chart_series series[] = {
      {CHART_DOTS, 1, "value of f", f}
  };
  chart_write(page,
              &(cli_chart){.id = "along",
                           .title = "f against the first active coordinate",
                           .x_label = "first active coordinate",
                           .y_label = "value of f",
                           .x = x,
                           .count = n,
                           .series = series,
                           .series_count = 1,
                           .log_y = chart_wants_log(n, f),
                           .choose = true,
                           .x_hi = NAN});
  page_raw(page,
           "<figcaption>f at the points asked, against where they lie along "
           "the first direction, from the start (0). A thin curve means that "
           "this one direction explains f.</figcaption>\n</figure>\n");
}

/* Draws points in the plane of the first two directions, the value of f as one
 * of five colours. */
static void draw_plane(cli_page *page, size_t n, const double *x,
                       const double *y, const double *f, double *room)
{
  static const char *const labels[FIFTHS] = {"lowest fifth of f", "second",
                                             "third", "fourth", "highest"};
  chart_series series[FIFTHS];
  double *sorted = room, *fifth = room + n;
  memcpy(sorted, f, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, by_value);
  for (size_t k = 0; k < FIFTHS; k++) {
    double from = sorted[k * n / FIFTHS];
    double to = k + 1 < FIFTHS ? sorted[(k + 1) * n / FIFTHS] : INFINITY;
    double *at = fifth + k * n;
    for (size_t i = 0; i < n; i++)
      at[i] = f[i] >= from && f[i] < to ? y[i] : NAN;
    series[k] = (chart_series){CHART_DOTS, 11 + (int)k, labels[k], at};
  }
  chart_write(page,
              &(cli_chart){.id = "plane",
                           .title =
                               "The points asked in the plane of the first two "
                               "active coordinates, by value of f",
                           .x_label = "first active coordinate",
                           .y_label = "second active coordinate",
                           .x = x,
                           .count = n,
                           .series = series,
                           .series_count = FIFTHS,
                           .x_hi = NAN});
  page_raw(page,
           "<figcaption>The same points along the first two directions, the "
           "darker the lower f is.</figcaption>\n</figure>\n");
}

static void draw_dots(cli_page *page, const report_data *data, dot *dots,
                      double *room)
{
  size_t n = data->value.count;
  double *x = room, *y = x + n, *f = y + n;
  for (size_t i = 0; i < n; i++)
    dots[i] = (dot){data->first.at[i], data->second.at[i], data->value.at[i]};
  qsort(dots, n, sizeof *dots, by_x);
  for (size_t i = 0; i < n; i++) {
    x[i] = dots[i].x;
    y[i] = dots[i].y;
    f[i] = dots[i].f;
  }
  draw_line_of_f(page, n, x, f);
  if (data->directions.count > 1) draw_plane(page, n, x, y, f, f + n);
}

void report_summary(cli_page *page, const report_data *data)
{
  size_t n = data->value.count, all = data->rows.f.count;
  if (data->directions.count == 0 || n < 2) return;
  dot *dots = malloc(n * sizeof *dots);
  double *room = malloc((4 + FIFTHS) * n * sizeof *room);
  report_section(page, "summary", "What f looks like there");
  if (n + data->summary.failures < all) {
    page_raw(page, "<p>");
    page_count(page, n);
    page_raw(page, " of ");
    page_count(page, all);
    page_raw(page, " evaluations, evenly over the run.</p>\n");
  }
  page_raw(page, "<div class=\"pair\">\n");
  if (dots != NULL && room != NULL)
    draw_dots(page, data, dots, room);
  else
    page->lost = true;
  page_raw(page, "</div>\n");
  report_section_end(page);
  free(dots);
  free(room);
}
