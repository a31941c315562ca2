/* The parts of the filter of problem `ladder`, for those who simulate it with
 * a program of their own. */
#ifndef LR_LADDER_H
#define LR_LADDER_H

#include <stddef.h>

/* Sections between a source and a load of LR_LADDER_OHMS, six parts each: along
 * the line a coil and a resistor in series, a capacitor beside them; then to
 * ground a coil, a capacitor and a resistor in series.  In this order. */
enum { LR_LADDER_PARTS = 6, LR_LADDER_OHMS = 600 };

/* Of part i at x = 0, in H, F or ohm: sections are tuned half an octave apart
 * or so, one after the other. */
double lr_ladder_nominal(size_t section, size_t part);

/* Frequencies: so many, ten a decade from 100 Hz. */
enum { LR_LADDER_ROWS = 41 };

#endif
