/* Figures of one or more panels, as SVG or PNG.
 *
 * A figure is plain data: fill a draw_figure and save it.  Everything is
 * borrowed for the call.  Texts are UTF-8; other bytes are shown as '?'. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "cli/base/cli.h"

typedef enum draw_scale { DRAW_LINEAR, DRAW_LOG } draw_scale;

typedef struct draw_axis {
  const char *label;
  draw_scale scale;
  double lo, hi; /* lo < hi: the range; otherwise found from the data */
  bool whole;    /* ticks at whole numbers only */
} draw_axis;

typedef enum draw_kind {
  DRAW_LINE,
  DRAW_STEPS,   /* piecewise constant: holds y until the next x */
  DRAW_DOTS,    /* joined by a thin line */
  DRAW_CROSSES, /* crosses, joined by a thin line */
  DRAW_BAND,    /* shaded between y and y2 */
  DRAW_LEVELS   /* level lines of a grid */
} draw_kind;

/* Values z on a grid, row after row from y0 up, nx numbers each. */
typedef struct draw_grid {
  size_t nx, ny;
  double x0, x1, y0, y1;
  const double *z;
  const double *levels;
  size_t level_count;
} draw_grid;

/* Colours that are distinct for all kinds of colour vision. */
typedef enum draw_colour {
  DRAW_BLUE,
  DRAW_VERMILION,
  DRAW_GREEN,
  DRAW_ORANGE,
  DRAW_PURPLE,
  DRAW_SKY,
  DRAW_BLACK,
  DRAW_GREY,
  /* from low to high: dark to light, in grey print too */
  DRAW_LOWEST,
  DRAW_LOW,
  DRAW_MIDDLE,
  DRAW_HIGH,
  DRAW_HIGHEST,
  DRAW_COLOURS
} draw_colour;

typedef struct draw_series {
  draw_kind kind;
  const char *label; /* NULL: not in the legend */
  draw_colour colour;
  bool dashed;
  bool loose; /* marks that no line joins */
  size_t count;
  const double *x, *y;
  const double *y2;      /* DRAW_BAND */
  const draw_grid *grid; /* DRAW_LEVELS */
} draw_series;

typedef struct draw_panel {
  const char *title; /* NULL: none */
  draw_axis x, y;
  bool equal; /* one unit is as long on both axes */
  const draw_series *series;
  size_t count;
} draw_panel;

typedef struct draw_figure {
  const char *title; /* NULL: none */
  const char *note;  /* small print below; NULL: none */
  const draw_panel *panels;
  size_t count;
  double panel_width, panel_height; /* 0: 480 by 380 */
} draw_figure;

/* The file's name must end in .svg or .png: LRGD_ERR_INVALID else. */
LRGD_MUST_CHECK lrgd_status draw_check_name(const char *path,
                                            lrgd_error *error);

LRGD_MUST_CHECK lrgd_status draw_save(const draw_figure *figure,
                                      const char *path, lrgd_error *error);

#endif
