/* Scales and ticks: from data to positions.  No drawing. */
#ifndef CLI_DRAW_AXIS_H
#define CLI_DRAW_AXIS_H

#include "draw.h"

enum { TICKS_MOST = 40, TICK_TEXT = 32 };

typedef struct cli_tick {
  double at;            /* in data */
  char text[TICK_TEXT]; /* "" for a tick without a label */
} cli_tick;

typedef struct cli_scale {
  draw_scale kind;
  bool whole;      /* ticks at whole numbers only */
  double lo, hi;   /* in data */
  double from, to; /* the range of pixels that the scale covers */
} cli_scale;

/* The range of all data of the panel along one axis, widened, and never empty;
 * lo < hi in the axis is taken as given. */
cli_scale scale_of(const draw_panel *panel, bool vertical);

double scale_place(const cli_scale *scale, double value);

/* Ticks with labels no closer than gap pixels; returns how many. */
size_t scale_ticks(const cli_scale *scale, double gap,
                   cli_tick ticks[TICKS_MOST]);

#endif
