/* Charts as SVG, in two widths, since text in an image cannot be narrowed; and
 * as data for the interactive chart of the script.  Colours, light and dark,
 * come from the style sheet. */
#include "report_chart.h"

#include "cli/draw/draw_axis.h"

#include <math.h>
#include <string.h>

typedef struct chart_frame {
  double width, height, left, right, top, bottom;
  cli_scale x, y;
} chart_frame;

enum { SERIES_MOST = 8 };

/* ---- scales ---- */

/* The upper edge of area series s at x number i, as areas are stacked. */
static double stacked(const cli_chart *chart, size_t s, size_t i)
{
  double sum = 0;
  for (size_t j = 0; j <= s; j++)
    if (chart->series[j].kind == CHART_AREA && isfinite(chart->series[j].y[i]))
      sum += chart->series[j].y[i];
  return sum;
}

static void make_scales(const cli_chart *chart, chart_frame *frame)
{
  double ends[2] = {0, 0}, sides[2] = {chart->x[0], chart->x[0]};
  bool any = false;
  draw_series all[SERIES_MOST + 1] = {0};
  size_t count = 0;
  for (size_t s = 0; s < chart->series_count && count < SERIES_MOST; s++) {
    const chart_series *series = &chart->series[s];
    all[count++] =
        (draw_series){.count = chart->count, .x = chart->x, .y = series->y};
    if (series->kind != CHART_AREA) continue;
    for (size_t i = 0; i < chart->count; i++)
      ends[1] = fmax(ends[1], stacked(chart, s, i));
    any = true;
  }
  if (any || chart->from_zero)
    all[count++] = (draw_series){.count = 2, .x = sides, .y = ends};
  draw_panel panel = {
      .x = {.whole = chart->whole_x},
      .y = { .scale = chart->log_y ? DRAW_LOG : DRAW_LINEAR,
            .whole = chart->whole_y},
      .series = all,
      .count = count
  };
  if (chart->x_hi > 0) {
    panel.x.lo = 0;
    panel.x.hi = chart->x_hi;
  }
  frame->x = scale_of(&panel, false);
  frame->y = scale_of(&panel, true);
  frame->x.from = frame->left;
  frame->x.to = frame->width - frame->right;
  frame->y.from = frame->height - frame->bottom;
  frame->y.to = frame->top;
}

/* ---- axes ---- */

/* Computes the frame, whose left margin depends on the labels of the y axis. */
static void make_frame(const cli_chart *chart, chart_frame *frame, double width)
{
  *frame = (struct chart_frame){.width = width,
                                .height = width < 400 ? 250 : 300,
                                .left = 60,
                                .right = 14,
                                .top = 36,
                                .bottom = 44};
  make_scales(chart, frame);
  cli_tick ticks[TICKS_MOST];
  size_t count = scale_ticks(&frame->y, 34, ticks), longest = 0;
  for (size_t i = 0; i < count; i++) {
    size_t letters = 0;
    for (const char *c = ticks[i].text; *c != '\0'; c++)
      letters += (*c & 0xc0) != 0x80;
    if (letters > longest) longest = letters;
  }
  frame->left = 16 + 7.2 * (double)(longest > 2 ? longest : 2);
  make_scales(chart, frame);
}

static void draw_axes(cli_page *page, const cli_chart *chart,
                      const chart_frame *frame)
{
  cli_tick ticks[TICKS_MOST];
  double right = frame->width - frame->right;
  double foot = frame->height - frame->bottom;
  size_t count = scale_ticks(&frame->y, 34, ticks);
  for (size_t i = 0; i < count; i++) {
    double y = scale_place(&frame->y, ticks[i].at);
    if (y < frame->top - 1 || y > foot + 1) continue;
    page_add(page, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", frame->left,
             y, right);
    page_add(page, "<text class=\"ty\" x=\"%.1f\" y=\"%.1f\">%s</text>",
             frame->left - 8, y + 4, ticks[i].text);
  }
  count = scale_ticks(&frame->x, 72, ticks);
  for (size_t i = 0; i < count; i++) {
    double x = scale_place(&frame->x, ticks[i].at);
    if (x < frame->left - 1 || x > right + 1) continue;
    /* a centred label at the right edge would be cut off */
    const char *anchor = x > right - 18 ? "tx end" : "tx";
    page_add(page, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>", x, foot);
    page_add(page, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", anchor,
             x, foot + 18, ticks[i].text);
  }
  page_add(page, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>", frame->left,
           foot, right);
  page_add(page, "<text class=\"label end\" x=\"%.1f\" y=\"%.1f\">", right,
           frame->height - 6);
  page_text(page, chart->x_label);
  page_add(page, "</text><text class=\"label\" x=\"4\" y=\"12\">");
  page_text(page, chart->y_label);
  page_raw(page, "</text>");
}

/* ---- marks ---- */

static void draw_marks(cli_page *page, const cli_chart *chart,
                       const chart_frame *frame)
{
  double foot = frame->height - frame->bottom, last = -INFINITY;
  for (size_t i = 0; i < chart->mark_count; i++) {
    double x = scale_place(&frame->x, chart->marks[i]);
    page_add(page, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/>", x,
             frame->top, foot);
    if (x < last + 15) continue; /* labels must not overlap */
    last = x;
    page_add(page, "<text class=\"mark\" x=\"%.1f\" y=\"%.1f\">%zu</text>", x,
             frame->top - 5, i + 1);
  }
  if (chart->failed_count == 0) return;
  page_raw(page, "<path class=\"failed\" d=\"");
  for (size_t i = 0; i < chart->failed_count; i++)
    page_add(page, "M%.1f %.1fv-8", scale_place(&frame->x, chart->failed[i]),
             foot);
  page_raw(page, "\"/>");
}

/* ---- series ---- */

static bool can_show(const chart_frame *frame, double y)
{
  return isfinite(y) && (frame->y.kind == DRAW_LINEAR || y > 0);
}

static void draw_line(cli_page *page, const cli_chart *chart,
                      const chart_frame *frame, const chart_series *series)
{
  char before = 'M';
  page_add(page, "<path class=\"line c%d\" d=\"", series->colour);
  for (size_t i = 0; i < chart->count; i++) {
    if (!can_show(frame, series->y[i])) continue;
    double x = scale_place(&frame->x, chart->x[i]);
    double y = scale_place(&frame->y, series->y[i]);
    if (series->kind == CHART_STEPS && before == 'L')
      page_add(page, "H%.1fV%.1f", x, y);
    else
      page_add(page, "%c%.1f %.1f", before, x, y);
    before = 'L';
  }
  page_raw(page, "\"/>");
}

static void draw_dots(cli_page *page, const cli_chart *chart,
                      const chart_frame *frame, const chart_series *series)
{
  page_add(page, "<path class=\"dots c%d\" d=\"", series->colour);
  for (size_t i = 0; i < chart->count; i++)
    if (can_show(frame, series->y[i]))
      page_add(page, "M%.1f %.1fh0", scale_place(&frame->x, chart->x[i]),
               scale_place(&frame->y, series->y[i]));
  page_raw(page, "\"/>");
}

static void draw_area(cli_page *page, const cli_chart *chart,
                      const chart_frame *frame, size_t s)
{
  double foot = scale_place(&frame->y, 0);
  page_add(page, "<path class=\"area c%d\" d=\"M%.1f %.1f",
           chart->series[s].colour, scale_place(&frame->x, chart->x[0]), foot);
  for (size_t i = 0; i < chart->count; i++)
    page_add(page, "L%.1f %.1f", scale_place(&frame->x, chart->x[i]),
             scale_place(&frame->y, stacked(chart, s, i)));
  page_add(page, "L%.1f %.1fZ\"/>",
           scale_place(&frame->x, chart->x[chart->count - 1]), foot);
}

static void draw_svg(cli_page *page, const cli_chart *chart, double width,
                     const char *name)
{
  chart_frame frame;
  make_frame(chart, &frame, width);
  page_add(page,
           "<svg class=\"%s\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
           "height=\"%.0f\" role=\"img\" aria-label=\"",
           name, width, frame.height, width, frame.height);
  page_text(page, chart->title);
  page_raw(page, "\">");
  draw_axes(page, chart, &frame);
  for (size_t s = chart->series_count; s-- > 0;) /* areas from the top down */
    if (chart->series[s].kind == CHART_AREA) draw_area(page, chart, &frame, s);
  for (size_t s = 0; s < chart->series_count; s++) {
    const chart_series *series = &chart->series[s];
    if (series->kind == CHART_STEPS || series->kind == CHART_JOINED)
      draw_line(page, chart, &frame, series);
    if (series->kind == CHART_DOTS || series->kind == CHART_JOINED)
      draw_dots(page, chart, &frame, series);
  }
  draw_marks(page, chart, &frame);
  page_raw(page, "</svg>\n");
}

/* Whether y decreases over decades, which only a logarithmic scale shows. */
bool chart_wants_log(size_t count, const double *y)
{
  double lo = INFINITY, hi = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (isnan(y[i])) continue;
    lo = fmin(lo, y[i]);
    hi = fmax(hi, y[i]);
  }
  return lo > 0 && hi > 50 * lo;
}

/* ---- the figure ---- */

static void write_legend(cli_page *page, const cli_chart *chart)
{
  if (chart->series_count < 2 && chart->failed_count == 0) return;
  page_raw(page, "<ul class=\"legend\">");
  for (size_t s = 0; s < chart->series_count; s++) {
    page_add(page, "<li><i class=\"key c%d\"></i>", chart->series[s].colour);
    page_text(page, chart->series[s].label);
    page_raw(page, "</li>");
  }
  if (chart->failed_count > 0)
    page_raw(page,
             "<li class=\"failed\"><i class=\"key failed\"></i>failed</li>");
  page_raw(page, "</ul>\n");
}

static json_t *series_json(const cli_chart *chart)
{
  static const char *const kinds[] = {"steps", "joined", "dots", "area"};
  json_t *all = json_array();
  for (size_t s = 0; s < chart->series_count; s++) {
    const chart_series *series = &chart->series[s];
    json_t *one = json_pack("{s:s, s:s, s:i, s:o}", "kind", kinds[series->kind],
                            "label", series->label, "colour", series->colour,
                            "y", json_doubles(chart->count, series->y));
    if (one == NULL || json_array_append_new(all, one) != 0) return NULL;
  }
  return all;
}

static json_t *chart_json(const cli_chart *chart)
{
  return json_pack(
      "{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o}",
      "title", chart->title, "xLabel", chart->x_label, "yLabel", chart->y_label,
      "log", (int)chart->log_y, "whole", (int)chart->whole_x, "wholeY",
      (int)chart->whole_y, "choose", (int)chart->choose, "zero",
      (int)chart->from_zero, "xMax", json_double(chart->x_hi), "x",
      json_doubles(chart->count, chart->x), "series", series_json(chart),
      "marks", json_doubles(chart->mark_count, chart->marks), "failed",
      json_doubles(chart->failed_count, chart->failed));
}

void chart_write(cli_page *page, const cli_chart *chart)
{
  page_add(page, "<figure class=\"chart%s\" id=\"%s\">\n",
           chart->wide ? " wide" : "", chart->id);
  write_legend(page, chart);
  page_raw(page, "<div class=\"plot\">\n");
  draw_svg(page, chart, chart->wide ? 1040 : 504, "roomy");
  draw_svg(page, chart, 328, "narrow");
  page_raw(page, "</div>\n<script type=\"application/json\">");
  page_json(page, chart_json(chart));
  page_raw(page, "</script>\n");
}
