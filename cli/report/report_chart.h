/* A chart of a report: as SVG, which needs no script, and as data for the
 * script. */
#ifndef CLI_REPORT_CHART_H
#define CLI_REPORT_CHART_H

#include "page.h"

typedef enum chart_kind {
  CHART_STEPS,  /* y is constant until the next x */
  CHART_JOINED, /* a line with a dot at each x */
  CHART_DOTS,
  CHART_AREA /* stacked on the areas before it */
} chart_kind;

typedef struct chart_series {
  chart_kind kind;
  int colour;        /* colours 1 .. 6 of the style; 11 .. 15: low to high */
  const char *label; /* a constant of this program */
  const double *y;   /* one for each x; NaN: no value */
} chart_series;

/* Everything is borrowed; texts are constants of this program. */
typedef struct cli_chart {
  const char *id;    /* of the figure */
  const char *title; /* a description for readers who cannot see the chart */
  const char *x_label, *y_label;
  const double *x; /* ascending */
  size_t count;
  const chart_series *series;
  size_t series_count;
  bool log_y, whole_x, whole_y, from_zero;
  bool choose;         /* the reader may choose the scale of y */
  const double *marks; /* vertical lines at these x, numbered from 1 */
  size_t mark_count;
  const double *failed; /* ticks at the bottom, at these x */
  size_t failed_count;
  double x_hi; /* NaN: found from the data; else x runs from 0 to here */
  bool wide;   /* over the whole width of the page */
} cli_chart;

/* Whether count numbers y are better shown on a logarithmic scale. */
bool chart_wants_log(size_t count, const double *y);

/* The figure; the caller adds the caption and closes it. */
void chart_write(cli_page *page, const cli_chart *chart);

#endif
