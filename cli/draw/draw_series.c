/* Draws series: lines, steps, marks, bands and level lines. */
#include "draw_series.h"

#include <math.h>

static const double line_width = 2, thin_width = 1, mark_radius = 3.2;

/* Okabe and Ito's palette, a grey, and a ramp of falling darkness. */
static const double palette[DRAW_COLOURS][3] = {
    [DRAW_BLUE] = {0.000, 0.447, 0.698},
    [DRAW_VERMILION] = {0.835, 0.369, 0.000},
    [DRAW_GREEN] = {0.000, 0.620, 0.451},
    [DRAW_ORANGE] = {0.902, 0.624, 0.000},
    [DRAW_PURPLE] = {0.800, 0.475, 0.655},
    [DRAW_SKY] = {0.337, 0.706, 0.914},
    [DRAW_BLACK] = {0.100, 0.100, 0.100},
    [DRAW_GREY] = {0.550, 0.550, 0.550},
    [DRAW_LOWEST] = {0.150, 0.070, 0.350},
    [DRAW_LOW] = {0.130, 0.330, 0.600},
    [DRAW_MIDDLE] = {0.080, 0.560, 0.560},
    [DRAW_HIGH] = {0.480, 0.760, 0.300},
    [DRAW_HIGHEST] = {0.980, 0.830, 0.200},
};

void draw_set_colour(cairo_t *cr, draw_colour colour, double opacity)
{
  const double *rgb = palette[colour];
  cairo_set_source_rgba(cr, rgb[0], rgb[1], rgb[2], opacity);
}

static void set_dash(cairo_t *cr, bool dashed)
{
  static const double pattern[] = {7, 4};
  cairo_set_dash(cr, pattern, dashed ? 2 : 0, 0);
}

/* ---- lines ---- */

/* A path without points closer to the last one than a fifth of a pixel. */
typedef struct cli_pen {
  cairo_t *cr;
  double x, y;
  bool down;
} cli_pen;

static void pen_to(cli_pen *pen, double x, double y, bool last)
{
  if (!pen->down)
    cairo_move_to(pen->cr, x, y);
  else if (hypot(x - pen->x, y - pen->y) < 0.2 && !last)
    return;
  else
    cairo_line_to(pen->cr, x, y);
  pen->x = x;
  pen->y = y;
  pen->down = true;
}

static void trace_path(const cli_plane *plane, const draw_series *series,
                       bool steps)
{
  cli_pen pen = {.cr = plane->cr};
  for (size_t i = 0; i < series->count; i++) {
    double x = scale_place(&plane->x, series->x[i]);
    double y = scale_place(&plane->y, series->y[i]);
    if (!isfinite(x) || !isfinite(y)) {
      pen.down = false;
      continue;
    }
    bool last = i + 1 == series->count;
    if (steps && pen.down) pen_to(&pen, x, pen.y, last);
    pen_to(&pen, x, y, last);
  }
}

static void draw_line(const cli_plane *plane, const draw_series *series)
{
  trace_path(plane, series, series->kind == DRAW_STEPS);
  set_dash(plane->cr, series->dashed);
  cairo_set_line_width(plane->cr, line_width);
  cairo_stroke(plane->cr);
  set_dash(plane->cr, false);
}

/* ---- marks ---- */

static void draw_mark(cairo_t *cr, draw_kind kind, double x, double y)
{
  const double r = mark_radius;
  if (kind == DRAW_DOTS) {
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, r, 0, 2 * acos(-1));
    cairo_fill(cr);
    return;
  }
  cairo_move_to(cr, x - r, y - r);
  cairo_line_to(cr, x + r, y + r);
  cairo_move_to(cr, x - r, y + r);
  cairo_line_to(cr, x + r, y - r);
  cairo_set_line_width(cr, 1.6);
  cairo_stroke(cr);
}

static void draw_marks(const cli_plane *plane, const draw_series *series)
{
  if (!series->loose) {
    trace_path(plane, series, false);
    cairo_set_line_width(plane->cr, thin_width);
    draw_set_colour(plane->cr, series->colour, 0.5);
    cairo_stroke(plane->cr);
  }
  draw_set_colour(plane->cr, series->colour, 1);
  for (size_t i = 0; i < series->count; i++) {
    double x = scale_place(&plane->x, series->x[i]);
    double y = scale_place(&plane->y, series->y[i]);
    if (isfinite(x) && isfinite(y)) draw_mark(plane->cr, series->kind, x, y);
  }
}

/* ---- bands ---- */

static void draw_band(const cli_plane *plane, const draw_series *series)
{
  cli_pen pen = {.cr = plane->cr};
  for (size_t i = 0; i < series->count; i++)
    pen_to(&pen, scale_place(&plane->x, series->x[i]),
           scale_place(&plane->y, series->y[i]), true);
  for (size_t i = series->count; i > 0; i--)
    pen_to(&pen, scale_place(&plane->x, series->x[i - 1]),
           scale_place(&plane->y, series->y2[i - 1]), true);
  cairo_close_path(plane->cr);
  draw_set_colour(plane->cr, series->colour, 0.2);
  cairo_fill(plane->cr);
}

/* ---- level lines: marching squares ---- */

/* A cell's corners, counted round: (0,0), (1,0), (1,1), (0,1). */
typedef struct cli_cell {
  double x[4], y[4], z[4];
} cli_cell;

static cli_cell cell_at(const draw_grid *grid, size_t i, size_t j)
{
  double dx = (grid->x1 - grid->x0) / (double)(grid->nx - 1);
  double dy = (grid->y1 - grid->y0) / (double)(grid->ny - 1);
  double x = grid->x0 + (double)i * dx, y = grid->y0 + (double)j * dy;
  const double *z = grid->z + j * grid->nx + i;
  return (cli_cell){
      {x,    x + dx, x + dx,          x          },
      {y,    y,      y + dy,          y + dy     },
      {z[0], z[1],   z[grid->nx + 1], z[grid->nx]}
  };
}

/* Where the level crosses the edge from one corner to the next. */
static void edge_point(const cli_plane *plane, const cli_cell *cell, int edge,
                       double level, bool start)
{
  int a = edge, b = (edge + 1) % 4;
  double t = (level - cell->z[a]) / (cell->z[b] - cell->z[a]);
  double x = scale_place(&plane->x, cell->x[a] + t * (cell->x[b] - cell->x[a]));
  double y = scale_place(&plane->y, cell->y[a] + t * (cell->y[b] - cell->y[a]));
  if (start)
    cairo_move_to(plane->cr, x, y);
  else
    cairo_line_to(plane->cr, x, y);
}

/* Draws a level in a cell: it crosses none, two or four edges; at a saddle the
 * pairs are taken in order, which is one of the two valid choices. */
static void draw_cell(const cli_plane *plane, const cli_cell *cell,
                      double level)
{
  bool start = true;
  for (int edge = 0; edge < 4; edge++) {
    bool above = cell->z[edge] > level;
    bool next_above = cell->z[(edge + 1) % 4] > level;
    if (above == next_above) continue;
    edge_point(plane, cell, edge, level, start);
    start = !start;
  }
}

static void draw_levels(const cli_plane *plane, const draw_series *series)
{
  const draw_grid *grid = series->grid;
  cairo_set_line_width(plane->cr, thin_width);
  cairo_set_line_cap(plane->cr, CAIRO_LINE_CAP_ROUND);
  draw_set_colour(plane->cr, series->colour, 0.55);
  for (size_t k = 0; k < grid->level_count; k++) {
    for (size_t j = 0; j + 1 < grid->ny; j++)
      for (size_t i = 0; i + 1 < grid->nx; i++) {
        cli_cell cell = cell_at(grid, i, j);
        draw_cell(plane, &cell, grid->levels[k]);
      }
    cairo_stroke(plane->cr);
  }
}

/* ---- every kind of series ---- */

void draw_series_on(const cli_plane *plane, const draw_series *series)
{
  draw_set_colour(plane->cr, series->colour, 1);
  cairo_set_line_join(plane->cr, CAIRO_LINE_JOIN_ROUND);
  switch (series->kind) {
  case DRAW_LINE:
  case DRAW_STEPS: draw_line(plane, series); break;
  case DRAW_DOTS:
  case DRAW_CROSSES: draw_marks(plane, series); break;
  case DRAW_BAND: draw_band(plane, series); break;
  case DRAW_LEVELS: draw_levels(plane, series); break;
  }
}

void draw_sample(cairo_t *cr, const draw_series *series, double x, double y,
                 double width)
{
  bool band = series->kind == DRAW_BAND;
  bool marks = series->kind == DRAW_DOTS || series->kind == DRAW_CROSSES;
  draw_set_colour(cr, series->colour, band ? 0.3 : marks ? 0.5 : 1);
  set_dash(cr, series->dashed);
  cairo_set_line_width(cr, band ? 9 : marks ? thin_width : line_width);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
  if (!series->loose) {
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x + width, y);
    cairo_stroke(cr);
  }
  set_dash(cr, false);
  draw_set_colour(cr, series->colour, 1);
  if (marks) draw_mark(cr, series->kind, x + width / 2, y);
}
