/* Lays out a figure and renders it with cairo, to SVG or PNG. */
#include "draw.h"

#include "cli/base/files.h"
#include "draw_axis.h"
#include "draw_series.h"

#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double edge = 14;   /* margin around everything */
static const double gutter = 26; /* between panels */
static const double title_size = 15, panel_title_size = 13, label_size = 12.5;
static const double tick_size = 11.5, note_size = 11, legend_size = 12;
static const double sample_width = 24;
static const double png_zoom = 2;

/* ---- text ---- */

enum { TEXT_ROOM = 512 };

static size_t utf8_length(const unsigned char *c)
{
  size_t length = c[0] < 0x80             ? 1
                  : (c[0] & 0xE0) == 0xC0 ? 2
                  : (c[0] & 0xF0) == 0xE0 ? 3
                  : (c[0] & 0xF8) == 0xF0 ? 4
                                          : 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xC0) != 0x80) return 0;
  return length;
}

/* Replaces bytes that are not UTF-8, which cairo refuses; a title may be any
 * text. */
static void clean_text(char clean[TEXT_ROOM], const char *text)
{
  size_t used = 0;
  const unsigned char *c = (const unsigned char *)text;
  while (*c != '\0' && used + 5 < TEXT_ROOM) {
    size_t length = utf8_length(c);
    if (length == 0 || *c < 0x20 || *c == 0x7f) {
      clean[used++] = '?';
      c++;
      continue;
    }
    memcpy(clean + used, c, length);
    used += length;
    c += length;
  }
  clean[used] = '\0';
}

static void set_font(cairo_t *cr, double size, bool bold)
{
  cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD
                              : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

static double text_width(cairo_t *cr, const char *text)
{
  cairo_text_extents_t extents;
  cairo_text_extents(cr, text, &extents);
  return extents.x_advance;
}

/* Truncates clean at its end until it is no wider than width. */
static void cut_text(cairo_t *cr, char clean[TEXT_ROOM], double width)
{
  static const char dots[] = "…";
  size_t length = strlen(clean);
  while (length > 0 && text_width(cr, clean) > width) {
    do length--;
    while (length > 0 && ((unsigned char)clean[length] & 0xC0) == 0x80);
    memcpy(clean + length, dots, sizeof dots);
  }
}

/* share: 0 starts at x, 0.5 is centred on it, 1 ends there. */
static void put_text(cairo_t *cr, const char *text, double x, double y,
                     double share)
{
  cairo_move_to(cr, x - share * text_width(cr, text), y);
  cairo_show_text(cr, text);
}

/* ---- the legend, above the plot ---- */

typedef struct box {
  double left, top, right, bottom;
} box;

/* Lays out the legend's entries in rows, and draws them where `draws` is set.
 * Returns the number of rows. */
static size_t legend(cairo_t *cr, const draw_panel *panel, const box *area,
                     bool draws)
{
  const double line = legend_size + 6;
  double x = area->left;
  size_t rows = 0;
  set_font(cr, legend_size, false);
  for (size_t i = 0; i < panel->count; i++) {
    const draw_series *series = &panel->series[i];
    char text[TEXT_ROOM];
    if (series->label == NULL) continue;
    clean_text(text, series->label);
    cut_text(cr, text, area->right - area->left - sample_width - 8);
    double width = sample_width + 6 + text_width(cr, text);
    if (rows == 0 || x + width > area->right) {
      rows++;
      x = area->left;
    }
    double y = area->top + ((double)rows - 0.5) * line;
    if (draws) {
      draw_sample(cr, series, x, y, sample_width);
      cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
      put_text(cr, text, x + sample_width + 6, y + 0.35 * legend_size, 0);
    }
    x += width + 18;
  }
  return rows;
}

/* ---- axes ---- */

typedef struct cli_ticks {
  size_t count;
  cli_tick at[TICKS_MOST];
} cli_ticks;

static double widest(cairo_t *cr, const cli_ticks *ticks)
{
  double width = 0;
  for (size_t i = 0; i < ticks->count; i++)
    width = fmax(width, text_width(cr, ticks->at[i].text));
  return width;
}

/* Widens the distance of ticks along x until their labels do not touch. */
static void fit_x_ticks(cairo_t *cr, const cli_scale *scale, cli_ticks *ticks)
{
  double gap = 50;
  for (int round = 0; round < 8; round++) {
    ticks->count = scale_ticks(scale, gap, ticks->at);
    double width = widest(cr, ticks) + 12;
    if (width <= gap) return;
    gap = width;
  }
}

static void draw_gridlines(const cli_plane *plane, const box *plot,
                           const cli_ticks *x, const cli_ticks *y)
{
  cairo_t *cr = plane->cr;
  cairo_set_source_rgb(cr, 0.9, 0.9, 0.9);
  cairo_set_line_width(cr, 1);
  for (size_t i = 0; i < x->count; i++) {
    double at = round(scale_place(&plane->x, x->at[i].at)) + 0.5;
    cairo_move_to(cr, at, plot->top);
    cairo_line_to(cr, at, plot->bottom);
  }
  for (size_t i = 0; i < y->count; i++) {
    double at = round(scale_place(&plane->y, y->at[i].at)) + 0.5;
    cairo_move_to(cr, plot->left, at);
    cairo_line_to(cr, plot->right, at);
  }
  cairo_stroke(cr);
}

static void draw_tick_labels(const cli_plane *plane, const box *plot,
                             const cli_ticks *x, const cli_ticks *y)
{
  cairo_t *cr = plane->cr;
  set_font(cr, tick_size, false);
  cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
  for (size_t i = 0; i < x->count; i++) {
    /* a wide last label must not pass the panel's edge */
    double most = plot->right + edge - text_width(cr, x->at[i].text) / 2;
    put_text(cr, x->at[i].text, fmin(scale_place(&plane->x, x->at[i].at), most),
             plot->bottom + tick_size + 6, 0.5);
  }
  for (size_t i = 0; i < y->count; i++)
    put_text(cr, y->at[i].text, plot->left - 7,
             scale_place(&plane->y, y->at[i].at) + 0.35 * tick_size, 1);
}

static void draw_frame(cairo_t *cr, const box *plot)
{
  cairo_set_source_rgb(cr, 0.3, 0.3, 0.3);
  cairo_set_line_width(cr, 1);
  cairo_move_to(cr, round(plot->left) + 0.5, plot->top);
  cairo_line_to(cr, round(plot->left) + 0.5, round(plot->bottom) + 0.5);
  cairo_line_to(cr, plot->right, round(plot->bottom) + 0.5);
  cairo_stroke(cr);
}

static void draw_axis_labels(cairo_t *cr, const draw_panel *panel,
                             const box *area, const box *plot)
{
  char text[TEXT_ROOM];
  set_font(cr, label_size, false);
  cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
  if (panel->x.label != NULL) {
    clean_text(text, panel->x.label);
    cut_text(cr, text, plot->right - plot->left);
    put_text(cr, text, (plot->left + plot->right) / 2, area->bottom - 4, 0.5);
  }
  if (panel->y.label == NULL) return;
  clean_text(text, panel->y.label);
  cut_text(cr, text, plot->bottom - plot->top);
  cairo_save(cr);
  cairo_translate(cr, area->left + label_size, (plot->top + plot->bottom) / 2);
  cairo_rotate(cr, -acos(-1) / 2);
  put_text(cr, text, 0, 0, 0.5);
  cairo_restore(cr);
}

/* ---- a panel ---- */

/* Makes one unit equally long on both axes: the axis with spare room shows
 * more. */
static void equalise(cli_scale *x, cli_scale *y)
{
  double x_unit = fabs(x->to - x->from) / (x->hi - x->lo);
  double y_unit = fabs(y->to - y->from) / (y->hi - y->lo);
  cli_scale *wide = x_unit > y_unit ? x : y;
  double ratio = x_unit > y_unit ? x_unit / y_unit : y_unit / x_unit;
  double centre = (wide->lo + wide->hi) / 2;
  double half = ratio * (wide->hi - wide->lo) / 2;
  wide->lo = centre - half;
  wide->hi = centre + half;
}

/* The rectangle of the plot within its panel.  Its width depends on the labels
 * at the left, which depend on its height. */
static box plot_box(cli_plane *plane, const draw_panel *panel, const box *area,
                    double top)
{
  cairo_t *cr = plane->cr;
  cli_ticks y;
  box plot = {.top = top,
              .right = area->right - 6,
              .bottom = area->bottom - tick_size - 10 -
                        (panel->x.label != NULL ? label_size + 8 : 0)};
  plane->y.from = plot.bottom;
  plane->y.to = plot.top;
  y.count = scale_ticks(&plane->y, 34, y.at);
  set_font(cr, tick_size, false);
  plot.left = area->left + widest(cr, &y) + 10 +
              (panel->y.label != NULL ? label_size + 8 : 0);
  plane->x.from = plot.left;
  plane->x.to = plot.right;
  if (panel->equal) equalise(&plane->x, &plane->y);
  return plot;
}

static double draw_panel_head(cairo_t *cr, const draw_panel *panel,
                              const box *area, double plot_left)
{
  double top = area->top;
  if (panel->title != NULL) {
    char text[TEXT_ROOM];
    clean_text(text, panel->title);
    set_font(cr, panel_title_size, true);
    cut_text(cr, text, area->right - plot_left);
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
    put_text(cr, text, plot_left, top + panel_title_size, 0);
    top += panel_title_size + 10;
  }
  box row = {plot_left, top, area->right, 0};
  legend(cr, panel, &row, true);
  return top;
}

static double head_height(cairo_t *cr, const draw_panel *panel, const box *area)
{
  box row = {area->left + 60, 0, area->right, 0};
  double height = panel->title != NULL ? panel_title_size + 10 : 0;
  return height + (double)legend(cr, panel, &row, false) * (legend_size + 6) +
         8;
}

static void draw_one_panel(cairo_t *cr, const draw_panel *panel,
                           const box *area, double plot_top)
{
  cli_plane plane = {cr, scale_of(panel, false), scale_of(panel, true)};
  box plot = plot_box(&plane, panel, area, plot_top);
  cli_ticks x, y;
  fit_x_ticks(cr, &plane.x, &x);
  y.count = scale_ticks(&plane.y, 34, y.at);
  draw_gridlines(&plane, &plot, &x, &y);
  cairo_save(cr);
  cairo_rectangle(cr, plot.left, plot.top, plot.right - plot.left,
                  plot.bottom - plot.top);
  cairo_clip(cr);
  for (size_t i = 0; i < panel->count; i++)
    draw_series_on(&plane, &panel->series[i]);
  cairo_restore(cr);
  draw_frame(cr, &plot);
  draw_tick_labels(&plane, &plot, &x, &y);
  draw_axis_labels(cr, panel, area, &plot);
  draw_panel_head(cr, panel, area, plot.left);
}

/* ---- the figure ---- */

typedef struct cli_layout {
  double width, height;             /* of the whole picture */
  double panel_width, panel_height; /* of each */
  double top, bottom;               /* of the panels */
  size_t columns;                   /* columns of panels */
} cli_layout;

/* How much of text, in whole words, fits into width; at least one word. */
static size_t fitting(cairo_t *cr, char *text, double width)
{
  size_t fit = 0;
  for (size_t end = 0;; end++) {
    char kept = text[end];
    if (kept != ' ' && kept != '\0') continue;
    text[end] = '\0';
    bool fits = text_width(cr, text) <= width;
    text[end] = kept;
    if (!fits && fit > 0) return fit;
    fit = end;
    if (kept == '\0') return fit;
  }
}

/* Breaks the note into lines of at most width; draws from y on when draws.
 * Returns the number of lines. */
static size_t note_lines(cairo_t *cr, const char *note, double width, double y,
                         bool draws)
{
  char text[TEXT_ROOM];
  clean_text(text, note);
  set_font(cr, note_size, false);
  cairo_set_source_rgb(cr, 0.35, 0.35, 0.35);
  size_t lines = 0;
  for (char *rest = text;; lines++) {
    size_t length = fitting(cr, rest, width);
    bool last = rest[length] == '\0';
    rest[length] = '\0';
    if (draws) put_text(cr, rest, edge, y + (double)lines * (note_size + 5), 0);
    if (last) return lines + 1;
    rest += length + 1;
  }
}

/* Panels are side by side; four are two by two. */
static cli_layout lay_out(cairo_t *cr, const draw_figure *figure)
{
  cli_layout layout = {.panel_width = figure->panel_width,
                       .panel_height = figure->panel_height,
                       .columns = figure->count > 3 ? 2 : figure->count};
  double columns = (double)layout.columns;
  double rows = ceil((double)figure->count / columns);
  if (!(layout.panel_width > 0)) layout.panel_width = 480;
  if (!(layout.panel_height > 0)) layout.panel_height = 380;
  layout.top = edge + (figure->title != NULL ? title_size + 14 : 0);
  layout.width =
      2 * edge + columns * layout.panel_width + (columns - 1) * gutter;
  layout.bottom = layout.top + rows * layout.panel_height + (rows - 1) * gutter;
  layout.height = layout.bottom + edge;
  if (figure->note != NULL)
    layout.height +=
        6 + (note_size + 5) * (double)note_lines(cr, figure->note,
                                                 layout.width - 2 * edge, 0,
                                                 false);
  layout.width = ceil(layout.width);
  layout.height = ceil(layout.height);
  return layout;
}

static box panel_box(const cli_layout *layout, size_t i)
{
  size_t row = i / layout->columns, column = i % layout->columns;
  double left = edge + (double)column * (layout->panel_width + gutter);
  double top = layout->top + (double)row * (layout->panel_height + gutter);
  return (box){left, top, left + layout->panel_width,
               top + layout->panel_height};
}

/* The plots of a row begin at the same height, below the tallest header. */
static void draw_figure_on(cairo_t *cr, const draw_figure *figure,
                           const cli_layout *layout)
{
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  if (figure->title != NULL) {
    char text[TEXT_ROOM];
    clean_text(text, figure->title);
    set_font(cr, title_size, true);
    cut_text(cr, text, layout->width - 2 * edge);
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
    put_text(cr, text, edge, edge + title_size, 0);
  }
  double head = 0;
  for (size_t i = 0; i < figure->count; i++) {
    box area = panel_box(layout, i);
    head = fmax(head, head_height(cr, &figure->panels[i], &area));
  }
  for (size_t i = 0; i < figure->count; i++) {
    box area = panel_box(layout, i);
    draw_one_panel(cr, &figure->panels[i], &area, area.top + head);
  }
  if (figure->note != NULL)
    note_lines(cr, figure->note, layout->width - 2 * edge,
               layout->bottom + 14 + note_size, true);
}

/* ---- files ---- */

lrgd_status draw_check_name(const char *path, lrgd_error *error)
{
  const char *why = NULL;
  if (!file_ends_in(path, ".svg") && !file_ends_in(path, ".png"))
    why = "a picture's name ends in .svg or .png";
  else if (file_is_database(path))
    why = "that is a journal, and what it holds was paid for";
  return why ? fail(error, LRGD_ERR_INVALID, "%s: %s", path, why) : LRGD_OK;
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes,
                                  unsigned int count)
{
  return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS
                                                : CAIRO_STATUS_WRITE_ERROR;
}

/* Measures the layout: texts must be measured before the size of the surface is
 * known. */
static cli_layout measure(const draw_figure *figure)
{
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1);
  cairo_t *cr = cairo_create(surface);
  cli_layout layout = lay_out(cr, figure);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return layout;
}

static cairo_surface_t *make_surface(FILE *file, bool svg,
                                     const cli_layout *layout)
{
  if (svg) {
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(
        write_bytes, file, layout->width, layout->height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
  }
  cairo_surface_t *surface = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, (int)(png_zoom * layout->width),
      (int)(png_zoom * layout->height));
  cairo_surface_set_device_scale(surface, png_zoom, png_zoom);
  return surface;
}

static cairo_status_t draw_to(FILE *file, bool svg, const draw_figure *figure)
{
  cli_layout layout = measure(figure);
  cairo_surface_t *surface = make_surface(file, svg, &layout);
  cairo_t *cr = cairo_create(surface);
  draw_figure_on(cr, figure, &layout);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (status == CAIRO_STATUS_SUCCESS && !svg)
    status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  return status;
}

lrgd_status draw_save(const draw_figure *figure, const char *path,
                      lrgd_error *error)
{
  lrgd_status status = draw_check_name(path, error);
  if (status != LRGD_OK) return status;
  FILE *file = file_open(path, "w");
  if (file == NULL)
    return fail(error, LRGD_ERR_STORAGE, "%s: %s", path, file_trouble());
  errno = 0;
  cairo_status_t drawn = draw_to(file, file_ends_in(path, ".svg"), figure);
  bool closed = fclose(file) == 0;
  if (drawn == CAIRO_STATUS_SUCCESS && closed) return LRGD_OK;
  bool ours =
      drawn == CAIRO_STATUS_SUCCESS || drawn == CAIRO_STATUS_WRITE_ERROR;
  const char *why = ours ? strerror(errno) : cairo_status_to_string(drawn);
  return fail(error, LRGD_ERR_STORAGE, "%s: cannot be written: %s", path, why);
}
