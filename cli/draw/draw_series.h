/* Draws data on a panel whose scales are known. */
#ifndef CLI_DRAW_SERIES_H
#define CLI_DRAW_SERIES_H

#include "draw_axis.h"

#include <cairo.h>

typedef struct cli_plane {
  cairo_t *cr;
  cli_scale x, y;
} cli_plane;

void draw_set_colour(cairo_t *cr, draw_colour colour, double opacity);
void draw_series_on(const cli_plane *plane, const draw_series *series);

/* The sample in a legend, width pixels long around (x, y). */
void draw_sample(cairo_t *cr, const draw_series *series, double x, double y,
                 double width);

#endif
